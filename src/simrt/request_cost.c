/* request_cost.c: what one request of a warp costs: sectors of global memory, or wavefronts of
 * shared memory. SPDX-License-Identifier: MIT
 *
 * A sector is one of the distinct 32-byte pieces of global memory that the lanes touch. Shared
 * memory has 32 banks of 4 bytes, and each of them serves one word in a wavefront; lanes that read
 * the same word share it. Accesses of 8 bytes are served for a half of a warp at a time, those of
 * 16 bytes for a quarter. The costs depend on the addresses' shape only, and are therefore kept in
 * it. */
#include "simrt/tracer.h"

/* ---- Global memory. ---- */

/* The addresses of lanes mostly ascend, so the search begins with the sector that was seen last. */
static int count_sectors(const struct gr_request *q)
{
    uint64_t seen[GR_TRACE_LANES * 2];
    int count = 0;
    for (int i = 0; i < q->lanes; i++) {
        uint64_t last = (q->address[i] + (uint64_t)q->bytes - 1) / GR_SECTOR_BYTES;
        for (uint64_t s = q->address[i] / GR_SECTOR_BYTES; s <= last; s++) {
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
    return (count * q->bytes + GR_SECTOR_BYTES - 1) / GR_SECTOR_BYTES;
}

/* ---- Shared memory. ---- */

/* The largest number of distinct words that lanes `first` to `end` of the list request from one
 * bank.
 */
static int busiest_bank(const struct gr_request *q, int first, int end)
{
    uint64_t words[GR_TRACE_LANES * 4];
    int depth[GR_BANKS] = {0}, count = 0, most = 0;
    for (int i = first; i < end; i++) {
        uint64_t last = (q->address[i] + (uint64_t)q->bytes - 1) / 4;
        for (uint64_t word = q->address[i] / 4; word <= last; word++) {
            int k = count - 1;
            while (k >= 0 && words[k] != word)
                k--;
            if (k >= 0)
                continue;
            words[count++] = word;
            int d = ++depth[word % GR_BANKS];
            most = d > most ? d : most;
        }
    }
    return most;
}

/* The lanes of a warp are divided into groups by their numbers, whether they are active or not. */
static void count_wavefronts(const struct gr_request *q, int warp, int *wavefronts, int *ideal)
{
    int64_t offset[GR_TRACE_LANES];
    for (int i = 0; i < warp; i++)
        offset[i] = -1;
    for (int i = 0; i < q->lanes; i++)
        offset[q->lane[i]] = (int64_t)(q->address[i] - q->lowest);
    *wavefronts = *ideal = 0;
    for (int lane = 0, first = 0; lane < warp;) {
        lane += gr_lanes_at_once(offset, warp, lane, q->bytes, q->access == GR_ACCESS_LOAD);
        int end = first;
        while (end < q->lanes && q->lane[end] < lane)
            end++;
        if (end > first) {
            *wavefronts += busiest_bank(q, first, end);
            ++*ideal;
        }
        first = end;
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
    s->sectors[q->address[0] % GR_SECTOR_BYTES] = (int16_t)count_sectors(q);
    if (s->ideal == 0)
        s->ideal = (int16_t)count_ideal(q);
}
