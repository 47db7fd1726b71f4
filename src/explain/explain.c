/* explain.c: compiles a kernel and runs every analysis. SPDX-License-Identifier: MIT */
#include "explain/explain.h"

#include "explain/amd_words.h"
#include "backend/gpu_compile.h"
#include "plan/launch_plan.h"
#include "core/error.h"
#include "base/str.h"
#include "explain/advice.h"
#include "explain/analysis.h"
#include "explain/edge_faults.h"
#include "explain/expect.h"
#include "explain/simulation.h"
#include "explain/format_faults.h"
#include "explain/workload_faults.h"
#include "emit/missing_headers.h"
#include "gpu/amd_disassemble.h"
#include "model/launch_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gr_analysis *const gr_analysis_all[];

bool gr_input_value(const struct gr_analysis_input *s, const char *name, int64_t *value)
{
    const struct gr_kernel *k = s->variant->kernel;
    bool declared = false;
    for (int i = 0; i < k->param_count; i++)
        declared |= strcmp(k->params[i].name.text, name) == 0;
    for (int i = 0; i < k->let_count; i++)
        declared |= strcmp(k->lets[i].name.text, name) == 0;
    const struct gr_text text = {.text = (char *)name, .place.column = 1};
    return declared && gr_variant_eval(s->variant, s->problem, s->device_values, &text, value,
                                       NULL) == GRADUS_OK;
}

int64_t gr_input_threads(const struct gr_analysis_input *s)
{
    return (int64_t)s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
}

int64_t gr_input_blocks(const struct gr_analysis_input *s)
{
    return (int64_t)s->launch->grid[0] * s->launch->grid[1] * s->launch->grid[2];
}

int64_t gr_input_smem_bytes(const struct gr_analysis_input *s)
{
    return s->kernel->smem_bytes + s->launch->smem_bytes;
}

bool gr_input_is_amd(const struct gr_analysis_input *s)
{
    return gr_device_is_amd(s->device);
}

struct gr_block_needs gr_input_needs(const struct gr_analysis_input *s)
{
    const struct gr_code_kernel *k = s->kernel;
    return (struct gr_block_needs){.threads = gr_input_threads(s),
                                   .registers_per_thread = k->registers,
                                   .smem_bytes = gr_input_smem_bytes(s),
                                   .scalar_registers = k->amd.sgprs,
                                   .wave = k->amd.wave,
                                   .wgp = k->amd.wgp};
}

/* Machine code that the user gave is used instead of the compiler's result. */
static enum gradus_status take_code(const struct gr_kernel_code *code, struct gr_explained *out,
                                    struct gradus_error *error)
{
    struct gr_rtc_code *cubin = &out->cubin;
    cubin->image = malloc(code->length);
    cubin->lowered[0] = gr_strdup(code->symbol);
    cubin->name_count = 1;
    if (!cubin->image || !cubin->lowered[0])
        return gr_fail_memory(error, "machine code", code->length);
    memcpy(cubin->image, code->image, code->length);
    cubin->length = code->length;
    snprintf(cubin->compiler, sizeof cubin->compiler, "%s", code->compiler);
    if (!code->lines_of)
        snprintf(out->notes, sizeof out->notes,
                 "Machine code without line tables: accesses have no lines; compile with -lineinfo "
                 "for them");
    else if (!code->has_source)
        snprintf(out->notes, sizeof out->notes,
                 "Lines are those of %.150s, which is not there, so their text is not shown",
                 code->lines_of);
    return GRADUS_OK;
}

/* If there is no compiler, or it does not support the architecture, the rest is still explained. */
static enum gradus_status compile(const struct gr_explain *ask, struct gr_explained *out,
                                  struct gradus_error *error)
{
    const struct gr_gpu_target target = {ask->device->name, ask->arch, (int)ask->device->cc};
    if (ask->variant->kernel->code.image)
        return take_code(&ask->variant->kernel->code, out, error);
    enum gradus_status status = gr_gpu_compile(ask->variant, ask->build, &target, &out->cubin,
                                               out->notes, sizeof out->notes, error);
    if (status != GRADUS_UNSUPPORTED)
        return status;
    out->skip = gr_strdup(error->text);
    gradus_error_clear(error);
    return out->skip ? GRADUS_OK : gr_fail_memory(error, "a message", 0);
}

/* The first line of the compiler's messages that contains an error or, if there is none, the first
 * line. */
static const char *first_error(const char *log, int *length)
{
    const char *reported = strstr(log, "error");
    while (reported && reported > log && reported[-1] != '\n')
        reported--;
    reported = reported ? reported : log;
    size_t all = strcspn(reported, "\n");
    *length = all < 300 ? (int)all : 300;
    return reported;
}

/* A file that the GPU's compiler rejects, for example because it includes a host header, may be
 * accepted by g++; the simulator then explains what it can. The error is kept in `refusal` for the
 * case that g++ rejects it too. */
static enum gradus_status set_aside(const struct gr_explain *ask, struct gradus_error *error,
                                    struct gradus_error *refusal, struct gr_explained *out)
{
    const char *compiler = gr_device_is_amd(ask->device) ? "AMD's compiler" : "NVRTC";
    int length;
    const char *reported = first_error(error->log ? error->log : error->text, &length);
    out->skip = gr_printf("%s refuses it: %.*s; the rest is the simulator's: widths of accesses "
                          "are guessed, registers and instructions are not known",
                          compiler, length, reported);
    if (!out->skip)
        return gr_fail_memory(error, "a message", 0);
    *refusal = *error;
    *error = (struct gradus_error){0};
    return GRADUS_OK;
}

/* If the simulator's compiler failed as well, the file is reported as wrong, with the messages
 * of the first compiler. */
static enum gradus_status take_back(struct gradus_error *error, struct gradus_error *refusal)
{
    gradus_error_clear(error);
    *error = *refusal;
    *refusal = (struct gradus_error){0};
    return error->status;
}

/* Reads the machine code. Without a disassembler for AMD's GPUs the rest is still explained. */
static enum gradus_status read_code(struct gr_explained *out, struct gr_code *code,
                                    struct gradus_error *error)
{
    enum gradus_status status = gr_code_read(out->cubin.image, out->cubin.length, code, error);
    if (status != GRADUS_OK || !code->is_amd)
        return status;
    status = gr_amd_disassemble(out->cubin.image, out->cubin.length, code, error);
    if (status != GRADUS_UNSUPPORTED)
        return status;
    out->skip = gr_strdup(error->text);
    gradus_error_clear(error);
    return out->skip ? GRADUS_OK : gr_fail_memory(error, "a message", 0);
}

/* Stores the reason if a `require` or the device refuses the problem. */
static enum gradus_status set_refused(enum gradus_status status, struct gr_explained *out,
                                      struct gradus_error *error)
{
    if (status != GRADUS_UNSUPPORTED && status != GRADUS_LAUNCH)
        return status;
    out->refused = gr_strdup(error->text);
    out->impossible = status == GRADUS_LAUNCH;
    gradus_error_clear(error);
    return out->refused ? GRADUS_OK : gr_fail_memory(error, "a message", 0);
}

/* Plans the launches or, if the problem or the device is refused, stores the reason. */
static enum gradus_status plan(const struct gr_explain *ask,
                               const struct gr_device_values *device_values,
                               struct gr_explained *out, struct gr_plan *launches,
                               struct gradus_error *error)
{
    enum gradus_status status = gr_variant_admits(ask->variant, ask->problem, device_values, error);
    if (status == GRADUS_OK)
        status = gr_plan_launches(ask->variant, ask->problem, device_values, launches, error);
    if (status == GRADUS_UNSUPPORTED || status == GRADUS_LAUNCH)
        launches->launch_count = 0;
    return set_refused(status, out, error);
}

/* The resources that the machine code needs; without machine code, the shared memory that the
 * traced blocks accessed. */
static struct gr_launch_code needs_of(const struct gr_code *code, const struct gr_explained *out,
                                      int stanza)
{
    const struct gr_rtc_code *cubin = &out->cubin;
    const struct gr_code_kernel *k =
        stanza < cubin->name_count ? gr_code_find(code, cubin->lowered[stanza]) : NULL;
    if (k)
        return (struct gr_launch_code){.max_threads = k->max_threads,
                                       .registers = k->registers,
                                       .smem_bytes = k->smem_bytes,
                                       .wave = k->amd.wave,
                                       .wgp = k->amd.wgp,
                                       .stack_bytes = k->stack_bytes};
    struct gr_launch_code needs = {0};
    for (int i = 0; i < out->trace_count; i++)
        for (int j = 0; j < out->traces[i].array_count; j++) {
            const struct gr_trace_array *a = &out->traces[i].arrays[j];
            if (out->traces[i].stanza == stanza && a->space == GR_SPACE_SHARED && !a->dynamic &&
                (a->loaded || a->stored))
                needs.smem_bytes += a->bytes;
        }
    return needs;
}

/* Checks the launches against the known resources of the code. */
static enum gradus_status admit(const struct gr_explain *ask, const struct gr_plan *launches,
                                const struct gr_code *code, struct gr_explained *out,
                                struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < launches->launch_count && status == GRADUS_OK && !out->refused; i++) {
        const struct gr_launch_code needs = needs_of(code, out, launches->launches[i].stanza);
        status = gr_launch_admits(ask->device, ask->variant->kernel->name, &launches->launches[i],
                                  &needs, error);
    }
    return set_refused(status, out, error);
}

bool gr_input_computes(const struct gr_analysis_input *s)
{
    return s->flops > 0 && (gr_kernel_has_workload(s->variant->kernel) || gr_input_multiplies(s));
}

bool gr_input_multiplies(const struct gr_analysis_input *s)
{
    bool a = false, b = false;
    for (int i = 0; i < s->stanza->signature.count; i++) {
        a |= s->stanza->signature.parameters[i].role == GR_ROLE_A;
        b |= s->stanza->signature.parameters[i].role == GR_ROLE_B;
    }
    return a && b;
}

static struct gr_floors tensor_floors(const struct gr_analysis_input *s)
{
    const char *math = s->variant->kernel->math;
    return gr_floors_by_tensor_cores(s->flops, s->bytes, s->problem->types,
                                     math && strcmp(math, "tf32") == 0, s->device);
}

struct gr_floors gr_input_floors(const struct gr_analysis_input *s)
{
    return s->uses_tensor_cores
               ? tensor_floors(s)
               : gr_floors_of(s->flops, s->bytes, s->problem->types.acc, s->device);
}

struct gr_floors gr_input_least_floors(const struct gr_analysis_input *s, bool *tensor)
{
    const struct gr_floors plain =
        gr_floors_of(s->flops, s->bytes, s->problem->types.acc, s->device);
    const struct gr_floors fast = tensor_floors(s);
    *tensor = fast.gflops > plain.gflops;
    return *tensor ? fast : plain;
}

static int by_order(const void *a, const void *b)
{
    const struct gr_analysis *x = *(const struct gr_analysis *const *)a;
    const struct gr_analysis *y = *(const struct gr_analysis *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

static enum gradus_status ask_one(const struct gr_analysis *analysis,
                                  const struct gr_analysis_input *input, bool several,
                                  struct gr_explanation *explanation, struct gradus_error *error)
{
    if (!analysis->applies(input))
        return GRADUS_OK;
    bool named = several && !analysis->of_problem;
    const char *name = input->stanza->signature.name;
    char *prefix = named ? gr_printf("%s.", name) : gr_strdup("");
    char *title = named ? gr_printf("%s: %s", analysis->title, name) : gr_strdup(analysis->title);
    struct gr_section *section =
        prefix && title ? gr_explanation_add(explanation, title, prefix) : NULL;
    free(prefix);
    free(title);
    if (!section)
        return gr_fail_memory(error, "an explanation", 0);
    analysis->explain(input, section);
    return GRADUS_OK;
}

/* The launch of a stanza; null if it is not launched, for example because its `when` is 0. */
static const struct gr_plan_launch *launch_of(const struct gr_plan *launches, int stanza)
{
    for (int i = 0; i < launches->launch_count; i++)
        if (launches->launches[i].stanza == stanza)
            return &launches->launches[i];
    return NULL;
}

/* The trace of a stanza; null if it was not simulated. */
static const struct gr_trace *trace_of(const struct gr_explained *explained, int stanza)
{
    for (int i = 0; i < explained->trace_count; i++)
        if (explained->traces[i].stanza == stanza)
            return &explained->traces[i];
    return NULL;
}

bool gr_source_uses_tensor_cores(const char *source)
{
    static const char *const words[] = {"wmma", "mma.sync", "mma_sync", "wgmma", "mma.h", NULL};
    bool uses = false;
    for (int i = 0; source && words[i]; i++)
        uses |= strstr(source, words[i]) != NULL;
    return uses;
}

/* Does a stanza's machine code use tensor cores, or without a compiler the source? */
static bool uses_tensor_cores(const struct gr_variant *variant, const struct gr_code *code,
                              const struct gr_rtc_code *cubin)
{
    bool uses = false, known = false;
    struct gr_mix whole, loop;
    for (int i = 0; i < cubin->name_count; i++) {
        const struct gr_code_kernel *kernel = gr_code_find(code, cubin->lowered[i]);
        if (!kernel || gr_code_mix(code, kernel, &whole, &loop, NULL) != GRADUS_OK)
            continue;
        known = true;
        uses |= whole.count[GR_OP_MMA] > 0;
    }
    return known ? uses : gr_source_uses_tensor_cores(variant->kernel->source);
}

static struct gr_analysis_input input_of(const struct gr_explain *ask,
                                         const struct gr_device_values *device_values,
                                         const struct gr_plan *launches, const struct gr_code *code,
                                         const struct gr_explained *explained, int stanza)
{
    const struct gr_rtc_code *cubin = &explained->cubin;
    return (struct gr_analysis_input){
        .variant = ask->variant,
        .problem = ask->problem,
        .device_values = device_values,
        .device = ask->device,
        .stanza = &ask->variant->kernel->stanzas[stanza],
        .flops = explained->workload.flops,
        .bytes = explained->workload.bytes,
        .workload = &explained->workload,
        .launch = launch_of(launches, stanza),
        .code = code,
        .kernel = stanza < cubin->name_count ? gr_code_find(code, cubin->lowered[stanza]) : NULL,
        .trace = trace_of(explained, stanza),
        .strict = ask->strict,
        .uses_tensor_cores = uses_tensor_cores(ask->variant, code, cubin)};
}

/* Runs the analyses in their order, each for every stanza. */
static enum gradus_status ask_all(const struct gr_explain *ask,
                                  const struct gr_device_values *device_values,
                                  const struct gr_plan *launches, const struct gr_code *code,
                                  struct gr_explained *out, struct gradus_error *error)
{
    const struct gr_analysis *analyses[64];
    const struct gr_kernel *kernel = ask->variant->kernel;
    size_t count = 0;
    while (gr_analysis_all[count] && count < sizeof analyses / sizeof *analyses) {
        analyses[count] = gr_analysis_all[count];
        count++;
    }
    qsort(analyses, count, sizeof *analyses, by_order);
    enum gradus_status status = GRADUS_OK;
    for (size_t a = 0; a < count; a++)
        for (int i = 0; i < kernel->stanza_count && status == GRADUS_OK; i++) {
            struct gr_analysis_input input = input_of(ask, device_values, launches, code, out, i);
            if (i == 0 || !analyses[a]->of_problem)
                status = ask_one(analyses[a], &input, kernel->stanza_count > 1, &out->explanation,
                                 error);
        }
    if (status == GRADUS_OK && gr_explanation_failed(&out->explanation))
        status = gr_fail_memory(error, "an explanation", 0);
    return status;
}

/* Sorts advice by saving, the largest first. Advice with equal or unknown savings keeps its
 * order. */
static void sort_advice(struct gr_finding *items, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && items[j - 1].saves_s < items[j].saves_s; j--) {
            struct gr_finding moved = items[j];
            items[j] = items[j - 1];
            items[j - 1] = moved;
        }
}

/* Adds the findings at other shapes that were not found at this problem. */
static void find_edges(const struct gr_findings *edges, struct gr_findings *findings)
{
    const int here = findings->count;
    for (int i = 0; i < edges->count; i++) {
        bool reported = false;
        for (int j = 0; j < here && !reported; j++)
            reported = gr_edges_same(&findings->items[j], &edges->items[i]);
        if (!reported)
            gr_findings_copy(findings, &edges->items[i]);
    }
}

/* Sorts by severity, the worst first; equal ones keep their order. */
static void sort_severity(struct gr_finding *items, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && items[j - 1].severity > items[j].severity; j--) {
            struct gr_finding moved = items[j];
            items[j] = items[j - 1];
            items[j - 1] = moved;
        }
}

/* Gives the reason if the counts are not those of the machine code. A kernel that crashes in its
 * machine code is faulty, even if its source was traced to the end. */
static void add_unexecuted(const struct gr_explained *out, struct gr_findings *findings)
{
    if (!out->unexecuted || (out->code_died && out->died))
        return;
    if (out->code_died)
        gr_findings_add(findings, GR_FIND_DIED, 0, "the machine code: %s", out->unexecuted);
    if (out->trace_count > 0)
        gr_findings_add(findings, GR_FIND_NOTE, 0,
                        "counts are those of the source: the machine code %s%s",
                        out->code_died ? "did not end" : "was not executed: ",
                        out->code_died ? "" : out->unexecuted);
}

/* Collects the faults of all stanzas, those at other shapes, and then the advice. If the device
 * refuses a launch, there is no advice, because the kernel cannot run. If the launch was guessed,
 * nothing is reported except a warning that says so, because what the kernel does with it proves
 * nothing about the kernel. */
static void find(const struct gr_explain *ask, const struct gr_device_values *device_values,
                 const struct gr_plan *launches, const struct gr_code *code,
                 struct gr_explained *out)
{
    const struct gr_kernel *kernel = ask->variant->kernel;
    struct gr_findings *findings = &out->explanation.findings;
    if (kernel->launch_guessed && kernel->launch_origin) {
        struct gr_finding *added =
            gr_findings_add(findings, GR_FIND_LAUNCH, 0, "%s", kernel->launch_origin);
        if (added)
            added->severity = GR_SEVERITY_WARNING;
        return;
    }
    if (out->impossible)
        gr_findings_add(findings, GR_FIND_LAUNCH, 0, "%s", out->refused);
    for (int i = 0; i < out->overflows.count; i++)
        gr_findings_copy(findings, &out->overflows.items[i]);
    for (int i = 0; i < kernel->stanza_count; i++) {
        struct gr_analysis_input input = input_of(ask, device_values, launches, code, out, i);
        gr_faults_format(&input, findings);
    }
    add_unexecuted(out, findings);
    if (out->died && out->untraced)
        gr_findings_add(findings, GR_FIND_DIED, 0, "%s", out->untraced);
    if (!out->untraced)
        gr_unwritten_format(ask->variant, ask->problem, out->traces, out->trace_count, findings);
    if (!out->untraced)
        gr_workload_faults(kernel, out->traces, out->trace_count, findings);
    find_edges(&out->edges, findings);
    sort_severity(findings->items, findings->count);
    int faults = findings->count;
    for (int i = 0; i < kernel->stanza_count && !out->impossible; i++) {
        struct gr_analysis_input input = input_of(ask, device_values, launches, code, out, i);
        for (int a = 0; gr_advice_all[a]; a++)
            gr_advice_all[a]->look(&input, &out->explanation, findings);
    }
    if (findings->count > faults)
        sort_advice(findings->items + faults, findings->count - faults);
}

struct gr_device_values gr_explain_device_values(const struct gr_device *d)
{
    return (struct gr_device_values){
        .sms = d->sms, .threads = 1, .smem_max = d->smem_per_block_bytes, .cc = d->cc, .occ = 1};
}

enum gradus_status gr_explain(const struct gr_explain *ask, struct gr_explained *out,
                              struct gradus_error *error)
{
    const struct gr_device_values device_values = gr_explain_device_values(ask->device);
    struct gr_plan launches = {0};
    struct gr_code code = {0};
    struct gradus_error refusal = {0};
    *out = (struct gr_explained){0};
    enum gradus_status status =
        gr_workload_make(ask->variant, ask->problem, &device_values, &out->workload, error);
    gr_follower_stage(ask->follower, "compiling");
    if (status == GRADUS_OK)
        status = compile(ask, out, error);
    if (status == GRADUS_COMPILE && error && ask->simulate && !ask->code_wanted)
        status = set_aside(ask, error, &refusal, out);
    if (status == GRADUS_OK)
        status = plan(ask, &device_values, out, &launches, error);
    if (status == GRADUS_OK && out->cubin.length)
        status = read_code(out, &code, error);
    if (status == GRADUS_OK)
        status = admit(ask, &launches, &code, out, error);
    gr_follower_stage(ask->follower, "simulating");
    if (status == GRADUS_OK && ask->simulate && launches.launch_count > 0 && !out->refused)
        status =
            set_refused(gr_simulate(ask, &device_values, &launches, &code, out, error), out, error);
    if (status == GRADUS_OK && out->trace_count > 0)
        status = admit(ask, &launches, &code, out, error);
    if (refusal.status != GRADUS_OK && out->trace_count == 0 && !out->died)
        status = take_back(error, &refusal);
    if (status == GRADUS_OK)
        status = ask_all(ask, &device_values, &launches, &code, out, error);
    if (status == GRADUS_OK)
        find(ask, &device_values, &launches, &code, out);
    if (status == GRADUS_OK)
        status = gr_expect_judge(ask->variant, ask->problem, &device_values, ask->arch,
                                 &out->explanation, error);
    if (status == GRADUS_OK && gr_device_is_amd(ask->device) && !gr_amd_words(out))
        status = gr_fail_memory(error, "an explanation", 0);
    if (status == GRADUS_COMPILE && error)
        gr_missing_headers_tell(ask->variant->kernel, ask->build->flags, error);
    gradus_error_clear(&refusal);
    gr_code_free(&code);
    return status;
}

void gr_explained_free(struct gr_explained *e)
{
    gr_explanation_free(&e->explanation);
    for (int i = 0; i < e->trace_count; i++)
        gr_trace_free(&e->traces[i]);
    gr_findings_free(&e->edges);
    gr_findings_free(&e->overflows);
    free(e->untraced);
    free(e->unexecuted);
    gr_rtc_code_free(&e->cubin);
    free(e->skip);
    free(e->refused);
    *e = (struct gr_explained){0};
}
