/* library_code.c: cases of test_library: other GPUs, and where code comes from.
 * SPDX-License-Identifier: MIT */
#include "library_fake.h"

/* A GPU without the tensor cores of sm_90a. */
void case_ampere(void)
{
    char text[512];
    struct gradus_gemm g = problem(1000, 1000, 1000, GRADUS_MATH_DEFAULT);
    run_well(&g);
    CHECK(fake.calls("early") == 0, "launched before earlier kernels end, on sm_87");
    g.math = GRADUS_MATH_ACCURATE;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "sm_87"), "%s", text);
}

void case_turing(void)
{
    char text[512];
    struct gradus_gemm g = problem(8, 8, 8, GRADUS_MATH_DEFAULT);
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "sm_75"), "%s", text);
}

/* An architecture whose code is in no library: NVRTC, once; then the cache. */
void case_compiled(void)
{
    struct gradus_gemm g = problem(1000, 1000, 1000, GRADUS_MATH_IEEE);
    run_well(&g);
    run_well(&g);
    g.trans_a = 1;
    run_well(&g);
}

static int lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0, c;
    while (file && (c = fgetc(file)) != EOF)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

void case_cached(void)
{
    case_compiled();
    CHECK(lines_of(nvrtc_log) == 2, "NVRTC has compiled %d times", lines_of(nvrtc_log));
}

/* There is no compiler, and what is in the cache was damaged. */
void case_no_compiler(void)
{
    char text[512];
    struct gradus_gemm g = problem(8, 8, 8, GRADUS_MATH_DEFAULT);
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "pip install"), "%s", text);
}

void case_no_driver(void)
{
    char text[512];
    struct gradus_gemm g;
    float x[4] = {0}, y[4];
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 2;
    g.a = g.b = x, g.c = y, g.device = GRADUS_GPU;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "driver"), "%s", text);
    CHECK(gradus_gemm_workspace(&g, NULL) == -1, "a workspace without a driver");
}
