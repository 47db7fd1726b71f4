/* simulate.c: passes a kernel's launches to the simulator, and collects the traces.
 * SPDX-License-Identifier: MIT */
#include "explain/simulate.h"

#include "backend/cuda_map.h"
#include "backend/gpu_compile.h"
#include "plan/plan_value.h"
#include "plan/workload.h"
#include "core/error.h"
#include "base/temporary.h"
#include "cpu/cpu.h"
#include "check/pair.h"
#include "sim/compile_host.h"
#include "sim/tracing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The traced program itself stops a kernel that does not terminate. This limit is for a program
 * that fails to do so. */
static const int64_t grace_ns = 300LL * 1000000000;

static int64_t limit_of(const struct gr_explain *ask)
{
    const int64_t hour_ns = 3600LL * 1000000000;
    return (ask->all_blocks && ask->simulate_ns < hour_ns ? hour_ns : ask->simulate_ns) + grace_ns;
}

/* A block that terminates needs far less time than this. With a short time limit for tracing, a
 * kernel that does not terminate is reported earlier. */
static int64_t patience_of(int64_t simulate_ns)
{
    const int64_t most_ns = 30LL * 1000000000;
    return simulate_ns < most_ns / 15 ? 15 * simulate_ns : most_ns;
}

/* The arrays of the job: those of the workload, followed by the `work` buffers. */
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

static void add_maps(const struct inventory *v, const struct gr_plan *plan, struct gr_sim_job *sim)
{
    for (int i = 0; i < plan->map_count && i < GR_SIM_MAPS; i++) {
        const struct gr_plan_map *from = &plan->maps[i];
        const enum gr_role role = from->operand == 'A'   ? GR_ROLE_A
                                  : from->operand == 'B' ? GR_ROLE_B
                                                         : GR_ROLE_C;
        sim->maps[i] = (struct gr_sim_job_map){.array = gr_workload_array_of(&v->workload, role, 0),
                                               .type = gr_cuda_map_type(from->type),
                                               .rows = from->rows,
                                               .columns = from->columns,
                                               .ld = from->ld,
                                               .box = {from->box[0], from->box[1]},
                                               .swizzle_bytes = from->swizzle_bytes,
                                               .optional = from->optional,
                                               .by_address = from->by_address};
    }
}

/* Adds a launch to the job. Returns false if it has tensor maps and is not executed as machine
 * code. */
static bool add_launch(const struct inventory *v, const struct gr_plan_launch *from, bool executes,
                       bool all_blocks, struct gr_sim_job *sim)
{
    struct gr_sim_job_launch *to = &sim->launches[sim->launch_count++];
    const struct gr_launch numbers = numbers_of(v);
    const struct gr_scratch none = {0};
    *to = (struct gr_sim_job_launch){.stanza = from->stanza,
                                     .whole = from->once || all_blocks,
                                     .smem_bytes = from->smem_bytes,
                                     .parameter_count = from->parameter_count};
    memcpy(to->grid, from->grid, sizeof to->grid);
    memcpy(to->block, from->block, sizeof to->block);
    memcpy(to->cluster, from->cluster, sizeof to->cluster);
    for (int i = 0; i < from->parameter_count; i++) {
        const struct gr_plan_parameter *p = &from->parameters[i];
        union gr_plan_value value = {0};
        if (p->role == GR_ROLE_MAP && (!executes || p->index >= GR_SIM_MAPS))
            return false;
        to->parameters[i].array = -1;
        to->parameters[i].map = p->role == GR_ROLE_MAP ? p->index + 1 : 0;
        to->parameters[i].map_address = p->value == GR_VALUE_ADDRESS;
        if (p->role == GR_ROLE_MAP)
            continue;
        to->parameters[i].array = array_of(v, p);
        gr_plan_value(p, &numbers, &none, &value);
        memcpy(to->parameters[i].value, &value, sizeof value);
    }
    return true;
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

static enum gradus_status make_ask(const struct gr_explain *ask,
                                   const struct gr_device_values *device_values,
                                   const struct gr_plan *plan, bool executes,
                                   struct gr_sim_job *sim, struct gradus_error *error)
{
    struct inventory v = {.ask = ask};
    enum gradus_status status =
        gr_variant_args(ask->variant, ask->problem, device_values, v.args, v.work_bytes, error);
    if (status == GRADUS_OK)
        status = gr_workload_make(ask->variant, ask->problem, device_values, &v.workload, error);
    if (status != GRADUS_OK)
        return status;
    *sim = (struct gr_sim_job){.rules = ask->device->rules,
                               .warp = (int)ask->device->warp,
                               .granule = granule_of(ask),
                               .threads = ask->races         ? 1
                                          : ask->threads > 0 ? ask->threads
                                                             : gr_cpu_threads_default(),
                               .races = ask->races,
                               .limit_ns = ask->simulate_ns,
                               .patience_ns = patience_of(ask->simulate_ns),
                               .seed = 1};
    add_arrays(&v, sim);
    add_maps(&v, plan, sim);
    for (int i = 0; i < plan->launch_count; i++)
        if (!add_launch(&v, &plan->launches[i], executes, ask->all_blocks, sim))
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

bool gr_simulate_machine(const struct gr_plan *plan, const struct gr_code *code,
                         const struct gr_rtc_code *cubin, struct gr_sim_machine *machine)
{
    *machine = (struct gr_sim_machine){cubin->image, cubin->length, code, {0}};
    bool all = cubin->length > 0;
    for (int i = 0; i < plan->launch_count && all; i++) {
        int stanza = plan->launches[i].stanza;
        if (stanza < cubin->name_count)
            machine->kernels[i] = gr_code_find(code, cubin->lowered[stanza]);
        const struct gr_code_kernel *k = machine->kernels[i];
        all = k && (!code->is_amd || k->instructions);
    }
    return all;
}

enum gradus_status
gr_simulate_launches(const struct gr_explain *ask, const struct gr_device_values *device_values,
                     const struct gr_plan *plan, const struct gr_sim_built *built,
                     const struct gr_sim_machine *machine, struct gr_trace traces[GR_MAX_STANZAS],
                     int *count, struct gradus_error *error)
{
    struct gr_sim_job *sim = calloc(1, sizeof *sim);
    *count = 0;
    if (!sim)
        return gr_fail_memory(error, "a simulation", sizeof *sim);
    const bool executes = ask->engine == GR_ENGINE_CODE;
    struct gr_sim_machine code;
    enum gradus_status status = make_ask(ask, device_values, plan, executes, sim, error);
    if (executes && !gr_simulate_machine(plan, ask->code, ask->cubin, &code) && status == GRADUS_OK)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: a launch without machine code");
    if (executes)
        machine = &code;
    const struct gr_kernel *k = ask->variant->kernel;
    const char *own = k->code.lines_of ? k->code.lines_of : k->path;
    if (status == GRADUS_OK)
        status = gr_sim_trace(executes ? NULL : built->path, own, sim, machine, limit_of(ask),
                              traces, count, NULL, error);
    free(sim);
    return status;
}

enum gradus_status gr_simulate_product(const struct gr_explain *ask,
                                       const struct gr_device_values *device_values,
                                       const struct gr_plan *plan,
                                       struct gr_simulated_product *product,
                                       struct gradus_error *error)
{
    enum { OPERANDS = 3 };
    struct gr_sim_job *sim = calloc(1, sizeof *sim);
    struct gr_trace *traces = calloc(GR_SIM_LAUNCHES, sizeof *traces);
    struct gr_sim_machine machine;
    struct gr_sim_contents contents = {0};
    int count = 0;
    enum gradus_status status = GRADUS_OK;
    if (!sim || !traces)
        status = gr_fail_memory(error, "a simulation", sizeof *sim);
    if (status == GRADUS_OK)
        status = make_ask(ask, device_values, plan, true, sim, error);
    if (status == GRADUS_OK && !gr_simulate_machine(plan, ask->code, ask->cubin, &machine))
        status = gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: a launch without machine code");
    if (status == GRADUS_OK) {
        sim->kept = OPERANDS;
        status = gr_sim_trace(NULL, ask->variant->kernel->path, sim, &machine, limit_of(ask),
                              traces, &count, &contents, error);
    }
    while (count > 0)
        gr_trace_free(&traces[--count]);
    *product = (struct gr_simulated_product){.memory = contents.bytes};
    if (contents.bytes) {
        product->a = contents.bytes;
        product->b = (const char *)product->a + sim->arrays[0].bytes;
        product->c = (const char *)product->b + sim->arrays[1].bytes;
    }
    free(traces);
    free(sim);
    return status;
}

enum gradus_status gr_simulate_checked(const struct gr_explain *ask,
                                       const struct gr_device_values *device_values,
                                       const struct gr_plan *plan, const struct gr_sim_built *built,
                                       bool last_only, struct gr_trace_fault **faults, int *count,
                                       bool *cut, struct gradus_error *error)
{
    struct gr_sim_job *sim = calloc(1, sizeof *sim);
    *faults = NULL;
    *count = 0;
    if (!sim)
        return gr_fail_memory(error, "a simulation", sizeof *sim);
    enum gradus_status status = make_ask(ask, device_values, plan, false, sim, error);
    sim->checked = true;
    sim->last_only = last_only;
    if (status == GRADUS_OK)
        status = gr_sim_check(built->path, ask->variant->kernel->path, sim,
                              ask->simulate_ns + grace_ns, faults, count, cut, error);
    free(sim);
    return status;
}
