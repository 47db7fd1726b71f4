/* test_advice_launch.c: each rule that reads a launch or compiled code, where it must speak and
 * where it must not. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "advice_case.h"

static void expect(struct advice_case *c, const char *rule, enum gr_finding_kind kind,
                   const char *words)
{
    advice_ask(c, rule);
    if (c->found.count != 1)
        fail_msg("%s: %d findings, not 1", rule, c->found.count);
    assert_string_equal(gr_finding_name(c->found.items[0].kind), gr_finding_name(kind));
    if (!strstr(c->found.items[0].text, words))
        fail_msg("\"%s\" does not say \"%s\"", c->found.items[0].text, words);
}

static void expect_silence(struct advice_case *c, const char *rule)
{
    advice_ask(c, rule);
    if (c->found.count != 0)
        fail_msg("%s: %s", rule, c->found.items[0].text);
}

static void low_occupancy_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 4096, 16384, 1024, NULL); /* a result a thread, 100 KB a block: 32 warps */
    c.launch.block[0] = 256;
    c.launch.grid[0] = 65536;
    c.code.smem_bytes = 100 << 10;
    expect(&c, "occupancy", GR_FIND_OCCUPANCY, "shared memory lets only 16 of 64 warps");
    c.code.smem_bytes = 0;
    c.code.registers = 200;
    expect(&c, "occupancy", GR_FIND_OCCUPANCY, "__launch_bounds__");
    c.code.registers = 32;
    expect_silence(&c, "occupancy");
    advice_end(&c);
    advice_begin(&c, 4096, 512, 256, NULL); /* 128 results a thread, as the last rung */
    c.code.registers = 255;
    expect_silence(&c, "occupancy");
    advice_end(&c);
}

static void spills_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 4096, 1024, 256, NULL);
    advice_fact(&c, "loop.ffma", 64);
    advice_fact(&c, "code.ldl", 7);
    expect_silence(&c, "spills");
    advice_fact(&c, "loop.ldl", 32);
    expect(&c, "spills", GR_FIND_SPILLS, "32 instructions of the hot loop");
    assert_true(c.found.items[0].line > 0);
    advice_end(&c);
}

static void a_poor_last_wave_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 1500, 144, 256, NULL); /* 132 and 12 */
    expect(&c, "waves", GR_FIND_WAVES, "at the end 120 SMs are idle");
    assert_true(c.found.items[0].saves_s > 0);
    c.launch.grid[0] = 4 * 132 + 100;
    expect_silence(&c, "waves");
    c.launch.grid[0] = 132;
    expect_silence(&c, "waves");
    c.launch.grid[0] = 100;
    expect_silence(&c, "waves");
    advice_end(&c);
    advice_begin(&c, 1500, 144, 256,
                 "//@ type f32\n//@ arg share = SMS/2\n//@ grid SMS\n//@ block 1");
    expect_silence(&c, "waves"); /* it knows how many SMs there are */
    advice_end(&c);
}

static void a_small_grid_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 512, 16, 256, NULL);
    expect(&c, "grid", GR_FIND_WAVES, "116 have nothing to do; take smaller tiles");
    c.problem.m = c.problem.n = 256; /* tiles of 64 x 64 */
    expect(&c, "grid", GR_FIND_WAVES, "nothing to do; divide K");
    c.problem.k = 128;
    expect_silence(&c, "grid"); /* nothing would help */
    c.problem.k = 512;
    c.launch.grid[0] = 132;
    expect_silence(&c, "grid");
    advice_end(&c);
}

static void instructions_beside_the_arithmetic_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 4096, 1024, 256, NULL);
    advice_fact(&c, "loop.instructions", 100);
    advice_fact(&c, "loop.ffma", 30);
    advice_fact(&c, "loop.integer", 50);
    advice_fact(&c, "loop.peak_fraction", 0.3);
    expect(&c, "issue", GR_FIND_ISSUE, "unroll");
    assert_true(c.found.items[0].saves_s > 0);
    advice_fact(&c, "loop.ldg", 24);
    expect(&c, "issue", GR_FIND_ISSUE, "unroll");
    advice_fact(&c, "loop.lds", 1); /* every fourth: memory is what is waited for */
    expect_silence(&c, "issue");
    advice_end(&c);
    advice_begin(&c, 4096, 65536, 256, NULL);
    advice_fact(&c, "loop.instructions", 100);
    advice_fact(&c, "loop.ffma", 30);
    advice_fact(&c, "loop.peak_fraction", 0.3);
    expect(&c, "issue", GR_FIND_ISSUE, "more results");
    advice_site(&c, 30, GR_ACCESS_LOAD, ADVICE_A, 4, (int64_t)4096 * 4096 * 128, 32, 4096 * 4, 0);
    expect_silence(&c, "issue");
    advice_end(&c);
    advice_begin(&c, 4096, 1024, 256, NULL);
    advice_fact(&c, "loop.instructions", 100);
    advice_fact(&c, "loop.ffma", 85);
    advice_fact(&c, "loop.peak_fraction", 0.85);
    expect_silence(&c, "issue");
    advice_end(&c);
}

static void odd_blocks_are_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 1024, 10486, 100, NULL);
    expect(&c, "block_shape", GR_FIND_BLOCK_SHAPE, "the last with 4 of 32 threads");
    assert_float_equal(c.found.items[0].fixed, 128, 1e-9);
    c.launch.block[0] = 32;
    c.launch.grid[0] = 32768;
    expect(&c, "block_shape", GR_FIND_BLOCK_SHAPE, "1024 of the 2048");
    c.launch.grid[0] = 512; /* 64 results a thread */
    expect_silence(&c, "block_shape");
    c.launch.block[0] = 128;
    expect_silence(&c, "block_shape");
    advice_end(&c);
}

static void arithmetic_beside_tensor_cores_is_found(void **state)
{
    (void)state;
    struct advice_case c;
    advice_begin(&c, 4096, 1024, 256,
                 "//@ type A=f16 B=f16 C=f32 ACC=f32\n//@ grid 1\n//@ block 1");
    expect(&c, "tensor_cores", GR_FIND_TENSOR_CORES, "f16");
    advice_fact(&c, "code.mma", 64);
    expect_silence(&c, "tensor_cores");
    advice_end(&c);
    advice_begin(&c, 4096, 1024, 256, "//@ type f32\n//@ grid 1\n//@ block 1");
    expect_silence(&c, "tensor_cores");
    advice_end(&c);
    advice_begin(&c, 4096, 1024, 256, "//@ type f32\n//@ math tf32\n//@ grid 1\n//@ block 1");
    expect(&c, "tensor_cores", GR_FIND_TENSOR_CORES, "10 bits");
    c.device.cc = 75;
    expect_silence(&c, "tensor_cores");
    advice_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_occupancy_is_found),
        cmocka_unit_test(spills_are_found),
        cmocka_unit_test(a_poor_last_wave_is_found),
        cmocka_unit_test(a_small_grid_is_found),
        cmocka_unit_test(instructions_beside_the_arithmetic_are_found),
        cmocka_unit_test(odd_blocks_are_found),
        cmocka_unit_test(arithmetic_beside_tensor_cores_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
