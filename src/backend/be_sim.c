/* be_sim.c: runs GPU kernels on this machine's processor, which gives results but no meaningful
 * times. "sim" simulates an H200, "sim:t4" the GPU of devices/t4.txt.
 * SPDX-License-Identifier: MIT */
#include "backend/backend.h"
#include "backend/device_ref.h"
#include "backend/executed_kernel.h"
#include "backend/gpu_compile.h"
#include "plan/launch_plan.h"
#include "backend/guarded_memory.h"
#include "plan/plan_value.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/str.h"
#include "base/temporary.h"
#include "catalog/catalog.h"
#include "code/decode.h"
#include "model/device.h"
#include "sim/compile_host.h"
#include "simrt/simrt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- In the parent. ---- */

static enum gradus_status parse(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error)
{
    (void)error;
    snprintf(ref->model, sizeof ref->model, "%.40s", text ? text : "h200");
    return GRADUS_OK;
}

static enum gradus_status read_device(const struct gr_device_ref *ref, struct gr_device **device,
                                      struct gradus_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "devices/%s.txt", ref->model);
    const struct gr_embedded *file = gr_embedded_find(path);
    *device = NULL;
    if (!file)
        return gr_fail(error, GRADUS_INVALID,
                       "--device %s: no such device file; `gradus help explain` names them",
                       ref->text);
    *device = calloc(1, sizeof **device);
    if (!*device)
        return gr_fail_memory(error, "a device", sizeof **device);
    return gr_device_read(path, file->text, *device, error);
}

static enum gradus_status find(const struct gr_device_ref *ref, void **found,
                               struct gr_device_about *about, struct gradus_error *error)
{
    struct gr_device *device;
    *about = (struct gr_device_about){0};
    enum gradus_status status = read_device(ref, &device, error);
    *found = device;
    if (status != GRADUS_OK)
        return status;
    snprintf(about->name, sizeof about->name, "%s, simulated", device->name);
    about->cache_bytes = device->l2_bytes;
    about->memory_bytes = device->memory_mb * 1000000;
    return GRADUS_OK;
}

static void discard(struct gr_artifact *artifact)
{
    gr_temporary_remove(artifact->path, artifact->pending);
    *artifact = (struct gr_artifact){.pending = -1};
}

/* By its source. */
static enum gradus_status prepare_source(const struct gr_device *device,
                                         const struct gr_variant *variant,
                                         const struct gr_build *build, struct gr_artifact *artifact,
                                         struct gradus_error *error)
{
    const struct gr_sim_build_order wish = {
        .variant = variant,
        .target = {device->name, device->arch, (int)device->cc, (int)device->warp},
        .kind = GR_SIM_FAST,
        .compiler = build->compiler,
        .flags = build->flags,
        .defines = build->defines,
        .no_cache = build->no_cache};
    struct gr_sim_built built;
    enum gradus_status status = gr_sim_build(&wish, &built, error);
    if (status != GRADUS_OK)
        return status;
    snprintf(artifact->path, sizeof artifact->path, "%s", built.path);
    snprintf(artifact->symbol, sizeof artifact->symbol, "gr_sim_run");
    snprintf(artifact->flags, sizeof artifact->flags, "%s", built.compiler);
    snprintf(artifact->notes, sizeof artifact->notes, "%s", built.notes);
    artifact->pending = built.pending;
    return GRADUS_OK;
}

static bool has_machine_code(const struct gr_device *device)
{
    return gr_starts_with(device->arch, "sm_") && gr_decode_knows((int)device->cc);
}

/* By its machine code. The error of a missing compiler says what asked for it. */
static enum gradus_status prepare_code(const struct gr_device *device,
                                       const struct gr_variant *variant,
                                       const struct gr_build *build, struct gr_artifact *artifact,
                                       struct gradus_error *error)
{
    const struct gr_gpu_target target = {device->name, device->arch, (int)device->cc};
    struct gr_rtc_about about;
    if (!has_machine_code(device))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "--engine code: machine code of %s (%s) cannot be executed, only that of "
                       "NVIDIA's GPUs from sm_75 to sm_120: choose --engine source",
                       device->name, device->arch);
    if (gr_rtc_nvrtc.find(&about, error) != GRADUS_OK) {
        gradus_error_clear(error);
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "--engine code needs machine code of NVIDIA's, which NVRTC makes: pip "
                       "install nvidia-cuda-nvrtc");
    }
    return gr_executed_make(variant, build, &target, artifact, error);
}

/* The source where this machine's compiler takes it, otherwise the machine code. If neither can be
 * run, the error is the machine code's, or the source's where nothing makes machine code. */
static enum gradus_status prepare_either(const struct gr_device *device,
                                         const struct gr_variant *variant,
                                         const struct gr_build *build, struct gr_artifact *artifact,
                                         struct gradus_error *error)
{
    struct gr_rtc_about about;
    struct gradus_error why = {0}, ignored = {0};
    const bool possible =
        has_machine_code(device) && gr_rtc_nvrtc.find(&about, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    enum gradus_status status = prepare_source(device, variant, build, artifact, error);
    if ((status != GRADUS_UNSUPPORTED && status != GRADUS_COMPILE) || !possible)
        return status;
    enum gradus_status other = prepare_code(device, variant, build, artifact, &why);
    if (other != GRADUS_OK && status == GRADUS_COMPILE) {
        discard(artifact);
        gradus_error_clear(&why);
        return status;
    }
    gradus_error_clear(error);
    if (error)
        *error = why;
    else
        gradus_error_clear(&why);
    return other;
}

static enum gradus_status prepare(const void *found, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error)
{
    const struct gr_device *device = found;
    const struct gr_kernel *kernel = variant->kernel;
    const struct gr_gpu_target target = {device->name, device->arch, (int)device->cc};
    *artifact = (struct gr_artifact){.backend = "sim", .pending = -1, .type = variant->types.acc};
    if (kernel->language != GR_LANGUAGE_CUDA)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not CUDA: choose --device cpu",
                       kernel->path);
    enum gradus_status status = gr_gpu_admits(kernel, &target, error);
    if (status != GRADUS_OK)
        return status;
    switch (build->engine) {
    case GR_ENGINE_SOURCE:
        return prepare_source(device, variant, build, artifact, error);
    case GR_ENGINE_CODE:
        return prepare_code(device, variant, build, artifact, error);
    default:
        return prepare_either(device, variant, build, artifact, error);
    }
}

static void device_values(const void *found, const struct gr_artifact *artifact, int threads,
                          struct gr_device_values *out)
{
    const struct gr_device *device = found;
    (void)artifact;
    *out = (struct gr_device_values){.sms = device->sms,
                                     .threads = threads,
                                     .smem_max = device->smem_per_block_bytes,
                                     .cc = device->cc,
                                     .occ = 1};
}

static const struct gr_device *limits(const void *found)
{
    return found;
}

/* ---- In the worker. ---- */

struct opened {
    int warp;
    int64_t begun_ns;                /* the start of the measurement */
    struct gr_machine_memory memory; /* what is reserved, and the variables of kernels */
};

/* A kernel by its source, or by its machine code. */
struct loaded {
    gr_sim_run_fn *run;
    int threads, warp;
    struct gr_executed_kernel *executed; /* null: by its source */
};

static enum gradus_status open_device(const struct gr_device_ref *ref, void **out,
                                      struct gradus_error *error)
{
    struct gr_device *device;
    struct opened *opened = NULL;
    enum gradus_status status = read_device(ref, &device, error);
    if (status == GRADUS_OK && !(opened = calloc(1, sizeof *opened)))
        status = gr_fail_memory(error, "a device", sizeof *opened);
    if (opened)
        opened->warp = (int)device->warp;
    free(device);
    *out = opened;
    return status;
}

static enum gradus_status reserve(void *opened, uint64_t bytes, void **address,
                                  struct gradus_error *error)
{
    struct opened *o = opened;
    *address = gr_guarded_reserve(bytes);
    if (*address && gr_memory_add(&o->memory, (uintptr_t)*address, bytes))
        return GRADUS_OK;
    gr_guarded_release(*address);
    return gr_fail_memory(error, "the simulated GPU's memory", bytes);
}

static void release(void *opened, void *address)
{
    if (address)
        gr_memory_remove(&((struct opened *)opened)->memory, (uintptr_t)address);
    gr_guarded_release(address);
}

static enum gradus_status upload(void *opened, void *to, const void *from, uint64_t bytes,
                                 struct gradus_error *error)
{
    (void)opened;
    (void)error;
    memcpy(to, from, bytes);
    return GRADUS_OK;
}

static enum gradus_status fill(void *opened, void *to, unsigned char byte, uint64_t bytes,
                               struct gradus_error *error)
{
    (void)opened;
    (void)error;
    memset(to, byte, bytes);
    return GRADUS_OK;
}

static void close_device(void *opened)
{
    if (opened)
        gr_memory_free(&((struct opened *)opened)->memory);
    free(opened);
}

static enum gradus_status load(void *opened, const struct gr_artifact *artifact, int threads,
                               void **out, struct gradus_error *error)
{
    struct loaded *l = calloc(1, sizeof *l);
    *out = l;
    if (!l)
        return gr_fail_memory(error, "a kernel", sizeof *l);
    if (artifact->executes)
        return gr_executed_load(artifact->path, &((struct opened *)opened)->memory, threads,
                                &l->executed, error);
    void *object = dlopen(artifact->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object)
        return gr_fail(error, GRADUS_LAUNCH, "the simulated kernel cannot be loaded: %s",
                       dlerror());
    *(void **)&l->run = dlsym(object, artifact->symbol);
    l->threads = threads;
    l->warp = ((const struct opened *)opened)->warp;
    if (!l->run)
        return gr_fail(error, GRADUS_LAUNCH, "the simulated kernel has no entry");
    return GRADUS_OK;
}

static void unload(void *loaded)
{
    struct loaded *l = loaded;
    if (l)
        gr_executed_unload(l->executed);
    free(l);
}

static enum gradus_status judge(const struct gr_sim_outcome *outcome, struct gradus_error *error)
{
    switch (outcome->status) {
    case GR_SIM_DONE:
        return GRADUS_OK;
    case GR_SIM_NOT_MODELLED:
        return gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: %s", outcome->text);
    case GR_SIM_REFUSED:
        return gr_fail(error, GRADUS_LAUNCH, "%s", outcome->text);
    case GR_SIM_NO_MEMORY:
        return gr_fail_memory(error, "a simulated block", 0);
    default:
        return gr_fail(error, GRADUS_CRASHED, "%s", outcome->text);
    }
}

static enum gradus_status launch_one(const struct loaded *l, const struct gr_plan *plan,
                                     const struct gr_plan_launch *from,
                                     const struct gr_launch *launch,
                                     const struct gr_scratch *scratch, struct gradus_error *error)
{
    union gr_plan_value values[GR_MAX_PARAMETERS];
    void *pointers[GR_MAX_PARAMETERS];
    struct gr_sim_outcome outcome;
    if (l->executed)
        return gr_executed_launch(l->executed, plan, from, launch, scratch, error);
    for (int i = 0; i < from->parameter_count; i++) {
        if (from->parameters[i].role == GR_ROLE_MAP)
            return gr_fail(error, GRADUS_UNSUPPORTED, "not modelled: tensor maps (TMA)");
        gr_plan_value(&from->parameters[i], launch, scratch, &values[i]);
        pointers[i] = &values[i];
    }
    struct gr_sim_launch ask = {.stanza = from->stanza,
                                .warp = l->warp,
                                .smem_bytes = from->smem_bytes,
                                .parameters = pointers,
                                .threads = l->threads};
    memcpy(ask.grid, from->grid, sizeof ask.grid);
    memcpy(ask.block, from->block, sizeof ask.block);
    l->run(&ask, &outcome);
    return judge(&outcome, error);
}

static enum gradus_status launch_all(const struct loaded *l, const struct gr_launch *launch,
                                     const struct gr_plan *plan, const struct gr_scratch *scratch,
                                     bool once, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < scratch->count && !once; i++)
        if (scratch->zero[i])
            memset(scratch->buffer[i], 0, (size_t)scratch->bytes[i]);
    if (plan->zero_c_bytes && !once)
        memset(launch->c, 0, (size_t)plan->zero_c_bytes);
    for (int i = 0; i < plan->launch_count && status == GRADUS_OK; i++)
        if (plan->launches[i].once == once)
            status = launch_one(l, plan, &plan->launches[i], launch, scratch, error);
    return status;
}

static enum gradus_status before(void *loaded, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error)
{
    return launch_all(loaded, launch, plan, scratch, true, error);
}

static enum gradus_status begin(void *opened, struct gradus_error *error)
{
    (void)error;
    ((struct opened *)opened)->begun_ns = gr_now_ns();
    return GRADUS_OK;
}

static enum gradus_status enqueue(void *loaded, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    return launch_all(loaded, launch, plan, scratch, false, error);
}

/* Stores the duration of the simulation, for time limits only; it is never shown. */
static enum gradus_status end(void *opened, int64_t *ns, struct gradus_error *error)
{
    (void)error;
    *ns = gr_now_ns() - ((const struct opened *)opened)->begun_ns;
    return GRADUS_OK;
}

static const struct gr_backend_memory memory = {
    .reserve = reserve, .release = release, .upload = upload, .download = upload, .fill = fill};

const struct gr_backend gr_backend_sim = {
    .name = "sim",
    .takes = "GPU",
    .simulates = true,
    .parse = parse,
    .find = find,
    .forget = free,
    .prepare = prepare,
    .discard = discard,
    .device_values = device_values,
    .plan = gr_plan_launches,
    .limits = limits,
    .open = open_device,
    .close = close_device,
    .memory = &memory,
    .load = load,
    .unload = unload,
    .before = before,
    .begin = begin,
    .enqueue = enqueue,
    .end = end,
};
