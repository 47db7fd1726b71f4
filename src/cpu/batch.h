/* batch.h: batches of products with the same sizes. SPDX-License-Identifier: MIT */
#ifndef CPU_BATCH_H
#define CPU_BATCH_H

#include "cpu/gemm.h"

/* Sets the operands of `product` to those of the batch's product `i`. */
void gr_batch_point(struct gr_product *product, const struct gradus_gemm *gemm, int64_t i);

/* Computes all products of the batch; `first` describes the first of them. */
void gr_batch_run(const struct gradus_gemm *gemm, const struct gr_product *first);

/* Bytes of packing buffer that gr_batch_run needs. */
int64_t gr_batch_bytes(const struct gradus_gemm *gemm, const struct gr_product *first);

#endif
