/* hints.h: guesses the role of a kernel's parameter in a GEMM from its name and from the index
 * expressions of the kernel, for files that do not declare the roles.
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_HINTS_H
#define SOURCE_HINTS_H

#include "source/scan.h"
#include "records/kernel.h"

/* 'A', 'B' or 'C' for `d_A`, `matB`, `out`; 0: the name is not conclusive. */
char gr_hint_operand(const char *name);
/* "M", "N", "K", "lda", "ldb" or "ldc" for `m`, `widthB`, `num_rows_a`; null: the name is not
 * conclusive. *sure: it can mean nothing else. */
const char *gr_hint_size(const char *name, bool *sure);
/* Is it a number of products, as `batch_count` and `numBatches`? */
bool gr_hint_batch(const char *name);
/* Is it a number of parts that a product is done in, as `nStreams` and `num_gpus`? */
bool gr_hint_parts(const char *name);
/* Is it where a part of a product begins, as `row_offset` and `start_k`? */
bool gr_hint_offset(const char *name);
/* Is it the distance between the products of a batch, as `batch_stride_a`? */
bool gr_hint_batch_stride(const char *name);
/* 'A', 'B' or 'C' for the distance between rows in bytes, as `pitchA`; '?': of one that the name
 * does not say; 0: the name is none of a pitch. */
char gr_hint_pitch(const char *name);
/* Is it a choice between two ways, as `transA`, `is_transposed` and `use_bias`? */
bool gr_hint_flag(const char *name);
/* "alpha", "beta" or null. */
const char *gr_hint_scale(const char *name);

/* What the body of a kernel shows about its parameters, by their position. */
enum { GR_MOST_HINTED = 32 };
struct gr_hints {
    /* times[p][q]: array p is indexed by a product with the integer q, as in p[row * q + col],
     * so that q is its leading dimension. */
    unsigned char times[GR_MOST_HINTED][GR_MOST_HINTED];
    bool adds[GR_MOST_HINTED]; /* the kernel adds to elements of the array, with atomics or += */
    bool stores[GR_MOST_HINTED];
    bool reads[GR_MOST_HINTED]; /* an element is used, as in C[i] = C[i] + sum */
};
void gr_hints_read(const struct gr_scan *scan, const struct gr_function *function,
                   const struct gr_signature *signature, struct gr_hints *hints);

#endif
