/* test_check.c: the float64 reference, its bounds, and planted faults. SPDX-License-Identifier: MIT
 */
/* threads: src/check/split.c */
#include "check_trial.h"

#include "check/reference.h"

static void small_types_round_trip(void **state)
{
    (void)state;
    const enum gr_dtype types[] = {GR_F16, GR_BF16, GR_E4M3, GR_E5M2};
    for (int t = 0; t < 4; t++) {
        unsigned count = gr_dtype_bytes(types[t]) == 2 ? 65536 : 256;
        for (unsigned bits = 0; bits < count; bits++) {
            uint16_t wide = (uint16_t)bits, back16 = 0;
            uint8_t narrow = (uint8_t)bits, back8 = 0;
            const void *in = count == 256 ? (const void *)&narrow : &wide;
            double x = gr_element(types[t], in, 0);
            if (isnan(x))
                continue;
            gr_element_put(types[t], count == 256 ? (void *)&back8 : &back16, 0, x);
            assert_int_equal(count == 256 ? back8 : back16, bits);
            assert_true(gr_round_to(types[t], x) == x);
        }
    }
    uint16_t half = 0x3555, most = 0x7bff;
    assert_true(gr_element(GR_F16, &half, 0) == 0x1.554p-2);
    assert_true(gr_element(GR_F16, &most, 0) == 65504);
    assert_true(gr_dtype_max(GR_E4M3) == 448 && gr_dtype_max(GR_E5M2) == 57344);
    assert_true(gr_dtype_max(GR_F16) == 65504 && gr_round_to(GR_F16, 65519) == 65504);
    assert_true(isinf(gr_round_to(GR_F16, 65520)) && gr_round_to(GR_E4M3, 1000) == 448);
    assert_true(gr_round_to(GR_TF32, 1 + 0x1p-11) == 1); /* a tie goes to even */
    assert_true(gr_round_to(GR_TF32, 1 + 0x1.8p-11) == 1 + 0x1p-10);
}

static void fills_keep_their_promises(void **state)
{
    (void)state;
    for (int t = 0; t < GR_DTYPE_COUNT; t++) {
        for (int f = GR_FILL_UNIFORM; f <= GR_FILL_ONES; f++) {
            enum { ROWS = 13, COLS = 7, LD = 11 };
            double dense[ROWS * COLS], padded[ROWS * LD];
            memset(dense, 0x7f, sizeof dense);
            memset(padded, 0x7f, sizeof padded);
            gr_fill_matrix((enum gr_fill)f, 5, (enum gr_dtype)t, ROWS, COLS, COLS, dense);
            gr_fill_matrix((enum gr_fill)f, 5, (enum gr_dtype)t, ROWS, COLS, LD, padded);
            bool varies = false;
            for (int i = 0; i < ROWS * COLS; i++) {
                double x = gr_element((enum gr_dtype)t, dense, i);
                assert_true(x == gr_element((enum gr_dtype)t, padded, i / COLS * LD + i % COLS));
                assert_true(isfinite(x));
                varies |= x != gr_element((enum gr_dtype)t, dense, 0);
                if (gr_dtype_eps((enum gr_dtype)t) > 0 && f == GR_FILL_UNIFORM)
                    assert_true(x >= -1 && x < 1);
                if (f == GR_FILL_INTEGER)
                    assert_true(fabs(x) <= 8 && x == rint(x));
            }
            assert_true(varies == (f != GR_FILL_ONES));
            size_t bytes = gr_dtype_bytes((enum gr_dtype)t);
            for (size_t i = COLS * bytes; i < LD * bytes; i++)
                assert_int_equal(((unsigned char *)padded)[i], 0x7f);
        }
    }
    enum gr_fill fill;
    assert_true(gr_fill_parse("wide", &fill) && fill == GR_FILL_WIDE);
    assert_false(gr_fill_parse("", &fill));
}

static void reference_is_the_product(void **state)
{
    (void)state;
    const int64_t shapes[][3] = {{1, 1, 1},   {3, 5, 7},   {64, 64, 64}, {65, 257, 259},
                                 {1, 300, 2}, {300, 1, 5}, {0, 4, 4},    {4, 0, 4},
                                 {4, 4, 0},   {5, 9, 513}, {129, 8, 4},  {4, 130, 31}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int trans = 0; trans < 4; trans++) {
            struct trial t = make(shapes[s][0], shapes[s][1], shapes[s][2], trans, trans + 1,
                                  trans & 1 ? GR_F64 : GR_F32, GR_FILL_INTEGER);
            struct gr_reference *r = reference_of(&t, 0);
            assert_true(r->full);
            for (int64_t i = 0; i < t.p.m; i++) {
                for (int64_t j = 0; j < t.p.n; j++) {
                    double sum = 0, size = 0;
                    for (int64_t l = 0; l < t.p.k; l++) {
                        sum += left(&t, i, l) * right(&t, l, j);
                        size += fabs(left(&t, i, l) * right(&t, l, j));
                    }
                    assert_true(r->product[i * t.p.n + j] == sum);
                    assert_true(r->absolute[i * t.p.n + j] == size);
                }
            }
            gr_reference_free(r);
            drop(&t);
        }
    }
}

static void right_results_pass(void **state)
{
    (void)state;
    const int64_t shapes[][3] = {{1, 1, 1},  {9, 17, 65}, {16, 20, 300},
                                 {3, 40, 1}, {5, 6, 0},   {0, 3, 3}};
    const double factors[][2] = {{1, 0}, {1.5, 0.5}, {0, 0}, {0, 2}, {-0.1, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int f = GR_FILL_UNIFORM; f <= GR_FILL_ONES; f++)
            for (int x = 0; x < 5; x++)
                for (int type = GR_F64; type <= GR_F32; type++)
                    for (int64_t limit = 0; limit < 2; limit++) {
                        struct trial t = make(shapes[s][0], shapes[s][1], shapes[s][2], (int)s & 3,
                                              3, (enum gr_dtype)type, (enum gr_fill)f);
                        multiply(&t, factors[x][0], factors[x][1]);
                        struct gr_reference *r = reference_of(&t, limit);
                        struct gr_findings findings = {0};
                        struct gr_check check = judge(r, &t, factors[x][0], factors[x][1],
                                                      f == GR_FILL_INTEGER, &findings);
                        assert_true(check.right);
                        assert_int_equal(findings.count, 0);
                        gr_reference_free(r);
                        drop(&t);
                    }
}

/* Errors of rounding add up as the root of k does. An error of a hundredth of what the worst case
 * allows is none of theirs. */
static void the_bound_grows_as_the_root_of_k(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 2; limit++) {
        struct trial t = make(4, 5, 4096, 0, 0, GR_F32, GR_FILL_UNIFORM);
        struct gr_reference *r = reference_of(&t, limit);
        multiply(&t, 1, 0);
        assert_true(judge(r, &t, 1, 0, false, NULL).right);
        ((float *)t.c)[7] += 0.1f;
        assert_false(judge(r, &t, 1, 0, false, NULL).right);
        gr_reference_free(r);
        drop(&t);
    }
}

/* Underflow: products too small for f32 may be lost, and that is not an error; a tiny C is still an
 * error where it should be zero. */
static void tiny_and_huge(void **state)
{
    (void)state;
    struct trial t = make(8, 8, 8, 0, 0, GR_F32, GR_FILL_ONES);
    for (int i = 0; i < 64; i++)
        ((float *)t.a)[i] = ((float *)t.b)[i] = 1e-25f;
    multiply(&t, 1, 0);
    struct gr_reference *r = reference_of(&t, 0);
    assert_true(judge(r, &t, 1, 0, false, NULL).right);
    ((float *)t.c)[9] = 1e-30f;
    assert_false(judge(r, &t, 1, 0, false, NULL).right);
    gr_reference_free(r);
    for (int i = 0; i < 64; i++)
        ((float *)t.a)[i] = ((float *)t.b)[i] = 1e25f;
    multiply(&t, 1, 0);
    r = reference_of(&t, 0);
    assert_true(isinf(((float *)t.c)[0]) && judge(r, &t, 1, 0, false, NULL).right);
    ((float *)t.c)[9] = -INFINITY;
    assert_false(judge(r, &t, 1, 0, false, NULL).right);
    ((float *)t.c)[9] = 3e38f;
    assert_false(judge(r, &t, 1, 0, false, NULL).right);
    gr_reference_free(r);
    memset(t.a, 0, 64 * 4);
    multiply(&t, 1, 0);
    r = reference_of(&t, 0);
    ((float *)t.c)[9] = 1e-45f; /* where sum|a||b| is 0, only zero is right */
    struct gr_check check = judge(r, &t, 1, 0, false, NULL);
    assert_false(check.right);
    assert_true(check.wrong_count == 1 && check.worst.row == 1 && check.worst.col == 1);
    gr_reference_free(r);
    drop(&t);
}

static void nan_never_passes(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 2; limit++) {
        struct trial t = make(70, 90, 40, 0, 1, GR_F32, GR_FILL_UNIFORM);
        ((float *)t.a)[5 * t.p.lda + 3] = NAN; /* row 5 of C is NaN */
        multiply(&t, 1, 0);
        struct gr_reference *r = reference_of(&t, limit);
        assert_true(judge(r, &t, 1, 0, false, NULL).right);
        for (int64_t i = 2; i < t.p.m; i += 3) {
            for (int64_t j = 0; j < t.p.n; j += 17) {
                float *c = (float *)t.c + i * t.p.ldc + j, keep = *c;
                const float odd[] = {NAN, INFINITY, -INFINITY};
                *c = i == 5 ? 1 : odd[(i + j) % 3];
                struct gr_findings findings = {0};
                if (i == 5 &&
                    limit) /* a number where NaN belongs, in a line that the screen cannot see */
                    *c = INFINITY;
                struct gr_check check = judge(r, &t, 1, 0, false, &findings);
                assert_false(check.right);
                assert_true(check.worst.row == i && check.worst.col == j);
                assert_true(isinf(check.worst.ratio));
                assert_true(gr_findings_has(&findings, GR_FIND_NAN) == (i != 5));
                gr_findings_free(&findings);
                *c = keep;
            }
        }
        gr_reference_free(r);
        drop(&t);
    }
}

/* With beta 0, C0 is not read: NaN there is no excuse and no fault. With alpha 0, A and B are not.
 */
static void unread_operands(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 2; limit++) {
        struct trial t = make(70, 33, 20, 0, 0, GR_F32, GR_FILL_UNIFORM);
        ((float *)t.c0)[7] = NAN;
        multiply(&t, 1, 0);
        struct gr_reference *r = reference_of(&t, limit);
        assert_true(judge(r, &t, 1, 0, false, NULL).right);
        multiply(&t, 1, 1);
        assert_true(judge(r, &t, 1, 1, false, NULL).right);
        gr_reference_free(r);
        ((float *)t.a)[0] = NAN;
        memcpy(t.c, t.c0, t.c_bytes);
        r = reference_of(&t, limit);
        assert_true(judge(r, &t, 0, 1, false, NULL).right);
        gr_reference_free(r);
        drop(&t);
    }
}

static void integers_are_compared_exactly(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 2; limit++) {
        struct trial t = make(150, 140, 200, 1, 2, GR_F32, GR_FILL_INTEGER);
        multiply(&t, 1.5, 0.5);
        struct gr_reference *r = reference_of(&t, limit);
        assert_true(judge(r, &t, 1.5, 0.5, true, NULL).right);
        float *c = (float *)t.c + 77 * t.p.ldc + 99;
        *c = nextafterf(*c, INFINITY);
        assert_true(judge(r, &t, 1.5, 0.5, false, NULL).right);
        assert_false(judge(r, &t, 1.5, 0.5, true, NULL).right);
        gr_reference_free(r);
        drop(&t);
    }
}

static void math_rounds_the_inputs(void **state)
{
    (void)state;
    struct trial t = make(30, 30, 500, 0, 0, GR_F32, GR_FILL_UNIFORM);
    struct trial rounded = make(30, 30, 500, 0, 0, GR_F32, GR_FILL_UNIFORM);
    for (int i = 0; i < 30 * 500; i++) {
        gr_element_put(GR_F32, rounded.a, i, gr_round_to(GR_TF32, (double)((float *)t.a)[i]));
        gr_element_put(GR_F32, rounded.b, i, gr_round_to(GR_TF32, (double)((float *)t.b)[i]));
    }
    multiply(&rounded, 1, 0);
    memcpy(t.c, rounded.c, t.c_bytes);
    struct gr_reference *r;
    struct gradus_error error = {0};
    assert_int_equal(gr_reference_make(&t.p, t.a, t.b, "tf32", 7, 0, 1, &r, &error), GRADUS_OK);
    assert_true(judge(r, &t, 1, 0, false, NULL).right);
    gr_reference_free(r);
    r = reference_of(&t, 0);
    assert_false(judge(r, &t, 1, 0, false, NULL).right);
    gr_reference_free(r);
    assert_int_equal(gr_reference_make(&t.p, t.a, t.b, "fp64x", 7, 0, 1, &r, &error),
                     GRADUS_INVALID);
    gradus_error_clear(&error);
    drop(&t);
    drop(&rounded);
}

/* A narrow C under a wider accumulation: its own rounding is allowed, and no more. */
static void narrow_output(void **state)
{
    (void)state;
    struct trial t = make(20, 20, 60, 0, 0, GR_BF16, GR_FILL_UNIFORM);
    t.p.types.acc = GR_F32;
    multiply(&t, 1, 0);
    struct gr_reference *r = reference_of(&t, 0);
    assert_true(judge(r, &t, 1, 0, false, NULL).right);
    ((uint16_t *)t.c)[33] += 2;
    assert_false(judge(r, &t, 1, 0, false, NULL).right);
    gr_reference_free(r);
    drop(&t);
}

/* Sums with the 13 bits of the tensor cores' 8-bit products may be that wrong, and sums in float32
 * may not. */
static void sums_of_few_bits(void **state)
{
    (void)state;
    const double planted[] = {0.02, 0.5};
    for (int i = 0; i < 4; i++) {
        struct trial t = make(20, 20, 60, 0, 0, GR_F32, GR_FILL_UNIFORM);
        t.p.types.acc = i < 2 ? GR_F22 : GR_F32;
        multiply(&t, 1, 0);
        struct gr_reference *r = reference_of(&t, 0);
        assert_true(judge(r, &t, 1, 0, false, NULL).right);
        ((float *)t.c)[33] += (float)planted[i % 2];
        assert_true(judge(r, &t, 1, 0, false, NULL).right == (i == 0));
        gr_reference_free(r);
        drop(&t);
    }
    assert_true(gr_round_to(GR_F22, 1 + 0x1p-13) == 1 + 0x1p-13);
    assert_true(gr_round_to(GR_F22, 1 + 0x1.8p-14) == 1 + 0x1p-13);
}

/* Each word of --dtype is that of the types that it names, and has a bit of its own. */
static void words_name_types(void **state)
{
    (void)state;
    char words[] = GR_TYPES_WORDS;
    unsigned bits = 0;
    int count = 0;
    for (char *rest = words, *word; (word = strsep(&rest, "|")); count++) {
        struct gr_types types;
        assert_true(gr_types_parse(word, &types));
        assert_string_equal(gr_types_word(types), word);
        assert_true(gr_types_bit(types) && !(bits & gr_types_bit(types)));
        bits |= gr_types_bit(types);
    }
    struct gr_types types;
    assert_int_equal(count, 12);
    assert_true(gr_types_parse("bf16-bf16", &types) && types.c == GR_BF16 && types.acc == GR_F32);
    assert_true(gr_types_parse("e4m3", &types) && types.c == GR_F32 && types.acc == GR_F22);
    assert_false(gr_types_parse("bf16-f16", &types));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_types_round_trip),
        cmocka_unit_test(fills_keep_their_promises),
        cmocka_unit_test(reference_is_the_product),
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(the_bound_grows_as_the_root_of_k),
        cmocka_unit_test(tiny_and_huge),
        cmocka_unit_test(nan_never_passes),
        cmocka_unit_test(unread_operands),
        cmocka_unit_test(integers_are_compared_exactly),
        cmocka_unit_test(math_rounds_the_inputs),
        cmocka_unit_test(narrow_output),
        cmocka_unit_test(sums_of_few_bits),
        cmocka_unit_test(words_name_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
