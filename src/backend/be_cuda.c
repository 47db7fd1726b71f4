/* be_cuda.c: kernels in CUDA C on an NVIDIA GPU, through NVRTC and the driver.
 * SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include "backend/cuda_burst.h"
#include "backend/cuda_image.h"
#include "backend/cuda_launch.h"
#include "backend/cuda_plan.h"
#include "backend/cuda_recording.h"
#include "core/error.h"
#include "base/temporary.h"
#include "gpu/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "cuda" or "cuda:1". */
static enum gradus_status ordinal_of(const char *device, int *ordinal, struct gradus_error *error)
{
    const char *colon = strchr(device, ':');
    char *end = NULL;
    long value = colon ? strtol(colon + 1, &end, 10) : 0;
    *ordinal = (int)value;
    if (colon && (end == colon + 1 || *end || value < 0 || value > 1023))
        return gr_fail(error, GRADUS_INVALID,
                       "--device '%s': wanted cuda or cuda:N, N the number of a GPU", device);
    return GRADUS_OK;
}

/* ---- In the parent: no context is made there, only questions asked. ---- */

static struct gr_cuda_device found;

static enum gradus_status find(const char *device, struct gr_device_about *about,
                               struct gradus_error *error)
{
    const struct gr_cuda *cuda = NULL;
    int ordinal;
    *about = (struct gr_device_about){0};
    enum gradus_status status = ordinal_of(device, &ordinal, error);
    if (status == GRADUS_OK)
        status = gr_cuda_open(&cuda, error);
    if (status == GRADUS_OK)
        status = gr_cuda_device_read(cuda, ordinal, &found, error);
    if (status != GRADUS_OK)
        return status;
    snprintf(about->name, sizeof about->name, "%s", found.name);
    about->cache_bytes = found.l2_bytes;
    about->memory_bytes = found.memory_bytes;
    struct gr_nvml_state now;
    struct gradus_error unknown = {0};
    int used = 0;
    if (gr_nvml_read(found.pci, &now, &unknown) == GRADUS_OK)
        used = snprintf(about->driver, sizeof about->driver, "driver %.20s, ", now.driver);
    gradus_error_clear(&unknown);
    snprintf(about->driver + used, sizeof about->driver - (size_t)used, "CUDA %d.%d",
             cuda->version / 1000, cuda->version % 1000 / 10);
    return GRADUS_OK;
}

static void state(struct gr_device_state *state)
{
    struct gr_nvml_state now;
    struct gradus_error unknown = {0};
    *state = (struct gr_device_state){-1, -1, -1};
    if (gr_nvml_read(found.pci, &now, &unknown) == GRADUS_OK)
        *state = (struct gr_device_state){
            now.sm_clock_mhz, now.power_mw < 0 ? -1 : now.power_mw / 1000, now.temperature_c};
    gradus_error_clear(&unknown);
}

static enum gradus_status prepare(const struct gr_variant *variant, const struct gr_build *build,
                                  struct gr_artifact *artifact, struct gradus_error *error)
{
    const struct gr_kernel *kernel = variant->kernel;
    *artifact = (struct gr_artifact){.backend = "cuda", .pending = -1, .type = variant->types.acc};
    if (kernel->language != GR_LANGUAGE_CUDA)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not CUDA: choose --device cpu",
                       kernel->path);
    return gr_cuda_image_make(variant, build, &found, artifact, error);
}

static void discard(struct gr_artifact *artifact)
{
    gr_temporary_remove(artifact->path, artifact->pending);
    *artifact = (struct gr_artifact){.pending = -1};
}

static void givens(const struct gr_artifact *artifact, int threads, struct gr_givens *out)
{
    (void)artifact;
    *out = (struct gr_givens){.sms = found.sms,
                              .threads = threads,
                              .smem_max = found.smem_per_block_bytes,
                              .warp = found.warp,
                              .cc = found.cc,
                              .occ = 1};
}

/* As every NVIDIA GPU since 3.0 gives registers and shared memory. */
static const struct gr_device *limits(void)
{
    static struct gr_device d;
    d = (struct gr_device){.cc = found.cc,
                           .warp = found.warp,
                           .threads_per_block = found.threads_per_block,
                           .threads_per_sm = found.threads_per_block,
                           .blocks_per_sm = 1,
                           .registers_per_sm = found.registers_per_sm,
                           .registers_per_block = found.registers_per_sm,
                           .registers_per_thread = 255,
                           .register_unit = 256,
                           .schedulers_per_sm = 4,
                           .smem_unit_bytes = 128,
                           .smem_per_block_bytes = found.smem_per_block_bytes};
    snprintf(d.name, sizeof d.name, "%.63s", found.name);
    return &d;
}

/* ---- In the worker. ---- */

static const struct gr_cuda_context *context;

static enum gradus_status open_device(const char *device, struct gradus_error *error)
{
    int ordinal;
    enum gradus_status status = ordinal_of(device, &ordinal, error);
    return status == GRADUS_OK ? gr_cuda_context_open(ordinal, &context, error) : status;
}

static enum gradus_status reserve(uint64_t bytes, void **address, struct gradus_error *error)
{
    CUdeviceptr pointer = 0;
    char what[64];
    snprintf(what, sizeof what, "%.2f GB of the GPU's memory", (double)bytes * 1e-9);
    CUresult result = context->cuda->memory_alloc(&pointer, bytes ? bytes : 1);
    *address = (void *)(uintptr_t)pointer;
    return gr_cuda_check(context->cuda, result, what, error);
}

static void release(void *address)
{
    if (address)
        context->cuda->memory_free((uintptr_t)address);
}

static enum gradus_status finish(CUresult result, const char *what, struct gradus_error *error)
{
    if (result == GR_CUDA_SUCCESS)
        result = context->cuda->stream_synchronize(context->stream);
    return gr_cuda_check(context->cuda, result, what, error);
}

static enum gradus_status upload(void *to, const void *from, uint64_t bytes,
                                 struct gradus_error *error)
{
    if (bytes == 0)
        return GRADUS_OK;
    return finish(context->cuda->to_device((uintptr_t)to, from, bytes, context->stream),
                  "copying to the GPU", error);
}

static enum gradus_status download(void *to, const void *from, uint64_t bytes,
                                   struct gradus_error *error)
{
    if (bytes == 0)
        return GRADUS_OK;
    return finish(context->cuda->to_host(to, (uintptr_t)from, bytes, context->stream),
                  "copying from the GPU", error);
}

static enum gradus_status fill(void *to, unsigned char byte, uint64_t bytes,
                               struct gradus_error *error)
{
    if (bytes == 0)
        return GRADUS_OK;
    return gr_cuda_check(context->cuda,
                         context->cuda->set_bytes((uintptr_t)to, byte, bytes, context->stream),
                         "filling", error);
}

static enum gradus_status load(const struct gr_artifact *artifact, int threads, void **out,
                               struct gradus_error *error)
{
    (void)threads;
    struct gr_cuda_module *module = calloc(1, sizeof *module);
    *out = module;
    if (!module)
        return gr_fail_memory(error, "a kernel", sizeof *module);
    return gr_cuda_image_load(context, artifact->path, module, error);
}

static void unload(void *loaded)
{
    struct gr_cuda_module *module = loaded;
    if (module && module->module)
        context->cuda->module_unload(module->module);
    free(module);
}

static enum gradus_status before(void *loaded, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error)
{
    bool any = false;
    for (int i = 0; i < plan->launch_count; i++)
        any |= plan->launches[i].once;
    if (!any)
        return GRADUS_OK;
    enum gradus_status status = gr_cuda_launch(context, loaded, launch, plan, scratch, true, error);
    return status == GRADUS_OK ? finish(GR_CUDA_SUCCESS, "the `once` kernels", error) : status;
}

static enum gradus_status begin(struct gradus_error *error)
{
    return gr_cuda_recording_begin(context, error);
}

static enum gradus_status enqueue(void *loaded, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    return gr_cuda_launch(context, loaded, launch, plan, scratch, false, error);
}

static enum gradus_status end(int64_t *ns, struct gradus_error *error)
{
    return gr_cuda_recording_end(context, ns, error);
}

static double burst(enum gr_dtype type, int64_t ns)
{
    return gr_cuda_burst(context, type, ns);
}

static const struct gr_backend_memory memory = {
    .reserve = reserve, .release = release, .upload = upload, .download = download, .fill = fill};

const struct gr_backend gr_backend_cuda = {
    .name = "cuda",
    .find = find,
    .state = state,
    .prepare = prepare,
    .discard = discard,
    .givens = givens,
    .plan = gr_cuda_plan,
    .limits = limits,
    .open = open_device,
    .memory = &memory,
    .load = load,
    .unload = unload,
    .before = before,
    .begin = begin,
    .enqueue = enqueue,
    .end = end,
    .burst = burst,
};
