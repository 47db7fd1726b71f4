/* lanes_loops.h: plain loops over the lanes of a warp, which the functions of lanes_*.h consist of.
 * SPDX-License-Identifier: MIT
 *
 * Two vectors are either disjoint or the same. A destination may also be a source, but its lane i
 * depends on lanes i only, so a pragma may state that the loops carry no dependence. Each
 * expression reads all it needs before a result is stored. */
#ifndef MACHINE_LANES_LOOPS_H
#define MACHINE_LANES_LOOPS_H

#include "machine/lane_functions.h"

#include <stdbool.h>
#include <string.h>

#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

#ifdef __clang__
/* clang warns about each loop that it cannot vectorise. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < GR_WARP_LANES; i++)
#else
#define LOOP _Pragma("GCC ivdep") for (int i = 0; i < GR_WARP_LANES; i++)
#endif

/* Stores the expression, evaluated for lane i, to each active lane of d. */
#define STORE(d, expression)                                                                       \
    do {                                                                                           \
        if (active == 0xffffffff) {                                                                \
            LOOP(d)[i] = __extension__(expression);                                                \
        } else {                                                                                   \
            LOOP                                                                                   \
            {                                                                                      \
                uint32_t x_ = __extension__(expression);                                           \
                (d)[i] = active >> i & 1 ? x_ : (d)[i];                                            \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The same for an expression of 64 bits, stored to two vectors. */
#define STORE_PAIR(d, expression)                                                                  \
    do {                                                                                           \
        uint32_t *low_ = (d)[0], *high_ = (d)[1];                                                  \
        if (active == 0xffffffff) {                                                                \
            LOOP                                                                                   \
            {                                                                                      \
                uint64_t x_ = __extension__(expression);                                           \
                low_[i] = (uint32_t)x_;                                                            \
                high_[i] = (uint32_t)(x_ >> 32);                                                   \
            }                                                                                      \
        } else {                                                                                   \
            LOOP                                                                                   \
            {                                                                                      \
                uint64_t x_ = __extension__(expression);                                           \
                bool on_ = active >> i & 1;                                                        \
                low_[i] = on_ ? (uint32_t)x_ : low_[i];                                            \
                high_[i] = on_ ? (uint32_t)(x_ >> 32) : high_[i];                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define SOURCE(name, n) const uint32_t *name = gr_source_of(warp, &step->s[n])[0]
#define SOURCE_PAIR(name, n)                                                                       \
    const gr_lanes *name##_pair = gr_source_of(warp, &step->s[n]);                                 \
    const uint32_t *name = name##_pair[0], *name##_high = name##_pair[1]
#define DESTINATION(name) uint32_t *name = warp->v[step->d]
#define DESTINATION_PAIR(name) gr_lanes *name = &warp->v[step->d]
#define STEP(name)                                                                                 \
    __attribute__((unused)) static void name(struct gr_warp *restrict warp,                        \
                                             const struct gr_step *restrict step, uint32_t active)

static inline uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* Bit i is set if v[i] is not 0. Each v[i] must be 0 or 0xffffffff. */
static inline uint32_t mask_of(const uint32_t *v)
{
#if defined __AVX512DQ__
    __mmask16 low = _mm512_movepi32_mask(_mm512_load_si512(v));
    __mmask16 high = _mm512_movepi32_mask(_mm512_load_si512(v + 16));
    return (uint32_t)high << 16 | low;
#elif defined __AVX2__
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m256 part = _mm256_load_ps((const float *)v + 8 * i);
        mask |= (uint32_t)_mm256_movemask_ps(part) << 8 * i;
    }
    return mask;
#else
    uint32_t mask = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        mask |= v[i] & (uint32_t)1 << i;
    return mask;
#endif
}

/* Declares uint32_t mask, whose bit i is the condition for lane i. */
#define MASK(mask, condition)                                                                      \
    uint32_t mask;                                                                                 \
    do {                                                                                           \
        gr_lanes lanes_;                                                                           \
        LOOP lanes_[i] = (condition) ? 0xffffffff : 0;                                             \
        (mask) = mask_of(lanes_);                                                                  \
    } while (0)

static inline uint32_t predicate_in(const struct gr_warp *warp, const struct gr_step *step, int n)
{
    return warp->p[step->p_in[n]] ^ (step->p_in_flip >> n & 1 ? 0xffffffff : 0);
}

static inline void predicate_out(struct gr_warp *warp, const struct gr_step *step, int n,
                                 uint32_t mask, uint32_t active)
{
    uint32_t *p = &warp->p[step->p_out[n]];
    *p = (*p & ~active) | (mask & active);
}

/* Writes the two results of a comparison: the comparison and its negation, each combined with
 * p_in[0]. */
static inline void compared(struct gr_warp *warp, const struct gr_step *step, uint32_t mask,
                            uint32_t active)
{
    uint32_t with = predicate_in(warp, step, 0), other = ~mask;
    if (step->flags & GR_FLAG_OR) {
        mask |= with;
        other |= with;
    } else if (step->flags & GR_FLAG_XOR) {
        mask ^= with;
        other ^= with;
    } else {
        mask &= with;
        other &= with;
    }
    predicate_out(warp, step, 1, other, active);
    predicate_out(warp, step, 0, mask, active);
}

#endif
