/* meaning_convert.c: conversions. SPDX-License-Identifier: MIT */
#include "machine/meaning.h"

#include "machine/convert.h"
#include "machine/rare.h"

#include <string.h>

enum { SIGNS = GR_SIGN_MINUS | GR_SIGN_ABSOLUTE };

static const char *const float_names[] = {"F16", "BF16", "F32", "F64", 0};
static const char *const integer_names[] = {"S8",  "U8",  "S16", "U16", "S32",
                                            "U32", "S64", "U64", 0};
static const uint8_t integer_bits[] = {8, 8, 16, 16, 32, 32, 64, 64};

/* Takes the first modifier that is one of the names. In F2F.F32.F64, for example, the first is the
 * type of the result and the second that of the source. */
static int take_first(struct gr_translation *t, const char *const *names, int otherwise)
{
    for (int i = 0; i < GR_DECODED_MODIFIERS && t->decoded->modifier[i]; i++)
        for (int k = 0; !(t->taken >> i & 1) && names[k]; k++)
            if (!strcmp(t->decoded->modifier[i], names[k])) {
                gr_take(t, names[k]);
                return k;
            }
    return otherwise;
}

/* Takes .CEIL, .FLOOR or .TRUNC; without one of them, rounds to nearest. */
static void take_integral_rounding(struct gr_translation *t, struct gr_step *step)
{
    static const char *const names[] = {"ROUND", "FLOOR", "CEIL", "TRUNC", 0};
    step->rounding = (uint8_t)gr_take_one(t, names, GR_ROUND_NEAREST);
}

/* Takes the source, which is operand 1 or a part of it. */
static void take_part(struct gr_translation *t, struct gr_step *step, int bits, int signs,
                      bool wide)
{
    static const char *const bytes[] = {"B0", "B1", "B2", "B3", 0};
    static const char *const halves[] = {"H0", "H1", 0}, *const pairs[] = {"H0_H0", "H1_H1", 0};
    gr_set_source(t, step, 0, 1, wide ? 2 : 1, signs);
    step->value = 0;
    if (bits == 8)
        step->value = 8 * gr_take_one_suffix(t, 1, bytes, 0);
    if (bits <= 16)
        step->value += 16 * gr_take_one_suffix(t, 1, halves, gr_take_one_suffix(t, 1, pairs, 0));
}

static const uint8_t float_bits[] = {16, 16, 32, 64};

/* F2F.F32.F64[.RZ] d, a: converts from F64 to F32 */
static bool f2f(struct gr_translation *t, struct gr_step *step)
{
    int to = take_first(t, float_names, -1), from = take_first(t, float_names, -1);
    if (to < 0 || from < 0)
        return gr_refuse(t, "not two formats");
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    gr_take_rounding(t, step);
    step->kind = (uint8_t)from;
    step->bytes = (uint8_t)to;
    step->d = gr_destination(t, 0);
    take_part(t, step, float_bits[from], SIGNS, from == GR_FORMAT_F64);
    step->run = gr_rare_f2f;
    return gr_end(t, 2);
}

/* FRND[.FTZ][.F16|.BF16|.F64][.CEIL…] d, a */
static bool frnd(struct gr_translation *t, struct gr_step *step)
{
    int format = gr_take_one(t, float_names, GR_FORMAT_F32);
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    take_integral_rounding(t, step);
    step->flags |= GR_FLAG_HIGH;
    step->kind = step->bytes = (uint8_t)format;
    step->d = gr_destination(t, 0);
    take_part(t, step, float_bits[format], SIGNS, format == GR_FORMAT_F64);
    step->run = gr_rare_f2f;
    return gr_end(t, 2);
}

/* F2I[.FTZ][.U32…][.F64…][.TRUNC…][.NTZ] d, a. Without modifiers, F32 to S32. With .NTZ, NaN
 * becomes 0, otherwise the number of which only the highest bit is set. */
static bool f2i(struct gr_translation *t, struct gr_step *step)
{
    int to = gr_take_one(t, integer_names, 4), from = gr_take_one(t, float_names, GR_FORMAT_F32);
    gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
    take_integral_rounding(t, step);
    bool zero = gr_flag(t, step, "NTZ", GR_FLAG_NAN);
    if (to & 1)
        step->flags |= GR_FLAG_UNSIGNED;
    step->kind = (uint8_t)from;
    step->bytes = integer_bits[to];
    step->d = gr_destination(t, 0);
    take_part(t, step, float_bits[from], SIGNS, from == GR_FORMAT_F64);
    step->run = gr_rare_f2i;
    if (to == 4 && from == GR_FORMAT_F32 && step->rounding == GR_ROUND_ZERO && zero)
        gr_set_run(t, step, GR_LANE_F2I_S32);
    return gr_end(t, 2);
}

/* I2F[.F64…][.U8…][.RZ…] d, a. Without modifiers, S32 to F32. */
static bool i2f(struct gr_translation *t, struct gr_step *step)
{
    int to = gr_take_one(t, float_names, GR_FORMAT_F32), from = gr_take_one(t, integer_names, 4);
    gr_take_rounding(t, step);
    if (from & 1)
        step->flags |= GR_FLAG_UNSIGNED;
    step->kind = integer_bits[from];
    step->bytes = (uint8_t)to;
    step->d = gr_destination(t, 0);
    take_part(t, step, integer_bits[from], GR_SIGN_NONE, integer_bits[from] == 64);
    step->run = gr_rare_i2f;
    if (to == GR_FORMAT_F32 && integer_bits[from] == 32)
        gr_set_run(t, step, from & 1 ? GR_LANE_I2F_U32 : GR_LANE_I2F_S32);
    return gr_end(t, 2);
}

/* I2I.U8.S32.SAT d, a */
static bool i2i(struct gr_translation *t, struct gr_step *step)
{
    int to = take_first(t, integer_names, -1), from = take_first(t, integer_names, -1);
    if (to < 0 || to > 3 || (from != 4 && from != 5) || !gr_take(t, "SAT"))
        return gr_refuse(t, "this form has no meaning here");
    step->flags |= (from & 1 ? GR_FLAG_UNSIGNED : 0) | (to & 1 ? GR_FLAG_UNSIGNED_B : 0);
    step->bytes = integer_bits[to];
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, GR_SIGN_NONE);
    step->run = gr_rare_i2i;
    return gr_end(t, 2);
}

/* I2IP.U8.S32.SAT d, a, b, c;  F2IP.U8.F32[.TRUNC…].NTZ d, a, b, c */
static bool pack_integers(struct gr_translation *t, struct gr_step *step)
{
    bool is_float = t->decoded->mnemonic[0] == 'F';
    int to = take_first(t, integer_names, -1);
    int from = is_float ? 4 : take_first(t, integer_names, -1);
    if (to < 0 || to > 3 || (from != 4 && from != 5) || !gr_take(t, is_float ? "F32" : "SAT"))
        return gr_refuse(t, "this form has no meaning here");
    if (is_float) {
        take_integral_rounding(t, step);
        gr_flag(t, step, "FTZ", GR_FLAG_FTZ);
        gr_flag(t, step, "NTZ", GR_FLAG_NAN);
        step->flags |= GR_FLAG_FLOAT;
    }
    step->flags |= (from & 1 ? GR_FLAG_UNSIGNED : 0) | (to & 1 ? GR_FLAG_UNSIGNED_B : 0);
    step->bytes = integer_bits[to];
    step->d = gr_destination(t, 0);
    gr_set_source(t, step, 0, 1, 1, is_float ? SIGNS : GR_SIGN_NONE);
    gr_set_source(t, step, 1, 2, 1, is_float ? SIGNS : GR_SIGN_NONE);
    gr_set_source(t, step, 2, 3, 1, GR_SIGN_NONE);
    step->run = gr_rare_pack_integers;
    return gr_end(t, 4);
}

/* F2FP[.SATFINITE][.RELU][.to][.from].how[.RZ]; without modifiers, `to` is F16 and `from` F32.
 *   PACK_AB d, a, b                 a is the upper part
 *   PACK_AB_MERGE_C d, a, b, c      fp8 and less; c's lower half becomes the upper half
 *   PACK_B d, b                     TF32
 *   MERGE_C d, b, RZ                what it does with another c is not known
 *   UNPACK_B d, b                   two parts of b's lower half become f16 or bf16
 *   UNPACK_B_MERGE_C d, b, c        two f16 become fp8; c as in MERGE_C */
static bool f2fp(struct gr_translation *t, struct gr_step *step)
{
    static const char *const names[] = {"F16",  "BF16", "F32",  "F64",  "TF32", "E4M3",
                                        "E5M2", "E2M3", "E3M2", "E2M1", "E8",   0};
    static const char *const ways[] = {"PACK_AB",  "PACK_AB_MERGE_C",  "PACK_B", "MERGE_C",
                                       "UNPACK_B", "UNPACK_B_MERGE_C", 0};
    enum { PACK_AB, PACK_AB_MERGE_C, PACK_B, MERGE_C, UNPACK_B, UNPACK_B_MERGE_C };
    int way = gr_take_one(t, ways, -1), to = take_first(t, names, GR_FORMAT_F16);
    int from = take_first(t, names, GR_FORMAT_F32);
    gr_flag(t, step, "SATFINITE", GR_FLAG_SATURATE);
    gr_flag(t, step, "RELU", GR_FLAG_RELU);
    gr_take_rounding(t, step);
    if (way < 0 || to == GR_FORMAT_F64 || from == GR_FORMAT_F64 || to == GR_FORMAT_F32)
        return gr_refuse(t, "this form has no meaning here");
    step->kind = (uint8_t)from;
    step->bytes = (uint8_t)to;
    step->d = gr_destination(t, 0);
    int i = 1;
    gr_set_zero(step, 0);
    gr_set_zero(step, 2);
    bool two = way == PACK_AB || way == PACK_AB_MERGE_C;
    bool unpack = way == UNPACK_B || way == UNPACK_B_MERGE_C;
    if (two) {
        gr_set_source(t, step, 0, i++, 1, SIGNS);
        step->flags |= GR_FLAG_ADD;
    }
    gr_set_source(t, step, 1, i, 1, unpack ? GR_SIGN_NONE : SIGNS);
    if (way == UNPACK_B && gr_take_suffix(t, i, "H1"))
        step->value = 16;
    i++;
    if (way == PACK_AB_MERGE_C || way == MERGE_C || way == UNPACK_B_MERGE_C)
        gr_set_source(t, step, 2, i++, 1, GR_SIGN_NONE);
    bool eight = to >= GR_FORMAT_E4M3;
    bool merges = step->s[2].fixed || step->s[2].slot != GR_SLOT_ZERO;
    if (merges && (way == MERGE_C || to == GR_FORMAT_E2M1))
        return gr_refuse(t, "what it merges is not known");
    if ((way == PACK_AB && eight) || (way == PACK_AB_MERGE_C && !eight) ||
        (way == PACK_B && to != GR_FORMAT_TF32) || (!unpack && from != GR_FORMAT_F32) ||
        (way == UNPACK_B && (eight || from < GR_FORMAT_E4M3)) ||
        (way == UNPACK_B_MERGE_C && (!eight || from > GR_FORMAT_BF16)))
        return gr_refuse(t, "this form has no meaning here");
    step->run = unpack ? gr_rare_repack : gr_rare_pack;
    if (way == PACK_AB && !step->rounding && !(step->flags & (GR_FLAG_RELU | GR_FLAG_SATURATE)) &&
        to <= GR_FORMAT_BF16)
        gr_set_run(t, step, to == GR_FORMAT_F16 ? GR_LANE_PACK_HALF : GR_LANE_PACK_BFLOAT);
    return gr_end(t, i);
}

static const struct gr_meaning list[] = {
    {"F2F", f2f},
    {"FRND", frnd},
    {"F2I", f2i},
    {"UF2I", f2i},
    {"I2F", i2f},
    {"I2FP", i2f},
    {"UI2F", i2f},
    {"UI2FP", i2f},
    {"I2I", i2i},
    {"I2IP", pack_integers},
    {"F2IP", pack_integers},
    {"F2FP", f2fp},
    {"UF2FP", f2fp},
    {"UF2F", f2f},
    {"UFRND", frnd},
    {0, 0},
};
const struct gr_meanings gr_meanings_convert = {list};
