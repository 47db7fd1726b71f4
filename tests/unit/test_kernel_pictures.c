/* test_kernel_pictures.c: what the pictures of a kernel show, read off the SVG: sectors, banks,
 * tiles, roofs; and which places are chosen. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/explain_page.h"
#include "report/synthetic_trace.h"

#include <gradus/gradus.h>

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        found++;
    return found;
}

enum { SIDE_BY_SIDE = 4 };

static void draw(void (*picture)(const struct gr_figure_site *, const char *, struct gr_figure *),
                 const struct gr_trace *t, struct gr_figure *f)
{
    const struct gr_figure_site where = {t, &t->sites[t->site_count - 1], ""};
    picture(&where, "it", f);
    assert_false(f->failed);
}

/* A pattern, the sectors that it touches, and how many words of the caption say so. */
static void sectors_are_filled(void **state)
{
    (void)state;
    static const struct {
        int bytes;
        int64_t start, stride;
        int sectors;
        const char *says;
    } cases[] = {
        {4, 0, 4, 4,
         "touches 4 sectors of 32 bytes. Each lane requests the bytes that follow those of the "
         "lane before."},
        {4, 0, 16384, 32,
         "touches 32 sectors of 32 bytes; 4 would do. Each lane is 16384 bytes after"},
        {4, 4096, 0, 1, "touches 1 sector of 32 bytes. All 32 lanes request the same bytes"},
        {4, 4, 4, 5,
         "touches 5 sectors of 32 bytes; 4 would do. Each lane requests the bytes that follow "
         "those of the lane before, but the first does not begin a sector"},
        {16, 512, 16, 16, "touches 16 sectors of 32 bytes."},
        {16, 24, 8192, 64, "touches 64 sectors of 32 bytes; 16 would do."},
        {8, 992, -32, 32, "touches 32 sectors of 32 bytes; 8 would do. Each lane is -32 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_trace t = synthetic_trace(32);
        struct gr_figure f;
        struct gr_trace_site *s =
            synthetic_site(&t, 0, 24, cases[i].bytes, cases[i].start, cases[i].stride);
        synthetic_cost(s, cases[i].sectors, SIDE_BY_SIDE);
        draw(gr_picture_lanes, &t, &f);
        assert_int_equal(count(f.wide.text, "\"sector touched\""), cases[i].sectors);
        assert_int_equal(count(f.narrow.text, "\"sector touched\""), cases[i].sectors);
        assert_int_equal(count(f.wide.text, "class=\"lane f"), 32);
        assert_int_equal(count(f.wide.text, "class=\"byte f"), 32);
        if (!strstr(f.caption, cases[i].says))
            fail_msg("case %d says: %s", (int)i, f.caption);
        assert_non_null(strstr(f.title, "line 24, column 19: load of A"));
        assert_null(strstr(f.caption, "were counted")); /* as the picture has it */
        gr_figure_free(&f);
        gr_trace_free(&t);
    }
}

static void idle_lanes_touch_nothing(void **state)
{
    (void)state;
    struct gr_trace t = synthetic_trace(64);
    struct gr_figure f;
    struct gr_trace_site *s = synthetic_site(&t, 1, 5, 4, 0, 4);
    for (int lane = 8; lane < 64; lane++)
        s->pattern[lane] = -1;
    draw(gr_picture_lanes, &t, &f);
    assert_int_equal(count(f.wide.text, "class=\"lane f"), 8);
    assert_int_equal(count(f.wide.text, "class=\"idle\""), 56);
    assert_int_equal(count(f.wide.text, "\"sector touched\""), 1);
    assert_int_equal(count(f.wide.text, "class=\"sector\""), 3 + 1); /* of the line; the legend */
    gr_figure_free(&f);
    s->array = -1; /* an address of no known array */
    for (int lane = 0; lane < 64; lane++)
        s->pattern[lane] = lane == 0 ? 0x7f1200001010 : -1;
    draw(gr_picture_lanes, &t, &f);
    assert_non_null(strstr(f.wide.text, ">lane 0: + 16 bytes<"));
    assert_non_null(strstr(f.title, "load of several arrays"));
    gr_figure_free(&f);
    s->pattern[0] = -1;
    draw(gr_picture_lanes, &t, &f);
    assert_int_equal(f.wide.length, 0); /* nothing to show */
    gr_figure_free(&f);
    gr_trace_free(&t);
}

static void banks_have_words(void **state)
{
    (void)state;
    static const struct {
        int bytes;
        int64_t stride;
        int phases, wavefronts;
        const char *cell; /* a hint of the picture */
    } cases[] = {
        {4, 4, 1, 1, "bank 31, lanes 0 to 31: 1 distinct word<"},
        {4, 128, 1, 32, "bank 0, lanes 0 to 31: 32 distinct words<"},
        {4, 132, 1, 1, "bank 31, lanes 0 to 31: 1 distinct word<"}, /* padded */
        {4, 0, 1, 1, "bank 1, lanes 0 to 31: 0 distinct words<"},   /* broadcast */
        {8, 8, 2, 2, "bank 31, lanes 16 to 31: 1 distinct word<"},
        {8, 16, 2, 4, "bank 0, lanes 0 to 15: 2 distinct words<"},
        {16, 16, 4, 4, "bank 31, lanes 24 to 31: 1 distinct word<"},
        {16, 32, 4, 8, "bank 3, lanes 8 to 15: 2 distinct words<"},
        {2, 2, 1, 1, "bank 15, lanes 0 to 31: 1 distinct word<"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_trace t = synthetic_trace(32);
        struct gr_figure f;
        char says[96];
        struct gr_trace_site *s = synthetic_site(&t, 3, 31, cases[i].bytes, 0, cases[i].stride);
        synthetic_cost(s, cases[i].wavefronts, cases[i].phases);
        draw(gr_picture_banks, &t, &f);
        assert_int_equal(count(f.wide.text, "class=\"cell heat"), 32 * cases[i].phases);
        assert_int_equal(count(f.narrow.text, "class=\"cell heat"), 32 * cases[i].phases);
        if (!strstr(f.wide.text, cases[i].cell))
            fail_msg("case %d lacks %s", (int)i, cases[i].cell);
        snprintf(says, sizeof says, "takes %d wavefront%s in %d phase", cases[i].wavefronts,
                 cases[i].wavefronts == 1 ? "" : "s", cases[i].phases);
        if (!strstr(f.caption, says))
            fail_msg("case %d says: %s", (int)i, f.caption);
        assert_null(strstr(f.caption, "were counted"));
        gr_figure_free(&f);
        gr_trace_free(&t);
    }
}

static void tiles_are_named(void **state)
{
    (void)state;
    const unsigned grid[3] = {24, 8, 1}, block[3] = {128, 1, 1};
    const struct gr_problem p =
        gr_problem_dense(1000, 3000, 500, false, false, gr_types_of(GR_F32));
    const struct gr_tiles tiles = {128, 128, 8, 64, 64, 16, 8, false}, none = {0};
    struct gr_figure f;
    gr_picture_tiles(&p, &tiles, grid, block, 32, &f);
    assert_non_null(strstr(f.caption, "8 x 24 tiles of BM x BN = 128 x 128"));
    assert_non_null(strstr(f.caption, "in 63 steps of BK = 8"));
    assert_non_null(strstr(f.caption, "there are 4 warps"));
    assert_non_null(strstr(f.caption, "24 numbers feed 128 multiply-adds"));
    assert_int_equal(count(f.wide.text, "class=\"frame\""), 1 + 1); /* a warp; the legend */
    gr_figure_free(&f);
    /* Half the threads cannot be these warps: another kernel of the file has those tiles. */
    gr_picture_tiles(&p, &tiles, grid, (const unsigned[3]){64, 1, 1}, 32, &f);
    assert_string_equal(f.title, "Grid and block");
    assert_non_null(strstr(f.caption, "need more threads than this launch has"));
    gr_figure_free(&f);
    /* What a thread has is known, its shape is not. */
    const struct gr_tiles blocks = {128, 128, 8, 0, 0, 0, 0, false};
    gr_picture_tiles(&p, &blocks, grid, block, 32, &f);
    assert_non_null(strstr(f.caption, "A thread has 128 elements."));
    assert_null(strstr(f.wide.text, "A thread:"));
    gr_figure_free(&f);
    gr_picture_tiles(&p, &none, grid, block, 32, &f);
    assert_string_equal(f.title, "Grid and block");
    assert_non_null(strstr(f.caption, "24 x 8 x 1 blocks of 128 x 1 x 1 threads"));
    assert_true(f.wide.length > 0);
    gr_figure_free(&f);
}

static void roofs_carry_no_invented_speed(void **state)
{
    (void)state;
    struct gr_reach r = {.device = "H200",
                         .gflops = 66908,
                         .dram_gbps = 4800,
                         .l2_gbps = 16727,
                         .l1_gbps = 33454,
                         .shared_gbps = 33454,
                         .ideal = 170.7,
                         .kernels = {{.name = "k", .block = 5.333, .l1 = 0.25}},
                         .kernel_count = 1};
    struct gr_figure f;
    assert_true(gr_picture_reach(&r, &f));
    assert_int_equal(count(f.wide.text, "class=\"reach l"), 3);
    assert_int_equal(count(f.wide.text, "class=\"mark"), 0);
    assert_non_null(strstr(f.caption, "No speed was measured"));
    assert_non_null(strstr(f.script.text, "set output 'roofline-plot.svg'"));
    /* An upright line ends at its own level's roof: 0.25 FLOP a byte of 33454 GB/s. */
    assert_non_null(strstr(f.data.text, "0.25\t8363.5\n"));
    gr_figure_free(&f);
    r.kernels[0].measured_gflops = 41000;
    assert_true(gr_picture_reach(&r, &f));
    assert_int_equal(count(f.wide.text, "class=\"mark"), 2); /* the point, and in the key */
    gr_figure_free(&f);
    r.kernels[0] = (struct gr_reach_kernel){.name = "k"}; /* nothing was simulated */
    assert_true(gr_picture_reach(&r, &f));
    assert_int_equal(count(f.wide.text, "class=\"reach l"), 1);
    gr_figure_free(&f);
    r.gflops = 0;
    assert_false(gr_picture_reach(&r, &f));
    gr_figure_free(&f);
}

/* The roof that is the lowest over the kernel is named, in the picture and in words; of two kernels
 * each has its own. */
static void shared_memory_is_a_roof(void **state)
{
    (void)state;
    struct gr_reach r = {.device = "H200",
                         .gflops = 60000,
                         .dram_gbps = 4800,
                         .l2_gbps = 15000,
                         .l1_gbps = 30000,
                         .shared_gbps = 30000,
                         .ideal = 170.7,
                         .kernels = {{.name = "07_tile2d", .block = 30, .l1 = 21, .shared = 0.5}},
                         .kernel_count = 1};
    struct gr_figure f;
    assert_true(gr_picture_reach(&r, &f));
    assert_int_equal(count(f.wide.text, "class=\"reach l"), 4);
    assert_non_null(strstr(f.wide.text, ">L1, shared memory at most 30000 GB/s</text>"));
    assert_non_null(strstr(f.wide.text, ">shared memory: 0.5</text>"));
    assert_non_null(strstr(f.data.text, "0.5\t15000\n"));
    assert_non_null(strstr(f.caption, "The lowest roof over it is that of shared memory: at most "
                                      "15000 GFLOP/s, 25 % of the peak."));
    gr_figure_free(&f);
    r.kernels[1] = (struct gr_reach_kernel){.name = "01_naive", .block = 2, .l1 = 4};
    r.kernel_count = 2;
    assert_true(gr_picture_reach(&r, &f));
    assert_non_null(strstr(f.wide.text, ">07_tile2d, shared memory: 0.5</text>"));
    assert_non_null(strstr(f.wide.text, ">01_naive, blocks: 2</text>"));
    assert_int_equal(count(f.wide.text, "class=\"reach l"), 3);
    gr_figure_free(&f);
    r.shared_gbps = 20000; /* a roof of its own */
    assert_true(gr_picture_reach(&r, &f));
    assert_non_null(strstr(f.wide.text, ">shared memory at most 20000 GB/s</text>"));
    gr_figure_free(&f);
}

static void worst_site_is_chosen(void **state)
{
    (void)state;
    struct gr_trace t = synthetic_trace(32);
    const struct gr_page_launch launch = {.kernel = "k", .trace = &t};
    struct gr_explain_page page = {.name = "k", .launches = &launch, .launch_count = 1};
    struct gr_figure_site where;
    struct gradus_error error = {0};
    assert_false(gr_page_worst_site(&page, GR_SPACE_GLOBAL, 0, 0, &where));
    synthetic_cost(synthetic_site(&t, 0, 5, 4, 0, 4), 5, 4);
    synthetic_cost(synthetic_site(&t, 0, 3, 4, 0, 8), 8, 4);
    synthetic_cost(synthetic_site(&t, 1, 4, 16, 0, 16), 16, 16); /* the most, but none is lost */
    synthetic_cost(synthetic_site(&t, 1, 6, 4, 0, 0), 1, 4); /* shared: less than side by side */
    synthetic_cost(synthetic_site(&t, 3, 7, 4, 0, 4), 1, 1);
    assert_true(gr_page_worst_site(&page, GR_SPACE_GLOBAL, 0, 0, &where));
    assert_int_equal(where.site->line, 3);
    assert_true(gr_page_worst_site(&page, GR_SPACE_GLOBAL, 4, 0, &where));
    assert_int_equal(where.site->line, 4);
    assert_false(gr_page_worst_site(&page, GR_SPACE_GLOBAL, 4, 18, &where));
    assert_true(gr_page_worst_site(&page, GR_SPACE_SHARED, 0, 0, &where));
    assert_int_equal(where.site->line, 7);
    page.site_line = 9;
    assert_int_equal(gr_page_no_such_site(&page, &error), GRADUS_INVALID);
    assert_non_null(strstr(error.text, "nothing at line 9"));
    gradus_error_clear(&error);
    gr_trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_filled),
        cmocka_unit_test(idle_lanes_touch_nothing),
        cmocka_unit_test(banks_have_words),
        cmocka_unit_test(tiles_are_named),
        cmocka_unit_test(roofs_carry_no_invented_speed),
        cmocka_unit_test(shared_memory_is_a_roof),
        cmocka_unit_test(worst_site_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
