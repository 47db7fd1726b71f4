/* test_passes.c: the fewest passes over the banks, by hand. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explain/passes.h"

#include <math.h>

/* 10 requests of `wavefronts` each; lane i's offset is i / per * stride bytes. */
static void passes(int bytes, int per, int64_t stride, int wavefronts, double wanted)
{
    struct gr_trace_site s = {
        .space = GR_SPACE_SHARED, .bytes = bytes, .requests = 10, .wavefronts = 10 * wavefronts};
    for (int i = 0; i < GR_TRACE_LANES; i++)
        s.pattern[i] = i < 32 ? i / per * stride : -1;
    double found = gr_passes_least(&s, 32);
    if (!(fabs(found - 10 * wanted) < 1e-9))
        fail_msg("found %g, wanted %g", found / 10, wanted);
}

static void groups_share_what_banks_can_give(void **state)
{
    (void)state;
    passes(4, 1, 4, 1, 1);
    passes(4, 1, 8, 2, 2);
    passes(16, 1, 16, 4, 4);   /* every word is another one */
    passes(16, 32, 0, 4, 1);   /* all lanes read one address */
    passes(16, 16, 512, 4, 2); /* two rows, the same banks */
    passes(16, 16, 528, 4, 1); /* two rows, other banks */
    passes(16, 1, 32, 8, 8);   /* two words a bank in each quarter: nothing is shared */
    passes(8, 1, 8, 2, 2);
    passes(8, 16, 8, 2, 1);
}

static void global_memory_takes_none(void **state)
{
    struct gr_trace_site s = {.space = GR_SPACE_GLOBAL, .bytes = 4, .requests = 10};
    (void)state;
    assert_true(gr_passes_least(&s, 32) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_share_what_banks_can_give),
        cmocka_unit_test(global_memory_takes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
