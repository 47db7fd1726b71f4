/* lanes.c: classifies the addresses of one request. SPDX-License-Identifier: MIT */
#include "explain/lanes.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The offsets of the active lanes, in the order of the lanes. */
static int offsets_of(const struct gr_trace_site *site, int64_t offsets[GR_TRACE_LANES])
{
    int count = 0;
    for (int i = 0; i < GR_TRACE_LANES; i++)
        if (site->pattern[i] >= 0)
            offsets[count++] = site->pattern[i];
    return count;
}

static int sectors_between(int64_t first, int64_t end, int sector)
{
    return (int)((end - 1) / sector - first / sector + 1);
}

static int sectors_for(int64_t bytes, int sector)
{
    return (int)((bytes + sector - 1) / sector);
}

/* The properties that do not depend on which lane has which address. */
static void count_pieces(const int64_t *offsets, int count, int bytes, int sector,
                         struct gr_lanes *lanes)
{
    int64_t sorted[GR_TRACE_LANES], begin, end, all = 0, last_sector = -1;
    memcpy(sorted, offsets, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    begin = sorted[0];
    end = begin + bytes;
    lanes->distinct = 1;
    for (int i = 1; i <= count; i++) {
        bool ends = i == count || sorted[i] > end;
        if (i < count)
            lanes->distinct += sorted[i] != sorted[i - 1];
        if (!ends) {
            end = sorted[i] + bytes > end ? sorted[i] + bytes : end;
            continue;
        }
        bool shares = begin / sector == last_sector;
        lanes->pieces++;
        lanes->sectors += sectors_between(begin, end, sector) - shares;
        lanes->sectors_if_aligned +=
            sectors_for(end - begin, sector) - (shares && end - begin < sector);
        all += end - begin;
        last_sector = (end - 1) / sector;
        if (i < count) {
            begin = sorted[i];
            end = begin + bytes;
        }
    }
    lanes->sectors_side_by_side = sectors_for(all, sector);
}

/* A single group of `count` lanes is a stride; several are groups if each has the pattern of the
 * first. */
static void find_groups(const int64_t *offsets, int count, int bytes, struct gr_lanes *lanes)
{
    int period = 1;
    lanes->stride = offsets[1] - offsets[0];
    while (period < count && offsets[period] - offsets[period - 1] == lanes->stride)
        period++;
    lanes->period = period;
    if (period == count) {
        lanes->shape = lanes->stride == 0       ? GR_LANES_ONE
                       : lanes->stride == bytes ? GR_LANES_SIDE
                                                : GR_LANES_STRIDE;
        return;
    }
    lanes->jump = offsets[period] - offsets[0];
    lanes->shape = GR_LANES_GROUPS;
    for (int i = 0; i < count; i++)
        if (offsets[i] != offsets[0] + i / period * lanes->jump + i % period * lanes->stride)
            lanes->shape = GR_LANES_SCATTERED;
}

struct gr_lanes gr_lanes_of(const struct gr_trace_site *site)
{
    struct gr_lanes lanes = {0};
    int64_t offsets[GR_TRACE_LANES];
    int count = offsets_of(site, offsets);
    lanes.active = count;
    if (count == 0)
        return lanes;
    count_pieces(offsets, count, site->bytes > 0 ? site->bytes : 1, gr_rules_sector(&site->rules),
                 &lanes);
    lanes.period = 1;
    lanes.shape = GR_LANES_ONE;
    if (count > 1)
        find_groups(offsets, count, site->bytes, &lanes);
    return lanes;
}

int gr_lanes_rows(const struct gr_trace_site *site, int64_t row_bytes)
{
    int64_t offsets[GR_TRACE_LANES];
    int count = row_bytes > 0 ? offsets_of(site, offsets) : 0, rows = 0;
    qsort(offsets, (size_t)count, sizeof *offsets, ascending);
    for (int i = 0; i < count; i++)
        rows += i == 0 || offsets[i] / row_bytes != offsets[i - 1] / row_bytes;
    return rows;
}

/* A word accessed in one phase. */
struct word {
    int64_t word;
    int lane;
};

/* The distinct words of the lanes in phase `one`, or of all lanes if `phase` is null. */
static int add_words(const struct gr_trace_site *site, const int8_t *phase, int one,
                     struct word *words)
{
    int count = 0;
    for (int lane = 0; lane < GR_TRACE_LANES; lane++)
        for (int b = 0;
             (!phase || phase[lane] == one) && site->pattern[lane] >= 0 && b < site->bytes;
             b += 4) {
            int64_t word = (site->pattern[lane] + b) / 4;
            bool known = false;
            for (int i = 0; i < count && !known; i++)
                known = words[i].word == word;
            if (!known)
                words[count++] = (struct word){word, lane};
        }
    return count;
}

static void clash_in(const struct word *words, int count, int banks, struct gr_bank_clash *clash)
{
    for (int bank = 0; bank < banks; bank++) {
        int lanes = 0;
        const struct word *first = NULL, *second = NULL;
        for (int i = 0; i < count; i++) {
            if (words[i].word % banks != bank)
                continue;
            second = first && !second ? &words[i] : second;
            first = first ? first : &words[i];
            lanes++;
        }
        if (lanes > clash->lanes) {
            *clash = (struct gr_bank_clash){.bank = bank, .lanes = lanes, .first = first->lane};
            clash->second = second ? second->lane : first->lane;
            clash->words = second ? second->word - first->word : 0;
        }
    }
}

/* On NVIDIA's GPUs each phase is considered separately, although the hardware may serve two
 * together. */
struct gr_bank_clash gr_lanes_clash(const struct gr_trace_site *site)
{
    struct gr_bank_clash clash = {0};
    struct word words[GR_TRACE_LANES * 4];
    int8_t phase[GR_TRACE_LANES];
    const bool loads = site->access == GR_ACCESS_LOAD, ours = site->rules.sector_bytes > 0;
    const int wide = site->bytes > 16 || (!ours && site->bytes > 8) ? 16 : site->bytes;
    const int phases =
        gr_phases_of(&site->rules, site->pattern, GR_TRACE_LANES, wide, ours && loads, phase);
    for (int i = 0; i < phases; i++)
        clash_in(words, add_words(site, phase, i, words), gr_banks_of(&site->rules, wide, loads),
                 &clash);
    return clash;
}

struct gr_bank_load gr_lanes_bank_load(const struct gr_trace_site *site)
{
    struct gr_bank_load load = {0};
    struct word words[GR_TRACE_LANES * 4];
    int depth[GR_BANKS_MOST] = {0};
    struct gr_trace_site narrow = *site;
    narrow.bytes = site->bytes > 16 ? 16 : site->bytes;
    const int banks = gr_banks_of(&site->rules, narrow.bytes, site->access == GR_ACCESS_LOAD);
    load.words = add_words(&narrow, NULL, 0, words);
    for (int i = 0; i < load.words; i++) {
        int d = ++depth[words[i].word % banks];
        load.deepest = d > load.deepest ? d : load.deepest;
    }
    return load;
}
