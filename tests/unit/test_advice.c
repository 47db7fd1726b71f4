/* test_advice.c: each rule that reads a trace, where it must speak and where it must not.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "advice_case.h"

enum { N = 1024, WARPS_OF_C = N * N / 32, STEPS = WARPS_OF_C * N };

static void expect(struct advice_case *c, const char *rule, enum gr_finding_kind kind, int line,
                   const char *words)
{
    advice_ask(c, rule);
    if (c->found.count != 1)
        fail_msg("%s: %d findings, not 1", rule, c->found.count);
    assert_string_equal(gr_finding_name(c->found.items[0].kind), gr_finding_name(kind));
    assert_int_equal(c->found.items[0].line, line);
    if (!strstr(c->found.items[0].text, words))
        fail_msg("\"%s\" does not say \"%s\"", c->found.items[0].text, words);
}

static void expect_silence(struct advice_case *c, const char *rule)
{
    advice_ask(c, rule);
    if (c->found.count != 0)
        fail_msg("%s: %s", rule, c->found.items[0].text);
}

/* 01_naive and 02_coalesced_xy, as they are seen. */
static void begin_naive(struct advice_case *c)
{
    advice_begin(c, N, 1024, 1024, NULL);
    c->launch.block[0] = c->launch.block[1] = 32;
    advice_site(c, 33, GR_ACCESS_LOAD, ADVICE_A, 4, STEPS, 32, N * 4, 0);
    advice_site(c, 33, GR_ACCESS_LOAD, ADVICE_B, 4, STEPS, 32, 0, 0);
    advice_site(c, 35, GR_ACCESS_STORE, ADVICE_C, 4, WARPS_OF_C, 32, N * 4, 0);
    c->arrays[ADVICE_A].block_distinct_bytes = (int64_t)1024 * 32 * N * 4;
    c->arrays[ADVICE_B].block_distinct_bytes = (int64_t)1024 * 32 * N * 4;
}

static void begin_coalesced(struct advice_case *c)
{
    advice_begin(c, N, 1024, 1024, NULL);
    advice_site(c, 34, GR_ACCESS_LOAD, ADVICE_A, 4, STEPS, 32, 0, 0);
    advice_site(c, 34, GR_ACCESS_LOAD, ADVICE_B, 4, STEPS, 32, 4, 0);
    advice_site(c, 36, GR_ACCESS_STORE, ADVICE_C, 4, WARPS_OF_C, 32, 4, 0);
    c->arrays[ADVICE_A].block_distinct_bytes = (int64_t)1024 * 32 * N * 4;
    c->arrays[ADVICE_B].block_distinct_bytes = (int64_t)1024 * 32 * N * 4;
}

/* A tile loaded by way of shared memory, `results` of C a thread; `reads` passes a multiply-add and
 * thread. */
static void begin_tiled(struct advice_case *c, int tile, int results, double passes)
{
    unsigned blocks = (unsigned)(N / tile * (N / tile));
    advice_begin(c, N, blocks, (unsigned)(tile * tile / results), NULL);
    int64_t loads = (int64_t)blocks * N * tile / 32;
    advice_site(c, 40, GR_ACCESS_LOAD, ADVICE_A, 4, loads, 16, 4, N * 4);
    advice_site(c, 41, GR_ACCESS_LOAD, ADVICE_B, 4, loads, 32, 4, 0);
    advice_site(c, 40, GR_ACCESS_STORE, ADVICE_AS, 4, loads, 32, 4, 0);
    advice_site(c, 41, GR_ACCESS_STORE, ADVICE_BS, 4, loads, 32, 4, 0);
    advice_site(c, 50, GR_ACCESS_LOAD, ADVICE_BS, 4, (int64_t)(STEPS * passes), 32, 4, 0);
    c->arrays[ADVICE_A].block_distinct_bytes = loads * 128;
    c->arrays[ADVICE_B].block_distinct_bytes = loads * 128;
    c->trace.barriers = (int64_t)STEPS / results / 16 * 2;
}

static void a_column_walk_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_naive(&c);
    expect(&c, "coalescing", GR_FIND_COALESCING, 33, "swap x and y");
    assert_true(strstr(c.found.items[0].text, "32 rows of A") != NULL);
    assert_float_equal(c.found.items[0].now, 32, 1e-9);
    assert_float_equal(c.found.items[0].fixed, 4, 1e-9);
    assert_true(c.found.items[0].saves_s > 0);
    advice_end(&c);
    begin_naive(&c); /* a block without y has nothing to swap */
    c.launch.block[0] = 1024, c.launch.block[1] = 1;
    expect(&c, "coalescing", GR_FIND_COALESCING, 33, "neighbouring columns of C");
    advice_end(&c);
    begin_coalesced(&c);
    expect_silence(&c, "coalescing");
    expect_silence(&c, "leading");
    advice_end(&c);
    begin_tiled(&c, 64, 8, 0.4);
    expect_silence(&c, "coalescing");
    expect_silence(&c, "reuse");
    advice_end(&c);
}

static void short_rows_of_a_tile_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 64, 64, 0.1);
    advice_site(&c, 60, GR_ACCESS_LOAD, ADVICE_A, 4, STEPS / 8, 4, 4, N * 4); /* 16 bytes a row */
    expect(&c, "coalescing", GR_FIND_COALESCING, 60, "8 rows of A, 16 bytes of each");
    advice_end(&c);
}

static void strided_stores_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_coalesced(&c);
    expect_silence(&c, "stores");
    advice_site(&c, 70, GR_ACCESS_STORE, ADVICE_C, 4, STEPS / 16, 16, 32, N * 4);
    expect(&c, "stores", GR_FIND_COALESCING, 70, "32 bytes apart");
    assert_true(strstr(c.found.items[0].text, "16 bytes at a time") != NULL);
    advice_end(&c);
    begin_coalesced(&c);
    c.problem.ldc = N - 1; /* no vector fits: the thread stores one by one */
    advice_site(&c, 71, GR_ACCESS_STORE, ADVICE_C, 4, STEPS / 16, 32, 16, 0);
    expect(&c, "stores", GR_FIND_COALESCING, 71, "from 1023 to 1024");
    advice_end(&c);
    begin_naive(&c);
    c.sites[2].requests *= 16; /* a share of the whole that can be measured */
    c.sites[2].sectors *= 64;
    c.sites[2].sectors_ideal *= 16;
    expect(&c, "stores", GR_FIND_COALESCING, 35, "walk the columns of C");
    advice_end(&c);
}

static void rows_that_are_shifted_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_coalesced(&c);
    c.problem.ldb = N + 1;
    for (int i = 0; i < 32; i++)
        c.sites[1].pattern[i] += 4;
    c.sites[1].sectors = c.sites[1].requests * 39 / 8;
    expect(&c, "leading", GR_FIND_COALESCING, 34, "from 1025 to 1032");
    expect_silence(&c, "coalescing");
    c.problem.ldb = N; /* the kernel's own offset: not the leading dimension's fault */
    expect_silence(&c, "leading");
    advice_end(&c);
}

static void conflicts_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 32, 1, 1);
    expect_silence(&c, "banks");
    struct gr_trace_site *s = advice_site(&c, 55, GR_ACCESS_LOAD, ADVICE_AS, 4, STEPS, 32, 128, 0);
    s->wavefronts = 32 * s->requests;
    expect(&c, "banks", GR_FIND_BANKS, 55, "pad each row of As by 1 element");
    assert_float_equal(c.found.items[0].now, 32, 1e-9);
    assert_float_equal(c.found.items[0].fixed, 1, 1e-9);
    advice_end(&c);
    begin_tiled(&c, 32, 1, 1);
    s = advice_site(&c, 56, GR_ACCESS_LOAD, ADVICE_BS, 16, STEPS, 16, 32, 0); /* 08's Bs */
    s->wavefronts = 2 * s->wavefronts_ideal;
    expect(&c, "banks", GR_FIND_BANKS, 56, "pieces of 16 bytes");
    advice_end(&c);
}

static void padding_keeps_vectors_aligned(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 32, 1, 1);
    struct gr_trace_site *s =
        advice_site(&c, 57, GR_ACCESS_STORE, ADVICE_AS, 4, STEPS, 4, 2048, 4); /* 08's As */
    s->wavefronts = 4 * s->requests; /* by 4 elements two lanes of each bank would remain */
    advice_site(&c, 58, GR_ACCESS_LOAD, ADVICE_AS, 16, STEPS, 32, 0, 0);
    expect(&c, "banks", GR_FIND_BANKS, 57, "by 8 elements (so that vectors stay aligned");
    advice_end(&c);
}

static void narrow_loads_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 128, 64, 0.06);
    expect(&c, "width", GR_FIND_WIDTH, 40, "float4");
    c.sites[0].bytes = c.sites[1].bytes = 16;
    expect_silence(&c, "width");
    advice_end(&c);
    begin_tiled(&c, 32, 1, 2); /* shared memory is what counts there */
    expect_silence(&c, "width");
    advice_end(&c);
    begin_coalesced(&c);
    expect_silence(&c, "width");
    advice_end(&c);
}

static void data_fetched_again_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_coalesced(&c);
    expect(&c, "reuse", GR_FIND_REUSE, 34, "A and B");
    assert_float_equal(c.found.items[0].now / c.found.items[0].fixed, 32, 0.01);
    advice_end(&c);
}

static void too_few_multiply_adds_a_read_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 32, 1, 2);
    expect(&c, "intensity", GR_FIND_INTENSITY, 50, "column of 8");
    assert_float_equal(c.found.items[0].now, 0.5, 1e-9);
    assert_float_equal(c.found.items[0].fixed, 4, 1e-9);
    assert_true(c.found.items[0].saves_s > 0);
    advice_end(&c);
    begin_tiled(&c, 64, 8, 0.4);
    expect(&c, "intensity", GR_FIND_INTENSITY, 50, "8 x 8");
    advice_end(&c);
    begin_tiled(&c, 128, 64, 0.1);
    expect_silence(&c, "intensity");
    advice_end(&c);
    begin_coalesced(&c);
    expect_silence(&c, "intensity");
    advice_end(&c);
}

static void small_tiles_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 8, 1, 2);
    expect(&c, "tile", GR_FIND_INTENSITY, 0, "larger tile");
    advice_end(&c);
    begin_tiled(&c, 32, 1, 2);
    expect_silence(&c, "tile");
    advice_end(&c);
    begin_naive(&c); /* has no tile at all */
    expect_silence(&c, "tile");
    advice_end(&c);
}

static void idle_lanes_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_coalesced(&c);
    expect_silence(&c, "divergence");
    c.sites[1].lanes /= 2;
    expect_silence(&c, "divergence"); /* the costliest request is full: edges */
    for (int i = 0; i < 16; i++)
        c.sites[1].pattern[2 * i] = -1;
    expect(&c, "divergence", GR_FIND_DIVERGENCE, 34, "16 take part");
    advice_end(&c);
}

static void little_work_between_barriers_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 32, 1, 2);
    expect(&c, "barriers", GR_FIND_BARRIERS, 0, "8 multiply-adds between two barriers");
    advice_end(&c);
    begin_tiled(&c, 64, 8, 0.4);
    expect_silence(&c, "barriers");
    advice_end(&c);
    begin_naive(&c);
    expect_silence(&c, "barriers");
    advice_end(&c);
}

static void waiting_for_a_tile_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 128, 64, 0.1);
    advice_fact(&c, "occupancy", 0.25);
    advice_fact(&c, "occupancy.warps", 16);
    expect(&c, "latency", GR_FIND_LATENCY, 41, "cp.async");
    c.sites[2].line = c.sites[3].line = 90; /* stored below the multiply-adds: fetched ahead */
    expect_silence(&c, "latency");
    c.sites[2].line = c.sites[3].line = 41;
    c.sites[0].access = c.sites[1].access = GR_ACCESS_COPY;
    expect_silence(&c, "latency");
    advice_end(&c);
    begin_tiled(&c, 64, 8, 0.4);
    advice_fact(&c, "occupancy", 0.5);
    advice_fact(&c, "occupancy.warps", 32);
    expect_silence(&c, "latency");
    advice_end(&c);
}

static void atomics_on_one_element_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    begin_tiled(&c, 64, 8, 0.4);
    advice_site(&c, 80, GR_ACCESS_ATOMIC, ADVICE_C, 4, STEPS, 32, 0, 0);
    expect(&c, "atomics", GR_FIND_ATOMICS, 80, "__shfl_down_sync");
    c.trace.site_count--;
    advice_site(&c, 81, GR_ACCESS_ATOMIC, ADVICE_C, 4, STEPS, 32, 4, 0);
    expect_silence(&c, "atomics");
    c.trace.site_count--;
    advice_site(&c, 82, GR_ACCESS_ATOMIC, ADVICE_C, 4, STEPS, 32, N * 4, 0);
    expect(&c, "atomics", GR_FIND_ATOMICS, 82, "not contiguous");
    advice_end(&c);
}

static void sites_of_a_line_are_one_place(void **state)
{
    (void)state;
    struct advice_case c;
    begin_naive(&c);
    advice_site(&c, 33, GR_ACCESS_LOAD, ADVICE_A, 4, STEPS, 32, N * 4, 0);
    expect(&c, "coalescing", GR_FIND_COALESCING, 33, "32 sectors a request");
    snprintf(c.sites[3].file, sizeof c.sites[3].file, "helper.h");
    advice_ask(&c, "coalescing");
    assert_int_equal(c.found.count, 2);
    advice_end(&c);
}

static void without_a_trace_rules_are_silent(void **state)
{
    (void)state;
    struct advice_case c;
    begin_naive(&c);
    c.input.trace = NULL;
    c.input.kernel = NULL;
    c.input.launch = NULL;
    for (int i = 0; gr_advice_all[i]; i++)
        expect_silence(&c, gr_advice_all[i]->name);
    advice_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_walk_is_found),
        cmocka_unit_test(short_rows_of_a_tile_are_found),
        cmocka_unit_test(strided_stores_are_found),
        cmocka_unit_test(rows_that_are_shifted_are_found),
        cmocka_unit_test(conflicts_are_found),
        cmocka_unit_test(padding_keeps_vectors_aligned),
        cmocka_unit_test(narrow_loads_are_found),
        cmocka_unit_test(data_fetched_again_is_found),
        cmocka_unit_test(too_few_multiply_adds_a_read_are_found),
        cmocka_unit_test(small_tiles_are_found),
        cmocka_unit_test(idle_lanes_are_found),
        cmocka_unit_test(little_work_between_barriers_is_found),
        cmocka_unit_test(waiting_for_a_tile_is_found),
        cmocka_unit_test(atomics_on_one_element_are_found),
        cmocka_unit_test(sites_of_a_line_are_one_place),
        cmocka_unit_test(without_a_trace_rules_are_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
