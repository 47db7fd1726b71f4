/* staged_panels.h: the sizes of the panels in which a product of matrices in host memory is
 * computed on a GPU, and the bytes that they need in its memory. Products are row-major.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_STAGED_PANELS_H
#define DEVICE_STAGED_PANELS_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* The panels of B and C are double-buffered: each has two places, with a stream for each. */
enum { GR_STAGED_PLACES = 2 };

/* Are A and B read at all? */
bool gr_staged_reads(const struct gradus_gemm *gemm);
/* Rounds up to a multiple of 256 bytes, the alignment of each matrix in the GPU's memory. */
int64_t gr_staged_rounded(int64_t bytes);
/* The distance in bytes between two rows of a panel on the GPU. It is a multiple of a vector of 16
 * bytes, for which the kernels are faster. */
int64_t gr_staged_pitch(int64_t elements, enum gradus_type type);

/* Bytes of a panel of A, of B and of C, of the bias, and of all that the GPU's memory holds at a
 * time. */
int64_t gr_staged_a_bytes(const struct gradus_gemm *gemm, int64_t rows);
int64_t gr_staged_b_bytes(const struct gradus_gemm *gemm, int64_t columns);
int64_t gr_staged_c_bytes(const struct gradus_gemm *gemm, int64_t rows, int64_t columns);
int64_t gr_staged_bias_bytes(const struct gradus_gemm *gemm);
int64_t gr_staged_bytes(const struct gradus_gemm *gemm, int64_t rows, int64_t columns);

/* Chooses the rows and columns of the panels of C, as large as fit in the GPU's free memory. The
 * panels of A and B have the whole of k. NO_MEMORY: there is too little memory. */
enum gradus_status gr_staged_choose(const struct gradus_gemm *gemm, int64_t free_bytes,
                                    int64_t *rows, int64_t *columns, struct gradus_error *error);

#endif
