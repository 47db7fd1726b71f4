/* problem.h: what is to be multiplied. SPDX-License-Identifier: MIT */
#ifndef RECORDS_PROBLEM_H
#define RECORDS_PROBLEM_H

#include "core/dtype.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* C = alpha op(A) op(B) + beta C, row-major. A is stored as m x k (k x m when trans_a), B as k x n
 * (n x k when trans_b); lda, ldb, ldc are distances between stored rows, in elements. */
struct gr_problem {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    bool trans_a, trans_b;
    double alpha, beta;
    struct gr_types types;
};

/* A dense problem: leading dimensions as short as they may be, alpha 1, beta 0. */
struct gr_problem gr_problem_dense(int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b,
                                   struct gr_types types);

/* Rows and row length of A, B or C ('A', 'B', 'C') as stored. */
int64_t gr_problem_rows(const struct gr_problem *p, char operand);
int64_t gr_problem_cols(const struct gr_problem *p, char operand);
int64_t gr_problem_ld(const struct gr_problem *p, char operand);
/* Elements from the first to the last, padding between rows included, none after the last row; 0 if
 * empty. */
int64_t gr_problem_span(const struct gr_problem *p, char operand);
enum gr_dtype gr_problem_type(const struct gr_problem *p, char operand);

/* The alpha and beta of a product. */
struct gr_scales {
    double alpha, beta;
};
/* A pair that shows whether both are applied: whole numbers where sums are integers. */
struct gr_scales gr_scales_telling(enum gr_dtype acc);

/* 2 m n k. */
double gr_problem_flops(const struct gr_problem *p);
/* Bytes of A, B and C, each counted once. */
double gr_problem_bytes(const struct gr_problem *p);

/* "nn", "nt", "tn", "tt". */
const char *gr_problem_trans(const struct gr_problem *p);
/* "1024" for a cube, else "MxNxK". */
void gr_size_name(int64_t m, int64_t n, int64_t k, char *text, size_t size);

/* "1024" or "64x128x256" (each 0..2^31-1 unless `wide`). INVALID names what was found. */
enum gradus_status gr_size_parse(const char *text, int64_t *m, int64_t *n, int64_t *k,
                                 struct gradus_error *error);

#endif
