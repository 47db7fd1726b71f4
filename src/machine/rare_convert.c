/* rare_convert.c: conversions between formats, with exact numbers that are rounded once.
 * SPDX-License-Identifier: MIT
 *
 * step->kind is the format of the source, step->bytes that of the result; for integers, they are
 * the numbers of bits. step->value is the position of the source's first bit. */
#include "machine/convert.h"
#include "machine/rare_loop.h"

static uint64_t masked(uint64_t x, int bits)
{
    return x & ~(uint64_t)0 >> (64 - bits);
}

static int format_bits(int format)
{
    static const uint8_t bits[] = {16, 16, 32, 64, 32, 8, 8, 8, 8, 4, 8};
    return bits[format];
}

static uint64_t sign_bit(int format)
{
    return (uint64_t)1 << (format_bits(format) - 1);
}

/* Reads source s in one of the formats, with its signs. Uses FTZ. */
static uint64_t source_bits(const struct gr_warp *warp, const struct gr_step *step, int s,
                            int format, uint32_t lane)
{
    uint64_t x = format == GR_FORMAT_F64 ? gr_long(warp, step, s, lane)
                                         : gr_word(warp, step, s, 0, lane) >> step->value;
    x = masked(x, format_bits(format));
    if (step->s[s].absolute)
        x &= ~sign_bit(format);
    if (step->s[s].negated)
        x ^= sign_bit(format);
    if (step->flags & GR_FLAG_FTZ && format == GR_FORMAT_F32 && !(x & 0x7f800000))
        x &= 0x80000000;
    return x;
}

static struct gr_number read_source(const struct gr_warp *warp, const struct gr_step *step, int s,
                                    int format, uint32_t lane)
{
    return gr_number_read(source_bits(warp, step, s, format, lane), (enum gr_format)format);
}

static void write_result(struct gr_warp *warp, const struct gr_step *step, uint32_t lane, bool wide,
                         uint64_t x)
{
    warp->v[step->d][lane] = (uint32_t)x;
    if (wide)
        warp->v[step->d + 1][lane] = (uint32_t)(x >> 32);
}

/* HIGH: rounds to an integer in the source's format (FRND). Uses FTZ. A NaN keeps its mantissa if
 * the source or the result is a double. */
void gr_rare_f2f(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int to = step->bytes;
    EACH_LANE(i, active)
    {
        uint64_t bits = source_bits(warp, step, 0, step->kind, i);
        struct gr_number x = gr_number_read(bits, (enum gr_format)step->kind);
        if (step->flags & GR_FLAG_HIGH)
            x = gr_number_integral(x, step->rounding);
        uint64_t y = gr_number_write(x, (enum gr_format)to, step->rounding, false);
        if (step->flags & GR_FLAG_FTZ && to == GR_FORMAT_F32 && !(y & 0x7f800000))
            y &= 0x80000000;
        if (x.class == GR_NUMBER_NAN && (step->kind == GR_FORMAT_F64 || to == GR_FORMAT_F64))
            y = gr_nan_convert(bits, (enum gr_format)step->kind, (enum gr_format)to);
        write_result(warp, step, i, to == GR_FORMAT_F64, y);
    }
}

/* Reads source s as an integer of `bits` bits, rounded and clamped. NAN: NaN becomes 0. */
static uint64_t rounded_source(const struct gr_warp *warp, const struct gr_step *step, int s,
                               int bits, bool is_unsigned, uint32_t lane)
{
    int format = step->flags & GR_FLAG_FLOAT ? GR_FORMAT_F32 : step->kind;
    struct gr_number x = read_source(warp, step, s, format, lane);
    if (x.class == GR_NUMBER_NAN && step->flags & GR_FLAG_NAN)
        return 0;
    return gr_number_integer(x, bits, is_unsigned, step->rounding);
}

/* Uses UNSIGNED. */
void gr_rare_f2i(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        write_result(warp, step, i, step->bytes == 64,
                     rounded_source(warp, step, 0, step->bytes, step->flags & GR_FLAG_UNSIGNED, i));
    }
}

/* Reads source s as an integer of `bits` bits. */
static int64_t integer_of(const struct gr_warp *warp, const struct gr_step *step, int s, int bits,
                          uint32_t lane)
{
    uint64_t x = bits == 64 ? gr_long(warp, step, s, lane)
                            : masked(gr_word(warp, step, s, 0, lane) >> step->value, bits);
    if (!(step->flags & GR_FLAG_UNSIGNED) && bits < 64 && x >> (bits - 1))
        x |= ~(uint64_t)0 << bits;
    return (int64_t)x;
}

void gr_rare_i2f(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        int64_t value = integer_of(warp, step, 0, step->kind, i);
        bool negative = !(step->flags & GR_FLAG_UNSIGNED) && value < 0;
        struct gr_number x = {.negative = negative,
                              .mantissa = negative ? 0 - (uint64_t)value : (uint64_t)value};
        uint64_t y = gr_number_write(x, (enum gr_format)step->bytes, step->rounding, false);
        write_result(warp, step, i, step->bytes == GR_FORMAT_F64, y);
    }
}

static uint32_t clamped(int64_t x, int bits, bool is_unsigned)
{
    int64_t most = is_unsigned ? ((int64_t)1 << bits) - 1 : ((int64_t)1 << (bits - 1)) - 1;
    int64_t least = is_unsigned ? 0 : -most - 1;
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

/* Clamps a 32-bit integer to `bytes` bits. UNSIGNED_B: the result is unsigned. */
void gr_rare_i2i(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        int64_t x = integer_of(warp, step, 0, 32, i);
        warp->v[step->d][i] = clamped(x, step->bytes, step->flags & GR_FLAG_UNSIGNED_B);
    }
}

/* Packs two clamped integers, s[0] in the upper part, and the lower part of s[2] above them. FLOAT:
 * the integers are rounded floats. */
void gr_rare_pack_integers(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int bits = step->bytes;
    bool is_unsigned = step->flags & GR_FLAG_UNSIGNED_B;
    EACH_LANE(i, active)
    {
        uint32_t part[2];
        for (int s = 0; s < 2; s++) {
            if (step->flags & GR_FLAG_FLOAT)
                part[s] = (uint32_t)rounded_source(warp, step, s, bits, is_unsigned, i);
            else
                part[s] = clamped(integer_of(warp, step, s, 32, i), bits, is_unsigned);
            part[s] = (uint32_t)masked(part[s], bits);
        }
        uint32_t x = part[0] << bits | part[1];
        if (bits == 8)
            x |= gr_word(warp, step, 2, 0, i) << 16;
        warp->v[step->d][i] = x;
    }
}

static uint64_t packed(const struct gr_step *step, struct gr_number x)
{
    if (step->flags & GR_FLAG_RELU && x.negative && x.class != GR_NUMBER_NAN)
        x = (struct gr_number){0};
    return gr_number_write(x, (enum gr_format)step->bytes, step->rounding,
                           step->flags & GR_FLAG_SATURATE);
}

/* Packs s[0] in the upper part and s[1] in the lower one; without ADD there is only the lower one.
 * SATURATE: results are finite. Uses RELU. With two parts of 8 bits, the lower half of s[2] is
 * above them. */
void gr_rare_pack(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int bits = format_bits(step->bytes), parts = step->flags & GR_FLAG_ADD ? 2 : 1;
    EACH_LANE(i, active)
    {
        uint64_t x = packed(step, read_source(warp, step, 1, step->kind, i));
        if (parts == 2)
            x |= packed(step, read_source(warp, step, 0, step->kind, i)) << bits;
        if (bits * parts == 16)
            x |= (uint64_t)gr_word(warp, step, 2, 0, i) << 16;
        warp->v[step->d][i] = (uint32_t)x;
    }
}

/* Converts the two parts of s[1], from bit `value` on, to two parts of the result. If these have 8
 * bits, the lower half of s[2] is above them. */
void gr_rare_repack(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    int from = format_bits(step->kind), to = format_bits(step->bytes);
    EACH_LANE(i, active)
    {
        uint32_t word = gr_word(warp, step, 1, 0, i) >> step->value;
        uint64_t x = 0;
        for (int j = 0; j < 2; j++) {
            uint64_t part = masked(word >> from * j, from);
            x |= packed(step, gr_number_read(part, (enum gr_format)step->kind)) << to * j;
        }
        if (to < 16)
            x |= (uint64_t)gr_word(warp, step, 2, 0, i) << 16;
        warp->v[step->d][i] = (uint32_t)x;
    }
}
