/* tensor_sums.c: the arithmetic of tensor cores. SPDX-License-Identifier: MIT */
#include "machine/tensor_sums.h"

#include <math.h>
#include <string.h>

/* For each type: the bits of the exponent and of the fraction, and the position of its lowest bit
 * in the word. */
static const struct format {
    uint8_t exponent, fraction, shift;
} formats[GR_TENSOR_TYPES] = {
    [GR_TENSOR_F16] = {5, 10, 0}, [GR_TENSOR_BF16] = {8, 7, 0}, [GR_TENSOR_TF32] = {8, 10, 13},
    [GR_TENSOR_E4M3] = {4, 3, 0}, [GR_TENSOR_E5M2] = {5, 2, 0}, [GR_TENSOR_F32] = {8, 23, 0},
};

/* The exponent of a zero, which is below the exponent of every product. */
enum { ZERO_EXPONENT = -4096 };

enum { NAN_F32 = 0x7fffffff, NAN_F16 = 0x7fff };

enum class { FINITE, INFINITE, NOT_A_NUMBER };

static enum class class_of(enum gr_tensor_type type, uint32_t bits) {
    const struct format *f = &formats[type]; bits >>= f->shift;
    uint32_t ones = (1u << f->exponent) - 1, fraction = bits & ((1u << f->fraction) - 1);
    if ((bits >> f->fraction & ones) != ones){return FINITE;}
if (type == GR_TENSOR_E4M3)
{
    return fraction == 7 ? NOT_A_NUMBER : FINITE;
}
return fraction ? NOT_A_NUMBER : INFINITE;
}

static bool is_zero(enum gr_tensor_type type, uint32_t bits)
{
    const struct format *f = &formats[type];
    return (bits >> f->shift & ((1u << (f->exponent + f->fraction)) - 1)) == 0;
}

static bool is_negative(enum gr_tensor_type type, uint32_t bits)
{
    const struct format *f = &formats[type];
    return bits >> (f->shift + f->exponent + f->fraction) & 1;
}

/* Splits numbers into significands and exponents, and finds the special ones (infinities and NaN).
 * It is inlined for each format, so that the compiler can vectorise it. Returns whether there are
 * any special numbers. */
static inline __attribute__((always_inline)) uint32_t split_all(struct format f, bool e4m3,
                                                                const uint32_t *bits, int count,
                                                                float *significand,
                                                                int32_t *exponent)
{
    uint32_t special = 0, ones = (1u << f.exponent) - 1, fraction = (1u << f.fraction) - 1;
    uint32_t all = e4m3 ? ones << f.fraction | fraction : ones << f.fraction;
    int32_t bias = (1 << (f.exponent - 1)) - 1;
    uint32_t unit = (uint32_t)(127 - f.fraction) << 23; /* 2^-fraction as a float */
    float scale;
    memcpy(&scale, &unit, sizeof scale);
    for (int i = 0; i < count; i++) {
        uint32_t number = bits[i] >> f.shift;
        int32_t field = (int32_t)(number >> f.fraction & ones), one = field != 0;
        int32_t integer = one << f.fraction | (int32_t)(number & fraction);
        float value = (float)integer * scale; /* exact: both have at most 24 bits */
        uint32_t word;
        memcpy(&word, &value, sizeof word);
        word |= number >> (f.fraction + f.exponent) << 31;
        memcpy(&significand[i], &word, sizeof word);
        int32_t e = field + (1 - one) - bias;
        exponent[i] = integer == 0 ? ZERO_EXPONENT : e;
        special |= (number & all) == all;
    }
    return special;
}

static uint32_t split(enum gr_tensor_type type, const uint32_t *bits, int count, float *significand,
                      int32_t *exponent)
{
    switch (type) {
    case GR_TENSOR_F16:
        return split_all((struct format){5, 10, 0}, false, bits, count, significand, exponent);
    case GR_TENSOR_BF16:
        return split_all((struct format){8, 7, 0}, false, bits, count, significand, exponent);
    case GR_TENSOR_TF32:
        return split_all((struct format){8, 10, 13}, false, bits, count, significand, exponent);
    case GR_TENSOR_E4M3:
        return split_all((struct format){4, 3, 0}, true, bits, count, significand, exponent);
    case GR_TENSOR_E5M2:
        return split_all((struct format){5, 2, 0}, false, bits, count, significand, exponent);
    default:
        return split_all((struct format){8, 23, 0}, false, bits, count, significand, exponent);
    }
}

void gr_tensor_row_make(struct gr_tensor_row *row, enum gr_tensor_type type, const uint32_t *bits,
                        int k)
{
    memcpy(row->bits, bits, sizeof *bits * (size_t)k);
    row->special = split(type, bits, k, row->significand, row->exponent);
}

void gr_tensor_columns_make(struct gr_tensor_columns *columns, enum gr_tensor_type type,
                            const uint32_t *bits, int k)
{
    for (int j = 0; j < GR_TENSOR_COLUMNS; j++) {
        for (int i = 0; i < k; i++) {
            columns->bits[i][j] = bits[j * k + i];
        }
    }
    columns->special = 0;
    if (split(type, columns->bits[0], k * GR_TENSOR_COLUMNS, columns->significand[0],
              columns->exponent[0])) {
        for (int i = 0; i < k * GR_TENSOR_COLUMNS; i++) {
            unsigned j = (unsigned)i % GR_TENSOR_COLUMNS;
            unsigned special = class_of(type, columns->bits[i / GR_TENSOR_COLUMNS][j]) != FINITE;
            columns->special |= (uint8_t)(special << j);
        }
    }
}

/* Rounds sum * 2^(exponent - rule->fraction) to fp32 or fp16. */
static uint32_t round_sum(const struct gr_tensor_rule *rule, bool half, int64_t sum, int exponent)
{
    if (sum == 0) {
        return 0;
    }
    int fraction = half ? 10 : 23, least = half ? -14 : -126, largest = half ? 15 : 127;
    uint64_t size = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    uint32_t sign = sum < 0 ? (half ? 0x8000u : 0x80000000u) : 0;
    int top = 63 - __builtin_clzll(size), e = top + exponent - rule->fraction;
    int kept = e < least ? least : e;
    /* How many of the lowest bits of the sum are below the last bit of the result. */
    int drop = kept - fraction - (exponent - rule->fraction);
    uint64_t number;
    if (drop <= 0) {
        number = size << -drop;
    } else if (drop > 63) {
        number = 0;
    } else {
        number = size >> drop;
        uint64_t rest = size & (((uint64_t)1 << drop) - 1), middle = (uint64_t)1 << (drop - 1);
        if (rule->nearest && (rest > middle || (rest == middle && (number & 1)))) {
            number++;
        }
    }
    if (number >> (fraction + 1)) { /* rounding has carried into the next power of two */
        number >>= 1;
        kept++;
    }
    if (rule->result < fraction) {
        number &= ~(uint64_t)0 << (fraction - rule->result);
    }
    if (number == 0) { /* a sum is never -0 */
        return 0;
    }
    if (kept > largest) {
        return sign | (half ? 0x7c00u : 0x7f800000u);
    }
    uint32_t field = number >> fraction ? (uint32_t)(kept - least + 1) : 0;
    return sign | field << fraction | ((uint32_t)number & ((1u << fraction) - 1));
}

/* The same for the sums of all columns. A sum that is truncated, and normal, is cut from the bits
 * of a double, which represents it exactly. */
static void round_all(const struct gr_tensor_rule *rule, bool half, const int64_t *sum,
                      const int32_t *exponent, uint32_t *out)
{
    uint32_t mask = ~0u << (23 - (rule->result < 23 ? rule->result : 23));
    for (int j = 0; j < GR_TENSOR_COLUMNS; j++) {
        double number = (double)sum[j];
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        int32_t field = (int32_t)(bits >> 52 & 0x7ff) - 1023 + 127 + exponent[j] - rule->fraction;
        if (half || rule->nearest || field < 1 || field > 254 || sum[j] == 0) {
            out[j] = round_sum(rule, half, sum[j], exponent[j]);
        } else {
            out[j] = (uint32_t)(bits >> 32 & 0x80000000u) | (uint32_t)field << 23 |
                     ((uint32_t)(bits >> 29) & 0x7fffff & mask);
        }
    }
}

/* Adds one group: the products from `first` on, for all columns. All numbers are finite. A product
 * of significands and its scaling by a power of two are exact, so the conversion to an integer does
 * the truncation. Eight products are below 8 * 4 * 2^25, which fits into an int32_t. A power below
 * 2^-126 can be replaced by 2^-126, because its product with any significand is truncated to zero
 * as well. */
static void add_group(const struct gr_tensor_rule *rule, bool half, int first, int count,
                      const struct gr_tensor_row *row, const struct gr_tensor_columns *columns,
                      uint32_t c[GR_TENSOR_COLUMNS])
{
    enum { N = GR_TENSOR_COLUMNS };
    float terms[N], powers[N];
    int32_t exponents[N], most[N], shift[N], bits[N];
    int64_t sum[N];
    split(half ? GR_TENSOR_F16 : GR_TENSOR_F32, c, N, terms, exponents);
    for (int j = 0; j < N; j++) {
        most[j] = exponents[j] > rule->least ? exponents[j] : rule->least;
    }
    for (int k = first; k < first + count; k++) {
        int32_t exponent = row->exponent[k];
        for (int j = 0; j < N; j++) {
            int32_t e = exponent + columns->exponent[k][j];
            most[j] = e > most[j] ? e : most[j];
        }
    }
    for (int j = 0; j < N; j++) {
        shift[j] = rule->fraction - most[j] + 127;
        int32_t e = exponents[j] + shift[j];
        bits[j] = (int32_t)((uint32_t)(e < 1 ? 1 : e) << 23);
    }
    memcpy(powers, bits, sizeof powers);
    for (int j = 0; j < N; j++) {
        sum[j] = (int32_t)(terms[j] * powers[j]);
    }
    for (int k = first; k < first + count; k += 8) {
        int32_t part[N] = {0};
        int end = k + 8 < first + count ? k + 8 : first + count;
        for (int i = k; i < end; i++) {
            int32_t exponent = row->exponent[i];
            float significand = row->significand[i];
            for (int j = 0; j < N; j++) {
                int32_t e = exponent + columns->exponent[i][j] + shift[j];
                bits[j] = (int32_t)((uint32_t)(e < 1 ? 1 : e) << 23);
            }
            memcpy(powers, bits, sizeof powers);
            for (int j = 0; j < N; j++) {
                part[j] += (int32_t)(significand * columns->significand[i][j] * powers[j]);
            }
        }
        for (int j = 0; j < N; j++) {
            sum[j] += part[j];
        }
    }
    round_all(rule, half, sum, most, c);
}

/* A sum that has an infinity or a NaN among its numbers. A product of finite numbers counts as
 * finite, whatever its exponent is. Returns false if all numbers are finite after all. */
static bool special_sum(enum gr_tensor_type type_a, enum gr_tensor_type type_b, bool half, int k,
                        const struct gr_tensor_row *row, const struct gr_tensor_columns *columns,
                        int j, uint32_t *c)
{
    enum gr_tensor_type type_c = half ? GR_TENSOR_F16 : GR_TENSOR_F32;
    enum class of_c = class_of(type_c, *c);
    bool nan = of_c == NOT_A_NUMBER, infinite[2] = {false, false};
    if (of_c == INFINITE) {
        infinite[is_negative(type_c, *c)] = true;
    }
    for (int i = 0; i < k; i++) {
        uint32_t a = row->bits[i], b = columns->bits[i][j];
        enum class of_a = class_of(type_a, a), of_b = class_of(type_b, b);
        if (of_a == FINITE && of_b == FINITE) {
            continue;
        }
        if (of_a == NOT_A_NUMBER || of_b == NOT_A_NUMBER || is_zero(type_a, a) ||
            is_zero(type_b, b)) {
            nan = true;
        } else {
            infinite[is_negative(type_a, a) != is_negative(type_b, b)] = true;
        }
    }
    if (nan || (infinite[0] && infinite[1])) {
        *c = half ? NAN_F16 : NAN_F32;
        return true;
    }
    if (infinite[0] || infinite[1]) {
        *c = half ? 0x7c00u | (unsigned)infinite[1] << 15
                  : 0x7f800000u | (unsigned)infinite[1] << 31;
        return true;
    }
    return false;
}

void gr_tensor_sums(const struct gr_tensor_rule *rule, enum gr_tensor_type type_a,
                    enum gr_tensor_type type_b, bool half, int k, const struct gr_tensor_row *row,
                    const struct gr_tensor_columns *columns, const uint32_t c[GR_TENSOR_COLUMNS],
                    uint32_t out[GR_TENSOR_COLUMNS])
{
    uint32_t sums[GR_TENSOR_COLUMNS], special[GR_TENSOR_COLUMNS];
    uint8_t is_special = 0;
    enum gr_tensor_type type_c = half ? GR_TENSOR_F16 : GR_TENSOR_F32;
    for (int j = 0; j < GR_TENSOR_COLUMNS; j++) {
        bool check =
            row->special || (columns->special >> j & 1) || class_of(type_c, c[j]) != FINITE;
        special[j] = sums[j] = c[j];
        if (check && special_sum(type_a, type_b, half, k, row, columns, j, &special[j])) {
            is_special |= (uint8_t)(1u << j);
            sums[j] = 0;
        }
    }
    for (int first = 0; first < k && is_special != 0xff; first += rule->group) {
        int count = k - first < rule->group ? k - first : rule->group;
        add_group(rule, half, first, count, row, columns, sums);
        /* The sum is too large, and becomes infinite. */
        for (int j = 0; j < GR_TENSOR_COLUMNS; j++) {
            if (class_of(type_c, sums[j]) != FINITE && !(is_special >> j & 1)) {
                is_special |= (uint8_t)(1u << j);
                special[j] = sums[j];
                sums[j] = 0;
            }
        }
    }
    for (int j = 0; j < GR_TENSOR_COLUMNS; j++) {
        out[j] = is_special >> j & 1 ? special[j] : sums[j];
    }
}

/* If operands are NaN, the result is the first NaN of b, the accumulator and a, made quiet. A NaN
 * that arises from numbers is negative. */
static uint64_t fused_f64(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t infinity = 0x7ff0000000000000, quiet = 0x0008000000000000;
    const uint64_t operands[3] = {b, c, a};
    for (int i = 0; i < 3; i++) {
        if ((operands[i] & ~((uint64_t)1 << 63)) > infinity) {
            return operands[i] | quiet;
        }
    }
    double x, y, z;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    memcpy(&z, &c, sizeof z);
    z = fma(x, y, z);
    memcpy(&c, &z, sizeof c);
    return z != z ? ~(uint64_t)0 << 63 | infinity | quiet : c;
}

uint64_t gr_tensor_sum_f64(int k, const uint64_t *a, const uint64_t *b, uint64_t c)
{
    for (int i = 0; i < k; i++) {
        c = fused_f64(a[i], b[i], c);
    }
    return c;
}
