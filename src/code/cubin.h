/* cubin.h: reads a cubin: its kernels and the resources that each needs. It needs none of NVIDIA's
 * tools, so that it works on any machine. SPDX-License-Identifier: MIT */
#ifndef CODE_CUBIN_H
#define CODE_CUBIN_H

#include "code/code.h"

/* As gr_code_read, which calls it. */
enum gradus_status gr_cubin_read(const void *image, size_t length, struct gr_code *code,
                                 struct gradus_error *error);

#endif
