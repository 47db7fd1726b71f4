/* test_transposed.c: small products whose B is transposed on the stack. SPDX-License-Identifier:
 * MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "probe/dispatched.h"
#include "ukr.h"

#include <gradus/gradus.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 80, PANEL = MOST * MOST };

/* The last `bytes` bytes of a page, before one that faults. */
static char *at_the_end(char *pages, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (MOST * MOST * 8 / page + 1) * page;
    return pages + room - bytes;
}

static char *open_pages(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (MOST * MOST * 8 / page + 1) * page;
    char *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
    return pages;
}

/* Every raggedness: by the definition, and nothing beyond the source is read or beyond the panel
 * written. */
#define DEFINE_TRANSPOSED(T, name)                                                                 \
    static void transpose_##name(gr_transpose_##name##_fn *transpose, int vector, char *pages,     \
                                 int lanes, int depth)                                             \
    {                                                                                              \
        static T panel[PANEL + 1];                                                                 \
        const int width = (lanes + vector - 1) / vector * vector, stride = depth + 1;              \
        const int count = (lanes - 1) * stride + depth;                                            \
        T *source = (T *)(void *)at_the_end(pages, (size_t)count * sizeof(T));                     \
        for (int i = 0; i < count; i++)                                                            \
            source[i] = (T)(i + 1);                                                                \
        memset(panel, 0x55, sizeof panel);                                                         \
        const T untouched = panel[0];                                                              \
        transpose(panel, source, lanes, depth, stride);                                            \
        for (int p = 0; p < depth; p++)                                                            \
            for (int i = 0; i < width; i++)                                                        \
                if (panel[p * width + i] != source[(i < lanes ? i : lanes - 1) * stride + p])      \
                    fail_msg("%d lanes, %d steps: lane %d, step %d is wrong", lanes, depth, i, p); \
        assert_true(panel[width * depth] == untouched);                                            \
    }

DEFINE_TRANSPOSED(float, f32)
DEFINE_TRANSPOSED(double, f64)

/* By each instruction set that has its own; the lanes of its vectors are its micro-kernel's. */
static void transposed_by_definition(void **state)
{
    (void)state;
    char *pages = open_pages();
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        const struct gr_isa_functions *f = gr_isa_functions(*isa);
        if (!f->transpose_f32 || !gr_isa_runs(*isa))
            continue;
        const char *level = gr_isa_level(*isa)->name;
        const int f32_lanes = (int)gr_ukr_pick(GR_F32, level)->lanes;
        const int f64_lanes = (int)gr_ukr_pick(GR_F64, level)->lanes;
        for (int lanes = 1; lanes <= 64; lanes++)
            for (int depth = 1; depth <= 21; depth++) {
                transpose_f32(f->transpose_f32, f32_lanes, pages, lanes, depth);
                transpose_f64(f->transpose_f64, f64_lanes, pages, lanes, depth);
            }
    }
}

/* Which columns are dot products: their sums run along k in vectors, and have other bits. */
enum dots { NO_DOTS, LAST_DOTS, ALL_DOTS };

/* C = A B with B as it is, or given as its transpose. */
static enum dots multiply(enum gradus_type type, const void *a, const void *b, void *c, int m,
                          int n, int k, bool transposed)
{
    struct gr_dispatch dispatch;
    struct gradus_gemm g;
    gradus_gemm_init(&g, type);
    g.m = m, g.n = n, g.k = k;
    g.a = a, g.b = b, g.c = c;
    g.lda = k, g.ldb = transposed ? k : n, g.ldc = n;
    g.trans_b = transposed;
    g.alpha = 0.7;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_int_equal(gr_cpu_dispatch(&g, NULL, &dispatch, NULL), GRADUS_OK);
    if (!strcmp(dispatch.path, "dots"))
        return ALL_DOTS;
    return dispatch.tail_path && !strcmp(dispatch.tail_path, "dots") ? LAST_DOTS : NO_DOTS;
}

/* Whichever way B lies: numbers whose sums are rounded, so that another order of adding shows. Up
 * to 80, B goes through panels of one part, of several, and through the five loops. */
#define DEFINE_SAME_BITS(T, name, type)                                                            \
    static void same_bits_##name(void **state)                                                     \
    {                                                                                              \
        (void)state;                                                                               \
        static T a[PANEL], b[PANEL], c[2][PANEL];                                                  \
        struct gr_rng rng = {11};                                                                  \
        char *pages = open_pages();                                                                \
        int compared = 0;                                                                          \
        for (int trial = 0; trial < 600; trial++) {                                                \
            const int m = 9 + (int)(gr_rng_next(&rng) % 72),                                       \
                      n = 9 + (int)(gr_rng_next(&rng) % 72);                                       \
            const int k = 1 + (int)(gr_rng_next(&rng) % MOST);                                     \
            T *bt = (T *)(void *)at_the_end(pages, (size_t)(n * k) * sizeof(T));                   \
            for (int i = 0; i < m * k; i++)                                                        \
                a[i] = (T)((double)(int64_t)gr_rng_next(&rng) * 0x1p-63);                          \
            for (int i = 0; i < n * k; i++)                                                        \
                bt[i % n * k + i / n] = b[i] = (T)((double)(int64_t)gr_rng_next(&rng) * 0x1p-63);  \
            const enum dots dots = multiply(type, a, b, c[0], m, n, k, false);                     \
            if (multiply(type, a, bt, c[1], m, n, k, true) != dots)                                \
                continue;                                                                          \
            compared++;                                                                            \
            if (memcmp(c[0], c[1], (size_t)(m * n) * sizeof(T)))                                   \
                fail_msg("%dx%dx%d: other bits with B transposed", m, n, k);                       \
        }                                                                                          \
        assert_true(compared >= 200);                                                              \
    }

DEFINE_SAME_BITS(float, f32, GRADUS_F32)
DEFINE_SAME_BITS(double, f64, GRADUS_F64)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transposed_by_definition),
        cmocka_unit_test(same_bits_f32),
        cmocka_unit_test(same_bits_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
