/* test_ukr.c: how micro-kernels are picked, and the flags that they leave. SPDX-License-Identifier:
 * MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu/cpu.h"
#include "cpu/ukr_table.h"
#include "ukr.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Inf in B beside a ragged edge: no lane that is computed in vain may turn it into an invalid
 * operation. */
static void no_stray_flags(void **state)
{
    (void)state;
    const struct ukr *ukr;
    for (int i = 0; (ukr = gr_ukr_at(i)); i++) {
        if (!gr_cpu_isa_runs(ukr->isa) || strcmp(ukr->type, "f32"))
            continue;
        const float one = 1, zero = 0;
        float a[3] = {INFINITY, INFINITY, INFINITY}, b[3] = {1, 2, INFINITY}, c[9];
        feclearexcept(FE_ALL_EXCEPT);
        ukr->run_strided(&(struct ukr_strided){3, 3, 1, &one, a, 1, 3, b, 3, &zero, c, 3, 0});
        assert_int_equal(fetestexcept(FE_INVALID), 0);
        for (int j = 0; j < 9; j++)
            assert_true(isinf(c[j]));
    }
}

static void picked_by_level(void **state)
{
    (void)state;
    const char *isa;
    for (int i = 0; (isa = gr_cpu_isa_at(i)); i++) {
        assert_non_null(gr_ukr_pick(GR_F32, isa));
        assert_string_equal(gr_ukr_pick(GR_F64, isa)->isa, isa);
    }
    assert_null(gr_ukr_pick(GR_F32, "no-such-level"));
    assert_null(gr_ukr_pick(GR_S8, NULL));
}

/* The narrower micro-kernel is taken where its vectors have less to multiply, and has what small
 * products need. */
static void narrower_for_part_of_a_vector(void **state)
{
    (void)state;
    for (int type = GR_F32; type <= GR_F64; type++) {
        const struct ukr *wide = gr_ukr_in_use((enum gr_dtype)type);
        for (int64_t n = 1; n <= 200; n++) {
            const struct ukr *u = gr_ukr_for(wide, (enum gr_dtype)type, n);
            if (u == wide)
                continue;
            assert_int_equal(2 * u->lanes, wide->lanes);
            assert_in_range((n - 1) % wide->lanes, 0, u->lanes - 1);
            assert_in_range(n, 1, u->nr);
            assert_non_null(u->run_strided);
            assert_non_null(u->run_transposed);
            assert_non_null(u->run_few_sums);
        }
        bool narrow = true;
        for (int64_t k = 1; k <= 200; k++) {
            const struct ukr *u = gr_ukr_for_dots(wide, (enum gr_dtype)type, 2, 2, k);
            assert_non_null(u->run_dots);
            assert_non_null(u->run_few_dots);
            assert_true(narrow || u == wide);
            narrow = u != wide;
        }
        assert_ptr_equal(gr_ukr_for_dots(wide, (enum gr_dtype)type, 2, 2, 1000), wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_stray_flags),
        cmocka_unit_test(picked_by_level),
        cmocka_unit_test(narrower_for_part_of_a_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
