/* test_random_sizes.c: the products of `bench --preset random`: what a seed fixes, and how the
 * dimensions and transposes are distributed. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure/random_sizes.h"

#include <math.h>

enum { COUNT = 6000 };

static struct gr_random_size drawn[COUNT], others[COUNT];

static bool same(const struct gr_random_size *x, const struct gr_random_size *y)
{
    return x->size.m == y->size.m && x->size.n == y->size.n && x->size.k == y->size.k &&
           x->trans_a == y->trans_a && x->trans_b == y->trans_b;
}

static int count_same(int count)
{
    int alike = 0;
    for (int i = 0; i < count; i++)
        alike += same(&drawn[i], &others[i]);
    return alike;
}

static void seeds(void **state)
{
    (void)state;
    gr_random_sizes_draw(7, COUNT, drawn);
    gr_random_sizes_draw(7, COUNT, others);
    assert_int_equal(count_same(COUNT), COUNT);
    gr_random_sizes_draw(8, COUNT, others);
    assert_in_range(count_same(COUNT), 0, COUNT / 100); /* a few small ones meet by chance */
}

static void larger_counts(void **state)
{
    (void)state;
    for (int count = 1; count <= 20; count++) {
        gr_random_sizes_draw(3, COUNT, drawn);
        others[count].size.m = -1;
        gr_random_sizes_draw(3, count, others);
        assert_int_equal(count_same(count), count);
        assert_int_equal(others[count].size.m, -1); /* and no more are drawn */
    }
}

/* Written down, so that a run here is comparable with one of another machine. */
static void known(void **state)
{
    (void)state;
    static const struct gr_random_size wanted[] = {
        {{8, 15, 36}, false, true},   {{19, 164, 352}, true, false}, {{2, 19, 4}, true, false},
        {{20, 34, 18}, false, false}, {{211, 865, 285}, true, true}, {{1, 1, 27}, false, false},
    };
    gr_random_sizes_draw(1, 6, drawn);
    for (int i = 0; i < 6; i++)
        assert_true(same(&drawn[i], &wanted[i]));
}

static int64_t largest_of(const struct gr_size *s)
{
    const int64_t two = s->m > s->n ? s->m : s->n;
    return two > s->k ? two : s->k;
}

/* The bound is told by the largest of many draws: 40 itself, or what comes near it. */
static int bound_of(int position)
{
    static const int bounds[] = {40, 800, 4000};
    int64_t largest = 0;
    for (int i = position; i < COUNT; i += 6)
        largest = largest_of(&drawn[i].size) > largest ? largest_of(&drawn[i].size) : largest;
    for (int b = 0; b < 3; b++)
        if (largest <= bounds[b] && largest >= bounds[b] - bounds[b] / 50)
            return bounds[b];
    fail_msg("position %d: the largest dimension is %d", position, (int)largest);
    return 0;
}

static void bounds(void **state)
{
    (void)state;
    int small = 0, middle = 0, large = 0;
    gr_random_sizes_draw(11, COUNT, drawn);
    for (int position = 0; position < 6; position++) {
        const int bound = bound_of(position);
        small += bound == 40;
        middle += bound == 800;
        large += bound == 4000;
    }
    assert_int_equal(small, 2);
    assert_int_equal(middle, 3);
    assert_int_equal(large, 1);
    for (int i = 0; i < COUNT; i++) {
        const struct gr_size *s = &drawn[i].size;
        assert_true(s->m >= 1 && s->n >= 1 && s->k >= 1);
    }
}

static void transposes(void **state)
{
    (void)state;
    int counts[4] = {0};
    gr_random_sizes_draw(5, COUNT, drawn);
    for (int i = 0; i < COUNT; i++)
        counts[2 * drawn[i].trans_a + drawn[i].trans_b]++;
    for (int t = 0; t < 4; t++)
        assert_in_range(counts[t], COUNT / 4 - COUNT / 40, COUNT / 4 + COUNT / 40);
}

/* The share of those of a position's dimensions (0: m, 1: n, 2: k) that are no more than `most`. */
static double share(int position, int dimension, int most)
{
    int within = 0;
    for (int i = position; i < COUNT; i += 6) {
        const struct gr_size *s = &drawn[i].size;
        within += (dimension == 0 ? s->m : dimension == 1 ? s->n : s->k) <= most;
    }
    return 6.0 * within / COUNT;
}

/* A dimension up to 800 is no more than x with the probability log(x + 1) / log(801). */
static void distribution(void **state)
{
    (void)state;
    static const int most[] = {1, 5, 28, 150, 799};
    gr_random_sizes_draw(2, COUNT, drawn);
    for (int position = 0; position < 6; position++) {
        const int bound = bound_of(position);
        for (int dimension = 0; dimension < 3; dimension++)
            for (size_t i = 0; i < sizeof most / sizeof *most && most[i] < bound; i++) {
                const double wanted = log(most[i] + 1.0) / log(bound + 1.0);
                assert_true(fabs(share(position, dimension, most[i]) - wanted) < 0.06);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds),  cmocka_unit_test(larger_counts), cmocka_unit_test(known),
        cmocka_unit_test(bounds), cmocka_unit_test(transposes),    cmocka_unit_test(distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
