/* cuda_abi.h: the CUDA Driver API as struct gr_gpu_driver needs it: its numbers, and the symbols of
 * its functions. Symbols carry the version suffix of the ABI that the prototype is of.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_CUDA_ABI_H
#define GPU_CUDA_ABI_H

/* CUresult: those that Gradus distinguishes. */
enum {
    GR_CUDA_OUT_OF_MEMORY = 2,
    GR_CUDA_STUB_LIBRARY = 34,
    GR_CUDA_NO_DEVICE = 100,
    GR_CUDA_INVALID_DEVICE = 101,
    GR_CUDA_NO_BINARY_FOR_GPU = 209,
    GR_CUDA_UNSUPPORTED_PTX_VERSION = 222,
    GR_CUDA_NOT_READY = 600,
    GR_CUDA_ILLEGAL_ADDRESS = 700,
    GR_CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    GR_CUDA_LAUNCH_TIMEOUT = 702,
    GR_CUDA_HARDWARE_STACK_ERROR = 714,
    GR_CUDA_LAUNCH_FAILED = 719,
    GR_CUDA_SYSTEM_DRIVER_MISMATCH = 803,
    GR_CUDA_COMPAT_NOT_SUPPORTED = 804
};

/* CUdevice_attribute */
enum {
    GR_CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    GR_CUDA_ATTRIBUTE_WARP_SIZE = 10,
    GR_CUDA_ATTRIBUTE_CLOCK_RATE_KHZ = 13,
    GR_CUDA_ATTRIBUTE_SMS = 16,
    GR_CUDA_ATTRIBUTE_PCI_BUS_ID = 33,
    GR_CUDA_ATTRIBUTE_PCI_DEVICE_ID = 34,
    GR_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ = 36,
    GR_CUDA_ATTRIBUTE_MEMORY_BUS_BITS = 37,
    GR_CUDA_ATTRIBUTE_L2_BYTES = 38,
    GR_CUDA_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    GR_CUDA_ATTRIBUTE_CC_MAJOR = 75,
    GR_CUDA_ATTRIBUTE_CC_MINOR = 76,
    GR_CUDA_ATTRIBUTE_SMEM_PER_SM = 81,
    GR_CUDA_ATTRIBUTE_REGISTERS_PER_SM = 82,
    GR_CUDA_ATTRIBUTE_SMEM_PER_BLOCK_OPTIN = 97
};

/* X(name in the table, symbol) */
#define GR_CUDA_SYMBOLS(X)                                                                         \
    X(init, cuInit)                                                                                \
    X(driver_version, cuDriverGetVersion)                                                          \
    X(device_count, cuDeviceGetCount)                                                              \
    X(device_get, cuDeviceGet)                                                                     \
    X(device_name, cuDeviceGetName)                                                                \
    X(device_attribute, cuDeviceGetAttribute)                                                      \
    X(device_memory, cuDeviceTotalMem_v2)                                                          \
    X(context_retain, cuDevicePrimaryCtxRetain)                                                    \
    X(context_release, cuDevicePrimaryCtxRelease_v2)                                               \
    X(context_set, cuCtxSetCurrent)                                                                \
    X(context_synchronize, cuCtxSynchronize)                                                       \
    X(memory_info, cuMemGetInfo_v2)                                                                \
    X(memory_alloc, cuMemAlloc_v2)                                                                 \
    X(memory_free, cuMemFree_v2)                                                                   \
    X(to_device, cuMemcpyHtoDAsync_v2)                                                             \
    X(to_host, cuMemcpyDtoHAsync_v2)                                                               \
    X(on_device, cuMemcpyDtoDAsync_v2)                                                             \
    X(set_bytes, cuMemsetD8Async)                                                                  \
    X(host_alloc, cuMemHostAlloc)                                                                  \
    X(host_free, cuMemFreeHost)                                                                    \
    X(module_load, cuModuleLoadDataEx)                                                             \
    X(module_unload, cuModuleUnload)                                                               \
    X(module_function, cuModuleGetFunction)                                                        \
    X(function_attribute, cuFuncGetAttribute)                                                      \
    X(function_set_attribute, cuFuncSetAttribute)                                                  \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor)                                      \
    X(stream_create, cuStreamCreate)                                                               \
    X(stream_destroy, cuStreamDestroy_v2)                                                          \
    X(stream_synchronize, cuStreamSynchronize)                                                     \
    X(stream_wait, cuStreamWaitEvent)                                                              \
    X(event_create, cuEventCreate)                                                                 \
    X(event_destroy, cuEventDestroy_v2)                                                            \
    X(event_record, cuEventRecord)                                                                 \
    X(event_synchronize, cuEventSynchronize)                                                       \
    X(event_elapsed_ms, cuEventElapsedTime)                                                        \
    X(launch, cuLaunchKernel)                                                                      \
    X(error_name, cuGetErrorName)                                                                  \
    X(error_text, cuGetErrorString)                                                                \
    X(launch_config, cuLaunchKernelEx)                                                             \
    X(capture_begin, cuStreamBeginCapture_v2)                                                      \
    X(capture_end, cuStreamEndCapture)                                                             \
    X(graph_instantiate, cuGraphInstantiateWithFlags)                                              \
    X(graph_launch, cuGraphLaunch)                                                                 \
    X(graph_destroy, cuGraphDestroy)                                                               \
    X(graph_exec_destroy, cuGraphExecDestroy)                                                      \
    X(host_register, cuMemHostRegister_v2)                                                         \
    X(host_unregister, cuMemHostUnregister)                                                        \
    X(tensor_map_encode, cuTensorMapEncodeTiled)

#endif
