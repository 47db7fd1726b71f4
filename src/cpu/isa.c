/* isa.c: finds the instruction sets that this CPU can run, and chooses the level in use.
 * SPDX-License-Identifier: MIT */
#include "cpu/isa.h"

#include "cpu/cpu.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct gr_isa *gr_isa_find(const char *name)
{
    const struct gr_isa *const *isa = gr_isa_all;
    while (*isa && strcmp((*isa)->name, name))
        isa++;
    return *isa;
}

static uint64_t needs_of(const struct gr_isa *isa)
{
    uint64_t needs = 0;
    for (; isa; isa = isa->extends ? isa->extends : isa->over)
        needs |= isa->needs;
    return needs;
}

bool gr_isa_runs(const struct gr_isa *isa)
{
    return gr_cpu_has(needs_of(isa));
}

/* GRADUS_ISA is obeyed if it names a level that this CPU can run; otherwise the best level is
 * chosen. */
static const struct gr_isa *find_in_use(void)
{
    const char *wanted = getenv("GRADUS_ISA");
    const struct gr_isa *best = NULL;
    for (const struct gr_isa *const *isa = gr_isa_all; *isa; isa++) {
        if ((*isa)->extends || !gr_isa_runs(*isa))
            continue;
        if (wanted && !strcmp((*isa)->name, wanted))
            return *isa;
        if (!best)
            best = *isa;
    }
    return best;
}

const struct gr_isa *gr_isa_in_use(void)
{
    static _Atomic(const struct gr_isa *) found;
    const struct gr_isa *isa = atomic_load_explicit(&found, memory_order_relaxed);
    if (!isa) {
        isa = find_in_use();
        atomic_store_explicit(&found, isa, memory_order_relaxed);
    }
    return isa;
}

const char *gr_cpu_isa_at(int i)
{
    for (const struct gr_isa *const *isa = gr_isa_all; i >= 0 && *isa; isa++)
        if (!(*isa)->extends && i-- == 0)
            return (*isa)->name;
    return NULL;
}

const char *gr_cpu_isa_level(const char *name)
{
    const struct gr_isa *isa = gr_isa_find(name);
    return isa ? gr_isa_level(isa)->name : NULL;
}

uint64_t gr_cpu_isa_needs(const char *name)
{
    return needs_of(gr_isa_find(name));
}

bool gr_cpu_isa_runs(const char *name)
{
    const struct gr_isa *isa = gr_isa_find(name);
    return isa && gr_isa_runs(isa);
}

const char *gr_cpu_isa(void)
{
    return gr_isa_in_use()->name;
}
