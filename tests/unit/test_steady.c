/* test_steady.c: rows that other work disturbed: what makes one, and that no format, picture, sum
 * or comparison claims anything of it. SPDX-License-Identifier: MIT */
/* threads: tests/unit/test_steady.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock.h"
#include "records/steady.h"
#include "records/sums.h"
#include "measure/baseline.h"
#include "probe/waited.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "report/report.h"
#include "report/sweep_page.h"
#include "report/synthetic.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* ---- what makes a row unsteady ---- */

static struct gr_row steady_row(void)
{
    struct gr_row row = {.kernel = (char *)"k", .device = (char *)"cpu", .gflops = 10};
    row.problem = gr_problem_dense(64, 64, 64, false, false, gr_types_of(GR_F32));
    row.time_ns = (struct gr_stat){100, 90, 4, 30};
    row.speedup = (struct gr_ratio){1.5, 1.4, 1.6, 30};
    return row;
}

static void expect_why(const struct gr_row *row, const char *wanted)
{
    struct gr_str why = {0};
    gr_row_format_unsteady(row, &why);
    assert_string_equal(gr_str_text(&why), wanted);
    assert_int_equal(gr_row_is_unsteady(row), *wanted != 0);
    gr_str_free(&why);
}

static void criteria(void **state)
{
    (void)state;
    struct gr_row row = steady_row();
    expect_why(&row, "");
    assert_string_equal(gr_row_word(&row), "faster");
    row.disturbed = 0.25;
    expect_why(&row, "");
    row.disturbed = -1; /* the system does not tell */
    expect_why(&row, "");
    row.disturbed = 0.26;
    expect_why(&row, "in 26% of its rounds other processes used its cores (steady: at most 25%)");
    assert_string_equal(gr_row_word(&row), "unsteady");
    row.verdict = GR_WRONG; /* shows no speed, so there is nothing to doubt */
    expect_why(&row, "");
    row = steady_row();
    row.time_ns.n = 0;
    row.disturbed = 1;
    expect_why(&row, "");
}

static void intervals(void **state)
{
    (void)state;
    struct gr_row row = steady_row();
    row.speedup = (struct gr_ratio){30.87, 10.16, 72.37, 30};
    expect_why(&row, "the interval of its ratio is 202% of the median wide (steady: at most 25%)");
    row.speedup = (struct gr_ratio){2, 1.75, 2.25, 30};
    expect_why(&row, "");
    row.speedup = (struct gr_ratio){2, 1.75, 2.26, 30};
    assert_true(gr_row_is_unsteady(&row));
    row.speedup = (struct gr_ratio){NAN, NAN, NAN, 30};
    assert_true(gr_row_is_unsteady(&row));
    /* Beside a peer the ratio decides, which a wandering clock leaves alone; alone the times do. */
    row = steady_row();
    row.time_ns.iqr = 40;
    expect_why(&row, "");
    row.speedup = (struct gr_ratio){0};
    expect_why(&row,
               "the quartiles of its times are 40% of the median apart (steady: at most 25%)");
    assert_string_equal(gr_row_word(&row), "unsteady");
    row.time_ns.iqr = 25;
    expect_why(&row, "");
}

/* ---- what is shown ---- */

/* The naive rung and the library are steady; between them a row that claims to be thirty times as
 * fast as the peer, and one whose rate is the highest and whose share is not. */
static void make_run(struct gr_run *run)
{
    *run = (struct gr_run){0};
    synthetic_environment(run);
    for (int64_t n = 512; n <= 1024; n *= 2) {
        synthetic_row(run, "01_naive", "naive", n, 1.5, 90);
        struct gr_row *row = synthetic_row(run, "06_packing", "packing", n, 119, 90);
        row->speedup = (struct gr_ratio){30.87, 10.16, 72.37, 30};
        row->disturbed = n == 512 ? 0.5 : 0;
        row = synthetic_row(run, "07_threads", "threads", n, 110, 90);
        row->speedup = (struct gr_ratio){0.86, 0.85, 0.87, 30};
        row = synthetic_row(run, "08_library", "library", n, 100, 90);
        row->speedup = (struct gr_ratio){1.02, 1.01, 1.03, 30};
    }
}

static char *render(const struct gr_run *run, const char *format)
{
    struct gr_style style = {0};
    struct gr_str text = {0};
    assert_int_equal(gr_format_find(format)->render(run, &style, &text, NULL), GRADUS_OK);
    return text.text;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += strlen(word))
        n++;
    return n;
}

static void expect_in(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("no '%s' in:\n%s", wanted, text);
}

static void table(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    char *text = render(&run, "table");
    expect_in(
        text,
        "06_packing  packing  2.26 ms    119.0         30.87x [10.16,72.37]  unsteady  right\n");
    expect_in(text, "unsteady: in 50% of its rounds other processes used its cores");
    expect_in(text, "unsteady: the interval of its ratio is 202% of the median wide");
    expect_in(text, "unsteady 2 of 8 rows: their speed is not reliable; measure again");
    assert_int_equal(count(text, "faster"), 2); /* the library at each size */
    free(text);
    gr_run_free(&run);
}

static void markdown_and_csv(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    char *text = render(&run, "md");
    assert_int_equal(count(text, "x [10.16,72.37] unsteady | right |"), 2);
    expect_in(text, "| 119.0 |  | 30.87x"); /* no share of the peak */
    expect_in(text, "- unsteady: 2 of 8 rows");
    free(text);
    text = render(&run, "csv");
    expect_in(text, ",occupancy,disturbed,unsteady,callers,flags,command\n");
    assert_int_equal(count(text, ",0.5,true,,"), 1);
    assert_int_equal(count(text, ",0,true,,"), 1);
    assert_int_equal(count(text, ",0,false,,"), 6);
    free(text);
    gr_run_free(&run);
}

static void json(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    run.rows[0].disturbed = -1;
    run.environment.ceilings[0].unsteady = true;
    char *text = render(&run, "json");
    expect_in(text, "\"disturbed\":\t0.5,\n\t\t\t\"unsteady\":\ttrue");
    expect_in(text, "\"disturbed\":\tnull,\n\t\t\t\"unsteady\":\tfalse");
    assert_int_equal(count(text, "\"unsteady\":\ttrue"), 3);
    free(text);
    gr_run_free(&run);
}

/* A page, its pictures and what gnuplot is given of them. */
struct report {
    struct gr_run run;
    struct gr_groups groups;
    struct gr_pictures pictures;
    struct gr_str page;
};

static void draw(struct report *r)
{
    r->page = (struct gr_str){0};
    assert_int_equal(gr_groups_make(&r->run, &r->groups, NULL), GRADUS_OK);
    assert_int_equal(gr_pictures_make(&r->run, &r->groups, &r->pictures, NULL), GRADUS_OK);
    gr_html_page(&r->run, &r->groups, &r->pictures, NULL, &r->page);
}

static void discard(struct report *r)
{
    gr_str_free(&r->page);
    gr_pictures_free(&r->pictures);
    gr_groups_free(&r->groups);
    gr_run_free(&r->run);
}

static const struct gr_picture *picture(const struct report *r, const char *name)
{
    for (int i = 0; i < r->pictures.count; i++)
        if (strcmp(r->pictures.items[i].name, name) == 0)
            return &r->pictures.items[i];
    return NULL;
}

static bool has_series(const struct gr_picture *p, const char *name)
{
    for (int i = 0; i < p->series_count; i++)
        if (strcmp(p->series[i].name, name) == 0)
            return true;
    return false;
}

/* Not 06_packing, which is unsteady, and not 07_threads, which has the higher rate: the share
 * decides. */
static void headline(void **state)
{
    (void)state;
    struct report r;
    make_run(&r.run);
    draw(&r);
    expect_in(r.page.text,
              "At size 1024 the best kernel is <b>08_library</b> with 1.02x [1.01,1.03] "
              "the speed of openblas, at 100.0 GFLOP/s, 83.3% of the measured peak.");
    expect_in(r.page.text, "<span class=\"badge warn\">unsteady</span> 2 of 8 rows:");
    assert_int_equal(count(r.page.text, "<small>unsteady [10.16,72.37]</small>"), 2);
    discard(&r);
    make_run(&r.run);
    for (int i = 4; i < 8; i++)
        r.run.rows[i].disturbed = 1; /* the larger size as a whole */
    draw(&r);
    expect_in(r.page.text, "At size 512 the best kernel is <b>08_library</b>");
    discard(&r);
    make_run(&r.run);
    for (int i = 0; i < 8; i++)
        r.run.rows[i].disturbed = 1;
    draw(&r);
    assert_null(strstr(r.page.text, "class=\"lead\""));
    assert_null(picture(&r, "roofline"));
    assert_null(picture(&r, "sizes"));
    discard(&r);
}

/* Without a peer the rate is all there is. */
static void headline_without_peer(void **state)
{
    (void)state;
    struct report r;
    r.run = (struct gr_run){0};
    synthetic_row(&r.run, "slow", NULL, 64, 10, 0);
    synthetic_row(&r.run, "quick", NULL, 64, 20, 0);
    synthetic_row(&r.run, "wild", NULL, 64, 30, 0)->time_ns.iqr = 1e9;
    draw(&r);
    expect_in(r.page.text, "At size 64 the fastest kernel is <b>quick</b> with 20.0 GFLOP/s");
    discard(&r);
}

static void pictures(void **state)
{
    (void)state;
    struct report r;
    make_run(&r.run);
    draw(&r);
    const struct gr_picture *roofline = picture(&r, "roofline"), *sizes = picture(&r, "sizes"),
                            *ladder = picture(&r, "ladder");
    assert_non_null(roofline);
    assert_non_null(sizes);
    assert_non_null(ladder);
    assert_false(has_series(roofline, "06_packing"));
    assert_false(has_series(sizes, "06_packing"));
    assert_true(has_series(roofline, "08_library") && has_series(sizes, "08_library"));
    assert_string_equal(sizes->left_out, "06_packing at 512, 06_packing at 1024");
    expect_in(sizes->caption, " Left out, being unsteady: 06_packing at 512, 06_packing at 1024.");
    assert_string_equal(ladder->series[0].points[1].note, "unsteady");
    expect_in(ladder->alt, "The best is 08_library");
    struct gr_str data = {0};
    gr_gnuplot_data(roofline, &data);
    expect_in(data.text, "# unsteady, left out: 06_packing at 1024, 06_packing at 512\n");
    gr_str_free(&data);
    gr_gnuplot_data(ladder, &data);
    expect_in(data.text, "119\t06_packing\t118.40796\t119.59799\tunsteady\n");
    expect_in(data.text, "100\t08_library\t99.5024876\t100.502513\t\n");
    gr_str_free(&data);
    discard(&r);
}

/* A ceiling that was measured while others had the cores is told as such, and no roof is drawn of
 * it. */
static void ceilings(void **state)
{
    (void)state;
    struct report r;
    make_run(&r.run);
    for (int i = 0; i < r.run.environment.ceiling_count; i++) {
        struct gr_ceiling *ceiling = &r.run.environment.ceilings[i];
        ceiling->unsteady = strcmp(ceiling->name, "read.l2") == 0;
    }
    draw(&r);
    assert_true(has_series(picture(&r, "roofline"), "L1 340.0 GB/s"));
    for (int i = 0; i < picture(&r, "roofline")->series_count; i++)
        assert_null(strstr(picture(&r, "roofline")->series[i].name, "L2"));
    expect_in(r.page.text, "read L2 130.0 GB/s, unsteady, read L3");
    discard(&r);
    make_run(&r.run);
    for (int i = 0; i < r.run.environment.ceiling_count; i++)
        r.run.environment.ceilings[i].unsteady = true;
    for (int i = 0; i < r.run.row_count; i++)
        r.run.rows[i].peak_fraction = 0; /* nothing measured beside the rows */
    draw(&r);
    assert_null(picture(&r, "roofline"));
    assert_null(strstr(r.page.text, "; peak 120"));
    discard(&r);
}

/* ---- what is worked out ---- */

static void sums(void **state)
{
    (void)state;
    struct gr_run run;
    struct gr_sums s;
    struct gr_str out = {0};
    make_run(&run);
    run.rows[5].speedup = (struct gr_ratio){0.3, 0.1, 0.5, 30}; /* below 0.97, were it steady */
    gr_sums_make(&run, &s);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.items[0].rows, 6);
    assert_int_equal(s.items[0].unsteady, 2);
    assert_int_equal(s.items[0].losing, 4); /* the naive rung and 07_threads, twice */
    assert_false(gr_row_loses(&run.rows[5]));
    gr_sweep_page(&run, &(struct gr_style){0}, false, &out);
    expect_in(out.text, "of 6 products; 4 wholly below 0.97; 2 unsteady left out\n");
    expect_in(out.text, "30.87x [10.16,72.37] unsteady");
    gr_str_free(&out);
    for (int i = 0; i < run.row_count; i++)
        run.rows[i].disturbed = 1;
    gr_sweep_page(&run, &(struct gr_style){0}, true, &out);
    expect_in(out.text, "| - | 0 | 0 | 8 |\n");
    gr_str_free(&out);
    struct report r = {.run = run};
    r.run.sweep = true;
    draw(&r);
    expect_in(r.page.text, "<span class=\"badge warn\">unsteady</span> 8 of 8 rows:");
    expect_in(r.page.text, "[10.16,72.37]<small>unsteady</small></td>");
    assert_null(strstr(r.page.text, "class=\"lead\""));
    gr_str_free(&r.page);
    gr_pictures_free(&r.pictures);
    gr_groups_free(&r.groups);
    gr_run_free(&run);
}

/* An unsteady row is never slower, nor faster: it is not compared, whichever of the two it is. */
static void baseline(void **state)
{
    (void)state;
    struct gr_row old = steady_row(), row = steady_row();
    double ratio;
    row.speedup = (struct gr_ratio){0.5, 0.49, 0.51, 30};
    strcpy(old.peer.name, "openblas");
    strcpy(row.peer.name, "openblas");
    assert_int_equal(gr_baseline_compare(&old, &row, 0.03, &ratio), GR_CHANGE_SLOWER);
    row.disturbed = 0.9;
    assert_int_equal(gr_baseline_compare(&old, &row, 0.03, &ratio), GR_CHANGE_UNSTEADY);
    assert_string_equal(gr_change_word(GR_CHANGE_UNSTEADY), "unsteady");
    assert_true(ratio == 0);
    row.disturbed = 0;
    old.speedup.hi = 9;
    assert_int_equal(gr_baseline_compare(&old, &row, 0.03, &ratio), GR_CHANGE_UNSTEADY);
    row.verdict = GR_WRONG; /* broken is broken */
    assert_int_equal(gr_baseline_compare(&old, &row, 0.03, &ratio), GR_CHANGE_BROKEN);
}

/* ---- what is measured ---- */

static void waking_is_not_waiting(void **state)
{
    (void)state;
    const struct gr_waited before = {1000000, 10};
    assert_true(gr_waited_between_ns(before, (struct gr_waited){1400000, 18}) == 0);
    assert_true(gr_waited_between_ns(before, (struct gr_waited){4000000, 11}) == 2950000);
    assert_true(gr_waited_between_ns(before, (struct gr_waited){-1, 0}) == -1);
    assert_true(gr_waited_between_ns((struct gr_waited){-1, 0}, before) == -1);
}

static atomic_bool stop;

static void *spin(void *cpu)
{
    pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), cpu);
    while (!atomic_load(&stop))
        ;
    return NULL;
}

/* Two threads on one core: each waits while the other runs, about half of the time. */
static void a_shared_core_shows(void **state)
{
    (void)state;
    const int64_t spell_ns = 200000000;
    cpu_set_t one, before;
    pthread_t other;
    if (gr_waited_own().ns < 0)
        skip();
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    assert_int_equal(pthread_create(&other, NULL, spin, &one), 0);
    const int64_t start_ns = gr_now_ns();
    const struct gr_waited own = gr_waited_own(), all = gr_waited_all();
    while (gr_now_ns() < start_ns + spell_ns)
        ;
    const int64_t own_ns = gr_waited_between_ns(own, gr_waited_own()),
                  all_ns = gr_waited_between_ns(all, gr_waited_all());
    const int64_t elapsed_ns = gr_now_ns() - start_ns;
    atomic_store(&stop, true);
    pthread_join(other, NULL);
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    assert_true(own_ns > spell_ns / 10 && own_ns < elapsed_ns);
    assert_true(all_ns > own_ns + spell_ns / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criteria),
        cmocka_unit_test(intervals),
        cmocka_unit_test(table),
        cmocka_unit_test(markdown_and_csv),
        cmocka_unit_test(json),
        cmocka_unit_test(headline),
        cmocka_unit_test(headline_without_peer),
        cmocka_unit_test(pictures),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(sums),
        cmocka_unit_test(baseline),
        cmocka_unit_test(waking_is_not_waiting),
        cmocka_unit_test(a_shared_core_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
