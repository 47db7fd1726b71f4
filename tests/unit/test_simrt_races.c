/* test_simrt_races.c: who is ordered behind whom: lanes by the meetings that name them, threads by
 * barriers, blocks by fences and atomics. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "simrt/lane_order.h"
#include "unit/simrt_launch.h"

static const uint64_t everyone = 0xffffffff;
enum { LANES = 32 };

static int thread(void)
{
    return (int)gr_sim_thread_index().x;
}

static int block(void)
{
    return (int)gr_sim_block_index().x;
}

static void store(void *address, int value, int line)
{
    *(int *)address = value;
    gr_sim_saw_store(address, 4, at_line(line));
}

static void add(void *address, int line)
{
    gr_sim_saw_atomic(address, 4, at_line(line));
    __atomic_fetch_add((int *)address, 1, __ATOMIC_SEQ_CST);
}

/* The race between those two lines, whichever comes first; null: there is none. */
static const struct gr_trace_fault *race_of(const struct gr_trace *trace, int line, int other)
{
    for (int i = 0; i < trace->fault_count; i++) {
        const struct gr_trace_fault *f = &trace->faults[i];
        if (f->kind == GR_FIND_RACE && ((f->line == line && f->other_line == other) ||
                                        (f->line == other && f->other_line == line)))
            return f;
    }
    return NULL;
}

static int races_of(const struct gr_trace *trace)
{
    int count = 0;
    for (int i = 0; i < trace->fault_count; i++)
        count += trace->faults[i].kind == GR_FIND_RACE;
    return count;
}

/* Runs it; `line` 0: there must be no race; else one between those lines. */
static void expect(void (*run)(void), unsigned blocks, unsigned threads, int line, int other)
{
    memset(a(), 0, 4096);
    struct gr_trace trace =
        trace_of((struct plan){.body = run, .blocks_x = blocks, .threads = threads});
    if (line && !race_of(&trace, line, other))
        fail_msg("no race of lines %d and %d among %d", line, other, races_of(&trace));
    if (!line && races_of(&trace))
        fail_msg("a race of lines %d and %d", trace.faults[0].line, trace.faults[0].other_line);
    forget(&trace);
}

/* ---- Lanes. ---- */

static void a_meeting_orders_the_lanes_that_it_names(void **state)
{
    struct gr_lane_order o;
    (void)state;
    assert_true(gr_lane_order_open(&o, 64, 32));
    uint32_t before = o.met[1];
    gr_lanes_meet(&o, 1, 0x3, LANES);
    assert_true(gr_lanes_ordered(&o, 1, 0, 1, before));
    assert_true(gr_lanes_ordered(&o, 1, 1, 0, before));
    assert_false(gr_lanes_ordered(&o, 1, 0, 2, before));
    assert_false(gr_lanes_ordered(&o, 1, 2, 0, before));
    assert_false(gr_lanes_ordered(&o, 0, 0, 1, o.met[0]));
    assert_false(gr_lanes_ordered(&o, 1, 0, 1, o.met[1])); /* what they do since then */
    gr_lane_order_close(&o);
}

static void what_a_lane_knows_goes_on_with_it(void **state)
{
    struct gr_lane_order o;
    (void)state;
    assert_true(gr_lane_order_open(&o, 32, 32));
    uint32_t first = o.met[0];
    gr_lanes_meet(&o, 0, 0x3, LANES);
    uint32_t second = o.met[0];
    gr_lanes_meet(&o, 0, 0x6, LANES);
    assert_true(gr_lanes_ordered(&o, 0, 2, 0, first)); /* by lane 1 */
    assert_false(gr_lanes_ordered(&o, 0, 2, 0, second));
    assert_false(gr_lanes_ordered(&o, 0, 0, 2, first));
    assert_true(gr_lanes_ordered(&o, 0, 2, 1, second));
    gr_lanes_meet(&o, 0, 0x3fffffff, 30); /* the last warp of a block may be short */
    assert_true(gr_lanes_ordered(&o, 0, 0, 2, second));
    assert_true(gr_lanes_ordered(&o, 0, 9, 29, second));
    gr_lane_order_close(&o);
}

static uint64_t mask;

static void hand_over_in_warp(void)
{
    store(&tile[thread()], 1, 1);
    if (mask >> thread() & 1)
        gr_sim_warp_sync(mask, at_line(2));
    if (thread() == 0)
        load(&tile[3], 4, 3);
}

static void a_lane_left_out_is_not_ordered(void **state)
{
    (void)state;
    mask = everyone;
    expect(hand_over_in_warp, 1, 32, 0, 0);
    mask = 0x9;
    expect(hand_over_in_warp, 1, 32, 0, 0);
    mask = 0x8 | 0x4;
    expect(hand_over_in_warp, 1, 32, 1, 3);
    mask = everyone & ~0x8ULL;
    expect(hand_over_in_warp, 1, 32, 1, 3);
}

/* ---- Readers. ---- */

static int writer;

static void write_what_all_read(void)
{
    load(&tile[0], 4, 1);
    if (thread() == writer)
        store(&tile[0], 1, 2);
}

static void read_again_after_meeting(void)
{
    load(&tile[0], 4, 1);
    gr_sim_warp_sync(everyone, at_line(2));
    if (thread() == 31)
        load(&tile[0], 4, 3);
    if (thread() == 0)
        store(&tile[0], 1, 4);
}

static void read_by_halves(void)
{
    if (thread() < 16)
        load(&tile[0], 4, 1);
    gr_sim_warp_sync(thread() < 16 ? 0xffff : 0xffff0000, at_line(2));
    if (thread() >= 16)
        load(&tile[0], 4, 3);
    if (thread() == 16)
        store(&tile[0], 1, 4);
}

static int asked_once(void *requested)
{
    return (*(int *)requested)++;
}

static void read_in_two_warps(void)
{
    load(&tile[0], 4, 1);
    if (thread() < 32) {
        int requested = 0;
        gr_sim_wait_until(asked_once, &requested, at_line(2));
        gr_sim_warp_sync(everyone, at_line(3));
        if (thread() == 5)
            store(&tile[0], 1, 4);
    }
}
static void no_reader_is_forgotten(void **state)
{
    (void)state;
    for (writer = 0; writer < 32; writer += 31)
        expect(write_what_all_read, 1, 32, 1, 2);
    expect(read_again_after_meeting, 1, 32, 3, 4);
    expect(read_by_halves, 1, 32, 1, 4);
    expect(read_in_two_warps, 1, 64, 1, 4);
}

/* ---- Blocks. ---- */

static bool fences, counts, waits, alike;
static int scope;

static void write_one_element(void)
{
    if (thread() == 0)
        store(a(), alike ? 7 : block(), 1);
}

static void add_to_one_element(void)
{
    if (thread() == 0)
        add(a(), 1);
}

static void store_and_add(void)
{
    if (thread() == 0 && block() == 0)
        store(a(), 1, 1);
    if (thread() == 0 && block() == 1)
        add(a(), 2);
}

static void hand_over(void)
{
    if (block() == 0)
        store(a() + 4 * thread(), 1, 1);
    if (waits)
        gr_sim_barrier(at_line(2));
    if (thread() == 0 && fences)
        gr_sim_fence(scope, at_line(3));
    if (thread() == 0 && counts)
        add(a() + 1024, 4);
    gr_sim_barrier(at_line(5));
    if (block() == 1)
        load(a() + 4 * thread(), 4, 6);
}

static void read_and_one_writes(void)
{
    if (thread() == 0)
        load(a(), 4, 1);
    if (thread() == 0 && block() == writer)
        store(a(), 1, 2);
}

static void swap_after_reading(void)
{
    if (thread() < 2) {
        load(a(), 4, 1);
        add(a(), 2);
    }
}

static void read_next_to_adding(void)
{
    if (thread() == 0)
        load(a(), 4, 1);
    if (thread() == 1)
        add(a(), 2);
}

static void blocks_that_write_one_element_race(void **state)
{
    (void)state;
    alike = false;
    expect(write_one_element, 2, 32, 1, 1);
    expect(write_one_element, 40, 32, 1, 1);
    expect(write_one_element, 1, 32, 0, 0);
    expect(add_to_one_element, 3, 32, 0, 0);
    expect(store_and_add, 2, 32, 1, 2);
    for (writer = 0; writer < 3; writer++)
        expect(read_and_one_writes, 3, 32, 1, 2);
    struct gr_trace trace = trace_of((struct plan){.body = write_one_element, .blocks_x = 3});
    const struct gr_trace_fault *f = race_of(&trace, 1, 1);
    assert_true(f && f->across && !f->same_value);
    assert_int_equal(f->block[0], 1);
    assert_int_equal(f->other_block[0], 0);
    forget(&trace);
    alike = true;
    trace = trace_of((struct plan){.body = write_one_element, .blocks_x = 3});
    f = race_of(&trace, 1, 1);
    assert_true(f && f->same_value);
    forget(&trace);
}

static void a_fence_and_an_atomic_hand_over(void **state)
{
    (void)state;
    fences = counts = waits = true;
    scope = 2;
    expect(hand_over, 2, 64, 0, 0);
    scope = 1;
    expect(hand_over, 2, 64, 1, 6);
    scope = 2;
    fences = false;
    expect(hand_over, 2, 64, 1, 6);
    fences = true;
    counts = false;
    expect(hand_over, 2, 64, 1, 6);
    counts = true;
    waits = false;
    expect(hand_over, 2, 64, 1, 6);
}

static void a_read_that_a_swap_checks_is_no_race(void **state)
{
    (void)state;
    expect(swap_after_reading, 3, 32, 0, 0);
    expect(read_next_to_adding, 1, 32, 1, 2);
    expect(read_next_to_adding, 2, 32, 1, 2);
}

static void followed_only_where_it_is_asked(void **state)
{
    (void)state;
    job.races = false;
    alike = false;
    expect(write_one_element, 2, 32, 0, 0);
    job.races = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_meeting_orders_the_lanes_that_it_names),
        cmocka_unit_test(what_a_lane_knows_goes_on_with_it),
        cmocka_unit_test(a_lane_left_out_is_not_ordered),
        cmocka_unit_test(no_reader_is_forgotten),
        cmocka_unit_test(blocks_that_write_one_element_race),
        cmocka_unit_test(a_fence_and_an_atomic_hand_over),
        cmocka_unit_test(a_read_that_a_swap_checks_is_no_race),
        cmocka_unit_test(followed_only_where_it_is_asked),
    };
    job.races = true;
    return cmocka_run_group_tests(tests, open_arrays, NULL);
}
