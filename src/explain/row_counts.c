/* row_counts.c: explains a row's kernel, and keeps the few numbers that fit into a table.
 * SPDX-License-Identifier: MIT */
#include "explain/row_counts.h"

#include "core/error.h"
#include "explain/device_file.h"
#include "explain/explain.h"
#include "explain/row_faults.h"
#include "explain/traffic.h"
#include "model/roofs.h"

#include <stdio.h>
#include <string.h>

static const int64_t trace_limit_ns = 2LL * 1000000000;

/* Sums the counts over the launches. */
static void add_up(const struct gr_explained *e, struct gr_row_counts *counts)
{
    int64_t requests[2] = {0}, sectors[2] = {0}, ideal[2] = {0};
    for (int i = 0; i < e->trace_count; i++) {
        for (int j = 0; j < e->traces[i].site_count; j++) {
            const struct gr_trace_site *s = &e->traces[i].sites[j];
            bool stores = s->access == GR_ACCESS_STORE;
            if (s->space == GR_SPACE_SHARED) {
                counts->wavefronts += s->wavefronts;
                counts->conflicts += s->wavefronts - s->wavefronts_ideal;
            }
            if (s->space == GR_SPACE_GLOBAL) {
                counts->requests += s->requests;
                counts->sectors += s->sectors;
            }
            if (s->space != GR_SPACE_GLOBAL || s->access == GR_ACCESS_ATOMIC)
                continue;
            requests[stores] += s->requests;
            sectors[stores] += s->sectors;
            ideal[stores] += s->sectors_ideal;
        }
        counts->sampled |= e->traces[i].coverage == GR_COVERAGE_SAMPLED;
    }
    const double loads = requests[0] ? (double)requests[0] : 1;
    const double stores = requests[1] ? (double)requests[1] : 1;
    counts->load_sectors = (double)sectors[0] / loads;
    counts->load_ideal = (double)ideal[0] / loads;
    counts->store_sectors = (double)sectors[1] / stores;
    counts->store_ideal = (double)ideal[1] / stores;
}

/* If several kernels are launched, the resources are those of the kernel with the most
 * registers. */
static void add_resources(const struct gr_explanation *e, struct gr_row_counts *counts)
{
    for (int i = 0; i < e->section_count; i++) {
        const struct gr_section *section = &e->sections[i];
        char key[160];
        snprintf(key, sizeof key, "%.100sregs", section->prefix ? section->prefix : "");
        const struct gr_fact *registers = gr_explanation_find(e, key);
        snprintf(key, sizeof key, "%.100soccupancy", section->prefix ? section->prefix : "");
        const struct gr_fact *occupancy = gr_explanation_find(e, key);
        if (!registers || !occupancy || (int)registers->value <= counts->registers)
            continue;
        counts->registers = (int)registers->value;
        counts->occupancy = occupancy->value;
    }
}

/* Sums over the timed launches; nothing if one of them was not simulated. */
static void add_traffic(const struct gr_variant *variant, const struct gr_device *device,
                        const struct gr_explained *e, struct gr_row_traffic *sum)
{
    const struct gr_kernel *kernel = variant->kernel;
    *sum = (struct gr_row_traffic){0};
    for (int i = 0; i < kernel->stanza_count; i++) {
        const struct gr_trace *trace = NULL;
        for (int j = 0; j < e->trace_count; j++)
            if (e->traces[j].stanza == i)
                trace = &e->traces[j];
        if (kernel->stanzas[i].once)
            continue;
        if (!trace) {
            *sum = (struct gr_row_traffic){0};
            return;
        }
        const struct gr_traffic t = gr_traffic_of(trace);
        sum->dram += t.grid;
        sum->l2 += t.block;
        sum->l1 += t.l1;
        sum->shared += t.passes * gr_device_pass_bytes(device);
    }
}

static void take_count(const struct gr_explained *e, struct gr_row *row)
{
    struct gr_row_counts counts = {.known = e->trace_count > 0};
    add_up(e, &counts);
    add_resources(&e->explanation, &counts);
    row->counts = counts;
}

static struct gr_explain ask_for(const struct gr_row_tracing *t, const struct gr_variant *variant,
                                 const struct gr_problem *problem, const struct gr_device *device)
{
    return (struct gr_explain){.variant = variant,
                               .problem = problem,
                               .build = t->build,
                               .engine = t->build->engine,
                               .device = device,
                               .arch = device->arch,
                               .simulate = true,
                               .strict = t->strict,
                               .simulate_ns = trace_limit_ns};
}

static void tell_follower(const struct gr_row_tracing *t, const struct gr_explain *ask,
                          struct gr_explained *explained)
{
    if (t->follower && t->follower->explained)
        t->follower->explained(t->follower->context, ask, explained);
}

static bool is_ours(enum gradus_status status)
{
    return status == GRADUS_INTERRUPTED || status == GRADUS_NO_MEMORY;
}

/* Stores the counts. If something cannot be counted, a note says so. */
static void put(const struct gr_row_tracing *t, const struct gr_explain *ask,
                struct gr_explained *explained, struct gr_row *row)
{
    const bool counts = t->count && row->verdict == GR_RIGHT;
    if (counts)
        take_count(explained, row);
    if (counts)
        add_traffic(ask->variant, ask->device, explained, &row->traffic);
    gr_row_take_faults(explained, row);
    if (counts)
        tell_follower(t, ask, explained);
}

enum gradus_status gr_row_trace(const struct gr_row_tracing *t, const struct gr_variant *variant,
                                struct gr_row *row, struct gradus_error *error)
{
    struct gr_device device = {0};
    struct gr_explained explained = {0};
    struct gradus_error why = {0};
    enum gradus_status status = gr_device_file_find(t->device, t->present, &device, error);
    if (status != GRADUS_OK)
        return status;
    gr_follower_stage(t->follower, "counting");
    struct gr_explain ask = ask_for(t, variant, &row->problem, &device);
    ask.scaled = !variant->kernel->built_in;
    ask.edges = t->edges && row->verdict == GR_RIGHT && !variant->kernel->built_in;
    status = gr_explain(&ask, &explained, &why);
    if (status == GRADUS_OK)
        put(t, &ask, &explained, row);
    else if (is_ours(status))
        gr_fail(error, status, "%s", why.text);
    else
        gr_row_note_untraced(why.text, row);
    gradus_error_clear(&why);
    gr_explained_free(&explained);
    return is_ours(status) ? status : GRADUS_OK;
}

/* If the variant cannot be traced, nothing is reported. */
static enum gradus_status trace(const struct gr_row_tracing *t, const struct gr_variant *variant,
                                const struct gr_problem *problem, struct gr_device *device,
                                struct gr_explained *explained, struct gradus_error *error)
{
    struct gradus_error why = {0};
    enum gradus_status status = gr_device_file_find(t->device, t->present, device, &why);
    gr_follower_stage(t->follower, "counting");
    if (status == GRADUS_OK) {
        const struct gr_explain ask = ask_for(t, variant, problem, device);
        status = gr_explain(&ask, explained, &why);
    }
    if (is_ours(status))
        gr_fail(error, status, "%s", why.text);
    gradus_error_clear(&why);
    return status;
}

enum gradus_status gr_row_trace_traffic(const struct gr_row_tracing *t,
                                        const struct gr_variant *variant, struct gr_row *row,
                                        struct gradus_error *error)
{
    struct gr_device device = {0};
    struct gr_explained explained = {0};
    enum gradus_status status = trace(t, variant, &row->problem, &device, &explained, error);
    const struct gr_explain ask = ask_for(t, variant, &row->problem, &device);
    if (status == GRADUS_OK)
        tell_follower(t, &ask, &explained);
    if (status == GRADUS_OK)
        add_traffic(variant, &device, &explained, &row->traffic);
    gr_explained_free(&explained);
    return is_ours(status) ? status : GRADUS_OK;
}

enum gradus_status gr_row_trace_faults(const struct gr_row_tracing *t,
                                       const struct gr_variant *variant,
                                       const struct gr_problem *problem,
                                       struct gr_findings *findings, struct gradus_error *error)
{
    struct gr_device device = {0};
    struct gr_explained explained = {0};
    enum gradus_status status = trace(t, variant, problem, &device, &explained, error);
    const struct gr_findings *seen = &explained.explanation.findings;
    for (int i = 0; i < seen->count && status == GRADUS_OK; i++)
        if (seen->items[i].severity == GR_SEVERITY_FAULT)
            gr_findings_copy(findings, &seen->items[i]);
    gr_explained_free(&explained);
    return is_ours(status) ? status : GRADUS_OK;
}
