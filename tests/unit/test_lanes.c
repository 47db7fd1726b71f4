/* test_lanes.c: the shapes of requests. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explain/lanes.h"

/* Lane i at base + (i % period) * stride + (i / period) * jump. */
static struct gr_trace_site request(int bytes, int64_t base, int period, int64_t stride,
                                    int64_t jump)
{
    struct gr_trace_site site = {.bytes = bytes};
    for (int i = 0; i < GR_TRACE_LANES; i++)
        site.pattern[i] = i < 32 ? base + i % period * stride + i / period * jump : -1;
    return site;
}

static void a_broadcast_is_one_address(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 400, 32, 0, 0);
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.shape, GR_LANES_ONE);
    assert_int_equal(l.distinct, 1);
    assert_int_equal(l.sectors, 1);
    assert_int_equal(l.active, 32);
}

static void side_by_side_is_told_from_shifted(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 256, 32, 4, 0);
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.shape, GR_LANES_SIDE);
    assert_int_equal(l.pieces, 1);
    assert_int_equal(l.sectors, 4);
    site = request(4, 260, 32, 4, 0);
    l = gr_lanes_of(&site);
    assert_int_equal(l.shape, GR_LANES_SIDE);
    assert_int_equal(l.sectors, 5);
    assert_int_equal(l.sectors_if_aligned, 4);
}

static void a_column_walk_is_a_stride(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 8, 32, 4096, 0);
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.shape, GR_LANES_STRIDE);
    assert_int_equal(l.stride, 4096);
    assert_int_equal(l.pieces, 32);
    assert_int_equal(l.sectors, 32);
    assert_int_equal(l.sectors_side_by_side, 4);
    assert_int_equal(gr_lanes_rows(&site, 4096), 32);
    assert_int_equal(gr_lanes_rows(&site, 0), 0);
}

static void rows_are_groups(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 0, 8, 4, 4096); /* 4 rows, 32 bytes of each */
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.shape, GR_LANES_GROUPS);
    assert_int_equal(l.period, 8);
    assert_int_equal(l.jump, 4096);
    assert_int_equal(l.pieces, 4);
    assert_int_equal(l.sectors, 4);
    site.pattern[9] += 4;
    assert_int_equal(gr_lanes_of(&site).shape, GR_LANES_SCATTERED);
}

static void short_pieces_in_one_sector_count_once(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 0, 32, 8, 0); /* every other element */
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.sectors, 8);
    assert_int_equal(l.sectors_if_aligned, 8);
    assert_int_equal(l.sectors_side_by_side, 4);
}

static void lanes_that_take_no_part_are_left_out(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 0, 32, 4, 0);
    for (int i = 0; i < 32; i += 2)
        site.pattern[i] = -1;
    struct gr_lanes l = gr_lanes_of(&site);
    assert_int_equal(l.active, 16);
    assert_int_equal(l.stride, 8);
    for (int i = 0; i < 32; i++)
        site.pattern[i] = -1;
    assert_int_equal(gr_lanes_of(&site).shape, GR_LANES_NONE);
}

static void colliding_lanes_are_named(void **state)
{
    (void)state;
    struct gr_trace_site site = request(4, 0, 32, 128, 0); /* a column of 32 words' rows */
    struct gr_bank_clash clash = gr_lanes_clash(&site);
    assert_int_equal(clash.lanes, 32);
    assert_int_equal(clash.words, 32);
    assert_int_equal(clash.second, 1);
    site = request(4, 0, 32, 132, 0); /* padded by a word */
    assert_int_equal(gr_lanes_clash(&site).lanes, 1);
    site = request(4, 0, 32, 0, 0); /* one word for all */
    assert_int_equal(gr_lanes_clash(&site).lanes, 1);
    site = request(16, 0, 32, 16, 0); /* a quarter of the warp at a time: none */
    assert_int_equal(gr_lanes_clash(&site).lanes, 1);
    site = request(16, 0, 32, 32, 0); /* every other 16 bytes: two of the quarter's 8 */
    assert_int_equal(gr_lanes_clash(&site).lanes, 2);
    assert_int_equal(gr_lanes_clash(&site).words, 32);
    site = request(8, 0, 32, 8, 0); /* doubles side by side, half a warp at a time */
    assert_int_equal(gr_lanes_clash(&site).lanes, 1);
}

static void banks_give_each_word_once(void **state)
{
    (void)state;
    struct gr_trace_site site = request(16, 0, 32, 0, 0);
    assert_int_equal(gr_lanes_bank_load(&site).words, 4);
    assert_int_equal(gr_lanes_bank_load(&site).deepest, 1);
    site = request(16, 0, 32, 16, 0);
    assert_int_equal(gr_lanes_bank_load(&site).words, 128);
    assert_int_equal(gr_lanes_bank_load(&site).deepest, 4);
    site = request(16, 0, 16, 32, 0); /* 16 addresses, every other 16 bytes */
    assert_int_equal(gr_lanes_bank_load(&site).words, 64);
    assert_int_equal(gr_lanes_bank_load(&site).deepest, 4);
    site = request(4, 0, 32, 128, 0);
    assert_int_equal(gr_lanes_bank_load(&site).deepest, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_is_one_address),
        cmocka_unit_test(side_by_side_is_told_from_shifted),
        cmocka_unit_test(a_column_walk_is_a_stride),
        cmocka_unit_test(rows_are_groups),
        cmocka_unit_test(short_pieces_in_one_sector_count_once),
        cmocka_unit_test(lanes_that_take_no_part_are_left_out),
        cmocka_unit_test(colliding_lanes_are_named),
        cmocka_unit_test(banks_give_each_word_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
