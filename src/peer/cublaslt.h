/* cublaslt.h: shared by the peers for NVIDIA's cuBLASLt, which has more products than cuBLAS and
 * lets the caller choose among its kernels. SPDX-License-Identifier: MIT */
#ifndef PEER_CUBLASLT_H
#define PEER_CUBLASLT_H

#include "peer/library.h"

extern const char *const gr_cublaslt_files[];

enum gradus_status gr_cublaslt_attach(struct gr_peer *peer, struct gr_peer_result *result,
                                      struct gradus_error *error);

enum gr_cublaslt_mode {
    GR_CUBLASLT_PLAIN,
    GR_CUBLASLT_TF32, /* inputs of float are rounded to TF32 */
    GR_CUBLASLT_FAST  /* products of 8-bit numbers are summed over all of k by the tensor cores,
                       * with their 13 bits of the fraction: the library's FAST_ACCUM */
};

/* Submits the product to the stream. The first of its shape and types times the algorithms that
 * the library proposes, on a stream of its own, and later ones take the fastest. */
void gr_cublaslt_run(const struct gr_problem *problem, enum gr_cublaslt_mode mode, const void *a,
                     const void *b, void *c);

/* For a kind's `refuses`: products of 8-bit numbers exist only if both operands are contiguous
 * along k, and sizes and rows are multiples of 16 bytes. */
const char *gr_cublaslt_refuses(const struct gr_problem *problem);

#endif
