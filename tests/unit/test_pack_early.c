/* test_pack_early.c: which kernels of a source wait for those before them in their first statement.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pack/pack_kernels.h"

static const char source[] =
    "__global__ void later(int n, T *C);\n"
    "__device__ void later_part(int n)\n{\n"
    "    wait_for_earlier_grids();\n}\n"
    "__global__ void __launch_bounds__(NT, sizeof(T) == 8 ? 2 : 3)\n"
    "    waits(int n, T (*C)[4])\n{\n"
    "    wait_for_earlier_grids();\n    later(n);\n}\n"
    "__global__ void later(int n, T *C)\n{\n"
    "    C[0] = 0;\n    wait_for_earlier_grids();\n}\n"
    "__global__ void in_a_line(T *C) { wait_for_earlier_grids(); *C = 1; }\n"
    "__global__ void cut(int n";

static void test_first_statement(void **state)
{
    (void)state;
    assert_true(gr_pack_begins_early(source, "waits"));
    assert_true(gr_pack_begins_early(source, "in_a_line"));
    assert_false(gr_pack_begins_early(source, "later"));
    assert_false(gr_pack_begins_early(source, "aits"));
    assert_false(gr_pack_begins_early(source, "cut"));
    assert_false(gr_pack_begins_early(source, "nowhere"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_statement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
