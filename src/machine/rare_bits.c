/* rare_bits.c: packed integers, the modes of PRMT, and predicates in a register.
 * SPDX-License-Identifier: MIT */
#include "machine/rare_loop.h"

/* Returns part j of x, where each part has `bits` bits. */
static int64_t part_of(uint32_t x, uint32_t bits, uint32_t j, bool is_unsigned)
{
    uint32_t y = x >> bits * j & ((1u << bits) - 1);
    return is_unsigned || !(y >> (bits - 1)) ? (int64_t)y : (int64_t)y - (1 << bits);
}

/* s[0] + s[1] for each part. Negation, too, applies to each part. */
void gr_rare_packed_add(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t bits = 8u * step->bytes;
    EACH_LANE(i, active)
    {
        uint32_t a = gr_word(warp, step, 0, 0, i), b = gr_word(warp, step, 1, 0, i), x = 0;
        for (uint32_t j = 0; j < 32 / bits; j++) {
            int64_t sum = (step->s[0].negated ? -1 : 1) * part_of(a, bits, j, true) +
                          (step->s[1].negated ? -1 : 1) * part_of(b, bits, j, true);
            x |= ((uint32_t)sum & ((1u << bits) - 1)) << bits * j;
        }
        warp->v[step->d][i] = x;
    }
}

static int64_t extreme(int64_t x, int64_t y, bool minimum)
{
    return (x < y) == minimum ? x : y;
}

static void extremes_of_pairs(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint64_t bias = step->flags & GR_FLAG_UNSIGNED ? (uint64_t)1 << 63 : 0;
    EACH_LANE(i, active)
    {
        uint64_t x = gr_long(warp, step, 0, i), y = gr_long(warp, step, 1, i);
        bool less = (int64_t)(x ^ bias) < (int64_t)(y ^ bias);
        x = less == gr_lane_predicate(warp, step, 0, i) ? x : y;
        warp->v[step->d][i] = (uint32_t)x;
        warp->v[step->d + 1][i] = (uint32_t)(x >> 32);
    }
}

/* The minimum if p_in[0], else the maximum, for each part; see imnmx and imnmx3 (with three
 * operands, if `kind` is set) in lanes_integer.h. A sum wraps around. */
void gr_rare_extremes(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    if (step->bytes == 8) {
        extremes_of_pairs(warp, step, active);
        return;
    }
    uint32_t bits = 8u * step->bytes, mask = (1u << bits) - 1;
    bool is_unsigned = step->flags & GR_FLAG_UNSIGNED;
    EACH_LANE(i, active)
    {
        uint32_t a = gr_word(warp, step, 0, 0, i), b = gr_word(warp, step, 1, 0, i);
        uint32_t c = gr_word(warp, step, 2, 0, i), result = 0;
        bool minimum = gr_lane_predicate(warp, step, 0, i);
        for (uint32_t j = 0; j < 32 / bits; j++) {
            int64_t x = part_of(a, bits, j, is_unsigned), y = part_of(b, bits, j, is_unsigned);
            int64_t z = part_of(c, bits, j, is_unsigned);
            if (step->flags & GR_FLAG_ADD && !step->kind) {
                x = (step->s[0].negated ? -x : x) + (step->s[1].negated ? -y : y);
                x = part_of((uint32_t)x & mask, bits, 0, is_unsigned);
                y = z;
            }
            x = extreme(x, y, minimum);
            if (step->kind)
                x = extreme(x, z, minimum);
            if (step->flags & GR_FLAG_RELU && x < 0)
                x = 0;
            result |= ((uint32_t)x & mask) << bits * j;
        }
        warp->v[step->d][i] = result;
    }
}

/* |a - b| for each byte; ADD: the sum of these, plus s[2]. */
void gr_rare_byte_differences(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        uint32_t a = gr_word(warp, step, 0, 0, i), b = gr_word(warp, step, 1, 0, i);
        uint32_t sum = gr_word(warp, step, 2, 0, i), packed = 0;
        for (uint32_t j = 0; j < 4; j++) {
            int64_t x = part_of(a, 8, j, true) - part_of(b, 8, j, true);
            x = x < 0 ? -x : x;
            sum += (uint32_t)x;
            packed |= (uint32_t)x << 8 * j;
        }
        warp->v[step->d][i] = step->flags & GR_FLAG_ADD ? sum : packed;
    }
}

/* Returns which byte of (s[2]:s[0]) becomes byte j, in the modes other than 0. n is the lower two
 * bits of the selector. */
static uint32_t chosen_byte(int mode, uint32_t n, uint32_t j)
{
    switch (mode) {
    case 1: /* F4E: four bytes forward, starting at n */
        return n + j;
    case 2: /* B4E: four bytes backward */
        return (n - j) & 7;
    case 3: /* RC8: byte n is replicated */
        return n;
    case 4: /* ECL: bytes below n become byte n */
        return j < n ? n : j;
    case 5: /* ECR: bytes above n become byte n */
        return j > n ? n : j;
    default: /* RC16: a half is replicated */
        return (n & 1) * 2 + (j & 1);
    }
}

void gr_rare_prmt(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        uint64_t x = (uint64_t)gr_word(warp, step, 2, 0, i) << 32 | gr_word(warp, step, 0, 0, i);
        uint32_t n = gr_word(warp, step, 1, 0, i) & 3, result = 0;
        for (uint32_t j = 0; j < 4; j++)
            result |= (uint32_t)(x >> 8 * chosen_byte(step->kind, n, j) & 0xff) << 8 * j;
        warp->v[step->d][i] = result;
    }
}

static uint32_t looked_up(uint8_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    for (uint32_t j = 0; j < 8; j++)
        if (table >> j & 1)
            result |= (j & 4 ? a : ~a) & (j & 2 ? b : ~b) & (j & 1 ? c : ~c);
    return result;
}

void gr_rare_plop3(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    uint32_t a = gr_predicate_mask(warp, step, 0), b = gr_predicate_mask(warp, step, 1);
    uint32_t c = gr_predicate_mask(warp, step, 2);
    gr_write_predicate(warp, step->p_out[1], looked_up(step->lut2, a, b, c), active);
    gr_write_predicate(warp, step->p_out[0], looked_up(step->lut, a, b, c), active);
}

/* The predicates from p_in[0] on replace the bits of s[0] that s[1] selects, starting at bit
 * `kind`. */
void gr_rare_p2r(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        uint32_t all = 0;
        for (uint32_t n = 0; n < 7; n++)
            all |= (warp->p[step->p_in[0] + n] >> i & 1) << n;
        uint32_t mask = gr_word(warp, step, 1, 0, i) << step->kind;
        warp->v[step->d][i] = (gr_word(warp, step, 0, 0, i) & ~mask) | (all << step->kind & mask);
    }
}

/* The predicates from p_out[0] on that s[1] selects are set to the bits of s[0], starting at bit
 * `kind`. */
void gr_rare_r2p(struct gr_warp *warp, const struct gr_step *step, uint32_t active)
{
    EACH_LANE(i, active)
    {
        uint32_t x = gr_word(warp, step, 0, 0, i) >> step->kind;
        uint32_t mask = gr_word(warp, step, 1, 0, i);
        for (uint32_t n = 0; n < 7; n++)
            if (mask >> n & 1)
                gr_write_predicate(warp, (uint8_t)(step->p_out[0] + n), x >> n & 1 ? 0xffffffff : 0,
                                   1u << i);
    }
}
