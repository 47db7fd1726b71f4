/* test_simrt_executed.c: what blocks executed, added up by instruction and extrapolated to the
 * classes of a grid. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "simrt/executed_sums.h"

#include <string.h>

enum { CODES = 3, FIRST_CODE = (7 << GR_SIM_SECTION_BITS) + 1 };

gr_sim_stanza_fn *const gr_sim_stanzas[] = {NULL};

static struct gr_executed now[CODES];
static const struct gr_block_counts block = {.executed = now, .instruction_count = CODES};

/* A block whose first instruction is executed `warps` times by 32 lanes, and of the second one half
 * of the lanes are predicated off and part once. */
static void run_block(struct gr_executed_sums *sums, int64_t warps)
{
    now[0] = (struct gr_executed){.warps = warps, .threads = warps * 32, .lanes = warps * 32};
    now[1] = (struct gr_executed){.warps = 2,
                                  .threads = 64,
                                  .lanes = 32,
                                  .divergent = 1,
                                  .local_requests = 2,
                                  .local_sectors = 8};
    assert_true(gr_executed_add(sums, &block));
}

static void sums_are_scaled_by_class(void **state)
{
    struct gr_executed_sums few = {0}, many = {0};
    struct gr_trace trace = {0};
    (void)state;
    run_block(&few, 3);
    run_block(&many, 5);
    run_block(&many, 5);
    assert_false(few.differs || many.differs);
    assert_true(gr_executed_open(&trace, CODES, FIRST_CODE));
    gr_executed_weigh(&few, 1, 4, &trace);
    gr_executed_weigh(&many, 2, 10, &trace);
    const struct gr_trace_instruction *at = trace.instructions;
    assert_int_equal(trace.instruction_count, CODES);
    assert_int_equal(at[0].executed.warps, 4 * 3 + 10 * 5);
    assert_int_equal(at[0].executed.lanes, 32 * (4 * 3 + 10 * 5));
    assert_int_equal(at[1].executed.warps, 14 * 2);
    assert_int_equal(at[1].executed.threads, 14 * 64);
    assert_int_equal(at[1].executed.lanes, 14 * 32);
    assert_int_equal(at[1].executed.divergent, 14);
    assert_int_equal(at[1].executed.local_requests, 14 * 2);
    assert_int_equal(at[1].executed.local_sectors, 14 * 8);
    assert_int_equal(at[2].executed.warps, 0);
    assert_int_equal(at[2].offset, 2 * GR_SIM_INSTRUCTION_BYTES);
    assert_int_equal(at[2].code, FIRST_CODE + 2 * GR_SIM_INSTRUCTION_BYTES);
    gr_executed_free(&few);
    gr_executed_free(&many);
    gr_trace_free(&trace);
}

/* Also where requests agree. */
static void blocks_that_execute_otherwise_differ(void **state)
{
    struct gr_executed_sums sums = {0};
    (void)state;
    run_block(&sums, 3);
    run_block(&sums, 4);
    assert_true(sums.differs);
    gr_executed_free(&sums);
}

static void sites_belong_to_their_instruction(void **state)
{
    struct gr_trace trace = {0};
    struct gr_trace_site site = {.code = FIRST_CODE + GR_SIM_INSTRUCTION_BYTES,
                                 .requests = 2,
                                 .sectors = 8,
                                 .wavefronts = 3};
    (void)state;
    assert_true(gr_executed_open(&trace, CODES, FIRST_CODE));
    gr_executed_site(&trace, &site);
    gr_executed_site(&trace, &site);
    assert_int_equal(trace.instructions[1].requests, 4);
    assert_int_equal(trace.instructions[1].sectors, 16);
    assert_int_equal(trace.instructions[1].wavefronts, 6);
    site.code = FIRST_CODE + CODES * GR_SIM_INSTRUCTION_BYTES; /* of no instruction */
    gr_executed_site(&trace, &site);
    site.code = 1;
    gr_executed_site(&trace, &site);
    assert_int_equal(trace.instructions[0].requests + trace.instructions[2].requests, 0);
    gr_trace_free(&trace);
}

/* The engine that runs the source executes no machine code. */
static void without_machine_code_there_are_none(void **state)
{
    const struct gr_block_counts other = {0};
    struct gr_executed_sums sums = {0};
    struct gr_trace trace = {0};
    (void)state;
    assert_true(gr_executed_add(&sums, &other));
    assert_null(sums.sums);
    assert_true(gr_executed_open(&trace, 0, 0));
    gr_executed_weigh(&sums, 1, 1, &trace);
    assert_null(trace.instructions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_scaled_by_class),
        cmocka_unit_test(blocks_that_execute_otherwise_differ),
        cmocka_unit_test(sites_belong_to_their_instruction),
        cmocka_unit_test(without_machine_code_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
