/* counters_explain.c: compares hardware counters with the computed facts.
 * SPDX-License-Identifier: MIT */
#include "explain/counters.h"

#include "plan/launch_plan.h"
#include "core/error.h"
#include "explain/counters_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The names are from the "Metrics Reference" of the Nsight Compute documentation. */
const struct gr_counters_metric gr_counters_metrics[] = {
    {"launch__registers_per_thread", "counters.regs", "registers a thread", "regs", 1, ""},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "counters.occupancy_percent",
     "occupancy, reached", "occupancy", 100, "%"},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     "counters.sectors_per_load", "sectors a load from global memory",
     "global.loads.sectors_per_request", 1, ""},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     "counters.sectors_per_store", "sectors a store to global memory",
     "global.stores.sectors_per_request", 1, ""},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "counters.load_requests",
     "requests to load from global memory", "global.loads.requests", 1, ""},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "counters.load_sectors", "sectors of these",
     "global.loads.sectors", 1, ""},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "counters.store_requests",
     "requests to store to global memory", "global.stores.requests", 1, ""},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "counters.store_sectors", "sectors of these",
     "global.stores.sectors", 1, ""},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "counters.bank_conflicts_load",
     "bank conflicts of loads", "shared.loads.conflicts", 1, ""},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "counters.bank_conflicts_store",
     "bank conflicts of stores", "shared.stores.conflicts", 1, ""},
};
const int gr_counters_metric_count =
    (int)(sizeof gr_counters_metrics / sizeof *gr_counters_metrics);

static void add_metric(const struct gr_counters_metric *metric, double value,
                       const struct gr_explanation *explanation, struct gr_section *section)
{
    char ours[32] = "";
    char *key = metric->ours ? gr_printf("%s%s", section->prefix, metric->ours) : NULL;
    const struct gr_fact *fact = key ? gr_explanation_find(explanation, key) : NULL;
    double worked_out = fact ? metric->ours_scale * fact->value : 0;
    if (fact)
        snprintf(ours, sizeof ours, worked_out == floor(worked_out) ? "%.0f%s" : "%.4g%s",
                 worked_out, metric->unit);
    free(key);
    gr_section_number(section, metric->key, value, metric->unit);
    gr_section_printf(section, *ours ? "  %-36s%12.10g%-2s%12s" : "  %-36s%12.10g%s%s",
                      metric->label, value, metric->unit, ours);
}

static void explain_stanza(const char *csv, const struct gr_plan_launch *launch, const char *name,
                           const struct gr_explanation *explanation, struct gr_section *section)
{
    int counted = 0;
    double value;
    gr_section_printf(section, "  %-36s%12s%14s", "", "counted", "computed");
    for (int i = 0; i < gr_counters_metric_count; i++) {
        if (!gr_counters_value(csv, name, launch->grid, gr_counters_metrics[i].name, &value))
            continue;
        add_metric(&gr_counters_metrics[i], value, explanation, section);
        counted++;
    }
    char *key = gr_printf("%swaves", section->prefix);
    const struct gr_fact *waves = key ? gr_explanation_find(explanation, key) : NULL;
    if (waves && waves->value < 1)
        gr_section_printf(section,
                          "The grid does not fill the device, so the SMs hold fewer warps than "
                          "they could.");
    free(key);
    if (counted == 0)
        gr_section_printf(section, "ncu saw no launch of this kernel with this grid.");
    else
        gr_section_printf(
            section, "A sector is 32 bytes: 32 threads that read neighbouring floats need 4, those "
                     "that read 16 bytes each need 16. A bank conflict is one more pass of a "
                     "warp's request over the banks of shared memory.");
}

enum gradus_status gr_counters_explain(const char *csv, const struct gr_explain *ask,
                                       struct gr_explained *out, struct gradus_error *error)
{
    const struct gr_kernel *kernel = ask->variant->kernel;
    const struct gr_device_values device_values = gr_explain_device_values(ask->device);
    struct gr_plan plan = {0};
    enum gradus_status status =
        gr_plan_launches(ask->variant, ask->problem, &device_values, &plan, error);
    for (int i = 0; i < plan.launch_count && status == GRADUS_OK; i++) {
        const char *name = kernel->stanzas[plan.launches[i].stanza].signature.name;
        bool several = kernel->stanza_count > 1;
        char *prefix = several ? gr_printf("%s.", name) : gr_strdup("");
        char *title = several ? gr_printf("Counters: %s", name) : gr_strdup("Counters");
        struct gr_section *section =
            prefix && title ? gr_explanation_add(&out->explanation, title, prefix) : NULL;
        if (section)
            explain_stanza(csv, &plan.launches[i], name, &out->explanation, section);
        else
            status = gr_fail_memory(error, "counters", 0);
        free(prefix);
        free(title);
    }
    return status;
}
