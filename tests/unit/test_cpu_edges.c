/* test_cpu_edges.c: numbers at their edges: the rounding of bfloat16, distances that wrap.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/bf16.h"

#include <gradus/gradus.h>
#include <string.h>

static void bf16_rounds_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        uint32_t from;
        uint16_t to;
    } cases[] = {
        {0x3f800000, 0x3f80}, {0x3f807fff, 0x3f80}, {0x3f808000, 0x3f80}, /* a tie, to even */
        {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82}, {0xbf808000, 0xbf80}, {0xbf818000, 0xbf82},
        {0x3fffffff, 0x4000}, {0x7f7fffff, 0x7f80}, {0xff7f7fff, 0xff7f}, {0x7f800000, 0x7f80},
        {0x00008000, 0x0000}, {0x00008001, 0x0001}, {0x00018000, 0x0002}, {0x80008000, 0x8000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float x;
        uint16_t y;
        memcpy(&x, &cases[i].from, sizeof x);
        gradus_bf16_from_f32(&x, &y, 1);
        if (y != cases[i].to)
            fail_msg("%#x becomes %#x, wanted %#x", cases[i].from, y, cases[i].to);
    }
    static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0xff80ffff, 0x7fffffff};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++) {
        float x;
        uint16_t y;
        memcpy(&x, &nans[i], sizeof x);
        gradus_bf16_from_f32(&x, &y, 1);
        assert_true((y & 0x7f80) == 0x7f80 && (y & 0x40));
        assert_int_equal(y & 0x8000, nans[i] >> 16 & 0x8000);
    }
}

/* A product of rows and their distance that wraps is not a small one. */
static void distances_do_not_wrap(void **state)
{
    (void)state;
    static const int64_t cases[][2] = {{(1LL << 32) + 1, 1LL << 32},
                                       {(1LL << 33) + 1, 1LL << 31},
                                       {(1LL << 31) + 1, 1LL << 32},
                                       {(1LL << 62) + 1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gradus_gemm g;
        struct gradus_error error = {0};
        gradus_gemm_init(&g, GRADUS_F32);
        g.m = cases[i][0], g.n = 1, g.k = 1;
        g.lda = cases[i][1], g.ldb = 1, g.ldc = 1;
        assert_true(gradus_gemm_workspace(&g, &error) == -1);
        assert_non_null(strstr(error.text, "lda"));
        assert_non_null(strstr(error.text, "do not fit into memory"));
        gradus_error_clear(&error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bf16_rounds_to_nearest_even),
        cmocka_unit_test(distances_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
