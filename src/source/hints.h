/* hints.h: what a parameter's name, and the kernel's own indices, say about the part it has in a
 * product. SPDX-License-Identifier: MIT */
#ifndef SOURCE_HINTS_H
#define SOURCE_HINTS_H

#include "source/scan.h"
#include "records/kernel.h"

/* 'A', 'B', 'C' for `d_A`, `matB`, `out`; 0: it says nothing. */
char gr_hint_operand(const char *name);
/* "M", "N", "K", "lda", "ldb", "ldc" for `m`, `widthB`, `num_rows_a`; null: it says nothing. *sure:
 * it can mean nothing else. */
const char *gr_hint_size(const char *name, bool *sure);
/* "alpha", "beta" or null. */
const char *gr_hint_scale(const char *name);

/* What the body of a kernel says of its parameters, by their places among them. */
enum { GR_MOST_HINTED = 32 };
struct gr_hints {
    /* times[p][q]: the array p is indexed by a product with the integer q, as in p[row * q + col]:
     * q is the distance of its rows or columns. */
    unsigned char times[GR_MOST_HINTED][GR_MOST_HINTED];
    bool adds[GR_MOST_HINTED]; /* the kernel adds to elements of the array: by atomics, or by += */
    bool stores[GR_MOST_HINTED];
};
void gr_hints_read(const struct gr_scan *scan, const struct gr_function *function,
                   const struct gr_signature *signature, struct gr_hints *hints);

#endif
