/* fake_library.c: what the library asks a driver for, and the workbench does not: whose memory an
 * address is, contexts of threads, whether a stream is being captured. And what a test may ask the
 * fake driver: fake_calls, fake_stream, fake_device. SPDX-License-Identifier: MIT */
#include "fake_driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT gr_gpu_result cuCtxGetCurrent(gr_gpu_context_handle *context);
EXPORT gr_gpu_result cuCtxGetDevice(int *device);
EXPORT gr_gpu_result cuCtxPushCurrent_v2(gr_gpu_context_handle context);
EXPORT gr_gpu_result cuCtxPopCurrent_v2(gr_gpu_context_handle *context);
EXPORT gr_gpu_result cuPointerGetAttribute(void *value, int attribute, gr_gpu_address pointer);
EXPORT gr_gpu_result cuModuleLoadData(gr_gpu_module *module, const void *image);
EXPORT gr_gpu_result cuMemcpyHtoD_v2(gr_gpu_address to, const void *from, size_t bytes);
EXPORT gr_gpu_result cuMemcpyDtoH_v2(void *to, gr_gpu_address from, size_t bytes);
EXPORT gr_gpu_result cuMemsetD32Async(gr_gpu_address to, unsigned value, size_t words,
                                      gr_gpu_stream stream);
EXPORT gr_gpu_result cuMemAllocAsync(gr_gpu_address *pointer, size_t bytes, gr_gpu_stream stream);
EXPORT gr_gpu_result cuEventQuery(gr_gpu_event event);
EXPORT gr_gpu_result cuMemFreeAsync(gr_gpu_address pointer, gr_gpu_stream stream);
EXPORT gr_gpu_result cuStreamIsCapturing(gr_gpu_stream stream, int *status);
EXPORT gr_gpu_result cuThreadExchangeStreamCaptureMode(int *mode);
/* Calls so far of a kind, as GRADUS_FAKE_FAIL has them; the stream and the device of the last
 * launch. */
EXPORT int fake_calls(const char *what);
EXPORT void *fake_stream(void);
EXPORT int fake_device(void);

enum { DEVICES = 16, DEPTH = 8, KINDS = 32, BLOCKS = 4096, INVALID_CONTEXT = 201, ORDINAL = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Contexts ---- */

static char contexts[DEVICES];
static _Thread_local char *stack[DEPTH];
static _Thread_local int depth; /* the current one is stack[depth] */

gr_gpu_context_handle fake_context_of(int device)
{
    return (gr_gpu_context_handle)(void *)&contexts[device];
}

void fake_enter(gr_gpu_context_handle context)
{
    stack[depth] = (char *)(void *)context;
}

gr_gpu_result cuCtxGetCurrent(gr_gpu_context_handle *context)
{
    *context = (gr_gpu_context_handle)(void *)stack[depth];
    return fake_outcome("context");
}

int fake_device_of(gr_gpu_context_handle context)
{
    return (int)((char *)(void *)context - contexts);
}

int fake_device_in_use(void)
{
    return stack[depth] ? (int)(stack[depth] - contexts) : 0;
}

gr_gpu_result cuCtxGetDevice(int *device)
{
    *device = fake_device_in_use();
    return stack[depth] ? GR_GPU_SUCCESS : INVALID_CONTEXT;
}

gr_gpu_result cuCtxPushCurrent_v2(gr_gpu_context_handle context)
{
    gr_gpu_result result = fake_outcome("context");
    if (result == GR_GPU_SUCCESS && depth + 1 < DEPTH)
        stack[++depth] = (char *)(void *)context;
    return result;
}

gr_gpu_result cuCtxPopCurrent_v2(gr_gpu_context_handle *context)
{
    if (depth == 0)
        return INVALID_CONTEXT;
    *context = (gr_gpu_context_handle)(void *)stack[depth--];
    return GR_GPU_SUCCESS;
}

/* ---- Memory ---- */

static struct {
    gr_gpu_address begin;
    size_t bytes;
    int device;
} blocks[BLOCKS];

void fake_memory_note(gr_gpu_address pointer, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++)
        if (!blocks[i].bytes) {
            blocks[i].begin = pointer;
            blocks[i].bytes = bytes;
            blocks[i].device = fake_device_in_use();
            break;
        }
    pthread_mutex_unlock(&lock);
}

void fake_memory_forget(gr_gpu_address pointer)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes && blocks[i].begin == pointer) {
            fake_order_forget(pointer, blocks[i].bytes);
            blocks[i].bytes = 0;
        }
    pthread_mutex_unlock(&lock);
}

size_t fake_memory_used(int device)
{
    size_t used = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++)
        used += blocks[i].device == device ? blocks[i].bytes : 0;
    pthread_mutex_unlock(&lock);
    return used;
}

int fake_memory_owner(gr_gpu_address begin, size_t bytes)
{
    int owner = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS; i++)
        if (begin >= blocks[i].begin && begin + bytes <= blocks[i].begin + blocks[i].bytes)
            owner = blocks[i].device;
    pthread_mutex_unlock(&lock);
    return owner;
}

gr_gpu_result cuPointerGetAttribute(void *value, int attribute, gr_gpu_address pointer)
{
    gr_gpu_result result = fake_outcome("pointer");
    if (result != GR_GPU_SUCCESS)
        return result;
    result = FAKE_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && attribute == ORDINAL; i++)
        if (pointer >= blocks[i].begin && pointer < blocks[i].begin + blocks[i].bytes) {
            *(int *)value = blocks[i].device;
            result = GR_GPU_SUCCESS;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- The rest ---- */

gr_gpu_result cuModuleLoadData(gr_gpu_module *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

gr_gpu_result cuMemcpyHtoD_v2(gr_gpu_address to, const void *from, size_t bytes)
{
    return cuMemcpyHtoDAsync_v2(to, from, bytes, NULL);
}

gr_gpu_result cuMemcpyDtoH_v2(void *to, gr_gpu_address from, size_t bytes)
{
    return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}

gr_gpu_result cuMemsetD32Async(gr_gpu_address to, unsigned value, size_t words,
                               gr_gpu_stream stream)
{
    (void)stream;
    const gr_gpu_result result = fake_outcome("fill");
    for (size_t i = 0; i < words && result == GR_GPU_SUCCESS; i++)
        ((unsigned *)(uintptr_t)to)[i] = value;
    return result;
}

/* Of the graph that is being captured: the driver does not know it as memory of a GPU yet. It is
 * never freed, as the graph may still be launched. */
gr_gpu_result cuMemAllocAsync(gr_gpu_address *pointer, size_t bytes, gr_gpu_stream stream)
{
    (void)stream;
    const gr_gpu_result result = fake_outcome("pool");
    void *block = result == GR_GPU_SUCCESS ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    if (!block)
        return result == GR_GPU_SUCCESS ? GR_CUDA_OUT_OF_MEMORY : result;
    *pointer = (uintptr_t)block;
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuEventQuery(gr_gpu_event event)
{
    (void)event;
    return fake_outcome("event");
}

gr_gpu_result cuMemFreeAsync(gr_gpu_address pointer, gr_gpu_stream stream)
{
    (void)pointer, (void)stream;
    return fake_outcome("pool");
}

gr_gpu_result cuStreamIsCapturing(gr_gpu_stream stream, int *status)
{
    *status = fake_is_capturing(stream);
    return fake_outcome("capture");
}

gr_gpu_result cuThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int now;
    const int before = now;
    now = *mode;
    *mode = before;
    return GR_GPU_SUCCESS;
}

static struct {
    char what[32];
    int calls;
} kinds[KINDS];
static gr_gpu_stream last_stream;
static int last_device;

void fake_count(const char *what)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KINDS; i++)
        if (!*kinds[i].what || strcmp(kinds[i].what, what) == 0) {
            strncpy(kinds[i].what, what, sizeof kinds[i].what - 1);
            kinds[i].calls++;
            break;
        }
    pthread_mutex_unlock(&lock);
}

int fake_calls(const char *what)
{
    int calls = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].what, what) == 0)
            calls = kinds[i].calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

void fake_note_launch(gr_gpu_stream stream)
{
    pthread_mutex_lock(&lock);
    last_stream = stream;
    last_device = fake_device_in_use();
    pthread_mutex_unlock(&lock);
}

void *fake_stream(void)
{
    return last_stream;
}

int fake_device(void)
{
    return last_device;
}
