/* observe_banks.c: the wavefronts of a request to shared memory: 32 banks of 4 bytes serve one word
 * each at a time; lanes that want the same word share it. Accesses of 8 bytes go in halves of a
 * warp, of 16 in quarters. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <string.h>

/* The most distinct words that a bank is asked for by lanes from `first` up to `end` of the list.
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

/* Groups are of lanes by number, whether active or not. */
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

static void keep_worst(struct gr_tracer *t, const struct gr_request *q, int wavefronts, int cost)
{
    struct gr_site *site = q->site;
    pthread_mutex_lock(&t->run->lock);
    if (cost > site->worst) {
        site->worst = cost;
        site->worst_wavefronts = wavefronts;
        for (int i = 0; i < GR_TRACE_LANES; i++)
            site->pattern[i] = -1;
        uint64_t start = gr_shared_base() + (q->array ? q->array->lo : 0);
        for (int i = 0; i < q->lanes; i++)
            site->pattern[q->lane[i]] = (int64_t)(q->address[i] - start);
        const struct gr_sim_index b = t->sm->block;
        memcpy(site->pattern_block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof(int[3]));
        site->pattern_thread = q->first_thread;
    }
    pthread_mutex_unlock(&t->run->lock);
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->space != GR_SPACE_SHARED || q->access == GR_TRACE_ARRIVES)
        return;
    struct gr_shape *s = q->shape;
    if (s->wavefronts == 0) {
        int wavefronts, ideal;
        count_wavefronts(q, t->sm->warp, &wavefronts, &ideal);
        s->wavefronts = (int16_t)wavefronts;
        s->wavefronts_ideal = (int16_t)ideal;
    }
    s->now.requests++;
    s->now.lanes += q->lanes;
    s->now.wavefronts += s->wavefronts;
    s->now.wavefronts_ideal += s->wavefronts_ideal;
    if (s->wavefronts - s->wavefronts_ideal > q->site->worst)
        keep_worst(t, q, s->wavefronts, s->wavefronts - s->wavefronts_ideal);
}

const struct gr_observer gr_observe_banks = {.request = request};
