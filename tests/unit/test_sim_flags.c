/* test_sim_flags.c: the words for the host's compiler without which a kernel's builds are not what
 * a GPU runs, whatever today's compiler does without them. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/host_flags.h"

#include <string.h>

static bool has(const char *const *flags, const char *wanted)
{
    for (; *flags; flags++)
        if (strcmp(*flags, wanted) == 0)
            return true;
    return false;
}

/* A GPU computes an index of 32 bits in 32 bits. A compiler that is not told so may compute it
 * in 64. */
static void indices_wrap(void **state)
{
    (void)state;
    for (int clang = 0; clang <= 1; clang++) {
        assert_true(has(gr_sim_flags(clang, GR_SIM_FAST), "-fwrapv"));
        assert_true(has(gr_sim_flags(clang, GR_SIM_TRACED), "-fwrapv"));
        assert_true(has(gr_sim_flags(clang, GR_SIM_CHECKED), "-fsanitize=signed-integer-overflow"));
    }
}

/* A GPU stops where an address is not aligned, and reads any object by any type's pointer. */
static void pointers_are_as_on_a_gpu(void **state)
{
    (void)state;
    for (int clang = 0; clang <= 1; clang++)
        for (int kind = GR_SIM_FAST; kind <= GR_SIM_TRACED; kind++) {
            assert_true(has(gr_sim_flags(clang, (enum gr_sim_kind)kind), "-fsanitize=alignment"));
            assert_true(has(gr_sim_flags(clang, (enum gr_sim_kind)kind), "-fno-strict-aliasing"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(indices_wrap),
                                       cmocka_unit_test(pointers_are_as_on_a_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
