/* test_json.c: a run to JSON and back, and files that are not what they say.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "io/json.h"
#include "report/synthetic.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void make_run(struct gr_run *run)
{
    *run = (struct gr_run){.sweep = true, .by_work = true};
    synthetic_environment(run);
    run->planned = 39;
    run->stopped = gr_strdup("--stop-after 10m");
    struct gr_row *row =
        synthetic_row(run, synthetic_hostile_name, "a \"title\"\nof two", 64, 30, 60);
    row->path = gr_strdup("kernels/cpu/01.c");
    row->variant = gr_strdup("avx512 8x48");
    row->problem.ldc = 70;
    row->problem.beta = 0.1;
    row->problem.trans_b = true;
    row->requested_m = 4096;
    row->competitor_count = 2;
    row->competitors = calloc(2, sizeof *row->competitors);
    assert_non_null(row->competitors);
    row->competitors[0] = (struct gr_competitor){row->peer, row->speedup};
    row->competitors[1] =
        (struct gr_competitor){{"onednn", "2.6.3", "avx2", 1, 0, 12.5}, {1.5, 1.25, 2, 9}};
    row->cold = true;
    gr_findings_add(&row->findings, GR_FIND_SHAPE, 12, "wrong where N%%128 != 0");
    struct gr_finding *nan = gr_findings_add(&row->findings, GR_FIND_NAN, 0, "NaN at 3,7");
    nan->severity = GR_SEVERITY_ADVICE; /* not its kind's own */
    strcpy(nan->about, "As");
    row->diagnose = gr_strdup("gradus explain mine.cu 64");
    row = synthetic_row(run, "bad", NULL, 8, 20, 0);
    row->verdict = GR_WRONG;
    row->reason = gr_strdup("one element is NaN");
    row->log = gr_strdup("error: \x1b[31m\xff\xfe");
    row->worst = (struct gr_worst){true, 1, 2, NAN, INFINITY, INFINITY, 16};
    row->problem.types = (struct gr_types){GR_BF16, GR_BF16, GR_F32, GR_F32};
}

static void cjson_or_skip(void)
{
    if (!gr_json_is_readable())
        skip();
}

static char *write_run(const struct gr_run *run)
{
    struct gr_str text = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_json_write_run(run, &text, &error), GRADUS_OK);
    return text.text;
}

/* What is written, read and written again is the same text: no field is lost on the way. */
static void round_trip(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run, again;
    struct gradus_error error = {0};
    make_run(&run);
    char *text = write_run(&run);
    assert_int_equal(gr_json_parse_run("x.json", text, strlen(text), &again, &error), GRADUS_OK);
    char *second = write_run(&again);
    assert_string_equal(text, second);

    const struct gr_row *x = &run.rows[0], *y = &again.rows[0];
    assert_string_equal(y->kernel, x->kernel);
    assert_string_equal(y->title, x->title);
    assert_true(y->time_ns.median == x->time_ns.median && y->time_ns.n == 31);
    assert_true(y->speedup.lo == x->speedup.lo && y->peer.gflops == 60);
    assert_true(y->problem.ldc == 70 && y->problem.beta == 0.1 && y->problem.trans_b);
    assert_true(y->requested_m == 4096 && y->requested_n == 64);
    assert_int_equal(y->findings.count, 2);
    assert_int_equal(y->findings.items[0].kind, GR_FIND_SHAPE);
    assert_int_equal(y->findings.items[0].line, 12);
    assert_int_equal(y->findings.items[0].severity, GR_SEVERITY_WARNING);
    assert_int_equal(y->findings.items[1].severity, GR_SEVERITY_ADVICE);
    assert_string_equal(y->findings.items[1].about, "As");
    assert_string_equal(y->diagnose, x->diagnose);
    assert_true(again.by_work && again.environment.seed == UINT64_MAX);
    assert_true(gr_ceiling_find(&again.environment, "read.dram") == 12.4);
    free(text);
    free(second);
    gr_run_free(&run);
    gr_run_free(&again);
}

/* A measurement that is no number is told as none: JSON has neither NaN nor infinities, and what is
 * read again is a run. */
static void no_measurement_is_infinite(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        struct gr_run run;
        make_run(&run);
        struct gr_row *row = &run.rows[0];
        run.rows[1].worst.known = false; /* which says "nan", as a text */
        row->time_ns.median = row->time_ns.min = row->time_ns.iqr = odd[i];
        row->gflops = row->peak_fraction = row->disturbed = odd[i];
        row->peer.gflops = row->speedup.median = row->speedup.lo = row->speedup.hi = odd[i];
        row->competitors[0].speedup.lo = row->problem.alpha = row->problem.beta = odd[i];
        run.environment.ceilings[0].value = odd[i];
        row->simulated = true;
        row->counts = (struct gr_row_counts){.known = true, .load_sectors = odd[i]};
        row->traffic = (struct gr_row_traffic){odd[i], odd[i], 1, odd[i]};
        char *text = write_run(&run);
        for (const char *at = text; (at = strchr(at, ':')); at++) {
            const char *value = at + 1 + strspn(at + 1, " \t");
            assert_false(gr_starts_with(value, "nan") || gr_starts_with(value, "inf") ||
                         gr_starts_with(value, "-inf") || gr_starts_with(value, "-nan"));
        }
        assert_non_null(strstr(text, "\"median\":\tnull"));
        struct gr_run again;
        struct gradus_error error = {0};
        if (gr_json_is_readable()) {
            const enum gradus_status status =
                gr_json_parse_run("x.json", text, strlen(text), &again, &error);
            assert_true(status == GRADUS_OK || status == GRADUS_INVALID);
            if (status == GRADUS_OK)
                gr_run_free(&again);
            else
                assert_null(strstr(error.text, "is not JSON"));
        }
        gradus_error_clear(&error);
        free(text);
        gr_run_free(&run);
    }
}

/* A figure that is not known, which its member says by 0, is not written as 0. */
static void unknown_is_not_zero(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run;
    make_run(&run);
    struct gr_row *row = &run.rows[0];
    row->peak_fraction = 0;
    row->counts = (struct gr_row_counts){.known = true, .requests = 8, .registers = 0};
    char *text = write_run(&run);
    const char *peak = strstr(text, "\"peak_fraction\":"); /* of the first row */
    assert_true(peak && gr_starts_with(peak, "\"peak_fraction\":\tnull"));
    assert_non_null(strstr(text, "\"registers\":\tnull"));
    assert_non_null(strstr(text, "\"shared_conflicts\":\t0"));
    free(text);
    gr_run_free(&run);
}

/* Counts of a simulation too: a run that goes on keeps them. */
static void counts_come_back(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run, again;
    struct gradus_error error = {0};
    make_run(&run);
    run.rows[0].simulated = true;
    run.rows[0].traffic = (struct gr_row_traffic){4096, 6000, 8192.5, 123};
    run.rows[0].counts = (struct gr_row_counts){.known = true,
                                                .sampled = true,
                                                .load_sectors = 16.5,
                                                .load_ideal = 2.5,
                                                .requests = 1LL << 40,
                                                .sectors = 17,
                                                .wavefronts = 5,
                                                .conflicts = 3,
                                                .registers = 128,
                                                .occupancy = 0.25};
    char *text = write_run(&run);
    assert_int_equal(gr_json_parse_run("x.json", text, strlen(text), &again, &error), GRADUS_OK);
    char *second = write_run(&again);
    assert_string_equal(text, second);
    const struct gr_row *row = &again.rows[0];
    assert_true(row->simulated && row->counts.known && row->counts.sampled);
    assert_true(row->traffic.dram == 4096 && row->traffic.l1 == 8192.5);
    assert_true(row->traffic.l2 == 6000 && row->traffic.shared == 123);
    assert_true(again.planned == 39 && strcmp(again.stopped, "--stop-after 10m") == 0);
    assert_true(row->counts.requests == 1LL << 40 && row->counts.sectors == 17);
    assert_true(row->counts.wavefronts == 5 && row->counts.conflicts == 3);
    assert_true(row->counts.load_sectors == 16.5 && row->counts.store_sectors == 0);
    assert_true(row->counts.registers == 128 && row->counts.occupancy == 0.25);
    assert_false(again.rows[1].simulated || again.rows[1].counts.known);
    free(text);
    free(second);
    gr_run_free(&run);
    gr_run_free(&again);
}

/* The law: a row whose check fails shows no speed, whatever the row holds. */
static void wrong_row_has_no_speed(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run, again;
    make_run(&run);
    char *text = write_run(&run);
    assert_int_equal(gr_json_parse_run("x", text, strlen(text), &again, NULL), GRADUS_OK);
    const struct gr_row *row = &again.rows[1];
    assert_int_equal(row->verdict, GR_WRONG);
    assert_int_equal(row->time_ns.n, 0);
    assert_true(row->gflops == 0 && row->peak_fraction == 0);
    assert_true(isnan(row->worst.got) && isinf(row->worst.want) && isinf(row->worst.ratio));
    assert_int_equal(row->problem.types.a, GR_BF16);
    assert_int_equal(row->problem.types.c, GR_F32);
    assert_string_equal(row->log, "error: \x1b[31m\xEF\xBF\xBD\xEF\xBF\xBD");
    free(text);
    gr_run_free(&run);
    gr_run_free(&again);
}

/* Replaces `from` by `to` in a good file and expects the error `wanted`. */
static void expect_error(const char *good, const char *from, const char *to, const char *wanted)
{
    struct gr_str text = {0};
    struct gr_run run;
    struct gradus_error error = {0};
    const char *at = strstr(good, from);
    if (!at)
        fail_msg("no '%s' in the file", from);
    gr_str_add_bytes(&text, good, (size_t)(at - good));
    gr_str_add(&text, to);
    gr_str_add(&text, at + strlen(from));
    enum gradus_status status = gr_json_parse_run("old.json", text.text, text.length, &run, &error);
    assert_int_equal(status, GRADUS_INVALID);
    assert_string_equal(error.text, wanted);
    assert_null(run.rows);
    gr_str_free(&text);
}

static void hostile_fields(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run;
    make_run(&run);
    char *good = write_run(&run);
    expect_error(good, "\"m\":\t64", "\"m\":\t-64",
                 "old.json: rows[0].m: found -64, wanted a number from 0 to 9.0072e+15");
    expect_error(good, "\"m\":\t64", "\"m\":\t1e999",
                 "old.json: rows[0].m: found inf, wanted a number from 0 to 9.0072e+15");
    expect_error(good, "\"m\":\t64", "\"m\":\t64.5",
                 "old.json: rows[0].m: found 64.5, wanted a whole number");
    expect_error(good, "\"m\":\t64", "\"x\":\t64",
                 "old.json: rows[0].m: found nothing, wanted a number from 0 to 9.0072e+15");
    expect_error(good, "\"f32\"", "\"f\\u001b[31m\"",
                 "old.json: rows[0].dtype: found \"f?[31m\", wanted an element type (f32, f64, …)");
    expect_error(
        good, "\"right\"", "\"RIGHT\"",
        "old.json: rows[0].verdict: found \"RIGHT\", wanted a verdict (right, wrong, skip, …)");
    expect_error(good, "\"nt\"", "\"xy\"",
                 "old.json: rows[0].trans: found \"xy\", wanted nn, nt, tn or tt");
    expect_error(good, "\"nt\"", "\"ntn\"",
                 "old.json: rows[0].trans: found \"ntn\", wanted nn, nt, tn or tt");
    expect_error(good, "\"is_peer\":\tfalse", "\"is_peer\":\t\"false\"",
                 "old.json: rows[0].is_peer: found \"false\", wanted true or false");
    expect_error(good, "\"by_work\":\ttrue", "\"by_work\":\t2",
                 "old.json: by_work: found 2, wanted true or false");
    expect_error(
        good, "\"gradus-run\"", "\"else\"",
        "old.json: schema: found \"else\", wanted \"gradus-run\": a file that gradus --format "
        "json wrote");
    expect_error(
        good, "\"schema_version\":\t1", "\"schema_version\":\t2",
        "old.json: schema_version: found 2, wanted 1: make the file again with this gradus");
    expect_error(good, "\"18446744073709551615\"", "\"18446744073709551616\"",
                 "old.json: environment.seed: found \"18446744073709551616\", wanted 64 bits in "
                 "decimal, as a string");
    expect_error(good, "\"openblas\"", "\"a name that is much longer than its place in the row\"",
                 "old.json: rows[0].peer.name: found \"a name that is much longer than its "
                 "plac...\", wanted "
                 "at most 31 bytes");
    expect_error(
        good, "\"inf\"", "\"infinite\"",
        "old.json: rows[1].worst.want: found \"infinite\", wanted a number, \"nan\", \"inf\" or "
        "\"-inf\"");
    expect_error(good, "\"cold\"", "\"cold\"x",
                 "old.json:79:19: this is not JSON, wanted a file that "
                 "gradus --format json wrote");
    free(good);
    gr_run_free(&run);
}

/* Behind the object only blanks may stand. */
static void what_stands_behind(void **state)
{
    (void)state;
    cjson_or_skip();
    const struct {
        const char *text;
        enum gradus_status status;
    } behind[] = {{"", GRADUS_OK},        {" \t\r\n\n", GRADUS_OK}, {"x", GRADUS_INVALID},
                  {"{}", GRADUS_INVALID}, {",", GRADUS_INVALID},    {"\n}", GRADUS_INVALID}};
    struct gr_run run, again;
    make_run(&run);
    char *good = write_run(&run);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        struct gr_str text = {0};
        gr_str_printf(&text, "%s%s", good, behind[i].text);
        assert_int_equal(gr_json_parse_run("x", text.text, text.length, &again, NULL),
                         behind[i].status);
        gr_run_free(&again);
        gr_str_free(&text);
    }
    free(good);
    gr_run_free(&run);
}

/* A run says whether it is whole. */
static void partial_runs_say_so(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    char *text = write_run(&run);
    assert_non_null(strstr(text, "\"partial\":\ttrue"));
    free(text);
    free(run.stopped);
    run.stopped = NULL;
    text = write_run(&run);
    assert_non_null(strstr(text, "\"partial\":\tfalse"));
    free(text);
    gr_run_free(&run);
}

/* An element may be what JSON has no number for. */
static void odd_elements_come_back(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run, again;
    make_run(&run);
    run.rows[1].worst.got = -INFINITY;
    char *text = write_run(&run);
    assert_non_null(strstr(text, "\"got\":\t\"-inf\""));
    assert_int_equal(gr_json_parse_run("x", text, strlen(text), &again, NULL), GRADUS_OK);
    assert_true(isinf(again.rows[1].worst.got) && again.rows[1].worst.got < 0);
    assert_true(isinf(again.rows[1].worst.want) && again.rows[1].worst.want > 0);
    free(text);
    gr_run_free(&run);
    gr_run_free(&again);
}

/* No prefix and no flipped byte of a good file may crash the reader or leave a run behind. */
static void mutilated_files(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run, got;
    make_run(&run);
    char *good = write_run(&run);
    size_t length = strlen(good);
    for (size_t i = 0; i + 2 < length; i += 3) {
        assert_int_equal(gr_json_parse_run("x", good, i, &got, NULL), GRADUS_INVALID);
        char kept = good[i];
        good[i] = (char)(kept ^ 0x11);
        if (gr_json_parse_run("x", good, length, &got, NULL))
            assert_true(got.rows == NULL && got.title == NULL);
        gr_run_free(&got);
        good[i] = kept;
    }
    free(good);
    gr_run_free(&run);
}

static void hostile_files(void **state)
{
    (void)state;
    cjson_or_skip();
    struct gr_run run;
    struct gradus_error error = {0};
    const char *bad[] = {"",      "null",  "[]", "{}", "{\"schema\":\"gradus-run\"",
                         "\"x\"", "{} {}", "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gr_json_parse_run("x", bad[i], strlen(bad[i]), &run, &error),
                         GRADUS_INVALID);
    char *deep = malloc(1000000);
    assert_non_null(deep);
    memset(deep, '[', 1000000);
    assert_int_equal(gr_json_parse_run("x", deep, 1000000, &run, &error), GRADUS_INVALID);
    free(deep);
    assert_int_equal(gr_json_read_run("/dev/zero", &run, &error), GRADUS_INVALID);
    assert_int_equal(gr_json_read_run("/nonexistent.json", &run, &error), GRADUS_NOT_FOUND);
    gradus_error_clear(&error);
}

/* Every field that is written stands in docs/json.md, in backticks: by itself or in a {list, of,
 * fields}. */
static void fields_are_documented(void **state)
{
    (void)state;
    struct gr_run run;
    struct gradus_error error = {0};
    char *docs;
    size_t length;
    assert_int_equal(gr_file_read(GRADUS_SOURCE_DIR "/docs/json.md", &docs, &length, &error),
                     GRADUS_OK);
    make_run(&run);
    char *text = write_run(&run);
    int fields = 0;
    for (char *p = text; (p = strstr(p, "\":\t")); p++) {
        char *begin = p;
        while (begin[-1] != '"')
            begin--;
        *p = 0;
        const char *at = docs;
        bool found = false;
        for (; !found && (at = strstr(at, begin)); at++)
            found = strchr("`{ ", at[-1]) && strchr("`},", at[strlen(begin)]);
        if (!found)
            fail_msg("docs/json.md does not have the field '%s'", begin);
        fields++;
    }
    assert_true(fields > 60);
    free(text);
    free(docs);
    gr_run_free(&run);
}

/* Without the library a run is written all the same, and the reader says what is missing. */
static void without_cjson(void **state)
{
    (void)state;
    if (gr_json_is_readable())
        skip();
    struct gr_run run;
    struct gradus_error error = {0};
    make_run(&run);
    char *text = write_run(&run);
    assert_non_null(strstr(text, "\"kernel\":\t\"bad\""));
    free(text);
    gr_run_free(&run);
    assert_int_equal(gr_json_parse_run("x", "{}", 2, &run, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "apt-get install libcjson-dev"));
    gradus_error_clear(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(no_measurement_is_infinite),
        cmocka_unit_test(counts_come_back),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test(wrong_row_has_no_speed),
        cmocka_unit_test(hostile_fields),
        cmocka_unit_test(mutilated_files),
        cmocka_unit_test(what_stands_behind),
        cmocka_unit_test(partial_runs_say_so),
        cmocka_unit_test(odd_elements_come_back),
        cmocka_unit_test(fields_are_documented),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(without_cjson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
