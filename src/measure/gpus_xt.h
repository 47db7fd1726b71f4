/* gpus_xt.h: cuBLASXt, which multiplies matrices in host memory on several GPUs.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_GPUS_XT_H
#define MEASURE_GPUS_XT_H

#include <gradus/gradus.h>

struct gr_gpus_xt;

/* Opens libcublas with dlopen; the variable GRADUS_CUBLAS_XT can name another file. UNSUPPORTED: it
 * was not found, or it refuses the GPUs. */
enum gradus_status gr_gpus_xt_open(const int *numbers, int count, struct gr_gpus_xt **xt,
                                   struct gradus_error *error);
/* Computes C = A B of floats, row-major and dense, in host memory, and returns when C is complete.
 * Errors: LAUNCH. */
enum gradus_status gr_gpus_xt_multiply(struct gr_gpus_xt *xt, int64_t m, int64_t n, int64_t k,
                                       const float *a, const float *b, float *c,
                                       struct gradus_error *error);
void gr_gpus_xt_close(struct gr_gpus_xt *xt);

#endif
