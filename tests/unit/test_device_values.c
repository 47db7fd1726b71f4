/* test_device_values.c: what the kernels of the library compute that the workbench does not run,
 * the epilogue of a product and a batch in one launch, on the simulator, against float64.
 * SPDX-License-Identifier: MIT */
#include "device/device_finish.h"

#include "check/check.h"
#include "check/element.h"
#include "core/dtype.h"
#include "device/device_dispatch.h"
#include "device/device_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/activated.h"
#include "unit/device_simulated.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- Values ---- */

static uint64_t state = 7;

static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 33) / 1073741824.0 - 1) * 6;
}

static enum gr_dtype type_of(enum gradus_type type)
{
    return type == GRADUS_F64    ? GR_F64
           : type == GRADUS_BF16 ? GR_BF16
           : type == GRADUS_F16  ? GR_F16
                                 : GR_F32;
}

/* How far the value of an element may be from `want`: the rounding of its type, of sums of numbers
 * as large as `size`, and 3e-7 for the normal distribution of floats. */
static double allowed(const struct gr_device_kernel *entry, double want, double size, bool gelu)
{
    const double u = gr_dtype_eps(type_of(entry->c_type)) / 2,
                 sums = gr_dtype_eps(type_of(entry->sum_type)) / 2;
    double error = u * fabs(want) + 2 * sums * size + gr_dtype_lost(type_of(entry->c_type));
    if (gelu)
        error += (entry->sum_type == GRADUS_F64 ? 1e-14 : 3e-7) * fabs(want) + 2 * sums * size;
    return error;
}

struct trial {
    int64_t m, n, more; /* more: ldc - n */
    int offset;         /* of C's first element, from an address that is aligned */
    enum gradus_layout layout;
    int bias; /* 0: none, 1: of columns, 2: of rows, of the caller's C */
    enum gradus_activation activation;
    double beta;
};

static const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, -30, -1e-30, 1e30};
enum { SPECIAL = sizeof special / sizeof *special };

/* The product has left sums, or C, which is then `sums` in C itself. */
static void try(int number, const struct trial *t)
{
    const struct gr_device_kernel *entry = &gr_device_kernels[number];
    const bool turned = t->layout == GRADUS_COL_MAJOR, in_place = entry->c_type == entry->sum_type;
    const enum gr_dtype c_type = type_of(entry->c_type), s_type = type_of(entry->sum_type);
    const int64_t ldc = t->n + t->more, count = t->m * ldc;
    const double outside = 12345;
    char *bias = aligned_alloc(64, (size_t)(t->m + t->n + 8) * 8 / 64 * 64 + 64);
    /* The rows of the caller's column-major C are the columns of this one. */
    const bool of_rows = (t->bias == 2) != turned;
    const struct gradus_epilogue epilogue = {t->bias ? bias : NULL, t->bias == 2, t->activation};
    struct gradus_gemm g = {.c_type = entry->c_type,
                            .sum_type = entry->sum_type,
                            .layout = t->layout,
                            .epilogue = &epilogue};
    struct gr_device_given given = {
        .m = t->m, .n = t->n, .ldc = ldc, .beta = in_place ? 0 : t->beta};
    struct gr_device_finish finish;
    int64_t lds;
    const int64_t sums_bytes = gr_device_sums_bytes(&g, &given, &lds);
    assert_int_equal(sums_bytes > 0, !in_place);
    double *x = malloc((size_t)count * sizeof *x), *old = malloc((size_t)count * sizeof *old);
    double *b = malloc((size_t)(t->m + t->n) * sizeof *b);
    char *c_memory = aligned_alloc(64, (size_t)(count + 64) * 8 / 64 * 64 + 64);
    char *sums = aligned_alloc(256, (size_t)(t->m * lds * 4 + 256) / 256 * 256);
    char *c = c_memory + (size_t)t->offset * gr_dtype_bytes(c_type);
    for (int64_t i = 0; i < count; i++) {
        const bool inside = i % ldc < t->n;
        x[i] = gr_round_to(s_type, i < 3 * SPECIAL ? special[i % SPECIAL] : draw());
        old[i] = gr_round_to(c_type, t->beta == 0 ? NAN : draw());
        gr_element_put(c_type, c, i, !inside ? outside : in_place ? x[i] : old[i]);
        if (!in_place && inside)
            gr_element_put(s_type, sums, i / ldc * lds + i % ldc, x[i]);
    }
    for (int64_t i = 0; i < t->m + t->n; i++)
        gr_element_put(s_type, bias, i, b[i] = gr_round_to(s_type, draw()));
    given.c = (uintptr_t)c;
    struct gradus_error error = {0};
    assert_int_equal(gr_device_finish_prepare(&gpu, &g, &given, lds, &finish, &error), 0);
    finish.given.sums = (uintptr_t)sums;
    assert_int_equal(gr_device_finish_launch(&gpu, &finish, NULL, &error), 0);
    for (int64_t i = 0; i < count; i++) {
        const double got = gr_element(c_type, c, i), beta = in_place ? 0 : t->beta;
        double want = x[i], size = fabs(want);
        if (i % ldc >= t->n) {
            assert_true(got == gr_round_to(c_type, outside));
            continue;
        }
        if (beta != 0) {
            want += beta * old[i];
            size += fabs(beta * old[i]);
        }
        if (t->bias) {
            want += b[of_rows ? i / ldc : i % ldc];
            size += fabs(b[of_rows ? i / ldc : i % ldc]);
        }
        want = activated(want, t->activation);
        const double rounded = gr_round_to(c_type, want);
        const bool right =
            isnan(want) ? isnan(got)
            : isinf(rounded) || rounded == 0
                ? got == rounded || fabs(got - want) <= allowed(entry, want, size, false)
                : fabs(got - want) <= allowed(entry, want, size, t->activation >= GRADUS_GELU);
        /* A zero has its sign where nothing was added. */
        const bool signs =
            got != 0 || rounded != 0 || beta != 0 || t->bias || !signbit(got) == !signbit(rounded);
        if (!right || !signs)
            fail_msg("%s, %lldx%lld+%lld at %d, bias %d, activation %d, beta %g: element %lld of "
                     "%.17g is %.17g, wanted %.17g",
                     entry->name, (long long)t->m, (long long)t->n, (long long)t->more, t->offset,
                     t->bias, (int)t->activation, t->beta, (long long)i, x[i], got, want);
    }
    free(x), free(old), free(b), free(c_memory), free(sums), free(bias);
}

/* Rows that are 2^31 elements apart. */
static void try_far(int number)
{
    enum { M = 4, N = 9 };
    const struct gr_device_kernel *entry = &gr_device_kernels[number];
    const enum gr_dtype c_type = type_of(entry->c_type);
    const int64_t ldc = INT32_MAX, bytes = M * ldc * (int64_t)gr_dtype_bytes(c_type);
    struct gradus_epilogue epilogue = {.activation = GRADUS_RELU};
    const struct gradus_gemm g = {
        .c_type = entry->c_type, .sum_type = entry->sum_type, .epilogue = &epilogue};
    struct gr_device_given given = {.m = M, .n = N, .ldc = ldc, .beta = 1};
    struct gr_device_finish finish;
    struct gradus_error error = {0};
    float sums[M * 12] = {0};
    char *c = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c == MAP_FAILED) { /* a limit of the process */
        print_message("no address space of %lld bytes\n", (long long)bytes);
        return;
    }
    for (int64_t i = 0; i < (int64_t)M * N; i++)
        gr_element_put(c_type, c, i / N * ldc + i % N, i % 2 ? (double)i : -(double)i);
    given.c = (uintptr_t)c;
    assert_int_equal(gr_device_finish_prepare(&gpu, &g, &given, 12, &finish, &error), 0);
    finish.given.sums = (uintptr_t)sums;
    assert_int_equal(gr_device_finish_launch(&gpu, &finish, NULL, &error), 0);
    for (int64_t i = 0; i < (int64_t)M * N; i++)
        assert_true(gr_element(c_type, c, i / N * ldc + i % N) == (i % 2 ? (double)i : 0));
    munmap(c, (size_t)bytes);
}

static void values(void **context)
{
    static const struct trial trials[] = {
        {37, 72, 0, 0, GRADUS_ROW_MAJOR, 1, GRADUS_GELU, 0},
        {37, 72, 4, 0, GRADUS_ROW_MAJOR, 0, GRADUS_GELU, 0.5},
        {37, 71, 1, 0, GRADUS_ROW_MAJOR, 2, GRADUS_RELU, -1},
        {37, 71, 0, 0, GRADUS_ROW_MAJOR, 0, GRADUS_RELU, 0},
        {19, 72, 8, 1, GRADUS_COL_MAJOR, 1, GRADUS_RELU, 0},
        {19, 72, 8, 2, GRADUS_COL_MAJOR, 2, GRADUS_GELU, 2},
        {300, 1, 0, 0, GRADUS_ROW_MAJOR, 1, GRADUS_GELU, 0},
        {1, 1500, 0, 3, GRADUS_ROW_MAJOR, 2, GRADUS_RELU, 1},
        {3, 1500, 0, 0, GRADUS_ROW_MAJOR, 1, GRADUS_RELU, 1},
        {1, 1, 0, 0, GRADUS_ROW_MAJOR, 0, GRADUS_GELU, 0},
        {5, 40, 0, 0, GRADUS_ROW_MAJOR, 2, GRADUS_LINEAR, 0},
        {37, 72, 4, 0, GRADUS_ROW_MAJOR, 1, GRADUS_GELU_TANH, 0.5},
        {19, 71, 8, 2, GRADUS_COL_MAJOR, 0, GRADUS_GELU_TANH, 0},
    };
    (void)context;
    int entries = 0;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        if (!gr_device_kernels[i].finishes)
            continue;
        entries++;
        if (!build(i, 0)) {
            skip();
            return;
        }
        for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
            try(i, &trials[t]);
        most_rows_of_blocks = 1; /* a C of more rows than a grid has blocks for */
        try(i, &trials[6]);
        most_rows_of_blocks = 0;
        try_far(i);
    }
    assert_int_equal(entries, 4);
}

/* A batch in one launch, and its epilogue in another one: strides that are no multiples of
 * anything, A the same for all. */
static void batch_of(bool by_arrays)
{
    enum {
        M = 70,
        N = 65,
        K = 19,
        BATCH = 5,
        LDA = K,
        LDB = K + 1,
        LDC = N + 2,
        STRIDE_B = N * LDB + 3,
        STRIDE_C = M * LDC + 1,
        NT = 1
    };
    static float a[M * LDA], b[BATCH * STRIDE_B], c[BATCH * STRIDE_C], old[BATCH * STRIDE_C],
        bias[M];
    static const float *as[BATCH], *bs[BATCH];
    static float *cs[BATCH];
    const struct gradus_epilogue epilogue = {bias, 1, GRADUS_RELU};
    struct gradus_gemm g;
    struct gradus_error error = {0};
    struct gr_device_plan plan = {0};
    struct gr_device_finish finish;
    int kernel;
    gradus_gemm_init(&g, GRADUS_F32);
    g.math = GRADUS_MATH_IEEE;
    g.epilogue = &epilogue;
    for (int i = 0; i < M; i++)
        bias[i] = (float)draw();
    for (int i = 0; i < M * LDA; i++)
        a[i] = (float)draw();
    for (int i = 0; i < BATCH * STRIDE_B; i++)
        b[i] = (float)draw();
    for (int i = 0; i < BATCH * STRIDE_C; i++)
        c[i] = old[i] = (float)draw();
    struct gr_device_given given = {.m = M,
                                    .n = N,
                                    .k = K,
                                    .lda = LDA,
                                    .ldb = LDB,
                                    .ldc = LDC,
                                    .alpha = 0.5,
                                    .beta = -1,
                                    .a = (uintptr_t)a,
                                    .b = (uintptr_t)b,
                                    .c = (uintptr_t)c,
                                    .trans_b = 1,
                                    .sms = gpu.sms,
                                    .smem_max = gpu.smem_max,
                                    .cc = gpu.cc,
                                    .warp = gpu.warp,
                                    .batch = BATCH,
                                    .stride_b = STRIDE_B,
                                    .stride_c = STRIDE_C};
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), BATCH);
    if (by_arrays) {
        for (int p = 0; p < BATCH; p++) { /* in another order */
            const int q = (p * 2 + 1) % BATCH;
            as[p] = a, bs[p] = b + q * STRIDE_B, cs[p] = c + q * STRIDE_C;
        }
        given.a = (uintptr_t)as, given.b = (uintptr_t)bs, given.c = (uintptr_t)cs;
        given.stride_b = given.stride_c = 0, given.arrays = 1;
    }
    assert_int_equal(gr_device_choose(&gpu, &g, &given, &kernel, &plan, &error), 0);
    if (!build(kernel, NT)) {
        skip();
        return;
    }
    launch_count = 0;
    assert_int_equal(gr_device_work_bytes(&gr_device_kernels[kernel], &plan), 0);
    assert_int_equal(gr_device_launch_all(&gpu, &gr_device_kernels[kernel], &loaded, &given, &plan,
                                          0, NULL, &error),
                     0);
    assert_int_equal(launch_count, 1);
    for (int i = 0; i < gr_device_kernel_count; i++)
        if (gr_device_kernels[i].finishes && gr_device_kernels[i].c_type == GRADUS_F32)
            assert_true(build(i, 0));
    assert_int_equal(gr_device_finish_prepare(&gpu, &g, &given, 0, &finish, &error), 0);
    assert_int_equal(gr_device_finish_launch(&gpu, &finish, NULL, &error), 0);
    for (int i = 0; i < BATCH * STRIDE_C; i++) {
        const int p = i / STRIDE_C, row = i % STRIDE_C / LDC, column = i % STRIDE_C % LDC;
        double want = old[i], size = 0;
        if (row < M && column < N) {
            want = -want + bias[row];
            size = fabs(want) + fabs(bias[row]);
            for (int k = 0; k < K; k++) {
                const double product =
                    (double)a[row * LDA + k] * b[p * STRIDE_B + column * LDB + k];
                want += 0.5 * product;
                size += fabs(product);
            }
            want = want < 0 ? 0 : want;
        }
        if (fabs(c[i] - want) > size * K * 0x1p-24)
            fail_msg("product %d, (%d, %d): %.9g, wanted %.9g", p, row, column, (double)c[i], want);
    }
}

static void batches(void **context)
{
    (void)context;
    batch_of(false);
}

static void batches_by_arrays(void **context)
{
    (void)context;
    batch_of(true);
}

/* When one launch is expected to end before one for each; it is asked once. */
static void at_once(void **context)
{
    (void)context;
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    struct gr_device_given given = {.m = 64,
                                    .n = 64,
                                    .k = 64,
                                    .lda = 64,
                                    .ldb = 64,
                                    .ldc = 64,
                                    .alpha = 1,
                                    .sms = gpu.sms,
                                    .smem_max = gpu.smem_max,
                                    .cc = gpu.cc,
                                    .warp = gpu.warp,
                                    .batch = 65535};
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 65535);
    given.batch = 65536; /* two launches of a grid's blocks along z, of as many products */
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 32768);
    given.batch = 2;
    given.m = given.n = given.k = given.lda = given.ldb = given.ldc = 4096; /* by tensor cores */
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 1);
    given.m = given.n = given.k = given.lda = given.ldb = given.ldc = 64;
    g.math = GRADUS_MATH_ACCURATE; /* by 31_fused_accurate */
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 2);
    g.math = GRADUS_MATH_SCALED; /* which no kernel of batches has */
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 1);
    for (int type = GRADUS_F64; type <= GRADUS_BF16; type++) { /* as floats */
        gradus_gemm_init(&g, (enum gradus_type)type);
        given.m = given.n = given.k = given.lda = given.ldb = given.ldc = 64;
        assert_int_equal(gr_device_at_once(&gpu, &g, &given), 2);
        given.batch = 1000;
        assert_int_equal(gr_device_at_once(&gpu, &g, &given), 1000);
        given.batch = 2;
        given.m = given.n = given.k = given.lda = given.ldb = given.ldc = 4096;
        /* By 27_any_shape, whose blocks go from one product to the next one. */
        assert_int_equal(gr_device_at_once(&gpu, &g, &given), type == GRADUS_F64 ? 1 : 2);
        given.m = given.n = 64, given.k = given.lda = 65536;
        assert_int_equal(gr_device_at_once(&gpu, &g, &given), 1);
    }
    gradus_gemm_init(&g, GRADUS_F64); /* clusters share each of these along k */
    given.k = given.lda = 4096, given.batch = 8;
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 8);
    given.batch = 2;
    gradus_gemm_init(&g, GRADUS_F32);
    given.lda = given.ldb = given.ldc = 64;
    given.n = 64, given.m = 64, given.k = 65536; /* two of these are cut along k */
    given.lda = 65536;
    assert_int_equal(gr_device_at_once(&gpu, &g, &given), 1);
}

/* A bias without an activation is an epilogue as well, and what it costs is in the estimate. */
static void estimates(void **context)
{
    (void)context;
    struct gradus_epilogue e = {.bias = NULL, .activation = GRADUS_LINEAR};
    struct gradus_gemm g = {.c_type = GRADUS_F32, .sum_type = GRADUS_F32, .epilogue = &e};
    const struct gr_device_given given = {.m = 4096, .n = 4095, .sms = 132};
    int64_t lds;
    assert_false(gr_device_finishes(&g));
    assert_true(gr_device_finish_us(&g, &given) == 0);
    e.bias = &e;
    assert_true(gr_device_finishes(&g));
    const double in_place = gr_device_finish_us(&g, &given);
    assert_true(in_place > 2.0 * 4 * 4096 * 4095 / 2.5e6 && in_place < 60);
    assert_int_equal(gr_device_sums_bytes(&g, &given, &lds), 0);
    double us = 0, with = 0;
    bool admitted;
    g.epilogue = NULL;
    assert_true(gr_device_expects(&gpu, &g, &given, 0, &us, &admitted));
    g.epilogue = &e;
    assert_true(gr_device_expects(&gpu, &g, &given, 0, &with, &admitted));
    assert_true(fabs(with - us - in_place) < 1e-6);
    g.c_type = GRADUS_BF16;
    assert_int_equal(gr_device_sums_bytes(&g, &given, &lds), INT64_C(4096) * 4096 * 4);
    assert_int_equal(lds, 4096);
    assert_true(gr_device_finish_us(&g, &given) == in_place);
    g.c_type = g.sum_type = GRADUS_F64;
    assert_true(gr_device_finish_us(&g, &given) > 1.9 * in_place - 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(batches),
                                       cmocka_unit_test(batches_by_arrays),

                                       cmocka_unit_test(at_once), cmocka_unit_test(estimates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
