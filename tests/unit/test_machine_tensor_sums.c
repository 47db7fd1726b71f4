/* test_machine_tensor_sums.c: sums of tensor cores against the definition in integers of any width,
 * and what is known of their corners. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/tensor_sums.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The value of a finite number, exact, and the exponent that counts for alignment. */
static double value_of(enum gr_tensor_type type, uint32_t bits, int *exponent)
{
    static const int exponents[] = {5, 8, 8, 4, 5, 8}, fractions[] = {10, 7, 10, 3, 2, 23};
    if (type == GR_TENSOR_TF32)
        bits >>= 13;
    int e = exponents[type], f = fractions[type], bias = (1 << (e - 1)) - 1;
    int field = (int)(bits >> f) & ((1 << e) - 1);
    double fraction = (double)(bits & ((1u << f) - 1)) / (1 << f);
    *exponent = (field ? field : 1) - bias;
    double value = ldexp(fraction + (field ? 1 : 0), *exponent);
    return bits >> (e + f) & 1 ? -value : value;
}

/* One group by the definition, with doubles, which are exact here: each term is a multiple of
 * 2^(most - fraction), and the sums have less than 53 bits. */
static double reference(const struct gr_tensor_rule *rule, enum gr_tensor_type type, bool half,
                        const uint32_t *a, const uint32_t *b, int count, double c, int c_exponent)
{
    double products[32], sum = 0;
    int exponents[32], most = c != 0 && c_exponent > rule->least ? c_exponent : rule->least;
    for (int i = 0; i < count; i++) {
        int ea, eb;
        products[i] = value_of(type, a[i], &ea) * value_of(type, b[i], &eb);
        exponents[i] = ea + eb;
        if (products[i] != 0 && exponents[i] > most)
            most = exponents[i];
    }
    double unit = ldexp(1, most - rule->fraction);
    for (int i = 0; i < count; i++)
        sum += trunc(products[i] / unit);
    sum = (sum + trunc(c / unit)) * unit;
    if (sum == 0)
        return 0;
    int e;
    frexp(sum, &e);
    int least = half ? -14 : -126;
    e = e - 1 < least ? least : e - 1;
    double last = ldexp(1, e - rule->result);
    double rounded = (rule->nearest ? nearbyint(sum / last) : trunc(sum / last)) * last;
    double largest = half ? 65504 : (2 - ldexp(1, -23)) * ldexp(1, 127);
    return fabs(rounded) > largest ? copysign(INFINITY, rounded) : rounded;
}

static uint32_t half_bits(double x)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    if (isinf(x))
        return sign | 0x7c00;
    int e;
    frexp(x, &e);
    e = x == 0 || e - 1 < -14 ? -14 : e - 1;
    uint32_t n = (uint32_t)(fabs(x) * ldexp(1, 10 - e));
    return sign | (n >> 10 ? ((uint32_t)(e + 15) << 10 | (n & 0x3ff)) : n);
}

static uint32_t float_bits(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* Numbers of a type whose exponents are within `spread` of a middle one. */
static uint32_t number(uint64_t *state, enum gr_tensor_type type, int spread)
{
    static const int exponents[] = {5, 8, 8, 4, 5, 8}, fractions[] = {10, 7, 10, 3, 2, 23};
    int e = exponents[type], f = fractions[type], bias = (1 << (e - 1)) - 1;
    uint64_t r = next(state);
    int field = bias + (int)(r % (unsigned)(2 * spread + 1)) - spread;
    int most = (1 << e) - 2;
    field = field < 0 ? 0 : field > most ? most : field;
    uint32_t bits = (uint32_t)(r >> 32 & 1) << (e + f) | (uint32_t)field << f |
                    (uint32_t)(r >> 40 & ((1u << f) - 1));
    if (r >> 36 % 16 == 0)
        bits &= 1u << (e + f);
    return type == GR_TENSOR_TF32 ? bits << 13 | (uint32_t)(r >> 33 & 0x1fff) : bits;
}

static void sums_are_by_the_definition(void **state)
{
    (void)state;
    static const struct {
        int cc;
        enum gr_tensor_unit unit;
        enum gr_tensor_type type;
        bool half;
        int k;
    } cases[] = {
        {75, GR_TENSOR_WARP, GR_TENSOR_F16, false, 8},
        {80, GR_TENSOR_WARP, GR_TENSOR_F16, false, 16},
        {86, GR_TENSOR_WARP, GR_TENSOR_F16, true, 16},
        {80, GR_TENSOR_WARP, GR_TENSOR_BF16, false, 16},
        {80, GR_TENSOR_WARP, GR_TENSOR_TF32, false, 8},
        {89, GR_TENSOR_WARP, GR_TENSOR_E4M3, false, 32},
        {89, GR_TENSOR_WARP, GR_TENSOR_E5M2, true, 32},
        {90, GR_TENSOR_WARP, GR_TENSOR_F16, false, 16},
        {90, GR_TENSOR_WARP, GR_TENSOR_F16, true, 16},
        {90, GR_TENSOR_WARP_GROUP, GR_TENSOR_BF16, false, 16},
        {90, GR_TENSOR_WARP_GROUP, GR_TENSOR_TF32, false, 8},
        {90, GR_TENSOR_WARP_GROUP, GR_TENSOR_E4M3, false, 32},
        {90, GR_TENSOR_WARP_GROUP, GR_TENSOR_E5M2, true, 32},
    };
    uint64_t random = 19;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        enum gr_tensor_type type = cases[n].type;
        bool half = cases[n].half;
        int k = cases[n].k;
        const struct gr_tensor_rule *rule =
            gr_tensor_rule_of(cases[n].cc, cases[n].unit, type, half);
        assert_non_null(rule);
        for (int round = 0; round < 2000; round++) {
            static const int spreads[] = {0, 2, 6, 14, 40};
            int spread = spreads[round % 5];
            uint32_t a[32], b[8 * 32], c[8], out[8];
            struct gr_tensor_row row;
            struct gr_tensor_columns columns;
            enum gr_tensor_type type_c = half ? GR_TENSOR_F16 : GR_TENSOR_F32;
            for (int i = 0; i < k; i++)
                a[i] = number(&random, type, spread);
            gr_tensor_row_make(&row, type, a, k);
            for (int j = 0; j < 8; j++) {
                for (int i = 0; i < k; i++)
                    b[j * k + i] = number(&random, type, spread);
                c[j] = number(&random, type_c, 2 * spread);
            }
            gr_tensor_columns_make(&columns, type, b, k);
            gr_tensor_sums(rule, type, type, half, k, &row, &columns, c, out);
            for (int j = 0; j < 8; j++) {
                int e;
                double wanted = value_of(type_c, c[j], &e);
                for (int first = 0; first < k; first += rule->group) {
                    int count = k - first < rule->group ? k - first : rule->group;
                    wanted =
                        reference(rule, type, half, a + first, b + j * k + first, count, wanted, e);
                    uint32_t bits = half ? half_bits(wanted) : float_bits(wanted);
                    if (isinf(wanted))
                        break;
                    value_of(type_c, bits, &e);
                }
                assert_int_equal(out[j], half ? half_bits(wanted) : float_bits(wanted));
            }
        }
    }
}

/* out of one product after the other of fp16, and c in fp32. */
static uint32_t one_sum(int cc, int k, const uint32_t *a, const uint32_t *b, uint32_t c)
{
    struct gr_tensor_row row;
    struct gr_tensor_columns columns;
    uint32_t sums[8] = {c}, all[8 * 16] = {0};
    gr_tensor_row_make(&row, GR_TENSOR_F16, a, k);
    memcpy(all, b, sizeof *b * (size_t)k);
    gr_tensor_columns_make(&columns, GR_TENSOR_F16, all, k);
    gr_tensor_sums(gr_tensor_rule_of(cc, GR_TENSOR_WARP, GR_TENSOR_F16, false), GR_TENSOR_F16,
                   GR_TENSOR_F16, false, k, &row, &columns, sums, sums);
    return sums[0];
}

/* 1 + 2 * 2^-25 is 1 + 2^-24 where 25 bits are kept (sm_90), of which fp32 keeps none; four of them
 * are 2^-23, its last bit. With 24 bits (sm_80) each is lost. */
static void bits_that_are_kept(void **state)
{
    (void)state;
    uint32_t a[16] = {0x3c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00}; /* 1, 2^-12 */
    uint32_t b[16] = {0x3c00, 0x0800, 0x0800, 0x0800, 0x0800}; /* 1, 2^-13 */
    assert_int_equal(one_sum(90, 16, a, b, 0), 0x3f800001);
    assert_int_equal(one_sum(80, 8, a, b, 0), 0x3f800000);
    /* Toward zero, also of a negative sum. */
    a[0] = 0xbc00;
    for (int i = 1; i < 5; i++)
        a[i] = 0x8c00;
    assert_int_equal(one_sum(90, 16, a, b, 0), 0xbf800001);
    a[4] = 0;
    assert_int_equal(one_sum(90, 16, a, b, 0), 0xbf800000);
}

static void infinities_and_nan(void **state)
{
    (void)state;
    uint32_t a[16] = {0x7c00, 0x3c00}, b[16] = {0x3c00, 0x3c00};
    assert_int_equal(one_sum(90, 16, a, b, 0), 0x7f800000);
    assert_int_equal(one_sum(90, 16, a, b, 0xff800000), 0x7fffffff);
    assert_int_equal(one_sum(90, 16, a, b, 0x7f800001), 0x7fffffff);
    b[0] = 0x8000;
    assert_int_equal(one_sum(90, 16, a, b, 0), 0x7fffffff);
    b[0] = 0xbc00;
    assert_int_equal(one_sum(90, 16, a, b, 0x7f7fffff), 0xff800000);
}

/* A sum that is cut off to zero, and one of zeros, are +0. */
static void zeros(void **state)
{
    (void)state;
    uint32_t a[16] = {0x8000}, b[16] = {0};
    assert_int_equal(one_sum(90, 16, a, b, 0x80000000), 0);
    struct gr_tensor_row row;
    struct gr_tensor_columns columns;
    uint32_t tiny[8] = {0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001};
    uint32_t one[1] = {0x3800}, sums[8] = {0}; /* half of the smallest number of fp16 */
    gr_tensor_row_make(&row, GR_TENSOR_F16, one, 1);
    gr_tensor_columns_make(&columns, GR_TENSOR_F16, tiny, 1);
    gr_tensor_sums(gr_tensor_rule_of(90, GR_TENSOR_WARP, GR_TENSOR_F16, true), GR_TENSOR_F16,
                   GR_TENSOR_F16, true, 1, &row, &columns, sums, sums);
    for (int j = 0; j < 8; j++)
        assert_int_equal(sums[j], 0);
}

/* As seen on an H200: half of the smallest number of fp16, 2^-25, and a product of tiny numbers is
 * more than half of it if the product is 2^-46 or more, by the least exponent -21 less 25 bits. */
static void least_exponent_of_halves(void **state)
{
    (void)state;
    static const struct {
        uint32_t a[2], b[2], sum;
    } seen[] = {
        {{0x0400, 0x8002}, {0x1000, 0x8003}, 0x0001}, /* 6 * 2^-48 */
        {{0x8400, 0x8002}, {0x1000, 0x0003}, 0x8001},
        {{0x1000, 0x8001}, {0x0400, 0x8002}, 0x0000}, /* 2 * 2^-48 */
        {{0x9000, 0x0001}, {0x0400, 0x8003}, 0x0000}, /* -3 * 2^-48 */
    };
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct gr_tensor_row row;
        struct gr_tensor_columns columns;
        uint32_t a[16] = {seen[i].a[0], seen[i].a[1]}, b[8 * 16] = {seen[i].b[0], seen[i].b[1]};
        uint32_t sums[8] = {0};
        gr_tensor_row_make(&row, GR_TENSOR_F16, a, 16);
        gr_tensor_columns_make(&columns, GR_TENSOR_F16, b, 16);
        gr_tensor_sums(gr_tensor_rule_of(90, GR_TENSOR_WARP, GR_TENSOR_F16, true), GR_TENSOR_F16,
                       GR_TENSOR_F16, true, 16, &row, &columns, sums, sums);
        assert_int_equal(sums[0], seen[i].sum);
    }
}

/* As seen on an H200: of several NaN that of b stays, then that of c; one that arises is negative.
 */
static void nan_of_fp64(void **state)
{
    (void)state;
    const uint64_t one = 0x3ff0000000000000, infinity = 0x7ff0000000000000;
    const uint64_t x = 0x7ff3abcc02e7e34d, y = 0xfff0000000000001, z = 0x7ff800000000abcd;
    const uint64_t quiet = 0x0008000000000000;
    uint64_t a[2] = {x, one}, b[2] = {one, one};
    assert_true(gr_tensor_sum_f64(2, a, b, one) == (x | quiet));
    assert_true(gr_tensor_sum_f64(2, a, b, z) == z);
    b[1] = y;
    assert_true(gr_tensor_sum_f64(2, a, b, one) == (y | quiet));
    b[1] = one;
    a[1] = y; /* after x */
    assert_true(gr_tensor_sum_f64(2, a, b, one) == (x | quiet));
    a[0] = 0;
    b[0] = infinity;
    a[1] = one;
    assert_true(gr_tensor_sum_f64(2, a, b, one) == 0xfff8000000000000);
    a[0] = a[1] = b[0] = one;
    assert_true(gr_tensor_sum_f64(2, a, b, one) == 0x4008000000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_by_the_definition), cmocka_unit_test(bits_that_are_kept),
        cmocka_unit_test(infinities_and_nan),         cmocka_unit_test(zeros),
        cmocka_unit_test(least_exponent_of_halves),   cmocka_unit_test(nan_of_fp64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
