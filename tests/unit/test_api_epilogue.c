/* test_api_epilogue.c: bias and activation on every path, operands packed beforehand among
 * them. SPDX-License-Identifier: MIT */
/* threads: src/cpu/team.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "api_trial.h"
#include "sanitized.h"

/* Packs A (0) or B (1) and takes the matrix away. */
static struct gradus_packed *pack(struct gradus_gemm *g, int which)
{
    struct gradus_packed *packed;
    assert_int_equal(gradus_pack(g, (enum gradus_operand)which, &packed, NULL), GRADUS_OK);
    if (which == GRADUS_A)
        g->packed_a = packed, g->a = NULL, g->lda = 0;
    else
        g->packed_b = packed, g->b = NULL, g->ldb = 0;
    return packed;
}

static void run(struct gradus_gemm g, int form, struct gr_rng *rng)
{
    struct trial t = {.g = g};
    struct gradus_error error = {0};
    char why[256];
    if (g.sum_type == GRADUS_S32 && (enum gradus_activation)(form >> 2) >= GRADUS_GELU)
        return;
    trial_make(&t, rng);
    t.epilogue.bias = form & 1 ? t.bias : NULL;
    t.epilogue.bias_per_row = form >> 1 & 1;
    t.epilogue.activation = (enum gradus_activation)(form >> 2);
    t.g.epilogue = &t.epilogue;
    struct gradus_gemm call = t.g;
    struct gradus_packed *packed = g.batch > 1 || form % 3 == 2 ? NULL : pack(&call, form % 3);
    if (gradus_gemm_run(&call, &error))
        fail_msg("%s", error.text);
    if (!trial_is_right(&t, why))
        fail_msg("epilogue %d: %s", form, why);
    gradus_packed_free(packed);
    trial_free(&t);
}

/* Under a sanitizer each bias and each packing with some of the four activations, which are
 * functions of a value and read no memory. */
#ifdef UNDER_SANITIZER
enum { EVERY = 3 };
#else
enum { EVERY = 1 };
#endif

/* Done in place, packed, with more than one block of k, deep and thin; threads; batches. */
static void shapes(void **state)
{
    (void)state;
    static const int64_t size[][4] = {
        {1, 1, 1, 1},     {7, 50, 9, 1},    {61, 67, 71, 4}, {131, 127, 5, 1}, {91, 127, 1101, 2},
        {1, 300, 700, 1}, {300, 1, 700, 1}, {3, 5, 3001, 1}, {5, 200, 300, 1}, {200, 5, 300, 1}};
    struct gr_rng rng = {31};
    for (int kind = 0; kind < TRIAL_KINDS; kind++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int form = ((int)s + kind) % EVERY; form < 16; form += EVERY) {
                const int v = (form + (int)s) % 8;
                struct gradus_gemm g = trial_shape(kind, v, size[s][0], size[s][1], size[s][2]);
                g.batch = size[s][3], g.threads = 1 + form % 3;
                trial_scale(&g, 0.125, form % 2 ? 0.5 : 0);
                run(g, form, &rng);
            }
}

/* Operands are read where they lie, by several threads: each of them begins at a row of its own. */
static void tasks_of_rows(void **state)
{
    (void)state;
    enum { PER_ROW_UNPACKED = 11 };
    struct gr_rng rng = {37};
    for (int v = 0; v < 8; v++) {
        struct gradus_gemm g = trial_shape(0, v, 200, 100, 40);
        g.threads = 3;
        trial_scale(&g, 0.125, 0);
        run(g, PER_ROW_UNPACKED, &rng);
    }
}

static void without_a_product(void **state)
{
    (void)state;
    struct gr_rng rng = {32};
    for (int form = 0; form < 16; form++) {
        struct gradus_gemm g = trial_shape(form % TRIAL_KINDS, form % 8, 5, 300, 0);
        g.beta = form % 2 ? 1 : 0;
        run(g, form, &rng);
        g.k = 3, trial_scale(&g, 0, 0.5);
        run(g, form, &rng);
    }
}

static void special_values(void **state)
{
    (void)state;
    float c[7] = {NAN, -INFINITY, INFINITY, -0.0f, -1e30f, -39, 3};
    double d[7] = {NAN, -INFINITY, INFINITY, -0.0, -1e300, -39, 3};
    struct gradus_epilogue e = {.activation = GRADUS_RELU};
    struct gradus_gemm g = {.m = 1, .n = 7, .beta = 1, .lda = 1, .ldb = 7, .c = c, .ldc = 7};
    g.epilogue = &e;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(c[0]) && c[1] == 0 && c[2] == INFINITY && c[3] == 0 && c[4] == 0 &&
                c[6] == 3);
    e.activation = GRADUS_GELU;
    c[1] = -INFINITY, c[4] = -1e30f, c[5] = -39;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(c[0]) && c[1] == 0 && c[2] == INFINITY && c[3] == 0 && c[4] == 0 &&
                c[5] <= 0);
    g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F64, g.c = d;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(d[0]) && d[1] == 0 && d[2] == INFINITY && d[3] == 0 && d[4] == 0 &&
                d[5] <= 0);
    e.activation = GRADUS_GELU_TANH;
    d[1] = -INFINITY, d[4] = -1e300, d[5] = -39;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(d[0]) && d[1] == 0 && d[2] == INFINITY && d[3] == 0 && d[4] == 0 &&
                d[5] <= 0);
    g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F32, g.c = c;
    c[1] = -INFINITY, c[4] = -1e30f, c[5] = -39;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    assert_true(isnan(c[0]) && c[1] == 0 && c[2] == INFINITY && c[3] == 0 && c[4] == 0 &&
                c[5] <= 0);
}

/* Relative to what it is, small values included; in double, erfc's argument is rounded, which its
 * value magnifies by the argument's square. */
static void gelu_is_accurate(void **state)
{
    (void)state;
    struct gradus_epilogue e = {.activation = GRADUS_GELU};
    struct gradus_gemm g = {.m = 1, .n = 1, .beta = 1, .lda = 1, .ldb = 1, .ldc = 1};
    g.epilogue = &e;
    double worst32 = 0, worst64 = 0;
    for (double x = -12; x < 12; x += 0.00123) {
        float f = (float)x;
        const long double at = f, want = 0.5L * at * erfcl(-at * sqrtl(0.5L));
        g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F32, g.c = &f;
        assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
        worst32 = fmax(worst32, (double)(fabsl(f - want) / fabsl(want)) * 0x1p23);
        double d = x;
        const long double exact = 0.5L * x * erfcl(-x * sqrtl(0.5L));
        g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F64, g.c = &d;
        assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
        worst64 = fmax(worst64, (double)(fabsl(d - exact) / fabsl(exact)) * 0x1p52);
    }
    if (!(worst32 <= 0.6 && worst64 <= 150))
        fail_msg("worst errors in units of eps: f32 %g, f64 %g", worst32, worst64);
}

/* Relative to what it is; y * eps where e^-y is small. */
static void gelu_tanh_is_accurate(void **state)
{
    (void)state;
    struct gradus_epilogue e = {.activation = GRADUS_GELU_TANH};
    struct gradus_gemm g = {.m = 1, .n = 1, .beta = 1, .lda = 1, .ldb = 1, .ldc = 1};
    g.epilogue = &e;
    double worst32 = 0, worst64 = 0;
    for (double x = -5; x < 12; x += 0.00123) {
        const long double factor = sqrtl(8 / acosl(-1));
        float f = (float)x;
        const long double at = f, y32 = factor * (at + 0.044715L * at * at * at),
                          want = at / (1 + expl(-y32));
        g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F32, g.c = &f;
        assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
        worst32 = fmax(worst32, (double)(fabsl(f - want) / fabsl(want)) * 0x1p23);
        double d = x;
        const long double y64 = factor * (d + 0.044715L * d * d * d), exact = d / (1 + expl(-y64));
        g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F64, g.c = &d;
        assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
        worst64 = fmax(worst64, (double)(fabsl(d - exact) / fabsl(exact)) * 0x1p52);
    }
    if (!(worst32 <= 0.6 && worst64 <= 50))
        fail_msg("worst errors in units of eps: f32 %g, f64 %g", worst32, worst64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(tasks_of_rows),
        cmocka_unit_test(without_a_product),
        cmocka_unit_test(special_values),
        cmocka_unit_test(gelu_is_accurate),
        cmocka_unit_test(gelu_tanh_is_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
