/* first_product.c: C = A * B with row-major matrices, and the text of an error. It prints:
 *
 *  > 58 64
 *  > 139 154
 *  > error: gradus_gemm_run: ldb: found 1, wanted at least 2, the length of a stored row (column) of b
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>

int main(void)
{
    const float a[] = {1, 2, 3, 4, 5, 6};    /* 2 x 3 */
    const float b[] = {7, 8, 9, 10, 11, 12}; /* 3 x 2 */
    float c[4];                              /* 2 x 2 */

    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.m = 2, gemm.n = 2, gemm.k = 3;
    gemm.a = a, gemm.lda = 3;
    gemm.b = b, gemm.ldb = 2;
    gemm.c = c, gemm.ldc = 2;

    struct gradus_error error = {0};
    if (gradus_gemm_run(&gemm, &error)) {
        fprintf(stderr, "error: %s\n", error.text);
        return 1;
    }
    printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);

    gemm.ldb = 1; /* too short */
    if (gradus_gemm_run(&gemm, &error))
        printf("error: %s\n", error.text);
    gradus_error_clear(&error);
    return 0;
}
