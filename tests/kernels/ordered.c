// ordered.c: arguments by an `args` line, since the names say nothing. SPDX-License-Identifier: MIT
//@ type f64
//@ kernel product
//@ args K, M, 2*N/2, A, lda, B, ldb, C, ldc, 0.0, M*N

#include <stdint.h>

void product(int depth, int rows, int columns, const double *x, int x_step, const double *y,
             int y_step, double *z, int z_step, double zero, int64_t count)
{
    for (int64_t e = 0; e < count; e++) {
        int i = (int)(e / columns), j = (int)(e % columns);
        double sum = zero;
        for (int p = 0; p < depth; p++)
            sum += x[i * x_step + p] * y[p * y_step + j];
        z[i * z_step + j] = sum;
    }
}

void another(int depth)
{
    (void)depth;
}
