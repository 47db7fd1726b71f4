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

static int sectors_between(int64_t first, int64_t end)
{
    return (int)((end - 1) / GR_SECTOR_BYTES - first / GR_SECTOR_BYTES + 1);
}

static int sectors_for(int64_t bytes)
{
    return (int)((bytes + GR_SECTOR_BYTES - 1) / GR_SECTOR_BYTES);
}

/* The properties that do not depend on which lane has which address. */
static void count_pieces(const int64_t *offsets, int count, int bytes, struct gr_lanes *lanes)
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
        bool shares = begin / GR_SECTOR_BYTES == last_sector;
        lanes->pieces++;
        lanes->sectors += sectors_between(begin, end) - shares;
        lanes->sectors_if_aligned += sectors_for(end - begin) - (shares && end - begin < 32);
        all += end - begin;
        last_sector = (end - 1) / GR_SECTOR_BYTES;
        if (i < count) {
            begin = sorted[i];
            end = begin + bytes;
        }
    }
    lanes->sectors_side_by_side = sectors_for(all);
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
    count_pieces(offsets, count, site->bytes > 0 ? site->bytes : 1, &lanes);
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

/* A word accessed in one pass. The lanes that are served in one pass are the whole warp for
 * 4-byte accesses, half a warp for 8 bytes and a quarter for 16. */
struct word {
    int64_t word;
    int lane;
};

static int add_words(const struct gr_trace_site *site, int first, int end, struct word *words)
{
    int count = 0;
    for (int lane = first; lane < end; lane++)
        for (int b = 0; site->pattern[lane] >= 0 && b < site->bytes; b += 4) {
            int64_t word = (site->pattern[lane] + b) / 4;
            bool known = false;
            for (int i = 0; i < count && !known; i++)
                known = words[i].word == word;
            if (!known)
                words[count++] = (struct word){word, lane};
        }
    return count;
}

static void clash_in(const struct word *words, int count, struct gr_bank_clash *clash)
{
    for (int bank = 0; bank < GR_BANKS; bank++) {
        int lanes = 0;
        const struct word *first = NULL, *second = NULL;
        for (int i = 0; i < count; i++) {
            if (words[i].word % GR_BANKS != bank)
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

struct gr_bank_clash gr_lanes_clash(const struct gr_trace_site *site)
{
    struct gr_bank_clash clash = {0};
    struct word words[GR_TRACE_LANES * 4];
    int wide = site->bytes > 16 ? 16 : site->bytes, step = wide > 8 ? 8 : wide > 4 ? 16 : 32;
    for (int first = 0; first < GR_TRACE_LANES; first += step)
        clash_in(words, add_words(site, first, first + step, words), &clash);
    return clash;
}

struct gr_bank_load gr_lanes_bank_load(const struct gr_trace_site *site)
{
    struct gr_bank_load load = {0};
    struct word words[GR_TRACE_LANES * 4];
    int depth[GR_BANKS] = {0};
    struct gr_trace_site narrow = *site;
    narrow.bytes = site->bytes > 16 ? 16 : site->bytes;
    load.words = add_words(&narrow, 0, GR_TRACE_LANES, words);
    for (int i = 0; i < load.words; i++) {
        int d = ++depth[words[i].word % GR_BANKS];
        load.deepest = d > load.deepest ? d : load.deepest;
    }
    return load;
}
