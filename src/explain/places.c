/* places.c: combines the sites of a trace by line. SPDX-License-Identifier: MIT */
#include "explain/advise.h"

#include "explain/lanes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { L1_BYTES_A_CLOCK = 128 };

/* It is not fully known how the hardware distributes the words of wide accesses over its passes:
 * if lanes share addresses, it needs fewer passes than one per quarter of a warp. The number of
 * words in the fullest bank is a lower bound. */
static double passes_of(const struct gr_trace_site *p, bool ideal)
{
    struct gr_bank_load load = gr_lanes_bank_load(p);
    const int banks = gr_banks_of(&p->rules, p->bytes, p->access == GR_ACCESS_LOAD);
    int each = ideal ? (load.words + banks - 1) / banks : load.deepest;
    double counted = (double)(ideal ? p->wavefronts_ideal : p->wavefronts);
    return p->bytes <= 4 || each == 0 ? counted : fmin(counted, (double)p->requests * each);
}

static double clocks_of(const struct gr_trace_site *p, bool ideal)
{
    double passes = 0;
    if (p->space == GR_SPACE_SHARED)
        passes = passes_of(p, ideal);
    else if (p->space == GR_SPACE_GLOBAL)
        passes = (double)(ideal && p->sectors_ideal < p->sectors ? p->sectors_ideal : p->sectors) *
                 gr_rules_sector(&p->rules) / L1_BYTES_A_CLOCK;
    return fmax(passes, (double)p->requests);
}

double gr_place_clocks(const struct gr_trace_site *place)
{
    return clocks_of(place, false);
}

double gr_place_excess(const struct gr_trace_site *place)
{
    return fmax(0, clocks_of(place, false) - clocks_of(place, true));
}

double gr_lsu_clocks(const struct gr_analysis_input *s)
{
    double clocks = 0;
    for (int i = 0; s->trace && i < s->trace->site_count; i++)
        clocks += gr_place_clocks(&s->trace->sites[i]);
    return clocks;
}

static bool same_place(const struct gr_trace_site *a, const struct gr_trace_site *b)
{
    return a->line == b->line && a->line > 0 && a->space == b->space && a->access == b->access &&
           a->array == b->array && a->bytes == b->bytes && strcmp(a->file, b->file) == 0;
}

/* The pattern of the more expensive site is kept; the widths in the source differ only if it
 * differs. */
static void add_to(struct gr_trace_site *place, const struct gr_trace_site *site)
{
    struct gr_trace_site sum = gr_place_clocks(site) > gr_place_clocks(place) ? *site : *place;
    sum.requests = place->requests + site->requests;
    sum.lanes = place->lanes + site->lanes;
    sum.sectors = place->sectors + site->sectors;
    sum.sectors_ideal = place->sectors_ideal + site->sectors_ideal;
    sum.block_distinct_bytes = place->block_distinct_bytes + site->block_distinct_bytes;
    sum.wavefronts = place->wavefronts + site->wavefronts;
    sum.wavefronts_ideal = place->wavefronts_ideal + site->wavefronts_ideal;
    *place = sum;
}

static int costliest_first(const void *a, const void *b)
{
    double x = gr_place_clocks(a), y = gr_place_clocks(b);
    int lx = ((const struct gr_trace_site *)a)->line, ly = ((const struct gr_trace_site *)b)->line;
    return x != y ? (x < y) - (x > y) : (lx > ly) - (lx < ly);
}

struct gr_trace_site *gr_places(const struct gr_analysis_input *s, int *count)
{
    *count = 0;
    if (!s->trace || s->trace->site_count == 0)
        return NULL;
    struct gr_trace_site *places = malloc((size_t)s->trace->site_count * sizeof *places);
    for (int i = 0; places && i < s->trace->site_count; i++) {
        int p = 0;
        while (p < *count && !same_place(&places[p], &s->trace->sites[i]))
            p++;
        if (p < *count)
            add_to(&places[p], &s->trace->sites[i]);
        else
            places[(*count)++] = s->trace->sites[i];
    }
    if (places)
        qsort(places, (size_t)*count, sizeof *places, costliest_first);
    return places;
}

const char *gr_place_array(const struct gr_analysis_input *s, const struct gr_trace_site *place)
{
    const struct gr_trace_array *array = gr_trace_array_of(s->trace, place);
    return array ? array->name : "memory";
}

char gr_array_operand(const struct gr_analysis_input *s, const struct gr_trace_array *array)
{
    for (int i = 0; array && i < s->stanza->signature.count; i++) {
        const struct gr_parameter *p = &s->stanza->signature.parameters[i];
        if (p->name && strcmp(p->name, array->name) == 0 && p->pointer)
            return p->role == GR_ROLE_A   ? 'A'
                   : p->role == GR_ROLE_B ? 'B'
                   : p->role == GR_ROLE_C ? 'C'
                                          : 0;
    }
    return 0;
}

/* The declaration of the array, in a kernel that is not a GEMM; otherwise null. */
static const struct gr_workload_array *declared(const struct gr_analysis_input *s,
                                                const struct gr_trace_array *array)
{
    return array && array->space == GR_SPACE_GLOBAL
               ? gr_workload_array_named(s->workload, array->name)
               : NULL;
}

bool gr_array_is_input(const struct gr_analysis_input *s, const struct gr_trace_array *array)
{
    const char operand = gr_array_operand(s, array);
    const struct gr_workload_array *a = declared(s, array);
    return operand == 'A' || operand == 'B' || (a && a->is_read && !a->is_written);
}

int64_t gr_row_bytes(const struct gr_analysis_input *s, const struct gr_trace_array *array)
{
    char operand = gr_array_operand(s, array);
    const struct gr_workload_array *a = declared(s, array);
    if (a)
        return a->ld * array->element_bytes;
    return operand ? gr_problem_ld(s->problem, operand) *
                         (int64_t)gr_dtype_bytes(gr_problem_type(s->problem, operand))
                   : 0;
}

bool gr_unaligned_rows(const struct gr_analysis_input *s, const struct gr_trace_site *place,
                       char *text, size_t size)
{
    const struct gr_trace_array *array = gr_trace_array_of(s->trace, place);
    int64_t row = gr_row_bytes(s, array), element = array ? array->element_bytes : 0;
    if (row % 16 == 0 || element <= 0 || place->bytes >= 16)
        return false;
    int64_t ld = row / element, unit = 16 / element;
    snprintf(text, size,
             "its rows are %" PRId64
             " bytes apart, no multiple of 16, so that no vector of 16 bytes "
             "fits: pad the leading dimension from %" PRId64 " to %" PRId64,
             row, ld, (ld + unit - 1) / unit * unit);
    return true;
}

bool gr_uses_shared(const struct gr_analysis_input *s)
{
    for (int i = 0; s->trace && i < s->trace->site_count; i++)
        if (s->trace->sites[i].space == GR_SPACE_SHARED ||
            s->trace->sites[i].access == GR_ACCESS_COPY)
            return true;
    return false;
}
