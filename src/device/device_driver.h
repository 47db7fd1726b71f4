/* device_driver.h: the functions of the GPU's driver that the library calls. The driver is opened
 * with dlopen when a product is first computed on a GPU. The functions are declared here after
 * NVIDIA's documentation of the CUDA Driver API; HIP has the same functions under other names.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_DRIVER_H
#define DEVICE_DEVICE_DRIVER_H

#include <gradus/gradus.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gr_device_context_s *gr_device_context;
typedef struct gr_device_module_s *gr_device_module;
typedef struct gr_device_function_s *gr_device_function;

/* CUtensorMap, which is opaque. */
struct gr_device_tensor_map {
    _Alignas(64) uint64_t opaque[16];
};

/* CUlaunchAttribute and CUlaunchConfig. The value of an attribute is a union of 64 bytes. */
enum { GR_DEVICE_LAUNCH_CLUSTER_DIMENSION = 4, GR_DEVICE_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6 };

struct gr_device_launch_attribute {
    int id;
    char pad[4];
    unsigned value[16]; /* x, y, z of a cluster dimension; 1 for programmatic serialization */
};

struct gr_device_launch_config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void *stream;
    struct gr_device_launch_attribute *attributes;
    unsigned attribute_count;
};

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D_PEER: copies of rows of bytes within one GPU's memory, or from
 * one GPU's memory to another's. Members that the library does not use stay 0. */
enum { GR_DEVICE_MEMORY_OF_GPU = 2 };

struct gr_device_rows {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    uint64_t from;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    uint64_t to;
    void *to_array;
    size_t to_pitch;
    size_t row_bytes, rows;
};

struct gr_device_peer_rows {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    uint64_t from;
    void *from_array;
    gr_device_context from_context;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    uint64_t to;
    void *to_array;
    gr_device_context to_context;
    size_t to_pitch, to_height;
    size_t row_bytes, rows, depth;
};

/* X(member, symbol, parameters): first the functions that every driver since CUDA 11.0 has, then
 * those that only later drivers have; pointers to the latter may be null. All return 0 for
 * success. */
#define GR_DEVICE_DRIVER_NEEDED(X)                                                                 \
    X(init, cuInit, (unsigned flags))                                                              \
    X(device_count, cuDeviceGetCount, (int *count))                                                \
    X(device_get, cuDeviceGet, (int *device, int ordinal))                                         \
    X(device_name, cuDeviceGetName, (char *name, int length, int device))                          \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))             \
    X(context_retain, cuDevicePrimaryCtxRetain, (gr_device_context * context, int device))         \
    X(context_current, cuCtxGetCurrent, (gr_device_context * context))                             \
    X(context_device, cuCtxGetDevice, (int *device))                                               \
    X(context_push, cuCtxPushCurrent_v2, (gr_device_context context))                              \
    X(context_pop, cuCtxPopCurrent_v2, (gr_device_context * context))                              \
    X(pointer_attribute, cuPointerGetAttribute, (void *value, int attribute, uint64_t pointer))    \
    X(memory_alloc, cuMemAlloc_v2, (uint64_t * pointer, size_t bytes))                             \
    X(memory_free, cuMemFree_v2, (uint64_t pointer))                                               \
    X(set_bytes, cuMemsetD8Async, (uint64_t to, unsigned char value, size_t bytes, void *stream))  \
    X(module_load, cuModuleLoadData, (gr_device_module * module, const void *image))               \
    X(module_unload, cuModuleUnload, (gr_device_module module))                                    \
    X(module_function, cuModuleGetFunction,                                                        \
      (gr_device_function * function, gr_device_module module, const char *name))                  \
    X(function_attribute, cuFuncGetAttribute,                                                      \
      (int *value, int attribute, gr_device_function function))                                    \
    X(function_set_attribute, cuFuncSetAttribute,                                                  \
      (gr_device_function function, int attribute, int value))                                     \
    X(launch, cuLaunchKernel,                                                                      \
      (gr_device_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,  \
       void **parameters, void **extra))                                                           \
    X(stream_is_capturing, cuStreamIsCapturing, (void *stream, int *status))                       \
    X(capture_mode, cuThreadExchangeStreamCaptureMode, (int *mode))                                \
    X(memory_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                   \
    X(host_alloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                  \
    X(host_free, cuMemFreeHost, (void *pointer))                                                   \
    X(copy_to_device, cuMemcpyHtoDAsync_v2,                                                        \
      (uint64_t to, const void *from, size_t bytes, void *stream))                                 \
    X(copy_to_host, cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream))   \
    X(stream_create, cuStreamCreate, (void **stream, unsigned flags))                              \
    X(stream_synchronize, cuStreamSynchronize, (void *stream))                                     \
    X(stream_wait, cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                 \
    X(event_create, cuEventCreate, (void **event, unsigned flags))                                 \
    X(event_record, cuEventRecord, (void *event, void *stream))                                    \
    X(event_synchronize, cuEventSynchronize, (void *event))                                        \
    X(error_name, cuGetErrorName, (int result, const char **name))                                 \
    X(error_text, cuGetErrorString, (int result, const char **text))
#define GR_DEVICE_DRIVER_OPTIONAL(X)                                                               \
    X(launch_config, cuLaunchKernelEx,                                                             \
      (const struct gr_device_launch_config *config, gr_device_function function,                  \
       void **parameters, void **extra))                                                           \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                      \
      (int *blocks, gr_device_function function, int threads, size_t shared_bytes))                \
    X(stream_id, cuStreamGetId, (void *stream, unsigned long long *id))                            \
    X(driver_version, cuDriverGetVersion, (int *version))                                          \
    X(event_query, cuEventQuery, (void *event))                                                    \
    X(event_elapsed, cuEventElapsedTime, (float *ms, void *start, void *stop))                     \
    X(capture_begin, cuStreamBeginCapture_v2, (void *stream, int mode))                            \
    X(capture_end, cuStreamEndCapture, (void *stream, void **graph))                               \
    X(graph_instantiate, cuGraphInstantiateWithFlags,                                              \
      (void **executable, void *graph, unsigned long long flags))                                  \
    X(graph_launch, cuGraphLaunch, (void *executable, void *stream))                               \
    X(graph_destroy, cuGraphDestroy, (void *graph))                                                \
    X(graph_exec_destroy, cuGraphExecDestroy, (void *executable))                                  \
    X(copy_bytes, cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t bytes, void *stream))  \
    X(copy_rows, cuMemcpy2DAsync_v2, (const struct gr_device_rows *copy, void *stream))            \
    X(copy_peer, cuMemcpyPeerAsync,                                                                \
      (uint64_t to, gr_device_context to_context, uint64_t from, gr_device_context from_context,   \
       size_t bytes, void *stream))                                                                \
    X(copy_peer_rows, cuMemcpy3DPeerAsync, (const struct gr_device_peer_rows *copy, void *stream)) \
    X(can_access, cuDeviceCanAccessPeer, (int *yes, int device, int peer))                         \
    X(enable_peer, cuCtxEnablePeerAccess, (gr_device_context peer, unsigned flags))                \
    X(stream_create_first, cuStreamCreateWithPriority,                                             \
      (void **stream, unsigned flags, int priority))                                               \
    X(stream_destroy, cuStreamDestroy_v2, (void *stream))                                          \
    X(event_destroy, cuEventDestroy_v2, (void *event))                                             \
    X(memory_alloc_async, cuMemAllocAsync, (uint64_t * pointer, size_t bytes, void *stream))       \
    X(memory_free_async, cuMemFreeAsync, (uint64_t pointer, void *stream))                         \
    X(tensor_map_encode, cuTensorMapEncodeTiled,                                                   \
      (struct gr_device_tensor_map * map, int type, unsigned rank, void *address,                  \
       const uint64_t *dimensions, const uint64_t *strides, const unsigned *box,                   \
       const unsigned *element_strides, int interleave, int swizzle, int promotion, int fill))

#define GR_DEVICE_DRIVER_MEMBER(name, symbol, parameters) int(*name) parameters;
struct gr_device_driver {
    GR_DEVICE_DRIVER_NEEDED(GR_DEVICE_DRIVER_MEMBER)
    GR_DEVICE_DRIVER_OPTIONAL(GR_DEVICE_DRIVER_MEMBER)
    int devices;
};
#undef GR_DEVICE_DRIVER_MEMBER

/* Constants of the API: attributes of devices, functions and pointers; the capture mode in which a
 * thread may allocate memory and load modules while another thread captures; and results. */
enum {
    GR_DEVICE_WARP_SIZE = 10,
    GR_DEVICE_MULTIPROCESSORS = 16,
    GR_DEVICE_CC_MAJOR = 75,
    GR_DEVICE_CC_MINOR = 76,
    GR_DEVICE_SMEM_PER_BLOCK = 97,
    GR_DEVICE_FUNCTION_FIXED_SMEM = 1,
    GR_DEVICE_FUNCTION_DYNAMIC_SMEM = 8,
    GR_DEVICE_POINTER_ORDINAL = 9,
    GR_DEVICE_CAPTURE_RELAXED = 2,
    GR_DEVICE_INVALID_VALUE = 1,
    GR_DEVICE_NO_BINARY = 209,
    GR_DEVICE_INVALID_IMAGE = 200
};

/* Opens and initialises the driver, once in each process. UNSUPPORTED, with one line of text: there
 * is no driver, it has no GPU, or this process was forked after the first call. */
enum gradus_status gr_device_driver_open(const struct gr_device_driver **driver,
                                         struct gradus_error *error);

/* Converts a driver's result to a status. The error's text is one line: `what`, and the driver's
 * name for the result. NO_MEMORY; CRASHED for an error that every later call will also return;
 * LAUNCH for all others. */
enum gradus_status gr_device_check(const struct gr_device_driver *driver, int result,
                                   const char *what, struct gradus_error *error);

#endif
