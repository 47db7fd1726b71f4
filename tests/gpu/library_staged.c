/* library_staged.c: cases of test_library: operands in host memory, where the fake GPU computes, in
 * its memory. SPDX-License-Identifier: MIT */
#include "library_fake.h"

#include <stdlib.h>

static int trans_of_a, trans_of_b;

/* The arguments of a kernel from A on: A, lda, B, ldb, beta, C, ldc. */
static void multiply(int m, int n, int k, float alpha, void **p, float beta)
{
    const float *a = *(float **)p[0], *b = *(float **)p[2];
    float *c = *(float **)p[5];
    const int lda = *(int *)p[1], ldb = *(int *)p[3], ldc = *(int *)p[6];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[trans_of_a ? l * lda + i : i * lda + l] *
                       b[trans_of_b ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
        }
}

/* The kernels of 31_fused_accurate, whose names begin as those of 12_best do. */
static bool is_fused(const char *symbol)
{
    const char *const name = strstr(symbol, "multiply_");
    return name && (strcmp(name, "multiply_64") == 0 || strcmp(name, "multiply_128") == 0);
}

/* What the kernels of 12_best, 29_vector, 30_short, 31_fused_accurate and finish.cu do, of
 * integers, which floats hold. */
static void do_launch(const char *symbol, void **p)
{
    const int m = *(int *)p[0], n = *(int *)p[1];
    if (is_fused(symbol)) {
        multiply(m, n, *(int *)p[2], *(float *)p[8], p + 9, *(float *)p[13]);
    } else if (strstr(symbol, "multiply")) {
        multiply(m, n, *(int *)p[2], *(float *)p[3], p + 4, *(float *)p[8]);
    } else if (strstr(symbol, "_tiles")) {
        multiply(m, n, *(int *)p[2], (float)*(double *)p[3], p + 4, (float)*(double *)p[8]);
    } else if (strstr(symbol, "_by_vector")) {
        CHECK(*(int *)p[7] == *(int *)p[8], "shares of K, which this does not add up: %s", symbol);
        multiply(m, n, *(int *)p[2], (float)*(double *)p[10], p + 11, (float)*(double *)p[15]);
    } else if (strstr(symbol, "finish")) {
        float *c = *(float **)p[2];
        const float *bias = *(float **)p[4];
        const int ldc = *(int *)p[3], per_row = *(int *)p[5], activation = *(int *)p[6];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float *x = &c[i * ldc + j];
                *x += bias ? bias[per_row ? i : j] : 0;
                *x = activation == GRADUS_RELU && *x < 0 ? 0 : *x;
            }
    }
}

static float whole(int i)
{
    return (float)((i % 1000 * 7919 + i / 13) % 9 - 4);
}

/* A product of matrices in host memory is right, and does not touch what lies between C's rows. */
static void try_host(int64_t m, int64_t n, int64_t k, int variant)
{
    const bool column_major = variant & 1, ta = variant & 2, tb = variant & 4, finish = variant & 8;
    const int batch = variant & 16 ? 2 : 1;
    const int64_t pad = 3, lda = (ta != column_major ? m : k) + pad,
                  ldb = (tb != column_major ? k : n) + pad, ldc = (column_major ? m : n) + pad;
    const int64_t count_a = (ta != column_major ? k : m) * lda,
                  count_b = (tb != column_major ? n : k) * ldb,
                  count_c = (column_major ? n : m) * ldc;
    float *a = malloc((size_t)count_a * 4), *b = malloc((size_t)(batch * count_b) * 4);
    float *c = malloc((size_t)(batch * count_c) * 4), *bias = malloc((size_t)m * 4);
    struct gradus_epilogue e = {.bias = bias, .bias_per_row = 1, .activation = GRADUS_RELU};
    struct gradus_gemm g;
    int wrong = 0;
    gradus_gemm_init(&g, GRADUS_F32);
    g.math = GRADUS_MATH_IEEE, g.device = GRADUS_GPU;
    g.layout = column_major ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.trans_a = ta, g.trans_b = tb, g.m = m, g.n = n, g.k = k;
    g.a = a, g.lda = lda, g.b = b, g.ldb = ldb, g.c = c, g.ldc = ldc;
    g.alpha = 2, g.beta = variant & 2 ? -1 : 0;
    g.batch = batch, g.stride_b = count_b, g.stride_c = count_c;
    g.epilogue = finish ? &e : NULL;
    for (int64_t i = 0; i < count_a; i++)
        a[i] = whole((int)i);
    for (int64_t i = 0; i < batch * count_b; i++)
        b[i] = whole((int)i + 5);
    for (int64_t i = 0; i < batch * count_c; i++)
        c[i] = whole((int)i + 11);
    for (int64_t i = 0; i < m; i++)
        bias[i] = whole((int)i + 3);
    trans_of_a = column_major ? tb : ta, trans_of_b = column_major ? ta : tb;
    CHECK(gradus_gemm_workspace(&g, NULL) == 0, "a workspace of the host's");
    run_well(&g);
    for (int64_t x = 0; x < batch * count_c && wrong < 3; x++) {
        const int64_t p = x / count_c, y = x % count_c / ldc, z = x % ldc;
        const int64_t i = column_major ? z : y, j = column_major ? y : z;
        float want = whole((int)x + 11);
        if (i < m && j < n) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[(ta != column_major) ? l * lda + i : i * lda + l] *
                       (double)b[p * count_b + ((tb != column_major) ? j * ldb + l : l * ldb + j)];
            want = (float)(2 * sum) + (variant & 2 ? -want : 0) + (finish ? bias[i] : 0);
            want = finish && want < 0 ? 0 : want;
        }
        if (c[x] != want) {
            printf("%lldx%lldx%lld variant %d: (%lld, %lld) of product %lld is %g, wanted %g\n",
                   (long long)m, (long long)n, (long long)k, variant, (long long)i, (long long)j,
                   (long long)p, (double)c[x], (double)want);
            failures++, wrong++;
        }
    }
    free(a), free(b), free(c), free(bias);
}

void case_host(void)
{
    static char lines[64][2048];
    char text[512];
    fake.on_launch(do_launch);
    setenv("GRADUS_FAKE_MEMORY", "600000", 1); /* of which a C of 300x500 is all */
    for (int variant = 0; variant < 32; variant++)
        try_host(300, 500, 9, variant);
    while (launches(lines, 64) > 0)
        ;
    try_host(300, 500, 9, 0);
    CHECK(launches(lines, 64) >= 4, "not in panels: %s", lines[0]);
    try_host(1, 3, 2, 9);
    try_host(140, 130, 0, 2); /* no A and B */
    setenv("GRADUS_FAKE_MEMORY", "100000000000", 1);
    try_host(1500, 1600, 3, 2); /* a C of more than a page-locked buffer */
    while (launches(lines, 64) > 0)
        ;
    try_host(300, 500, 9, 0); /* and one that is small enough for one panel */
    CHECK(launches(lines, 64) == 1, "%s", lines[0]);
    const int before = fake.calls("alloc");
    try_host(300, 500, 9, 0);
    CHECK(fake.calls("alloc") == before + 1, "%d allocations", fake.calls("alloc") - before);
    setenv("GRADUS_FAKE_MEMORY", "100000", 1);
    struct gradus_gemm g;
    static float x[300 * 300];
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = 128, g.k = 300, g.lda = g.ldb = 300, g.ldc = 128, g.device = GRADUS_GPU;
    g.a = x, g.b = x, g.c = memory(4); /* C on the GPU, and A not */
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": a: found host memory"), "%s", text);
    g.c = calloc(128 * 128, 4);
    CHECK(run(&g, text) == GRADUS_NO_MEMORY && strstr(text, "compute with GRADUS_CPU"), "%s", text);
    free(g.c);
}

/* As case_failure, with operands in host memory. */
void case_host_failure(void)
{
    char text[512], what[32] = "";
    int code = 0;
    static float a[300 * 300], c[300 * 300];
    struct gradus_gemm g;
    sscanf(getenv("FAIL"), "%31[a-z]:%d", what, &code);
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 300, g.device = GRADUS_GPU, g.beta = 1;
    g.a = g.b = a, g.c = c;
    fake.on_launch(do_launch);
    setenv("GRADUS_FAKE_MEMORY", "1500000", 1);
    setenv("GRADUS_FAKE_FAIL", getenv("FAIL"), 1);
    const enum gradus_status status = run(&g, text);
    CHECK(status == (code == 2     ? GRADUS_NO_MEMORY
                     : code >= 700 ? GRADUS_CRASHED
                                   : GRADUS_LAUNCH),
          "%s gives status %d: %s", getenv("FAIL"), (int)status, text);
    unsetenv("GRADUS_FAKE_FAIL");
    const enum gradus_status after = run(&g, text);
    CHECK(after == (code >= 700 ? GRADUS_CRASHED : GRADUS_OK), "%s, and then: %s", getenv("FAIL"),
          text);
}
