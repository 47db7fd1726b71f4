/* test_row_faults.c: what was seen of a kernel under simulation, and what becomes of its row.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "explain/row_faults.h"

#include <stdio.h>
#include <string.h>

static bool says(const struct gr_row *row, const char *text)
{
    for (int i = 0; i < row->findings.count; i++)
        if (strstr(row->findings.items[i].text, text))
            return true;
    return false;
}

/* Whatever kind it is of, and whoever has seen it. */
static void a_fault_makes_a_right_row_wrong(void **state)
{
    (void)state;
    for (int kind = 0; kind <= GR_FIND_LATENCY; kind++) {
        struct gr_explained seen = {.trace_count = 1};
        struct gr_row row = {.verdict = GR_RIGHT};
        struct gr_finding *f = gr_findings_add(&seen.explanation.findings,
                                               (enum gr_finding_kind)kind, 7, "planted %d", kind);
        f->severity = GR_SEVERITY_FAULT;
        gr_row_take_faults(&seen, &row);
        assert_int_equal(row.verdict, GR_WRONG);
        assert_true(gr_row_is_bad(&row));
        assert_non_null(strstr(row.reason, "line 7: planted"));
        gr_row_free(&row);
        seen.trace_count = 0;
        gr_explained_free(&seen);
    }
}

static void a_warning_leaves_it_right(void **state)
{
    (void)state;
    struct gr_explained seen = {0};
    struct gr_row row = {.verdict = GR_RIGHT};
    gr_findings_add(&seen.explanation.findings, GR_FIND_UNUSED, 3, "written and never read");
    gr_row_take_faults(&seen, &row);
    assert_int_equal(row.verdict, GR_RIGHT);
    assert_false(gr_row_is_bad(&row));
    assert_true(says(&row, "written and never read"));
    gr_row_free(&row);
    gr_explained_free(&seen);
}

/* Not right, not wrong: it is not launched; and the counts are of nothing. */
static void an_impossible_launch_is_refused(void **state)
{
    (void)state;
    const enum gr_verdict before[] = {GR_RIGHT, GR_WRONG, GR_CRASH};
    for (int i = 0; i < 3; i++) {
        struct gr_explained seen = {.impossible = true, .refused = gr_strdup("too many threads")};
        struct gr_row row = {.verdict = before[i], .counts = {.known = true}};
        gr_findings_add(&seen.explanation.findings, GR_FIND_LAUNCH, 0, "too many threads");
        gr_row_take_faults(&seen, &row);
        assert_int_equal(row.verdict, GR_REFUSED);
        assert_string_equal(row.reason, "too many threads");
        assert_false(row.counts.known);
        assert_true(gr_row_is_bad(&row));
        assert_int_equal(row.findings.items[0].kind, GR_FIND_LAUNCH);
        gr_row_free(&row);
        gr_explained_free(&seen);
    }
}

/* A `require` that excludes the problem is the kernel's right. */
static void a_refusal_of_its_own_is_well(void **state)
{
    (void)state;
    struct gr_row row = {.verdict = GR_REFUSED, .reason = gr_strdup("refuses 33: N%4==0")};
    gr_findings_add(&row.findings, GR_FIND_IMPLIED, 0, "alpha==1 && beta==0");
    assert_false(gr_row_is_bad(&row));
    gr_findings_add(&row.findings, GR_FIND_LAUNCH, 0, "grid y is 70000");
    assert_true(gr_row_is_bad(&row));
    gr_row_free(&row);
}

static void what_was_not_searched_is_said(void **state)
{
    (void)state;
    struct gr_explained untraced = {.untraced = gr_strdup("not modelled: tensor maps (TMA)")};
    struct gr_row row = {.verdict = GR_RIGHT};
    gr_row_take_faults(&untraced, &row);
    assert_int_equal(row.verdict, GR_RIGHT);
    assert_true(says(&row, "not searched for faults: not modelled: tensor maps"));
    gr_row_free(&row);
    gr_explained_free(&untraced);

    struct gr_explained sampled = {.trace_count = 1};
    row = (struct gr_row){.verdict = GR_RIGHT};
    sampled.traces[0].coverage = GR_COVERAGE_SAMPLED;
    sampled.traces[0].blocks = 4096;
    sampled.traces[0].blocks_traced = 17;
    gr_row_take_faults(&sampled, &row);
    assert_true(says(&row, "searched for faults in 17 of 4096 blocks"));
    gr_row_free(&row);

    row = (struct gr_row){.verdict = GR_RIGHT};
    sampled.traces[0].coverage = GR_COVERAGE_CLASSES;
    gr_row_take_faults(&sampled, &row);
    assert_int_equal(row.findings.count, 0);
    gr_row_free(&row);
}

/* The search has a limit of time, and the product was there: that the search did not end is no
 * fault of the kernel. */
static void a_search_that_takes_too_long_is_no_fault(void **state)
{
    (void)state;
    static const char text[] = "the kernel does not end: in the last 30 s no block has ended";
    for (int endless = 0; endless < 2; endless++) {
        struct gr_explained seen = {
            .untraced = gr_strdup(text), .died = true, .endless = endless == 1};
        struct gr_row row = {.verdict = GR_RIGHT};
        gr_findings_add(&seen.explanation.findings, GR_FIND_DIED, 0, "%s", text);
        gr_row_take_faults(&seen, &row);
        assert_int_equal(row.verdict, endless ? GR_RIGHT : GR_WRONG);
        assert_int_equal(says(&row, "not searched for faults: tracing"), endless);
        gr_row_free(&row);
        gr_explained_free(&seen);
    }
}

/* Where the row has the fault already, nobody looks for it in the arithmetic. */
static void only_an_unexplained_result_asks_for_its_arithmetic(void **state)
{
    (void)state;
    const enum gr_finding_kind kinds[] = {GR_FIND_NOTE, GR_FIND_SHAPE, GR_FIND_UNWRITTEN};
    for (int i = 0; i < 3; i++) {
        struct gr_explained seen = {.trace_count = 1};
        struct gr_row row = {.verdict = GR_WRONG};
        gr_findings_add(&row.findings, kinds[i], 0, "found before");
        gr_row_take_faults(&seen, &row);
        assert_int_equal(says(&row, "look at the arithmetic"), i == 0);
        gr_row_free(&row);
        seen.trace_count = 0;
        gr_explained_free(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_makes_a_right_row_wrong),
        cmocka_unit_test(a_warning_leaves_it_right),
        cmocka_unit_test(an_impossible_launch_is_refused),
        cmocka_unit_test(a_refusal_of_its_own_is_well),
        cmocka_unit_test(what_was_not_searched_is_said),
        cmocka_unit_test(a_search_that_takes_too_long_is_no_fault),
        cmocka_unit_test(only_an_unexplained_result_asks_for_its_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
