/* test_arch.c: which architectures an `arch` line and a claim are about.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/arch.h"

static void claims_name_architectures(void **state)
{
    (void)state;
    assert_true(gr_arch_is_of("sm_90", "sm_90"));
    assert_true(gr_arch_is_of("sm_90", "sm_90a"));
    assert_false(gr_arch_is_of("sm_90a", "sm_90"));
    assert_false(gr_arch_is_of("sm_9", "sm_90"));
    assert_false(gr_arch_is_of("sm_10", "sm_100"));
    assert_true(gr_arch_is_of("gfx90a", "gfx90a"));
    assert_false(gr_arch_is_of("gfx90a", "gfx908"));
    assert_false(gr_arch_is_of("gfx90", "gfx90a")); /* no version ends there */
}

static void claims_name_major_versions(void **state)
{
    (void)state;
    assert_true(gr_arch_is_of("gfx9", "gfx90a"));
    assert_true(gr_arch_is_of("gfx9", "gfx942"));
    assert_true(gr_arch_is_of("gfx11", "gfx1100"));
    assert_true(gr_arch_is_of("gfx11", "gfx1151"));
    assert_false(gr_arch_is_of("gfx11", "gfx1201"));
    assert_false(gr_arch_is_of("gfx1", "gfx1100"));
    assert_false(gr_arch_is_of("gfx110", "gfx1100"));
}

static void lines_admit_architectures(void **state)
{
    (void)state;
    assert_true(gr_arch_fits(">= sm_80", "sm_90a", 90));
    assert_true(gr_arch_fits(">= sm_80", "sm_80", 80));
    assert_false(gr_arch_fits(">= sm_80", "sm_75", 75));
    assert_false(gr_arch_fits(">= sm_80", "gfx90a", 0));
    assert_true(gr_arch_fits("sm_90a", "sm_90a", 90));
    assert_false(gr_arch_fits("sm_90a", "sm_100a", 100));
    assert_true(gr_arch_fits("gfx90a, gfx942", "gfx90a", 0));
    assert_true(gr_arch_fits("gfx90a, gfx942", "gfx942", 0));
    assert_false(gr_arch_fits("gfx90a, gfx942", "gfx908", 0));
    assert_false(gr_arch_fits("gfx90a, gfx942", "sm_90a", 90));
    assert_true(gr_arch_fits("gfx11, gfx12", "gfx1201", 0));
    assert_true(gr_arch_fits("sm_90a, gfx90a", "gfx90a", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_name_architectures),
        cmocka_unit_test(claims_name_major_versions),
        cmocka_unit_test(lines_admit_architectures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
