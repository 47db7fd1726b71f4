/* counters_explain.c: compares hardware counters with the computed facts.
 * SPDX-License-Identifier: MIT */
#include "explain/counters.h"

#include "plan/launch_plan.h"
#include "core/error.h"
#include "explain/counters_tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of one fact. Returns false if there is no such fact. */
static bool compute_factor(const char *name, size_t length, const struct gr_section *section,
                           const struct gr_explanation *explanation, double *value)
{
    char *key = gr_printf("%s%.*s", section->prefix, (int)length, name);
    const struct gr_fact *fact = key ? gr_explanation_find(explanation, key) : NULL;
    free(key);
    if (fact)
        *value = fact->value;
    return fact != NULL;
}

/* Computes "a+b*c" from facts. Terms without a fact are omitted. Returns false if no term has
 * one. */
static bool compute(const char *formula, const struct gr_section *section,
                    const struct gr_explanation *explanation, double *sum)
{
    bool found = false, whole = true;
    double product = 1, factor;
    *sum = 0;
    while (*formula) {
        const size_t length = strcspn(formula, "+*");
        whole &= compute_factor(formula, length, section, explanation, &factor);
        product *= whole ? factor : 0;
        formula += length;
        if (*formula != '*') {
            *sum += product;
            found |= whole;
            whole = true;
            product = 1;
        }
        formula += *formula != 0;
    }
    return found;
}

static void add_metric(const struct gr_counters_metric *metric, double value,
                       const struct gr_explanation *explanation, struct gr_section *section)
{
    char ours[32] = "";
    double worked_out;
    if (compute(metric->ours, section, explanation, &worked_out)) {
        worked_out *= metric->ours_scale;
        snprintf(ours, sizeof ours, worked_out == floor(worked_out) ? "%.0f%s" : "%.4g%s",
                 worked_out, metric->unit);
    }
    gr_section_number(section, metric->key, value, metric->unit);
    gr_section_printf(section, *ours ? "  %-36s%12.10g%-2s%12s" : "  %-36s%12.10g%s%s",
                      metric->label, value, metric->unit, ours);
}

/* Names the counters that the table does not have, although it has the launch. */
static void say_missing(const struct gr_counters_tool *tool, const struct gr_str *missing,
                        const char *arch, struct gr_section *section)
{
    if (missing->length > 0 && tool->listing)
        gr_section_printf(section, "%s did not count %s on %s: `%s` lists what it knows.",
                          tool->name, gr_str_text(missing), arch, tool->listing);
}

static void explain_stanza(const char *csv, const char *arch,
                           const struct gr_counters_launch *launch,
                           const struct gr_explanation *explanation, struct gr_section *section)
{
    const struct gr_counters_tool *tool = gr_counters_tool_of(arch);
    struct gr_str missing = {0};
    int counted = 0;
    double value;
    gr_section_printf(section, "  %-36s%12s%14s", "", "counted", "computed");
    for (int i = 0; i < tool->metric_count; i++) {
        const struct gr_counters_metric *metric = &tool->metrics[i];
        if (!gr_counters_metric_is_of(metric, arch))
            continue;
        if (tool->value(csv, launch, metric, &value)) {
            add_metric(metric, value, explanation, section);
            counted++;
        } else {
            gr_str_printf(&missing, "%s%s", missing.length ? ", " : "", metric->name);
        }
    }
    if (compute_factor("waves", strlen("waves"), section, explanation, &value) && value < 1)
        gr_section_printf(section, "%s", tool->unfilled);
    if (counted == 0) {
        gr_section_printf(section, "%s saw no launch of this kernel with this grid.", tool->name);
    } else {
        say_missing(tool, &missing, arch, section);
        gr_section_printf(section, "%s", tool->legend);
    }
    const char *doubt = tool->doubt ? tool->doubt(csv) : NULL;
    if (doubt)
        gr_section_printf(section, "%s", doubt);
    gr_str_free(&missing);
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
        const struct gr_plan_launch *planned = &plan.launches[i];
        struct gr_counters_launch launch = {.kernel =
                                                kernel->stanzas[planned->stanza].signature.name};
        bool several = kernel->stanza_count > 1;
        char *prefix = several ? gr_printf("%s.", launch.kernel) : gr_strdup("");
        char *title = several ? gr_printf("Counters: %s", launch.kernel) : gr_strdup("Counters");
        struct gr_section *section =
            prefix && title ? gr_explanation_add(&out->explanation, title, prefix) : NULL;
        memcpy(launch.grid, planned->grid, sizeof launch.grid);
        memcpy(launch.block, planned->block, sizeof launch.block);
        if (section)
            explain_stanza(csv, ask->arch, &launch, &out->explanation, section);
        else
            status = gr_fail_memory(error, "counters", 0);
        free(prefix);
        free(title);
    }
    return status;
}
