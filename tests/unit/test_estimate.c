/* test_estimate.c: how long a run will still take, with made-up rows whose times are known.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/str.h"
#include "measure/estimate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine: what its kernels do, and how much of a row is not products. */
struct world {
    const char *const *kernels;
    const double *gflops; /* of each kernel */
    int kernel_count;
    const char *const *peers;
    int peer_count;
    double peer_gflops;
    const int64_t *sizes;
    int size_count;
    double besides_s;   /* of each row */
    double reference_s; /* of 1024^3 and above, once a size */
    double noise;       /* a row takes up to so much more or less */
    int64_t disturbed;  /* up to this size the peers' products take a hundred times as long */
};

static const struct gr_estimate_terms usual = {.time_limit_ns = 12000000000,
                                               .budget_ns = 600000000};

static struct gr_row *add(struct gr_run *plan, const char *kernel, int64_t size, bool is_peer)
{
    struct gr_row *row = gr_run_add(plan);
    assert_non_null(row);
    row->kernel = gr_strdup(kernel);
    row->problem = gr_problem_dense(size, size, size, false, false, gr_types_of(GR_F32));
    row->threads = 1;
    row->is_peer = is_peer;
    row->time_ns.n = 1;
    return row;
}

static void make_plan(const struct world *w, struct gr_run *plan)
{
    *plan = (struct gr_run){0};
    for (int s = 0; s < w->size_count; s++) {
        for (int k = 0; k < w->kernel_count; k++)
            add(plan, w->kernels[k], w->sizes[s], false);
        for (int p = 0; p < w->peer_count; p++)
            add(plan, w->peers[p], w->sizes[s], true);
    }
}

/* Of the size at which it is timed: one that would take too long is halved. */
static double timed_flops(const struct gr_row *row, double gflops)
{
    double flops = gr_problem_flops(&row->problem);
    while (flops / 8 / gflops * 1e-9 > 0.12)
        flops /= 8;
    return flops;
}

static double peer_gflops(const struct world *w, const struct gr_row *row)
{
    return row->problem.m <= w->disturbed ? w->peer_gflops / 100 : w->peer_gflops;
}

/* The pipeline: three products to verify, others to fit, then samples beside the peer: as many as
 * the budget has room for, or three of each, or one where a round is long. */
static double row_s(const struct world *w, const struct gr_row *row, double gflops)
{
    double flops = timed_flops(row, gflops);
    double product_s = flops / gflops * 1e-9,
           peer_s = w->peer_count ? flops / peer_gflops(w, row) * 1e-9 : 0;
    double round_s = product_s + peer_s, samples_s = 3 * (round_s < 0.3 ? 3 : 1) * round_s;
    return w->besides_s + 4 * product_s + (samples_s > 0.6 ? samples_s : 0.6) + 0.06 + round_s;
}

static double gflops_of(const struct world *w, const struct gr_row *row)
{
    for (int k = 0; k < w->kernel_count && !row->is_peer; k++)
        if (strcmp(w->kernels[k], row->kernel) == 0)
            return w->gflops[k];
    return peer_gflops(w, row);
}

struct reported {
    double worst;    /* estimate over truth or the inverse, the farthest from 1 */
    double first_at; /* how far the run had come when there was a first estimate; 1: never */
    int silent;      /* rows after that with none */
};

/* Goes through the run on a made-up clock, asking at the beginning and in the middle of each row.
 */
static struct reported follow(const struct world *w, uint64_t seed)
{
    struct gr_run plan;
    make_plan(w, &plan);
    struct gr_rng rng = {seed};
    double *takes = calloc((size_t)plan.row_count, sizeof *takes), total = 0, now = 0;
    int *order = calloc((size_t)plan.row_count, sizeof *order),
        a_size = w->kernel_count + w->peer_count;
    struct reported reported = {1, 1, 0};
    for (int i = 0; i < plan.row_count; i++) {
        /* Peers first. */
        int place = i % a_size;
        order[i] =
            i - place + (place < w->peer_count ? w->kernel_count + place : place - w->peer_count);
    }
    for (int i = 0; i < plan.row_count; i++) {
        const struct gr_row *row = &plan.rows[order[i]];
        double edge = row->problem.m < 1024 ? (double)row->problem.m / 1024 : 1;
        double gap_s = i % a_size ? 0 : w->reference_s * edge * edge * edge;
        takes[i] = row_s(w, row, gflops_of(w, row)) * (1 + w->noise * (2 * gr_rng_unit(&rng) - 1));
        total += takes[i] + gap_s;
    }
    struct gr_estimate e;
    assert_true(gr_estimate_begin(&e, &plan, &usual, 0));
    for (int i = 0; i < plan.row_count; i++) {
        struct gr_row *row = &plan.rows[order[i]];
        double edge = row->problem.m < 1024 ? (double)row->problem.m / 1024 : 1;
        now += i % a_size ? 0 : w->reference_s * edge * edge * edge;
        gr_estimate_row_begins(&e, order[i], (int64_t)(now * 1e9));
        for (int half = 0; half < 2; half++) {
            double at = now + half * takes[i] / 2, left = total - at;
            int64_t said = gr_estimate_left(&e, (int64_t)(at * 1e9));
            if (said < 0) {
                reported.silent += reported.first_at < 1;
                continue;
            }
            reported.first_at = reported.first_at < 1 ? reported.first_at : at / total;
            double off = (double)said * 1e-9 / left;
            off = off < 1 ? 1 / off : off;
            if (left > 2 && off > reported.worst)
                reported.worst = off;
        }
        now += takes[i];
        struct gr_row done = *row;
        done.verdict = GR_RIGHT;
        done.time_ns = (struct gr_stat){.n = 9};
        double flops = timed_flops(row, gflops_of(w, row));
        done.time_ns.median = flops / gflops_of(w, row);
        done.problem.m = (int64_t)(flops / (double)(2 * done.problem.n * done.problem.k));
        if (w->peer_count) {
            snprintf(done.peer.name, sizeof done.peer.name, "%s", w->peers[0]);
            done.peer.gflops = peer_gflops(w, row);
        }
        gr_estimate_row_ends(&e, order[i], &done, false, (int64_t)(now * 1e9));
    }
    assert_true(gr_estimate_left(&e, (int64_t)(now * 1e9)) <= 0);
    gr_estimate_free(&e);
    gr_run_free(&plan);
    free(takes);
    free(order);
    return reported;
}

static const char *const rungs[] = {"01_naive",         "02_loop_order", "03_cache_tile",
                                    "04_register_tile", "05_simd",       "06_packing",
                                    "07_threads",       "08_library"};
static const double rates[] = {2.5, 30, 32, 90, 95, 100, 150, 200};
static const char *const peers[] = {"openblas", "blis", "onednn"};

static void expect(const struct world *w, double first_at)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct reported reported = follow(w, seed);
        if (reported.worst > 2)
            fail_msg("an estimate was %.2f times off (seed %d)", reported.worst, (int)seed);
        if (reported.first_at > first_at)
            fail_msg("the first estimate came after %.0f %% of the way (seed %d)",
                     100 * reported.first_at, (int)seed);
    }
}

/* The ladder as `make ladder` climbs it, on a fast and a slow machine, quiet and disturbed. */
static void a_ladder_of_three_sizes(void **state)
{
    (void)state;
    static const int64_t sizes[] = {256, 512, 1024};
    struct world w = {rungs, rates, 8, peers, 3, 190, sizes, 3, 0.6, 1.5, 0.1, 0};
    expect(&w, 0.5);
    w.noise = 0.3;
    expect(&w, 0.6);
    double slow[8];
    for (int i = 0; i < 8; i++)
        slow[i] = rates[i] / 4;
    w.gflops = slow;
    w.peer_gflops = 50;
    w.besides_s = 2;
    expect(&w, 0.6);
    w.peer_count = 0;
    expect(&w, 0.6);
}

/* One size: what a rung takes is not known before it has run, but that it is hardly slower than the
 * one before it is. */
static void a_ladder_of_one_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1024};
    const struct world w = {rungs, rates, 8, peers, 3, 190, sizes, 1, 0.6, 1.5, 0.2, 0};
    expect(&w, 0.85);
}

/* bench: one kernel, from small to large. */
static void a_bench(void **state)
{
    (void)state;
    static const int64_t sizes[] = {64, 128, 256, 512, 1024, 2048};
    static const char *const library[] = {"08_library"};
    static const double rate[] = {180};
    const struct world w = {library, rate, 1, peers, 3, 170, sizes, 6, 0.4, 1.5, 0.2, 0};
    expect(&w, 0.7);
}

/* Where the machine is busy, small products of several threads take as long as the threads wait for
 * each other. That says nothing of large ones. */
static void a_bench_on_a_busy_machine(void **state)
{
    (void)state;
    static const int64_t sizes[] = {64, 128, 256, 512, 1024, 2048};
    static const char *const library[] = {"08_library"};
    static const double rate[] = {180};
    struct world w = {library, rate, 1, peers, 3, 170, sizes, 6, 0.4, 1.5, 0.3, 64};
    for (; w.disturbed <= 256; w.disturbed *= 2)
        expect(&w, 0.8);
}

/* Two kernels of somebody's, of which the second is not known to be like the first: nothing is told
 * before it has begun, and a run of rows that are kept takes no time. */
static void strangers_and_kept_rows(void **state)
{
    (void)state;
    struct gr_run plan = {0};
    add(&plan, "mine", 1024, false);
    add(&plan, "other", 1024, false);
    struct gr_estimate e;
    assert_true(gr_estimate_begin(&e, &plan, &usual, 0));
    assert_int_equal(gr_estimate_left(&e, 0), -1);
    gr_estimate_row_begins(&e, 0, 1000000);
    struct gr_row done = plan.rows[0];
    done.time_ns = (struct gr_stat){.median = 1e8, .n = 9};
    gr_estimate_row_ends(&e, 0, &done, false, 3000000000);
    assert_int_equal(gr_estimate_left(&e, 3000000000), -1);
    gr_estimate_free(&e);

    assert_true(gr_estimate_begin(&e, &plan, &usual, 0));
    gr_estimate_row_ends(&e, 0, &done, true, 0);
    gr_estimate_row_ends(&e, 1, &done, true, 0);
    assert_int_equal(gr_estimate_left(&e, 0), 0);
    gr_estimate_free(&e);
    gr_run_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ladder_of_three_sizes),
        cmocka_unit_test(a_ladder_of_one_size),
        cmocka_unit_test(a_bench),
        cmocka_unit_test(a_bench_on_a_busy_machine),
        cmocka_unit_test(strangers_and_kept_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
