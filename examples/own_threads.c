/* own_threads.c: a context has threads of its own, and a workspace is all the memory that a call
 * uses. The bits of the result are the same for any number of threads. It prints:
 *
 *  > the same bits on 1 thread, on the context's 2, and with a workspace
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static double a[N * N], b[N * N], alone[N * N], together[N * N];

int main(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = 1.0 / (i + 1), b[i] = 1.0 / (i + 7);
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F64);
    gemm.m = gemm.n = gemm.k = N;
    gemm.a = a, gemm.b = b;
    gemm.lda = gemm.ldb = gemm.ldc = N;

    gemm.c = alone, gemm.threads = 1;
    if (gradus_gemm_run(&gemm, NULL))
        return 1;

    gemm.c = together, gemm.threads = 0;
    if (gradus_context_create(2, &gemm.context, NULL) || gradus_gemm_run(&gemm, NULL) ||
        memcmp(alone, together, sizeof alone))
        return 1;

    gemm.workspace_bytes = gradus_gemm_workspace(&gemm, NULL);
    gemm.workspace = malloc((size_t)gemm.workspace_bytes);
    memset(together, 0, sizeof together);
    if (!gemm.workspace || gradus_gemm_run(&gemm, NULL) || memcmp(alone, together, sizeof alone))
        return 1;
    printf("the same bits on 1 thread, on the context's 2, and with a workspace\n");
    free(gemm.workspace);
    gradus_context_free(gemm.context);
    return 0;
}
