/* test_report_page.c: axes, pictures as data, the page's markup and gnuplot's scripts.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "report/axis.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/synthetic.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void linear_ticks_are_round(void **state)
{
    (void)state;
    double ticks[GR_TICKS];
    struct gr_axis axis = {.hi = 124.8, .to = 100};
    assert_int_equal(gr_axis_ticks(&axis, 7, ticks), 7);
    for (int i = 0; i < 7; i++)
        assert_true(ticks[i] == 20 * i && !signbit(ticks[i]));
    /* Whatever the range, there are at least two ticks, not more than asked for, all inside. */
    for (int exponent = -6; exponent < 12; exponent++) {
        for (int most = 3; most < 20; most++) {
            axis.hi = 1.37 * pow(10, exponent);
            int count = gr_axis_ticks(&axis, most, ticks);
            assert_true(count >= 2 && count <= most);
            assert_true(ticks[0] >= 0 && ticks[count - 1] <= axis.hi * (1 + 1e-9));
        }
    }
}

static void logarithmic_ticks(void **state)
{
    (void)state;
    double ticks[GR_TICKS];
    struct gr_axis axis = {.log = true, .lo = 0.4, .hi = 210, .to = 100};
    assert_int_equal(gr_axis_ticks(&axis, 12, ticks), 9);
    assert_true(fabs(ticks[0] - 0.5) < 1e-12 && ticks[8] == 200);
    assert_int_equal(gr_axis_ticks(&axis, 5, ticks), 3);
    assert_true(ticks[0] == 1 && ticks[2] == 100);
    assert_true(fabs(gr_axis_at(&axis, 0.4)) < 1e-9 && fabs(gr_axis_at(&axis, 210) - 100) < 1e-9);
    char word[32];
    gr_tick_word(0.25, word);
    assert_string_equal(word, "0.25");
    gr_tick_word(2e7, word);
    assert_string_equal(word, "2e+07");
}

static void labels_are_spread(void **state)
{
    (void)state;
    double places[] = {10, 10, 12, 50, 99, 100};
    gr_spread(places, 6, 15, 5, 100);
    for (int i = 0; i < 6; i++) {
        assert_true(places[i] >= 5 && places[i] <= 100);
        assert_true(i == 0 || places[i] - places[i - 1] >= 15 - 1e-9);
    }
}

static void markup_is_escaped(void **state)
{
    (void)state;
    struct gr_str out = {0};
    gr_markup_add(&out, "<a b='c' d=\"e\">&\x01\xff</a>\n");
    assert_string_equal(gr_str_text(&out),
                        "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;?\xEF\xBF\xBD&lt;/a&gt; ");
    gr_str_free(&out);
    gr_markup_add_lines(&out, "a\n<b>\n");
    assert_string_equal(gr_str_text(&out), "a\n&lt;b&gt;\n");
    gr_str_free(&out);
}

/* Two sizes; at the larger one the naive rung is capped and another is wrong. */
static void make_run(struct gr_run *run)
{
    *run = (struct gr_run){0};
    synthetic_environment(run);
    for (int64_t n = 512; n <= 1024; n *= 2) {
        struct gr_row *row = synthetic_row(run, "01_naive", "naive", 512, 1.5, 90);
        row->requested_m = row->requested_n = row->requested_k = n;
        synthetic_row(run, "08_library", "library", n, 100 + (double)n / 1024, 90);
        row = synthetic_row(run, synthetic_hostile_name, "`id` 'x'", n, 7777, 90);
        row->verdict = GR_WRONG;
    }
}

static const struct gr_picture *find(const struct gr_pictures *pictures, const char *name)
{
    for (int i = 0; i < pictures->count; i++)
        if (strcmp(pictures->items[i].name, name) == 0)
            return &pictures->items[i];
    fail_msg("no picture '%s'", name);
    return NULL;
}

static void pictures_of(const struct gr_run *run, struct gr_groups *groups,
                        struct gr_pictures *pictures)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_groups_make(run, groups, &error), GRADUS_OK);
    assert_int_equal(gr_pictures_make(run, groups, pictures, &error), GRADUS_OK);
}

static void ladder_is_the_largest_size(void **state)
{
    (void)state;
    struct gr_run run;
    struct gr_groups groups;
    struct gr_pictures pictures;
    make_run(&run);
    pictures_of(&run, &groups, &pictures);
    assert_int_equal(pictures.count, 3);
    const struct gr_picture *p = find(&pictures, "ladder");
    assert_int_equal(p->series[0].count, 3);
    const struct gr_point *bars = p->series[0].points;
    assert_true(bars[0].x == 1.5);
    assert_string_equal(bars[0].note, "at 512");
    assert_true(bars[1].x == 101 && bars[1].note == NULL);
    assert_true(bars[2].x == 0); /* wrong: no bar, whatever it claims to have reached */
    assert_non_null(strstr(bars[2].note, "wrong"));
    assert_int_equal(p->rule_count, 2);
    assert_string_equal(p->rules[0].label, "openblas");
    assert_true(p->rules[0].value == 90 && p->rules[1].value == 120);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

/* Simulated: bars of what is counted, of the largest size, and no bar of a speed. */
static void counts_are_bars(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    for (int i = 0; i < 4; i++) {
        struct gr_row *row = synthetic_row(&run, i % 2 ? "07" : "01", "t", i < 2 ? 64 : 128, 0, 0);
        row->simulated = true;
        row->verdict = i == 3 ? GR_WRONG : GR_RIGHT;
        row->counts =
            (struct gr_row_counts){.known = true, .requests = 5000 * (i + 1), .sectors = 32000000};
    }
    pictures_of(&run, &groups, &pictures);
    assert_int_equal(pictures.count, 2); /* nobody touches shared memory */
    const struct gr_picture *requests = &pictures.items[0], *sectors = &pictures.items[1];
    assert_string_equal(requests->name, "requests");
    assert_string_equal(requests->title, "Requests of global memory at 128");
    assert_string_equal(requests->x_label, "thousand requests of global memory");
    assert_int_equal(requests->series[0].count, 2);
    assert_true(requests->series[0].points[0].x == 15);
    assert_true(requests->series[0].points[1].x == 0); /* what is wrong shows no count */
    assert_non_null(strstr(requests->series[0].points[1].note, "wrong"));
    assert_non_null(strstr(requests->alt, "01: 15000."));
    assert_string_equal(sectors->x_label, "million sectors of global memory");
    assert_true(sectors->series[0].points[0].x == 32);
    struct gr_str svg = {0};
    gr_svg_render(sectors, GR_HTML_WIDE, &svg);
    assert_non_null(strstr(gr_str_text(&svg), ">32.0M<"));
    gr_str_free(&svg);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

/* Hostile names and diffs stay text; a kernel of which nothing is known has no chapter. */
static void chapters_are_told(void **state)
{
    (void)state;
    struct gr_chapter items[] = {
        {.name = "a<b>", .title = "t", .ideas = "one\n<two>\n", .page = "a/x.html", .size = "64"},
        {.name = "silent", .title = "t"},
        {.name = "c", .before = "a", .diff = "--- a\n+++ c\n@@ -1 +1 @@\n-<x>\n+y\n same\n"}};
    const struct gr_chapters chapters = {items, 3}, none = {&items[1], 1};
    struct gr_str out = {0};
    gr_html_chapters(&none, &out);
    assert_int_equal(out.length, 0);
    gr_html_chapters(&chapters, &out);
    const char *text = gr_str_text(&out);
    assert_non_null(strstr(text, "<h3>a&lt;b&gt;: t</h3>\n<p>one</p>\n<p>&lt;two&gt;</p>\n"
                                 "<p><a href=\"a/x.html\">"));
    assert_null(strstr(text, "silent"));
    assert_non_null(
        strstr(text, "--- a\n+++ c\n@@ -1 +1 @@\n<del>-&lt;x&gt;</del>\n<ins>+y</ins>\n same\n"));
    gr_str_free(&out);
}

static void capped_rung_is_one_point(void **state)
{
    (void)state;
    struct gr_run run;
    struct gr_groups groups;
    struct gr_pictures pictures;
    make_run(&run);
    pictures_of(&run, &groups, &pictures);
    const struct gr_picture *p = find(&pictures, "sizes");
    assert_string_equal(p->series[0].name, "01_naive");
    assert_int_equal(p->series[0].count, 1);
    assert_string_equal(p->series[1].name, "08_library");
    assert_int_equal(p->series[1].count, 2);
    assert_true(p->series[1].points[0].x == 512 && p->series[1].points[1].x == 1024);
    p = find(&pictures, "roofline");
    assert_non_null(strstr(p->caption, "are not counted here"));
    assert_non_null(strstr(p->x_label, "moved once"));
    for (int i = 0; i < p->series_count; i++)
        assert_string_not_equal(p->series[i].name, synthetic_hostile_name);
    /* 2 n^3 flop over 3 n^2 floats. */
    assert_true(fabs(p->series[1].points[0].x - 1024 / 6.0) < 1e-9);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

static void families_do_not_share_files(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    synthetic_row(&run, "a", "", 64, 10, 0);
    synthetic_row(&run, "a", "", 64, 10, 0)->problem.types = gr_types_of(GR_F64);
    pictures_of(&run, &groups, &pictures);
    find(&pictures, "ladder-f32-nn-1t");
    find(&pictures, "ladder-f64-nn-1t");
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

/* gnuplot would run what stands in backquotes, and end a text at a lone quote. */
static void gnuplot_texts_are_quoted(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    struct gr_str script = {0}, data = {0};
    struct gr_row *row = synthetic_row(&run, "#\"a'`id`", "", 64, 10, 12);
    snprintf(row->peer.name, sizeof row->peer.name, "b'`id`");
    pictures_of(&run, &groups, &pictures);
    const struct gr_picture *p = find(&pictures, "ladder");
    gr_gnuplot_script(p, &script);
    gr_gnuplot_data(p, &data);
    assert_non_null(strstr(script.text, "title 'b''`id`'"));
    assert_non_null(strstr(data.text, "\n10\t#'a'`id`\t"));
    for (const char *at = script.text; (at = strchr(at, '`')); at++) {
        int quotes = 0;
        for (const char *q = at; q > script.text && *q != '\n'; q--)
            quotes += *q == '\'';
        assert_int_equal(quotes % 2, 1);
    }
    gr_str_free(&script);
    gr_str_free(&data);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

static struct gr_str svg_of(const struct gr_picture *picture)
{
    struct gr_str svg = {0};
    gr_svg_render(picture, 860, &svg);
    return svg;
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        found++;
    return found;
}

/* Each library has a look of its own, the same in every picture and in gnuplot's, and a key to it.
 */
static void peers_are_told_apart(void **state)
{
    (void)state;
    static const char *const names[] = {"openblas", "blis", "onednn"}; /* not in their order */
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    struct gr_str script = {0};
    synthetic_environment(&run);
    for (int64_t n = 64; n <= 128; n += 64) {
        synthetic_row(&run, "08_library", "", n, 80, 0);
        for (int i = 0; i < 3; i++)
            synthetic_row(&run, names[i], "", n, 70 + i, 0)->is_peer = true;
    }
    pictures_of(&run, &groups, &pictures);
    struct gr_str bars = svg_of(find(&pictures, "ladder")),
                  curves = svg_of(find(&pictures, "sizes"));
    static const char *const looks[] = {"p2", "p0", "p1"};
    for (int i = 0; i < 3; i++) {
        char line[48], mark[48], words[80];
        snprintf(line, sizeof line, "class=\"rule curve %s\"", looks[i]);
        snprintf(mark, sizeof mark, "class=\"mark %s\"", looks[i]);
        snprintf(words, sizeof words, "halo %s\" text-anchor=\"start\"", looks[i]);
        assert_int_equal(count(bars.text, line), 2); /* in the picture and in its key */
        assert_int_equal(count(bars.text, words), 1);
        snprintf(line, sizeof line, "class=\"curve %s\"", looks[i]);
        assert_int_equal(count(curves.text, line), 2);
        assert_int_equal(count(curves.text, mark), 3); /* two sizes and the key */
    }
    gr_gnuplot_script(find(&pictures, "sizes"), &script);
    assert_int_equal(count(script.text, "linecolor rgb '#b34700' dashtype 2 pointtype 6"), 1);
    assert_int_equal(count(script.text, "linecolor rgb '#6a1b9a' dashtype 3 pointtype 4"), 1);
    gr_str_free(&script);
    gr_str_free(&bars);
    gr_str_free(&curves);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

/* A row with a spread has whiskers in both pictures and for gnuplot; one without has none. */
static void intervals_have_whiskers(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    struct gr_str script = {0}, data = {0};
    for (int64_t n = 64; n <= 128; n += 64) {
        struct gr_row *row = synthetic_row(&run, "steady", "", n, 50, 0);
        row->time_ns.iqr = 0;
        row = synthetic_row(&run, "spread", "", n, 100, 0);
        row->time_ns.iqr = 0.2 * row->time_ns.median;
    }
    pictures_of(&run, &groups, &pictures);
    const struct gr_picture *ladder = find(&pictures, "ladder"), *sizes = find(&pictures, "sizes");
    const struct gr_point *bar = &ladder->series[0].points[1];
    assert_true(fabs(bar->lo - 100 / 1.1) < 1e-9 && fabs(bar->hi - 100 / 0.9) < 1e-9);
    assert_non_null(strstr(ladder->caption, "Whiskers hold the middle half"));
    struct gr_str bars = svg_of(ladder), curves = svg_of(sizes);
    assert_int_equal(count(bars.text, "class=\"whisker\""), 1);
    assert_int_equal(count(curves.text, "class=\"whisker\""), 2);
    gr_gnuplot_script(sizes, &script);
    gr_gnuplot_data(sizes, &data);
    assert_int_equal(count(script.text, "with vectors heads"), 1);
    assert_non_null(strstr(data.text, "\n64\t100\t90.9090909\t111.111111\n"));
    assert_non_null(strstr(data.text, "\n64\t50\n"));
    gr_str_free(&script);
    gr_str_free(&data);
    gr_str_free(&bars);
    gr_str_free(&curves);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
    gr_run_free(&run);
}

static struct gr_row *gpu_row(struct gr_run *run, const char *name, double gflops,
                              struct gr_row_traffic traffic)
{
    struct gr_row *row = synthetic_row(run, name, "", 1024, gflops, 0);
    row->threads = 0;
    row->traffic = traffic;
    free(row->device);
    row->device = gr_strdup(gflops > 0 ? "cuda" : "sim");
    row->verdict = GR_RIGHT;
    row->simulated = gflops <= 0;
    row->peak_fraction = 0;
    return row;
}

static const struct gr_series *series_of(const struct gr_picture *p, const char *name)
{
    for (int i = 0; i < p->series_count; i++)
        if (strcmp(p->series[i].name, name) == 0)
            return &p->series[i];
    fail_msg("no series '%s'", name);
    return NULL;
}

/* On a GPU each kernel stands at the level that feeds it least; without a time, on its roof, and
 * hollow. */
static void levels_are_told_apart(void **state)
{
    (void)state;
    const double flops = 2.0 * 1024 * 1024 * 1024;
    const struct gr_row_traffic naive = {12e6, flops / 8, flops / 0.25, 0},
                                tiled = {12e6, flops / 32, flops / 21, flops / 1.5};
    for (int timed = 0; timed < 2; timed++) {
        struct gr_run run = {0};
        struct gr_groups groups;
        struct gr_pictures pictures;
        run.environment.roofs = (struct gr_roofs){60000, 30000, 4800, 15000, 30000, 30000};
        gpu_row(&run, "naive", timed ? 5000 : 0, naive);
        gpu_row(&run, "tiled", timed ? 40000 : 0, tiled);
        if (timed) {
            gpu_row(&run, "cublas", 50000, (struct gr_row_traffic){0})->is_peer = true;
            gpu_row(&run, "disturbed", 100, tiled)->disturbed = 1;
        }
        pictures_of(&run, &groups, &pictures);
        const struct gr_picture *p = find(&pictures, "roofline");
        const struct gr_series *a = series_of(p, "naive, L1"), *b = series_of(p, "tiled, shared");
        assert_int_equal(a->role, timed ? GR_DRAWN_KERNEL : GR_DRAWN_BOUND);
        assert_true(fabs(a->points[0].x - 0.25) < 1e-9 && fabs(b->points[0].x - 1.5) < 1e-9);
        assert_true(fabs(a->points[0].y - (timed ? 5000 : 7500)) < 1e-6);
        assert_true(fabs(b->points[0].y - (timed ? 40000 : 45000)) < 1e-6);
        series_of(p, "L1, shared memory at most 30000 GB/s");
        series_of(p, "L2 at most 15000 GB/s");
        struct gr_str svg = svg_of(p);
        assert_int_equal(count(svg.text, "class=\"mark hollow"), timed ? 0 : 4);
        assert_int_equal(strstr(p->caption, "No speed was measured") == NULL, timed);
        if (timed)
            assert_true(fabs(series_of(p, "cublas")->points[0].x - 1024 / 6.0) < 1e-9);
        assert_int_equal(count(svg.text, "disturbed"),
                         0); /* unsteady: only the caption tells of it */
        gr_str_free(&svg);
        gr_pictures_free(&pictures);
        gr_groups_free(&groups);
        gr_run_free(&run);
    }
}

static void report_is_written(void **state)
{
    (void)state;
    static const char *const files[] = {"index.html", "run.csv",     "run.md",
                                        "ladder.gp",  "ladder.dat",  "sizes.gp",
                                        "sizes.dat",  "roofline.gp", "roofline.dat"};
    char directory[] = "/tmp/gradus-report-XXXXXX";
    struct gr_run run;
    struct gradus_error error = {0};
    make_run(&run);
    assert_non_null(mkdtemp(directory));
    char *inside = gr_printf("%s/deep", directory);
    assert_int_equal(gr_report_write(&run, NULL, inside, &error), GRADUS_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = gr_printf("%s/%s", inside, files[i]), *text;
        size_t length;
        assert_int_equal(gr_file_read(path, &text, &length, &error), GRADUS_OK);
        assert_true(length > 50 && strlen(text) == length);
        if (gr_ends_with(path, ".html")) {
            assert_null(strstr(text, "<script"));
            assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
            assert_null(strstr(text, "7777")); /* the wrong row's rate */
        }
        unlink(path);
        free(text);
        free(path);
    }
    char *json = gr_printf("%s/run.json", inside);
    unlink(json);
    assert_int_equal(rmdir(inside), 0); /* nothing else was left there */
    rmdir(directory);
    free(json);
    free(inside);

    assert_int_equal(gr_report_write(&run, NULL, "/proc/gradus", &error), GRADUS_IO);
    assert_non_null(strstr(error.text, "/proc/gradus"));
    gradus_error_clear(&error);
    gr_run_free(&run);
}

/* A run of which nothing is known still makes a page. */
static void empty_page(void **state)
{
    (void)state;
    struct gr_run run = {0};
    struct gr_groups groups;
    struct gr_pictures pictures;
    struct gr_str page = {0};
    pictures_of(&run, &groups, &pictures);
    assert_int_equal(pictures.count, 0);
    gr_html_page(&run, &groups, &pictures, NULL, &page);
    assert_true(gr_ends_with(page.text, "</html>\n"));
    assert_null(strstr(page.text, "(null)"));
    gr_str_free(&page);
    gr_pictures_free(&pictures);
    gr_groups_free(&groups);
}

static void add_roof(struct gr_picture *p, const char *name, double bandwidth, double peak)
{
    struct gr_series *roof = gr_picture_series(p, name, GR_DRAWN_ROOF);
    assert_true(gr_series_add(roof, 0.07, 0.07 * bandwidth, NULL, NULL));
    assert_true(gr_series_add(roof, peak / bandwidth, peak, NULL, NULL));
}

/* Names along slopes that are too short for them, or too close, would be written over each other.
 */
static void narrow_rooflines_list_their_roofs(void **state)
{
    (void)state;
    const double peak = 274.3;
    struct gr_pictures pictures = {0};
    struct gr_picture *p = gr_picture_add(&pictures, GR_PICTURE_ROOFLINE, gr_strdup("roofline"));
    p->title = gr_strdup("The roofline"), p->alt = gr_strdup("A roofline.");
    p->x_label = gr_strdup("FLOP per byte"), p->y_label = gr_strdup("GFLOP/s");
    p->x_log = p->y_log = true;
    assert_true(
        gr_series_add(gr_picture_series(p, "01_naive", GR_DRAWN_KERNEL), 42, 2.6, NULL, NULL));
    add_roof(p, "L1 460.4 GB/s", 460.4, peak);
    add_roof(p, "L2 345.8 GB/s", 345.8, peak);
    add_roof(p, "DRAM 41.7 GB/s", 41.7, peak);
    struct gr_str wide = {0}, narrow = {0};
    gr_svg_render(p, 860, &wide);
    gr_svg_render(p, 358, &narrow);
    assert_null(strstr(wide.text, ">L1<"));
    assert_non_null(strstr(wide.text, ">L1 460.4 GB/s<"));
    const char *along = strstr(narrow.text, ">L1<"),
               *whole = strstr(narrow.text, ">L1 460.4 GB/s<");
    assert_non_null(along);
    assert_non_null(whole);
    assert_true(whole > along); /* in the list, below the picture */
    assert_non_null(strstr(narrow.text, ">DRAM<"));
    assert_non_null(strstr(narrow.text, ">DRAM 41.7 GB/s<"));
    gr_str_free(&wide);
    gr_str_free(&narrow);
    gr_pictures_free(&pictures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_rooflines_list_their_roofs),
        cmocka_unit_test(linear_ticks_are_round),
        cmocka_unit_test(logarithmic_ticks),
        cmocka_unit_test(labels_are_spread),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(ladder_is_the_largest_size),
        cmocka_unit_test(capped_rung_is_one_point),
        cmocka_unit_test(families_do_not_share_files),
        cmocka_unit_test(gnuplot_texts_are_quoted),
        cmocka_unit_test(peers_are_told_apart),
        cmocka_unit_test(intervals_have_whiskers),
        cmocka_unit_test(counts_are_bars),
        cmocka_unit_test(chapters_are_told),
        cmocka_unit_test(levels_are_told_apart),
        cmocka_unit_test(report_is_written),
        cmocka_unit_test(empty_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
