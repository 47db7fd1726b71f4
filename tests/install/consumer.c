/* consumer.c: a program of somebody else's that uses the installed library; also compiled as C++.
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    /* 2 x 3 times 3 x 2. */
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12}, want[] = {58, 64, 139, 154};
    double c[4] = {0, 0, 0, 0};
    struct gradus_error error;
    memset(&error, 0, sizeof error);
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F64);
    gemm.m = gemm.n = 2;
    gemm.k = 3;
    gemm.a = a;
    gemm.lda = 3;
    gemm.b = b;
    gemm.ldb = 2;
    gemm.c = c;
    gemm.ldc = 2;
    if (gradus_gemm_run(&gemm, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (memcmp(c, want, sizeof c)) {
        fprintf(stderr, "got %g %g %g %g\n", c[0], c[1], c[2], c[3]);
        return 1;
    }
    printf("%s\n", gradus_version());
    return 0;
}
