/* test_dist_plan.c: plans of products over many ranks: each multiplication and each element belongs
 * to one rank, the memory is kept, the words are near the lower bound, and no grid is better.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/clock.h"
#include "dist/dist_plan.h"
#include "sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many trials, and how many under a sanitizer. */
#ifdef UNDER_SANITIZER
#define FEWER(normal, sanitized) (sanitized)
#else
#define FEWER(normal, sanitized) (normal)
#endif

static struct gr_dist_machine machine_of(int64_t ranks, int64_t memory_bytes)
{
    return (struct gr_dist_machine){.ranks = ranks,
                                    .memory_bytes = memory_bytes,
                                    .flop_per_s = 5e13,
                                    .memory_bytes_per_s = 3e12,
                                    .link_bytes_per_s = 25e9,
                                    .latency_s = 2e-6};
}

static int64_t area(struct gr_dist_rect r)
{
    return (r.row_end - r.row) * (r.col_end - r.col);
}

static int64_t size_of(const struct gr_dist_problem *p, int d)
{
    return d == GR_DIST_M ? p->m : d == GR_DIST_N ? p->n : p->k;
}

/* The parts of n indices follow each other from 0 to n. */
static void check_parts(int64_t n, int64_t parts)
{
    int64_t end = 0, most = (n + parts - 1) / parts;
    for (int64_t i = 0; i < parts; i++) {
        assert_int_equal(gr_dist_begin(n, parts, i), end);
        end = gr_dist_begin(n, parts, i + 1);
        assert_in_range(end - gr_dist_begin(n, parts, i), n / parts, most);
    }
    assert_int_equal(end, n);
}

static bool inside(struct gr_dist_rect x, struct gr_dist_rect y)
{
    return area(x) == 0 ||
           (x.row >= y.row && x.row_end <= y.row_end && x.col >= y.col && x.col_end <= y.col_end);
}

/* By interval arithmetic: the ranks are one to one the cells of the grid, a cell's box is the
 * product of one interval of each dimension, those intervals follow each other, and so do the steps
 * and the shares of a block. */
static void check_plan(const struct gr_dist_plan *plan, int64_t ranks)
{
    for (int d = 0; d < 3; d++)
        check_parts(size_of(&plan->problem, d), plan->grid[d]);
    assert_int_equal(plan->grid[0] * plan->grid[1] * plan->grid[2], plan->ranks);
    assert_true(plan->ranks <= ranks);
    int64_t shares[3] = {0};
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        int64_t at[3];
        gr_dist_coordinates(plan, rank, at);
        const struct gr_dist_box box = gr_dist_box_of(plan, rank);
        for (int d = 0; d < 3; d++) {
            const int64_t n = size_of(&plan->problem, d);
            assert_in_range(at[d], 0, plan->grid[d] - 1);
            assert_int_equal(box.begin[d], gr_dist_begin(n, plan->grid[d], at[d]));
            assert_int_equal(box.end[d], gr_dist_begin(n, plan->grid[d], at[d] + 1));
        }
        assert_int_equal(gr_dist_rank(plan, at), rank);
        for (int x = 0; x < 3; x++) {
            const struct gr_dist_rect own = gr_dist_owned(plan, rank, (enum gr_dist_operand)x);
            assert_true(inside(own, gr_dist_side_of(&box, (enum gr_dist_operand)x)));
            shares[x] += area(own);
        }
    }
    assert_int_equal(shares[GR_DIST_A], plan->problem.m * plan->problem.k);
    assert_int_equal(shares[GR_DIST_B], plan->problem.k * plan->problem.n);
    assert_int_equal(shares[GR_DIST_C], plan->problem.m * plan->problem.n);
    const struct gr_dist_box idle = gr_dist_box_of(plan, plan->ranks);
    assert_int_equal(idle.end[0] | idle.end[1] | idle.end[2], 0);
}

/* By counting them, where there are few: every (i, j, l), and every element of A, B and C. */
static void check_counts(const struct gr_dist_plan *plan)
{
    const struct gr_dist_problem *p = &plan->problem;
    const int64_t rows[3] = {p->m, p->k, p->m}, cols[3] = {p->k, p->n, p->n};
    unsigned char *const done = calloc((size_t)(p->m * p->n * p->k + 1), 1);
    unsigned char *owned[3];
    for (int x = 0; x < 3; x++)
        owned[x] = calloc((size_t)(rows[x] * cols[x] + 1), 1);
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        const struct gr_dist_box box = gr_dist_box_of(plan, rank);
        for (int64_t s = 0; s < plan->steps; s++) {
            const struct gr_dist_box b = gr_dist_step_of(plan, &box, s);
            for (int64_t i = b.begin[0]; i < b.end[0]; i++)
                for (int64_t j = b.begin[1]; j < b.end[1]; j++)
                    for (int64_t l = b.begin[2]; l < b.end[2]; l++)
                        done[(i * p->n + j) * p->k + l]++;
        }
        for (int x = 0; x < 3; x++) {
            const struct gr_dist_rect r = gr_dist_owned(plan, rank, (enum gr_dist_operand)x);
            for (int64_t i = r.row; i < r.row_end; i++)
                for (int64_t j = r.col; j < r.col_end; j++)
                    owned[x][i * cols[x] + j]++;
        }
    }
    for (int64_t i = 0; i < p->m * p->n * p->k; i++)
        assert_int_equal(done[i], 1);
    for (int x = 0; x < 3; x++) {
        for (int64_t i = 0; i < rows[x] * cols[x]; i++)
            assert_int_equal(owned[x][i], 1);
        free(owned[x]);
    }
    free(done);
}

/* Words and memory of a rank, from its boxes alone. */
static void check_rank(const struct gr_dist_plan *plan, int64_t rank)
{
    const struct gr_dist_box box = gr_dist_box_of(plan, rank);
    int64_t words = 0, owned = 0, most = 0;
    for (int x = 0; x < 3; x++) {
        const int64_t own = area(gr_dist_owned(plan, rank, (enum gr_dist_operand)x));
        words += area(gr_dist_side_of(&box, (enum gr_dist_operand)x)) - own;
        owned += own;
    }
    assert_true(words <= plan->words);
    for (int64_t s = 0; s < plan->steps; s++) {
        const struct gr_dist_box step = gr_dist_step_of(plan, &box, s);
        int64_t now = owned;
        for (int x = 0; x < 3; x++) {
            const enum gr_dist_dim missing = (int[]){GR_DIST_N, GR_DIST_M, GR_DIST_K}[x];
            const int buffers = plan->overlap && plan->step_dim != missing ? 2 : 1;
            if (plan->grid[missing] > 1)
                now += buffers * area(gr_dist_side_of(&step, (enum gr_dist_operand)x));
        }
        most = now > most ? now : most;
    }
    assert_true(most * plan->problem.element_bytes <= plan->memory_bytes);
}

static int64_t draw_size(struct gr_rng *rng, int64_t most)
{
    const double unit = gr_rng_unit(rng);
    return gr_rng_next(rng) % 12 == 0 ? 0 : (int64_t)exp(unit * log((double)most + 1));
}

static void test_small(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 1};
    int planned = 0, refused = 0, stepped = 0, split = 0;
    for (int i = 0; i < FEWER(4000, 400); i++) {
        const struct gr_dist_problem p = {draw_size(&rng, 40), draw_size(&rng, 40),
                                          draw_size(&rng, 40), 8};
        struct gr_dist_machine machine = machine_of(1 + (int64_t)(gr_rng_next(&rng) % 64), 0);
        const int64_t total = 8 * (p.m * p.k + p.k * p.n + p.m * p.n);
        if (i % 2) /* from too little to plenty */
            machine.memory_bytes = 1 + total / machine.ranks + draw_size(&rng, total + 1);
        machine.latency_s = i % 3 ? 0 : 1e-9;
        machine.overlap = i % 5 == 0;
        struct gr_dist_plan plan;
        struct gradus_error error = {0};
        if (gr_dist_plan(&p, &machine, &plan, &error) != GRADUS_OK) {
            assert_int_equal(error.status, GRADUS_UNSUPPORTED);
            assert_true(machine.memory_bytes > 0);
            refused++;
            continue;
        }
        check_plan(&plan, machine.ranks);
        check_counts(&plan);
        for (int64_t rank = 0; rank < plan.ranks; rank++)
            check_rank(&plan, rank);
        if (machine.memory_bytes)
            assert_true(plan.memory_bytes <= machine.memory_bytes);
        planned++;
        stepped += plan.steps > 1;
        split += plan.grid[GR_DIST_K] > 1;
    }
    printf("%d plans, %d with steps, %d with k split, %d refused\n", planned, stepped, split,
           refused);
    const int some = FEWER(40, 4);
    assert_true(planned > refused && stepped > some && split > some && refused > some);
}

/* Every grid there is, one by one: none is better than the one that the search chose. */
static void test_complete(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 2};
    for (int i = 0; i < FEWER(300, 30); i++) {
        const struct gr_dist_problem p = {draw_size(&rng, 3000), draw_size(&rng, 3000),
                                          draw_size(&rng, 3000), 4};
        struct gr_dist_machine machine = machine_of(1 + (int64_t)(gr_rng_next(&rng) % 100), 0);
        machine.flop_per_s = i % 2 ? 1e11 : 5e13;
        if (i % 3 == 0)
            machine.memory_bytes = 1 + 12 * (p.m * p.k + p.k * p.n + p.m * p.n) / machine.ranks;
        machine.overlap = i % 5 == 0;
        struct gr_dist_plan best, plan;
        const bool found = gr_dist_plan(&p, &machine, &best, NULL) == GRADUS_OK;
        int64_t g[3];
        for (g[0] = 1; g[0] <= machine.ranks; g[0]++)
            for (g[1] = 1; g[0] * g[1] <= machine.ranks; g[1]++)
                for (g[2] = 1; g[0] * g[1] * g[2] <= machine.ranks; g[2]++)
                    if (gr_dist_plan_grid(&p, &machine, g, &plan, NULL) == GRADUS_OK) {
                        assert_true(found);
                        assert_true(best.time_s <= plan.time_s * (1 + 1e-9));
                    }
    }
}

static void test_large(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{100000, 100000, 100000},
                                        {1 << 20, 1 << 20, 1 << 20},
                                        {1000000000, 64, 64},
                                        {64, 64, 1000000000},
                                        {1000003, 999, 77777},
                                        {7, 100, 3},
                                        {1, 1, 1},
                                        {0, 100000, 100000},
                                        {100000, 100000, 0}};
    static const int64_t counts[] = {1000000, 999983, 65536};
    int64_t slowest = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int j = 0; j < FEWER(3, 1); j++) {
            const struct gr_dist_problem p = {shapes[i][0], shapes[i][1], shapes[i][2], 4};
            const struct gr_dist_machine machine = machine_of(counts[j], (int64_t)80 << 30);
            struct gr_dist_plan plan;
            const int64_t start = gr_now_ns();
            assert_int_equal(gr_dist_plan(&p, &machine, &plan, NULL), GRADUS_OK);
            const int64_t taken = gr_now_ns() - start;
            slowest = taken > slowest ? taken : slowest;
            check_plan(&plan, counts[j]);
            check_rank(&plan, 0);
            check_rank(&plan, plan.ranks - 1);
        }
    printf("the slowest search: %.0f ms\n", (double)slowest / 1e6);
}

/* Square shapes, a power of two of ranks: at most 1.1 of the bound, but for 2 and 4 ranks, where
 * the bound's cubes are no boxes of a grid: 1.28 and 1.13. 8, 64, 512 and 4096 are cubes:
 * exactly 1. */
static void test_bound(void **state)
{
    (void)state;
    for (int64_t ranks = 1; ranks <= 4096; ranks *= 2) {
        const struct gr_dist_problem p = {65536, 65536, 65536, 4};
        const struct gr_dist_machine machine = machine_of(ranks, 0);
        struct gr_dist_plan plan;
        assert_int_equal(gr_dist_plan(&p, &machine, &plan, NULL), GRADUS_OK);
        assert_in_range(plan.ranks, ranks * 31 / 32, ranks); /* 125 = 5x5x5 is better than 128 */
        const double bound = gr_dist_bound(&p, ranks, 0).words;
        const double ratio = ranks == 1 ? 1 : (double)plan.words / bound;
        printf("%5d ranks: %2dx%2dx%2d, %.4f of the bound\n", (int)ranks, (int)plan.grid[0],
               (int)plan.grid[1], (int)plan.grid[2], ratio);
        if (ranks == 1)
            assert_int_equal(plan.words, 0);
        assert_true(ratio > 1 - 1e-9);
        assert_true(ratio <= (ranks == 2 ? 1.283 : ranks == 4 ? 1.135 : 1.1));
        if (ranks == 8 || ranks == 64 || ranks == 512 || ranks == 4096)
            assert_true(ratio < 1 + 1e-9);
    }
}

/* The bounds by hand, at the borders of the regimes, and beside plans: no plan is below them. */
static void test_bound_holds(void **state)
{
    (void)state;
    const struct gr_dist_problem tall = {1000, 100, 10, 4};
    struct gr_dist_bound b = gr_dist_bound(&tall, 10, 0); /* nk + (mn + mk)/P - (mn + mk + nk)/P */
    assert_int_equal(b.regime, 1);
    assert_true(fabs(b.independent - 900) < 1e-9);
    b = gr_dist_bound(&tall, 1000, 0); /* 2 sqrt(mnk^2/P) + mn/P - (mn + mk + nk)/P */
    assert_int_equal(b.regime, 2);
    assert_true(fabs(b.independent - 189) < 1e-9);
    b = gr_dist_bound(&tall, 8000, 0); /* 3 (mnk/P)^(2/3) - 111000/8000 */
    assert_int_equal(b.regime, 3);
    assert_true(fabs(b.independent - (75 - 13.875)) < 1e-9);
    const struct gr_dist_problem cube = {1000, 1000, 1000, 4};
    b = gr_dist_bound(&cube, 100, 10000);
    assert_true(fabs(b.dependent - (2e9 / (100 * 100) - 20000)) < 1e-6);
    struct gr_rng rng = {.state = 3};
    for (int i = 0; i < FEWER(1000, 100); i++) {
        const struct gr_dist_problem p = {draw_size(&rng, 5000), draw_size(&rng, 5000),
                                          draw_size(&rng, 5000), 4};
        struct gr_dist_machine machine = machine_of(1 + (int64_t)(gr_rng_next(&rng) % 500), 0);
        if (i % 2)
            machine.memory_bytes = 64 + 5 * (p.m * p.k + p.k * p.n + p.m * p.n) / machine.ranks;
        struct gr_dist_plan plan;
        if (gr_dist_plan(&p, &machine, &plan, NULL) == GRADUS_OK)
            assert_true((double)plan.words >= plan.bound.words * (1 - 1e-9) - 1);
    }
}

/* The pipeline, step by step, with another number of steps than the plan's: when its last transfer
 * ends. */
static double simulate(const struct gr_dist_plan *plan, const struct gr_dist_machine *machine,
                       int64_t steps)
{
    const struct gr_dist_problem *const p = &plan->problem;
    const double words[3] = {(double)plan->words_a, (double)plan->words_b, (double)plan->words_c};
    const enum gr_dist_dim missing[3] = {GR_DIST_N, GR_DIST_M, GR_DIST_K};
    double side[3], whole[3], each[3];
    for (int d = 0; d < 3; d++)
        side[d] = ceil((double)size_of(p, d) / (double)plan->grid[d]);
    const double flop = 2 * side[0] * side[1] * side[2];
    const double face[3] = {side[2] * side[1], side[0] * side[2], side[0] * side[1]};
    const double again = (plan->step_dim == GR_DIST_K ? 2 : 3) * face[plan->step_dim];
    const double per_word = (double)p->element_bytes / machine->memory_bytes_per_s;
    const double whole_product =
        fmax(flop / machine->flop_per_s, per_word * (face[0] + face[1] + 2 * face[2]));
    const double product = (whole_product + (double)(steps - 1) * per_word * again) / (double)steps;
    for (int x = 0; x < 3; x++) {
        const bool stepped = missing[x] != plan->step_dim;
        const int64_t sharers = plan->grid[missing[x]];
        const double messages = x == 2 ? (double)(sharers - 1) : ceil(log2((double)sharers));
        const double added = x == 2 ? 3 * words[x] * per_word : 0;
        const double time = words[x] * (double)p->element_bytes / machine->link_bytes_per_s + added;
        each[x] = stepped ? time / (double)steps + messages * machine->latency_s : 0;
        whole[x] = stepped ? 0 : time + messages * machine->latency_s;
    }
    double now = whole[0] + whole[1] + each[0] + each[1] + machine->carrier_s;
    for (int64_t left = machine->ranks; left > 1; left /= 2) /* the depth of the tree */
        now += 4 * machine->latency_s;
    for (int64_t s = 0; s < steps; s++) {
        const double travel = (s + 1 < steps ? each[0] + each[1] : 0) + (s > 0 ? each[2] : 0);
        now += fmax(product + machine->carried * travel, travel);
    }
    return now + whole[2] + each[2];
}

/* The time of an overlapped plan is that of its pipeline, and hardly any other number of steps
 * takes less; overlap never makes a plan slower. */
static void test_overlap(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 4};
    int overlapped = 0, reduced = 0;
    double saved = 0, worst = 0;
    for (int i = 0; i < FEWER(300, 100); i++) {
        const struct gr_dist_problem p = {1 + draw_size(&rng, 3000), 1 + draw_size(&rng, 3000),
                                          1 + draw_size(&rng, 3000), 4};
        struct gr_dist_machine machine = machine_of(2 + (int64_t)(gr_rng_next(&rng) % 60), 0);
        struct gr_dist_plan apart, plan;
        machine.flop_per_s = i % 2 ? 1e12 : 5e13;
        machine.latency_s = i % 3 ? 2e-7 : 5e-6;
        machine.carried = i % 5 ? 0 : 0.25;
        machine.carrier_s = i % 7 ? 0 : 1e-6;
        if (i % 4 == 0)
            machine.memory_bytes = 1 + 6 * (p.m * p.k + p.k * p.n + p.m * p.n) / machine.ranks;
        const bool found = gr_dist_plan(&p, &machine, &apart, NULL) == GRADUS_OK;
        machine.overlap = true;
        if (gr_dist_plan(&p, &machine, &plan, NULL) != GRADUS_OK) {
            assert_false(found);
            continue;
        }
        assert_true(!found || plan.time_s <= apart.time_s * (1 + 1e-12));
        if (!plan.overlap)
            continue;
        assert_true(plan.steps > 1);
        const double time = simulate(&plan, &machine, plan.steps);
        assert_true(fabs(plan.time_s - time) <= 1e-9 * time);
        assert_true(plan.time_s >= fmax(plan.compute_s, plan.transfer_s));
        const int64_t side =
            (size_of(&p, plan.step_dim) + plan.grid[plan.step_dim] - 1) / plan.grid[plan.step_dim];
        for (int64_t steps = machine.memory_bytes ? plan.steps : 2; steps <= side; steps++)
            worst = fmax(worst, time / simulate(&plan, &machine, steps) - 1);
        saved = fmax(saved, found ? 1 - plan.time_s / apart.time_s : 0);
        overlapped++;
        reduced += plan.step_dim != GR_DIST_K && plan.grid[GR_DIST_K] > 1;
    }
    printf("%d overlapped, %d with reductions; %.0f %% saved at most; %.2f %% above the best\n",
           overlapped, reduced, 100 * saved, 100 * worst);
    assert_true(overlapped > FEWER(15, 3) && saved > 0.2 && worst < 0.01);
}

/* What is known of shapes: skinny ones are 1D, short memory makes SUMMA with steps. */
static void test_schedules(void **state)
{
    (void)state;
    struct gr_dist_plan plan;
    struct gr_dist_machine machine = machine_of(64, 0);
    const struct gr_dist_problem tall = {1 << 22, 256, 256, 4}, deep = {256, 256, 1 << 22, 4},
                                 cube = {65536, 65536, 65536, 4};
    assert_int_equal(gr_dist_plan(&tall, &machine, &plan, NULL), GRADUS_OK);
    assert_int_equal(plan.grid[GR_DIST_M], 64);
    assert_string_equal(gr_dist_plan_kind(&plan), "1D, all-gather");
    assert_int_equal(gr_dist_plan(&deep, &machine, &plan, NULL), GRADUS_OK);
    assert_int_equal(plan.grid[GR_DIST_K], 64);
    assert_string_equal(gr_dist_plan_kind(&plan), "1D, reduce-scatter");
    assert_int_equal(gr_dist_plan(&cube, &machine, &plan, NULL), GRADUS_OK);
    assert_string_equal(gr_dist_plan_kind(&plan), "3D");
    assert_int_equal(plan.steps, 1);
    machine.memory_bytes = (int64_t)65536 * 65536 * 12 / 64 * 5 / 4; /* the parts and a quarter */
    assert_int_equal(gr_dist_plan(&cube, &machine, &plan, NULL), GRADUS_OK);
    assert_string_equal(gr_dist_plan_kind(&plan), "2D (SUMMA)");
    assert_true(plan.steps > 1);
    assert_true(plan.memory_bytes <= machine.memory_bytes);
}

/* With whole_k, k is neither shared out nor cut into steps, also where that would be faster. */
static void test_whole_k(void **state)
{
    static const struct gr_dist_problem problems[] = {
        {64, 64, 100000, 4}, {5000, 5000, 5000, 4}, {100000, 300, 2000, 8}, {7, 9, 0, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int64_t ranks = 1; ranks <= 12; ranks += 3) {
            struct gr_dist_machine machine = machine_of(ranks, 0);
            struct gr_dist_plan plan, free_plan;
            struct gradus_error error = {0};
            machine.overlap = true;
            assert_int_equal(gr_dist_plan(&problems[i], &machine, &free_plan, &error), 0);
            machine.whole_k = true;
            assert_int_equal(gr_dist_plan(&problems[i], &machine, &plan, &error), 0);
            assert_int_equal(plan.grid[GR_DIST_K], 1);
            assert_true(plan.steps == 1 || plan.step_dim != GR_DIST_K);
            assert_true(plan.time_s >= free_plan.time_s * (1 - 1e-9));
        }
    struct gr_dist_machine machine = machine_of(8, 0);
    struct gr_dist_plan plan;
    assert_int_equal(gr_dist_plan(&problems[0], &machine, &plan, NULL), 0);
    assert_true(plan.grid[GR_DIST_K] > 1); /* so that the above shows something */
}

static void expect_refusal(struct gr_dist_problem p, struct gr_dist_machine machine,
                           enum gradus_status status, const char *text)
{
    struct gr_dist_plan plan;
    struct gradus_error error = {0};
    assert_int_equal(gr_dist_plan(&p, &machine, &plan, &error), status);
    if (!strstr(error.text, text))
        fail_msg("found '%s', wanted '%s'", error.text, text);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct gr_dist_problem p = {1000, 1000, 1000, 4};
    struct gr_dist_machine machine = machine_of(4, 0);
    expect_refusal((struct gr_dist_problem){-1, 1, 1, 4}, machine, GRADUS_INVALID, "m: found -1");
    expect_refusal((struct gr_dist_problem){1, 1, 1, 0}, machine, GRADUS_INVALID, "element size");
    expect_refusal((struct gr_dist_problem){1LL << 40, 1LL << 40, 1, 4}, machine, GRADUS_INVALID,
                   "2^60");
    machine.ranks = 0;
    expect_refusal(p, machine, GRADUS_INVALID, "ranks: found 0");
    machine = machine_of(4, 0), machine.link_bytes_per_s = 0;
    expect_refusal(p, machine, GRADUS_INVALID, "a rate");
    machine = machine_of(4, 3000000 - 4); /* a quarter of A, B and C, less an element */
    expect_refusal(p, machine, GRADUS_UNSUPPORTED, "more than 3e+06 bytes");
    machine = machine_of(4, 3000000);
    expect_refusal(p, machine, GRADUS_UNSUPPORTED, "add ranks or memory");
    struct gr_dist_plan plan;
    machine = machine_of(4, 0);
    assert_int_equal(gr_dist_plan_grid(&p, &machine, (int64_t[]){3, 2, 1}, &plan, NULL),
                     GRADUS_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),       cmocka_unit_test(test_complete),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_bound),
        cmocka_unit_test(test_bound_holds), cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_whole_k),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
