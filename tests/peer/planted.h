/* planted.h: the product that the planted libraries compute. SPDX-License-Identifier: MIT */
#ifndef TESTS_PEER_PLANTED_H
#define TESTS_PEER_PLANTED_H

enum { TRANS = 112 };

/* Row i, column j of a column-major matrix, or of its transpose. */
#define AT(x, ld, trans, i, j) (x)[(trans) ? (j) + (long)(i) * (ld) : (i) + (long)(j) * (ld)]

#define MULTIPLY(type)                                                                             \
    for (long j = 0; j < n; j++)                                                                   \
        for (long i = 0; i < m; i++) {                                                             \
            type sum = 0;                                                                          \
            for (long l = 0; l < k; l++)                                                           \
                sum += AT(a, lda, ta, i, l) * AT(b, ldb, tb, l, j);                                \
            c[i + j * ldc] = alpha * sum + (beta != 0 ? beta * c[i + j * ldc] : 0);                \
        }

#endif
