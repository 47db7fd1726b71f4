/* observe_banks.c: how many wavefronts the requests to shared memory take, and which of them have
 * bank conflicts. SPDX-License-Identifier: MIT */
#include "simrt/tracer.h"

#include <string.h>

static void keep_worst(struct gr_tracer *t, const struct gr_request *q, int wavefronts, int cost)
{
    struct gr_site *site = q->site;
    pthread_mutex_lock(&t->run->lock);
    if (cost > site->worst) {
        site->worst = cost;
        site->worst_wavefronts = wavefronts;
        for (int i = 0; i < GR_TRACE_LANES; i++)
            site->pattern[i] = -1;
        const uint64_t start = q->array ? q->array->lo : 0;
        for (int i = 0; i < q->lanes; i++)
            site->pattern[q->lane[i]] = (int64_t)(q->address[i] - start);
        const struct gr_sim_index b = t->sm->block;
        memcpy(site->pattern_block, (int[]){(int)b.x, (int)b.y, (int)b.z}, sizeof(int[3]));
        site->pattern_thread = q->first_thread;
    }
    pthread_mutex_unlock(&t->run->lock);
}

static void shared(struct gr_tracer *t, const struct gr_request *q)
{
    if (q->access == GR_TRACE_ARRIVES)
        return;
    struct gr_shape *s = q->shape;
    gr_request_cost(q, t->sm->warp);
    s->now.requests++;
    s->now.lanes += q->lanes;
    s->now.wavefronts += s->wavefronts;
    s->now.wavefronts_ideal += s->wavefronts_ideal;
    if (s->wavefronts - s->wavefronts_ideal > q->site->worst)
        keep_worst(t, q, s->wavefronts, s->wavefronts - s->wavefronts_ideal);
}

const struct gr_observer gr_observe_banks = {.shared = shared};
