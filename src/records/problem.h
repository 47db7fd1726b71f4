/* problem.h: a GEMM problem: sizes, storage, alpha and beta. It is row-major only; kernels and
 * libraries that are column-major get the transposed problem. SPDX-License-Identifier: MIT */
#ifndef RECORDS_PROBLEM_H
#define RECORDS_PROBLEM_H

#include "core/dtype.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

enum { GR_MAX_SIZES = 8 };

/* C = alpha op(A) op(B) + beta C, row-major. A is stored as m x k (k x m when trans_a), B as k x
 * n (n x k when trans_b); lda, ldb and ldc are the distances between stored rows, in elements. */
struct gr_problem {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    bool trans_a, trans_b;
    double alpha, beta;
    struct gr_types types;
    /* For a kernel that is not a GEMM: the values of its `size` lines; m, n and k are then 0. */
    int64_t sizes[GR_MAX_SIZES];
};

/* A problem with the smallest possible leading dimensions, alpha 1 and beta 0. */
struct gr_problem gr_problem_dense(int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b,
                                   struct gr_types types);

/* The number of stored rows, and the length of a row, of A, B or C ('A', 'B', 'C'). */
int64_t gr_problem_rows(const struct gr_problem *p, char operand);
int64_t gr_problem_cols(const struct gr_problem *p, char operand);
int64_t gr_problem_ld(const struct gr_problem *p, char operand);
/* The elements from the first to the last one, including the padding between rows but not after
 * the last row; 0 if the matrix is empty. */
int64_t gr_problem_span(const struct gr_problem *p, char operand);
enum gr_dtype gr_problem_type(const struct gr_problem *p, char operand);

/* The alpha and beta of a GEMM. */
struct gr_scales {
    double alpha, beta;
};
/* Values of alpha and beta that reveal whether a kernel applies both. They are integers if sums
 * are integers. */
struct gr_scales gr_scales_distinct(enum gr_dtype acc);

/* 2 m n k. */
double gr_problem_flops(const struct gr_problem *p);
/* Bytes of A, B and C, each counted once. */
double gr_problem_bytes(const struct gr_problem *p);
/* The bytes that must move: A and B read once, C written once, and read once unless beta is 0. */
double gr_problem_least_bytes(const struct gr_problem *p);

/* Reads what gr_types_name writes: "f32", or "A=bf16 B=bf16 C=f32 ACC=f32". */
bool gr_types_read(const char *text, struct gr_types *types);
/* "nn", "nt", "tn", "tt". */
const char *gr_problem_trans(const struct gr_problem *p);
/* "1024" for a cube, else "MxNxK". */
void gr_size_name(int64_t m, int64_t n, int64_t k, char *text, size_t size);

/* Parses "1024" or "64x128x256"; each number is at most 2^31-1 unless `wide`. INVALID reports
 * what was found. */
enum gradus_status gr_size_parse(const char *text, int64_t *m, int64_t *n, int64_t *k,
                                 struct gradus_error *error);

#endif
