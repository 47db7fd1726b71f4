/* staged_panels.h: the panels in which a product of matrices in host memory is computed on a GPU:
 * how large they are, and what they need of its memory. Products are row-major.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_STAGED_PANELS_H
#define DEVICE_STAGED_PANELS_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* Panels of B and C have two places, with a stream each. */
enum { GR_STAGED_PLACES = 2 };

/* Are A and B read at all? */
bool gr_staged_reads(const struct gradus_gemm *gemm);
/* Up to a boundary between pieces of memory. */
int64_t gr_staged_rounded(int64_t bytes);
/* Bytes from one row of a panel to the next: the kernels like rows that begin at vectors. */
int64_t gr_staged_pitch(int64_t elements, enum gradus_type type);

/* Bytes of a panel of A, B and C, of the bias, and of all that is on the GPU at a time. */
int64_t gr_staged_a_bytes(const struct gradus_gemm *gemm, int64_t rows);
int64_t gr_staged_b_bytes(const struct gradus_gemm *gemm, int64_t columns);
int64_t gr_staged_c_bytes(const struct gradus_gemm *gemm, int64_t rows, int64_t columns);
int64_t gr_staged_bias_bytes(const struct gradus_gemm *gemm);
int64_t gr_staged_bytes(const struct gradus_gemm *gemm, int64_t rows, int64_t columns);

/* Rows and columns of the panels of C, as large as the GPU's free memory holds; the panels of A and
 * B have all of k. NO_MEMORY: it holds too little. */
enum gradus_status gr_staged_choose(const struct gradus_gemm *gemm, int64_t free_bytes,
                                    int64_t *rows, int64_t *columns, struct gradus_error *error);

#endif
