/* test_report.c: what the formats make of a run, to the letter. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "report/report.h"
#include "report/synthetic.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

static char *render(const struct gr_run *run, const char *format, int columns, bool colour)
{
    struct gr_style style = {columns, colour};
    struct gr_str text = {0};
    struct gradus_error error = {0};
    const struct gr_format *f = gr_format_find(format);
    assert_non_null(f);
    assert_int_equal(f->render(run, &style, &text, &error), GRADUS_OK);
    if (!text.text)
        gr_str_add(&text, "");
    return text.text;
}

static void expect(const struct gr_run *run, const char *format, int columns, bool colour,
                   const char *wanted)
{
    char *text = render(run, format, columns, colour);
    assert_string_equal(text, wanted);
    free(text);
}

/* Three rungs, a peer; a second size with a capped, a skipped and a wrong row. */
static void make_run(struct gr_run *run)
{
    *run = (struct gr_run){0};
    run->environment.command = gr_strdup("gradus ladder");
    run->environment.cpu = gr_strdup("Example CPU");
    run->environment.ceilings = calloc(1, sizeof *run->environment.ceilings);
    run->environment.ceiling_count = 1;
    run->environment.ceilings[0] = (struct gr_ceiling){"fma.f32.1", 120, "GFLOP/s", false};
    synthetic_row(run, "01_naive", "three nested loops, ijk", 512, 1.2, 96);
    synthetic_row(run, "07_library", "the library", 512, 97, 96);
    struct gr_row *row = synthetic_row(run, "openblas", "as installed", 512, 96, 0);
    row->is_peer = true;
    row = synthetic_row(run, "01_naive", "three nested loops, ijk", 256, 1.25, 96);
    row->requested_m = row->requested_n = row->requested_k = 1024;
    row = synthetic_row(run, "05_simd", "SIMD", 1024, 0, 96);
    row->reason = gr_strdup("needs avx512f");
    row = synthetic_row(run, "mine", "my\x1b[31m own", 1024, 50, 96);
    row->verdict = GR_WRONG;
    gr_findings_add(&row->findings, GR_FIND_NAN, 7,
                    "C[3,7] is NaN, wanted 1.25; 12 of 1048576 differ");
}

static void table_at_80(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    expect(&run, "table", 80, false,
           "512: f32, 1 thread, warm; beside openblas 0.3.21 (SkylakeX); peak 120.0 GFLOP/s\n"
           "\n"
           "rung        title            time  GFLOP/s   peak  vs openblas           verdict\n"
           "01_naive    three nest..   224 ms     1.20   1.0%  0.012x [0.012,0.013]  right\n"
           "07_library  the library   2.77 ms     97.0  80.8%  1.01x [1.00,1.02]     right\n"
           "openblas *  as installed  2.80 ms     96.0  80.0%                        right\n"
           "\n"
           "1024: f32, 1 thread, cold; beside openblas 0.3.21 (SkylakeX); peak 120.0 GFLOP/s\n"
           "\n"
           "rung        title            time  GFLOP/s   peak  vs openblas           verdict\n"
           "01_naive    three nest..  26.8 ms     1.25   1.0%  0.013x [0.013,0.013]  right\n"
           "    capped: timed at 256 (warm), not at 1024\n"
           "05_simd     SIMD          skip: needs avx512f\n"
           "mine        my?[31m own   wrong: the result is wrong\n"
           "    fault nan (line 7): C[3,7] is NaN, wanted 1.25; 12 of 1048576 differ\n"
           "    again: gradus ladder --kernels mine --size 1024\n"
           "\n"
           "peer     openblas 0.3.21 (SkylakeX), 1 thread; interleaved with each row (* a\n"
           "         peer's own row)\n"
           "ceilings FMA f32 120.0 GFLOP/s on 1 thread\n"
           "machine  Example CPU\n"
           "again    gradus ladder\n");
    gr_run_free(&run);
}

/* The title and the time are let go of; the reason of a skipped row still stands beside it. */
static void table_at_60(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    expect(&run, "table", 60, false,
           "512: f32, 1 thread, warm; beside openblas 0.3.21 (SkylakeX);\n"
           "  peak 120.0 GFLOP/s\n"
           "\n"
           "rung        GFLOP/s   peak  vs openblas           verdict\n"
           "01_naive       1.20   1.0%  0.012x [0.012,0.013]  right\n"
           "07_library     97.0  80.8%  1.01x [1.00,1.02]     right\n"
           "openblas *     96.0  80.0%                        right\n"
           "\n"
           "1024: f32, 1 thread, cold; beside openblas 0.3.21\n"
           "  (SkylakeX); peak 120.0 GFLOP/s\n"
           "\n"
           "rung        GFLOP/s   peak  vs openblas           verdict\n"
           "01_naive       1.25   1.0%  0.013x [0.013,0.013]  right\n"
           "    capped: timed at 256 (warm), not at 1024\n"
           "05_simd     skip: needs avx512f\n"
           "mine        wrong: the result is wrong\n"
           "    fault nan (line 7): C[3,7] is NaN, wanted 1.25; 12 of\n"
           "      1048576 differ\n"
           "    again: gradus ladder --kernels mine --size 1024\n"
           "\n"
           "peer     openblas 0.3.21 (SkylakeX), 1 thread; interleaved\n"
           "         with each row (* a peer's own row)\n"
           "ceilings FMA f32 120.0 GFLOP/s on 1 thread\n"
           "machine  Example CPU\n"
           "again    gradus ladder\n");
    gr_run_free(&run);
}

static void table_at_120_in_colour(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    expect(&run, "table", 120, true,
           "512: f32, 1 thread, warm; beside openblas 0.3.21 (SkylakeX); peak 120.0 GFLOP/s\n"
           "\n"
           "rung        title                       time  GFLOP/s   peak  vs openblas           "
           "        verdict\n"
           "01_naive    three nested loops, ijk   224 ms     1.20   1.0%  0.012x [0.012,0.013]  "
           "slower  \x1b[32mright\x1b[0m\n"
           "07_library  the library              2.77 ms     97.0  80.8%  1.01x [1.00,1.02]     "
           "faster  \x1b[32mright\x1b[0m\n"
           "openblas *  as installed             2.80 ms     96.0  80.0%                        "
           "        \x1b[32mright\x1b[0m\n"
           "\n"
           "1024: f32, 1 thread, cold; beside openblas 0.3.21 (SkylakeX); peak 120.0 GFLOP/s\n"
           "\n"
           "rung        title                       time  GFLOP/s   peak  vs openblas           "
           "        verdict\n"
           "01_naive    three nested loops, ijk  26.8 ms     1.25   1.0%  0.013x [0.013,0.013]  "
           "slower  \x1b[32mright\x1b[0m\n"
           "    capped: timed at 256 (warm), not at 1024\n"
           "05_simd     SIMD                     \x1b[33mskip: needs avx512f\x1b[0m\n"
           "mine        my?[31m own              \x1b[31mwrong: the result is wrong\x1b[0m\n"
           "    fault nan (line 7): C[3,7] is NaN, wanted 1.25; 12 of 1048576 differ\n"
           "    again: gradus ladder --kernels mine --size 1024\n"
           "\n"
           "peer     openblas 0.3.21 (SkylakeX), 1 thread; interleaved with each row (* a peer's"
           " own row)\n"
           "ceilings FMA f32 120.0 GFLOP/s on 1 thread\n"
           "machine  Example CPU\n"
           "again    gradus ladder\n");
    gr_run_free(&run);
}

static void table_piped(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    char *text = render(&run, "table", 0, false), *wide = render(&run, "table", 1000, false);
    assert_string_equal(text, wide);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "three nested loops, ijk"));
    free(text);
    free(wide);
    gr_run_free(&run);
}

static void empty_run(void **state)
{
    (void)state;
    struct gr_run run = {0};
    expect(&run, "table", 80, false, "");
    expect(&run, "md", 80, false, "");
}

static void head_of(const struct gr_run *run, const char *wanted)
{
    char *text = render(run, "table", 0, false);
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        fail_msg("%s", text);
    free(text);
}

/* The peak at the head is what the rows' shares are shares of: the median of what was measured
 * beside them. */
static void peak_is_the_rows_own(void **state)
{
    (void)state;
    struct gr_run run = {0};
    synthetic_environment(&run); /* says 120 */
    static const double peaks[] = {300, 90, 100, 80, 100};
    for (int i = 0; i < 5; i++)
        synthetic_row(&run, "a", "", 64, 40, 0)->peak_fraction = 40 / peaks[i];
    head_of(&run, "64: f32, 1 thread, warm; peak 100.0 GFLOP/s\n");
    for (int i = 0; i < 5; i++)
        run.rows[i].peak_fraction = 0;
    head_of(&run, "64: f32, 1 thread, warm; peak 120.0 GFLOP/s\n");
    gr_run_free(&run);
}

/* A row without most of what a row may have: nothing is invented. */
static void bare_row(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_row *row = gr_run_add(&run);
    row->problem = gr_problem_dense(2, 3, 4, true, false, gr_types_of(GR_F64));
    row->gflops = NAN;
    row->time_ns.n = 1;
    expect(&run, "table", 80, false, "2x3x4: f64 tn, warm\n\nrung    verdict\nkernel  right\n\n");
    gr_run_free(&run);
}

static void csv_quotes(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_row *row = synthetic_row(&run, "a,b", "say \"hi\"\nthere", 64, 2, 0);
    gr_findings_add(&row->findings, GR_FIND_NOTE, 3, "one");
    gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "two");
    row->callers = 4;
    row = synthetic_row(&run, " blank", NULL, 8, 0, 10);
    row->reason = gr_strdup("needs sm_90a");
    expect(
        &run, "csv", 0, false,
        "kernel,title,device,dtype,trans,m,n,k,asked_m,asked_n,asked_k,threads,cache,is_peer,"
        "variant,verdict,reason,time_ns_median,time_ns_min,time_ns_iqr,time_ns_n,gflops,peak_"
        "fraction,peer,peer_version,peer_core,peer_threads,peer_gflops,speedup_median,speedup"
        "_lo,speedup_hi,findings,simulated,load_sectors_per_request,load_sectors_per_request_ideal,"
        "store_sectors_per_request,store_sectors_per_request_ideal,shared_conflicts,registers,"
        "occupancy,disturbed,unsteady,callers,flags,command\n"
        "\"a,b\",\"say \"\"hi\"\" there\",cpu,f32,nn,64,64,64,64,64,64,1,warm,false,,right,,2"
        "62144,256901.12,2621.44,31,2,0.0166666667,,,,,,,,,note (line 3): one; note: "
        "two,false,,,,,,,,0,false,4,,\"g"
        "radus ladder --kernels a,b --size 64\"\n"
        "\" blank\",,cpu,f32,nn,8,8,8,8,8,8,1,warm,false,,skip,needs sm_90a,,,,,,,openblas,0."
        "3.21,SkylakeX,1,10,,,,,false,,,,,,,,,false,,,gradus ladder --kernels  blank --size 8\n");
    gr_run_free(&run);
}

/* Counts and no times, whatever the row holds; a wrong row has neither. */
static void simulated(void **state)
{
    (void)state;
    struct gr_run run = {0};
    for (int i = 0; i < 3; i++) {
        struct gr_row *row = synthetic_row(&run, i ? "07" : "01", "t", 64, 0, 0);
        row->simulated = true;
        free(row->device);
        row->device = gr_strdup("sim");
        row->verdict = i == 2 ? GR_WRONG : GR_RIGHT;
        row->threads = 0;
        row->counts = (struct gr_row_counts){.known = true,
                                             .load_sectors = 16.5,
                                             .load_ideal = 2.5,
                                             .conflicts = i ? 1234567 : 999999,
                                             .sampled = i == 1,
                                             .registers = 32,
                                             .occupancy = 0.25};
    }
    char *table = render(&run, "table", 0, false), *md = render(&run, "md", 0, false);
    assert_non_null(strstr(table, "64: f32, sim: simulated, no times\n\n"
                                  "rung  title      loads  conflicts  regs  occup.  verdict\n"
                                  "01    t       16.5/2.5     999999    32   25.0%  right\n"
                                  "07    t      ~16.5/2.5      ~1.2M    32   25.0%  right\n"
                                  "07    t      wrong: "));
    assert_null(strstr(table, "GFLOP/s"));
    assert_null(strstr(table, "warm"));
    assert_non_null(strstr(md, "| rung | title | loads | stores | conflicts | regs | occup. | "
                               "verdict |\n|:--|:--|--:|--:|--:|--:|--:|:--|\n"
                               "| 01 | t | 16.5/2.5 |  | 999999 | 32 | 25.0% | right |\n"));
    assert_non_null(strstr(md, "| 07 | t |  |  |  |  |  | wrong |\n"));
    free(table);
    free(md);
    gr_run_free(&run);
}

static void markdown_stays_text(void **state)
{
    (void)state;
    struct gr_run run = {0};
    run.title = gr_strdup("<b>run</b>");
    run.environment.command = gr_strdup("gradus run 'a```b.c'");
    struct gr_row *row = synthetic_row(&run, "a|b_c`d", "*bold* [x](http://y)", 64, 2, 4);
    gr_findings_add(&row->findings, GR_FIND_NOTE, 0, "<img src=x>");
    row = synthetic_row(&run, synthetic_hostile_name, "", 64, 0, 4);
    row->verdict = GR_NO_COMPILE;
    row->log = gr_strdup("x.c:1: error\n  ^\n");
    expect(&run, "md", 0, false,
           "## \\<b\\>run\\</b\\>\n"
           "\n"
           "### 64\n"
           "\n"
           "f32, 1 thread, warm; beside openblas 0.3.21 (SkylakeX); peak 120.0 GFLOP/s.\n"
           "\n"
           "| rung | title | time | GFLOP/s | % of peak | share of openblas | verdict |\n"
           "|:--|:--|--:|--:|--:|:--|:--|\n"
           "| a\\|b\\_c\\`d | \\*bold\\* \\[x\\](http://y) | 262 us | 2.00 | 1.7% | 0.50x [0.49,"
           "0.51] | right |\n"
           "| \\<script\\>alert(1)\\</script\\> |  |  |  |  |  | no-compile |\n"
           "\n"
           "- **a\\|b\\_c\\`d** note: \\<img src=x\\>\n"
           "- **\\<script\\>alert(1)\\</script\\>** no-compile: the kernel does not compile\n"
           "  ```text\n"
           "  x.c:1: error\n"
           "    ^\n"
           "  ```\n"
           "\n"
           "\n"
           "To run it again:\n"
           "\n"
           "````text\n"
           "gradus run 'a```b.c'\n"
           "````\n");
    gr_run_free(&run);
}

static void word(const char *wanted, const char *got)
{
    assert_string_equal(got, wanted);
}

static void words(void **state)
{
    (void)state;
    char text[GR_WORD];
    gr_word_threads(1, 1, text);
    assert_string_equal(text, "1 thread");
    gr_word_threads(0, 0, text);
    assert_string_equal(text, "all threads");
    gr_word_threads(16, 1, text);
    assert_string_equal(text, "16 threads");
    gr_word_threads(1, 16, text);
    assert_string_equal(text, "16 callers, 1 thread each");
    gr_word_threads(0, 4, text);
    assert_string_equal(text, "4 callers, all threads");
    const struct {
        double ns;
        const char *text;
    } times[] = {{0.5, "0.50 ns"},
                 {999.4, "999 ns"},
                 {999.5, "1.00 us"},
                 {1e6, "1.00 ms"},
                 {99.96e6, "100 ms"},
                 {7.912e9, "7.91 s"},
                 {3e12, "3000 s"},
                 {0, ""},
                 {-1, ""},
                 {NAN, ""},
                 {INFINITY, ""}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        gr_word_time(times[i].ns, text);
        word(times[i].text, text);
    }
    struct gr_ratio ratio = {0.93, 0.92, 0.95, 9};
    gr_word_ratio(&ratio, true, text);
    word("0.93x [0.92,0.95]", text);
    gr_word_ratio(&ratio, false, text);
    word("0.93x", text);
    gr_word_ratio(&(struct gr_ratio){1e300, 1e300, 1e300, 9}, true, text);
    assert_int_equal(strlen(text), GR_WORD - 1);
    gr_word_ratio(&(struct gr_ratio){0}, true, text);
    word("", text);
}

static void wrapping(void **state)
{
    (void)state;
    struct gr_str s = {0};
    gr_wrap(&s, "  aa bb  cc abcdefghij é", 8, 3, 2);
    word("aa bb\n  cc\n  abcdef\n  ghij é", gr_str_text(&s));
    gr_str_free(&s);
    gr_wrap(&s, "as it is", 0, 90, 2);
    word("as it is", gr_str_text(&s));
    gr_str_free(&s);
}

static void utf8(void **state)
{
    (void)state;
    const char *good[] = {"a", "é", "€", "\xF0\x9F\x98\x80"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(gr_utf8_length(good[i]), i + 1);
    /* A lone tail, overlong forms, a surrogate, beyond U+10FFFF, cut short. */
    const char *bad[] = {"\x80",
                         "\xC0\xAF",
                         "\xE0\x80\xAF",
                         "\xED\xA0\x80",
                         "\xF5\x80\x80\x80",
                         "\xF4\x90\x80\x80",
                         "\xE2\x82",
                         ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gr_utf8_length(bad[i]), 0);
    struct gr_str s = {0};
    gr_str_add_line(&s, "a\n\x1b[31m\xC2\x9B"
                        "b\xFF");
    word("a ?[31m?b\xEF\xBF\xBD", gr_str_text(&s));
    gr_str_free(&s);
}

static void formats_are_found(void **state)
{
    (void)state;
    assert_null(gr_format_find("yaml"));
    for (int i = 0; i < gr_format_count(); i++)
        assert_ptr_equal(gr_format_find(gr_format_at(i)->name), gr_format_at(i));
    assert_true(gr_format_count() >= 4);
}

static void no_line_is_too_long(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    synthetic_row(&run, "a_name_without_end_a_name_without_end_a_name", "título", 77, 3, 4);
    for (int columns = 40; columns <= 130; columns++) {
        char *text = render(&run, "table", columns, false);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (!strstr(line, "again") && gr_utf8_width(line) > columns)
                fail_msg("%d columns: %s", columns, line);
        free(text);
    }
    gr_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_at_80),
        cmocka_unit_test(table_at_60),
        cmocka_unit_test(table_at_120_in_colour),
        cmocka_unit_test(table_piped),
        cmocka_unit_test(empty_run),
        cmocka_unit_test(bare_row),
        cmocka_unit_test(peak_is_the_rows_own),
        cmocka_unit_test(csv_quotes),
        cmocka_unit_test(simulated),
        cmocka_unit_test(markdown_stays_text),
        cmocka_unit_test(words),
        cmocka_unit_test(wrapping),
        cmocka_unit_test(utf8),
        cmocka_unit_test(formats_are_found),
        cmocka_unit_test(no_line_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
