/* textures.h: rejects kernels that use textures or surfaces. SPDX-License-Identifier: MIT */
#ifndef EMIT_TEXTURES_H
#define EMIT_TEXTURES_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* UNSUPPORTED, "file:line: …", if the file uses a texture or a surface, since Gradus passes
 * matrices in memory only. */
enum gradus_status gr_textures_refuse(const struct gr_kernel *kernel, struct gradus_error *error);

#endif
