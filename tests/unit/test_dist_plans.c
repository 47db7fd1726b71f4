/* test_dist_plans.c: plans that are kept are those that a search finds, for whatever differs
 * between two questions; and asking again takes no search. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock.h"
#include "dist/dist_plans.h"

static const struct gr_dist_problem cube = {4096, 4096, 4096, 4};
static const struct gr_dist_machine node = {.ranks = 64,
                                            .flop_per_s = 1e12,
                                            .memory_bytes_per_s = 2e11,
                                            .link_bytes_per_s = 1e10,
                                            .latency_s = 1e-5,
                                            .overlap = true};

static void expect_same(struct gr_dist_problem p, struct gr_dist_machine machine)
{
    struct gr_dist_plan kept, found;
    assert_int_equal(gr_dist_plan(&p, &machine, &found, NULL), GRADUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gr_dist_plan_again(&p, &machine, &kept, NULL), GRADUS_OK);
        for (int d = 0; d < 3; d++) {
            assert_int_equal(kept.grid[d], found.grid[d]);
            assert_int_equal(kept.split[d], found.split[d]);
        }
        assert_int_equal(kept.problem.m, p.m);
        assert_int_equal(kept.problem.n, p.n);
        assert_int_equal(kept.problem.k, p.k);
        assert_int_equal(kept.problem.element_bytes, p.element_bytes);
        assert_int_equal(kept.steps, found.steps);
        assert_int_equal(kept.overlap, found.overlap);
        assert_int_equal(kept.memory_bytes, found.memory_bytes);
        assert_true(kept.time_s == found.time_s);
    }
}

/* One figure after the other differs from those of a question that is asked between them. */
static void test_same(void **state)
{
    (void)state;
    for (int what = 0; what < 14; what++) {
        struct gr_dist_problem p = cube;
        struct gr_dist_machine m = node;
        expect_same(p, m);
        p.m += what == 0 ? 1 : 0, p.n += what == 1 ? 1 : 0, p.k += what == 2 ? 1 : 0;
        p.element_bytes = what == 3 ? 8 : 4;
        m.ranks = what == 4 ? 63 : m.ranks;
        m.memory_bytes = what == 5 ? 5000000 : 0;
        m.flop_per_s *= what == 6 ? 2 : 1;
        m.memory_bytes_per_s *= what == 7 ? 0.001 : 1;
        m.link_bytes_per_s *= what == 8 ? 2 : 1;
        m.latency_s *= what == 9 ? 2 : 1;
        m.overlap = what != 10;
        m.whole_k = what == 11;
        m.carrier_s = what == 12 ? 1 : 0;
        m.carried = what == 13 ? 1 : 0;
        expect_same(p, m);
    }
    for (int i = 0; i < 3 * GR_DIST_PLANS; i++) /* more than are kept */
        expect_same((struct gr_dist_problem){100 + i % (GR_DIST_PLANS + 1), 100, 100, 8}, node);
}

/* A refusal is not kept. */
static void test_refused(void **state)
{
    (void)state;
    struct gr_dist_machine small = node;
    struct gr_dist_plan plan;
    small.memory_bytes = 1000;
    for (int i = 0; i < 2; i++)
        assert_int_equal(gr_dist_plan_again(&cube, &small, &plan, NULL), GRADUS_UNSUPPORTED);
}

static void test_time(void **state)
{
    (void)state;
    struct gr_dist_machine many = node;
    struct gr_dist_plan plan;
    many.ranks = 65536;
    const int64_t begin = gr_now_ns();
    assert_int_equal(gr_dist_plan_again(&cube, &many, &plan, NULL), GRADUS_OK);
    const int64_t searched = gr_now_ns();
    for (int i = 0; i < 100; i++)
        assert_int_equal(gr_dist_plan_again(&cube, &many, &plan, NULL), GRADUS_OK);
    assert_true(gr_now_ns() - searched < searched - begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
