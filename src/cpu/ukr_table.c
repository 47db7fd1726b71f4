/* ukr_table.c: chooses the micro-kernel. SPDX-License-Identifier: MIT */
#include "cpu/ukr_table.h"

#include "cpu/cpu.h"
#include "cpu/features.h"

#include <stdatomic.h>
#include <string.h>

const struct ukr *gr_ukr_at(int i)
{
    int count = 0;
    while (gr_ukr_all[count].ukr)
        count++;
    return i >= 0 && i < count ? gr_ukr_all[i].ukr : NULL;
}

static const struct gr_isa *level_named(const char *isa)
{
    return isa ? gr_isa_find(isa) : gr_isa_in_use();
}

/* In the table, extensions of a level come before the level itself, and are chosen only if this CPU
 * can run them. */
static const struct gr_ukr_entry *best_of(const char *type, const struct gr_isa *level)
{
    const struct gr_ukr_entry *best = NULL;
    for (const struct gr_ukr_entry *e = gr_ukr_all; e->ukr; e++) {
        if (!e->ukr->run || strcmp(e->ukr->type, type) || gr_isa_level(e->isa) != level)
            continue;
        if (e->isa != level && !gr_isa_runs(e->isa))
            continue;
        if (!best || (e->isa == best->isa && e->ukr->preference > best->ukr->preference))
            best = e;
    }
    return best;
}

/* The position of `type` in `types`, or -1. */
static int place_of(const char *type, const char *const *types)
{
    for (int i = 0; types[i]; i++)
        if (!strcmp(types[i], type))
            return i;
    return -1;
}

/* The table begins with the best instruction sets, and the micro-kernels of an instruction set are
 * adjacent. */
const struct gr_ukr_entry *gr_ukr_find(const char *const *types, const char *isa,
                                       enum gr_ukr_kind kind)
{
    const struct gr_ukr_entry *best = NULL;
    for (const struct gr_isa *level = level_named(isa); level && !best; level = level->over)
        for (const struct gr_ukr_entry *e = gr_ukr_all; e->ukr; e++) {
            const int place = place_of(e->ukr->type, types);
            if (place < 0 || !e->ukr->run || gr_isa_level(e->isa) != level ||
                !gr_isa_runs(e->isa) || (kind == GR_UKR_OF_VECTORS && e->ukr->begin))
                continue;
            if (!best || (e->isa == best->isa && place < place_of(best->ukr->type, types)))
                best = e;
        }
    return best;
}

/* If a level has no micro-kernel for the type, that of the next lower level is used. The function
 * is not inlined, because its caller would then save registers even if the micro-kernel is known
 * already. */
static __attribute__((noinline)) const struct gr_ukr_entry *search(enum gr_dtype type,
                                                                   const char *isa)
{
    const struct gr_ukr_entry *best = NULL;
    for (const struct gr_isa *level = level_named(isa); level && !best; level = level->over)
        best = best_of(gr_dtype_name(type), level);
    return best;
}

_Atomic(const struct ukr *) gr_ukr_picked[GR_DTYPE_COUNT], gr_ukr_narrower[GR_DTYPE_COUNT];
atomic_bool gr_ukr_halves;

/* The micro-kernel with vectors of half the length; the one of the best instruction set, which
 * comes first in the table. */
static const struct ukr *narrower(const struct ukr *ukr)
{
    for (const struct gr_ukr_entry *e = gr_ukr_all; e->ukr; e++)
        if (!strcmp(e->ukr->type, ukr->type) && 2 * e->ukr->lanes == ukr->lanes &&
            strcmp(e->ukr->isa, "portable") != 0 && gr_isa_runs(e->isa) && e->ukr->run_strided)
            return e->ukr;
    return NULL;
}

/* Zen 4, but not its successors, has the instructions for bfloat16 without AVX-VNNI. The only other
 * such CPU is Cooper Lake, which is rare, and for which the difference is small. */
static bool executes_halves(void)
{
#if defined(__x86_64__)
    return gr_cpu_has(GR_CPU_BIT(AVX512_BF16)) && !gr_cpu_has(GR_CPU_BIT(AVX_VNNI));
#else
    return false;
#endif
}

/* The values on which the choice of a path depends are stored before the micro-kernel, so that a
 * thread that sees the micro-kernel sees them too. */
static void keep(enum gr_dtype type, _Atomic(const struct gr_ukr_entry *) *place,
                 const struct gr_ukr_entry *entry)
{
    if (entry) {
        atomic_store_explicit(&gr_ukr_halves, executes_halves(), memory_order_relaxed);
        atomic_store_explicit(&gr_ukr_narrower[type], narrower(entry->ukr), memory_order_relaxed);
    }
    atomic_store_explicit(place, entry, memory_order_release);
}

/* The micro-kernel of the level in use is searched for once, because every product needs it. */
const struct gr_ukr_entry *gr_ukr_entry(enum gr_dtype type, const char *isa)
{
    static _Atomic(const struct gr_ukr_entry *) picked[GR_DTYPE_COUNT];
    const struct gr_ukr_entry *entry =
        isa ? NULL : atomic_load_explicit(&picked[type], memory_order_acquire);
    if (entry)
        return entry;
    entry = search(type, isa);
    if (!isa)
        keep(type, &picked[type], entry);
    return entry;
}

const struct ukr *gr_ukr_pick(enum gr_dtype type, const char *isa)
{
    const struct gr_ukr_entry *entry = gr_ukr_entry(type, isa);
    const struct ukr *ukr = entry ? entry->ukr : NULL;
    if (!isa && ukr)
        atomic_store_explicit(&gr_ukr_picked[type], ukr, memory_order_release);
    return ukr;
}
