/* simulation.c: traces a kernel's launches, and runs the same program to find faults at other sizes
 * and with other alpha and beta. SPDX-License-Identifier: MIT */
#include "explain/simulation.h"

#include "base/temporary.h"
#include "code/decode.h"
#include "core/error.h"
#include "explain/code_product.h"
#include "explain/edge_faults.h"
#include "explain/overflows.h"
#include "explain/global_races.h"
#include "explain/join_traces.h"
#include "explain/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace begins with the arrays of the job, in their order. */
static void name_operands(const struct gr_explain *ask, struct gr_explained *explained)
{
    const bool is_gemm = !gr_kernel_has_workload(ask->variant->kernel);
    for (int i = 0; i < explained->trace_count && is_gemm; i++)
        for (int j = 0; j < 3 && j < explained->traces[i].array_count; j++)
            explained->traces[i].arrays[j].operand = "ABC"[j];
}

/* The history of an element, which the search for races needs, takes about 100 bytes. */
static const int64_t most_followed = 1 << 24;

/* Are the arrays that a kernel other than a GEMM writes small enough for a search for races through
 * global memory? If not, a note says so. */
static bool follows_races(struct gr_explained *explained)
{
    const struct gr_workload *w = &explained->workload;
    int64_t elements = 0;
    for (int i = 0; i < w->array_count; i++)
        if (w->arrays[i].is_written)
            elements += w->arrays[i].bytes / (int64_t)gr_dtype_bytes(w->arrays[i].type);
    if (elements > most_followed)
        gr_findings_add(&explained->edges, GR_FIND_NOTE, 0,
                        "races through global memory were not looked for: the kernel writes arrays "
                        "of %" PRId64 " elements, and %" PRId64
                        " is the most that is followed; choose smaller sizes",
                        elements, most_followed);
    return elements <= most_followed;
}

/* The program is built once, and used for the problem and for its edges. */
static enum gradus_status trace(const struct gr_explain *ask,
                                const struct gr_device_values *device_values,
                                const struct gr_plan *plan, const struct gr_sim_machine *machine,
                                struct gr_explained *explained, struct gradus_error *error)
{
    struct gr_sim_built built = {.pending = -1};
    const bool is_gemm = !gr_kernel_has_workload(ask->variant->kernel);
    const struct gr_problem small = is_gemm ? gr_races_problem(ask, device_values) : *ask->problem;
    struct gr_explain here = *ask;
    /* It is not known which smaller sizes are possible for other workloads, so races are searched
     * for at this size. */
    here.races = is_gemm ? gr_races_in_own_trace(ask, &small) : follows_races(explained);
    here.scaled &= is_gemm;
    here.edges &= is_gemm;
    const bool executes = ask->engine == GR_ENGINE_CODE;
    enum gradus_status status = GRADUS_OK;
    if (executes && !machine)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "not modelled: --engine code needs machine code of NVIDIA's, which NVRTC "
                       "makes: pip install nvidia-cuda-nvrtc");
    if (executes && !gr_decode_knows(ask->code->cc))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "machine code for sm_%d is not executed, only that for sm_75, 80, 86, 89, "
                       "90, 100 and 120 is; compile it for one of them",
                       ask->code->cc);
    if (!executes)
        status = gr_simulate_build(ask, GR_SIM_TRACED, &built, error);
    if (status == GRADUS_OK)
        status = gr_simulate_launches(&here, device_values, plan, &built, machine,
                                      explained->traces, &explained->trace_count, error);
    name_operands(ask, explained);
    if (status == GRADUS_OK && here.scaled)
        status = gr_scaled_find(ask, device_values, &built, &explained->edges, error);
    if (status == GRADUS_OK && is_gemm && !here.races)
        status = gr_races_find(ask, device_values, &small, &built, &explained->edges, error);
    if (status == GRADUS_OK && here.edges)
        status = gr_edges_find(ask, device_values, &built, &explained->edges, error);
    gr_temporary_remove(built.path, built.pending);
    if (status == GRADUS_OK && is_gemm && ask->variant->kernel->code.image)
        status = gr_code_product_check(ask, device_values, &explained->edges, error);
    if (status == GRADUS_OK && is_gemm && !executes)
        status = gr_overflows_find(ask, device_values, plan, explained->traces,
                                   explained->trace_count, &explained->overflows, error);
    return status;
}

/* The traces of the machine code, in addition to those of the source. */
struct executed {
    struct gr_trace traces[GR_MAX_STANZAS];
    int count;
    enum gradus_status status;
};

/* Executes the machine code. If this is not possible, the reason is stored. */
static void execute(const struct gr_explain *ask, const struct gr_device_values *device_values,
                    const struct gr_plan *plan, struct gr_explained *explained,
                    struct executed *executed)
{
    struct gr_explain here = *ask;
    struct gradus_error error = {0};
    here.engine = GR_ENGINE_CODE;
    here.races = false;
    executed->status = gr_simulate_launches(&here, device_values, plan, NULL, NULL,
                                            executed->traces, &executed->count, &error);
    if (executed->status != GRADUS_OK)
        explained->unexecuted = gr_strdup(error.text);
    explained->code_died = executed->status == GRADUS_CRASHED;
    while (executed->status != GRADUS_OK && executed->count > 0)
        gr_trace_free(&executed->traces[--executed->count]);
    gradus_error_clear(&error);
}

/* The counts of the machine code replace those of the source. */
static void join(struct gr_explained *explained, struct executed *executed)
{
    for (int i = 0; i < executed->count; i++) {
        if (i < explained->trace_count)
            gr_traces_join(&executed->traces[i], &explained->traces[i]);
        explained->traces[i] = executed->traces[i];
        explained->traces[i].widths = GR_WIDTHS_CODE;
    }
    if (explained->trace_count < executed->count)
        explained->trace_count = executed->count;
}

/* Traces with both engines, or with the one that is possible. */
static enum gradus_status trace_both(const struct gr_explain *ask,
                                     const struct gr_device_values *device_values,
                                     const struct gr_plan *plan,
                                     const struct gr_sim_machine *machine,
                                     struct gr_explained *explained, struct gradus_error *error)
{
    struct executed executed = {.status = GRADUS_UNSUPPORTED};
    struct gr_explain alone = *ask;
    if (machine && gr_decode_knows(ask->code->cc) && ask->engine == GR_ENGINE_BOTH)
        execute(ask, device_values, plan, explained, &executed);
    alone.engine = ask->engine == GR_ENGINE_BOTH ? GR_ENGINE_SOURCE : ask->engine;
    enum gradus_status status = trace(&alone, device_values, plan, machine, explained, error);
    for (int i = 0; i < explained->trace_count; i++)
        explained->traces[i].widths = ask->engine == GR_ENGINE_CODE ? GR_WIDTHS_CODE
                                      : machine                     ? GR_WIDTHS_CUBIN
                                                                    : GR_WIDTHS_MERGED;
    if (status == GRADUS_OK && executed.status == GRADUS_OK) {
        join(explained, &executed);
        return status;
    }
    while (executed.count > 0)
        gr_trace_free(&executed.traces[--executed.count]);
    if (executed.status != GRADUS_OK || (status != GRADUS_UNSUPPORTED && status != GRADUS_COMPILE))
        return status;
    /* The host's compiler does not accept the source, so everything is taken from the machine
     * code. */
    gradus_error_clear(error);
    while (explained->trace_count > 0)
        gr_trace_free(&explained->traces[--explained->trace_count]);
    alone.engine = GR_ENGINE_CODE;
    status = trace(&alone, device_values, plan, machine, explained, error);
    for (int i = 0; i < explained->trace_count; i++)
        explained->traces[i].widths = GR_WIDTHS_CODE;
    return status;
}

/* Reports the refusal with the kernel's name, as for launches that are refused before they run. */
static enum gradus_status refuse(const struct gr_explain *ask, struct gr_explained *explained,
                                 struct gradus_error *error)
{
    struct gradus_error why = *error;
    while (explained->trace_count > 0)
        gr_trace_free(&explained->traces[--explained->trace_count]);
    *error = (struct gradus_error){0};
    gr_fail(error, GRADUS_LAUNCH, "%s: %s", ask->variant->kernel->name, why.text);
    gradus_error_clear(&why);
    return GRADUS_LAUNCH;
}

enum gradus_status gr_simulate(const struct gr_explain *ask,
                               const struct gr_device_values *device_values,
                               const struct gr_plan *plan, const struct gr_code *code,
                               struct gr_explained *explained, struct gradus_error *error)
{
    struct gr_sim_machine machine;
    struct gr_explain with_code = *ask;
    bool known = gr_simulate_machine(plan, code, &explained->cubin, &machine);
    with_code.code = code;
    with_code.cubin = &explained->cubin;
    enum gradus_status status =
        trace_both(&with_code, device_values, plan, known ? &machine : NULL, explained, error);
    if (status == GRADUS_LAUNCH)
        return refuse(ask, explained, error);
    if (status != GRADUS_UNSUPPORTED && status != GRADUS_CRASHED && status != GRADUS_TIMED_OUT)
        return status;
    /* The counts of a launch that reached something that is not modelled are incomplete. */
    while (status == GRADUS_UNSUPPORTED && explained->trace_count > 0)
        gr_trace_free(&explained->traces[--explained->trace_count]);
    explained->untraced = gr_strdup(error->text);
    explained->died = status != GRADUS_UNSUPPORTED;
    explained->endless = status == GRADUS_TIMED_OUT;
    gradus_error_clear(error);
    return GRADUS_OK;
}
