/* test_loop_marks.c: which loops of the assembly get a mark. The snippets are g++ 12's, shortened.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/loop_marks.h"

#include <string.h>

static int loops_of(const char *text, struct gr_loop_marks *turns)
{
#if !defined(__x86_64__)
    skip();
#endif
    gr_loop_marks_find(text, turns);
    return turns->count;
}

static void expect_loops(const char *text, int count)
{
    struct gr_loop_marks turns;
    assert_int_equal(loops_of(text, &turns), count);
    gr_loop_marks_free(&turns);
}

#define ACCESS "\tmovq\t%rbx, %rdi\n\tcall\t__tsan_read4\n"
#define BACK "\taddq\t$4, %rbx\n\tcmpq\t%rbx, %r12\n\tjne\t.L3\n\tret\n"

static void straight_loops_need_none(void **state)
{
    (void)state;
    expect_loops(".L3:\n" ACCESS ACCESS BACK, 0);
    expect_loops("\tjmp\t.L4\n.L3:\n" ACCESS ".L4:\n" ACCESS BACK, 0);
    expect_loops("", 0);
}

static void leaving_early_needs_none(void **state)
{
    (void)state;
    expect_loops(".L3:\n" ACCESS "\tjle\t.L9\n" ACCESS BACK ".L9:\n\tret\n", 0);
}

static void skipping_an_access_needs_one(void **state)
{
    (void)state;
    const char text[] =
        "f:\n\ttestl\t%eax, %eax\n.L3:\n\ttestl\t%ecx, %ecx\n\tje\t.L4\n" ACCESS ".L4:\n" BACK;
    struct gr_loop_marks turns;
    assert_int_equal(loops_of(text, &turns), 1);
    assert_int_equal(turns.items[0].header, strstr(text, ".L3:") - text);
    assert_int_equal(turns.items[0].jump, strstr(text, "\tjne\t.L3") - text);
    gr_loop_marks_free(&turns);
}

/* With -fwrapv g++ puts the inner loop before the header of the outer one. */
static void an_inner_loop_that_comes_first_needs_one(void **state)
{
    (void)state;
    const char text[] = "f:\n\tjmp\t.L5\n.L6:\n" ACCESS "\tcmpl\t%ebp, %eax\n\tjle\t.L6\n"
                        ".L8:\n\taddl\t$1, %ecx\n\tcmpl\t%esi, %ecx\n\tjge\t.L4\n"
                        ".L5:\n\txorl\t%eax, %eax\n\tcmpl\t$-1, %ebp\n\tjne\t.L6\n\tjmp\t.L8\n"
                        ".L4:\n\tret\n";
    struct gr_loop_marks turns;
    assert_int_equal(loops_of(text, &turns), 1);
    assert_int_equal(turns.items[0].header, strstr(text, ".L8:") - text);
    assert_int_equal(turns.items[0].jump, strstr(text, "\tjmp\t.L8") - text);
    gr_loop_marks_free(&turns);
}

static void skipping_no_access_needs_none(void **state)
{
    (void)state;
    expect_loops(".L3:\n" ACCESS "\ttestl\t%ecx, %ecx\n\tje\t.L4\n\taddl\t$1, %ecx\n.L4:\n" BACK,
                 0);
}

static void going_on_early_needs_one(void **state)
{
    (void)state;
    expect_loops(".L3:\n\taddl\t$1, %ecx\n\ttestl\t%ecx, %ecx\n\tje\t.L3\n" ACCESS BACK, 1);
}

/* The inner loop's lanes may go round more or less often; the inner loop itself is straight. */
static void a_loop_around_a_loop_needs_one(void **state)
{
    (void)state;
    expect_loops(".L3:\n\txorl\t%ecx, %ecx\n.L5:\n" ACCESS "\tcmpl\t%ecx, %eax\n\tjne\t.L5\n" BACK,
                 1);
}

/* What the mark would spoil: the flags that the code after the label goes by. */
static void flags_in_use_forbid_one(void **state)
{
    (void)state;
    expect_loops("\tcmpl\t%eax, %ecx\n.L3:\n\tmovl\t%eax, %edx\n\tje\t.L4\n" ACCESS ".L4:\n" BACK,
                 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_loops_need_none),
        cmocka_unit_test(leaving_early_needs_none),
        cmocka_unit_test(skipping_an_access_needs_one),
        cmocka_unit_test(an_inner_loop_that_comes_first_needs_one),
        cmocka_unit_test(skipping_no_access_needs_none),
        cmocka_unit_test(going_on_early_needs_one),
        cmocka_unit_test(a_loop_around_a_loop_needs_one),
        cmocka_unit_test(flags_in_use_forbid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
