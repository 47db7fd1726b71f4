/* meaning_tensor.c: the matrix products of a warp: HMMA, QMMA, IMMA, BMMA, DMMA; and MOVM.
 * SPDX-License-Identifier: MIT */
#include "machine/matrix_fragments.h"
#include "machine/tensor_sums.h"
#include "machine/translate.h"

#include <string.h>

/* In the step, `kind` is the index of the shape, `lut` and `lut2` are the types of A and B, `flags`
 * are those below, and `rounding` is the index of the compute capability. s[0] is A, s[1] B, s[2]
 * C. */
enum {
    FLAG_HALF = 1,     /* the accumulator is fp16 */
    FLAG_SATURATE = 2, /* IMMA */
    FLAG_SIGNED_A = 4,
    FLAG_SIGNED_B = 8,
    FLAG_XOR = 16 /* BMMA */
};

static const struct shape {
    const char *name;
    uint8_t m, k;
} shapes[] = {
    {"1684", 16, 4}, {"1688", 16, 8}, {"16816", 16, 16}, {"16832", 16, 32},   {"16864", 16, 64},
    {"8816", 8, 16}, {"8832", 8, 32}, {"88128", 8, 128}, {"168128", 16, 128}, {"168256", 16, 255},
    {"884", 8, 4},   {"8x8x4", 8, 4}, {"16x8x4", 16, 4}, {"16x8x8", 16, 8},   {"16x8x16", 16, 16},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static int depth(const struct gr_step *step)
{
    int k = shapes[step->kind].k;
    return k == 255 ? 256 : k;
}

static const int16_t capabilities[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121};

static const uint8_t type_bits[] = {[GR_TENSOR_F16] = 16,
                                    [GR_TENSOR_BF16] = 16,
                                    [GR_TENSOR_TF32] = 32,
                                    [GR_TENSOR_E4M3] = 8,
                                    [GR_TENSOR_E5M2] = 8};

static void run_float(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    enum gr_tensor_type type_a = step->lut, type_b = step->lut2;
    bool half = step->flags & FLAG_HALF;
    int m = shapes[step->kind].m, k = depth(step);
    const struct gr_tensor_rule *rule =
        gr_tensor_rule_of(capabilities[step->rounding], GR_TENSOR_WARP, type_a, half);
    uint32_t a[16 * GR_TENSOR_K], b[8 * GR_TENSOR_K], c[16 * 8];
    gr_fragment_factors(gr_source_of(warp, &step->s[0]), m, k, type_bits[type_a], a);
    gr_fragment_factors(gr_source_of(warp, &step->s[1]), 8, k, type_bits[type_b], b);
    gr_fragment_read(gr_source_of(warp, &step->s[2]), m, half ? 16 : 32, c);
    struct gr_tensor_row row;
    struct gr_tensor_columns columns;
    gr_tensor_columns_make(&columns, type_b, b, k);
    for (int i = 0; i < m; i++) {
        gr_tensor_row_make(&row, type_a, a + i * k, k);
        gr_tensor_sums(rule, type_a, type_b, half, k, &row, &columns, c + i * 8, c + i * 8);
    }
    gr_fragment_write(&warp->v[step->d], m, half ? 16 : 32, c, active);
}

static int64_t integer_factor(uint32_t bits, int width, bool is_signed)
{
    int64_t value = bits;
    return is_signed && bits >> (width - 1) ? value - ((int64_t)1 << width) : value;
}

static void run_integer(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int m = shapes[step->kind].m, k = depth(step), bits_a = step->lut, bits_b = step->lut2;
    uint32_t a[16 * 64], b[8 * 64], c[16 * 8];
    gr_fragment_factors(gr_source_of(warp, &step->s[0]), m, k, bits_a, a);
    gr_fragment_factors(gr_source_of(warp, &step->s[1]), 8, k, bits_b, b);
    gr_fragment_read(gr_source_of(warp, &step->s[2]), m, 32, c);
    for (int e = 0; e < m * 8; e++) {
        const uint32_t *row = a + e / 8 * k, *column = b + e % 8 * k;
        int64_t sum = (int32_t)c[e];
        for (int i = 0; i < k; i++) {
            sum += integer_factor(row[i], bits_a, step->flags & FLAG_SIGNED_A) *
                   integer_factor(column[i], bits_b, step->flags & FLAG_SIGNED_B);
        }
        if (step->flags & FLAG_SATURATE) {
            sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        }
        c[e] = (uint32_t)sum;
    }
    gr_fragment_write(&warp->v[step->d], m, 32, c, active);
}

/* Reads 32 bits at a time, that is 32 elements, which are at the places of elements of 32 bits. */
static void run_bits(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int m = shapes[step->kind].m, k = depth(step) / 32;
    uint32_t a[16 * 8], b[8 * 8], c[16 * 8];
    gr_fragment_factors(gr_source_of(warp, &step->s[0]), m, k, 32, a);
    gr_fragment_factors(gr_source_of(warp, &step->s[1]), 8, k, 32, b);
    gr_fragment_read(gr_source_of(warp, &step->s[2]), m, 32, c);
    for (int e = 0; e < m * 8; e++) {
        for (int i = 0; i < k; i++) {
            uint32_t x = a[e / 8 * k + i], y = b[e % 8 * k + i];
            c[e] += (uint32_t)__builtin_popcount(step->flags & FLAG_XOR ? x ^ y : x & y);
        }
    }
    gr_fragment_write(&warp->v[step->d], m, 32, c, active);
}

static void run_double(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int m = shapes[step->kind].m, k = depth(step);
    union {
        uint32_t words[16 * 16 * 2];
        uint64_t values[16 * 16];
    } a, b, c;
    gr_fragment_factors(gr_source_of(warp, &step->s[0]), m, k, 64, a.words);
    gr_fragment_factors(gr_source_of(warp, &step->s[1]), 8, k, 64, b.words);
    gr_fragment_read(gr_source_of(warp, &step->s[2]), m, 64, c.words);
    for (int e = 0; e < m * 8; e++) {
        c.values[e] = gr_tensor_sum_f64(k, a.values + e / 8 * k, b.values + e % 8 * k, c.values[e]);
    }
    gr_fragment_write(&warp->v[step->d], m, 64, c.words, active);
}

static void run_transpose(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    gr_lanes result;
    gr_matrix_transpose(*gr_source_of(warp, &step->s[0]), result);
    for (int lane = 0; lane < GR_WARP_LANES; lane++) {
        if (active >> lane & 1) {
            warp->v[step->d][lane] = result[lane];
        }
    }
}

/* Takes the shape, and stores its index in step->kind. */
static bool take_shape(struct gr_translation *t, struct gr_step *step)
{
    for (int i = 0; i < SHAPES; i++) {
        if (gr_take(t, shapes[i].name)) {
            step->kind = (uint8_t)i;
            return true;
        }
    }
    return gr_refuse(t, "its shape has no meaning here");
}

/* Takes D, A, B and C. A may be written .ROW and B .COL. */
static bool take_operands(struct gr_translation *t, struct gr_step *step)
{
    if (t->decoded->operand_count != 4) {
        return gr_refuse(t, "%d operands have no meaning here", t->decoded->operand_count);
    }
    step->d = gr_destination(t, 0);
    for (int i = 1; i < 4; i++) {
        if (!gr_operand_is(t, i, GR_OPERAND_REGISTER)) {
            return gr_refuse(t, "operand %d is no register", i);
        }
        step->s[i - 1] = gr_source_make(t, i, 1);
        const struct gr_source *s = &step->s[i - 1];
        if (s->negated || s->absolute || s->inverted) {
            return gr_refuse(t, "operand %d has a sign", i);
        }
    }
    gr_take_suffix(t, 1, "ROW");
    gr_take_suffix(t, 2, "COL");
    return !t->refused;
}

static bool take_rule(struct gr_translation *t, struct gr_step *step)
{
    bool half = step->flags & FLAG_HALF;
    int found = -1;
    for (int i = 0; i < (int)(sizeof capabilities / sizeof capabilities[0]); i++) {
        found = capabilities[i] == t->cc ? i : found;
    }
    if (found < 0 || !gr_tensor_rule_of(t->cc, GR_TENSOR_WARP, step->lut, half) ||
        !gr_tensor_rule_of(t->cc, GR_TENSOR_WARP, step->lut2, half)) {
        return gr_refuse(t, "how sm_%d adds these is not known", t->cc);
    }
    step->rounding = (uint8_t)found;
    return true;
}

/* Takes the accumulator's type: F32 or F16. */
static bool take_accumulator(struct gr_translation *t, struct gr_step *step)
{
    if (gr_take(t, "F16")) {
        step->flags |= FLAG_HALF;
        return true;
    }
    return gr_take(t, "F32") || gr_refuse(t, "no type of accumulator has a meaning here");
}

/* HMMA.{1684|1688|16816}.{F32|F16}[.BF16|.TF32] d, a, b, c */
static bool hmma(struct gr_translation *t, struct gr_step *step)
{
    static const char *const types[] = {"BF16", "TF32", NULL};
    if (!take_shape(t, step) || !take_accumulator(t, step)) {
        return false;
    }
    int type = gr_take_one(t, types, -1);
    step->lut = step->lut2 = (uint8_t)(type == 0   ? GR_TENSOR_BF16
                                       : type == 1 ? GR_TENSOR_TF32
                                                   : GR_TENSOR_F16);
    int m = shapes[step->kind].m, k = depth(step);
    bool fits = m == 16 && (type == 1 ? k == 4 || k == 8 : k == 8 || k == 16);
    if (!fits || (type >= 0 && (step->flags & FLAG_HALF))) {
        return gr_refuse(t, "its shape has no meaning for this type");
    }
    step->run = run_float;
    return take_rule(t, step) && take_operands(t, step);
}

/* QMMA.{16816|16832}.{F32|F16}.type.type d, a, b, c: fp8 */
static bool qmma(struct gr_translation *t, struct gr_step *step)
{
    static const char *const types[] = {"E4M3", "E5M2", NULL};
    if (!take_shape(t, step) || !take_accumulator(t, step)) {
        return false;
    }
    /* The first of the two types is A's. gr_take takes one place of a name at a time, so a type may
     * occur twice. */
    const char *first = NULL;
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i] && !first; i++) {
        const char *name = t->decoded->modifier[i];
        first = strcmp(name, "E4M3") == 0 || strcmp(name, "E5M2") == 0 ? name : NULL;
    }
    if (first == NULL || !gr_take(t, first)) {
        return gr_refuse(t, "its types have no meaning here");
    }
    step->lut = strcmp(first, "E4M3") == 0 ? GR_TENSOR_E4M3 : GR_TENSOR_E5M2;
    int second = gr_take_one(t, types, -1);
    if (second < 0 || shapes[step->kind].m != 16 || (depth(step) != 16 && depth(step) != 32)) {
        return gr_refuse(t, "its types or its shape have no meaning here");
    }
    step->lut2 = second == 0 ? GR_TENSOR_E4M3 : GR_TENSOR_E5M2;
    step->run = run_float;
    return take_rule(t, step) && take_operands(t, step);
}

/* Takes the types of A and B of IMMA, in the order in which they are written. */
static bool take_integer(struct gr_translation *t, uint8_t *bits, bool *is_signed)
{
    static const char *const names[] = {"U8", "S8", "U4", "S4"};
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++) {
        for (int n = 0; n < 4; n++) {
            if (!(t->taken >> i & 1) && strcmp(t->decoded->modifier[i], names[n]) == 0) {
                t->taken |= (uint16_t)(1u << i);
                *bits = n < 2 ? 8 : 4;
                *is_signed = n & 1;
                return true;
            }
        }
    }
    return gr_refuse(t, "its types have no meaning here");
}

/* IMMA.{8816|8832|16816|16832|16864}.type.type[.SAT] d, a, b, c */
static bool imma(struct gr_translation *t, struct gr_step *step)
{
    bool signed_a = false, signed_b = false;
    if (!take_shape(t, step) || !take_integer(t, &step->lut, &signed_a) ||
        !take_integer(t, &step->lut2, &signed_b)) {
        return false;
    }
    int k = depth(step), m = shapes[step->kind].m, bits = step->lut;
    bool fits =
        bits == step->lut2 && (m == 8 ? k * bits == 128 : k * bits == 128 || k * bits == 256);
    if (!fits) {
        return gr_refuse(t, "its shape has no meaning for these types");
    }
    step->flags |= (signed_a ? FLAG_SIGNED_A : 0) | (signed_b ? FLAG_SIGNED_B : 0) |
                   (gr_take(t, "SAT") ? FLAG_SATURATE : 0);
    step->run = run_integer;
    return take_operands(t, step);
}

/* BMMA.{88128|168128|168256}.{XOR|AND}.POPC d, a, b, c */
static bool bmma(struct gr_translation *t, struct gr_step *step)
{
    if (!take_shape(t, step)) {
        return false;
    }
    bool is_xor = gr_take(t, "XOR");
    if ((!is_xor && !gr_take(t, "AND")) || !gr_take(t, "POPC") || depth(step) < 128) {
        return gr_refuse(t, "its operation has no meaning here");
    }
    step->flags |= is_xor ? FLAG_XOR : 0;
    step->run = run_bits;
    return take_operands(t, step);
}

/* DMMA.{884|8x8x4|16x8x4|16x8x8|16x8x16} d, a, b, c */
static bool dmma(struct gr_translation *t, struct gr_step *step)
{
    if (!take_shape(t, step)) {
        return false;
    }
    const char *name = shapes[step->kind].name;
    if (strcmp(name, "884") != 0 && strchr(name, 'x') == NULL) {
        return gr_refuse(t, "its shape has no meaning here");
    }
    step->run = run_double;
    return take_operands(t, step);
}

/* MOVM.16.MT88 d, a */
static bool movm(struct gr_translation *t, struct gr_step *step)
{
    if (!gr_take(t, "16") || !gr_take(t, "MT88") || t->decoded->operand_count != 2 ||
        !gr_operand_is(t, 1, GR_OPERAND_REGISTER)) {
        return gr_refuse(t, "only the transposition of a register has a meaning");
    }
    step->d = gr_destination(t, 0);
    step->s[0] = gr_source_make(t, 1, 1);
    step->run = run_transpose;
    return !t->refused;
}

static const struct gr_meaning list[] = {{"HMMA", hmma}, {"QMMA", qmma}, {"IMMA", imma},
                                         {"BMMA", bmma}, {"DMMA", dmma}, {"MOVM", movm},
                                         {NULL, NULL}};
extern const struct gr_meanings gr_meanings_tensor;
const struct gr_meanings gr_meanings_tensor = {list};
