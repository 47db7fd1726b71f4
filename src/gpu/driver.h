/* driver.h: NVIDIA's driver, loaded at run time. The types, numbers and prototypes that Gradus
 * uses are declared here from the documentation of the CUDA Driver API, so that no CUDA header
 * is needed. SPDX-License-Identifier: MIT */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

/* CUresult: the errors that Gradus distinguishes. */
enum {
    GR_CUDA_SUCCESS = 0,
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

/* CUfunction_attribute */
enum {
    GR_CUDA_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    GR_CUDA_FUNCTION_SHARED_BYTES = 1,
    GR_CUDA_FUNCTION_LOCAL_BYTES = 3,
    GR_CUDA_FUNCTION_REGISTERS = 4,
    GR_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    GR_CUDA_FUNCTION_NON_PORTABLE_CLUSTER = 14
};

/* CUstream_flags, CUevent_flags, CUstreamCaptureMode, CUmemhostregister_flags */
enum {
    GR_CUDA_STREAM_NON_BLOCKING = 1,
    GR_CUDA_EVENT_BLOCKING_SYNC = 1,
    GR_CUDA_EVENT_DISABLE_TIMING = 2,
    GR_CUDA_CAPTURE_RELAXED = 2,
    GR_CUDA_HOST_REGISTER_PORTABLE = 1
};

/* CUlaunchAttribute and CUlaunchConfig; the attribute's value is a union of 64 bytes. */
enum { GR_CUDA_LAUNCH_CLUSTER_DIMENSION = 4 };

struct gr_cuda_launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};

struct gr_cuda_launch_config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    CUstream stream;
    struct gr_cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

/* CUtensorMap: opaque, 128 bytes, aligned to 64. */
struct gr_cuda_tensor_map {
    _Alignas(64) uint64_t opaque[16];
};

/* Every function of the table: required or optional, its name in this table, its symbol, its
 * parameters. A symbol has the suffix of the ABI version that the prototype belongs to. */
#define GR_CUDA_FUNCTIONS(NEEDED, OPTIONAL)                                                        \
    NEEDED(init, cuInit, (unsigned flags))                                                         \
    NEEDED(driver_version, cuDriverGetVersion, (int *version))                                     \
    NEEDED(device_count, cuDeviceGetCount, (int *count))                                           \
    NEEDED(device_get, cuDeviceGet, (CUdevice * device, int ordinal))                              \
    NEEDED(device_name, cuDeviceGetName, (char *name, int length, CUdevice device))                \
    NEEDED(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))   \
    NEEDED(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                  \
    NEEDED(context_retain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))       \
    NEEDED(context_release, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                       \
    NEEDED(context_set, cuCtxSetCurrent, (CUcontext context))                                      \
    NEEDED(context_synchronize, cuCtxSynchronize, (void))                                          \
    NEEDED(memory_info, cuMemGetInfo_v2, (size_t * free, size_t * total))                          \
    NEEDED(memory_alloc, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                     \
    NEEDED(memory_free, cuMemFree_v2, (CUdeviceptr pointer))                                       \
    NEEDED(to_device, cuMemcpyHtoDAsync_v2,                                                        \
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                      \
    NEEDED(to_host, cuMemcpyDtoHAsync_v2,                                                          \
           (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                            \
    NEEDED(on_device, cuMemcpyDtoDAsync_v2,                                                        \
           (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                      \
    NEEDED(set_bytes, cuMemsetD8Async,                                                             \
           (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))                   \
    NEEDED(host_alloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))             \
    NEEDED(host_free, cuMemFreeHost, (void *pointer))                                              \
    NEEDED(module_load, cuModuleLoadDataEx,                                                        \
           (CUmodule * module, const void *image, unsigned option_count, int *options,             \
            void **values))                                                                        \
    NEEDED(module_unload, cuModuleUnload, (CUmodule module))                                       \
    NEEDED(module_function, cuModuleGetFunction,                                                   \
           (CUfunction * function, CUmodule module, const char *name))                             \
    NEEDED(function_attribute, cuFuncGetAttribute,                                                 \
           (int *value, int attribute, CUfunction function))                                       \
    NEEDED(function_set_attribute, cuFuncSetAttribute,                                             \
           (CUfunction function, int attribute, int value))                                        \
    NEEDED(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                 \
           (int *blocks, CUfunction function, int threads, size_t dynamic_shared_bytes))           \
    NEEDED(stream_create, cuStreamCreate, (CUstream * stream, unsigned flags))                     \
    NEEDED(stream_destroy, cuStreamDestroy_v2, (CUstream stream))                                  \
    NEEDED(stream_synchronize, cuStreamSynchronize, (CUstream stream))                             \
    NEEDED(stream_wait, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))       \
    NEEDED(event_create, cuEventCreate, (CUevent * event, unsigned flags))                         \
    NEEDED(event_destroy, cuEventDestroy_v2, (CUevent event))                                      \
    NEEDED(event_record, cuEventRecord, (CUevent event, CUstream stream))                          \
    NEEDED(event_synchronize, cuEventSynchronize, (CUevent event))                                 \
    NEEDED(event_elapsed_ms, cuEventElapsedTime, (float *ms, CUevent start, CUevent stop))         \
    NEEDED(launch, cuLaunchKernel,                                                                 \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,           \
            CUstream stream, void **parameters, void **extra))                                     \
    NEEDED(error_name, cuGetErrorName, (CUresult result, const char **name))                       \
    NEEDED(error_text, cuGetErrorString, (CUresult result, const char **text))                     \
    OPTIONAL(launch_config, cuLaunchKernelEx,                                                      \
             (const struct gr_cuda_launch_config *config, CUfunction function, void **parameters,  \
              void **extra))                                                                       \
    OPTIONAL(capture_begin, cuStreamBeginCapture_v2, (CUstream stream, int mode))                  \
    OPTIONAL(capture_end, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                  \
    OPTIONAL(graph_instantiate, cuGraphInstantiateWithFlags,                                       \
             (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                  \
    OPTIONAL(graph_launch, cuGraphLaunch, (CUgraphExec executable, CUstream stream))               \
    OPTIONAL(graph_destroy, cuGraphDestroy, (CUgraph graph))                                       \
    OPTIONAL(graph_exec_destroy, cuGraphExecDestroy, (CUgraphExec executable))                     \
    OPTIONAL(host_register, cuMemHostRegister_v2, (void *pointer, size_t bytes, unsigned flags))   \
    OPTIONAL(host_unregister, cuMemHostUnregister, (void *pointer))                                \
    OPTIONAL(tensor_map_encode, cuTensorMapEncodeTiled,                                            \
             (struct gr_cuda_tensor_map * map, int type, unsigned rank, void *address,             \
              const uint64_t *dimensions, const uint64_t *strides, const unsigned *box,            \
              const unsigned *element_strides, int interleave, int swizzle, int promotion,         \
              int fill))

#define GR_CUDA_MEMBER(name, symbol, parameters) CUresult(*name) parameters;
struct gr_cuda {
    GR_CUDA_FUNCTIONS(GR_CUDA_MEMBER, GR_CUDA_MEMBER) /* an optional function may be null */
    int version;                                      /* the driver's CUDA version: 12080 is 12.8 */
    int devices;
    char path[512]; /* of the library */
};
#undef GR_CUDA_MEMBER

/* Loads and initializes the driver, once per process; it is never closed. Tries
 * $GRADUS_CUDA_DRIVER (and nothing else if that is set), then libcuda.so.1 on the loader's path,
 * then WSL's folder. UNSUPPORTED, with a one-line message that ends in " it with: COMMAND", the
 * command to fix it: no library; a stub library; no device (also if CUDA_VISIBLE_DEVICES is
 * empty); a library that does not match the kernel module; a missing function. */
enum gradus_status gr_cuda_open(const struct gr_cuda **cuda, struct gradus_error *error);

/* OK for success; else an error of one line: `what`, the error's name and its text.
 * OUT_OF_MEMORY gives NO_MEMORY, a kernel's fault (700, 702, 714 to 719) CRASHED, code from a
 * compiler newer than the driver (209, 222) UNSUPPORTED with the remedy, and all others LAUNCH. */
enum gradus_status gr_cuda_check(const struct gr_cuda *cuda, CUresult result, const char *what,
                                 struct gradus_error *error);

/* The properties of a GPU. */
struct gr_cuda_device {
    int ordinal;
    CUdevice handle;
    char name[96];
    char arch[16]; /* NVRTC's architecture: "sm_86", "sm_90a" (with `a` from 9.0 on) */
    char pci[20];  /* the PCI bus id in NVML's form: "0000:1b:00.0" */
    int cc;        /* 90 for 9.0 */
    int sms, warp, clock_khz, memory_clock_khz, memory_bus_bits, threads_per_block;
    int64_t l2_bytes, smem_per_sm_bytes, smem_per_block_bytes, registers_per_sm, memory_bytes;
};

/* INVALID: there is no device with that ordinal ("there are 2: 0 to 1"). */
enum gradus_status gr_cuda_device_read(const struct gr_cuda *cuda, int ordinal,
                                       struct gr_cuda_device *device, struct gradus_error *error);

#endif
