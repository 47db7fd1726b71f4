/* test_touch.c: what is touched between products that are timed: known to the parent, visible in C,
 * and nothing else. SPDX-License-Identifier: MIT */
#include "check_trial.h"

#include "check/judge.h"
#include "check/reference.h"
#include "measure/pair_touch.h"

static struct gr_touch_plan plan_for(const struct gr_problem *p, bool bytewise, uint64_t seed)
{
    struct gr_touch_plan plan;
    gr_touch_plan_make(p, (const double[]){0.6, 0.6}, bytewise, seed, &plan);
    assert_true(plan.on);
    return plan;
}

/* Whoever looks at a few elements only misses most touches: they lie everywhere, in A as often as
 * in B, with four values. */
static void touches_are_spread(void **state)
{
    (void)state;
    struct gr_problem p = gr_problem_dense(20, 30, 40, false, false, gr_types_of(GR_F32));
    p.lda += 3;
    struct gr_touch_plan plan = plan_for(&p, true, 5);
    enum { COUNT = 20000 };
    static int seen[2][2000], values[2][256], c_seen[1000];
    for (uint32_t i = 1; i <= COUNT; i++) {
        struct gr_touch t = gr_touch_of(&plan, 3, i);
        assert_true(t.operand == 0 || t.operand == 1);
        assert_true(t.operand == 1 || t.at % p.lda < p.k);
        seen[t.operand][t.at]++;
        values[t.operand][t.value & 255]++;
        c_seen[t.c_at]++;
    }
    int places[2] = {0}, kinds[2] = {0}, c_places = 0;
    for (int o = 0; o < 2; o++) {
        for (int i = 0; i < 2000; i++)
            places[o] += seen[o][i] > 0;
        for (int i = 0; i < 256; i++)
            kinds[o] += values[o][i] > COUNT / 16;
    }
    for (int i = 0; i < 1000; i++)
        c_places += c_seen[i] > 0;
    assert_int_equal(places[0], 20 * 40);
    assert_int_equal(places[1], 40 * 30);
    assert_int_equal(c_places, 20 * 30);
    assert_true(kinds[0] == GR_TOUCH_VALUES && kinds[1] == GR_TOUCH_VALUES);
    /* Another set, seed or turn is another sequence. */
    struct gr_touch_plan other = plan_for(&p, true, 6);
    int same = 0;
    for (uint32_t i = 1; i <= 100; i++) {
        struct gr_touch t = gr_touch_of(&plan, 3, i), u = gr_touch_of(&plan, 4, i);
        struct gr_touch v = gr_touch_of(&other, 3, i);
        same += (t.at == u.at && t.operand == u.operand) + (t.at == v.at && t.operand == v.operand);
    }
    assert_in_range(same, 0, 8);
}

/* After any number of touches a set differs from what it was in one element: that of the last. */
static void one_element_is_another(void **state)
{
    (void)state;
    static struct gr_touch_step steps[GR_TOUCH_STEPS];
    const enum gr_dtype types[] = {GR_F64, GR_F32, GR_F16, GR_BF16, GR_S8, GR_E4M3};
    for (size_t y = 0; y < sizeof types / sizeof *types; y++) {
        struct trial t = make(9, 11, 13, (int)y & 3, 2, types[y], GR_FILL_UNIFORM);
        struct trial as_filled = make(9, 11, 13, (int)y & 3, 2, types[y], GR_FILL_UNIFORM);
        struct gr_touch_plan plan = plan_for(&t.p, y & 1, 11);
        void *const operands[] = {t.a, t.b, t.c};
        struct gr_touched touched = {0};
        const int counts[] = {1, 5, GR_TOUCH_STEPS, 1, 3};
        uint32_t prepared = 0;
        for (int c = 0; c < 5; c++) {
            int done = counts[c] == GR_TOUCH_STEPS ? GR_TOUCH_STEPS + 7 : counts[c]; /* round */
            gr_touch_undo(&touched);
            gr_touch_prepare(&plan, 2, operands, &touched, counts[c], steps);
            for (int i = 0; i < done; i++)
                gr_touch_step(&plan, steps, i);
            gr_touch_done(steps, done - 1, &touched);
            uint32_t last = (uint32_t)((done - 1) % GR_TOUCH_STEPS) + 1;
            assert_int_equal(touched.ordinal, prepared + last);
            prepared += (uint32_t)counts[c];
            struct gr_touch touch = gr_touch_of(&plan, 2, touched.ordinal);
            int differ = 0;
            for (int o = 0; o < 2; o++) {
                int64_t span = gr_problem_span(&t.p, "AB"[o]), bytes = plan.operand[o].bytes;
                const char *now = operands[o], *then = o == 0 ? as_filled.a : as_filled.b;
                for (int64_t i = 0; i < span; i++)
                    if (memcmp(now + i * bytes, then + i * bytes, (size_t)bytes) != 0) {
                        differ++;
                        assert_true(o == touch.operand && i == touch.at);
                        assert_memory_equal(now + i * bytes, &touch.value, (size_t)bytes);
                    }
            }
            assert_int_equal(differ, 1);
            double spoiled = gr_element(t.p.types.c, t.c, touch.c_at);
            assert_true(isfinite(spoiled) && fabs(spoiled) > 100);
        }
        drop(&t);
        drop(&as_filled);
    }
}

/* A product with the operands as they were before the touch is wrong beyond its bound, at any K. */
static void a_touch_is_seen(void **state)
{
    (void)state;
    const int64_t lengths[] = {1, 16, 500, 30000};
    for (int k = 0; k < 4; k++)
        for (int trans = 0; trans < 4; trans++) {
            struct trial t = make(12, 14, lengths[k], trans, 1, GR_F32, GR_FILL_UNIFORM);
            struct gr_touch_plan plan = plan_for(&t.p, trans & 1, 7);
            int missed = 0, tried = 0;
            for (uint32_t i = 1; i <= 40; i++) {
                multiply(&t, 1, 0);
                tried++;
                struct gr_touch touch = gr_touch_of(&plan, 0, i);
                float *at = (float *)(touch.operand == 0 ? t.a : t.b) + touch.at, old = *at;
                memcpy(at, &touch.value, sizeof *at);
                int64_t row, col;
                gr_touch_reaches(&plan, &t.p, &touch, i, &row, &col);
                missed += gr_check_element(&t.p, NULL, t.a, t.b, t.c, row, col);
                *at = old;
                assert_true(gr_check_element(&t.p, NULL, t.a, t.b, t.c, row, col));
                if (lengths[k] > 1000)
                    i += 4;
            }
            assert_true(4 * missed <= tried); /* where the other factor is nearly nothing */
            drop(&t);
        }
}

/* The parent's copy follows, its reference too; and goes back. */
static void the_reference_follows(void **state)
{
    (void)state;
    for (int64_t limit = 0; limit < 2; limit++)
        for (int trans = 0; trans < 4; trans++)
            for (int all = 0; all < 3; all++) { /* 2: so many that the reference is made anew */
                int64_t m = trans & 1 ? 150 : 70, n = trans & 1 ? 80 : 160;
                struct gr_problem p =
                    gr_problem_dense(m, n, 60, trans & 2, trans & 1, gr_types_of(GR_F32));
                struct gr_pair pair;
                assert_int_equal(
                    gr_pair_make(&p, GR_FILL_NORMAL, 3, NULL, NULL, limit, 1, &pair, NULL),
                    GRADUS_OK);
                struct gr_touch_plan plan = plan_for(&p, all, 9);
                struct gr_pair_touches touches;
                const double worth = gr_reference_worth_changes(pair.reference);
                assert_true(worth > 3 && worth < 40);
                const int count = all == 2 ? 400 : (int)worth;
                assert_int_equal(
                    gr_pair_touch(&pair, &plan, 1, (uint32_t)count, all, &touches, NULL),
                    GRADUS_OK);
                assert_int_equal(touches.count, all ? count : 1);
                struct gr_reference *made;
                assert_int_equal(
                    gr_reference_make(&p, pair.a, pair.b, NULL, 3, limit, 1, &made, NULL),
                    GRADUS_OK);
                float *c = malloc((size_t)(m * n) * sizeof *c);
                assert_non_null(c);
                for (int64_t i = 0; i < m * n; i++) {
                    double product, absolute;
                    gr_view_dot(&made->x, i / n, &made->y, i % n, &product, &absolute);
                    c[i] = (float)product;
                }
                struct gr_check follows, anew;
                assert_int_equal(gr_check_result(pair.reference, 1, 0, NULL, c, NULL, false,
                                                 &follows, NULL, NULL),
                                 GRADUS_OK);
                assert_int_equal(
                    gr_check_result(made, 1, 0, NULL, c, NULL, false, &anew, NULL, NULL),
                    GRADUS_OK);
                assert_true(follows.right && anew.right);
                assert_true(fabs(follows.worst.ratio - anew.worst.ratio) < 1e-6);
                assert_true(follows.sees <= 1.3 * anew.sees && follows.sees >= 0.999 * anew.sees);
                for (int v = 0; limit && v < GR_VECTORS; v++) {
                    for (int64_t i = 0; i < (made->by_cols ? n : m); i++)
                        assert_true(fabs(made->image[i][v] - pair.reference->image[i][v]) < 1e-9);
                    for (int64_t i = 0; i < p.k; i++)
                        assert_true(fabs(made->middle[i][v] - pair.reference->middle[i][v]) < 1e-9);
                }
                gr_pair_untouch(&pair, &plan, &touches);
                assert_int_equal(gr_check_result(pair.reference, 1, 0, NULL, c, NULL, false,
                                                 &follows, NULL, NULL),
                                 GRADUS_OK);
                assert_false(follows.right);
                gr_reference_free(made);
                struct gr_pair again;
                assert_int_equal(
                    gr_pair_make(&p, GR_FILL_NORMAL, 3, NULL, NULL, limit, 1, &again, NULL),
                    GRADUS_OK);
                assert_memory_equal(again.a, pair.a, gr_operand_bytes(&p, 'A'));
                assert_memory_equal(again.b, pair.b, gr_operand_bytes(&p, 'B'));
                gr_pair_free(&again);
                gr_pair_free(&pair);
                free(c);
            }
}

static void data_with_nan_are_left_alone(void **state)
{
    (void)state;
    struct gr_problem p = gr_problem_dense(5, 6, 7, false, false, gr_types_of(GR_F32));
    struct gr_pair pair;
    assert_int_equal(gr_pair_make(&p, GR_FILL_UNIFORM, 3, NULL, NULL, 0, 1, &pair, NULL),
                     GRADUS_OK);
    assert_true(gr_pair_typical(&pair, 'A') > 0.4 && gr_pair_typical(&pair, 'A') < 0.8);
    ((float *)pair.a)[9] = INFINITY;
    assert_true(isnan(gr_pair_typical(&pair, 'A')));
    gr_pair_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touches_are_spread),
        cmocka_unit_test(one_element_is_another),
        cmocka_unit_test(a_touch_is_seen),
        cmocka_unit_test(the_reference_follows),
        cmocka_unit_test(data_with_nan_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
