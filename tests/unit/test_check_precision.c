/* test_check_precision.c: inputs that were rounded, and sums kept in halves, are named whatever K
 * is; a right sum of any order never is. SPDX-License-Identifier: MIT */
/* threads: src/check/split.c */
#include "check_trial.h"

#include "base/rng.h"
#include "sanitized.h"

/* Which memory is read, and by which thread, does not depend on K beyond a few blocks of 256, nor
 * on the values: a sanitizer sees the shorter sums only, and one kind of values. */
#ifdef UNDER_SANITIZER
enum { LONGEST = 3000, FILLS_END = GR_FILL_UNIFORM };
#else
enum { LONGEST = 60000, FILLS_END = GR_FILL_ONES };
#endif

/* How a kernel treats what it reads: bits of the mantissa that it keeps (0: all), of A, of B, in
 * which columns of C. */
struct reading {
    int a_bits, b_bits;
    bool cut;  /* rounded towards zero */
    int every; /* only columns that are a multiple of this; 0: all */
};

static float kept(float x, int bits, bool cut)
{
    uint32_t word, low = (1u << (23 - bits)) - 1;
    if (bits == 0)
        return x;
    memcpy(&word, &x, sizeof word);
    if (!cut)
        word += (low >> 1) + (word >> (23 - bits) & 1);
    word &= ~low;
    memcpy(&x, &word, sizeof x);
    return x;
}

static const float *f32(const void *elements)
{
    return elements;
}

static float left_f32(const struct trial *t, int64_t i, int64_t l)
{
    return f32(t->a)[t->p.trans_a ? l * t->p.lda + i : i * t->p.lda + l];
}

static float right_f32(const struct trial *t, int64_t l, int64_t j)
{
    return f32(t->b)[t->p.trans_b ? j * t->p.ldb + l : l * t->p.ldb + j];
}

static void put(struct trial *t, int64_t i, int64_t j, double alpha, double beta, float sum)
{
    float *c = (float *)t->c + i * t->p.ldc + j;
    float old = f32(t->c0)[i * t->p.ldc + j];
    *c = beta == 0 ? (float)alpha * sum : (float)alpha * sum + (float)beta * old;
}

static void multiply_read(struct trial *t, double alpha, double beta, struct reading r)
{
    for (int64_t i = 0; i < t->p.m; i++)
        for (int64_t j = 0; j < t->p.n; j++) {
            bool here = r.every == 0 || j % r.every == 0;
            float sum = 0;
            for (int64_t l = 0; l < t->p.k; l++)
                sum += kept(left_f32(t, i, l), here ? r.a_bits : 0, r.cut) *
                       kept(right_f32(t, l, j), here ? r.b_bits : 0, r.cut);
            put(t, i, j, alpha, beta, sum);
        }
}

static void expect_named(struct trial *t, double alpha, double beta, int64_t limit,
                         const char *const texts[2])
{
    struct gr_reference *r = reference_of(t, limit);
    struct gr_findings findings = {0};
    struct gr_check check = judge(r, t, alpha, beta, false, &findings);
    assert_false(check.right);
    assert_true(findings.count > 0);
    const char *found = findings.items[0].text;
    for (int i = 0; i < 2; i++)
        if (texts[i] && !strstr(found, texts[i]))
            print_error("found '%s', wanted '%s'\n", found, texts[i]);
    assert_non_null(strstr(found, texts[0]));
    assert_true(!texts[1] || strstr(found, texts[1]));
    assert_true(strlen(found) <= 200);
    assert_int_equal(findings.items[0].severity, GR_SEVERITY_FAULT);
    gr_findings_free(&findings);
    gr_reference_free(r);
}

/* Each of these is within its bound, element by element, at this K. */
static void rounded_inputs_are_named_within_the_bound(void **state)
{
    (void)state;
    static const struct {
        int64_t m, n, k;
        struct reading reading;
        const char *texts[2];
    } cases[] = {
        {20, 24, 12000, {10, 10, false, 0}, {"tf32 (or f16)", "//@ math tf32"}},
        {20, 24, 20000, {10, 10, true, 0}, {"tf32 (or f16)", "cut off"}},
        {20, 24, 3000, {12, 12, false, 0}, {"12 bits of the mantissa of A and B", NULL}},
        {20, 24, 60000, {7, 7, false, 0}, {"bf16", "//@ math bf16"}},
        {20, 24, 60000, {0, 7, true, 0}, {"bf16", "of B give"}},
        {20, 24, 60000, {7, 0, false, 0}, {"bf16", "of A give"}},
        {16, 32, 12000, {10, 10, false, 2}, {"tf32", NULL}},
        {1, 300, 12000, {10, 10, false, 0}, {"tf32", NULL}},
        {300, 1, 12000, {10, 10, false, 0}, {"tf32", NULL}},
        {12, 1, 12000, {10, 10, false, 0}, {"tf32", NULL}},
        {20, 24, 3000, {14, 14, true, 0}, {"14 bits", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int64_t limit = 0; limit < 2 && cases[i].k <= LONGEST; limit++) {
            struct trial t = make(cases[i].m, cases[i].n, cases[i].k, (int)i & 3, (int)i & 1,
                                  GR_F32, GR_FILL_UNIFORM);
            multiply_read(&t, 1.5, 0.5, cases[i].reading);
            struct gr_reference *r = reference_of(&t, limit);
            struct gr_check check = judge(r, &t, 1.5, 0.5, false, NULL);
            if (check.wrong_count > 0)
                print_error("case %zu: %g beyond its limit of %g\n", i, check.worst.ratio,
                            check.worst.limit);
            assert_int_equal(check.wrong_count, 0);
            gr_reference_free(r);
            expect_named(&t, 1.5, 0.5, limit, cases[i].texts);
            drop(&t);
        }
}

static void rounded_inputs_are_named_beyond_the_bound(void **state)
{
    (void)state;
    static const struct {
        struct reading reading;
        const char *texts[2];
    } cases[] = {{{10, 10, false, 0}, {"tf32", NULL}},
                 {{7, 7, true, 0}, {"bf16", "cut off"}},
                 {{7, 0, true, 0}, {"bf16", "mantissa of A give"}},
                 {{3, 3, false, 0}, {"e4m3", NULL}}};
    const int64_t lengths[] = {1, 3, 16, 200};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4; k++) {
            struct trial t = make(30, 40, lengths[k], 0, 0, GR_F32, GR_FILL_NORMAL);
            multiply_read(&t, 1, 0, cases[i].reading);
            expect_named(&t, 1, 0, 0, cases[i].texts);
            drop(&t);
        }
}

/* Sums of f64 in single precision. */
static void single_precision_for_double_is_named(void **state)
{
    (void)state;
    struct trial t = make(20, 20, 300, 0, 0, GR_F64, GR_FILL_UNIFORM);
    for (int64_t i = 0; i < 20; i++)
        for (int64_t j = 0; j < 20; j++) {
            double sum = 0;
            for (int64_t l = 0; l < 300; l++)
                sum += (double)(float)left(&t, i, l) * (double)(float)right(&t, l, j);
            ((double *)t.c)[i * t.p.ldc + j] = sum;
        }
    expect_named(&t, 1, 0, 0, (const char *const[]){"f32, 23 bits of the mantissa", NULL});
    drop(&t);
}

/* ---- Right kernels, of every kind. ---- */

typedef float sum_fn(const float *x, const float *y, int64_t count);

static float in_order(const float *x, const float *y, int64_t count)
{
    float sum = 0;
    for (int64_t l = 0; l < count; l++)
        sum += x[l] * y[l];
    return sum;
}

static float fused(const float *x, const float *y, int64_t count)
{
    float sum = 0;
    for (int64_t l = 0; l < count; l++)
        sum = fmaf(x[l], y[l], sum);
    return sum;
}

static float backwards(const float *x, const float *y, int64_t count)
{
    float sum = 0;
    for (int64_t l = count - 1; l >= 0; l--)
        sum = fmaf(x[l], y[l], sum);
    return sum;
}

static float pairwise(const float *x, const float *y, int64_t count)
{
    if (count <= 4)
        return in_order(x, y, count);
    return pairwise(x, y, count / 2) + pairwise(x + count / 2, y + count / 2, count - count / 2);
}

static float in_lanes(const float *x, const float *y, int64_t count)
{
    float lane[16] = {0}, sum = 0;
    for (int64_t l = 0; l < count; l++)
        lane[l % 16] = fmaf(x[l], y[l], lane[l % 16]);
    for (int i = 0; i < 16; i++)
        sum += lane[i];
    return sum;
}

/* x as `parts` numbers of `bits` bits each, multiplied part by part, the smallest products left
 * out. */
static float in_parts(const float *x, const float *y, int64_t count, int bits, int parts, int most)
{
    float sum = 0;
    for (int64_t l = 0; l < count; l++) {
        float restx = x[l], resty = y[l], px[3] = {0}, py[3] = {0};
        for (int i = 0; i < parts; i++) {
            px[i] = kept(restx, bits, false);
            restx -= px[i];
            py[i] = kept(resty, bits, false);
            resty -= py[i];
        }
        for (int order = most; order >= 0; order--)
            for (int i = 0; i <= order && i < parts; i++)
                if (order - i < parts)
                    sum = fmaf(px[i], py[order - i], sum);
    }
    return sum;
}

static float three_tf32(const float *x, const float *y, int64_t count)
{
    return in_parts(x, y, count, 10, 2, 1);
}

static float nine_bf16(const float *x, const float *y, int64_t count)
{
    return in_parts(x, y, count, 7, 3, 4);
}

static float six_bf16(const float *x, const float *y, int64_t count)
{
    return in_parts(x, y, count, 7, 3, 2);
}

static void multiply_by(struct trial *t, double alpha, double beta, sum_fn *sum)
{
    float *x = malloc((size_t)(t->p.k + 1) * sizeof *x),
          *y = malloc((size_t)(t->p.k + 1) * sizeof *y);
    assert_true(x && y);
    for (int64_t i = 0; i < t->p.m; i++)
        for (int64_t j = 0; j < t->p.n; j++) {
            for (int64_t l = 0; l < t->p.k; l++) {
                x[l] = left_f32(t, i, l);
                y[l] = right_f32(t, l, j);
            }
            put(t, i, j, alpha, beta, sum(x, y, t->p.k));
        }
    free(x);
    free(y);
}

static void expect_right(struct trial *t, double alpha, double beta, const char *math)
{
    struct gr_reference *r;
    struct gr_findings findings = {0};
    assert_int_equal(gr_reference_make(&t->p, t->a, t->b, math, 7, 0, 2, &r, NULL), GRADUS_OK);
    struct gr_check check = judge(r, t, alpha, beta, false, &findings);
    if (findings.count)
        print_error("%s\n", findings.items[0].text);
    assert_int_equal(findings.count, 0);
    assert_true(check.right);
    gr_reference_free(r);
}

static void right_sums_are_right(void **state)
{
    (void)state;
    sum_fn *const sums[] = {in_order, fused,      backwards, pairwise,
                            in_lanes, three_tf32, nine_bf16, six_bf16};
    const int64_t shapes[][3] = {{9, 11, 1},  {16, 16, 2},    {16, 16, 33}, {1, 64, 500},
                                 {13, 2, 90}, {10, 12, 1000}, {8, 8, 20000}};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int f = GR_FILL_UNIFORM; f <= FILLS_END; f++) {
                struct trial t = make(shapes[s][0], shapes[s][1], shapes[s][2], (int)s & 3, 1,
                                      GR_F32, (enum gr_fill)f);
                multiply_by(&t, 1.5, 0.5, sums[k]);
                expect_right(&t, 1.5, 0.5, NULL);
                multiply_by(&t, -2, 0, sums[k]);
                expect_right(&t, -2, 0, NULL);
                drop(&t);
            }
}

/* Numbers that another type holds exactly but for some, and numbers of few bits: rounding them is
 * nothing, or nearly. */
static void right_sums_of_short_numbers(void **state)
{
    (void)state;
    for (int bits = 3; bits < 23; bits++)
        for (int odd = 0; odd < 3; odd++) {
            struct trial t = make(16, 16, 700, 0, 0, GR_F32, GR_FILL_UNIFORM);
            for (int64_t i = 0; i < 16 * 700; i++) {
                if (odd == 0 || i % (odd * 37) != 0) {
                    ((float *)t.a)[i] = kept(((float *)t.a)[i], bits, false);
                    ((float *)t.b)[i] = kept(((float *)t.b)[i], bits, true);
                }
            }
            multiply_by(&t, 1, 0, bits & 1 ? in_order : in_lanes);
            expect_right(&t, 1, 0, NULL);
            drop(&t);
        }
}

/* What a kernel says of itself is no fault. */
static void declared_precision_is_right(void **state)
{
    (void)state;
    struct trial t = make(20, 24, 4096, 0, 0, GR_F32, GR_FILL_UNIFORM);
    multiply_read(&t, 1, 0, (struct reading){10, 10, false, 0});
    expect_right(&t, 1, 0, "tf32");
    multiply_read(&t, 1, 0, (struct reading){7, 7, false, 0});
    expect_right(&t, 1, 0, "bf16");
    drop(&t);
    const enum gr_dtype halves[] = {GR_F16, GR_BF16};
    for (int h = 0; h < 2; h++) {
        t = make(20, 24, 600, 0, 0, halves[h], GR_FILL_UNIFORM);
        t.p.types.acc = GR_F32;
        multiply(&t, 1, 0);
        expect_right(&t, 1, 0, NULL);
        t.p.types.acc = halves[h]; /* and so it was declared */
        multiply(&t, 1, 0);
        expect_right(&t, 1, 0, NULL);
        drop(&t);
    }
}

/* ---- Sums kept in halves. ---- */

/* Inputs of f32; sums of `step` products at a time, rounded to the type. */
static void multiply_narrow(struct trial *t, enum gr_dtype type, int step)
{
    for (int64_t i = 0; i < t->p.m; i++)
        for (int64_t j = 0; j < t->p.n; j++) {
            double sum = 0, part = 0;
            for (int64_t l = 0; l < t->p.k; l++) {
                part += gr_round_to(type, left(t, i, l)) * gr_round_to(type, right(t, l, j));
                if ((l + 1) % step == 0 || l + 1 == t->p.k) {
                    sum = gr_round_to(type, sum + part);
                    part = 0;
                }
            }
            gr_element_put(t->p.types.c, t->c, i * t->p.ldc + j, sum);
        }
}

static void narrow_sums_are_named(void **state)
{
    (void)state;
    const enum gr_dtype types[] = {GR_F16, GR_BF16};
    const int steps[] = {1, 8, 16};
    const int64_t lengths[] = {40, 100, 500};
    for (int h = 0; h < 2; h++)
        for (int s = 0; s < 3; s++)
            for (int k = 0; k < 3; k++) {
                struct trial t = make(32, 30, lengths[k], 0, 0, GR_F32, GR_FILL_UNIFORM);
                multiply_narrow(&t, types[h], steps[s]);
                struct gr_reference *r = reference_of(&t, 0);
                struct gr_findings findings = {0};
                assert_false(judge(r, &t, 1, 0, false, &findings).right);
                bool named = false;
                for (int i = 0; i < findings.count; i++)
                    named |= strstr(findings.items[i].text, "the sum is kept in ") &&
                             strstr(findings.items[i].text, gr_dtype_name(types[h]));
                assert_true(named);
                gr_findings_free(&findings);
                gr_reference_free(r);
                drop(&t);
            }
}

/* Products that are rounded to the type, and added in f32. */
static void multiply_rounded(struct trial *t, enum gr_dtype type)
{
    for (int64_t i = 0; i < t->p.m; i++)
        for (int64_t j = 0; j < t->p.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < t->p.k; l++) {
                const double product =
                    gr_round_to(type, left(t, i, l)) * gr_round_to(type, right(t, l, j));
                sum = gr_round_to(GR_F32, sum + gr_round_to(type, product));
            }
            gr_element_put(t->p.types.c, t->c, i * t->p.ldc + j, sum);
        }
}

static void rounded_products_are_named(void **state)
{
    (void)state;
    const enum gr_dtype types[] = {GR_F16, GR_BF16};
    const int64_t lengths[] = {40, 500};
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < 2; k++) {
            struct trial t = make(32, 30, lengths[k], 0, 0, GR_F32, GR_FILL_UNIFORM);
            multiply_rounded(&t, types[h]);
            struct gr_reference *r = reference_of(&t, 0);
            struct gr_findings findings = {0};
            bool named = false, sums = false;
            assert_false(judge(r, &t, 1, 0, false, &findings).right);
            for (int i = 0; i < findings.count; i++) {
                named |= strstr(findings.items[i].text, "each product is rounded to ") &&
                         strstr(findings.items[i].text, gr_dtype_name(types[h]));
                sums |= strstr(findings.items[i].text, "the sum is kept in ") != NULL;
            }
            assert_true(named);
            assert_false(sums);
            gr_findings_free(&findings);
            gr_reference_free(r);
            drop(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_inputs_are_named_within_the_bound),
        cmocka_unit_test(rounded_inputs_are_named_beyond_the_bound),
        cmocka_unit_test(single_precision_for_double_is_named),
        cmocka_unit_test(right_sums_are_right),
        cmocka_unit_test(right_sums_of_short_numbers),
        cmocka_unit_test(declared_precision_is_right),
        cmocka_unit_test(narrow_sums_are_named),
        cmocka_unit_test(rounded_products_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
