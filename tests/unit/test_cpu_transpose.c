/* test_cpu_transpose.c: transposing small operands, by the functions of each instruction set that
 * runs here, with rows that are adjacent in memory and rows that are apart.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cpu/isa.h"

enum { MOST_LANES = 41, MOST_DEPTH = 11, MOST_VECTOR = 16, APART = 3 };

static int64_t whole_vectors(int64_t lanes, int64_t vector)
{
    return (lanes + vector - 1) / vector * vector;
}

/* The source ends with its last element, so that a sanitizer sees what is read beyond. */
#define DEFINE_CHECK(T, name)                                                                      \
    static void check_##name(gr_transpose_##name##_fn *transpose, int64_t lanes, int64_t depth,    \
                             int64_t stride, int64_t vector)                                       \
    {                                                                                              \
        const int64_t width = whole_vectors(lanes, vector);                                        \
        const size_t elements = (size_t)((lanes - 1) * stride + depth);                            \
        T *source = malloc(elements * sizeof *source);                                             \
        T panel[(MOST_LANES + MOST_VECTOR) * MOST_DEPTH + 1];                                      \
        assert_non_null(source);                                                                   \
        for (size_t i = 0; i < elements; i++)                                                      \
            source[i] = (T)i;                                                                      \
        panel[width * depth] = -1;                                                                 \
        transpose(panel, source, lanes, depth, stride);                                            \
        for (int64_t p = 0; p < depth; p++)                                                        \
            for (int64_t i = 0; i < width; i++)                                                    \
                if (panel[p * width + i] != source[(i < lanes ? i : lanes - 1) * stride + p])      \
                    fail_msg("%d lanes, %d steps, stride %d: step %d of lane %d is wrong",         \
                             (int)lanes, (int)depth, (int)stride, (int)p, (int)i);                 \
        if (panel[width * depth] != -1)                                                            \
            fail_msg("%d lanes, %d steps, stride %d: writes beyond the panel", (int)lanes,         \
                     (int)depth, (int)stride);                                                     \
        free(source);                                                                              \
    }
DEFINE_CHECK(float, f32)
DEFINE_CHECK(double, f64)

static void check(const struct gr_isa_functions *f, int64_t bytes, int64_t lanes, int64_t depth)
{
    for (int64_t stride = depth; stride <= depth + APART; stride += APART) {
        check_f32(f->transpose_f32, lanes, depth, stride, bytes / (int64_t)sizeof(float));
        check_f64(f->transpose_f64, lanes, depth, stride, bytes / (int64_t)sizeof(double));
    }
}

static void all_sizes(void **state)
{
    (void)state;
    int checked = 0;
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        const struct gr_isa_functions *f = gr_isa_functions(*isa);
        if (!gr_isa_runs(*isa) || !f->transpose_f32 || (*isa)->extends)
            continue;
        const int64_t bytes = strcmp((*isa)->name, "avx2") == 0 ? 32 : 64;
        for (int64_t lanes = 1; lanes <= MOST_LANES; lanes++)
            for (int64_t depth = 1; depth <= MOST_DEPTH; depth++)
                check(f, bytes, lanes, depth);
        checked++;
    }
    if (checked == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
