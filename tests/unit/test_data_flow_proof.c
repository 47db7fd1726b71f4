/* test_data_flow_proof.c: what proves that machine code with reordered FFMAs computes the same: it
 * accepts right orders, and refuses each of the faults that are planted here; and the rule of the
 * register banks, beside what an H200 took. SPDX-License-Identifier: MIT */
#include "sass/bank_cost.h"
#include "sass/data_flow_proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 22, NONE = 7, PLACE_FIRST = 105 - 64, A_REUSED = 1, B_REUSED = 2 };

static unsigned char before[COUNT * 16], after[COUNT * 16];
static char why[128];

/* What is at a place beside the instruction: it waits for the barriers of the mask. */
static uint64_t place(unsigned stall, unsigned write, unsigned read, unsigned wait)
{
    return (uint64_t)(stall | 1u << 4 | write << 5 | read << 8 | wait << 11) << PLACE_FIRST;
}

static void put(int i, uint64_t low, uint64_t high)
{
    gr_sass_put(before, i, (struct gr_sass_word){low, high});
}

/* d = a * b + c */
static void ffma(int i, unsigned d, unsigned a, unsigned b, unsigned c, unsigned wait)
{
    put(i, 0x7223 | (uint64_t)d << 16 | (uint64_t)a << 24 | (uint64_t)b << 32,
        c | place(1, NONE, NONE, wait));
}

static void lds_128(int i, unsigned d, unsigned address, unsigned barrier, unsigned stall)
{
    put(i, 0x7984 | (uint64_t)d << 16 | (uint64_t)address << 24,
        0xc00 | place(stall, barrier, NONE, 0));
}

/* A block as in a GEMM: fragments are read while others are multiplied. */
static int prepare(void **state)
{
    (void)state;
    lds_128(0, 8, 40, 0, 8);
    lds_128(1, 12, 44, 1, 8); /* what was before the block is over */
    ffma(2, 0, 16, 20, 0, 0);
    ffma(3, 1, 17, 20, 1, 0);
    ffma(4, 2, 18, 20, 2, 0);
    ffma(5, 3, 19, 21, 3, 0);
    ffma(6, 4, 16, 21, 4, 0);
    ffma(7, 24, 8, 20, 24, 1); /* waits for the first load */
    ffma(8, 25, 9, 20, 25, 0);
    ffma(9, 26, 12, 20, 26, 2); /* for the second */
    ffma(10, 27, 13, 21, 27, 0);
    ffma(11, 0, 17, 21, 0, 0); /* adds to what 2 has written */
    lds_128(12, 16, 40, 0, 1); /* overwrites factors */
    ffma(13, 5, 10, 21, 5, 0);
    put(14, UINT64_C(0x182c007388), 0x800 | place(1, NONE, 2, 0)); /* STS [R44], R24 */
    ffma(15, 28, 14, 22, 28, 0);
    ffma(16, 29, 15, 22, 29, 0);
    ffma(17, 24, 14, 22, 24, 4); /* waits until the store has read R24 */
    ffma(18, 30, 15, 22, 30, 0);
    lds_128(19, 60, 40, 3, 8);
    lds_128(20, 64, 44, 3, 8);
    put(21, 0x794d, 0x3800000 | place(5, NONE, NONE, 0)); /* EXIT */
    memcpy(after, before, sizeof after);
    return 0;
}

static bool holds(void)
{
    *why = 0;
    return gr_data_flow_proof(90, before, after, COUNT, why, sizeof why);
}

static void accepted(void)
{
    if (!holds())
        fail_msg("refused: %s", why);
}

static void refused(const char *because)
{
    assert_false(holds());
    if (!strstr(why, because))
        fail_msg("found '%s', wanted '%s'", why, because);
}

/* The instructions change places; what belongs to the places stays there. */
static void swap(int i, int j)
{
    struct gr_sass_word a = gr_sass_get(after, i), b = gr_sass_get(after, j);
    const uint64_t difference = (a.high ^ b.high) & GR_SASS_PLACE_BITS;
    a.high ^= difference;
    b.high ^= difference;
    gr_sass_put(after, i, b);
    gr_sass_put(after, j, a);
}

static void flip(int i, uint64_t low, uint64_t high)
{
    struct gr_sass_word w = gr_sass_get(after, i);
    w.low ^= low;
    w.high ^= high;
    gr_sass_put(after, i, w);
}

static void reuse(int i, uint64_t bits)
{
    flip(i, 0, bits << GR_SASS_REUSE_FIRST);
}

static void right_orders(void **state)
{
    (void)state;
    accepted();
    swap(2, 3);
    accepted();
    swap(4, 5);
    reuse(2, B_REUSED);
    accepted();
    swap(15, 16);
    accepted();
    swap(8, 13); /* past a load that they have nothing to do with */
    accepted();
}

static void dependent_pair(void **state)
{
    (void)state;
    swap(2, 11);
    refused("another value at the end of the block");
}

static void overwritten_factor(void **state)
{
    (void)state;
    swap(6, 13); /* R16 is loaded anew at 12 */
    refused("another value at the end of the block");
}

static void stored_value(void **state)
{
    (void)state;
    swap(7, 15); /* the store at 14 has R24 without it */
    refused("R24 has another value for STS");
}

static void lost_wait(void **state)
{
    (void)state;
    flip(7, 0, place(0, 0, 0, 1) ^ place(0, 0, 0, 0));
    refused("a barrier has changed");
}

static void lost_barrier(void **state)
{
    (void)state;
    flip(0, 0, place(0, NONE, 0, 0) ^ place(0, 0, 0, 0));
    refused("a barrier has changed");
}

static void too_early(void **state)
{
    (void)state;
    swap(4, 8); /* R9 is waited for at 7 */
    refused("an FFMA uses a register that is still in flight");
}

static void too_early_for_store(void **state)
{
    (void)state;
    swap(16, 17); /* the store may not have read R24 */
    refused("an FFMA uses a register that is still in flight");
}

/* Loads that set no barrier are there with the next one that does: the place at which they are used
 * first is as early as it may be. */
static void no_barrier(void **state)
{
    (void)state;
    flip(0, 0, place(0, NONE, 0, 0) ^ place(0, 0, 0, 0));
    memcpy(before, after, sizeof before);
    swap(7, 8);
    refused("an FFMA uses a register that is still in flight");
}

static void changed_stall(void **state)
{
    (void)state;
    flip(4, 0, place(2, 0, 0, 0) ^ place(1, 0, 0, 0));
    refused("the stall count, the yield bit or a barrier has changed");
}

static void may_yield(void **state)
{
    (void)state;
    flip(4, 0, UINT64_C(1) << (109 - 64));
    refused("the stall count, the yield bit or a barrier has changed");
}

static void near_beginning(void **state)
{
    (void)state;
    flip(1, 0, place(8, 0, 0, 0) ^ place(1, 0, 0, 0));
    memcpy(before, after, sizeof before);
    swap(2, 3); /* the block before may have written R17 by an instruction of long latency */
    refused("a fixed latency");
}

static void result_too_soon(void **state)
{
    (void)state;
    swap(2, 6);
    accepted();   /* R0 is used five cycles later */
    swap(10, 11); /* and now four */
    refused("an FFMA uses the result of another too soon");
}

static void store_too_soon(void **state)
{
    (void)state;
    swap(7, 11); /* R24 was written seven cycles before the store, and is now three */
    refused("too near to an instruction");
}

static void another_register(void **state)
{
    (void)state;
    flip(4, UINT64_C(2) << 24, 0);
    refused("another value at the end of the block");
}

static void another_sum(void **state)
{
    (void)state;
    flip(13, 1 << 16, 1); /* R4 in place of R5 */
    refused("another value at the end of the block");
}

static void a_sign(void **state)
{
    (void)state;
    flip(4, 0, UINT64_C(1) << (72 - 64));
    refused("another value at the end of the block");
}

static void a_rounding(void **state)
{
    (void)state;
    flip(4, 0, UINT64_C(1) << (78 - 64));
    refused("another value at the end of the block");
}

static void twice(void **state)
{
    (void)state;
    gr_sass_put(after, 4, gr_sass_get(after, 5));
    refused("another value at the end of the block");
}

static void another_address(void **state)
{
    (void)state;
    flip(1, UINT64_C(16) << 40, 0);
    refused("LDS has changed");
}

static void loads_swapped(void **state)
{
    (void)state;
    const struct gr_sass_word first = gr_sass_get(after, 0);
    gr_sass_put(after, 0, gr_sass_get(after, 1));
    gr_sass_put(after, 1, first);
    refused("has changed");
}

static void no_ffma(void **state)
{
    (void)state;
    flip(4, 0x7223 ^ 0x7221, 0);
    refused("an FFMA is no FFMA any more");
}

static void guarded(void **state)
{
    (void)state;
    flip(4, 0x7000, 0); /* @P0 */
    refused("an FFMA is no FFMA any more");
}

static void unknown(void **state)
{
    (void)state;
    put(13, UINT64_C(0x000000386c78723c), UINT64_C(0x000fe20000000858)); /* HMMA */
    memcpy(after, before, sizeof after);
    swap(2, 3);
    refused("an instruction that is not known");
}

static void unknown_flow(void **state)
{
    (void)state;
    put(18, 0x7949, 0x3800000 | place(5, NONE, NONE, 0)); /* BRX R0 */
    memcpy(after, before, sizeof after);
    swap(2, 3);
    refused("control goes where the code does not say");
}

static void reuse_of_another(void **state)
{
    (void)state;
    reuse(4, B_REUSED); /* 5 has R21 */
    refused("a reuse bit, but the next instruction has another register");
}

static void reuse_of_another_source(void **state)
{
    (void)state;
    reuse(3, A_REUSED); /* 4 has R18 */
    refused("a reuse bit, but the next instruction has another register");
}

static void reuse_before_load(void **state)
{
    (void)state;
    reuse(11, B_REUSED);
    refused("a reuse bit, but the next instruction has another register");
}

static void reuse_overwritten(void **state)
{
    (void)state;
    ffma(3, 20, 17, 20, 1, 0); /* R20 is written, and is read by 4 */
    flip(3, 19 << 16, 0);
    memcpy(after, before, sizeof after);
    reuse(3, B_REUSED);
    refused("a reuse bit that may not be set");
}

static void reuse_of_load(void **state)
{
    (void)state;
    reuse(1, A_REUSED);
    refused("has a new reuse bit");
}

/* ---- The banks. ---- */

/* Cycles for 400 FFMAs, by turns of these sums and factors; `kept`: the other factor is in the
 * operand cache. */
static int cycles_of(const unsigned (*registers)[2], int turns, bool kept)
{
    static struct gr_sass_op ops[400];
    for (int i = 0; i < 400; i++) {
        const unsigned *r = registers[i % turns];
        ops[i] = (struct gr_sass_op){.movable = true,
                                     .d = 100,
                                     .s = {50, (uint8_t)r[1], (uint8_t)r[0]},
                                     .stall = 1,
                                     .reuse = kept ? A_REUSED : 0,
                                     .may_reuse = true};
    }
    return 400 + gr_banks_lost(ops, 400, NULL);
}

static void banks(void **state)
{
    (void)state;
    static const unsigned even[][2] = {{2, 4}}, mixed[][2] = {{3, 4}}, odd[][2] = {{3, 5}},
                          turns[][2] = {{2, 4}, {3, 5}},
                          pairs[][2] = {{2, 4}, {6, 8}, {3, 5}, {7, 9}};
    const int slack = 4;
    assert_in_range(cycles_of(even, 1, false), 3 * 400 - slack, 3 * 400);
    assert_in_range(cycles_of(mixed, 1, false), 2 * 400 - slack, 2 * 400);
    assert_in_range(cycles_of(odd, 1, false), 2 * 400 - slack, 2 * 400);
    assert_in_range(cycles_of(even, 1, true), 2 * 400 - slack, 2 * 400);
    assert_in_range(cycles_of(mixed, 1, true), 400, 400 + slack);
    assert_in_range(cycles_of(turns, 2, true), 400, 400 + slack);
    assert_in_range(cycles_of(pairs, 4, true), 600 - slack, 600 + slack);
}

#define PLANTED(name) cmocka_unit_test_setup(name, prepare)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANTED(right_orders),
        PLANTED(dependent_pair),
        PLANTED(overwritten_factor),
        PLANTED(stored_value),
        PLANTED(lost_wait),
        PLANTED(lost_barrier),
        PLANTED(too_early),
        PLANTED(too_early_for_store),
        PLANTED(no_barrier),
        PLANTED(changed_stall),
        PLANTED(may_yield),
        PLANTED(result_too_soon),
        PLANTED(near_beginning),
        PLANTED(store_too_soon),
        PLANTED(another_register),
        PLANTED(another_sum),
        PLANTED(a_sign),
        PLANTED(a_rounding),
        PLANTED(twice),
        PLANTED(another_address),
        PLANTED(loads_swapped),
        PLANTED(no_ffma),
        PLANTED(guarded),
        PLANTED(unknown),
        PLANTED(unknown_flow),
        PLANTED(reuse_of_another),
        PLANTED(reuse_of_another_source),
        PLANTED(reuse_before_load),
        PLANTED(reuse_overwritten),
        PLANTED(reuse_of_load),
        cmocka_unit_test(banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
