/* device_gpu.c: opens GPUs, loads kernels into them, and holds their workspaces.
 * SPDX-License-Identifier: MIT */
#include "device/device_gpu.h"

#include "core/error.h"
#include "device/device_code.h"
#include "device/device_tuned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 64, SMEM_WITHOUT_ASKING = 48 * 1024 };

static _Atomic(struct gr_device_gpu *) gpus[GPUS];
static pthread_mutex_t gpus_lock = PTHREAD_MUTEX_INITIALIZER;

/* CUDA graphs support programmatic dependent launch from CUDA 12.3 on. */
static bool can_launch_early(const struct gr_device_driver *driver)
{
    enum { FIRST = 12030 };
    int version = 0;
    return driver->launch_config && driver->driver_version &&
           driver->driver_version(&version) == 0 && version >= FIRST;
}

static enum gradus_status describe(struct gr_device_gpu *gpu, struct gradus_error *error)
{
    const struct gr_device_driver *driver = gpu->driver;
    int major = 0, minor = 0;
    const struct {
        int attribute, *value;
    } questions[] = {{GR_DEVICE_CC_MAJOR, &major},
                     {GR_DEVICE_CC_MINOR, &minor},
                     {GR_DEVICE_MULTIPROCESSORS, &gpu->sms},
                     {GR_DEVICE_WARP_SIZE, &gpu->warp},
                     {GR_DEVICE_SMEM_PER_BLOCK, &gpu->smem_max}};
    int result = driver->device_get(&gpu->handle, gpu->ordinal);
    if (result == 0)
        result = driver->device_name(gpu->name, sizeof gpu->name, gpu->handle);
    for (size_t i = 0; i < sizeof questions / sizeof *questions && result == 0; i++)
        result = driver->device_attribute(questions[i].value, questions[i].attribute, gpu->handle);
    gpu->cc = major * 10 + minor;
    /* From 9.0 on, instructions that only one generation has (wgmma, setmaxnreg) need the suffix
     * `a`. */
    snprintf(gpu->arch, sizeof gpu->arch, "sm_%d%s", gpu->cc, gpu->cc >= 90 ? "a" : "");
    gpu->launches_early = gpu->cc >= 90 && can_launch_early(driver);
    gpu->points = gr_device_tuned_find(gpu->name, gpu->cc, gpu->sms);
    if (result == 0)
        result = driver->context_retain(&gpu->context, gpu->handle);
    return gr_device_check(driver, result, "taking the GPU", error);
}

enum gradus_status gr_device_gpu_open(int ordinal, struct gr_device_gpu **gpu,
                                      struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    enum gradus_status status = gr_device_driver_open(&driver, error);
    if (status != GRADUS_OK)
        return status;
    if (ordinal < 0 || ordinal >= GPUS)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: found GPU %d, wanted one of 0 to %d", ordinal,
                       GPUS - 1);
    *gpu = atomic_load_explicit(&gpus[ordinal], memory_order_acquire);
    if (*gpu)
        return GRADUS_OK;
    pthread_mutex_lock(&gpus_lock);
    *gpu = atomic_load_explicit(&gpus[ordinal], memory_order_acquire);
    if (!*gpu) {
        struct gr_device_gpu *made = calloc(1, sizeof *made);
        if (made) {
            made->driver = driver;
            made->ordinal = ordinal;
            pthread_mutex_init(&made->lock, NULL);
            status = describe(made, error);
        } else {
            status = gr_fail_memory(error, "a GPU", sizeof *made);
        }
        if (status == GRADUS_OK) {
            *gpu = made;
            atomic_store_explicit(&gpus[ordinal], made, memory_order_release);
        } else {
            free(made);
        }
    }
    pthread_mutex_unlock(&gpus_lock);
    return status;
}

enum gradus_status gr_device_gpu_of(const struct gr_device_driver *driver, const void *address,
                                    const char *name, int *ordinal, struct gradus_error *error)
{
    const int result =
        driver->pointer_attribute(ordinal, GR_DEVICE_POINTER_ORDINAL, (uint64_t)(uintptr_t)address);
    if (result == GR_DEVICE_INVALID_VALUE)
        return gr_fail(error, GRADUS_INVALID,
                       "gradus_gemm_run: %s: found host memory with GRADUS_GPU, wanted memory of "
                       "the GPU: copy it there, or compute with GRADUS_CPU",
                       name);
    return gr_device_check(driver, result, "asking whose memory it is", error);
}

bool gr_device_on_host(const struct gr_device_driver *driver, const void *address)
{
    int ordinal;
    return driver->pointer_attribute(&ordinal, GR_DEVICE_POINTER_ORDINAL,
                                     (uint64_t)(uintptr_t)address) == GR_DEVICE_INVALID_VALUE;
}

int gr_device_gpu_in_use(const struct gr_device_driver *driver)
{
    int device = 0;
    return driver->context_device(&device) == 0 ? device : 0;
}

enum gradus_status gr_device_enter(const struct gr_device_gpu *gpu, bool *entered,
                                   struct gradus_error *error)
{
    gr_device_context current = NULL;
    int result = gpu->driver->context_current(&current);
    *entered = false;
    if (result == 0 && current != gpu->context) {
        result = gpu->driver->context_push(gpu->context);
        *entered = result == 0;
    }
    return gr_device_check(gpu->driver, result, "entering the GPU's context", error);
}

void gr_device_leave(const struct gr_device_gpu *gpu, bool entered)
{
    gr_device_context context;
    if (entered)
        gpu->driver->context_pop(&context);
}

/* ---- Architectures ---- */

static int number_of(const char *arch, const char **rest)
{
    char *end;
    const long number = strtol(arch + strcspn(arch, "0123456789"), &end, 10);
    *rest = end;
    return (int)number;
}

bool gr_device_arch_runs(const char *arch, int cc)
{
    const char *suffix;
    const int number = number_of(arch, &suffix);
    return *suffix ? number == cc : number / 10 == cc / 10 && number <= cc;
}

bool gr_device_arch_fits(const char *line, int cc)
{
    const char *suffix;
    const int number = number_of(line, &suffix);
    return !*line || (*line == '>' ? cc >= number : cc == number);
}

/* ---- Kernels ---- */

/* Finds the functions and asks for an attribute of each, since a driver with lazy loading loads a
 * function only when it is first used. */
static int find_functions(const struct gr_device_gpu *gpu, gr_device_module module,
                          const struct gr_device_kernel *kernel, const char *const *symbols,
                          struct gr_device_loaded *loaded)
{
    int result = 0;
    for (int i = 0; i < kernel->stanza_count && result == 0; i++) {
        result = gpu->driver->module_function(&loaded->functions[i], module, symbols[i]);
        if (result == 0)
            result = gpu->driver->function_attribute(
                &loaded->smem_fixed[i], GR_DEVICE_FUNCTION_FIXED_SMEM, loaded->functions[i]);
        atomic_init(&loaded->smem_allowed[i], SMEM_WITHOUT_ASKING - loaded->smem_fixed[i]);
        atomic_init(&loaded->occupancy[i], 0);
    }
    return result;
}

static enum gradus_status load(struct gr_device_gpu *gpu, int kernel, int trans,
                               struct gr_device_loaded *loaded, struct gradus_error *error)
{
    struct gr_device_code code;
    enum gradus_status status = GRADUS_OK;
    int result = GR_DEVICE_NO_BINARY;
    /* If the driver refuses the code, for example because its compiler was newer than the driver,
     * the next place is searched. */
    for (enum gr_device_place place = 0; status == GRADUS_OK && place < GR_DEVICE_PLACES; place++) {
        gr_device_module module = NULL;
        status = gr_device_code_find(gpu, kernel, trans, place, &code, error);
        if (status != GRADUS_OK || !code.image)
            continue;
        result = gpu->driver->module_load(&module, code.image);
        if (result == 0)
            result = find_functions(gpu, module, &gr_device_kernels[kernel], code.symbols, loaded);
        if (result != 0 && module)
            gpu->driver->module_unload(module);
        gr_device_code_free(&code);
        if (result == 0 || (result != GR_DEVICE_NO_BINARY && result != GR_DEVICE_INVALID_IMAGE))
            break;
    }
    return status == GRADUS_OK ? gr_device_check(gpu->driver, result, "loading a kernel", error)
                               : status;
}

enum gradus_status gr_device_load(struct gr_device_gpu *gpu, int kernel, int trans,
                                  struct gr_device_loaded **loaded, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    *loaded = atomic_load_explicit(&gpu->loaded[kernel][trans], memory_order_acquire);
    if (*loaded)
        return GRADUS_OK;
    pthread_mutex_lock(&gpu->lock);
    *loaded = atomic_load_explicit(&gpu->loaded[kernel][trans], memory_order_acquire);
    if (!*loaded) {
        struct gr_device_loaded *made = calloc(1, sizeof *made);
        int mode = GR_DEVICE_CAPTURE_RELAXED;
        gpu->driver->capture_mode(&mode);
        status = made ? load(gpu, kernel, trans, made, error)
                      : gr_fail_memory(error, "a kernel", sizeof *made);
        gpu->driver->capture_mode(&mode);
        if (status == GRADUS_OK) {
            *loaded = made;
            atomic_store_explicit(&gpu->loaded[kernel][trans], made, memory_order_release);
        } else {
            free(made);
        }
    }
    pthread_mutex_unlock(&gpu->lock);
    return status;
}

/* ---- Workspaces of streams ---- */

/* A number that identifies a stream. The driver's id is never given to a second stream, as an
 * address may be. Older drivers have no ids. */
static uint64_t number_of_stream(const struct gr_device_driver *driver, void *stream)
{
    enum { PER_THREAD = 2 };
    unsigned long long id = 0;
    if (driver->stream_id && driver->stream_id(stream, &id) == 0)
        return id;
    if ((uintptr_t)stream == PER_THREAD)
        return (uint64_t)pthread_self() ^ UINT64_C(1) << 63;
    return (uint64_t)(uintptr_t)stream;
}

static struct gr_device_buffer *find_buffer(struct gr_device_gpu *gpu, uint64_t stream)
{
    struct gr_device_buffer *b = atomic_load_explicit(&gpu->buffers, memory_order_acquire);
    while (b && b->stream != stream)
        b = b->next;
    return b;
}

static struct gr_device_buffer *add_buffer(struct gr_device_gpu *gpu, uint64_t stream)
{
    pthread_mutex_lock(&gpu->lock);
    struct gr_device_buffer *b = find_buffer(gpu, stream);
    if (!b && (b = calloc(1, sizeof *b))) {
        pthread_mutex_init(&b->lock, NULL);
        b->stream = stream;
        b->next = atomic_load_explicit(&gpu->buffers, memory_order_relaxed);
        atomic_store_explicit(&gpu->buffers, b, memory_order_release);
    }
    pthread_mutex_unlock(&gpu->lock);
    return b;
}

/* Replaces a workspace by a larger one. The driver frees the old one only when the GPU has ended
 * the work that uses it. */
static enum gradus_status grow(const struct gr_device_gpu *gpu, struct gr_device_buffer *b,
                               int64_t bytes, struct gradus_error *error)
{
    int mode = GR_DEVICE_CAPTURE_RELAXED, result = 0;
    gpu->driver->capture_mode(&mode);
    if (b->address)
        result = gpu->driver->memory_free(b->address);
    b->address = 0;
    b->bytes = 0;
    if (result == 0)
        result = gpu->driver->memory_alloc(&b->address, (size_t)bytes);
    if (result == 0)
        b->bytes = bytes;
    gpu->driver->capture_mode(&mode);
    return gr_device_check(gpu->driver, result, "memory for the workspace", error);
}

enum gradus_status gr_device_buffer_take(struct gr_device_gpu *gpu, void *stream, int64_t bytes,
                                         struct gr_device_buffer **buffer,
                                         struct gradus_error *error)
{
    int capturing = 0;
    enum gradus_status status =
        gr_device_check(gpu->driver, gpu->driver->stream_is_capturing(stream, &capturing),
                        "asking whether the stream is being captured", error);
    if (status == GRADUS_OK && capturing)
        return gr_fail(error, GRADUS_LAUNCH,
                       "gradus_gemm_run: workspace: found none while the stream is being "
                       "captured, wanted %" PRId64 " bytes, which the graph then uses whenever it "
                       "is launched: provide as many as "
                       "gradus_gemm_workspace returns",
                       bytes);
    if (status != GRADUS_OK)
        return status;
    const uint64_t number = number_of_stream(gpu->driver, stream);
    struct gr_device_buffer *b = find_buffer(gpu, number);
    if (!b)
        b = add_buffer(gpu, number);
    if (!b)
        return gr_fail_memory(error, "a stream", sizeof *b);
    pthread_mutex_lock(&b->lock);
    if (b->bytes < bytes)
        status = grow(gpu, b, bytes, error);
    if (status != GRADUS_OK)
        pthread_mutex_unlock(&b->lock);
    else
        *buffer = b;
    return status;
}

void gr_device_buffer_give(struct gr_device_buffer *buffer)
{
    pthread_mutex_unlock(&buffer->lock);
}
