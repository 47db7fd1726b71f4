/* be_cuda.c: runs CUDA kernels on an NVIDIA GPU, with NVRTC and the driver.
 * SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include "backend/cuda_burst.h"
#include "backend/cuda_image.h"
#include "backend/cuda_launch.h"
#include "backend/cuda_map.h"
#include "plan/launch_plan.h"
#include "backend/cuda_recording.h"
#include "core/error.h"
#include "base/temporary.h"
#include "gpu/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses the index in "cuda" or "cuda:1". */
static enum gradus_status parse(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    ref->index = (int)value;
    if (text && (end == text || *end || value < 0 || value > 1023))
        return gr_fail(error, GRADUS_INVALID,
                       "--device '%s': wanted cuda or cuda:N, N the number of a GPU", ref->text);
    return GRADUS_OK;
}

/* ---- In the parent, which only queries the driver and creates no context. ---- */

struct found {
    struct gr_cuda_device device;
    struct gr_device limits;
};

/* The allocation granularities of registers and shared memory are those of all NVIDIA GPUs since
 * 3.0. */
static struct gr_device limits_of(const struct gr_cuda_device *g)
{
    struct gr_device d = {.cc = g->cc,
                          .warp = g->warp,
                          .threads_per_block = g->threads_per_block,
                          .threads_per_sm = g->threads_per_block,
                          .blocks_per_sm = 1,
                          .registers_per_sm = g->registers_per_sm,
                          .registers_per_block = g->registers_per_sm,
                          .registers_per_thread = 255,
                          .register_unit = 256,
                          .schedulers_per_sm = 4,
                          .smem_unit_bytes = 128,
                          .smem_per_block_bytes = g->smem_per_block_bytes};
    snprintf(d.name, sizeof d.name, "%.63s", g->name);
    return d;
}

static void describe(const struct gr_cuda *cuda, const struct gr_cuda_device *device,
                     struct gr_device_about *about)
{
    struct gr_nvml_state now;
    struct gradus_error unknown = {0};
    int used = 0;
    snprintf(about->name, sizeof about->name, "%s", device->name);
    about->cache_bytes = device->l2_bytes;
    about->memory_bytes = device->memory_bytes;
    if (gr_nvml_read(device->pci, &now, &unknown) == GRADUS_OK)
        used = snprintf(about->driver, sizeof about->driver, "driver %.20s, ", now.driver);
    gradus_error_clear(&unknown);
    snprintf(about->driver + used, sizeof about->driver - (size_t)used, "CUDA %d.%d",
             cuda->version / 1000, cuda->version % 1000 / 10);
}

static enum gradus_status find(const struct gr_device_ref *ref, void **out,
                               struct gr_device_about *about, struct gradus_error *error)
{
    const struct gr_cuda *cuda = NULL;
    struct found *found = calloc(1, sizeof *found);
    *out = found;
    *about = (struct gr_device_about){0};
    if (!found)
        return gr_fail_memory(error, "a device", sizeof *found);
    enum gradus_status status = gr_cuda_open(&cuda, error);
    if (status == GRADUS_OK)
        status = gr_cuda_device_read(cuda, ref->index, &found->device, error);
    if (status != GRADUS_OK)
        return status;
    found->limits = limits_of(&found->device);
    describe(cuda, &found->device, about);
    return GRADUS_OK;
}

static void state(const void *found, struct gr_device_state *state)
{
    struct gr_nvml_state now;
    struct gradus_error unknown = {0};
    *state = (struct gr_device_state){-1, -1, -1};
    if (gr_nvml_read(((const struct found *)found)->device.pci, &now, &unknown) == GRADUS_OK)
        *state = (struct gr_device_state){
            now.sm_clock_mhz, now.power_mw < 0 ? -1 : now.power_mw / 1000, now.temperature_c};
    gradus_error_clear(&unknown);
}

static enum gradus_status prepare(const void *found, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error)
{
    const struct gr_kernel *kernel = variant->kernel;
    *artifact = (struct gr_artifact){.backend = "cuda", .pending = -1, .type = variant->types.acc};
    if (kernel->language != GR_LANGUAGE_CUDA)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not CUDA: choose --device cpu",
                       kernel->path);
    return gr_cuda_image_make(variant, build, &((const struct found *)found)->device, artifact,
                              error);
}

static void discard(struct gr_artifact *artifact)
{
    gr_temporary_remove(artifact->path, artifact->pending);
    *artifact = (struct gr_artifact){.pending = -1};
}

static void givens(const void *found, const struct gr_artifact *artifact, int threads,
                   struct gr_givens *out)
{
    const struct gr_cuda_device *device = &((const struct found *)found)->device;
    (void)artifact;
    *out = (struct gr_givens){.sms = device->sms,
                              .threads = threads,
                              .smem_max = device->smem_per_block_bytes,
                              .warp = device->warp,
                              .cc = device->cc,
                              .occ = 1};
}

static const struct gr_device *limits(const void *found)
{
    return &((const struct found *)found)->limits;
}

/* ---- In the worker. ---- */

/* A GPU in use, with what is kept between launches. */
struct opened {
    const struct gr_cuda_context *context;
    struct gr_cuda_recording recording;
    struct gr_cuda_bursts bursts;
    struct gr_cuda_map_copies map_copies;
};

struct loaded {
    struct opened *opened;
    struct gr_cuda_module module;
};

static enum gradus_status open_device(const struct gr_device_ref *ref, void **out,
                                      struct gradus_error *error)
{
    struct opened *opened = calloc(1, sizeof *opened);
    *out = opened;
    return opened ? gr_cuda_context_open(ref->index, &opened->context, error)
                  : gr_fail_memory(error, "a device", sizeof *opened);
}

/* The context exists until the process ends, because NVIDIA's libraries use it as well. */
static void close_device(void *device)
{
    struct opened *opened = device;
    if (opened && opened->context)
        gr_cuda_recording_free(opened->context, &opened->recording);
    free(opened);
}

static const struct gr_cuda_context *context_of(void *opened)
{
    const struct gr_cuda_context *context = ((const struct opened *)opened)->context;
    gr_cuda_context_use(context);
    return context;
}

static enum gradus_status reserve(void *opened, uint64_t bytes, void **address,
                                  struct gradus_error *error)
{
    const struct gr_cuda *cuda = context_of(opened)->cuda;
    CUdeviceptr pointer = 0;
    char what[64];
    snprintf(what, sizeof what, "%.2f GB of the GPU's memory", (double)bytes * 1e-9);
    CUresult result = cuda->memory_alloc(&pointer, bytes ? bytes : 1);
    *address = (void *)(uintptr_t)pointer;
    return gr_cuda_check(cuda, result, what, error);
}

static void release(void *opened, void *address)
{
    if (address)
        context_of(opened)->cuda->memory_free((uintptr_t)address);
}

static enum gradus_status finish(const struct gr_cuda_context *context, CUresult result,
                                 const char *what, struct gradus_error *error)
{
    if (result == GR_CUDA_SUCCESS)
        result = context->cuda->stream_synchronize(context->stream);
    return gr_cuda_check(context->cuda, result, what, error);
}

static enum gradus_status upload(void *opened, void *to, const void *from, uint64_t bytes,
                                 struct gradus_error *error)
{
    const struct gr_cuda_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return finish(c, c->cuda->to_device((uintptr_t)to, from, bytes, c->stream),
                  "copying to the GPU", error);
}

static enum gradus_status download(void *opened, void *to, const void *from, uint64_t bytes,
                                   struct gradus_error *error)
{
    const struct gr_cuda_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return finish(c, c->cuda->to_host(to, (uintptr_t)from, bytes, c->stream),
                  "copying from the GPU", error);
}

static enum gradus_status fill(void *opened, void *to, unsigned char byte, uint64_t bytes,
                               struct gradus_error *error)
{
    const struct gr_cuda_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return gr_cuda_check(c->cuda, c->cuda->set_bytes((uintptr_t)to, byte, bytes, c->stream),
                         "filling", error);
}

static enum gradus_status load(void *opened, const struct gr_artifact *artifact, int threads,
                               void **out, struct gradus_error *error)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    (void)threads;
    *out = loaded;
    if (!loaded)
        return gr_fail_memory(error, "a kernel", sizeof *loaded);
    loaded->opened = opened;
    return gr_cuda_image_load(context_of(opened), artifact->path, &loaded->module, error);
}

static void unload(void *kernel)
{
    struct loaded *loaded = kernel;
    if (loaded && loaded->module.module)
        context_of(loaded->opened)->cuda->module_unload(loaded->module.module);
    free(loaded);
}

static enum gradus_status launch_all(void *kernel, const struct gr_launch *launch,
                                     const struct gr_plan *plan, const struct gr_scratch *scratch,
                                     bool once, struct gradus_error *error)
{
    struct loaded *loaded = kernel;
    return gr_cuda_launch(context_of(loaded->opened), &loaded->opened->map_copies, &loaded->module,
                          launch, plan, scratch, once, error);
}

static enum gradus_status before(void *kernel, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error)
{
    bool any = false;
    for (int i = 0; i < plan->launch_count; i++)
        any |= plan->launches[i].once;
    if (!any)
        return GRADUS_OK;
    enum gradus_status status = launch_all(kernel, launch, plan, scratch, true, error);
    return status == GRADUS_OK ? finish(((struct loaded *)kernel)->opened->context, GR_CUDA_SUCCESS,
                                        "the `once` kernels", error)
                               : status;
}

static enum gradus_status begin(void *opened, struct gradus_error *error)
{
    return gr_cuda_recording_begin(context_of(opened), &((struct opened *)opened)->recording,
                                   error);
}

static enum gradus_status enqueue(void *kernel, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    return launch_all(kernel, launch, plan, scratch, false, error);
}

static enum gradus_status end(void *opened, int64_t *ns, struct gradus_error *error)
{
    return gr_cuda_recording_end(context_of(opened), &((struct opened *)opened)->recording, ns,
                                 error);
}

static double burst(void *opened, enum gr_dtype type, int64_t ns)
{
    return gr_cuda_burst(context_of(opened), &((struct opened *)opened)->bursts, type, ns);
}

static const struct gr_backend_memory memory = {
    .reserve = reserve, .release = release, .upload = upload, .download = download, .fill = fill};

const struct gr_backend gr_backend_cuda = {
    .name = "cuda",
    .parse = parse,
    .find = find,
    .forget = free,
    .state = state,
    .prepare = prepare,
    .discard = discard,
    .givens = givens,
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
    .burst = burst,
};
