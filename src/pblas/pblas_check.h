/* pblas_check.h: the arguments of a product as PBLAS has them, and what PBLAS refuses.
 * SPDX-License-Identifier: MIT */
#ifndef PBLAS_PBLAS_CHECK_H
#define PBLAS_PBLAS_CHECK_H

#include "pblas/pblas_blacs.h"

/* A submatrix: the index of its first row and column from 1, and the array's descriptor. */
struct gr_pblas_matrix {
    const int *i, *j, *desc;
};

struct gr_pblas_call {
    const char *routine; /* "PDGEMM" */
    const char *trans_a, *trans_b;
    const int *m, *n, *k;
    struct gr_pblas_matrix a, b, c;
};

enum { GR_PBLAS_TEXT = 91 };

/* Whether a letter means that the matrix is transposed; -1: it means nothing. */
int gr_pblas_trans(const char *letter);

/* 0, or PBLAS's error code with its text: -i for argument i, -(100 i + j) for entry j of
 * a descriptor, counted as in one of 11 entries. Where several are wrong, the first argument
 * counts. */
int gr_pblas_check(const struct gr_pblas_call *call, const struct gr_pblas_grid *grid,
                   char text[GR_PBLAS_TEXT]);

#endif
