/* plain.c: a kernel as people write it, without front matter: a macro that shadows a member of
 * ours, its own typedef, a helper, and a main that the stub leaves out. SPDX-License-Identifier:
 * MIT */
#include <stdio.h>

#define alpha_is_one 1
#define k_step 1
#define a(i, j) A[(i)*lda + (j)]

typedef float real;

#ifdef SOMETHING_ELSE
static int helper(int x)
{
#else
static int helper(int y)
{
    int x = y;
#endif
    return x;
}

void sgemm(int M, int N, int K, real alpha, const real *A, int lda, const real *B, int ldb,
           real beta, real *C, int ldc)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int p = 0; p < K; p += k_step)
                sum += a(i, p) * B[helper(p) * ldb + j];
            C[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * C[i * ldc + j];
        }
}

int main(void)
{
    puts("never called }");
    return 0;
}
