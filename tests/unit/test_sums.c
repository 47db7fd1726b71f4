/* test_sums.c: a sweep summed up, worked out by hand. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "records/sums.h"
#include "report/html.h"
#include "report/sweep_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct gr_row *add(struct gr_run *run, enum gr_dtype type, int threads, double ratio,
                          double hi)
{
    struct gr_row *row = gr_run_add(run);
    assert_non_null(row);
    row->problem = gr_problem_dense(64, 8, 32, false, true, gr_types_of(type));
    row->threads = threads;
    row->verdict = GR_RIGHT;
    row->speedup = (struct gr_ratio){ratio, 0.97 * ratio, hi, 9};
    row->time_ns = (struct gr_stat){100, 90, 1, 9};
    row->gflops = 10;
    return row;
}

static void make_run(struct gr_run *run)
{
    *run = (struct gr_run){.sweep = true};
    add(run, GR_F32, 1, 0.5, 0.52);
    add(run, GR_F32, 1, 2, 2.1);
    add(run, GR_F32, 2, 4, 4.1);
    add(run, GR_F64, 1, 0.9, 0.97);            /* touches the bound: not below it as a whole */
    add(run, GR_F64, 1, 9, 9)->is_peer = true; /* a peer's own row is none of ours */
    add(run, GR_F64, 1, 9, 9)->speedup.n = 0;  /* beside nobody */
    add(run, GR_F64, 1, 9, 9)->verdict = GR_WRONG;
}

static void expect(const struct gr_sum *sum, const char *word, int threads, int rows, double ratio,
                   int losing)
{
    if (word)
        assert_string_equal(gr_types_word(sum->types), word);
    assert_int_equal(sum->all_types, !word);
    assert_int_equal(sum->threads, threads);
    assert_int_equal(sum->rows, rows);
    assert_true(fabs(sum->ratio - ratio) < 1e-12);
    assert_int_equal(sum->losing, losing);
}

static void means(void **state)
{
    (void)state;
    struct gr_run run;
    struct gr_sums sums;
    make_run(&run);
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 5);
    expect(&sums.items[0], "f32", 1, 2, 1, 1); /* sqrt(0.5 * 2) */
    expect(&sums.items[1], "f32", 2, 1, 4, 0);
    expect(&sums.items[2], "f32", 0, 3, cbrt(4), 1);
    expect(&sums.items[3], "f64", 1, 1, 0.9, 0);
    expect(&sums.items[4], NULL, 0, 4, sqrt(sqrt(0.5 * 2 * 4 * 0.9)), 1);
    gr_run_free(&run);
}

static void without_peers(void **state)
{
    (void)state;
    struct gr_run run = {.sweep = true};
    struct gr_sums sums;
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 0);
    add(&run, GR_F32, 1, 1, 1)->speedup = (struct gr_ratio){0};
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 0);
    struct gr_str out = {0};
    gr_sweep_page(&run, &(struct gr_style){0}, true, &out);
    assert_non_null(strstr(gr_str_text(&out), "| 64x8x32 | nt | warm | 10.0 |"));
    assert_null(strstr(gr_str_text(&out), "geometric"));
    gr_str_free(&out);
    gr_run_free(&run);
}

/* A product of 2 * m operations. */
static void add_work(struct gr_run *run, int64_t m, double ratio)
{
    struct gr_row *row = add(run, GR_F32, 1, ratio, 1.01 * ratio);
    row->problem = gr_problem_dense(m, 1, 1, false, false, gr_types_of(GR_F32));
}

/* A product with as many operations as a limit is of the class above it. */
static void classes(void **state)
{
    (void)state;
    static const int64_t limits[] = {10000, 500000, 50000000}; /* 20 kFLOP, 1 and 100 MFLOP */
    struct gr_run run = {.sweep = true, .by_work = true};
    struct gr_sums sums;
    for (int i = 0; i < 3; i++) {
        add_work(&run, limits[i] - 1, 2);
        add_work(&run, limits[i], 0.5);
    }
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 5); /* and one for all of them */
    for (int i = 0; i < 5; i++)
        assert_int_equal(sums.items[i].work, i < 4 ? GR_WORK_20_KFLOP + i : GR_ANY_WORK);
    expect(&sums.items[0], "f32", 1, 1, 2, 0);
    expect(&sums.items[1], "f32", 1, 2, 1, 1);
    expect(&sums.items[2], "f32", 1, 2, 1, 1);
    expect(&sums.items[3], "f32", 1, 1, 0.5, 1);
    expect(&sums.items[4], "f32", 1, 6, 1, 3);
    assert_string_equal(gr_work_words(sums.items[0].work), "under 20 kFLOP");
    assert_string_equal(gr_work_words(sums.items[3].work), "from 100 MFLOP");
    assert_string_equal(gr_work_words(sums.items[4].work), "");

    run.by_work = false;
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 1);
    expect(&sums.items[0], "f32", 1, 6, 1, 3);
    gr_run_free(&run);
}

/* A class without rows has no sum, and each type and number of threads has its own classes. */
static void classes_of_each(void **state)
{
    (void)state;
    struct gr_run run = {.sweep = true, .by_work = true};
    struct gr_sums sums;
    add(&run, GR_F32, 1, 1, 1);
    add(&run, GR_F32, 2, 2, 2);
    add(&run, GR_F32, 1, 4, 4);
    add(&run, GR_F64, 1, 3, 3)->disturbed = 0.5;
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 8);
    expect(&sums.items[0], "f32", 1, 2, 2, 0);
    expect(&sums.items[1], "f32", 1, 2, 2, 0);
    expect(&sums.items[2], "f32", 2, 1, 2, 0);
    expect(&sums.items[4], "f32", 0, 3, 2, 0);
    expect(&sums.items[5], "f64", 1, 0, 0, 0);
    expect(&sums.items[7], NULL, 0, 3, 2, 0);
    assert_int_equal(sums.items[0].work, GR_WORK_1_MFLOP); /* 64 x 8 x 32 */
    assert_int_equal(sums.items[1].work, GR_ANY_WORK);
    assert_int_equal(sums.items[4].work, GR_ANY_WORK);
    assert_int_equal(sums.items[5].unsteady, 1);
    assert_int_equal(sums.items[7].unsteady, 1);
    assert_true(gr_sum_is_like(&sums.items[0], &sums.items[1]));
    assert_false(gr_sum_is_like(&sums.items[1], &sums.items[2]));
    assert_false(gr_sum_is_like(&sums.items[4], &sums.items[7]));
    gr_run_free(&run);
}

/* Of 40 ratios in no order: 0.81, 0.82, … 1.20. */
static void percentiles(void **state)
{
    (void)state;
    struct gr_run run = {.sweep = true};
    struct gr_sums sums;
    for (int i = 0; i < 40; i++) {
        const double ratio = (81 + i * 7 % 40) / 100.0;
        add(&run, GR_F32, 1, ratio, ratio + 0.025);
    }
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.count, 1);
    const struct gr_sum *sum = &sums.items[0];
    assert_true(sum->lowest == 0.81);
    assert_true(sum->twentieth == 0.83); /* two of 40 are lower */
    assert_true(sum->tenth == 0.85);
    assert_int_equal(sum->below, 16);
    assert_int_equal(sum->losing, 14); /* 0.95 touches the bound */
    gr_run_free(&run);

    run = (struct gr_run){.sweep = true};
    for (int i = 0; i < 19; i++)
        add(&run, GR_F32, 1, 2 - 0.05 * i, 2.02 - 0.05 * i);
    gr_sums_make(&run, &sums);
    assert_true(sums.items[0].twentieth == sums.items[0].lowest); /* of fewer than 20 */
    assert_true(sums.items[0].tenth > sums.items[0].lowest);
    assert_true(fabs(sums.items[0].lowest - 1.1) < 1e-12);
    gr_run_free(&run);
}

/* Each row in one table, its worst first among the lowest, and what is not right said with its
 * reason. */
static void page(void **state)
{
    (void)state;
    struct gr_run run;
    make_run(&run);
    struct gr_row *first = &run.rows[0];
    first->peer = (struct gr_peer_result){"fast", "1", "x", 1, 0, 20};
    first->competitors = calloc(2, sizeof *first->competitors);
    assert_non_null(first->competitors);
    first->competitor_count = 2;
    first->competitors[0] = (struct gr_competitor){first->peer, first->speedup};
    first->competitors[1] = (struct gr_competitor){{"slow", "1", "x", 1, 0, 5}, {2, 2, 2, 9}};
    struct gr_str out = {0};
    gr_sweep_page(&run, &(struct gr_style){0}, false, &out);
    const char *text = gr_str_text(&out);
    assert_non_null(strstr(text, "fastest peer  GFLOP/s              ratio   fast   slow\n"));
    assert_non_null(strstr(text, "fast             20.0  0.50x [0.48,0.52]  0.50x  2.00x\n"));
    assert_non_null(strstr(text, "the lowest ratios\n\n  f32 64x8x32 nt, 1 thread: 0.50x"));
    assert_non_null(strstr(text, "f32, all threads        1.587x of 3 products; 1 wholly"));
    assert_non_null(strstr(text, "f64 64x8x32 nt: wrong"));
    gr_str_free(&out);
    gr_sweep_page(&run, &(struct gr_style){.columns = 80}, false, &out);
    for (const char *line = gr_str_text(&out); *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    gr_str_free(&out);
    gr_run_free(&run);
}

/* The distribution in place of the means; all lines fit. */
static void page_by_work(void **state)
{
    (void)state;
    struct gr_run run;
    struct gr_str out = {0};
    make_run(&run);
    run.by_work = true;
    run.environment.seed = UINT64_MAX;
    run.rows[2].disturbed = 0.5;
    gr_sweep_page(&run, &(struct gr_style){.columns = 80}, false, &out);
    const char *text = gr_str_text(&out);
    assert_non_null(strstr(text, "random products (--seed 18446744073709551615)\n"));
    assert_non_null(strstr(text, "of  mean  10th   5th  lowest  below 0.97  unsteady\n"
                                 "  f32, 1 thread\n"
                                 "    20 kFLOP to 1 MFLOP      2  1.00  0.50  0.50    0.50"
                                 "           1         0\n"
                                 "    all                      2  1.00  0.50  0.50    0.50"
                                 "           1         0\n"
                                 "  f32, 2 threads\n"
                                 "    20 kFLOP to 1 MFLOP      0     -     -     -       -"
                                 "           0         1\n"));
    assert_null(strstr(text, "geometric means"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    gr_str_free(&out);
    gr_sweep_page(&run, &(struct gr_style){0}, true, &out);
    text = gr_str_text(&out);
    assert_non_null(strstr(text, "| f32, 1 thread, 20 kFLOP to 1 MFLOP | 2 | 1.00 | 0.50 | 0.50 |"
                                 " 0.50 | 1 | 0 |\n"));
    assert_non_null(strstr(text, "| all types, all threads | 3 |"));
    gr_str_free(&out);
    gr_run_free(&run);
}

/* Every table says how many callers there were, and what their rate is. */
static void page_of_callers(void **state)
{
    (void)state;
    struct gr_run run = {.sweep = true};
    struct gr_str out = {0};
    struct gr_sums sums;
    add(&run, GR_F32, 2, 0.5, 0.52)->callers = 4;
    add(&run, GR_F32, 2, 2, 2.1)->callers = 4;
    gr_sums_make(&run, &sums);
    assert_int_equal(sums.items[0].callers, 4);
    gr_sweep_page(&run, &(struct gr_style){.columns = 80}, false, &out);
    const char *text = gr_str_text(&out);
    assert_non_null(strstr(text, "f32, 4 callers, 2 threads each; GFLOP/s: the sum of the callers' "
                                 "rates\n"));
    assert_non_null(strstr(text, "  f32, 4 callers, 2 threads each      1.000x of 2 products"));
    assert_non_null(strstr(text, "  f32 64x8x32 nt, 4 callers, 2 threads each: 0.50x"));
    gr_str_free(&out);
    gr_html_sweep(&run, &(struct gr_pictures){0}, &out);
    text = gr_str_text(&out);
    assert_non_null(strstr(text, "<summary>f32, 4 callers, 2 threads each: 2 products"));
    assert_non_null(strstr(text, "<small>f32, 4 callers, 2 threads each</small>"));
    assert_non_null(strstr(text, ">4 callers, 2 threads each</td>"));
    assert_non_null(strstr(text, "the sum of the callers' rates"));
    gr_str_free(&out);
    gr_run_free(&run);
}

/* Ours and theirs, each beside its own rate on one thread; a library that was left out on two has
 * one. */
static void scaling(void **state)
{
    (void)state;
    struct gr_run run = {.sweep = true};
    struct gr_str out = {0};
    for (int threads = 1; threads <= 4; threads *= 2) {
        struct gr_row *row = add(&run, GR_F32, threads, 1.5, 1.6);
        row->gflops = threads == 4 ? 35 : 10 * threads;
        row->competitors = calloc(1, sizeof *row->competitors);
        assert_non_null(row->competitors);
        row->competitor_count = threads != 2;
        row->competitors[0] =
            (struct gr_competitor){{"other", "1", "x", threads, 0, 4.0 * threads}, {1, 1, 1, 9}};
    }
    gr_sweep_scaling(&run, false, &out);
    assert_string_equal(gr_str_text(&out),
                        "scaling of f32 64x8x32: GFLOP/s on so many threads\n\n"
                        "  libgradus: 10.0 on 1, 20.0 on 2 (2.00x), 35.0 on 4 (3.50x)\n"
                        "  other: 4.00 on 1, 16.0 on 4 (4.00x)\n\n");
    gr_str_free(&out);
    run.row_count = 1; /* one number of threads: nothing to say */
    gr_sweep_scaling(&run, false, &out);
    assert_int_equal(out.length, 0);
    run.row_count = 3;
    gr_run_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means),        cmocka_unit_test(without_peers),
        cmocka_unit_test(classes),      cmocka_unit_test(classes_of_each),
        cmocka_unit_test(percentiles),  cmocka_unit_test(page),
        cmocka_unit_test(page_by_work), cmocka_unit_test(page_of_callers),
        cmocka_unit_test(scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
