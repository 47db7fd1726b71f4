/* fake_hip.c: AMD's driver for tests without a GPU: HIP's functions, by those of the fake CUDA
 * driver (fake_driver.h), whose variables it obeys, too. SPDX-License-Identifier: MIT
 *
 * GRADUS_HIP_DRIVER=libfake_hip.so stands in for libamdhip64.so.6. Its GPU is an MI210. More
 * variables:
 *   GRADUS_FAKE_ARCH=gfx1100:sramecc+
 *       What the properties call the architecture (gfx90a:sramecc+:xnack-).
 *   GRADUS_FAKE_HIP_VERSION=60342134
 *       What hipDriverGetVersion says. */
#include "fake_driver.h"
#include "gpu/hip_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define FAKE_HIP(member, symbol)                                                                   \
    extern EXPORT __typeof__(*((struct gr_gpu_driver *)0)->member) symbol;
GR_HIP_SYMBOLS(FAKE_HIP)
#undef FAKE_HIP
EXPORT gr_gpu_result hipSetDevice(int device);
EXPORT const char *hipGetErrorName(gr_gpu_result result);
EXPORT const char *hipGetErrorString(gr_gpu_result result);
#ifdef FAKE_ROCM_5
EXPORT gr_gpu_result hipGetDeviceProperties(void *properties, int device);
#else
EXPORT gr_gpu_result hipGetDevicePropertiesR0600(void *properties, int device);
#endif

/* All of LDS may be had without asking. */
__attribute__((constructor)) static void allow_all_lds(void)
{
    setenv("GRADUS_FAKE_SMEM", "65536", 0);
}

static int chosen_device = -1;

gr_gpu_result hipInit(unsigned flags)
{
    return cuInit(flags);
}

gr_gpu_result hipDriverGetVersion(int *version)
{
    *version = (int)fake_number("GRADUS_FAKE_HIP_VERSION", 60342134);
    return GR_GPU_SUCCESS;
}

gr_gpu_result hipGetDeviceCount(int *count)
{
    return cuDeviceGetCount(count);
}

gr_gpu_result hipDeviceGet(int *device, int ordinal)
{
    return cuDeviceGet(device, ordinal);
}

gr_gpu_result hipDeviceGetName(char *name, int length, int device)
{
    snprintf(name, (size_t)length, "Fake MI210 %d", device);
    return GR_GPU_SUCCESS;
}

static const char *arch_name(void)
{
    const char *name = getenv("GRADUS_FAKE_ARCH");
    return name ? name : "gfx90a:sramecc+:xnack-";
}

/* An MI210's; RDNA's GPUs, from gfx10 on, have waves of 32. */
gr_gpu_result hipDeviceGetAttribute(int *value, int attribute, int device)
{
    const bool rdna = strncmp(arch_name(), "gfx1", 4) == 0;
    const struct {
        int attribute, value;
    } known[] = {
        {GR_HIP_ATTRIBUTE_CLOCK_RATE_KHZ, 1700000},
        {GR_HIP_ATTRIBUTE_L2_BYTES, 8388608},
        {GR_HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {GR_HIP_ATTRIBUTE_MEMORY_BUS_BITS, 4096},
        {GR_HIP_ATTRIBUTE_MEMORY_CLOCK_KHZ, 1600000},
        {GR_HIP_ATTRIBUTE_SMS, 104},
        {GR_HIP_ATTRIBUTE_PCI_BUS_ID, 0xc1 + device},
        {GR_HIP_ATTRIBUTE_PCI_DEVICE_ID, 0},
        {GR_HIP_ATTRIBUTE_PCI_DOMAIN_ID, 0},
        {GR_HIP_ATTRIBUTE_REGISTERS_PER_BLOCK, 65536},
        {GR_HIP_ATTRIBUTE_SMEM_PER_BLOCK, 65536},
        {GR_HIP_ATTRIBUTE_WARP_SIZE, rdna ? 32 : 64},
        /* LDS of a CU is not reported, as by older HIPs. */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return GR_GPU_SUCCESS;
        }
    return FAKE_INVALID_VALUE;
}

#ifdef FAKE_ROCM_5
gr_gpu_result hipGetDeviceProperties(void *properties, int device)
#else
gr_gpu_result hipGetDevicePropertiesR0600(void *properties, int device)
#endif
{
#ifdef FAKE_ROCM_5
    const size_t at = GR_HIP_ARCH_NAME_5;
#else
    const size_t at = GR_HIP_ARCH_NAME_6;
#endif
    (void)device;
    snprintf((char *)properties + at, 256, "%s", arch_name());
    return GR_GPU_SUCCESS;
}

gr_gpu_result hipDeviceTotalMem(size_t *bytes, int device)
{
    return cuDeviceTotalMem_v2(bytes, device);
}

gr_gpu_result hipSetDevice(int device)
{
    int ignored;
    chosen_device = device;
    return cuDeviceGet(&ignored, device);
}

gr_gpu_result hipDeviceSynchronize(void)
{
    return cuCtxSynchronize();
}

gr_gpu_result hipMemGetInfo(size_t *free_bytes, size_t *total)
{
    return cuMemGetInfo_v2(free_bytes, total);
}

/* Nothing is done on a device that no thread has chosen. */
gr_gpu_result hipMalloc(gr_gpu_address *pointer, size_t bytes)
{
    return chosen_device < 0 ? GR_HIP_INVALID_DEVICE : cuMemAlloc_v2(pointer, bytes);
}

gr_gpu_result hipFree(gr_gpu_address pointer)
{
    return cuMemFree_v2(pointer);
}

gr_gpu_result hipMemcpyHtoDAsync(gr_gpu_address to, const void *from, size_t bytes,
                                 gr_gpu_stream stream)
{
    return cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
}

gr_gpu_result hipMemcpyDtoHAsync(void *to, gr_gpu_address from, size_t bytes, gr_gpu_stream stream)
{
    return cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
}

gr_gpu_result hipMemcpyDtoDAsync(gr_gpu_address to, gr_gpu_address from, size_t bytes,
                                 gr_gpu_stream stream)
{
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

gr_gpu_result hipMemsetD8Async(gr_gpu_address to, unsigned char value, size_t bytes,
                               gr_gpu_stream stream)
{
    return cuMemsetD8Async(to, value, bytes, stream);
}

gr_gpu_result hipHostMalloc(void **pointer, size_t bytes, unsigned flags)
{
    return cuMemHostAlloc(pointer, bytes, flags);
}

gr_gpu_result hipHostFree(void *pointer)
{
    return cuMemFreeHost(pointer);
}

gr_gpu_result hipModuleLoadDataEx(gr_gpu_module *module, const void *image, unsigned option_count,
                                  int *options, void **values)
{
    return cuModuleLoadDataEx(module, image, option_count, options, values);
}

gr_gpu_result hipModuleUnload(gr_gpu_module module)
{
    return cuModuleUnload(module);
}

gr_gpu_result hipModuleGetFunction(gr_gpu_function *function, gr_gpu_module module,
                                   const char *name)
{
    return cuModuleGetFunction(function, module, name);
}

gr_gpu_result hipFuncGetAttribute(int *value, int attribute, gr_gpu_function function)
{
    return cuFuncGetAttribute(value, attribute, function);
}

gr_gpu_result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                 gr_gpu_function function,
                                                                 int threads,
                                                                 size_t dynamic_shared_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads,
                                                       dynamic_shared_bytes);
}

gr_gpu_result hipStreamCreateWithFlags(gr_gpu_stream *stream, unsigned flags)
{
    return cuStreamCreate(stream, flags);
}

gr_gpu_result hipStreamDestroy(gr_gpu_stream stream)
{
    return cuStreamDestroy_v2(stream);
}

gr_gpu_result hipStreamSynchronize(gr_gpu_stream stream)
{
    return cuStreamSynchronize(stream);
}

gr_gpu_result hipStreamWaitEvent(gr_gpu_stream stream, gr_gpu_event event, unsigned flags)
{
    return cuStreamWaitEvent(stream, event, flags);
}

gr_gpu_result hipEventCreateWithFlags(gr_gpu_event *event, unsigned flags)
{
    return cuEventCreate(event, flags);
}

gr_gpu_result hipEventDestroy(gr_gpu_event event)
{
    return cuEventDestroy_v2(event);
}

gr_gpu_result hipEventRecord(gr_gpu_event event, gr_gpu_stream stream)
{
    return cuEventRecord(event, stream);
}

gr_gpu_result hipEventSynchronize(gr_gpu_event event)
{
    return cuEventSynchronize(event);
}

gr_gpu_result hipEventElapsedTime(float *ms, gr_gpu_event start, gr_gpu_event stop)
{
    return cuEventElapsedTime(ms, start, stop);
}

gr_gpu_result hipModuleLaunchKernel(gr_gpu_function function, unsigned grid_x, unsigned grid_y,
                                    unsigned grid_z, unsigned block_x, unsigned block_y,
                                    unsigned block_z, unsigned shared_bytes, gr_gpu_stream stream,
                                    void **parameters, void **extra)
{
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          stream, parameters, extra);
}

gr_gpu_result hipStreamBeginCapture(gr_gpu_stream stream, int mode)
{
    return cuStreamBeginCapture_v2(stream, mode);
}

gr_gpu_result hipStreamEndCapture(gr_gpu_stream stream, gr_gpu_graph *graph)
{
    return cuStreamEndCapture(stream, graph);
}

gr_gpu_result hipGraphInstantiateWithFlags(gr_gpu_graph_exec *executable, gr_gpu_graph graph,
                                           unsigned long long flags)
{
    return cuGraphInstantiateWithFlags(executable, graph, flags);
}

gr_gpu_result hipGraphLaunch(gr_gpu_graph_exec executable, gr_gpu_stream stream)
{
    return cuGraphLaunch(executable, stream);
}

gr_gpu_result hipGraphDestroy(gr_gpu_graph graph)
{
    return cuGraphDestroy(graph);
}

gr_gpu_result hipGraphExecDestroy(gr_gpu_graph_exec executable)
{
    return cuGraphExecDestroy(executable);
}

gr_gpu_result hipHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return cuMemHostRegister_v2(pointer, bytes, flags);
}

gr_gpu_result hipHostUnregister(void *pointer)
{
    return cuMemHostUnregister(pointer);
}

const char *hipGetErrorName(gr_gpu_result result)
{
    static const struct {
        int result;
        const char *name;
    } known[] = {
        {GR_GPU_SUCCESS, "hipSuccess"},
        {FAKE_INVALID_VALUE, "hipErrorInvalidValue"},
        {GR_HIP_OUT_OF_MEMORY, "hipErrorOutOfMemory"},
        {GR_HIP_NOT_INITIALIZED, "hipErrorNotInitialized"},
        {GR_HIP_NO_DEVICE, "hipErrorNoDevice"},
        {GR_HIP_INVALID_DEVICE, "hipErrorInvalidDevice"},
        {FAKE_INVALID_IMAGE, "hipErrorInvalidImage"},
        {GR_HIP_NO_BINARY_FOR_GPU, "hipErrorNoBinaryForGpu"},
        {GR_HIP_ILLEGAL_ADDRESS, "hipErrorIllegalAddress"},
        {GR_HIP_LAUNCH_OUT_OF_RESOURCES, "hipErrorLaunchOutOfResources"},
        {GR_HIP_LAUNCH_TIMEOUT, "hipErrorLaunchTimeOut"},
        {GR_HIP_LAUNCH_FAILURE, "hipErrorLaunchFailure"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result)
            return known[i].name;
    return "hipErrorUnknown";
}

const char *hipGetErrorString(gr_gpu_result result)
{
    (void)result;
    return "the fake driver's error";
}
