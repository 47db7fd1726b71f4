/* lanes_integer.h: integer arithmetic, logic, shifts, comparisons; a part of lanes_ops.h.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_LANES_INTEGER_H
#define MACHINE_LANES_INTEGER_H

#include "machine/lanes_loops.h"

STEP(mov)
{
    SOURCE(a, 0);
    DESTINATION(d);
    STORE(d, a[i]);
}

STEP(mov_pair)
{
    SOURCE_PAIR(a, 0);
    DESTINATION_PAIR(d);
    STORE_PAIR(d, pair(a[i], a_high[i]));
}

/* s[0] if p_in[0], else s[1]; the negation of an operand is that of an integer. */
STEP(sel)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    uint32_t chosen = predicate_in(warp, step, 0);
    STORE(d, chosen >> i & 1 ? a[i] : b[i]);
}

STEP(sel_pair)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    DESTINATION_PAIR(d);
    uint32_t chosen = predicate_in(warp, step, 0);
    STORE_PAIR(d, chosen >> i & 1 ? pair(a[i], a_high[i]) : pair(b[i], b_high[i]));
}

/* ---- Addition. ----------------------------------------------------------------------------- */

/* Negation is ~x + 1, as on the GPU, so that the carries are those of the GPU. */
static inline uint32_t flip_of(const struct gr_source *s)
{
    return s->negated || s->inverted ? 0xffffffff : 0;
}
static inline uint32_t one_of(const struct gr_source *s)
{
    return s->negated ? 1 : 0;
}

STEP(iadd3)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, a[i] + b[i] + c[i]);
}

STEP(iadd3_flips)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t fa = flip_of(&step->s[0]), fb = flip_of(&step->s[1]), fc = flip_of(&step->s[2]);
    uint32_t one = one_of(&step->s[0]) + one_of(&step->s[1]) + one_of(&step->s[2]);
    STORE(d, (a[i] ^ fa) + (b[i] ^ fb) + (c[i] ^ fc) + one);
}

/* What is added to the sum of each lane: `one` and the carries, which are given as masks. */
static inline void carries(uint32_t *restrict in, uint32_t one, uint32_t p, uint32_t q)
{
    for (int i = 0; i < GR_WARP_LANES; i++)
        in[i] = one + (p >> i & 1) + (q >> i & 1);
}

/* Adds three terms and `in` (0 to 5) in each lane. p_out[0] is set if the carry is 1 or more,
 * p_out[1] if it is 2 or more. The terms are in t, which is overwritten with the sum. */
static inline void add_with_carries(struct gr_warp *restrict warp,
                                    const struct gr_step *restrict step, uint32_t active,
                                    gr_lanes *t, const uint32_t *in)
{
    gr_lanes some, two;
    uint32_t *a = t[0];
    const uint32_t *b = t[1], *c = t[2];
    DESTINATION(d);
    LOOP
    {
        uint32_t x = a[i] + b[i], y = x + c[i], z = y + in[i];
        uint32_t carry = (uint32_t)(x < a[i]) + (y < x) + (z < y);
        some[i] = carry >= 1 ? 0xffffffff : 0;
        two[i] = carry >= 2 ? 0xffffffff : 0;
        a[i] = z;
    }
    STORE(d, a[i]);
    predicate_out(warp, step, 1, mask_of(two), active);
    predicate_out(warp, step, 0, mask_of(some), active);
}

/* p_in[0] and p_in[1] are carries that are added. */
STEP(iadd3_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    uint32_t fa = flip_of(&step->s[0]), fb = flip_of(&step->s[1]), fc = flip_of(&step->s[2]);
    uint32_t one = one_of(&step->s[0]) + one_of(&step->s[1]) + one_of(&step->s[2]);
    gr_lanes t[3], in;
    LOOP
    {
        t[0][i] = a[i] ^ fa;
        t[1][i] = b[i] ^ fb;
        t[2][i] = c[i] ^ fc;
    }
    carries(in, one, predicate_in(warp, step, 0), predicate_in(warp, step, 1));
    add_with_carries(warp, step, active, t, in);
}

/* Adds 64-bit numbers: s[0] + s[1] + s[2], with signs. */
STEP(iadd_pair)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    SOURCE_PAIR(c, 2);
    DESTINATION_PAIR(d);
    uint64_t fa = flip_of(&step->s[0]), fb = flip_of(&step->s[1]), fc = flip_of(&step->s[2]);
    uint64_t one = one_of(&step->s[0]) + one_of(&step->s[1]) + one_of(&step->s[2]);
    fa |= fa << 32;
    fb |= fb << 32;
    fc |= fc << 32;
    STORE_PAIR(d, (pair(a[i], a_high[i]) ^ fa) + (pair(b[i], b_high[i]) ^ fb) +
                      (pair(c[i], c_high[i]) ^ fc) + one);
}

/* ---- Multiplication. ----------------------------------------------------------------------- */

STEP(imad)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, a[i] * b[i] + c[i]);
}

/* p_in[0] is a carry that is added. */
STEP(imad_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t fc = flip_of(&step->s[2]), one = one_of(&step->s[2]);
    uint32_t carry = predicate_in(warp, step, 0);
    uint32_t sign = step->s[0].negated != step->s[1].negated ? 0xffffffff : 0;
    STORE(d, ((a[i] * b[i]) ^ sign) - sign + (c[i] ^ fc) + one + (carry >> i & 1));
}

STEP(imad_wide)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE_PAIR(c, 2);
    DESTINATION_PAIR(d);
    STORE_PAIR(d, (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]) + pair(c[i], c_high[i]));
}

STEP(imad_wide_u32)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE_PAIR(c, 2);
    DESTINATION_PAIR(d);
    STORE_PAIR(d, (uint64_t)a[i] * b[i] + pair(c[i], c_high[i]));
}

/* s[0] 2^value + s[2], where value is 1 to 30. Uses UNSIGNED. */
STEP(imad_wide_shift)
{
    SOURCE(a, 0);
    SOURCE_PAIR(c, 2);
    uint32_t *low = warp->v[step->d], *high = warp->v[step->d + 1];
    uint32_t n = (uint32_t)step->value & 31;
    uint32_t sign = step->flags & GR_FLAG_UNSIGNED ? 0 : 0xffffffff << n;
    uint32_t all = active == 0xffffffff;
    LOOP
    {
        uint32_t up = a[i] >> (31 - n) >> 1;
        up |= (uint32_t)((int32_t)a[i] >> 31) & sign;
        uint32_t x = (a[i] << n) + c[i], y = up + c_high[i] + (x < c[i]);
        uint32_t on = all | (active >> i & 1);
        low[i] = on ? x : low[i];
        high[i] = on ? y : high[i];
    }
}

/* Uses UNSIGNED and HIGH: the result is the upper word only. p_in[0] is a carry that is added;
 * p_out[0] is the carry out of 64 bits. */
STEP(imad_wide_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE_PAIR(c, 2);
    uint64_t fc = flip_of(&step->s[2]), one = one_of(&step->s[2]);
    uint32_t carry = predicate_in(warp, step, 0);
    uint64_t sign = step->s[0].negated != step->s[1].negated ? ~(uint64_t)0 : 0;
    bool is_unsigned = step->flags & GR_FLAG_UNSIGNED;
    uint64_t x[GR_WARP_LANES];
    gr_lanes overflow;
    fc |= fc << 32;
    LOOP
    {
        uint64_t product = is_unsigned ? (uint64_t)a[i] * b[i]
                                       : (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]);
        product = (product ^ sign) - sign;
        uint64_t y = product + (pair(c[i], c_high[i]) ^ fc), z = y + one, w = z + (carry >> i & 1);
        overflow[i] = y < product || z < y || w < z ? 0xffffffff : 0;
        x[i] = w;
    }
    if (step->flags & GR_FLAG_HIGH) {
        DESTINATION(d);
        STORE(d, (uint32_t)(x[i] >> 32));
    } else {
        DESTINATION_PAIR(d);
        STORE_PAIR(d, x[i]);
    }
    predicate_out(warp, step, 0, mask_of(overflow), active);
}

/* ---- Shifted addition. --------------------------------------------------------------------- */

STEP(lea)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    uint32_t n = (uint32_t)step->value & 31;
    STORE(d, (a[i] << n) + b[i]);
}

/* p_in[0] is a carry that is added; p_out[0] is the carry out. */
STEP(lea_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    uint32_t fa = flip_of(&step->s[0]), fb = flip_of(&step->s[1]);
    uint32_t n = (uint32_t)step->value & 31;
    gr_lanes t[3], in;
    LOOP
    {
        t[0][i] = a[i] << n ^ fa;
        t[1][i] = b[i] ^ fb;
        t[2][i] = 0;
    }
    carries(in, one_of(&step->s[0]) + one_of(&step->s[1]), predicate_in(warp, step, 0), 0);
    add_with_carries(warp, step, active, t, in);
}

/* The upper word of (s[2]:s[0]) << value, plus s[1]. SIGN: s[2] is the sign of s[0]. */
STEP(lea_hi_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    uint32_t fb = flip_of(&step->s[1]);
    uint32_t n = (uint32_t)step->value & 31;
    bool sign = step->flags & GR_FLAG_SIGN;
    gr_lanes t[3], in;
    LOOP
    {
        uint32_t high = sign ? (uint32_t)((int32_t)a[i] >> 31) : c[i];
        t[0][i] = (uint32_t)(pair(a[i], high) << n >> 32);
        t[1][i] = b[i] ^ fb;
        t[2][i] = 0;
    }
    carries(in, one_of(&step->s[1]), predicate_in(warp, step, 0), 0);
    add_with_carries(warp, step, active, t, in);
}

/* ---- Logic. -------------------------------------------------------------------------------- */

/* A truth table as a sum of products modulo 2. Bit j of lut2 is set if the sum has the product of
 * those operands whose bits are set in j (4: a, 2: b, 1: c). */
static inline void products_of(uint32_t *k, uint32_t sum)
{
    for (int j = 0; j < 8; j++)
        k[j] = 0 - (sum >> j & 1);
}

#define LOP3_VALUE                                                                                 \
    (k[0] ^ (k[4] & a[i]) ^ (k[2] & b[i]) ^ (k[1] & c[i]) ^ (k[6] & a[i] & b[i]) ^                 \
     (k[5] & a[i] & c[i]) ^ (k[3] & b[i] & c[i]) ^ (k[7] & a[i] & b[i] & c[i]))

STEP(lop3)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t k[8];
    products_of(k, step->lut2);
    STORE(d, LOP3_VALUE);
}

/* p_out[0]: the result is not 0, combined with p_in[0] by OR if this flag is set, else by AND. */
STEP(lop3_test)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t k[8];
    gr_lanes x;
    products_of(k, step->lut2);
    LOOP x[i] = LOP3_VALUE;
    STORE(d, x[i]);
    MASK(mask, x[i] != 0);
    uint32_t with = predicate_in(warp, step, 0);
    mask = step->flags & GR_FLAG_OR ? mask | with : mask & with;
    predicate_out(warp, step, 0, mask, active);
}

STEP(lop3_and)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, a[i] & b[i]);
}

STEP(lop3_or)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, a[i] | b[i]);
}

STEP(lop3_xor)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, a[i] ^ b[i]);
}

STEP(lop3_xor3)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, a[i] ^ b[i] ^ c[i]);
}

STEP(lop3_and_or)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, (a[i] & b[i]) | c[i]);
}

/* ~s[1] */
STEP(lop3_not)
{
    SOURCE(b, 1);
    DESTINATION(d);
    STORE(d, ~b[i]);
}

/* ---- Shifts. ------------------------------------------------------------------------------- */

/* Shifts by `value`, 0 to 31. */
STEP(shl)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t n = (uint32_t)step->value & 31;
    STORE(d, a[i] << n);
}

STEP(shr_u32)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t n = (uint32_t)step->value & 31;
    STORE(d, a[i] >> n);
}

STEP(shr_s32)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t n = (uint32_t)step->value & 31;
    STORE(d, (uint32_t)((int32_t)a[i] >> n));
}

/* Shifts (s[2]:s[0]) by s[1]. The count is clamped to 32, or with WIDE to 64; with WRAP it is taken
 * modulo this number instead. HIGH: the result is the upper word. A right shift is arithmetic
 * unless UNSIGNED is set. */
STEP(shf)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t limit = step->flags & GR_FLAG_WIDE ? 64 : 32;
    bool wrap = step->flags & GR_FLAG_WRAP, high = step->flags & GR_FLAG_HIGH;
    bool right = step->flags & GR_FLAG_RIGHT, sign = !(step->flags & GR_FLAG_UNSIGNED);
    STORE(d, ({
              uint32_t n = wrap ? b[i] & (limit - 1) : b[i] < limit ? b[i] : limit;
              uint32_t half = n >> 1, rest = n - half; /* each is less than 64 */
              uint64_t x = pair(a[i], c[i]);
              uint64_t l = x << half << rest, r = x >> half >> rest;
              uint64_t s = (uint64_t)((int64_t)x >> half >> rest);
              x = right ? sign ? s : r : l;
              (uint32_t)(high ? x >> 32 : x);
          }));
}

/* ---- Bytes and bits. ----------------------------------------------------------------------- */

/* The bytes come from s[0] and s[2], and s[1] selects them. kind 0: each nibble selects one byte,
 * and its bit 3 replicates the sign of that byte. For the other modes, see rare.h. */
STEP(prmt)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    STORE(d, ({
              uint64_t x = pair(a[i], c[i]);
              uint32_t result = 0;
              for (uint32_t j = 0; j < 4; j++) {
                  uint32_t choice = b[i] >> 4 * j;
                  uint32_t byte = (uint32_t)(x >> 8 * (choice & 7)) & 0xff;
                  uint32_t sign = byte & 0x80 ? 0xff : 0;
                  result |= (choice & 8 ? sign : byte) << 8 * j;
              }
              result;
          }));
}

/* The same for a selection that is the same in all lanes, `value`, and without signs. */
STEP(prmt_fixed)
{
    SOURCE(a, 0);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t choice = (uint32_t)step->value;
    const uint32_t *v0 = choice & 0x4 ? c : a, *v1 = choice & 0x40 ? c : a;
    const uint32_t *v2 = choice & 0x400 ? c : a, *v3 = choice & 0x4000 ? c : a;
    uint32_t n0 = (choice & 3) * 8, n1 = (choice >> 4 & 3) * 8, n2 = (choice >> 8 & 3) * 8,
             n3 = (choice >> 12 & 3) * 8;
    STORE(d, (v0[i] >> n0 & 0xff) | (v1[i] >> n1 & 0xff) << 8 | (v2[i] >> n2 & 0xff) << 16 |
                 v3[i] >> n3 << 24);
}

/* The minimum if p_in[0], else the maximum. ADD: of s[0] + s[1] and s[2]; else of s[0] and s[1].
 * Uses UNSIGNED. RELU: a negative result becomes 0. */
STEP(imnmx)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    bool add = step->flags & GR_FLAG_ADD;
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    uint32_t minimum = predicate_in(warp, step, 0);
    int32_t floor = step->flags & GR_FLAG_RELU ? 0 : INT32_MIN;
    uint32_t fa = flip_of(&step->s[0]), oa = one_of(&step->s[0]);
    uint32_t fb = flip_of(&step->s[1]), ob = one_of(&step->s[1]);
    STORE(d, ({
              uint32_t u = (a[i] ^ fa) + oa, v = (b[i] ^ fb) + ob;
              int32_t x = (int32_t)((add ? u + v : u) ^ bias);
              int32_t y = (int32_t)((add ? c[i] : v) ^ bias);
              int32_t least = x < y ? x : y, most = x < y ? y : x;
              int32_t z = minimum >> i & 1 ? least : most;
              (uint32_t)(z < floor ? floor : z) ^ bias;
          }));
}

STEP(imnmx3)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    uint32_t minimum = predicate_in(warp, step, 0);
    int32_t floor = step->flags & GR_FLAG_RELU ? 0 : INT32_MIN;
    STORE(d, ({
              int32_t x = (int32_t)(a[i] ^ bias), y = (int32_t)(b[i] ^ bias);
              int32_t w = (int32_t)(c[i] ^ bias);
              int32_t least = x < y ? x : y, most = x < y ? y : x;
              least = least < w ? least : w;
              most = most < w ? w : most;
              int32_t z = minimum >> i & 1 ? least : most;
              (uint32_t)(z < floor ? floor : z) ^ bias;
          }));
}

STEP(iabs)
{
    SOURCE(a, 0);
    DESTINATION(d);
    STORE(d, (int32_t)a[i] < 0 ? 0 - a[i] : a[i]);
}

/* The lower s[1] bits of s[0], sign-extended; UNSIGNED: zero-extended. */
STEP(sgxt)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    bool wrap = step->flags & GR_FLAG_WRAP, sign = !(step->flags & GR_FLAG_UNSIGNED);
    STORE(d, ({
              uint32_t n = b[i] & 31;
              bool whole = !wrap && b[i] >= 32;
              uint32_t mask = 0xffffffffu << n;
              bool set = sign && n && a[i] >> ((n - 1) & 31) & 1;
              whole ? a[i] : set ? a[i] | mask : a[i] & ~mask;
          }));
}

/* A mask of s[1] bits, starting at bit s[0]. */
STEP(bmsk)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    DESTINATION(d);
    bool wrap = step->flags & GR_FLAG_WRAP;
    STORE(d, ({
              uint32_t from = a[i] & 31, to = from + (b[i] & 31);
              bool beyond = !wrap && a[i] >= 32, wide = !wrap && b[i] >= 32;
              uint32_t first = beyond ? 0 : 0xffffffffu << from;
              uint32_t after = to >= 32 || beyond || wide ? 0 : 0xffffffffu << (to & 31);
              first & ~after;
          }));
}

STEP(brev)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t fa = flip_of(&step->s[0]);
    STORE(d, ({
              uint32_t x = a[i] ^ fa;
              x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
              x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
              x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
              x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
              x >> 16 | x << 16;
          }));
}

static inline uint32_t ones(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

STEP(popc)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t fa = flip_of(&step->s[0]);
    STORE(d, ones(a[i] ^ fa));
}

/* The position of the highest bit that is set or, without UNSIGNED, that differs from the sign;
 * 0xffffffff if there is none. SHIFT: the distance of this bit from bit 31. */
STEP(flo)
{
    SOURCE(a, 0);
    DESTINATION(d);
    uint32_t fa = flip_of(&step->s[0]);
    bool sign = !(step->flags & GR_FLAG_UNSIGNED);
    uint32_t turn = step->flags & GR_FLAG_SHIFT ? 31 : 0;
    STORE(d, ({
              uint32_t x = a[i] ^ fa;
              x ^= sign ? (uint32_t)((int32_t)x >> 31) : 0;
              uint32_t y = x;
              y |= y >> 1;
              y |= y >> 2;
              y |= y >> 4;
              y |= y >> 8;
              y |= y >> 16;
              uint32_t at = ones(y) - 1;
              x ? at ^ turn : 0xffffffff;
          }));
}

static inline int32_t part(uint32_t x, uint32_t bits, uint32_t index, bool is_unsigned)
{
    uint32_t up = x << (32 - bits * (index + 1));
    return is_unsigned ? (int32_t)(up >> (32 - bits)) : (int32_t)up >> (32 - bits);
}

/* The dot product of four bytes, plus s[2]. Uses UNSIGNED and UNSIGNED_B. IDP2: of the halves of
 * s[0] and the lower two bytes of s[1]; with UPPER, the upper two. */
STEP(idp4)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    bool ua = step->flags & GR_FLAG_UNSIGNED, ub = step->flags & GR_FLAG_UNSIGNED_B;
    STORE(d, ({
              uint32_t sum = c[i];
              for (uint32_t j = 0; j < 4; j++)
                  sum += (uint32_t)(part(a[i], 8, j, ua) * part(b[i], 8, j, ub));
              sum;
          }));
}

STEP(idp2)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    bool ua = step->flags & GR_FLAG_UNSIGNED, ub = step->flags & GR_FLAG_UNSIGNED_B;
    uint32_t down = step->flags & GR_FLAG_UPPER ? 16 : 0;
    STORE(d, ({
              uint32_t sum = c[i], bytes = b[i] >> down;
              for (uint32_t j = 0; j < 2; j++)
                  sum += (uint32_t)(part(a[i], 16, j, ua) * part(bytes, 8, j, ub));
              sum;
          }));
}

/* |s[0] - s[1]| + s[2] */
STEP(absdiff)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    SOURCE(c, 2);
    DESTINATION(d);
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    STORE(d, ((int32_t)(a[i] ^ bias) < (int32_t)(b[i] ^ bias) ? b[i] - a[i] : a[i] - b[i]) + c[i]);
}

/* ---- Comparisons. -------------------------------------------------------------------------- */

static inline uint32_t choose(uint32_t kind, uint32_t less, uint32_t equal, uint32_t below_equal)
{
    return (kind & GR_COMPARE_LESS ? less : 0) | (kind & GR_COMPARE_EQUAL ? below_equal : 0) |
           (kind & GR_COMPARE_GREATER ? ~(less | equal) : 0);
}

STEP(isetp)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    uint32_t result;
    if (step->kind == GR_COMPARE_EQUAL || step->kind == (GR_COMPARE_LESS | GR_COMPARE_GREATER)) {
        MASK(equal, a[i] == b[i]);
        result = step->kind == GR_COMPARE_EQUAL ? equal : ~equal;
    } else if (step->kind == GR_COMPARE_LESS ||
               step->kind == (GR_COMPARE_EQUAL | GR_COMPARE_GREATER)) {
        MASK(less, (int32_t)(a[i] ^ bias) < (int32_t)(b[i] ^ bias));
        result = step->kind == GR_COMPARE_LESS ? less : ~less;
    } else {
        MASK(greater, (int32_t)(a[i] ^ bias) > (int32_t)(b[i] ^ bias));
        result = step->kind == GR_COMPARE_GREATER ? greater : ~greater;
    }
    compared(warp, step, result, active);
}

/* Handles signs, any kind of comparison, and EXTENDED. */
STEP(isetp_any)
{
    SOURCE(a, 0);
    SOURCE(b, 1);
    uint32_t bias = step->flags & GR_FLAG_UNSIGNED ? 0x80000000 : 0;
    uint32_t fa = flip_of(&step->s[0]), fb = flip_of(&step->s[1]);
    uint32_t oa = one_of(&step->s[0]), ob = one_of(&step->s[1]);
    MASK(less, (int32_t)(((a[i] ^ fa) + oa) ^ bias) < (int32_t)(((b[i] ^ fb) + ob) ^ bias));
    MASK(equal, ((a[i] ^ fa) + oa) == ((b[i] ^ fb) + ob));
    uint32_t kind = step->kind, result;
    if (step->flags & GR_FLAG_EXTENDED)
        /* If the upper words are equal, the comparison of the lower words decides, whatever the
         * kind is. */
        result = choose(kind & ~(uint32_t)GR_COMPARE_EQUAL, less, equal, 0) |
                 (equal & predicate_in(warp, step, 1));
    else
        result = choose(kind, less, equal, equal);
    compared(warp, step, result, active);
}

STEP(isetp_pair)
{
    SOURCE_PAIR(a, 0);
    SOURCE_PAIR(b, 1);
    uint64_t bias = step->flags & GR_FLAG_UNSIGNED ? (uint64_t)1 << 63 : 0;
    MASK(less, (int64_t)(pair(a[i], a_high[i]) ^ bias) < (int64_t)(pair(b[i], b_high[i]) ^ bias));
    MASK(equal, pair(a[i], a_high[i]) == pair(b[i], b_high[i]));
    compared(warp, step, choose(step->kind, less, equal, equal), active);
}

#endif
