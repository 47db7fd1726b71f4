/* ukr_table.h: the micro-kernels of this build, each with its instruction set; the table is
 * generated (cmake/ukr.cmake). SPDX-License-Identifier: MIT */
#ifndef CPU_UKR_TABLE_H
#define CPU_UKR_TABLE_H

#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "ukr.h"

#include <stdatomic.h>
#include <stddef.h>

struct gr_ukr_entry {
    const struct ukr *ukr;
    const struct gr_isa *isa;
};

/* Ordered by instruction set, best first, then by name. The last entry has null pointers. */
extern const struct gr_ukr_entry gr_ukr_all[];

/* The entry of the micro-kernel that gr_ukr_pick (cpu/cpu.h) returns. */
const struct gr_ukr_entry *gr_ukr_entry(enum gr_dtype type, const char *isa);

/* gr_ukr_pick for the level in use. Its result is kept, and this function is inlined, since a
 * search, or even a call, would be noticeable in a product of 4x4x4. */
extern _Atomic(const struct ukr *) gr_ukr_picked[GR_DTYPE_COUNT];
const struct ukr *gr_ukr_pick(enum gr_dtype type, const char *isa);
static inline const struct ukr *gr_ukr_in_use(enum gr_dtype type)
{
    const struct ukr *ukr = atomic_load_explicit(&gr_ukr_picked[type], memory_order_acquire);
    return ukr ? ukr : gr_ukr_pick(type, NULL);
}

/* For f32 and f64, a micro-kernel for small products whose vectors have half as many lanes as those
 * of the level in use; null if there is none, or if it would be portable code. */
extern _Atomic(const struct ukr *) gr_ukr_narrower[GR_DTYPE_COUNT];
/* Whether the CPU executes an instruction of 64 bytes as two of 32, as Zen 4 does. */
extern atomic_bool gr_ukr_halves;

static inline const struct ukr *gr_ukr_narrow(const struct ukr *ukr, enum gr_dtype type)
{
    const struct ukr *narrow = atomic_load_explicit(&gr_ukr_narrower[type], memory_order_relaxed);
    return narrow && 2 * narrow->lanes == ukr->lanes ? narrow : ukr;
}

/* The micro-kernel for small products with n columns. If these fill the last vector by at most a
 * half, a CPU that executes 64-byte vectors as halves has less to multiply with the narrower
 * micro-kernel, as long as the columns are one tile of it. Other CPUs start two multiply-adds of
 * half the width at a time, which pays only if the columns are exactly half a vector. The result
 * has the same bits. */
static inline const struct ukr *gr_ukr_for(const struct ukr *ukr, enum gr_dtype type, int64_t n)
{
    if (((n - 1) & (ukr->lanes - 1)) >= ukr->lanes / 2)
        return ukr;
    const bool halves = atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed);
    if (!halves && 2 * n != ukr->lanes)
        return ukr;
    const struct ukr *narrow = gr_ukr_narrow(ukr, type);
    return n <= narrow->nr ? narrow : ukr;
}

/* The same for a product C' = B' A' that is written transposed. A partial vector of 64 bytes would
 * be loaded with a mask in each step, and a CPU that executes halves loads one such vector per
 * cycle, but two of half the width. */
static inline const struct ukr *gr_ukr_for_columns(const struct ukr *ukr, enum gr_dtype type,
                                                   const struct ukr_strided *turned)
{
    if (turned->n < ukr->lanes && ukr_is_direct(ukr->lanes, turned->m, turned->n, turned->k) &&
        atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed))
        return gr_ukr_narrow(ukr, type);
    return gr_ukr_for(ukr, type, turned->n);
}

/* Whether one operand of the dot products is a single row and the other one, of `rows` rows, is in
 * an L2 as large as an Intel's. Its rows are mostly not aligned: every vector of 64 bytes is then
 * in two cache lines, and every other one of 32 bytes, which take 0.93 of the time in double on a
 * Xeon and 0.98 in float. */
static inline bool gr_ukr_dots_from_l2(enum gr_dtype type, int64_t m, int64_t n, int64_t k)
{
    enum { L1_BYTES = 48 << 10, L2_BYTES = 2 << 20 };
    const int64_t bytes = (m > n ? m : n) * k * (type == GR_F32 ? 4 : 8);
    return (m == 1 || n == 1) && bytes > L1_BYTES && bytes <= L2_BYTES && gr_cpu_has_large_l2();
}

/* The micro-kernel for m x n dot products of k steps. If there are few steps, most of the time is
 * spent on adding up the lanes of each sum. The result may have other bits than that of `ukr`. */
static inline const struct ukr *gr_ukr_for_dots(const struct ukr *ukr, enum gr_dtype type,
                                                int64_t m, int64_t n, int64_t k)
{
    const bool halves = atomic_load_explicit(&gr_ukr_halves, memory_order_relaxed);
    return k <= (halves ? 6 : 1) * ukr->lanes || gr_ukr_dots_from_l2(type, m, n, k)
               ? gr_ukr_narrow(ukr, type)
               : ukr;
}

/* The micro-kernel's function for a product of m rows and n columns, whichever part of it is
 * computed. */
static inline ukr_dots_fn *gr_ukr_dots(const struct ukr *ukr, int64_t m, int64_t n)
{
    return m * n <= UKR_FEW_DOTS ? ukr->run_few_dots : ukr->run_dots;
}

/* Finds the first of `types` (ended by null) for which there is a micro-kernel, at the best
 * instruction set that `isa` (null: the level in use) allows and this CPU runs: any micro-kernel,
 * or only one that needs no configured tile registers. */
enum gr_ukr_kind { GR_UKR_ANY, GR_UKR_OF_VECTORS };
const struct gr_ukr_entry *gr_ukr_find(const char *const *types, const char *isa,
                                       enum gr_ukr_kind kind);

#endif
