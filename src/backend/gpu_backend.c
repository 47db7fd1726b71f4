/* gpu_backend.c: kernels on a GPU of any vendor, through its driver and run-time compiler.
 * SPDX-License-Identifier: MIT */
#include "backend/gpu_backend.h"

#include "backend/cuda_map.h"
#include "backend/gpu_burst.h"
#include "backend/gpu_image.h"
#include "backend/gpu_launch.h"
#include "backend/gpu_recording.h"
#include "base/temporary.h"
#include "core/error.h"
#include "gpu/vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing, or the number of a GPU. */
enum gradus_status gr_gpu_parse(const char *text, struct gr_device_ref *ref,
                                struct gradus_error *error)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    ref->index = (int)value;
    if (text && (end == text || *end || value < 0 || value > 1023))
        return gr_fail(error, GRADUS_INVALID,
                       "--device '%s': wanted %s or %s:N, N the number of a GPU", ref->text,
                       ref->backend->name, ref->backend->name);
    return GRADUS_OK;
}

/* ---- In the parent: no context is made there; devices are only queried. ---- */

struct found {
    const struct gr_gpu_vendor *vendor;
    struct gr_gpu_device device;
    struct gr_device limits;
};

static void describe(const struct gr_gpu_driver *driver, const struct gr_gpu_device *device,
                     struct gr_device_about *about)
{
    char version[32];
    struct gr_gpu_state now;
    struct gradus_error unknown = {0};
    int used = 0;
    snprintf(about->name, sizeof about->name, "%s", device->name);
    about->cache_bytes = device->l2_bytes;
    about->memory_bytes = device->memory_bytes;
    driver->vendor->version(driver, version);
    if (driver->vendor->read_state(device, &now, &unknown) == GRADUS_OK)
        used = snprintf(about->driver, sizeof about->driver, "driver %.20s, ", now.driver);
    gradus_error_clear(&unknown);
    snprintf(about->driver + used, sizeof about->driver - (size_t)used, "%s", version);
}

enum gradus_status gr_gpu_find(const struct gr_device_ref *ref, void **out,
                               struct gr_device_about *about, struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = NULL;
    struct found *found = calloc(1, sizeof *found);
    *out = found;
    *about = (struct gr_device_about){0};
    if (!found)
        return gr_fail_memory(error, "a device", sizeof *found);
    found->vendor = ref->backend->vendor;
    enum gradus_status status = found->vendor->open(&driver, error);
    if (status == GRADUS_OK)
        status = gr_gpu_device_read(driver, ref->index, &found->device, error);
    if (status != GRADUS_OK)
        return status;
    found->vendor->limits(&found->device, &found->limits);
    memcpy(found->limits.arch, found->device.arch, sizeof found->limits.arch);
    describe(driver, &found->device, about);
    return GRADUS_OK;
}

void gr_gpu_state_now(const void *device, struct gr_device_state *state)
{
    const struct found *found = device;
    struct gr_gpu_state now;
    struct gradus_error unknown = {0};
    *state = (struct gr_device_state){-1, -1, -1};
    if (found->vendor->read_state(&found->device, &now, &unknown) == GRADUS_OK)
        *state = (struct gr_device_state){
            now.sm_clock_mhz, now.power_mw < 0 ? -1 : now.power_mw / 1000, now.temperature_c};
    gradus_error_clear(&unknown);
}

enum gradus_status gr_gpu_prepare(const void *device, const struct gr_variant *variant,
                                  const struct gr_build *build, struct gr_artifact *artifact,
                                  struct gradus_error *error)
{
    const struct found *found = device;
    const struct gr_kernel *kernel = variant->kernel;
    *artifact = (struct gr_artifact){.pending = -1, .type = variant->types.acc};
    snprintf(artifact->backend, sizeof artifact->backend, "%s", found->vendor->name);
    if (kernel->language != GR_LANGUAGE_CUDA)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s is not CUDA: choose --device cpu",
                       kernel->path);
    const struct gr_gpu_target target = {found->device.name, found->device.arch, found->device.cc};
    return gr_gpu_image_make(variant, build, &target, artifact, error);
}

void gr_gpu_discard(struct gr_artifact *artifact)
{
    gr_temporary_remove(artifact->path, artifact->pending);
    *artifact = (struct gr_artifact){.pending = -1};
}

void gr_gpu_device_values(const void *found, const struct gr_artifact *artifact, int threads,
                          struct gr_device_values *out)
{
    const struct gr_gpu_device *device = &((const struct found *)found)->device;
    (void)artifact;
    *out = (struct gr_device_values){.sms = device->sms,
                                     .threads = threads,
                                     .smem_max = device->smem_per_block_bytes,
                                     .cc = device->cc,
                                     .occ = 1};
}

const struct gr_device *gr_gpu_limits(const void *found)
{
    return &((const struct found *)found)->limits;
}

/* ---- In the worker. ---- */

/* A GPU in use, and what is kept from one launch to the next. */
struct opened {
    const struct gr_gpu_context *context;
    struct gr_gpu_recording recording;
    struct gr_gpu_bursts bursts;
    struct gr_cuda_map_copies map_copies;
};

struct loaded {
    struct opened *opened;
    struct gr_gpu_loaded module;
};

enum gradus_status gr_gpu_open(const struct gr_device_ref *ref, void **out,
                               struct gradus_error *error)
{
    struct opened *opened = calloc(1, sizeof *opened);
    *out = opened;
    return opened ? gr_gpu_context_open(ref->backend->vendor, ref->index, &opened->context, error)
                  : gr_fail_memory(error, "a device", sizeof *opened);
}

/* The context stays for the life of the process: libraries of NVIDIA's use it, too. */
void gr_gpu_close(void *device)
{
    struct opened *opened = device;
    if (opened && opened->context)
        gr_gpu_recording_free(opened->context, &opened->recording);
    free(opened);
}

static const struct gr_gpu_context *context_of(void *opened)
{
    const struct gr_gpu_context *context = ((const struct opened *)opened)->context;
    gr_gpu_context_use(context);
    return context;
}

static enum gradus_status reserve(void *opened, uint64_t bytes, void **address,
                                  struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context_of(opened)->driver;
    gr_gpu_address pointer = 0;
    char what[64];
    snprintf(what, sizeof what, "%.2f GB of the GPU's memory", (double)bytes * 1e-9);
    gr_gpu_result result = driver->memory_alloc(&pointer, bytes ? bytes : 1);
    *address = (void *)(uintptr_t)pointer;
    return gr_gpu_check(driver, result, what, error);
}

static void release(void *opened, void *address)
{
    if (address)
        context_of(opened)->driver->memory_free((uintptr_t)address);
}

static enum gradus_status finish(const struct gr_gpu_context *context, gr_gpu_result result,
                                 const char *what, struct gradus_error *error)
{
    if (result == GR_GPU_SUCCESS)
        result = context->driver->stream_synchronize(context->stream);
    return gr_gpu_check(context->driver, result, what, error);
}

static enum gradus_status upload(void *opened, void *to, const void *from, uint64_t bytes,
                                 struct gradus_error *error)
{
    const struct gr_gpu_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return finish(c, c->driver->to_device((uintptr_t)to, from, bytes, c->stream),
                  "copying to the GPU", error);
}

static enum gradus_status download(void *opened, void *to, const void *from, uint64_t bytes,
                                   struct gradus_error *error)
{
    const struct gr_gpu_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return finish(c, c->driver->to_host(to, (uintptr_t)from, bytes, c->stream),
                  "copying from the GPU", error);
}

static enum gradus_status fill(void *opened, void *to, unsigned char byte, uint64_t bytes,
                               struct gradus_error *error)
{
    const struct gr_gpu_context *c = context_of(opened);
    if (bytes == 0)
        return GRADUS_OK;
    return gr_gpu_check(c->driver, c->driver->set_bytes((uintptr_t)to, byte, bytes, c->stream),
                        "filling", error);
}

enum gradus_status gr_gpu_load(void *opened, const struct gr_artifact *artifact, int threads,
                               void **out, struct gradus_error *error)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);
    (void)threads;
    *out = loaded;
    if (!loaded)
        return gr_fail_memory(error, "a kernel", sizeof *loaded);
    loaded->opened = opened;
    return gr_gpu_image_load(context_of(opened), artifact->path, &loaded->module, error);
}

void gr_gpu_unload(void *kernel)
{
    struct loaded *loaded = kernel;
    if (loaded && loaded->module.module)
        context_of(loaded->opened)->driver->module_unload(loaded->module.module);
    free(loaded);
}

static enum gradus_status launch_all(void *kernel, const struct gr_launch *launch,
                                     const struct gr_plan *plan, const struct gr_scratch *scratch,
                                     bool once, struct gradus_error *error)
{
    struct loaded *loaded = kernel;
    return gr_gpu_launch(context_of(loaded->opened), &loaded->opened->map_copies, &loaded->module,
                         launch, plan, scratch, once, error);
}

enum gradus_status gr_gpu_before(void *kernel, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 struct gradus_error *error)
{
    bool any = false;
    for (int i = 0; i < plan->launch_count; i++)
        any |= plan->launches[i].once;
    if (!any)
        return GRADUS_OK;
    enum gradus_status status = launch_all(kernel, launch, plan, scratch, true, error);
    return status == GRADUS_OK ? finish(((struct loaded *)kernel)->opened->context, GR_GPU_SUCCESS,
                                        "the `once` kernels", error)
                               : status;
}

enum gradus_status gr_gpu_begin(void *opened, struct gradus_error *error)
{
    return gr_gpu_recording_begin(context_of(opened), &((struct opened *)opened)->recording, error);
}

enum gradus_status gr_gpu_enqueue(void *kernel, struct gr_launch *launch,
                                  const struct gr_plan *plan, const struct gr_scratch *scratch,
                                  struct gradus_error *error)
{
    return launch_all(kernel, launch, plan, scratch, false, error);
}

enum gradus_status gr_gpu_end(void *opened, int64_t *ns, struct gradus_error *error)
{
    return gr_gpu_recording_end(context_of(opened), &((struct opened *)opened)->recording, ns,
                                error);
}

double gr_gpu_measure_burst(void *opened, enum gr_dtype type, int64_t ns)
{
    return gr_gpu_burst(context_of(opened), &((struct opened *)opened)->bursts, type, ns);
}

const struct gr_backend_memory gr_gpu_memory = {
    .reserve = reserve, .release = release, .upload = upload, .download = download, .fill = fill};
