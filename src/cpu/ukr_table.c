/* ukr_table.c: which micro-kernel multiplies. SPDX-License-Identifier: MIT */
#include "cpu/ukr_table.h"

#include "cpu/cpu.h"
#include "cpu/gemm_mixed.h"

#include <stdatomic.h>
#include <string.h>

const struct ukr *gr_ukr_at(int i)
{
    int count = 0;
    while (gr_ukr_all[count])
        count++;
    return i >= 0 && i < count ? gr_ukr_all[i] : NULL;
}

/* Extensions come before their level in the table, and only where they run. */
static const struct ukr *best_of(const char *type, const char *level)
{
    const struct ukr *best = NULL;
    for (const struct ukr *const *at = gr_ukr_all; *at; at++) {
        const struct ukr *u = *at;
        const char *of = gr_cpu_isa_level(u->isa);
        if (strcmp(u->type, type) || !of || strcmp(of, level))
            continue;
        if (strcmp(u->isa, level) && !gr_cpu_isa_runs(u->isa))
            continue;
        if (!best || (!strcmp(u->isa, best->isa) && u->preference > best->preference))
            best = u;
    }
    return best;
}

/* The place of `type` among `types`, or -1. */
static int place_of(const char *type, const char *const *types)
{
    for (int i = 0; types[i]; i++)
        if (!strcmp(types[i], type))
            return i;
    return -1;
}

/* The table has the best instruction sets first, and those of one kind side by side. */
const struct ukr *gr_ukr_find(const char *const *types, const char *isa)
{
    const struct ukr *best = NULL;
    const char *level;
    bool reached = false;
    isa = isa ? isa : gr_cpu_isa();
    for (int i = 0; (level = gr_cpu_isa_at(i)) && !best; i++) {
        reached = reached || !strcmp(level, isa);
        for (const struct ukr *const *at = gr_ukr_all; reached && *at; at++) {
            const struct ukr *u = *at;
            const int place = place_of(u->type, types);
            if (place < 0 || strcmp(gr_cpu_isa_level(u->isa), level) || !gr_cpu_isa_runs(u->isa))
                continue;
            if (!best || (!strcmp(u->isa, best->isa) && place < place_of(best->type, types)))
                best = u;
        }
    }
    return best;
}

/* A level without a micro-kernel of its own for the type uses that of the next lower one. */
static const struct ukr *best_from(const char *type, const char *isa)
{
    const char *level;
    bool reached = false;
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++) {
        reached = reached || !strcmp(level, isa);
        const struct ukr *ukr = reached ? best_of(type, level) : NULL;
        if (ukr)
            return ukr;
    }
    return NULL;
}

/* What the level in use picks is found once: every product asks. */
const struct ukr *gr_ukr_pick(enum gr_dtype type, const char *isa)
{
    static _Atomic(const struct ukr *) picked[GR_DTYPE_COUNT];
    if (isa)
        return best_from(gr_dtype_name(type), isa);
    const struct ukr *ukr = atomic_load_explicit(&picked[type], memory_order_relaxed);
    if (!ukr) {
        ukr = best_from(gr_dtype_name(type), gr_cpu_isa());
        atomic_store_explicit(&picked[type], ukr, memory_order_relaxed);
    }
    return ukr;
}
