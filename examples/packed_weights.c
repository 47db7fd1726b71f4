/* packed_weights.c: a matrix that many products use is packed once, before them. It prints:
 *
 *  > 1 row: 64
 *  > 8 rows: 64
 *  > 50 rows: 64
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 64, OUTPUTS = 100, MOST_ROWS = 50 };

int main(void)
{
    float *weights = malloc(sizeof *weights * INPUTS * OUTPUTS);
    static float x[MOST_ROWS * INPUTS], y[MOST_ROWS * OUTPUTS];
    if (!weights)
        return 1;
    for (int i = 0; i < INPUTS * OUTPUTS; i++)
        weights[i] = 1;
    for (int i = 0; i < MOST_ROWS * INPUTS; i++)
        x[i] = 1;

    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.n = OUTPUTS, gemm.k = INPUTS;
    gemm.b = weights, gemm.ldb = OUTPUTS;
    struct gradus_packed *packed;
    struct gradus_error error = {0};
    if (gradus_pack(&gemm, GRADUS_B, &packed, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    free(weights); /* not needed any more */

    gemm.b = NULL, gemm.packed_b = packed;
    gemm.a = x, gemm.lda = INPUTS;
    gemm.c = y, gemm.ldc = OUTPUTS;
    const int rows[] = {1, 8, MOST_ROWS};
    for (int i = 0; i < 3; i++) {
        gemm.m = rows[i];
        if (gradus_gemm_run(&gemm, NULL))
            return 1;
        printf("%d row%s: %g\n", rows[i], rows[i] > 1 ? "s" : "", y[rows[i] * OUTPUTS - 1]);
    }
    gradus_packed_free(packed);
    return 0;
}
