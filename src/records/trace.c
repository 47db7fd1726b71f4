/* trace.c: names, sums over sites, and the memory of a trace. SPDX-License-Identifier: MIT */
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
    static const char *const names[] = {"source", "merged", "cubin", "code"};
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
    free(trace->instructions);
    *trace = (struct gr_trace){0};
}

const struct gr_trace_array *gr_trace_array_of(const struct gr_trace *trace,
                                               const struct gr_trace_site *site)
{
    return site->array < 0 ? NULL : &trace->arrays[site->array];
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
