/* analysis_executed.c: reports what warps executed: instructions by mnemonic, lanes that were
 * active or predicated off, divergent branches, and local memory. SPDX-License-Identifier: MIT */
#include "explain/amounts.h"
#include "explain/executed.h"
#include "explain/traced.h"

#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

enum { ROWS = 10 };

static bool applies(const struct gr_analysis_input *s)
{
    return s->trace && s->trace->instruction_count > 0;
}

static double share_of(int64_t part, int64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* "executed.ffma", "executed.op.ldg". */
static void add_named(struct gr_section *section, const char *before, const char *name,
                      int64_t count)
{
    char *key = gr_printf("executed.%s%s", before, name);
    for (char *c = key; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (key)
        gr_section_number(section, key, (double)count, "warp instructions");
    section->failed |= !key;
    free(key);
}

static void add_facts(const struct gr_executed_totals *t, struct gr_section *section)
{
    const struct gr_executed *all = &t->all;
    gr_section_number(section, "executed.instructions", (double)all->warps, "warp instructions");
    gr_section_number(section, "executed.threads", (double)all->threads, "lanes");
    gr_section_number(section, "executed.lanes", (double)all->lanes, "lanes");
    gr_section_number(section, "executed.lanes_per_instruction", share_of(all->threads, all->warps),
                      "lanes a warp instruction");
    gr_section_number(section, "executed.predicated_off",
                      share_of(all->threads - all->lanes, all->threads), "");
    gr_section_number(section, "executed.branches", (double)t->branches, "warp instructions");
    gr_section_number(section, "executed.divergent_branches", (double)all->divergent,
                      "warp instructions");
    gr_section_number(section, "local.loads.requests", (double)t->local_loads, "requests");
    gr_section_number(section, "local.loads.sectors", (double)t->local_load_sectors, "sectors");
    gr_section_number(section, "local.stores.requests", (double)t->local_stores, "requests");
    gr_section_number(section, "local.stores.sectors", (double)t->local_store_sectors, "sectors");
    for (int op = 0; op < GR_OP_CLASS_COUNT; op++)
        add_named(section, "", gr_op_name(op), t->by_class[op]);
    for (int i = 0; i < t->mnemonic_count; i++)
        add_named(section, "op.", t->mnemonics[i].name, t->mnemonics[i].executed.warps);
}

static void say_row(const struct gr_executed_totals *t, struct gr_section *section,
                    const char *name, int64_t instructions, const struct gr_executed *e)
{
    gr_section_printf(section, "  %-12.12s%8" PRId64 "%16" PRId64 "%8.1f%%%9.2f%14.1f%%", name,
                      instructions, e->warps, 100 * share_of(e->warps, t->all.warps),
                      share_of(e->threads, e->warps),
                      100 * share_of(e->threads - e->lanes, e->threads));
}

static void say_table(const struct gr_executed_totals *t, struct gr_section *section)
{
    struct gr_executed others = {0};
    int64_t instructions = 0, all = 0;
    gr_section_printf(section, "\n  %-12s%8s%16s%9s%9s%15s", "", "in code", "executed", "share",
                      "lanes", "predicated off");
    for (int i = 0; i < t->mnemonic_count; i++) {
        const struct gr_executed_mnemonic *m = &t->mnemonics[i];
        all += m->instructions;
        if (i < ROWS) {
            say_row(t, section, m->name, m->instructions, &m->executed);
            continue;
        }
        others.warps += m->executed.warps;
        others.threads += m->executed.threads;
        others.lanes += m->executed.lanes;
        instructions += m->instructions;
    }
    if (others.warps > 0) {
        char *name = gr_printf("%d others", t->mnemonic_count - ROWS);
        say_row(t, section, name ? name : "others", instructions, &others);
        free(name);
    }
    say_row(t, section, "all", all, &t->all);
}

static void say_lanes(const struct gr_executed_totals *t, struct gr_section *section)
{
    const int64_t off = t->all.threads - t->all.lanes;
    gr_section_printf(
        section,
        "A warp instruction is one instruction executed by one warp. %.2f of 32 lanes "
        "take part on average; of these, %.1f %% are predicated off, and do nothing.",
        share_of(t->all.threads, t->all.warps), 100 * share_of(off, t->all.threads));
    if (t->all.divergent > 0)
        gr_section_printf(section,
                          "%" PRId64 " of %" PRId64
                          " branches executed are divergent (%.1f %%): lanes of the warp take "
                          "different branches, one after another.",
                          t->all.divergent, t->branches,
                          100 * share_of(t->all.divergent, t->branches));
    else
        gr_section_printf(section, "No branch is divergent.");
}

static void say_local(const struct gr_executed_totals *t, struct gr_section *section)
{
    if (t->local_loads + t->local_stores == 0)
        return;
    gr_section_printf(section,
                      "Local memory (spilled registers, and arrays that are not in registers): "
                      "%" PRId64 " load requests of %" PRId64 " sectors, %" PRId64
                      " store requests of %" PRId64 " sectors.",
                      t->local_loads, t->local_load_sectors, t->local_stores,
                      t->local_store_sectors);
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    struct gr_executed_totals *t = malloc(sizeof *t);
    section->failed |= !t;
    if (!t)
        return;
    gr_executed_totals_of(s->trace, t);
    say_lanes(t, section);
    say_local(t, section);
    if (!gr_executed_is_exact(s->trace))
        gr_section_printf(section, "%s", gr_executed_extrapolated);
    say_table(t, section);
    add_facts(t, section);
    free(t);
}

const struct gr_analysis gr_analysis_executed = {
    .order = 72, .title = "Executed", .applies = applies, .explain = explain};
