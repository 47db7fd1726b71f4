/* fake_driver.c: a driver without a GPU: devices, memory, modules and what goes wrong.
 * SPDX-License-Identifier: MIT */
#include "fake_driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long fake_number(const char *variable, long usual)
{
    const char *text = getenv(variable);
    return text && *text ? strtol(text, NULL, 10) : usual;
}

gr_gpu_result fake_outcome(const char *what)
{
    static _Atomic gr_gpu_result broken;
    static atomic_int calls;
    fake_count(what);
    const char *fail = getenv("GRADUS_FAKE_FAIL");
    char name[32];
    int code = 0, after = 0;
    if (broken || !fail || sscanf(fail, "%31[a-z]:%d:%d", name, &code, &after) < 2 ||
        strcmp(name, what) != 0 || calls++ < after)
        return broken;
    if (code >= GR_CUDA_ILLEGAL_ADDRESS)
        broken = code;
    return code;
}

gr_gpu_result cuInit(unsigned flags)
{
    (void)flags;
    return (gr_gpu_result)fake_number("GRADUS_FAKE_INIT", GR_GPU_SUCCESS);
}

gr_gpu_result cuDriverGetVersion(int *version)
{
    *version = (int)fake_number("GRADUS_FAKE_VERSION", 13000);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuDeviceGetCount(int *count)
{
    *count = (int)fake_number("GRADUS_FAKE_DEVICES", 1);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    int count;
    cuDeviceGetCount(&count);
    return ordinal >= 0 && ordinal < count ? GR_GPU_SUCCESS : GR_CUDA_INVALID_DEVICE;
}

gr_gpu_result cuDeviceGetName(char *name, int length, int device)
{
    snprintf(name, (size_t)length, "Fake H200 %d", device);
    return GR_GPU_SUCCESS;
}

/* An H200's. */
gr_gpu_result cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int cc = (int)fake_number("GRADUS_FAKE_CC", 90);
    const struct {
        int attribute, value;
    } known[] = {
        {GR_CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {GR_CUDA_ATTRIBUTE_WARP_SIZE, 32},
        {GR_CUDA_ATTRIBUTE_CLOCK_RATE_KHZ, 1980000},
        {GR_CUDA_ATTRIBUTE_SMS, 132},
        {GR_CUDA_ATTRIBUTE_PCI_BUS_ID, 0x1b + device},
        {GR_CUDA_ATTRIBUTE_PCI_DEVICE_ID, 0},
        {GR_CUDA_ATTRIBUTE_PCI_DOMAIN_ID, 0},
        {GR_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ, 3201000},
        {GR_CUDA_ATTRIBUTE_MEMORY_BUS_BITS, 6144},
        {GR_CUDA_ATTRIBUTE_L2_BYTES, 62914560},
        {GR_CUDA_ATTRIBUTE_CC_MAJOR, cc / 10},
        {GR_CUDA_ATTRIBUTE_CC_MINOR, cc % 10},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_SM, 233472},
        {GR_CUDA_ATTRIBUTE_REGISTERS_PER_SM, 65536},
        {GR_CUDA_ATTRIBUTE_SMEM_PER_BLOCK_OPTIN, (int)fake_number("GRADUS_FAKE_SMEM_MAX", 232448)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return GR_GPU_SUCCESS;
        }
    return FAKE_INVALID_VALUE;
}

static size_t memory_bytes(int device)
{
    char name[32];
    snprintf(name, sizeof name, "GRADUS_FAKE_MEMORY_%d", device);
    return (size_t)fake_number(name, fake_number("GRADUS_FAKE_MEMORY", 150754820096));
}

gr_gpu_result cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = memory_bytes(device);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuDevicePrimaryCtxRetain(gr_gpu_context_handle *context, int device)
{
    *context = fake_context_of(device);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuCtxSetCurrent(gr_gpu_context_handle context)
{
    fake_enter(context);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuCtxSynchronize(void)
{
    return fake_outcome("sync");
}

/* Before what a caller gets lie so many bytes, which keep the driver's alignment. */
enum { HEAD = 256 };

gr_gpu_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    const int device = fake_device_in_use();
    const size_t used = fake_memory_used(device);
    *total = memory_bytes(device);
    *free_bytes = *total > used ? *total - used : 0;
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuMemAlloc_v2(gr_gpu_address *pointer, size_t bytes)
{
    gr_gpu_result result = fake_outcome("alloc");
    if (result != GR_GPU_SUCCESS)
        return result;
    if (bytes == 0)
        return FAKE_INVALID_VALUE;
    char *block = NULL;
    const int device = fake_device_in_use();
    if (fake_memory_used(device) + bytes <= memory_bytes(device))
        block = aligned_alloc(HEAD, HEAD + (bytes + HEAD - 1) / HEAD * HEAD);
    if (!block)
        return GR_CUDA_OUT_OF_MEMORY;
    *pointer = (uintptr_t)(block + HEAD);
    fake_memory_note(*pointer, bytes);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuMemFree_v2(gr_gpu_address pointer)
{
    fake_memory_forget(pointer);
    free(pointer ? (char *)(uintptr_t)pointer - HEAD : NULL);
    return GR_GPU_SUCCESS;
}

static gr_gpu_result copy(void *to, const void *from, size_t bytes)
{
    gr_gpu_result result = fake_outcome("copy");
    if (result == GR_GPU_SUCCESS && bytes > 0)
        memmove(to, from, bytes);
    return result;
}

gr_gpu_result cuMemcpyHtoDAsync_v2(gr_gpu_address to, const void *from, size_t bytes,
                                   gr_gpu_stream stream)
{
    fake_order_touch(stream, to, bytes, 1);
    return copy((void *)(uintptr_t)to, from, bytes);
}

gr_gpu_result cuMemcpyDtoHAsync_v2(void *to, gr_gpu_address from, size_t bytes,
                                   gr_gpu_stream stream)
{
    fake_order_touch(stream, from, bytes, 0);
    return copy(to, (const void *)(uintptr_t)from, bytes);
}

gr_gpu_result cuMemcpyDtoDAsync_v2(gr_gpu_address to, gr_gpu_address from, size_t bytes,
                                   gr_gpu_stream stream)
{
    fake_order_touch(stream, to, bytes, 1);
    fake_order_touch(stream, from, bytes, 0);
    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
}

gr_gpu_result cuMemsetD8Async(gr_gpu_address to, unsigned char value, size_t bytes,
                              gr_gpu_stream stream)
{
    (void)stream;
    gr_gpu_result result = fake_outcome("fill");
    if (result == GR_GPU_SUCCESS)
        memset((void *)(uintptr_t)to, value, bytes);
    return result;
}

gr_gpu_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    *pointer = NULL;
    const gr_gpu_result result = fake_outcome("host");
    if (result != GR_GPU_SUCCESS)
        return result;
    fake_count("hosts");
    *pointer = malloc(bytes);
    return *pointer ? GR_GPU_SUCCESS : GR_CUDA_OUT_OF_MEMORY;
}

gr_gpu_result cuMemFreeHost(void *pointer)
{
    fake_count("unhost");
    free(pointer);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    return pointer && bytes ? GR_GPU_SUCCESS : FAKE_INVALID_VALUE;
}

gr_gpu_result cuMemHostUnregister(void *pointer)
{
    return pointer ? GR_GPU_SUCCESS : FAKE_INVALID_VALUE;
}

gr_gpu_result cuModuleLoadDataEx(gr_gpu_module *module, const void *image, unsigned option_count,
                                 int *options, void **values)
{
    (void)option_count, (void)options, (void)values;
    *module = NULL;
    gr_gpu_result result = fake_outcome("load");
    struct fake_module *made = calloc(1, sizeof *made);
    if (result == GR_GPU_SUCCESS && !made)
        result = GR_CUDA_OUT_OF_MEMORY;
    if (result == GR_GPU_SUCCESS && !fake_image_read(image, made))
        result = FAKE_INVALID_IMAGE;
    if (result == GR_GPU_SUCCESS)
        *module = (gr_gpu_module)(void *)made;
    else
        free(made);
    return result;
}

gr_gpu_result cuModuleUnload(gr_gpu_module module)
{
    free(module);
    return GR_GPU_SUCCESS;
}

gr_gpu_result cuModuleGetFunction(gr_gpu_function *function, gr_gpu_module module, const char *name)
{
    struct fake_module *m = (struct fake_module *)(void *)module;
    gr_gpu_result result = fake_outcome("function");
    if (result != GR_GPU_SUCCESS)
        return result;
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->kernels[i].symbol, name) == 0) {
            *function = (gr_gpu_function)(void *)&m->kernels[i];
            return GR_GPU_SUCCESS;
        }
    return FAKE_NOT_FOUND;
}

gr_gpu_result cuGetErrorName(gr_gpu_result result, const char **name)
{
    static const struct {
        int result;
        const char *name;
    } known[] = {
        {GR_GPU_SUCCESS, "CUDA_SUCCESS"},
        {FAKE_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
        {GR_CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {GR_CUDA_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY"},
        {GR_CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
        {FAKE_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
        {GR_CUDA_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {GR_CUDA_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
        {FAKE_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
        {GR_CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {GR_CUDA_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
        {GR_CUDA_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {GR_CUDA_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
        {GR_CUDA_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
        {GR_CUDA_COMPAT_NOT_SUPPORTED, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    };
    *name = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result)
            *name = known[i].name;
    return *name ? GR_GPU_SUCCESS : FAKE_INVALID_VALUE;
}

gr_gpu_result cuGetErrorString(gr_gpu_result result, const char **text)
{
    (void)result;
    *text = "the fake driver's error";
    return GR_GPU_SUCCESS;
}
