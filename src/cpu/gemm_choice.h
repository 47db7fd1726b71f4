/* gemm_choice.h: chooses how a small product of float or double is computed, by its shape alone.
 * SPDX-License-Identifier: MIT
 *
 * Estimating the alternatives takes as long as a product of 8x8x8. The choice is therefore kept for
 * later products of the same shape. */
#ifndef CPU_GEMM_CHOICE_H
#define CPU_GEMM_CHOICE_H

#include "cpu/gemm.h"

#include <stdatomic.h>

/* The `tail` columns of C beyond whole vectors may be a product of their own, which runs along
 * another direction than the rest. */
struct gr_small_choice {
    enum gr_direction direction, of_tail;
    int64_t tail;      /* 0: C is not divided */
    bool one_call;     /* the product is one call of a micro-kernel */
    bool transposes;   /* one operand is transposed to the stack before that call */
    bool exchanged;    /* a call along k computes C' = B' A' */
    int stores_wait;   /* a call along rows or columns: see struct ukr_strided */
    bool narrow;       /* a call along k: of the narrower micro-kernel */
    int few_sums_log2; /* log2 of the number of blocks of k that are computed side by side */
};

/* The choice for a product of at most GR_THREADS_PAY multiply-adds without packed operands. */
struct gr_small_choice gr_gemm_small_choice(const struct gr_product *product);
/* Computes the product in this way, with a small part of the stack as its only memory. Returns
 * false, and does nothing, if that is too small. */
bool gr_gemm_as_chosen(const struct gr_product *product, const struct gr_small_choice *choice);

/* The choice encoded in GR_CHOICE_BITS bits; 0 means none. Only a divided C has a direction of the
 * tail, and only one that is not divided is written by one call. */
enum { GR_CHOICE_BITS = 15, GR_ONE_CALL_BIT = 2 };

static inline unsigned gr_choice_bits(const struct gr_small_choice *c)
{
    return 1u | (unsigned)c->one_call << 1 | (unsigned)c->direction << 2 |
           (unsigned)c->exchanged << 4 |
           (unsigned)(c->tail ? (int)c->of_tail : c->stores_wait | (int)c->narrow) << 5 |
           (unsigned)c->transposes << 7 | (unsigned)c->tail << 8 | (unsigned)c->few_sums_log2 << 12;
}

static inline struct gr_small_choice gr_choice_of(unsigned bits)
{
    const unsigned tail = bits >> 8 & 15, of_tail_or_stores = bits >> 5 & 3;
    const bool dots = (bits >> 2 & 3) == GR_ALONG_K;
    return (struct gr_small_choice){.one_call = bits >> 1 & 1,
                                    .direction = bits >> 2 & 3,
                                    .exchanged = bits >> 4 & 1,
                                    .of_tail = tail ? of_tail_or_stores : GR_ALONG_ROWS,
                                    .transposes = bits >> 7 & 1,
                                    .tail = tail,
                                    .stores_wait = tail || dots ? 0 : (int)of_tail_or_stores,
                                    .narrow = dots && of_tail_or_stores,
                                    .few_sums_log2 = bits >> 12};
}

/* A cache of choices. What a choice depends on, besides the micro-kernel in use, is encoded in a
 * word of GR_SHAPE_BITS bits (gemm_plain.c). The choice is stored in the bits above, so that
 * threads need no lock. Two shapes with the same entry evict one another. */
enum { GR_CHOICES_LOG2 = 11, GR_SHAPE_BITS = 64 - GR_CHOICE_BITS };
extern _Atomic(uint64_t) gr_choices[1 << GR_CHOICES_LOG2];

static inline _Atomic(uint64_t) *gr_choice_place(uint64_t shape)
{
    return &gr_choices[shape * 0x9e3779b97f4a7c15u >> (64 - GR_CHOICES_LOG2)];
}

static inline unsigned gr_choice_find(uint64_t shape)
{
    const uint64_t word =
        atomic_load_explicit(gr_choice_place(shape), memory_order_relaxed) ^ shape;
    return word << GR_CHOICE_BITS == 0 ? (unsigned)(word >> GR_SHAPE_BITS) : 0;
}

static inline void gr_choice_keep(uint64_t shape, unsigned bits)
{
    atomic_store_explicit(gr_choice_place(shape), shape | (uint64_t)bits << GR_SHAPE_BITS,
                          memory_order_relaxed);
}

#endif
