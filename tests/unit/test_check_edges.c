/* test_check_edges.c: what is told of a wrong C where two explanations are near one another, and
 * where counts come to their ends. SPDX-License-Identifier: MIT */
/* threads: src/check/split.c */
#include "check_trial.h"

#include "check/reference.h"

enum { FULL = 0, SCREEN = 1 };

static float *at(const struct trial *t, int64_t row, int64_t col)
{
    return (float *)t->c + row * t->p.ldc + col;
}

static struct gr_check judge_in(int mode, const struct trial *t, double alpha, double beta,
                                struct gr_findings *findings)
{
    struct gr_reference *r = reference_of(t, mode);
    struct gr_check check = judge(r, t, alpha, beta, false, findings);
    gr_reference_free(r);
    return check;
}

static bool says(const struct gr_findings *findings, const char *text)
{
    for (int i = 0; i < findings->count; i++)
        if (strstr(findings->items[i].text, text))
            return true;
    return false;
}

/* All NaN are counted, also beyond those that are compared one by one. */
static void many_nan(void **state)
{
    (void)state;
    struct trial t = make(200, 150, 20, 0, 1, GR_F32, GR_FILL_UNIFORM);
    multiply(&t, 1.5, 0.5);
    for (int64_t i = 0; i < 3000; i++)
        *at(&t, i % 200, i / 200 * 10) = NAN;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct gr_findings findings = {0};
        struct gr_check check = judge_in(mode, &t, 1.5, 0.5, &findings);
        assert_false(check.right);
        assert_int_equal(check.wrong_count, 3000);
        assert_true(says(&findings, "is NaN where the reference is finite; 3000 such elements"));
        gr_findings_free(&findings);
    }
    drop(&t);
}

/* An operand can be used transposed where its own sides are equal, whatever the other's are. */
static void one_operand_is_square(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        for (int of_b = 0; of_b < 2; of_b++) {
            struct trial t =
                make(of_b ? 60 : 40, of_b ? 40 : 60, 40, 0, 2, GR_F32, GR_FILL_UNIFORM);
            struct trial wrong = t;
            *(of_b ? &wrong.p.trans_b : &wrong.p.trans_a) = true;
            multiply(&wrong, 1.5, 0.5);
            struct gr_findings findings = {0};
            assert_false(judge_in(mode, &t, 1.5, 0.5, &findings).right);
            assert_int_equal(findings.items[0].kind, GR_FIND_TRANSPOSED);
            assert_true(says(&findings, of_b ? "as if B were" : "as if A were"));
            gr_findings_free(&findings);
            drop(&t);
        }
    }
}

/* Where a transpose would change nothing, a single wrong element is none. */
static void one_element_of_a_symmetric_product(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct trial t = make(64, 64, 64, 0, 0, GR_F32, GR_FILL_ONES);
        multiply(&t, 1.5, 0.5);
        *at(&t, 3, 40) += 1;
        struct gr_findings findings = {0};
        struct gr_check check = judge_in(mode, &t, 1.5, 0.5, &findings);
        assert_int_equal(check.wrong_count, 1);
        assert_false(gr_findings_has(&findings, GR_FIND_TRANSPOSED));
        assert_true(says(&findings, "C[3,40]: got "));
        gr_findings_free(&findings);
        drop(&t);
    }
}

/* The smallest tile beyond which it is wrong. */
static void edge_of_two(void **state)
{
    (void)state;
    struct trial t = make(101, 103, 20, 0, 0, GR_F32, GR_FILL_UNIFORM);
    struct gr_findings findings = {0};
    multiply(&t, 1.5, 0.5);
    for (int64_t i = 0; i < 101; i++)
        *at(&t, i, 102) += 1;
    assert_false(judge_in(FULL, &t, 1.5, 0.5, &findings).right);
    assert_true(says(&findings, "wrong only where col >= 102, beyond the last whole tile of 2"));
    gr_findings_free(&findings);
    multiply(&t, 1.5, 0.5);
    for (int64_t j = 0; j < 103; j++)
        *at(&t, 100, j) += 1;
    assert_false(judge_in(FULL, &t, 1.5, 0.5, &findings).right);
    assert_true(says(&findings, "wrong only where row >= 100, beyond the last whole tile of 2"));
    gr_findings_free(&findings);
    drop(&t);
}

/* "All wrong elements are zero" is said where all are, and more than one. */
static void some_zeros(void **state)
{
    (void)state;
    for (int zeros = 0; zeros <= 4; zeros++) {
        struct trial t = make(50, 40, 20, 0, 0, GR_F32, GR_FILL_UNIFORM);
        struct gr_findings findings = {0};
        multiply(&t, 1.5, 0.5);
        for (int i = 0; i < 4; i++)
            *at(&t, 7 * i, 9 * i) = i < zeros ? 0 : *at(&t, 7 * i, 9 * i) + 1;
        assert_int_equal(judge_in(FULL, &t, 1.5, 0.5, &findings).wrong_count, 4);
        assert_int_equal(gr_findings_has(&findings, GR_FIND_ZEROS), zeros == 4);
        gr_findings_free(&findings);
        drop(&t);
    }
}

/* That sums are kept in halves explains nearly every wrong element, or none: here all, there three
 * of four. */
static void sums_in_halves(void **state)
{
    (void)state;
    struct trial t = make(96, 90, 300, 0, 2, GR_F16, GR_FILL_UNIFORM);
    t.p.types.acc = GR_F16;
    multiply(&t, 1, 0);
    t.p.types.acc = GR_F32;
    struct gr_findings findings = {0};
    assert_false(judge_in(FULL, &t, 1, 0, &findings).right);
    assert_true(says(&findings, "the sum is kept in f16"));
    gr_findings_free(&findings);
    for (int64_t i = 0; i < 96 * t.p.ldc; i++)
        if (i % 4 == 0)
            gr_element_put(GR_F16, t.c, i, 1.5 * gr_element(GR_F16, t.c, i) + 0.25);
    assert_false(judge_in(FULL, &t, 1, 0, &findings).right);
    assert_false(says(&findings, "the sum is kept in f16"));
    gr_findings_free(&findings);
    drop(&t);
}

/* E4M3 has numbers at its highest exponent, all but one of them. */
static void numbers_of_e4m3(void **state)
{
    (void)state;
    for (int bits = 0x78; bits <= 0x7e; bits++) {
        const uint8_t both[] = {(uint8_t)bits, (uint8_t)(bits | 0x80)};
        const double wanted = 256 + 32 * (bits - 0x78);
        uint8_t back[2];
        assert_true(gr_element(GR_E4M3, both, 0) == wanted);
        assert_true(gr_element(GR_E4M3, both, 1) == -wanted);
        gr_element_put(GR_E4M3, back, 0, wanted);
        gr_element_put(GR_E4M3, back, 1, -wanted);
        assert_memory_equal(back, both, 2);
    }
    const uint8_t nan = 0x7f;
    assert_true(isnan(gr_element(GR_E4M3, &nan, 0)));
}

/* Lines longer than what is read at once: a right C leaves small residuals, so that small errors
 * are seen. */
static void long_lines(void **state)
{
    (void)state;
    for (int trans = 0; trans < 4; trans++) {
        struct trial t = make(700, 601, 9, trans, 1, GR_F32, GR_FILL_UNIFORM);
        multiply(&t, 1.5, 0.5);
        struct gr_check check = judge_in(SCREEN, &t, 1.5, 0.5, NULL);
        assert_true(check.right && check.sees < 1e-3);
        *at(&t, 650, 590) += 0.01f;
        check = judge_in(SCREEN, &t, 1.5, 0.5, NULL);
        assert_true(!check.right && check.worst.row == 650 && check.worst.col == 590);
        drop(&t);
    }
}

/* A dot product takes in what is left behind whole pieces. */
static void dots_of_all_lengths(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 255, 256, 257, 300, 511, 512, 513, 1000};
    double ones[1000];
    for (int i = 0; i < 1000; i++)
        ones[i] = i + 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int64_t k = lengths[i];
        struct gr_view x = gr_view_dense(ones, 1, k), y = gr_view_dense(ones, 1, k);
        double product, absolute, wanted = (double)(k * (k + 1) * (2 * k + 1) / 6);
        gr_view_dot(&x, 0, &y, 0, &product, &absolute);
        assert_true(product == wanted && absolute == wanted);
    }
}

/* Integers to multiply are -8 to 8, both ends among them; 0 to 8 where there is no sign. */
static void integers_reach_both_ends(void **state)
{
    (void)state;
    static const enum gr_dtype types[] = {GR_F32, GR_S8, GR_U8};
    for (int t = 0; t < 3; t++) {
        double least = 99, most = -99;
        _Alignas(4) char elements[4000];
        gr_fill_matrix(GR_FILL_INTEGER, 1, types[t], 1, 1000, 1000, elements);
        for (int64_t i = 0; i < 1000; i++) {
            least = fmin(least, gr_element(types[t], elements, i));
            most = fmax(most, gr_element(types[t], elements, i));
        }
        assert_true(least == (types[t] == GR_U8 ? 0 : -8) && most == 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_nan),
        cmocka_unit_test(one_operand_is_square),
        cmocka_unit_test(one_element_of_a_symmetric_product),
        cmocka_unit_test(edge_of_two),
        cmocka_unit_test(some_zeros),
        cmocka_unit_test(sums_in_halves),
        cmocka_unit_test(numbers_of_e4m3),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(dots_of_all_lengths),
        cmocka_unit_test(integers_reach_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
