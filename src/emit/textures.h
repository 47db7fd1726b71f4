/* textures.h: what of CUDA is not run. SPDX-License-Identifier: MIT */
#ifndef EMIT_TEXTURES_H
#define EMIT_TEXTURES_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* UNSUPPORTED, "file:line: …", where the file names a texture or a surface: a kernel that is given
 * matrices cannot be given these. */
enum gradus_status gr_textures_refuse(const struct gr_kernel *kernel, struct gradus_error *error);

#endif
