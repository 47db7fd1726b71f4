/* advise.c: lower bounds of a kernel's time, and findings with counts.
 * SPDX-License-Identifier: MIT */
#include "explain/advise.h"

#include "base/str.h"
#include "model/floors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { L2_BYTES_A_CLOCK = 64 };

int gr_advice_warp(const struct gr_analysis_input *s)
{
    return s->trace && s->trace->warp > 0 ? s->trace->warp : (int)s->device->warp;
}

bool gr_advice_fact(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                    const char *key, double *value)
{
    bool several = s->variant->kernel->stanza_count > 1;
    char *whole = several ? gr_printf("%s.%s", s->stanza->signature.name, key) : gr_strdup(key);
    const struct gr_fact *fact = whole ? gr_explanation_find(sections, whole) : NULL;
    free(whole);
    if (fact && !fact->word)
        *value = fact->value;
    return fact && !fact->word;
}

double gr_unevenness(const struct gr_analysis_input *s)
{
    double blocks = (double)gr_input_blocks(s), sms = (double)s->device->sms;
    return blocks > 0 ? ceil(blocks / sms) * sms / blocks : 1;
}

static double launched_threads(const struct gr_analysis_input *s)
{
    return (double)gr_input_threads(s) * (double)gr_input_blocks(s);
}

double gr_results_a_thread(const struct gr_analysis_input *s)
{
    double results = 1;
    if (s->launch)
        results = (double)s->problem->m * (double)s->problem->n / launched_threads(s);
    if (results <= 1)
        return 1;
    return results == floor(results) ? results : exp2(ceil(log2(results)));
}

double gr_warp_fmas(const struct gr_analysis_input *s)
{
    double all = (double)s->problem->m * (double)s->problem->n * (double)s->problem->k;
    if (!gr_input_multiplies(s))
        return 0;
    if (s->launch && launched_threads(s) < 4 * all / (double)s->problem->k)
        all = fmax(all, gr_results_a_thread(s) * launched_threads(s) * (double)s->problem->k);
    return all / gr_advice_warp(s);
}

struct gr_bounds gr_bounds_of(const struct gr_analysis_input *s,
                              const struct gr_explanation *sections)
{
    struct gr_bounds b = {.uneven = s->launch ? gr_unevenness(s) : 1};
    double sms_hz = (double)s->device->sms * (double)s->device->clock_mhz * 1e6, reach = 0;
    if (gr_input_computes(s)) {
        struct gr_floors f = gr_input_floors(s);
        b.memory = f.memory_ns * 1e-9;
        b.compute = f.compute_ns * 1e-9 * b.uneven;
        if (gr_advice_fact(s, sections, "loop.peak_fraction", &reach) && reach > 0)
            b.issue = b.compute / reach;
    }
    if (sms_hz <= 0)
        return b;
    b.lsu = gr_lsu_clocks(s) / sms_hz * b.uneven;
    for (int i = 0; s->trace && i < s->trace->array_count; i++)
        if (s->trace->arrays[i].space == GR_SPACE_GLOBAL)
            b.l2 += (double)s->trace->arrays[i].block_distinct_bytes / L2_BYTES_A_CLOCK / sms_hz *
                    b.uneven;
    return b;
}

double gr_bounds_floor(const struct gr_bounds *b)
{
    return fmax(fmax(fmax(b->compute, b->issue), fmax(b->memory, b->lsu)), b->l2);
}

double gr_gain_lsu(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   double clocks)
{
    struct gr_bounds b = gr_bounds_of(s, sections);
    double now = gr_bounds_floor(&b), all = gr_lsu_clocks(s);
    if (all <= 0)
        return 0;
    b.lsu *= clocks < all ? 1 - clocks / all : 0;
    return now - gr_bounds_floor(&b);
}

struct gr_count_text gr_count_text(double count)
{
    struct gr_count_text t;
    double whole = floor(count + 0.5);
    if (fabs(count - whole) < 0.005 * fabs(count) || count >= 100)
        snprintf(t.text, sizeof t.text, "%.0f", whole);
    else
        snprintf(t.text, sizeof t.text, count >= 10 ? "%.3g" : "%.2g", count);
    return t;
}

void gr_advise(struct gr_findings *findings, enum gr_finding_kind kind,
               const struct gr_trace_site *place, const struct gr_gain *gain, const char *format,
               ...)
{
    struct gr_str text = {0};
    va_list args;
    bool here = place && place->line > 0 && !place->file[0];
    int before = findings->count;
    if (place && place->line > 0 && !here)
        gr_str_printf(&text, "%s:%d: ", place->file, place->line);
    va_start(args, format);
    gr_str_vprintf(&text, format, args);
    va_end(args);
    if (!text.failed)
        gr_findings_add(findings, kind, here ? place->line : 0, "%s", gr_str_text(&text));
    gr_str_free(&text);
    if (findings->count == before)
        return;
    struct gr_finding *finding = &findings->items[findings->count - 1];
    finding->now = gain->now;
    finding->fixed = gain->fixed;
    finding->unit = gain->unit;
    finding->saves_s = gain->saves_s > 0 ? gain->saves_s : 0;
}
