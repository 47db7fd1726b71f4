/* test_check_faults.c: planted faults are seen and named, by the full reference and by the screen.
 * SPDX-License-Identifier: MIT */
/* threads: src/check/split.c */
#include "check_trial.h"

#include "base/rng.h"
#include "check/reference.h"

/* Full reference, and the screen forced upon a small product. */
enum { FULL = 0, SCREEN = 1 };

static float *at(const struct trial *t, int64_t row, int64_t col)
{
    return (float *)t->c + row * t->p.ldc + col;
}

static const char *first_of(const struct gr_findings *findings)
{
    assert_true(findings->count > 0);
    for (int i = 0; i < findings->count; i++)
        assert_true(strlen(findings->items[i].text) <= 200);
    return findings->items[0].text;
}

/* Checks t.c, which must be wrong, against alpha 1.5 and beta 0.5. */
static void expect_wrong(const struct trial *t, int mode, enum gr_finding_kind kind,
                         const char *text)
{
    struct gr_reference *r = reference_of(t, mode);
    struct gr_findings findings = {0};
    struct gr_check check = judge(r, t, 1.5, 0.5, false, &findings);
    assert_false(check.right);
    assert_true(check.wrong_count > 0 && check.worst.ratio > check.worst.limit);
    if (!strstr(first_of(&findings), text))
        print_error("found '%s', wanted '%s'\n", first_of(&findings), text);
    assert_non_null(strstr(first_of(&findings), text));
    assert_int_equal(findings.items[0].kind, kind);
    assert_int_equal(findings.items[findings.count - 1].kind, GR_FIND_WRONG_ELEMENT);
    gr_findings_free(&findings);
    gr_reference_free(r);
}

static struct trial square(int trans)
{
    struct trial t = make(96, 96, 96, trans, 2, GR_F32, GR_FILL_UNIFORM);
    multiply(&t, 1.5, 0.5);
    return t;
}

static void zeros(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct trial t = square(mode);
        memset(t.c, 0, t.c_bytes);
        expect_wrong(&t, mode, GR_FIND_ZEROS, "every element of C is zero");
        drop(&t);
    }
}

static void transposed(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        for (int trans = 0; trans < 4; trans++) {
            struct trial t = square(trans), u = square(trans);
            multiply(&u, 1.5, 0); /* C = alpha (A B)^T + beta C0 */
            for (int64_t i = 0; i < t.p.m; i++)
                for (int64_t j = 0; j < t.p.n; j++)
                    *at(&t, i, j) = *at(&u, j, i) + 0.5f * ((float *)t.c0)[i * t.p.ldc + j];
            expect_wrong(&t, mode, GR_FIND_TRANSPOSED, "looks like the transpose of the right C");
            drop(&t);
            drop(&u);
        }
    }
}

/* C written by columns into a dense buffer that is not square. */
static void written_by_columns(void **state)
{
    (void)state;
    struct trial t = make(60, 90, 30, 0, 0, GR_F32, GR_FILL_UNIFORM);
    struct trial u = make(60, 90, 30, 0, 0, GR_F32, GR_FILL_UNIFORM);
    multiply(&u, 1.5, 0);
    for (int64_t i = 0; i < 60; i++)
        for (int64_t j = 0; j < 90; j++)
            ((float *)t.c)[j * 60 + i] = ((float *)u.c)[i * 90 + j];
    for (int64_t i = 0; i < 60 * 90; i++)
        ((float *)t.c)[i] += 0.5f * ((float *)t.c0)[i];
    expect_wrong(&t, FULL, GR_FIND_TRANSPOSED, "transpose");
    expect_wrong(&t, SCREEN, GR_FIND_TRANSPOSED, "transpose");
    drop(&t);
    drop(&u);
}

/* The right kernel on operands exchanged or read the wrong way, checked against the true problem.
 */
static void operands_mixed_up(void **state)
{
    (void)state;
    const char *const text[] = {"A and B are swapped", "A were used transposed",
                                "B were used transposed", "both used transposed"};
    for (int mode = FULL; mode <= SCREEN; mode++) {
        for (int fault = 0; fault < 4; fault++) {
            struct trial t = square(0);
            struct trial wrong = t;
            if (fault == 0) {
                wrong.a = t.b;
                wrong.b = t.a;
                wrong.p.lda = t.p.ldb;
                wrong.p.ldb = t.p.lda;
            } else {
                wrong.p.trans_a = fault & 1;
                wrong.p.trans_b = fault & 2;
            }
            multiply(&wrong, 1.5, 0.5);
            expect_wrong(&t, mode, GR_FIND_TRANSPOSED, text[fault]);
            drop(&t);
        }
    }
}

static void factors_ignored(void **state)
{
    (void)state;
    const double factors[][2] = {{1.5, 0}, {1, 0.5}, {1, 0}};
    const char *const text[] = {"beta were ignored", "alpha were ignored", "alpha and beta"};
    for (int mode = FULL; mode <= SCREEN; mode++) {
        for (int f = 0; f < 3; f++) {
            struct trial t = make(50, 70, 30, f, 1, GR_F32, GR_FILL_UNIFORM);
            multiply(&t, factors[f][0], factors[f][1]);
            expect_wrong(&t, mode, GR_FIND_WRONG_ELEMENT, text[f]);
            drop(&t);
        }
    }
}

static void edges(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct trial t = make(100, 103, 40, 0, 0, GR_F32, GR_FILL_UNIFORM);
        multiply(&t, 1.5, 0.5);
        for (int64_t i = 0; i < 100; i++)
            for (int64_t j = 96; j < 103; j++)
                *at(&t, i, j) += 1;
        expect_wrong(&t, mode, GR_FIND_WRONG_ELEMENT, "wrong only where col >= 96");
        multiply(&t, 1.5, 0.5);
        for (int64_t j = 0; j < 103; j++)
            *at(&t, 99, j) += 1;
        expect_wrong(&t, mode, GR_FIND_WRONG_ELEMENT, "wrong only where row >= 99");
        multiply(&t, 1.5, 0.5);
        for (int64_t i = 0; i < 100; i++)
            for (int64_t j = 0; j < 103; j++)
                if (i >= 96 || j >= 96)
                    *at(&t, i, j) = ((float *)t.c0)[i * t.p.ldc + j];
        expect_wrong(&t, mode, GR_FIND_UNWRITTEN, "still hold what C held before");
        drop(&t);
    }
}

static void one_element(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct trial t = make(100, 103, 40, 3, 1, GR_F32, GR_FILL_UNIFORM);
        multiply(&t, 1.5, 0.5);
        *at(&t, 17, 42) += 1;
        expect_wrong(&t, mode, GR_FIND_WRONG_ELEMENT, "C[17,42]: got ");
        expect_wrong(&t, mode, GR_FIND_WRONG_ELEMENT, "no other of ");
        drop(&t);
    }
}

/* NaN that C held before and nobody wrote over, in one place of a large C. */
static void unwritten_nan(void **state)
{
    (void)state;
    struct trial t = make(300, 200, 20, 0, 0, GR_F32, GR_FILL_UNIFORM);
    multiply(&t, 1, 0);
    void *before = malloc(t.c_bytes);
    assert_non_null(before);
    memset(before, 0xff, t.c_bytes);
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct gr_reference *r = reference_of(&t, mode);
        struct gr_findings findings = {0};
        struct gr_check check;
        float keep = *at(&t, 211, 133);
        memset(at(&t, 211, 133), 0xff, sizeof(float));
        assert_int_equal(
            gr_check_result(r, 1, 0, NULL, t.c, before, false, &check, &findings, NULL), GRADUS_OK);
        assert_false(check.right);
        assert_int_equal(check.wrong_count, 1);
        assert_int_equal(findings.items[0].kind, GR_FIND_UNWRITTEN);
        assert_true(gr_findings_has(&findings, GR_FIND_NAN));
        *at(&t, 211, 133) = keep;
        gr_findings_free(&findings);
        gr_reference_free(r);
    }
    free(before);
    drop(&t);
}

/* A kernel of halves; acc: what it adds up in. */
static void multiply_in(struct trial *t, enum gr_dtype acc)
{
    t->p.types.acc = acc;
    multiply(t, 1, 0);
    t->p.types.acc = GR_F32;
}

static const char *headline(const struct trial *t, struct gr_findings *findings)
{
    struct gr_reference *r = reference_of(t, FULL);
    struct gr_check check = judge(r, t, 1, 0, false, findings);
    assert_false(check.right);
    gr_reference_free(r);
    return first_of(findings);
}

/* Of many wrong halves some equal what C held before by chance. */
static void sums_in_halves(void **state)
{
    (void)state;
    struct trial t = make(96, 90, 300, 0, 2, GR_F16, GR_FILL_UNIFORM);
    t.p.types.acc = GR_F32;
    struct gr_findings findings = {0};
    multiply_in(&t, GR_F16);
    memcpy(t.c, t.c0, 2 * 3);
    assert_non_null(strstr(headline(&t, &findings), "the sum is kept in f16"));
    assert_non_null(strstr(findings.items[0].text, "accumulate in f32"));
    assert_false(gr_findings_has(&findings, GR_FIND_UNWRITTEN));
    gr_findings_free(&findings);
    drop(&t);
}

/* Wrong in another way: only the worst element is told of, and what is plainly unwritten is told
 * all the same. */
static void wrong_halves(void **state)
{
    (void)state;
    struct trial t = make(96, 90, 300, 0, 2, GR_F16, GR_FILL_UNIFORM);
    t.p.types.acc = GR_F32;
    struct gr_findings findings = {0};
    multiply_in(&t, GR_F32);
    for (int64_t i = 0; i < 96 * t.p.ldc; i++)
        gr_element_put(GR_F16, t.c, i, 1.5 * gr_element(GR_F16, t.c, i) + 0.25);
    memcpy(t.c, t.c0, 2 * 3);
    assert_non_null(strstr(headline(&t, &findings), "]: got "));
    gr_findings_free(&findings);
    memcpy(t.c, t.c0, 2 * 80);
    assert_non_null(
        strstr(headline(&t, &findings), "wrong elements still hold what C held before"));
    gr_findings_free(&findings);
    drop(&t);
}

/* The promise of `sees`: one error of that size, anywhere, of either sign, is always found. */
static void what_is_promised_is_seen(void **state)
{
    (void)state;
    const int64_t shapes[][3] = {{200, 130, 64}, {64, 400, 16}, {500, 40, 33}, {100, 120, 300}};
    const enum gr_fill fills[] = {GR_FILL_UNIFORM, GR_FILL_POSITIVE, GR_FILL_WIDE, GR_FILL_NORMAL};
    struct gr_rng rng = {99};
    for (int s = 0; s < 4; s++) {
        for (int mode = FULL; mode <= SCREEN; mode++) {
            struct trial t = make(shapes[s][0], shapes[s][1], shapes[s][2], s, 1, GR_F32, fills[s]);
            multiply(&t, 1.5, 0.5);
            struct gr_reference *r = reference_of(&t, mode);
            struct gr_check clean = judge(r, &t, 1.5, 0.5, false, NULL);
            assert_true(clean.right);
            assert_true(clean.sees > 0 && isfinite(clean.sees));
            for (int trial = 0; trial < 12; trial++) {
                int64_t i = (int64_t)(gr_rng_unit(&rng) * (double)t.p.m);
                int64_t j = (int64_t)(gr_rng_unit(&rng) * (double)t.p.n);
                double product, absolute;
                gr_view_dot(&r->x, i, &r->y, j, &product, &absolute);
                double want = 1.5 * product + 0.5 * (double)((float *)t.c0)[i * t.p.ldc + j];
                float keep = *at(&t, i, j);
                float planted = (float)(want + (trial & 1 ? 1 : -1) * clean.sees);
                while (fabs((double)planted - want) < clean.sees) /* as float holds it */
                    planted = nextafterf(planted, trial & 1 ? INFINITY : -INFINITY);
                *at(&t, i, j) = planted;
                struct gr_check check = judge(r, &t, 1.5, 0.5, false, NULL);
                assert_false(check.right);
                assert_true(check.worst.row == i && check.worst.col == j);
                *at(&t, i, j) = keep;
            }
            gr_reference_free(r);
            drop(&t);
        }
    }
}

/* C with every element at nearly its limit; signs at random, or all up. */
static void fill_to_the_limit(struct trial *t, const struct gr_reference *r, bool all_up)
{
    struct gr_rng rng = {5};
    for (int64_t i = 0; i < t->p.m; i++) {
        for (int64_t j = 0; j < t->p.n; j++) {
            double product, absolute;
            gr_view_dot(&r->x, i, &r->y, j, &product, &absolute);
            double error = 0.95 * 16 * 0x1p-23 * absolute;
            *at(t, i, j) = (float)(product + (all_up || gr_rng_next(&rng) & 1 ? error : -error));
        }
    }
}

/* Right, however the errors add up in a residual. */
static void within_limits_never_fails(void **state)
{
    (void)state;
    for (int mode = FULL; mode <= SCREEN; mode++) {
        for (int all_up = 0; all_up < 2; all_up++) {
            struct trial t = make(90, 300, 64, 1, 0, GR_F32, GR_FILL_UNIFORM);
            struct gr_reference *r = reference_of(&t, mode);
            fill_to_the_limit(&t, r, all_up);
            struct gr_check check = judge(r, &t, 1, 0, false, NULL);
            assert_true(check.right);
            assert_true(check.worst.ratio > 0.9 * check.worst.limit);
            gr_reference_free(r);
            drop(&t);
        }
    }
}

/* The errors of such a C drown a single wrong element in some residuals, but not in all of them:
 * the promise is a larger number, and it is kept. */
static void noise_makes_an_honest_promise(void **state)
{
    (void)state;
    struct trial t = make(90, 300, 64, 0, 0, GR_F32, GR_FILL_UNIFORM);
    struct gr_reference *full = reference_of(&t, FULL), *r = reference_of(&t, SCREEN);
    fill_to_the_limit(&t, r, false);
    struct gr_check clean = judge(r, &t, 1, 0, false, NULL);
    assert_true(clean.right && clean.sees > 4 * judge(full, &t, 1, 0, false, NULL).sees);
    struct gr_rng rng = {8};
    for (int trial = 0; trial < 40; trial++) {
        int64_t i = (int64_t)(gr_rng_unit(&rng) * 90), j = (int64_t)(gr_rng_unit(&rng) * 300);
        float keep = *at(&t, i, j);
        double want = full->product[i * 300 + j];
        *at(&t, i, j) = (float)(want + (trial & 1 ? 1.0001 : -1.0001) * clean.sees);
        assert_false(judge(r, &t, 1, 0, false, NULL).right);
        *at(&t, i, j) = keep;
    }
    gr_reference_free(full);
    gr_reference_free(r);
    drop(&t);
}

static void the_verdict_does_not_depend_on_threads(void **state)
{
    (void)state;
    struct trial t = make(257, 130, 90, 2, 1, GR_F32, GR_FILL_NORMAL);
    multiply(&t, 1.5, 0.5);
    for (int mode = FULL; mode <= SCREEN; mode++) {
        struct gr_check checks[3];
        for (int i = 0; i < 3; i++) {
            struct gr_reference *r;
            const int threads[] = {1, 3, 200};
            assert_int_equal(gr_reference_make(&t.p, t.a, t.b, NULL, 7, mode, threads[i], &r, NULL),
                             GRADUS_OK);
            checks[i] = judge(r, &t, 1.5, 0.5, false, NULL);
            assert_true(checks[i].worst.ratio == checks[0].worst.ratio);
            assert_true(checks[i].sees == checks[0].sees);
            assert_string_equal(checks[i].checked_by, checks[0].checked_by);
            gr_reference_free(r);
        }
    }
    drop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros),
        cmocka_unit_test(transposed),
        cmocka_unit_test(written_by_columns),
        cmocka_unit_test(operands_mixed_up),
        cmocka_unit_test(factors_ignored),
        cmocka_unit_test(edges),
        cmocka_unit_test(one_element),
        cmocka_unit_test(unwritten_nan),
        cmocka_unit_test(sums_in_halves),
        cmocka_unit_test(wrong_halves),
        cmocka_unit_test(what_is_promised_is_seen),
        cmocka_unit_test(within_limits_never_fails),
        cmocka_unit_test(noise_makes_an_honest_promise),
        cmocka_unit_test(the_verdict_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
