/* shown.c: the figures of a row that tables show. SPDX-License-Identifier: MIT */
#include "report/shown.h"

#include "base/str.h"

#include <stdio.h>

static void word_time(const struct gr_row *row, char word[GR_WORD])
{
    gr_word_time(row->time_ns.median, word);
}

static void word_rate(const struct gr_row *row, char word[GR_WORD])
{
    gr_word_rate(row->gflops, word);
}

static void word_share(const struct gr_row *row, char word[GR_WORD])
{
    gr_word_ratio(&row->speedup, true, word);
}

/* Writes for example "32/4": sectors per request, and the minimum. "~" marks a count from a sample
 * of blocks. */
static void word_sectors(const struct gr_row *row, double sectors, double ideal, char word[GR_WORD])
{
    if (sectors > 0)
        snprintf(word, GR_WORD, "%s%.3g/%.3g", row->counts.sampled ? "~" : "", sectors, ideal);
}

static void word_loads(const struct gr_row *row, char word[GR_WORD])
{
    word_sectors(row, row->counts.load_sectors, row->counts.load_ideal, word);
}

static void word_stores(const struct gr_row *row, char word[GR_WORD])
{
    word_sectors(row, row->counts.store_sectors, row->counts.store_ideal, word);
}

static void word_conflicts(const struct gr_row *row, char word[GR_WORD])
{
    char amount[GR_WORD];
    gr_word_amount(row->counts.conflicts, amount);
    snprintf(word, GR_WORD, "%s%.32s", row->counts.sampled ? "~" : "", amount);
}

static void word_registers(const struct gr_row *row, char word[GR_WORD])
{
    if (row->counts.registers > 0)
        snprintf(word, GR_WORD, "%d", row->counts.registers);
}

static void word_occupancy(const struct gr_row *row, char word[GR_WORD])
{
    gr_word_percent(row->counts.occupancy, word);
}

const struct gr_shown gr_shown[GR_SHOWN] = {
    [GR_SHOWN_TIME] = {"time", "time", false, word_time},
    [GR_SHOWN_RATE] = {"GFLOP/s", "GFLOP/s", false, word_rate},
    [GR_SHOWN_PEAK] = {"peak", "% of peak", false, gr_word_peak},
    [GR_SHOWN_SHARE] = {"vs", "share of", false, word_share},
    [GR_SHOWN_LOADS] = {"loads", "loads", true, word_loads},
    [GR_SHOWN_STORES] = {"stores", "stores", true, word_stores},
    [GR_SHOWN_CONFLICTS] = {"conflicts", "conflicts", true, word_conflicts},
    [GR_SHOWN_REGISTERS] = {"regs", "regs", true, word_registers},
    [GR_SHOWN_OCCUPANCY] = {"occup.", "occup.", true, word_occupancy},
};

bool gr_shown_has(const struct gr_row *row, enum gr_shown_id id)
{
    return gr_shown[id].counted ? gr_row_has_counts(row) : gr_row_has_speed(row);
}

void gr_shown_word(const struct gr_row *row, enum gr_shown_id id, char word[GR_WORD])
{
    word[0] = 0;
    if (gr_shown_has(row, id))
        gr_shown[id].word(row, word);
}

bool gr_run_is_amd(const struct gr_run *run)
{
    return run->environment.gpu && gr_starts_with(run->environment.gpu, "AMD ");
}

const char *gr_counts_meaning(const struct gr_run *run)
{
    return gr_run_is_amd(run)
               ? "simulated, so there are no times. loads, stores: cache lines a request of global "
                 "memory, and the fewest for the same bytes. conflicts: turns of LDS beyond the "
                 "fewest. regs: registers a work-item. occup.: the share of a CU's wavefronts that "
                 "fit"
               : "simulated, so there are no times. loads, stores: sectors of 32 bytes a request "
                 "of global memory, and the fewest for the same bytes. conflicts: turns of shared "
                 "memory beyond the fewest. regs: registers a thread. occup.: the share of an SM's "
                 "warps that fit";
}
