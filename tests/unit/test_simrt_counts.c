/* test_simrt_counts.c: the simulator's run time without a kernel: threads that tell of accesses
 * made up here, and what is counted of them. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/simrt_launch.h"

/* The only site of a line; of that width, where `bytes` is not 0. */
static const struct gr_trace_site *site_of(const struct gr_trace *trace, int line, int bytes)
{
    const struct gr_trace_site *found = NULL;
    for (int i = 0; i < trace->site_count; i++)
        if (trace->sites[i].line == line && (!bytes || trace->sites[i].bytes == bytes)) {
            if (found)
                fail_msg("line %d has several sites", line);
            found = &trace->sites[i];
        }
    if (!found)
        fail_msg("line %d has no site of %d bytes", line, bytes);
    return found;
}

/* ---- What the threads do. ---- */

static int thread(void)
{
    return (int)gr_sim_thread_index().x;
}

/* One request: `lanes` of a warp, from `base` on, a stride apart. */
struct shape {
    int lanes, bytes;
    int64_t base, stride;
    int cost, best;
};
static const struct shape *shape;

static void touch_global(void)
{
    if (thread() < shape->lanes)
        load(a() + shape->base + shape->stride * thread(), shape->bytes, 1);
}

static void sectors_are_distinct_pieces_of_32_bytes(void **state)
{
    static const struct shape shapes[] = {
        {32, 4, 0, 4, 4, 4},       {32, 4, 4, 4, 5, 4},   {32, 4, 124, -4, 4, 4},
        {32, 4, 0, 128, 32, 4},    {32, 4, 0, 32, 32, 4}, {32, 4, 0, 8, 8, 4},
        {32, 4, 64, 0, 1, 1},      {32, 8, 0, 8, 8, 8},   {32, 16, 0, 16, 16, 16},
        {32, 16, 16, 32, 32, 16},  {16, 4, 0, 4, 2, 2},   {1, 4, 0, 0, 1, 1},
        {1, 16, 24, 0, 2, 1},      {32, 1, 0, 1, 1, 1},   {32, 2, 30, 2, 3, 2},
        {32, 16, 0, 4096, 32, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape = &shapes[i];
        struct gr_trace trace = trace_of((struct plan){.body = touch_global});
        const struct gr_trace_site *s = site_of(&trace, 1, 0);
        assert_int_equal(s->requests, 1);
        assert_int_equal(s->lanes, shape->lanes);
        if (s->sectors != shape->cost || s->sectors_ideal != shape->best)
            fail_msg("shape %zu: found %d sectors, best %d, wanted %d and %d", i, (int)s->sectors,
                     (int)s->sectors_ideal, shape->cost, shape->best);
        forget(&trace);
    }
}

static void touch_shared(void)
{
    if (thread() < shape->lanes)
        load((char *)tile + shape->base + shape->stride * thread(), shape->bytes, 1);
}

static void wavefronts_are_passes_over_the_banks(void **state)
{
    static const struct shape shapes[] = {
        {32, 4, 0, 4, 1, 1},   {32, 4, 0, 8, 2, 1},  {32, 4, 0, 128, 32, 1}, {32, 4, 0, 132, 1, 1},
        {32, 4, 256, 0, 1, 1}, {32, 4, 0, 16, 4, 1}, {32, 2, 0, 2, 1, 1},    {32, 8, 0, 8, 2, 2},
        {32, 8, 0, 16, 4, 2},  {32, 8, 0, 0, 1, 1},  {32, 16, 0, 16, 4, 4},  {32, 16, 0, 64, 16, 4},
        {8, 16, 0, 16, 1, 1},  {9, 16, 0, 16, 2, 2}, {16, 4, 0, 128, 16, 1}, {32, 16, 0, 0, 2, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape = &shapes[i];
        struct gr_trace trace = trace_of((struct plan){.body = touch_shared, .widths_known = true});
        const struct gr_trace_site *s = site_of(&trace, 1, 0);
        assert_int_equal(s->requests, 1);
        assert_int_equal(s->space, GR_SPACE_SHARED);
        assert_string_equal(trace.arrays[s->array].name, "tile");
        if (s->wavefronts != shape->cost || s->wavefronts_ideal != shape->best)
            fail_msg("shape %zu: found %d wavefronts, best %d, wanted %d and %d", i,
                     (int)s->wavefronts, (int)s->wavefronts_ideal, shape->cost, shape->best);
        forget(&trace);
    }
}

/* Costs are kept from one request to the next of a site, as long as its shape is the same. */
static void touch_in_turn(void)
{
    static const int64_t base[] = {0, 4, 32, 0, 0, 8}, stride[] = {4, 4, 4, 128, 4, 8};
    for (int i = 0; i < 6; i++)
        load(a() + base[i] + stride[i] * thread(), 4, 1);
}

static void a_site_may_change_its_shape(void **state)
{
    (void)state;
    struct gr_trace trace = trace_of((struct plan){.body = touch_in_turn});
    const struct gr_trace_site *s = site_of(&trace, 1, 0);
    assert_int_equal(s->requests, 6);
    assert_int_equal(s->sectors, 4 + 5 + 4 + 32 + 4 + 9);
    /* The costliest is the one that is kept. */
    assert_int_equal(s->pattern_sectors, 32);
    assert_int_equal(s->pattern[31], 31 * 128);
    assert_int_equal(s->pattern[32], -1);
    forget(&trace);
}

/* ---- Merging. ---- */

static const int *order;
static int order_count;
static int64_t merge_base, merge_stride;
static bool meets, in_global;

static void touch_in_order(void)
{
    char *from = (in_global ? a() : (char *)tile) + merge_base + merge_stride * thread();
    for (int i = 0; i < order_count; i++) {
        load(from + 4 * order[i], 4, 3);
        if (meets && i == 1)
            gr_sim_barrier(at_line(4));
    }
}

/* `wanted`: requests of 4, 8 and 16 bytes. */
struct merging {
    int order[4], count;
    int64_t base, stride;
    bool known, meets, global;
    int width, wanted[3];
};

static void check_merging(const struct merging *m, size_t number)
{
    int found[3] = {0};
    order = m->order;
    order_count = m->count;
    merge_base = m->base;
    merge_stride = m->stride;
    meets = m->meets;
    in_global = m->global;
    struct gr_sim_width width = {.line = 3,
                                 .access = GR_ACCESS_LOAD,
                                 .space = m->global ? GR_SPACE_GLOBAL : GR_SPACE_SHARED,
                                 .bytes = (uint8_t)m->width};
    struct gr_trace trace =
        trace_of((struct plan){.body = touch_in_order, .widths_known = m->known, .width = width});
    for (int i = 0; i < trace.site_count; i++) {
        assert_int_equal(trace.sites[i].source_bytes, 4);
        found[trace.sites[i].bytes / 8] += (int)trace.sites[i].requests;
    }
    if (memcmp(found, m->wanted, sizeof found) != 0)
        fail_msg("case %zu: found %d, %d, %d requests of 4, 8, 16 bytes; wanted %d, %d, %d", number,
                 found[0], found[1], found[2], m->wanted[0], m->wanted[1], m->wanted[2]);
    forget(&trace);
}

static void neighbours_are_merged_by_width(void **state)
{
    static const struct merging cases[] = {
        /* As the machine code has them: in whatever order, aligned, between two meetings. */
        {{0, 1, 2, 3}, 4, 0, 16, true, false, false, 16, {0, 0, 1}},
        {{2, 0, 3, 1}, 4, 0, 16, true, false, false, 16, {0, 0, 1}},
        {{2, 0, 3, 1}, 4, 0, 16, true, false, true, 16, {0, 0, 1}},
        {{0, 1, 3}, 3, 0, 16, true, false, false, 16, {1, 1, 0}},
        {{0, 1, 2, 3}, 4, 4, 16, true, false, false, 16, {2, 1, 0}},
        {{0, 1, 2, 3}, 4, 0, 16, true, true, false, 16, {0, 2, 0}},
        {{0, 1, 2, 3}, 4, 0, 16, true, false, false, 8, {0, 2, 0}},
        {{0, 1, 2, 3}, 4, 0, 20, true, false, false, 16, {4, 0, 0}},
        {{0, 1, 2, 3}, 4, 0, 16, true, false, false, 4, {4, 0, 0}},
        {{0, 1, 2, 3}, 4, 0, 16, true, false, false, 0, {4, 0, 0}},
        /* A guess: in shared memory only, and not for code that leaves a stretch unfilled. */
        {{0, 1, 2, 3}, 4, 0, 16, false, false, false, 0, {0, 0, 1}},
        {{2, 0, 3, 1}, 4, 0, 16, false, false, false, 0, {0, 0, 1}},
        {{0, 1, 2, 3}, 4, 0, 16, false, false, true, 0, {4, 0, 0}},
        {{0, 1, 2}, 3, 0, 16, false, false, false, 0, {3, 0, 0}},
        {{0, 1, 2, 3}, 4, 4, 16, false, false, false, 0, {4, 0, 0}},
        {{0, 1, 2, 3}, 4, 0, 16, false, true, false, 0, {4, 0, 0}},
        {{0, 1, 2, 3}, 4, 0, 20, false, false, false, 0, {4, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_merging(&cases[i], i);
}

/* ---- Lanes that go apart. ---- */

static void branch_and_loop(void)
{
    int i = thread();
    if (i % 2)
        load(a() + 4 * i, 4, 5);
    load(a() + 4 * i, 4, 6);
    for (int k = 0; k <= i % 4; k++)
        load(a() + 4 * i, 4, 7);
    load(a() + 4 * i, 4, 8);
    if (i >= 20)
        return;
    load(a() + 4 * i, 4, 9);
}

static void lanes_wait_behind_a_branch_and_a_loop(void **state)
{
    static const struct {
        int line, requests, lanes;
    } wanted[] = {{5, 1, 16}, {6, 1, 32}, {7, 4, 8 + 16 + 24 + 32}, {8, 1, 32}, {9, 1, 20}};
    (void)state;
    struct gr_trace trace = trace_of((struct plan){.body = branch_and_loop});
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct gr_trace_site *s = site_of(&trace, wanted[i].line, 0);
        assert_int_equal(s->requests, wanted[i].requests);
        assert_int_equal(s->lanes, wanted[i].lanes);
    }
    forget(&trace);
}

/* More accesses than a lane's buffer holds. */
static void many_accesses(void)
{
    int count = thread() % 2 ? 1000 : 300;
    for (int k = 0; k < count; k++)
        load(a() + 4 * thread() + 128 * k, 4, 5);
    load(a(), 4, 6);
}

static void buffers_that_fill_lose_nothing(void **state)
{
    (void)state;
    struct gr_trace trace = trace_of((struct plan){.body = many_accesses});
    assert_int_equal(site_of(&trace, 5, 0)->requests, 1000);
    assert_int_equal(site_of(&trace, 5, 0)->lanes, 16 * 1000 + 16 * 300);
    assert_int_equal(site_of(&trace, 6, 0)->requests, 1);
    assert_int_equal(trace.accesses, 16 * 1000 + 16 * 300 + 32);
    forget(&trace);
}

/* ---- Blocks. ---- */

static void same_line_of_a(void)
{
    load(a() + 4 * (thread() % 32), 4, 1);
    load(a() + 4096 * (1 + gr_sim_block_index().x) + 4 * thread(), 4, 2);
}

static void what_is_touched_twice_is_distinct_once(void **state)
{
    (void)state;
    struct gr_trace trace =
        trace_of((struct plan){.body = same_line_of_a, .blocks_x = 3, .threads = 64});
    assert_int_equal(trace.coverage, GR_COVERAGE_WHOLE);
    assert_int_equal(site_of(&trace, 1, 0)->requests, 3 * 2);
    assert_int_equal(site_of(&trace, 1, 0)->block_distinct_bytes, 3 * 128);
    assert_int_equal(trace.arrays[0].distinct_bytes, 128 + 3 * 256);
    assert_int_equal(trace.arrays[0].block_distinct_bytes, 3 * (128 + 256));
    assert_int_equal(trace.arrays[0].load_bytes, 3 * 2 * 64 * 4);
    forget(&trace);
}

/* The work of a block, as a number of requests, by its place. */
static int (*work_of)(unsigned x, unsigned y);

static void block_of_work(void)
{
    const struct gr_sim_index b = gr_sim_block_index();
    for (int k = work_of(b.x, b.y); k > 0; k--)
        load(a() + 4 * thread(), 4, 1);
}

enum { WIDE = 3000, HIGH = 2000 };

static int at_edges(unsigned x, unsigned y)
{
    return 5 + 3 * (x == 0) + 7 * (x == WIDE - 1) + 11 * (y == 0) + 13 * (y == HIGH - 1);
}

static int every_fourth(unsigned x, unsigned y)
{
    return 2 + (x % 4 == 1) + (y % 4 == 3);
}

static int every_third(unsigned x, unsigned y)
{
    return 2 + (int)((x + y) % 3);
}

static int64_t total_of(int (*work)(unsigned x, unsigned y), unsigned wide, unsigned high)
{
    int64_t total = 0;
    for (unsigned y = 0; y < high; y++)
        for (unsigned x = 0; x < wide; x++)
            total += work(x, y);
    return total;
}

static void blocks_that_are_alike_stand_for_others(void **state)
{
    static const struct {
        int (*work)(unsigned x, unsigned y);
        unsigned wide, high;
        enum gr_coverage coverage;
    } cases[] = {{at_edges, 4, 4, GR_COVERAGE_WHOLE},
                 {at_edges, WIDE, HIGH, GR_COVERAGE_CLASSES},
                 {every_third, 10, 10, GR_COVERAGE_WHOLE},
                 {every_fourth, WIDE, HIGH, GR_COVERAGE_CLASSES},
                 {every_third, WIDE, HIGH, GR_COVERAGE_SAMPLED}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        work_of = cases[i].work;
        struct gr_trace trace = trace_of((struct plan){.body = block_of_work,
                                                       .blocks_x = cases[i].wide,
                                                       .blocks_y = cases[i].high,
                                                       .limit_ns = 5000000000});
        int64_t total = total_of(work_of, cases[i].wide, cases[i].high);
        int64_t found = site_of(&trace, 1, 0)->requests;
        if (trace.coverage != cases[i].coverage)
            fail_msg("case %zu: coverage %s", i, gr_coverage_name(trace.coverage));
        if (trace.coverage != GR_COVERAGE_SAMPLED && found != total)
            fail_msg("case %zu: found %lld requests, wanted %lld", i, (long long)found,
                     (long long)total);
        assert_int_equal(trace.blocks, (int64_t)cases[i].wide * cases[i].high);
        assert_true((trace.blocks_traced == trace.blocks) == (trace.coverage == GR_COVERAGE_WHOLE));
        forget(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_distinct_pieces_of_32_bytes),
        cmocka_unit_test(wavefronts_are_passes_over_the_banks),
        cmocka_unit_test(a_site_may_change_its_shape),
        cmocka_unit_test(neighbours_are_merged_by_width),
        cmocka_unit_test(lanes_wait_behind_a_branch_and_a_loop),
        cmocka_unit_test(buffers_that_fill_lose_nothing),
        cmocka_unit_test(what_is_touched_twice_is_distinct_once),
        cmocka_unit_test(blocks_that_are_alike_stand_for_others),
    };
    return cmocka_run_group_tests(tests, open_arrays, NULL);
}
