/* several.h: multiplies matrices in host memory on several GPUs. SPDX-License-Identifier: MIT */
#ifndef FILES_SEVERAL_H
#define FILES_SEVERAL_H

#include "files/gemm_files.h"

/* On the request's GPUs, within its limit of memory; *outcome gets the plan and, if they are asked
 * for, the timelines. Errors: those of gradus_gpus_open and gradus_gpus_gemm. */
enum gradus_status gr_several_multiply(const struct gr_gemm_files *request,
                                       const struct gradus_gemm *gemm,
                                       struct gr_gemm_files_outcome *outcome,
                                       struct gradus_error *error);

#endif
