/* request_cost.c: what one request of a warp costs: sectors of global memory, or wavefronts of
 * shared memory. SPDX-License-Identifier: MIT
 *
 * A sector is one of the distinct pieces of global memory that the lanes touch. Of shared memory,
 * each bank of 4 bytes serves one word in a wavefront; lanes that read the same word share it.
 * Which lanes are served in one phase depends on the width of the access and on the device
 * (records/access_rules.h). The costs depend on the addresses' shape only, and are therefore kept
 * in it. */
#include "simrt/tracer.h"

struct gr_access_rules gr_rules;
uint64_t gr_sector_bytes = 32;

void gr_rules_set(const struct gr_access_rules *rules)
{
    gr_rules = *rules;
    gr_sector_bytes = (uint64_t)gr_rules_sector(rules);
}

/* ---- Global memory. ---- */

/* The addresses of lanes mostly ascend, so the search begins with the sector that was seen last. */
static int count_sectors(const struct gr_request *q)
{
    uint64_t seen[GR_TRACE_LANES * 2];
    int count = 0;
    for (int i = 0; i < q->lanes; i++) {
        uint64_t last = (q->address[i] + (uint64_t)q->bytes - 1) / gr_sector_bytes;
        for (uint64_t s = q->address[i] / gr_sector_bytes; s <= last; s++) {
            int k = count - 1;
            while (k >= 0 && seen[k] != s)
                k--;
            if (k < 0)
                seen[count++] = s;
        }
    }
    return count;
}

/* The sectors that the distinct bytes of the request would fill if they were contiguous. */
static int count_ideal(const struct gr_request *q)
{
    uint64_t seen[GR_TRACE_LANES];
    int count = 0;
    for (int i = 0; i < q->lanes; i++) {
        int k = count - 1;
        while (k >= 0 && seen[k] != q->address[i])
            k--;
        if (k < 0)
            seen[count++] = q->address[i];
    }
    const int sector = (int)gr_sector_bytes;
    return (count * q->bytes + sector - 1) / sector;
}

/* ---- Shared memory. ---- */

/* The largest number of distinct words that lanes of one phase request from one bank; 0 if none of
 * them is active. `phase`: by lane. */
static int busiest_bank(const struct gr_request *q, const int8_t *phase, int one, int banks)
{
    uint64_t words[GR_TRACE_LANES * 4];
    int depth[GR_BANKS_MOST] = {0}, count = 0, most = 0;
    for (int i = 0; i < q->lanes; i++) {
        if (phase[q->lane[i]] != one)
            continue;
        uint64_t last = (q->address[i] + (uint64_t)q->bytes - 1) / 4;
        for (uint64_t word = q->address[i] / 4; word <= last; word++) {
            int k = count - 1;
            while (k >= 0 && words[k] != word)
                k--;
            if (k >= 0)
                continue;
            words[count++] = word;
            int d = ++depth[word % (uint64_t)banks];
            most = d > most ? d : most;
        }
    }
    return most;
}

/* The lanes of a warp are divided into phases by their numbers, whether they are active or not. */
static void count_wavefronts(const struct gr_request *q, int warp, int *wavefronts, int *ideal)
{
    int64_t offset[GR_TRACE_LANES];
    int8_t phase[GR_TRACE_LANES];
    const bool loads = q->access == GR_ACCESS_LOAD;
    for (int i = 0; i < warp; i++)
        offset[i] = -1;
    for (int i = 0; i < q->lanes; i++)
        offset[q->lane[i]] = (int64_t)(q->address[i] - q->lowest);
    const int phases = gr_phases_of(&gr_rules, offset, warp, q->bytes, loads, phase);
    const int banks = gr_banks_of(&gr_rules, q->bytes, loads);
    *wavefronts = *ideal = 0;
    for (int i = 0; i < phases; i++) {
        const int passes = busiest_bank(q, phase, i, banks);
        *wavefronts += passes;
        *ideal += passes > 0;
    }
}

void gr_request_cost_count(const struct gr_request *q, int warp)
{
    struct gr_shape *s = q->shape;
    int wavefronts, ideal;
    if (q->space == GR_SPACE_SHARED) {
        count_wavefronts(q, warp, &wavefronts, &ideal);
        s->wavefronts = (int16_t)wavefronts;
        s->wavefronts_ideal = (int16_t)ideal;
        return;
    }
    s->sectors[gr_in_sector(q->address[0])] = (int16_t)count_sectors(q);
    if (s->ideal == 0)
        s->ideal = (int16_t)count_ideal(q);
}
