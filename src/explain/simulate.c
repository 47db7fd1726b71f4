/* simulate.c: passes a kernel's launches to the simulator, and collects the traces.
 * SPDX-License-Identifier: MIT */
#include "explain/simulate.h"

#include "backend/gpu_compile.h"
#include "plan/plan_value.h"
#include "plan/workload.h"
#include "core/error.h"
#include "base/temporary.h"
#include "cpu/cpu.h"
#include "explain/edge_faults.h"
#include "explain/overflows.h"
#include "check/pair.h"
#include "explain/race_look.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The traced program stops a kernel that does not terminate. This limit is for a program that
 * fails to do so. */
static const int64_t grace_ns = 300LL * 1000000000;

/* A block that terminates needs far less than this. With a short limit, a kernel that does not
 * is reported earlier. */
static int64_t patience_of(int64_t simulate_ns)
{
    const int64_t most_ns = 30LL * 1000000000;
    return simulate_ns < most_ns / 15 ? 15 * simulate_ns : most_ns;
}

/* What the job's arrays are: those of the workload, and behind them the `work` buffers. */
struct inventory {
    const struct gr_explain *ask;
    struct gr_workload workload;
    int64_t args[GR_MAX_ARGS], work_bytes[GR_MAX_WORKS];
};

static void add_array(struct gr_sim_job *sim, const struct gr_sim_job_array *array,
                      const char *name)
{
    struct gr_sim_job_array *a = &sim->arrays[sim->array_count++];
    *a = *array;
    snprintf(a->name, sizeof a->name, "%s", name);
}

/* The name of a `work` buffer in the kernel's own signature. */
static const char *name_of_work(const struct gr_kernel *k, int index)
{
    for (int i = 0; i < k->stanza_count; i++) {
        const struct gr_signature *s = &k->stanzas[i].signature;
        for (int j = 0; j < s->count; j++)
            if (s->parameters[j].role == GR_ROLE_WORK && s->parameters[j].index == index)
                return s->parameters[j].name;
    }
    return k->works[index].name.text;
}

static void add_arrays(const struct inventory *v, struct gr_sim_job *sim)
{
    const struct gr_kernel *k = v->ask->variant->kernel;
    for (int i = 0; i < v->workload.array_count; i++) {
        const struct gr_workload_array *a = &v->workload.arrays[i];
        add_array(sim,
                  &(struct gr_sim_job_array){.bytes = a->bytes,
                                             .element_bytes = (int)gr_dtype_bytes(a->type),
                                             .columns = a->columns,
                                             .ld = a->ld,
                                             .written = a->is_read,
                                             .zero = a->zero,
                                             .is_input = !a->is_written,
                                             .is_result = a->is_written},
                  a->name);
    }
    for (int i = 0; i < k->work_count; i++) {
        const struct gr_work *w = &k->works[i];
        enum gr_dtype type = w->element_is_t ? v->ask->variant->types.a : w->type;
        add_array(sim,
                  &(struct gr_sim_job_array){.bytes = v->work_bytes[i],
                                             .element_bytes = (int)gr_dtype_bytes(type),
                                             .written = w->zero,
                                             .zero = w->zero},
                  name_of_work(k, i));
    }
}

static int array_of(const struct inventory *v, const struct gr_plan_parameter *p)
{
    return p->role == GR_ROLE_WORK ? v->workload.array_count + p->index
                                   : gr_workload_array_of(&v->workload, p->role, p->index);
}

static struct gr_launch numbers_of(const struct inventory *v)
{
    const struct gr_problem *p = v->ask->problem;
    return (struct gr_launch){.m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .lda = p->lda,
                              .ldb = p->ldb,
                              .ldc = p->ldc,
                              .alpha = p->alpha,
                              .beta = p->beta,
                              .args = v->args,
                              .sizes = p->sizes};
}

static bool add_launch(const struct inventory *v, const struct gr_plan_launch *from,
                       struct gr_sim_job *sim)
{
    struct gr_sim_job_launch *to = &sim->launches[sim->launch_count++];
    const struct gr_launch numbers = numbers_of(v);
    const struct gr_scratch none = {0};
    *to = (struct gr_sim_job_launch){.stanza = from->stanza,
                                     .whole = from->once,
                                     .smem_bytes = from->smem_bytes,
                                     .parameter_count = from->parameter_count};
    memcpy(to->grid, from->grid, sizeof to->grid);
    memcpy(to->block, from->block, sizeof to->block);
    for (int i = 0; i < from->parameter_count; i++) {
        const struct gr_plan_parameter *p = &from->parameters[i];
        union gr_plan_value value = {0};
        if (p->role == GR_ROLE_MAP)
            return false;
        to->parameters[i].array = array_of(v, p);
        gr_plan_value(p, &numbers, &none, &value);
        memcpy(to->parameters[i].value, &value, sizeof value);
    }
    return true;
}

/* A trace begins with the arrays of the job, in their order. */
static void name_operands(const struct gr_explain *ask, struct gr_explained *explained)
{
    const bool is_gemm = !gr_kernel_has_workload(ask->variant->kernel);
    for (int i = 0; i < explained->trace_count && is_gemm; i++)
        for (int j = 0; j < 3 && j < explained->traces[i].array_count; j++)
            explained->traces[i].arrays[j].operand = "ABC"[j];
}

/* The size of the smallest scalar that shared memory may hold, at which races are detected. */
static int granule_of(const struct gr_explain *ask)
{
    const char *text = ask->variant->kernel->source;
    if (strstr(text, "char") || strstr(text, "int8"))
        return 1;
    bool halves = strstr(text, "half") || strstr(text, "bfloat") || strstr(text, "short") ||
                  gr_dtype_bytes(ask->problem->types.a) < 4;
    return halves ? 2 : 4;
}

static enum gradus_status make_ask(const struct gr_explain *ask, const struct gr_givens *givens,
                                   const struct gr_plan *plan, struct gr_sim_job *sim,
                                   struct gradus_error *error)
{
    struct inventory v = {.ask = ask};
    enum gradus_status status =
        gr_variant_args(ask->variant, ask->problem, givens, v.args, v.work_bytes, error);
    if (status == GRADUS_OK)
        status = gr_workload_make(ask->variant, ask->problem, givens, &v.workload, error);
    if (status != GRADUS_OK)
        return status;
    *sim = (struct gr_sim_job){.warp = (int)ask->device->warp,
                               .granule = granule_of(ask),
                               .threads = ask->races         ? 1
                                          : ask->threads > 0 ? ask->threads
                                                             : gr_cpu_threads_default(),
                               .races = ask->races,
                               .limit_ns = ask->simulate_ns,
                               .patience_ns = patience_of(ask->simulate_ns),
                               .seed = 1};
    add_arrays(&v, sim);
    for (int i = 0; i < plan->launch_count; i++)
        if (!add_launch(&v, &plan->launches[i], sim))
            return gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: tensor maps (TMA)");
    return GRADUS_OK;
}

enum gradus_status gr_simulate_build(const struct gr_explain *ask, enum gr_sim_kind kind,
                                     struct gr_sim_built *built, struct gradus_error *error)
{
    const struct gr_device *d = ask->device;
    const struct gr_gpu_target target = {d->name, ask->arch, (int)d->cc};
    const struct gr_sim_build_order wish = {
        .variant = ask->variant,
        .target = {d->name, ask->arch, (int)d->cc, (int)d->warp},
        .kind = kind,
        .flags = ask->build->flags,
        .defines = ask->build->defines,
        .no_cache = ask->build->no_cache};
    enum gradus_status status = gr_gpu_admits(ask->variant->kernel, &target, error);
    return status == GRADUS_OK ? gr_sim_build(&wish, built, error) : status;
}

/* False: a launch has no machine code. */
static bool find_machine(const struct gr_plan *plan, const struct gr_code *code,
                         const struct gr_explained *explained, struct gr_sim_machine *machine)
{
    const struct gr_rtc_code *cubin = &explained->cubin;
    *machine = (struct gr_sim_machine){cubin->image, cubin->length, code, {0}};
    bool all = cubin->length > 0;
    for (int i = 0; i < plan->launch_count && all; i++) {
        int stanza = plan->launches[i].stanza;
        if (stanza < cubin->name_count)
            machine->kernels[i] = gr_code_find(code, cubin->lowered[stanza]);
        all = machine->kernels[i] != NULL;
    }
    return all;
}

enum gradus_status gr_simulate_launches(const struct gr_explain *ask,
                                        const struct gr_givens *givens, const struct gr_plan *plan,
                                        const struct gr_sim_built *built,
                                        const struct gr_sim_machine *machine,
                                        struct gr_trace traces[GR_MAX_STANZAS], int *count,
                                        struct gradus_error *error)
{
    struct gr_sim_job *sim = calloc(1, sizeof *sim);
    *count = 0;
    if (!sim)
        return gr_fail_memory(error, "a simulation", sizeof *sim);
    enum gradus_status status = make_ask(ask, givens, plan, sim, error);
    if (status == GRADUS_OK)
        status = gr_sim_trace(built->path, ask->variant->kernel->path, sim, machine,
                              ask->simulate_ns + grace_ns, traces, count, error);
    free(sim);
    return status;
}

enum gradus_status gr_simulate_checked(const struct gr_explain *ask, const struct gr_givens *givens,
                                       const struct gr_plan *plan, const struct gr_sim_built *built,
                                       bool last_only, struct gr_trace_fault **faults, int *count,
                                       bool *cut, struct gradus_error *error)
{
    struct gr_sim_job *sim = calloc(1, sizeof *sim);
    *faults = NULL;
    *count = 0;
    if (!sim)
        return gr_fail_memory(error, "a simulation", sizeof *sim);
    enum gradus_status status = make_ask(ask, givens, plan, sim, error);
    sim->checked = true;
    sim->last_only = last_only;
    if (status == GRADUS_OK)
        status = gr_sim_check(built->path, ask->variant->kernel->path, sim,
                              ask->simulate_ns + grace_ns, faults, count, cut, error);
    free(sim);
    return status;
}

/* A history takes about 100 bytes an element. */
static const int64_t most_followed = 1 << 24;

/* Are the arrays that another kernel than a GEMM writes small enough for races through global
 * memory to be found? If not, a note says so. */
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
static enum gradus_status trace(const struct gr_explain *ask, const struct gr_givens *givens,
                                const struct gr_plan *plan, const struct gr_sim_machine *machine,
                                struct gr_explained *explained, struct gradus_error *error)
{
    struct gr_sim_built built = {.pending = -1};
    const bool is_gemm = !gr_kernel_has_workload(ask->variant->kernel);
    const struct gr_problem small = is_gemm ? gr_races_problem(ask, givens) : *ask->problem;
    struct gr_explain here = *ask;
    /* Of other workloads nothing is known of smaller sizes, so races are found at this one. */
    here.races = is_gemm ? gr_races_here(ask, &small) : follows_races(explained);
    here.scaled &= is_gemm;
    here.edges &= is_gemm;
    enum gradus_status status = gr_simulate_build(ask, GR_SIM_TRACED, &built, error);
    if (status == GRADUS_OK)
        status = gr_simulate_launches(&here, givens, plan, &built, machine, explained->traces,
                                      &explained->trace_count, error);
    name_operands(ask, explained);
    if (status == GRADUS_OK && here.scaled)
        status = gr_scaled_look(ask, givens, &built, &explained->edges, error);
    if (status == GRADUS_OK && is_gemm && !here.races)
        status = gr_races_look(ask, givens, &small, &built, &explained->edges, error);
    if (status == GRADUS_OK && here.edges)
        status = gr_edges_look(ask, givens, &built, &explained->edges, error);
    gr_temporary_remove(built.path, built.pending);
    if (status == GRADUS_OK && is_gemm)
        status = gr_overflows_look(ask, givens, plan, explained->traces, explained->trace_count,
                                   &explained->overflows, error);
    return status;
}

/* With the kernel's name, as in launches that are refused before they are made. */
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

enum gradus_status gr_simulate(const struct gr_explain *ask, const struct gr_givens *givens,
                               const struct gr_plan *plan, const struct gr_code *code,
                               struct gr_explained *explained, struct gradus_error *error)
{
    struct gr_sim_machine machine;
    bool known = find_machine(plan, code, explained, &machine);
    enum gradus_status status = trace(ask, givens, plan, known ? &machine : NULL, explained, error);
    for (int i = 0; i < explained->trace_count; i++)
        explained->traces[i].widths = known ? GR_WIDTHS_CUBIN : GR_WIDTHS_MERGED;
    if (status == GRADUS_LAUNCH)
        return refuse(ask, explained, error);
    if (status != GRADUS_UNSUPPORTED && status != GRADUS_CRASHED && status != GRADUS_TIMED_OUT)
        return status;
    /* A launch that reached something that is not modelled has incomplete counts. */
    while (status == GRADUS_UNSUPPORTED && explained->trace_count > 0)
        gr_trace_free(&explained->traces[--explained->trace_count]);
    explained->untraced = gr_strdup(error->text);
    explained->died = status != GRADUS_UNSUPPORTED;
    explained->endless = status == GRADUS_TIMED_OUT;
    gradus_error_clear(error);
    return GRADUS_OK;
}
