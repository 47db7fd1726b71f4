/* join_traces.c: adds the data of the source's trace to that of the machine code.
 * SPDX-License-Identifier: MIT */
#include "explain/join_traces.h"

#include <stdlib.h>
#include <string.h>

static bool same_array(const struct gr_trace *a, const struct gr_trace_site *x,
                       const struct gr_trace *b, const struct gr_trace_site *y)
{
    const struct gr_trace_array *of_x = gr_trace_array_of(a, x), *of_y = gr_trace_array_of(b, y);
    return !of_x || !of_y || strcmp(of_x->name, of_y->name) == 0;
}

/* The site of the source that is the same access; null if there is none. */
static const struct gr_trace_site *find(const struct gr_trace *code, const struct gr_trace_site *x,
                                        const struct gr_trace *source)
{
    for (int i = 0; i < source->site_count; i++) {
        const struct gr_trace_site *y = &source->sites[i];
        if (x->line == y->line && x->access == y->access && x->space == y->space &&
            strcmp(x->file, y->file) == 0 && same_array(code, x, source, y))
            return y;
    }
    return NULL;
}

/* Copies what is known about the contents of arrays, which requires the accesses of all threads in
 * the source's trace. */
static void take_contents(struct gr_trace *code, const struct gr_trace *source)
{
    for (int i = 0; i < code->array_count; i++)
        for (int j = 0; j < source->array_count; j++) {
            struct gr_trace_array *to = &code->arrays[i];
            const struct gr_trace_array *from = &source->arrays[j];
            if (to->space != from->space || strcmp(to->name, from->name) != 0)
                continue;
            to->element_bytes = from->element_bytes;
            to->unwritten = from->unwritten;
            to->first_unwritten = from->first_unwritten;
            to->old_reached = from->old_reached;
        }
}

/* Takes the faults of the source, which has more kinds, and keeps those of asynchronous copies,
 * which the source executes at once. */
static void take_faults(struct gr_trace *code, struct gr_trace *source)
{
    int kept = 0;
    for (int i = 0; i < code->fault_count; i++)
        if (code->faults[i].in_flight)
            code->faults[kept++] = code->faults[i];
    const size_t many = (size_t)kept + (size_t)source->fault_count;
    struct gr_trace_fault *all = realloc(source->faults, (many + 1) * sizeof *all);
    if (all) {
        source->faults = all;
        for (int i = 0; i < kept; i++)
            all[source->fault_count++] = code->faults[i];
    } else {
        source->faults_dropped = true;
    }
    free(code->faults);
    code->faults = source->faults;
    code->fault_count = source->fault_count;
    code->faults_dropped = source->faults_dropped;
    source->faults = NULL;
    source->fault_count = 0;
}

void gr_traces_join(struct gr_trace *code, struct gr_trace *source)
{
    for (int i = 0; i < code->site_count; i++) {
        struct gr_trace_site *x = &code->sites[i];
        const struct gr_trace_site *y = find(code, x, source);
        if (!y)
            continue;
        x->column = y->column;
        x->source_bytes = y->source_bytes < x->bytes ? y->source_bytes : x->bytes;
    }
    take_contents(code, source);
    take_faults(code, source);
    gr_trace_free(source);
}
