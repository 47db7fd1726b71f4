/* executed.c: sums over the instructions of a trace. SPDX-License-Identifier: MIT */
#include "explain/executed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char gr_executed_extrapolated[] =
    "Blocks that are alike by their requests execute differently, and not all were traced: these "
    "counts are extrapolated.";

bool gr_executed_is_exact(const struct gr_trace *t)
{
    return t->coverage == GR_COVERAGE_WHOLE ||
           (t->coverage == GR_COVERAGE_CLASSES && t->executes_alike);
}

void gr_executed_mnemonic_of(const struct gr_trace_instruction *at, char name[GR_MNEMONIC])
{
    const char *text = at->text;
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    snprintf(name, GR_MNEMONIC, "%.*s", (int)strcspn(text, " ."), text);
}

static void add(struct gr_executed *sum, const struct gr_executed *now)
{
    sum->warps += now->warps;
    sum->threads += now->threads;
    sum->lanes += now->lanes;
    sum->divergent += now->divergent;
    sum->local_requests += now->local_requests;
    sum->local_sectors += now->local_sectors;
}

static bool is_branch(const char *name)
{
    static const char *const names[] = {"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "RET"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void add_mnemonic(struct gr_executed_totals *totals, const char *name,
                         const struct gr_executed *executed)
{
    int i = 0;
    while (i < totals->mnemonic_count && strcmp(totals->mnemonics[i].name, name) != 0)
        i++;
    if (i == GR_MNEMONICS)
        return;
    struct gr_executed_mnemonic *m = &totals->mnemonics[i];
    if (i == totals->mnemonic_count) {
        totals->mnemonic_count++;
        snprintf(m->name, sizeof m->name, "%s", name);
    }
    m->instructions++;
    add(&m->executed, executed);
}

static int by_executions(const void *a, const void *b)
{
    const struct gr_executed_mnemonic *x = a, *y = b;
    if (x->executed.warps != y->executed.warps)
        return x->executed.warps < y->executed.warps ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* The first of these mnemonics that was executed; null if there is none. */
static const char *executed_of(const struct gr_trace *trace, const char *const *names, size_t count)
{
    for (int i = 0; i < trace->instruction_count; i++)
        for (size_t k = 0; k < count; k++)
            if (trace->instructions[i].executed.warps > 0 &&
                strstr(trace->instructions[i].text, names[k]))
                return names[k];
    return NULL;
}

const char *gr_executed_bulk_copy(const struct gr_trace *trace)
{
    static const char *const copies[] = {"UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED"};
    return executed_of(trace, copies, sizeof copies / sizeof *copies);
}

bool gr_executed_in_clusters(const struct gr_trace *trace)
{
    static const char *const waits[] = {"UCGABAR_WAIT"};
    return executed_of(trace, waits, 1) != NULL;
}

void gr_executed_totals_of(const struct gr_trace *trace, struct gr_executed_totals *totals)
{
    *totals = (struct gr_executed_totals){0};
    for (int i = 0; i < trace->instruction_count; i++) {
        const struct gr_trace_instruction *at = &trace->instructions[i];
        const struct gr_executed *e = &at->executed;
        char name[GR_MNEMONIC];
        if (e->warps == 0)
            continue;
        gr_executed_mnemonic_of(at, name);
        const bool stores = strncmp(name, "ST", 2) == 0;
        add(&totals->all, e);
        add_mnemonic(totals, name, e);
        totals->branches += is_branch(name) ? e->warps : 0;
        if (at->op >= 0 && at->op < GR_OP_CLASS_COUNT)
            totals->by_class[at->op] += e->warps;
        *(stores ? &totals->local_stores : &totals->local_loads) += e->local_requests;
        *(stores ? &totals->local_store_sectors : &totals->local_load_sectors) += e->local_sectors;
        if (strcmp(name, "LDSM") == 0) {
            totals->ldsm_requests += at->requests;
            totals->ldsm_wavefronts += at->wavefronts;
            totals->ldsm_wavefronts_ideal += at->wavefronts_ideal;
        }
    }
    qsort(totals->mnemonics, (size_t)totals->mnemonic_count, sizeof *totals->mnemonics,
          by_executions);
}
