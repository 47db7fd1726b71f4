/* test_simrt_walks.c: what the simulator keeps of each warp's requests, held against what the
 * threads did. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/simrt_launch.h"

#include <stdio.h>

static struct gr_sim_index at(void)
{
    return gr_sim_thread_index();
}

/* ---- Reading what was kept, as records/trace.h defines it. ---- */

/* The trail of that warp, or null: it has none. */
static const struct gr_trace_trail *trail_of(const struct gr_trace_walks *walks, int site,
                                             int block, int warp)
{
    for (int i = 0; i < walks->trail_count; i++) {
        const struct gr_trace_trail *t = &walks->trails[i];
        if (t->site == site && t->block == block && t->warp == warp)
            return t;
    }
    return NULL;
}

/* The shape of the trail's request number `index`, from 0, and in *lowest its lowest byte in the
 * array; null from `kept` on. */
static const struct gr_trace_shape *request_of(const struct gr_trace_walks *walks,
                                               const struct gr_trace_trail *trail, int64_t index,
                                               int64_t *lowest)
{
    const struct gr_trace_walk *walk = &walks->walks[trail->walk];
    const struct gr_trace_run *runs = &walks->runs[walk->first_run];
    int64_t turn = 0;
    for (int i = 0; i < walk->run_count; i++)
        turn += runs[i].count;
    if (index < 0 || index >= walk->kept || turn == 0)
        return NULL;
    int64_t left = index % turn;
    int i = 0;
    for (; left >= runs[i].count; i++)
        left -= runs[i].count;
    *lowest = trail->base + index / turn * walk->shift + runs[i].start + left * runs[i].stride;
    return &walks->shapes[runs[i].shape];
}

/* ---- By hand: a naive kernel. Thread x of a warp reads A[x * 64 + i], rows of 256 bytes. ---- */

static void naive(void)
{
    for (int i = 0; i < 60; i++)
        load(a() + (at().x * 64 + (unsigned)i) * 4, 4, 1);
}

static void a_naive_walk_is_one_run(void **state)
{
    (void)state;
    struct gr_trace t = trace_of((struct plan){.body = naive, .threads = 64});
    const struct gr_trace_walks *w = &t.walks;
    assert_int_equal(w->block_count, 1);
    assert_int_equal(w->trail_count, 2); /* two warps */
    assert_int_equal(w->walk_count, 1);
    assert_int_equal(w->run_count, 1);
    assert_int_equal(w->shape_count, 1);
    assert_int_equal(w->runs[0].count, 60);
    assert_int_equal(w->runs[0].stride, 4);
    assert_int_equal(w->walks[0].kept, 60);
    assert_int_equal(w->walks[0].total, 60);
    assert_int_equal(w->trails[0].base, 0);
    assert_int_equal(w->trails[1].base, 32 * 256); /* the second warp's rows */
    assert_true(w->shapes[0].lanes == 0xffffffff);
    for (int lane = 0; lane < 32; lane++)
        assert_int_equal(w->shapes[0].offset[lane], 256 * lane);
    for (int k = 0; k < 32; k += 4)
        assert_int_equal(w->shapes[0].sectors[k], 32);
    assert_int_equal(w->shapes[0].sectors_ideal, 4);
    int64_t lowest = -1;
    assert_ptr_equal(request_of(w, trail_of(w, 0, 0, 1), 57, &lowest), w->shapes);
    assert_int_equal(lowest, 32 * 256 + 57 * 4);
    assert_null(request_of(w, trail_of(w, 0, 0, 1), 60, &lowest));
    assert_null(trail_of(w, 0, 0, 2));
    gr_trace_free(&t);
}

/* ---- By hand: a tile of 8 rows of 33 floats in shared memory, read again and again. ---- */

static void tiles(void)
{
    for (int step = 0; step < 2000; step++)
        for (int k = 0; k < 8; k++)
            load(&tile[k * 33 + (int)at().x], 4, 2);
}

static void loops_in_loops_are_rolled_up(void **state)
{
    (void)state;
    struct gr_trace t = trace_of((struct plan){.body = tiles, .widths_known = true});
    const struct gr_trace_walks *w = &t.walks;
    assert_int_equal(w->trail_count, 1);
    assert_int_equal(w->run_count, 1);
    assert_int_equal(w->runs[0].count, 8);
    assert_int_equal(w->runs[0].stride, 33 * 4);
    assert_int_equal(w->walks[0].shift, 0);
    assert_int_equal(w->walks[0].kept, 16000);
    assert_int_equal(w->walks[0].total, 16000);
    assert_int_equal(w->shapes[0].wavefronts, 1);
    int64_t lowest = -1;
    assert_non_null(request_of(w, w->trails, 8 * 1234 + 5, &lowest));
    assert_int_equal(lowest, 5 * 33 * 4);
    gr_trace_free(&t);
}

/* ---- Any other: against a log that the threads write. ---- */

enum { MOST_LOGGED = 4096, LOG_BLOCKS = 16, LOG_WARPS = 2 };
/* By block, warp, request and lane: the offset; -1: none. */
static int64_t logged[LOG_BLOCKS][LOG_WARPS][MOST_LOGGED][32];
static unsigned grid_x;

static void log_load(int request, int64_t offset, int bytes)
{
    struct gr_sim_index b = gr_sim_block_index();
    unsigned block = b.y * grid_x + b.x, lane = at().x % 32;
    if (block < LOG_BLOCKS && request < MOST_LOGGED)
        logged[block][at().x / 32][request][lane] = offset;
    load(a() + offset, bytes, 3);
}

/* Two buffers in turn, and lanes that leave before the others. */
static void two_buffers(void)
{
    int n = 0;
    for (int step = 0; step < 300; step++)
        for (int k = 0; k < 4; k++, n++)
            if (step < 200 || at().x % 32 < 10)
                log_load(n, step % 2 * 8192 + step * 32 + k * 1000 + (int)at().x * 4, 4);
}

/* Nothing that comes again: 3000 places, of which a tape has room for the first. */
static void anywhere(void)
{
    uint32_t state = 1;
    for (int n = 0; n < 3000; n++) {
        state = state * 1664525 + 1013904223;
        log_load(n, (int64_t)(state >> 14 << 2) + 4 * (at().x ^ (n & 3u)), 4);
    }
}

/* The regular beginning is longer than a tape, and then it is regular no more. */
static void turns_aside(void)
{
    for (int n = 0; n < 2000; n++)
        log_load(n, (n % 2 * 40 + n % 3 * 4096 + n) * 4 + (n == 1900 ? 64 : 0) + (int)at().x * 4,
                 4);
}

static int64_t check_request(const struct gr_trace_walks *w, const struct gr_trace_trail *trail,
                             const unsigned *block, int64_t n)
{
    int64_t lowest = 0, wrong = 0;
    const struct gr_trace_shape *s = request_of(w, trail, n, &lowest);
    const int64_t *want = logged[block[1] * grid_x + block[0]][trail->warp][n];
    for (int lane = 0; s && lane < 32; lane++) {
        int64_t found = s->lanes >> lane & 1 ? lowest + s->offset[lane] : -1;
        wrong += found != want[lane];
    }
    return s ? wrong : 32;
}

static void walks_are_what_was_done(void **state)
{
    static const struct {
        void (*body)(void);
        int64_t total, least, most; /* of what is kept */
    } cases[] = {{two_buffers, 1200, 1200, 1200},
                 {anywhere, 3000, 400, 1100},
                 {turns_aside, 2000, 1900, 1900}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        memset(logged, -1, sizeof logged);
        grid_x = 3;
        struct gr_trace t = trace_of(
            (struct plan){.body = cases[c].body, .blocks_x = 3, .blocks_y = 2, .threads = 48});
        assert_int_equal(t.walks.block_count, 6);
        assert_int_equal(t.walks.trail_count, 12);
        for (int i = 0; i < t.walks.trail_count; i++) {
            const struct gr_trace_trail *trail = &t.walks.trails[i];
            const struct gr_trace_walk *walk = &t.walks.walks[trail->walk];
            const unsigned *block = t.walks.blocks[trail->block];
            assert_int_equal(walk->total, cases[c].total);
            if (walk->kept < cases[c].least || walk->kept > cases[c].most)
                fail_msg("case %zu: kept %lld", c, (long long)walk->kept);
            for (int64_t n = 0; n < walk->kept; n++)
                if (check_request(&t.walks, trail, block, n))
                    fail_msg("case %zu, block %u,%u, warp %d: request %lld is another one", c,
                             block[0], block[1], trail->warp, (long long)n);
        }
        gr_trace_free(&t);
    }
}

/* ---- Which blocks. ---- */

static void short_work(void)
{
    struct gr_sim_index b = gr_sim_block_index();
    load(a() + b.y * 4096 + b.x * 128 + at().x * 4, 4, 4);
}

static void edges_and_their_neighbours_are_walked(void **state)
{
    static const unsigned want[9][2] = {{0, 0},  {1, 0},  {19, 0}, {0, 1},  {1, 1},
                                        {19, 1}, {0, 29}, {1, 29}, {19, 29}};
    (void)state;
    struct gr_trace t = trace_of((struct plan){.body = short_work, .blocks_x = 20, .blocks_y = 30});
    assert_int_equal(t.walks.block_count, 9);
    assert_int_equal(t.walks.trail_count, 9);
    assert_int_equal(t.walks.walk_count, 1); /* all do the same, somewhere else */
    for (int i = 0; i < 9; i++) {
        const unsigned *block = t.walks.blocks[i];
        if (block[0] != want[i][0] || block[1] != want[i][1] || block[2] != 0)
            fail_msg("block %d is (%u,%u,%u)", i, block[0], block[1], block[2]);
        assert_int_equal(t.walks.trails[i].block, i);
        assert_int_equal(t.walks.trails[i].base, block[1] * 4096 + block[0] * 128);
    }
    gr_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_naive_walk_is_one_run),
        cmocka_unit_test(loops_in_loops_are_rolled_up),
        cmocka_unit_test(walks_are_what_was_done),
        cmocka_unit_test(edges_and_their_neighbours_are_walked),
    };
    return cmocka_run_group_tests(tests, open_arrays, NULL);
}
