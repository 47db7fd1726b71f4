/* test_machine_tensor.c: instructions on matrices, from what they are decoded to, against products
 * of small integers, which every rule of addition has exactly. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/matrix_fragments.h"
#include "machine/translate.h"
#include "machine/machine_wgmma.h"

#include <stdlib.h>
#include <string.h>

extern const struct gr_meanings gr_meanings_tensor;

static struct gr_warp warp;

/* The instruction of a mnemonic with its modifiers, as "HMMA.16816.F32"; D is R40, A R8, B R16, C
 * R24 or `c`. */
static struct gr_decoded decoded_of(char *text, int c)
{
    struct gr_decoded d = {.operand_count = 4,
                           .guard = {.kind = GR_OPERAND_PREDICATE, .number = 7}};
    static const uint8_t numbers[] = {40, 8, 16};
    d.mnemonic = strtok(text, ".");
    for (int i = 0; (d.modifier[i] = strtok(NULL, ".")) != NULL; i++)
        ;
    for (int i = 0; i < 4; i++) {
        d.operand[i].kind = GR_OPERAND_REGISTER;
        d.operand[i].number = i < 3 ? numbers[i] : (uint8_t)c;
    }
    return d;
}

static bool make(struct gr_decoded *d, int cc, struct gr_step *step)
{
    struct gr_translation t = {.decoded = d, .cc = cc};
    *step = (struct gr_step){.guard = GR_PREDICATE_ALWAYS};
    for (const struct gr_meaning *m = gr_meanings_tensor.list; m->mnemonic; m++) {
        if (strcmp(m->mnemonic, d->mnemonic) == 0) {
            bool made = m->make(&t, step);
            int count = 0;
            while (count < GR_DECODED_MODIFIERS && d->modifier[count])
                count++;
            assert_true(made == !t.refused);
            return made && t.taken == (1u << count) - 1;
        }
    }
    return false;
}

enum values { SMALL_F16, SMALL_BF16, SMALL_TF32, SMALL_E4M3, SMALL_E5M2, SMALL_F64, INTEGERS };

/* The value of a factor, of which `bits` has been drawn at random: -3 to 3, or an integer. */
static int64_t value_of(enum values values, int width, bool is_signed, uint64_t bits)
{
    if (values != INTEGERS)
        return (int64_t)(bits % 7) - 3;
    return is_signed && bits >> (width - 1) & 1 ? (int64_t)bits - ((int64_t)1 << width)
                                                : (int64_t)bits;
}

static uint64_t encoded(enum values values, int64_t x)
{
    static const uint64_t f16[] = {0, 0x3c00, 0x4000, 0x4200}, bf16[] = {0, 0x3f80, 0x4000, 0x4040},
                          e4m3[] = {0, 0x38, 0x40, 0x44}, e5m2[] = {0, 0x3c, 0x40, 0x42},
                          f64[] = {0, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000};
    uint64_t size = (uint64_t)(x < 0 ? -x : x), sign = x < 0;
    switch (values) {
    case SMALL_F16:
        return f16[size] | sign << 15;
    case SMALL_BF16:
        return bf16[size] | sign << 15;
    case SMALL_TF32:
        return bf16[size] << 16 | sign << 31 | (uint64_t)(rand() & 0x1fff); /* is not read */
    case SMALL_E4M3:
        return e4m3[size] | sign << 7;
    case SMALL_E5M2:
        return e5m2[size] | sign << 7;
    default:
        return f64[size] | sign << 63;
    }
}

/* Random numbers in the registers of A or B, and the values of the matrix. */
static void fill(int first, int rows, int k, int width, enum values values, bool is_signed,
                 int64_t *out)
{
    static uint32_t words[16 * 256 * 2];
    int registers = rows * k * width / 1024;
    for (int r = 0; r < registers; r++)
        for (int lane = 0; lane < 32; lane++)
            warp.v[first + r][lane] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    if (values != INTEGERS) { /* each element is replaced by a small number */
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < registers * 32 / width; i++) {
                int bit = i * width;
                uint32_t *word = &warp.v[first + bit / 32][lane];
                uint64_t x = encoded(values, rand() % 7 - 3);
                if (width == 64) {
                    *word = (uint32_t)x;
                    warp.v[first + bit / 32 + 1][lane] = (uint32_t)(x >> 32);
                } else {
                    uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
                    *word = (*word & ~(mask << bit % 32)) | (uint32_t)x << bit % 32;
                }
            }
        }
    }
    gr_fragment_factors((const gr_lanes *)&warp.v[first], rows, k, width, words);
    for (int i = 0; i < rows * k; i++) {
        if (values == INTEGERS) {
            out[i] = value_of(values, width, is_signed, words[i]);
            continue;
        }
        uint64_t bits = width == 64            ? words[2 * i] | (uint64_t)words[2 * i + 1] << 32
                        : values == SMALL_TF32 ? words[i] & ~0x1fffu
                                               : words[i];
        int64_t x = -3;
        while (x <= 3 && (values == SMALL_TF32 ? encoded(values, x) & ~(uint64_t)0x1fff
                                               : encoded(values, x)) != bits)
            x++;
        assert_in_range(x + 3, 0, 6);
        out[i] = x;
    }
}

static double number_of(uint64_t bits, int width)
{
    if (width == 64) {
        double x;
        memcpy(&x, &bits, 8);
        return x;
    }
    if (width == 32) {
        uint32_t word = (uint32_t)bits;
        float x;
        memcpy(&x, &word, 4);
        return x;
    }
    int e = (int)(bits >> 10 & 31) - 25;
    double x = (double)((bits & 0x3ff) | 0x400) * (e < 0 ? 1.0 / (1 << -e) : 1 << e);
    return bits & 0x7fff ? bits & 0x8000 ? -x : x : 0;
}

static const struct trial {
    const char *text;
    int cc, m, k, width;
    enum values values;
    int c_width;
    bool signed_a, signed_b;
} trials[] = {
    {"HMMA.1688.F32", 75, 16, 8, 16, SMALL_F16, 32, 0, 0},
    {"HMMA.1688.F16", 75, 16, 8, 16, SMALL_F16, 16, 0, 0},
    {"HMMA.16816.F32", 80, 16, 16, 16, SMALL_F16, 32, 0, 0},
    {"HMMA.16816.F16", 90, 16, 16, 16, SMALL_F16, 16, 0, 0},
    {"HMMA.16816.F32.BF16", 86, 16, 16, 16, SMALL_BF16, 32, 0, 0},
    {"HMMA.1688.F32.BF16", 90, 16, 8, 16, SMALL_BF16, 32, 0, 0},
    {"HMMA.1688.F32.TF32", 90, 16, 8, 32, SMALL_TF32, 32, 0, 0},
    {"HMMA.1684.F32.TF32", 80, 16, 4, 32, SMALL_TF32, 32, 0, 0},
    {"QMMA.16832.F32.E4M3.E4M3", 89, 16, 32, 8, SMALL_E4M3, 32, 0, 0},
    {"QMMA.16816.F16.E5M2.E5M2", 89, 16, 16, 8, SMALL_E5M2, 16, 0, 0},
    {"IMMA.8816.S8.S8", 75, 8, 16, 8, INTEGERS, 32, 1, 1},
    {"IMMA.8816.U8.S8.SAT", 75, 8, 16, 8, INTEGERS, 32, 0, 1},
    {"IMMA.16816.S8.U8", 80, 16, 16, 8, INTEGERS, 32, 1, 0},
    {"IMMA.16832.U8.U8", 90, 16, 32, 8, INTEGERS, 32, 0, 0},
    {"IMMA.8832.S4.S4", 75, 8, 32, 4, INTEGERS, 32, 1, 1},
    {"IMMA.16832.S4.U4", 80, 16, 32, 4, INTEGERS, 32, 1, 0},
    {"IMMA.16864.S4.S4", 80, 16, 64, 4, INTEGERS, 32, 1, 1},
    {"BMMA.88128.AND.POPC", 75, 8, 128, 1, INTEGERS, 32, 0, 0},
    {"BMMA.168256.XOR.POPC", 80, 16, 256, 1, INTEGERS, 32, 0, 0},
    {"DMMA.884", 80, 8, 4, 64, SMALL_F64, 64, 0, 0},
    {"DMMA.8x8x4", 90, 8, 4, 64, SMALL_F64, 64, 0, 0},
    {"DMMA.16x8x8", 90, 16, 8, 64, SMALL_F64, 64, 0, 0},
    {"DMMA.16x8x16", 90, 16, 16, 64, SMALL_F64, 64, 0, 0},
};

static void run_trial(const struct trial *t, bool zero_c, uint32_t active)
{
    static int64_t a[16 * 256], b[8 * 256];
    char text[40];
    strcpy(text, t->text);
    struct gr_decoded d = decoded_of(text, zero_c ? GR_REGISTER_ZERO : 24);
    struct gr_step step;
    if (!make(&d, t->cc, &step))
        fail_msg("%s is refused", t->text);
    int second = t->values == SMALL_F64 ? 48 : 16; /* DMMA's A may have 16 registers */
    step.s[1].slot = (uint32_t)second;
    step.s[2].slot = zero_c ? GR_SLOT_ZERO : 80;
    step.d = 100;
    fill(8, t->m, t->k, t->width, t->values, t->signed_a, a);
    fill(second, 8, t->k, t->width, t->values, t->signed_b, b);
    uint32_t c[16 * 8 * 2], is[16 * 8 * 2];
    for (int i = 0; i < t->m * 8; i++) { /* 5, as a number of C's type */
        c[i] = t->values == INTEGERS ? 5 : t->c_width == 16 ? 0x4500 : 0x40a00000;
        if (t->c_width == 64) {
            c[2 * i] = 0;
            c[2 * i + 1] = 0x40140000;
        }
    }
    if (t->c_width == 64)
        for (int i = 0; i < t->m * 8; i++)
            c[2 * i] = 0, c[2 * i + 1] = 0x40140000;
    gr_fragment_write(&warp.v[80], t->m, t->c_width, c, ~0u);
    memset(&warp.v[100], 0x77, 8 * sizeof(gr_lanes));
    step.run(&warp, &step, active);
    for (int r = 0; r < 8; r++)
        for (int lane = 0; lane < 32; lane++)
            if (!(active >> lane & 1))
                assert_int_equal(warp.v[100 + r][lane], 0x77777777);
    if (active != ~0u)
        return;
    gr_fragment_read((const gr_lanes *)&warp.v[100], t->m, t->c_width, is);
    for (int i = 0; i < t->m; i++) {
        for (int j = 0; j < 8; j++) {
            int64_t sum = zero_c ? 0 : 5;
            for (int k = 0; k < t->k; k++) {
                int64_t x = a[i * t->k + k], y = b[j * t->k + k];
                sum += strstr(t->text, "XOR") ? x ^ y : x * y;
            }
            if (t->values == INTEGERS) {
                assert_int_equal((int32_t)is[i * 8 + j], sum);
                continue;
            }
            uint64_t bits = t->c_width == 64
                                ? is[2 * (i * 8 + j)] | (uint64_t)is[2 * (i * 8 + j) + 1] << 32
                                : is[i * 8 + j];
            assert_true(number_of(bits, t->c_width) == (double)sum);
        }
    }
}

static void products(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof trials / sizeof trials[0]; n++) {
        for (int round = 0; round < 20; round++)
            run_trial(&trials[n], round & 1, ~0u);
        run_trial(&trials[n], false, 0x10f0f123);
    }
}

/* Sums of IMMA wrap, or stop at the ends. */
static void ends_of_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t a, c, wanted;
    } cases[] = {
        {"IMMA.16832.S8.S8", 0x7f7f7f7f, 0x7fffffff, 0x7fffffffu + 32 * 127},
        {"IMMA.16832.S8.S8.SAT", 0x7f7f7f7f, 0x7fffffff, 0x7fffffff},
        {"IMMA.16832.S8.S8.SAT", 0x80808080, 0x80000000, 0x80000000},
        {"IMMA.16832.S8.S8", 0x80808080, 0x80000000, 0x80000000u - 32 * 128},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char text[40];
        strcpy(text, cases[n].text);
        struct gr_decoded d = decoded_of(text, 24);
        struct gr_step step;
        assert_true(make(&d, 90, &step));
        for (int r = 0; r < 4; r++) {
            for (int lane = 0; lane < 32; lane++) {
                warp.v[8 + r][lane] = cases[n].a;
                warp.v[16 + r][lane] = 0x01010101;
                warp.v[24 + r][lane] = cases[n].c;
            }
        }
        step.run(&warp, &step, ~0u);
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(warp.v[40][lane], cases[n].wanted);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int cc;
    } cases[] = {
        {"HMMA.1684.F32", 90},
        {"HMMA.16816.F32.TF32", 90},
        {"HMMA.16816.F16.BF16", 90},
        {"HMMA.SP.16816.F32", 90},
        {"HMMA.16816", 90},
        {"HMMA.16816.F32", 73},
        {"HMMA.884.F32.F32.STEP0", 75},
        {"HMMA.16832.F32", 90},
        {"IMMA.16832.S8", 90},
        {"IMMA.16832.S8.S4", 90},
        {"IMMA.8832.S8.S8", 90},
        {"BMMA.168256.OR.POPC", 90},
        {"QMMA.16832.F32.E4M3", 89},
        {"QMMA.16832.F32.E4M3.E4M3", 90},
        {"QMMA.16832.F32.E3M2.E2M1", 120},
        {"DMMA.16816", 90},
        {"HMMA.88128.F32", 90},
        {"DMMA.16x8x8.RM", 90},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        char text[40];
        strcpy(text, cases[n].text);
        struct gr_decoded d = decoded_of(text, 24);
        struct gr_step step;
        if (make(&d, cases[n].cc, &step))
            fail_msg("%s has a meaning", cases[n].text);
    }
    char text[] = "HMMA.16816.F32";
    struct gr_decoded d = decoded_of(text, 24);
    struct gr_step step;
    assert_true(make(&d, 90, &step));
    d.operand[3].negated = true;
    assert_false(make(&d, 90, &step));
    d.operand[3].negated = false;
    d.operand[2].kind = GR_OPERAND_IMMEDIATE;
    assert_false(make(&d, 90, &step));
}

static void groups_of_warps(void **state)
{
    (void)state;
    /* HGMMA.64x64x16.F32.BF16 R24, gdesc[UR8].tnspB, R24, !UPT, gsb0 */
    struct gr_decoded d = {
        .mnemonic = "HGMMA",
        .modifier = {"64x64x16", "F32", "BF16"},
        .operand_count = 5,
        .operand = {{.kind = GR_OPERAND_REGISTER, .number = 24},
                    {.kind = GR_OPERAND_ADDRESS,
                     .descriptor = 8,
                     .has_descriptor = true,
                     .extended = true,
                     .base = GR_REGISTER_ZERO,
                     .uniform = GR_REGISTER_ZERO,
                     .suffix = {"tnspB"}},
                    {.kind = GR_OPERAND_REGISTER, .number = 24},
                    {.kind = GR_OPERAND_UNIFORM_PREDICATE, .number = 7, .inverted = true},
                    {.kind = GR_OPERAND_SCOREBOARD, .number = 0}}};
    struct gr_translation t = {.decoded = &d, .cc = 90};
    struct gr_wgmma g;
    assert_true(gr_wgmma_take(&t, &g));
    assert_int_equal(t.taken, 7);
    assert_int_equal(t.suffixes_taken[1], 1);
    assert_int_equal(g.n, 64);
    assert_int_equal(g.k, 16);
    assert_int_equal(g.type_a, GR_TENSOR_BF16);
    assert_true(g.transposed_b && !g.transposed_a && !g.half && !g.a_in_registers);
    assert_int_equal(g.d, 24);
    assert_int_equal(g.c, 24);
    assert_int_equal(g.descriptors, 8);
    assert_true(g.has_scale && g.scale == GR_PREDICATE_ALWAYS && g.scale_flip == 1);
    assert_int_equal(g.scoreboard, 0);
    assert_int_equal(gr_wgmma_registers(&g), 32);

    /* IGMMA.64x8x32.U8.S8.SAT R24, gdesc[UR4], RZ */
    d.mnemonic = "IGMMA";
    d.modifier[0] = "64x8x32";
    d.modifier[1] = "U8";
    d.modifier[2] = "S8";
    d.modifier[3] = "SAT";
    d.operand[1].suffix[0] = NULL;
    d.operand[2].number = GR_REGISTER_ZERO;
    d.operand_count = 3;
    t = (struct gr_translation){.decoded = &d, .cc = 90};
    assert_true(gr_wgmma_take(&t, &g));
    assert_int_equal(t.taken, 15);
    assert_true(!g.signed_a && g.signed_b && g.saturate && !g.has_scale);
    assert_int_equal(g.c, GR_SLOT_ZERO);
    assert_int_equal(g.scoreboard, -1);

    static const char *const wrong[] = {"64x12x32", "64x264x32", "32x8x32",
                                        "64x8x16",  "64x8",      NULL};
    for (int i = 0; wrong[i]; i++) {
        d.modifier[0] = wrong[i];
        t = (struct gr_translation){.decoded = &d, .cc = 90};
        assert_false(gr_wgmma_take(&t, &g));
    }
    d.modifier[0] = "64x8x32";
    d.operand[1].suffix[0] = "negA"; /* of floating-point numbers only */
    t = (struct gr_translation){.decoded = &d, .cc = 90};
    assert_false(gr_wgmma_take(&t, &g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(ends_of_integers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(groups_of_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
