/* test_report_rows.c: formats row by row, as a run that goes on prints them.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report.h"
#include "report/row_stream.h"
#include "report/synthetic.h"

#include <string.h>

static char *stream(const struct gr_run *run, const char *format, int columns)
{
    struct gr_str text = {0};
    struct gr_stream s;
    const struct gr_style style = {columns, false};
    const struct gr_format *f = gr_format_find(format);
    assert_true(gr_stream_can(f, run));
    gr_stream_begin(&s, f, run, run, &style, &text);
    for (int i = 0; i < run->row_count; i++) {
        size_t before = text.length;
        gr_stream_row(&s, &run->rows[i], NULL, &text);
        assert_true(text.length > before);
    }
    gr_stream_end(&s, &text);
    assert_false(text.failed);
    return text.text;
}

/* Nothing is lost by it: the same rows, the same notes, in columns that were fixed before the first
 * of them. */
static void row_by_row(void **state)
{
    (void)state;
    struct gr_run run;
    run = (struct gr_run){0};
    run.environment.command = gr_strdup("gradus ladder");
    synthetic_row(&run, "01_naive", "three nested loops, ijk", 512, 1.2, 96);
    synthetic_row(&run, "07_library", "the library", 512, 97, 96);
    synthetic_row(&run, "openblas", "as installed", 512, 96, 0)->is_peer = true;
    struct gr_row *row = synthetic_row(&run, "01_naive", "three nested loops, ijk", 256, 1.25, 96);
    row->requested_m = row->requested_n = row->requested_k = 1024;
    row = synthetic_row(&run, "05_simd", "SIMD", 1024, 0, 96);
    row->reason = gr_strdup("needs avx512f");
    run.planned = run.row_count + 3;
    run.stopped = gr_strdup("SIGINT");
    char *csv = stream(&run, "csv", 0), *md = stream(&run, "md", 0),
         *table = stream(&run, "table", 80);
    struct gr_str whole = {0};
    assert_int_equal(gr_format_find("csv")->render(&run, &(struct gr_style){0}, &whole, NULL),
                     GRADUS_OK);
    assert_string_equal(csv, whole.text);
    gr_str_free(&whole);
    assert_non_null(strstr(md, "| 01\\_naive | three nested loops, ijk | 224 ms |"));
    assert_non_null(strstr(md, "- **01\\_naive** capped: timed at 256 (warm), not at 1024\n"));
    assert_non_null(strstr(
        table, "rung        title            time  GFLOP/s   peak  vs openblas           verdict\n"
               "01_naive    three nest..   224 ms     1.20   1.0%  0.012x [0.012,0.013]  right\n"));
    assert_non_null(strstr(table, "    capped: timed at 256 (warm), not at 1024\n"));
    const char *const formats[] = {csv, md, table};
    for (int i = 0; i < 3; i++)
        assert_non_null(
            strstr(formats[i], "5 of 8 rows; ended by SIGINT before the rest was measured"));
    /* A record like the others, to a reader that counts fields. */
    int fields[2] = {0};
    const char *last = strstr(csv, "\n,");
    assert_non_null(last);
    for (const char *p = csv; *p != '\n'; p++)
        fields[0] += *p == ',';
    for (const char *p = last + 1; *p != '\n'; p++)
        fields[1] += *p == ',';
    assert_int_equal(fields[0], fields[1]);
    assert_false(gr_stream_can(gr_format_find("json"), &run));
    run.sweep = true;
    assert_false(gr_stream_can(gr_format_find("table"), &run));
    free(csv);
    free(md);
    free(table);
    gr_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(row_by_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
