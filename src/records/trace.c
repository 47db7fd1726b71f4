/* trace.c: names and sums. SPDX-License-Identifier: MIT */
#include "records/trace.h"

#include <stdlib.h>

const char *gr_access_name(enum gr_access access)
{
    static const char *const names[] = {"load", "store", "atomic", "copy"};
    return names[access];
}

const char *gr_space_name(enum gr_space space)
{
    static const char *const names[] = {"global", "shared", "other"};
    return names[space];
}

const char *gr_coverage_name(enum gr_coverage coverage)
{
    static const char *const names[] = {"whole", "classes", "sampled"};
    return names[coverage];
}

const char *gr_widths_name(enum gr_widths widths)
{
    static const char *const names[] = {"source", "merged", "cubin"};
    return names[widths];
}

void gr_trace_free(struct gr_trace *trace)
{
    free(trace->arrays);
    free(trace->sites);
    free(trace->faults);
    free(trace->walks.shapes);
    free(trace->walks.runs);
    free(trace->walks.walks);
    free(trace->walks.trails);
    *trace = (struct gr_trace){0};
}

const struct gr_trace_array *gr_trace_array_of(const struct gr_trace *trace,
                                               const struct gr_trace_site *site)
{
    return site->array < 0 ? NULL : &trace->arrays[site->array];
}

const struct gr_trace_trail *gr_trace_trail_of(const struct gr_trace_walks *walks, int site,
                                               int block, int warp)
{
    for (int i = 0; i < walks->trail_count; i++) {
        const struct gr_trace_trail *t = &walks->trails[i];
        if (t->site == site && t->block == block && t->warp == warp)
            return t;
    }
    return NULL;
}

const struct gr_trace_shape *gr_trace_request(const struct gr_trace_walks *walks,
                                              const struct gr_trace_trail *trail, int64_t index,
                                              int64_t *lowest)
{
    const struct gr_trace_walk *walk = &walks->walks[trail->walk];
    const struct gr_trace_run *runs = &walks->runs[walk->first_run];
    int64_t turn = 0;
    for (int i = 0; i < walk->run_count; i++)
        turn += runs[i].count;
    if (index < 0 || index >= walk->kept || turn == 0)
        return NULL;
    int64_t left = index % turn;
    int i = 0;
    for (; left >= runs[i].count; i++)
        left -= runs[i].count;
    *lowest = trail->base + index / turn * walk->shift + runs[i].start + left * runs[i].stride;
    return &walks->shapes[runs[i].shape];
}

struct gr_trace_sum gr_trace_total(const struct gr_trace *trace, enum gr_space space,
                                   enum gr_access access, int array)
{
    struct gr_trace_sum sum = {0};
    for (int i = 0; i < trace->site_count; i++) {
        const struct gr_trace_site *s = &trace->sites[i];
        if (s->space != space || s->access != access || (array >= 0 && s->array != array))
            continue;
        sum.requests += s->requests;
        sum.lanes += s->lanes;
        sum.sectors += s->sectors;
        sum.sectors_ideal += s->sectors_ideal;
        sum.wavefronts += s->wavefronts;
        sum.wavefronts_ideal += s->wavefronts_ideal;
        sum.bytes += s->lanes * s->bytes;
    }
    return sum;
}
