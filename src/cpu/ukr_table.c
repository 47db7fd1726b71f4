/* ukr_table.c: which micro-kernel multiplies. SPDX-License-Identifier: MIT */
#include "cpu/ukr_table.h"

#include "cpu/cpu.h"

#include <string.h>

const struct ukr *gr_ukr_at(int i)
{
    int count = 0;
    while (gr_ukr_all[count])
        count++;
    return i >= 0 && i < count ? gr_ukr_all[i] : NULL;
}

static const struct ukr *best_of(const char *type, const char *isa)
{
    const struct ukr *best = NULL;
    for (const struct ukr *const *u = gr_ukr_all; *u; u++)
        if (!strcmp((*u)->type, type) && !strcmp((*u)->isa, isa) &&
            (!best || (*u)->preference > best->preference))
            best = *u;
    return best;
}

/* A level without a micro-kernel of its own for the type uses that of the next lower one. */
const struct ukr *gr_ukr_pick(enum gr_dtype type, const char *isa)
{
    if (!isa)
        isa = gr_cpu_isa();
    bool reached = false;
    const char *level;
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++) {
        reached = reached || !strcmp(level, isa);
        const struct ukr *ukr = reached ? best_of(gr_dtype_name(type), level) : NULL;
        if (ukr)
            return ukr;
    }
    return NULL;
}
