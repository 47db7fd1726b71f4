/* test_pack.c: packed panels, element by element. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The widths of the micro-kernels, and some that have no code of their own. */
static const int64_t widths[] = {1, 4, 6, 8, 9, 12, 16, 18, 24, 48};
static const int64_t depths[] = {1, 3, 7, 8, 9, 15, 16, 17, 33, 64, 131};
/* Whole panels, ragged ones, several: in lanes beyond so many panels. */
static const struct {
    int64_t panels, more;
} lanes_of[] = {{0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, -1}, {3, 0}, {3, 2}, {5, -1}};

enum { GUARD = 64, MOST = 300 * 140 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* `pack` of type T against its definition in pack.h; nothing is written past the last panel. */
#define DEFINE_CHECK(T, name)                                                                      \
    static void check_##name(gr_pack_##name##_fn *pack, int64_t lanes, int64_t depth,              \
                             int64_t width, int64_t pad, bool side_by_side)                        \
    {                                                                                              \
        static T source[MOST], panels[MOST + GUARD];                                               \
        const int64_t lane_stride = side_by_side ? 1 : depth + pad;                                \
        const int64_t step_stride = side_by_side ? lanes + pad : 1;                                \
        const int64_t count = (lanes + width - 1) / width, filled = count * width * depth;         \
        for (int64_t i = 0; i < MOST; i++)                                                         \
            source[i] = (T)(i + 1);                                                                \
        memset(panels, 0, sizeof panels);                                                          \
        assert_true(filled <= MOST && (lanes + pad) * (depth + pad) <= MOST);                      \
        pack(panels, source, lanes, depth, width, lane_stride, step_stride);                       \
        for (int64_t at = 0; at < filled; at++) {                                                  \
            const int64_t i = at / (width * depth) * width + at % width;                           \
            const int64_t p = at / width % depth, lane = i < lanes ? i : lanes - 1;                \
            if (panels[at] != source[lane * lane_stride + p * step_stride])                        \
                fail_msg("lanes %d, depth %d, width %d, pad %d, %s: element %d", (int)lanes,       \
                         (int)depth, (int)width, (int)pad, side_by_side ? "copied" : "turned",     \
                         (int)at);                                                                 \
        }                                                                                          \
        for (int64_t at = filled; at < filled + GUARD; at++)                                       \
            assert_true(panels[at] == 0);                                                          \
    }

DEFINE_CHECK(float, f32)
DEFINE_CHECK(double, f64)

static void check_all(gr_pack_f32_fn *pack_f32, gr_pack_f64_fn *pack_f64)
{
    for (size_t w = 0; w < COUNT(widths); w++)
        for (size_t d = 0; d < COUNT(depths); d++)
            for (size_t l = 0; l < COUNT(lanes_of); l++)
                for (int choice = 0; choice < 4; choice++) {
                    const int64_t lanes = lanes_of[l].panels * widths[w] + lanes_of[l].more;
                    if (lanes < 1)
                        continue;
                    check_f32(pack_f32, lanes, depths[d], widths[w], choice / 2 * 3, choice % 2);
                    check_f64(pack_f64, lanes, depths[d], widths[w], choice / 2 * 3, choice % 2);
                }
}

static void by_each_isa(void **state)
{
    (void)state;
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        const struct gr_isa_functions *f = gr_isa_functions(*isa);
        if (!(*isa)->extends && gr_isa_runs(*isa))
            check_all(f->pack_f32, f->pack_f64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_each_isa),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
