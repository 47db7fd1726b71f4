/* test_check_limits.c: what a check allows, and what only one part of it sees: each of these must
 * fail when that part is gone. SPDX-License-Identifier: MIT */
/* threads: src/check/split.c */
#include "check_trial.h"

#include "check/reference.h"

enum { FULL = 0, SCREEN = 1 };

static float *at(const struct trial *t, int64_t row, int64_t col)
{
    return (float *)t->c + row * t->p.ldc + col;
}

/* Products that underflow may be lost, each the smallest normal number (of narrow types, the
 * smallest of all), and two more: not twice as much. */
static void underflow_is_allowed_once(void **state)
{
    (void)state;
    static const struct {
        enum gr_dtype type;
        double input, lost;
    } cases[] = {{GR_F32, 1e-25, 0x1p-126},
                 {GR_F64, 1e-155, 0x1p-1022},
                 {GR_BF16, 1e-25, 0x1p-133},
                 {GR_F16, 0x1p-14, 0x1p-24}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int64_t k = 1; k <= 64; k *= 8) {
            enum gr_dtype type = cases[i].type;
            struct trial t = make(4, 4, k, 0, 0, type, GR_FILL_ONES);
            for (int64_t e = 0; e < 4 * k; e++) {
                gr_element_put(type, t.a, e, cases[i].input);
                gr_element_put(type, t.b, e, cases[i].input);
            }
            struct gr_reference *r = reference_of(&t, FULL);
            double allowed = cases[i].lost * (double)(k + 2);
            const double factors[] = {0, 0.9, 2.1};
            for (int f = 0; f < 3; f++) {
                for (int64_t e = 0; e < 16; e++)
                    gr_element_put(type, t.c, e, factors[f] * allowed);
                assert_true(judge(r, &t, 1, 0, false, NULL).right == (f < 2));
            }
            gr_reference_free(r);
            drop(&t);
        }
}

/* A chance of 2^-24 needs 24 vectors that know nothing of one another. */
static void vectors_of_signs_are_independent(void **state)
{
    (void)state;
    struct trial t = make(2000, 60, 3, 0, 0, GR_F32, GR_FILL_UNIFORM);
    struct trial u = make(60, 2000, 3, 0, 0, GR_F32, GR_FILL_UNIFORM);
    const struct trial *const trials[] = {&t, &u};
    for (int which = 0; which < 2; which++) {
        struct gr_reference *r = reference_of(trials[which], SCREEN);
        assert_true(r->by_cols == (which == 1));
        int64_t length = 60;
        assert_int_equal(r->by_cols ? r->x.lines : r->y.lines, length);
        for (int v = 0; v < GR_VECTORS; v++)
            for (int w = 0; w < v; w++) {
                int64_t same = 0;
                for (int64_t j = 0; j < length; j++) {
                    assert_true(fabs(r->signs[j][v]) == 1);
                    same += r->signs[j][v] == r->signs[j][w];
                }
                assert_in_range(same, 9, length - 9); /* 5.4 sigma */
            }
        gr_reference_free(r);
    }
    drop(&t);
    drop(&u);
}

static bool is_among(const struct gr_lines *lines, int64_t index)
{
    for (int64_t l = 0; l < lines->count; l++)
        if (lines->index[l] == index)
            return true;
    return false;
}

/* Both sides of the last boundary of tiles, and both ends, in rows and in columns. */
static void both_sides_of_tiles_are_compared(void **state)
{
    (void)state;
    const int64_t shapes[][2] = {{700, 650}, {257, 1030}, {33, 65}};
    for (int s = 0; s < 3; s++) {
        struct trial t = make(shapes[s][0], shapes[s][1], 3, 0, 0, GR_F32, GR_FILL_UNIFORM);
        struct gr_reference *r = reference_of(&t, SCREEN);
        for (int cols = 0; cols < 2; cols++) {
            const struct gr_lines *lines = cols ? &r->cols : &r->rows;
            int64_t count = shapes[s][cols];
            const int64_t ends[] = {0, 1, count - 2, count - 1};
            for (int e = 0; e < 4; e++)
                assert_true(is_among(lines, ends[e]));
            for (int64_t tile = 32; tile <= 256; tile *= 2) {
                int64_t last = (count - 1) / tile * tile;
                if (last > 0)
                    assert_true(is_among(lines, last) && is_among(lines, last - 1));
            }
        }
        gr_reference_free(r);
        drop(&t);
    }
}

/* A line of C that is neither sampled nor conspicuous: everything in it is a million times smaller
 * than elsewhere. */
static struct trial with_a_faint_row(int64_t row)
{
    struct trial t = make(400, 380, 24, 0, 0, GR_F32, GR_FILL_UNIFORM);
    for (int64_t l = 0; l < t.p.k; l++)
        ((float *)t.a)[row * t.p.lda + l] *= 1e-7f;
    for (int64_t j = 0; j < t.p.n; j++)
        ((float *)t.c0)[row * t.p.ldc + j] *= 1e-7f;
    multiply(&t, 1, 0);
    return t;
}

/* What was not written there is too small for any residual to show: it is known by its bits. */
static void unwritten_elements_of_a_large_c_are_seen(void **state)
{
    (void)state;
    enum { ROW = 150, COL = 200 };
    struct trial t = with_a_faint_row(ROW);
    struct gr_reference *r = reference_of(&t, SCREEN);
    assert_false(is_among(&r->rows, ROW) || is_among(&r->cols, COL));
    assert_true(judge(r, &t, 1, 0, false, NULL).right);
    *at(&t, ROW, COL) = ((float *)t.c0)[ROW * t.p.ldc + COL];
    struct gr_findings findings = {0};
    struct gr_check check = judge(r, &t, 1, 0, false, &findings);
    assert_false(check.right);
    assert_int_equal(check.wrong_count, 1);
    assert_true(check.worst.row == ROW && check.worst.col == COL);
    assert_int_equal(findings.items[0].kind, GR_FIND_UNWRITTEN);
    gr_findings_free(&findings);
    gr_reference_free(r);
    drop(&t);
}

/* Where NaN in A reaches more lines than are compared in full, the residuals of the rest say
 * nothing, and nothing is promised. */
static void nan_in_the_inputs_promises_nothing(void **state)
{
    (void)state;
    struct trial t = make(400, 380, 24, 0, 0, GR_F32, GR_FILL_UNIFORM);
    for (int64_t i = 100; i < 250; i++)
        ((float *)t.a)[i * t.p.lda + 3] = NAN;
    multiply(&t, 1, 0);
    struct gr_reference *r = reference_of(&t, SCREEN);
    struct gr_check check = judge(r, &t, 1, 0, false, NULL);
    assert_true(check.right);
    assert_true(isinf(check.sees));
    assert_non_null(strstr(check.checked_by, "NaN or Inf in the inputs hide errors elsewhere"));
    gr_reference_free(r);
    drop(&t);
}

/* Wrong tiles at the lower edge, at the right one, and at both, by values that C did not hold
 * before. */
static void edges_are_named_by_their_side(void **state)
{
    (void)state;
    static const struct {
        bool rows, cols;
        const char *text;
    } cases[] = {
        {true, false, "wrong only where row >= 96, beyond the last whole tile of 3"},
        {false, true, "wrong only where col >= 96, beyond the last whole tile of 3"},
        {true, true, "wrong only where row >= 96 or col >= 96, beyond the last whole tile of "}};
    for (int i = 0; i < 3; i++) {
        struct trial t = make(98, 98, 20, 0, 0, GR_F32, GR_FILL_UNIFORM);
        multiply(&t, 1, 0);
        for (int64_t row = 0; row < 98; row++)
            for (int64_t col = 0; col < 98; col++)
                if ((cases[i].rows && row >= 96) || (cases[i].cols && col >= 96))
                    *at(&t, row, col) += 1;
        struct gr_reference *r = reference_of(&t, FULL);
        struct gr_findings findings = {0};
        assert_false(judge(r, &t, 1, 0, false, &findings).right);
        if (!strstr(findings.items[0].text, cases[i].text))
            print_error("found '%s'\n", findings.items[0].text);
        assert_non_null(strstr(findings.items[0].text, cases[i].text));
        gr_findings_free(&findings);
        gr_reference_free(r);
        drop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(underflow_is_allowed_once),
        cmocka_unit_test(vectors_of_signs_are_independent),
        cmocka_unit_test(both_sides_of_tiles_are_compared),
        cmocka_unit_test(unwritten_elements_of_a_large_c_are_seen),
        cmocka_unit_test(nan_in_the_inputs_promises_nothing),
        cmocka_unit_test(edges_are_named_by_their_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
