/* hip_abi.h: HIP as struct gr_gpu_driver needs it: its numbers, and the symbols of its functions,
 * from the public headers of ROCm 5 to 7 (hip/hip_runtime_api.h). Only what is the same in all of
 * them is used. SPDX-License-Identifier: MIT */
#ifndef GPU_HIP_ABI_H
#define GPU_HIP_ABI_H

/* hipError_t: those that Gradus distinguishes. */
enum {
    GR_HIP_OUT_OF_MEMORY = 2,
    GR_HIP_NOT_INITIALIZED = 3,
    GR_HIP_INSUFFICIENT_DRIVER = 35,
    GR_HIP_NO_DEVICE = 100,
    GR_HIP_INVALID_DEVICE = 101, /* also what hipInit of ROCm 5 says where there is no GPU */
    GR_HIP_NO_BINARY_FOR_GPU = 209,
    GR_HIP_NOT_READY = 600,
    GR_HIP_ILLEGAL_ADDRESS = 700,
    GR_HIP_LAUNCH_OUT_OF_RESOURCES = 701,
    GR_HIP_LAUNCH_TIMEOUT = 702,
    GR_HIP_ASSERT = 710,
    GR_HIP_LAUNCH_FAILURE = 719,
    GR_HIP_UNKNOWN = 999
};

/* hipDeviceAttribute_t */
enum {
    GR_HIP_ATTRIBUTE_CLOCK_RATE_KHZ = 5,
    GR_HIP_ATTRIBUTE_L2_BYTES = 19,
    GR_HIP_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 56,
    GR_HIP_ATTRIBUTE_MEMORY_BUS_BITS = 59,
    GR_HIP_ATTRIBUTE_MEMORY_CLOCK_KHZ = 60,
    GR_HIP_ATTRIBUTE_SMS = 63,
    GR_HIP_ATTRIBUTE_PCI_BUS_ID = 67,
    GR_HIP_ATTRIBUTE_PCI_DEVICE_ID = 68,
    GR_HIP_ATTRIBUTE_PCI_DOMAIN_ID = 69,
    GR_HIP_ATTRIBUTE_REGISTERS_PER_BLOCK = 71,
    GR_HIP_ATTRIBUTE_SMEM_PER_BLOCK = 74,
    GR_HIP_ATTRIBUTE_WARP_SIZE = 87,
    GR_HIP_ATTRIBUTE_SMEM_PER_SM = 10002
};

/* Where hipDeviceProp_t has `char gcnArchName[256]` ("gfx90a:sramecc+:xnack-"). ROCm 6 changed the
 * structure and gave the function that fills it another symbol, so that both are fixed. */
#define GR_HIP_PROPERTIES_5 "hipGetDeviceProperties"
#define GR_HIP_PROPERTIES_6 "hipGetDevicePropertiesR0600"
enum { GR_HIP_ARCH_NAME_5 = 396, GR_HIP_ARCH_NAME_6 = 1160, GR_HIP_PROPERTIES_BYTES = 4096 };

/* X(name in the table, symbol), of those functions that have the table's parameters. */
#define GR_HIP_SYMBOLS(X)                                                                          \
    X(init, hipInit)                                                                               \
    X(driver_version, hipDriverGetVersion)                                                         \
    X(device_count, hipGetDeviceCount)                                                             \
    X(device_get, hipDeviceGet)                                                                    \
    X(device_name, hipDeviceGetName)                                                               \
    X(device_attribute, hipDeviceGetAttribute)                                                     \
    X(device_memory, hipDeviceTotalMem)                                                            \
    X(context_synchronize, hipDeviceSynchronize)                                                   \
    X(memory_info, hipMemGetInfo)                                                                  \
    X(memory_alloc, hipMalloc)                                                                     \
    X(memory_free, hipFree)                                                                        \
    X(to_device, hipMemcpyHtoDAsync)                                                               \
    X(to_host, hipMemcpyDtoHAsync)                                                                 \
    X(on_device, hipMemcpyDtoDAsync)                                                               \
    X(set_bytes, hipMemsetD8Async)                                                                 \
    X(host_alloc, hipHostMalloc)                                                                   \
    X(host_free, hipHostFree)                                                                      \
    X(module_load, hipModuleLoadDataEx)                                                            \
    X(module_unload, hipModuleUnload)                                                              \
    X(module_function, hipModuleGetFunction)                                                       \
    X(function_attribute, hipFuncGetAttribute)                                                     \
    X(occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)                               \
    X(stream_create, hipStreamCreateWithFlags)                                                     \
    X(stream_destroy, hipStreamDestroy)                                                            \
    X(stream_synchronize, hipStreamSynchronize)                                                    \
    X(stream_wait, hipStreamWaitEvent)                                                             \
    X(event_create, hipEventCreateWithFlags)                                                       \
    X(event_destroy, hipEventDestroy)                                                              \
    X(event_record, hipEventRecord)                                                                \
    X(event_synchronize, hipEventSynchronize)                                                      \
    X(event_elapsed_ms, hipEventElapsedTime)                                                       \
    X(launch, hipModuleLaunchKernel)                                                               \
    X(capture_begin, hipStreamBeginCapture)                                                        \
    X(capture_end, hipStreamEndCapture)                                                            \
    X(graph_instantiate, hipGraphInstantiateWithFlags)                                             \
    X(graph_launch, hipGraphLaunch)                                                                \
    X(graph_destroy, hipGraphDestroy)                                                              \
    X(graph_exec_destroy, hipGraphExecDestroy)                                                     \
    X(host_register, hipHostRegister)                                                              \
    X(host_unregister, hipHostUnregister)

#endif
