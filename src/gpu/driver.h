/* driver.h: a GPU's driver, of any vendor, as a table of functions: memory, streams, events,
 * graphs, modules, launches.
 *
 * The drivers of NVIDIA and AMD have the same functions under other names, so that one table serves
 * both, and everything above this folder is written once. What differs is in struct gr_gpu_vendor
 * (vendor.h). The types, numbers and prototypes are declared here after the vendors' documentation;
 * none of their headers is needed. SPDX-License-Identifier: MIT */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int gr_gpu_result; /* 0: success; else a number of the vendor's */
typedef uint64_t gr_gpu_address;
typedef struct gr_gpu_context_s *gr_gpu_context_handle;
typedef struct gr_gpu_module_s *gr_gpu_module;
typedef struct gr_gpu_function_s *gr_gpu_function;
typedef struct gr_gpu_stream_s *gr_gpu_stream;
typedef struct gr_gpu_event_s *gr_gpu_event;
typedef struct gr_gpu_graph_s *gr_gpu_graph;
typedef struct gr_gpu_graph_exec_s *gr_gpu_graph_exec;

/* Numbers that are the same in the CUDA Driver API and in HIP. */
enum { GR_GPU_SUCCESS = 0 };

/* Attributes of a function. */
enum {
    GR_GPU_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    GR_GPU_FUNCTION_SHARED_BYTES = 1,
    GR_GPU_FUNCTION_LOCAL_BYTES = 3,
    GR_GPU_FUNCTION_REGISTERS = 4,
    GR_GPU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    GR_GPU_FUNCTION_NON_PORTABLE_CLUSTER = 14
};

/* Flags of streams, events, captures and host memory. */
enum {
    GR_GPU_STREAM_NON_BLOCKING = 1,
    GR_GPU_EVENT_BLOCKING_SYNC = 1,
    GR_GPU_EVENT_DISABLE_TIMING = 2,
    GR_GPU_CAPTURE_RELAXED = 2,
    GR_GPU_HOST_REGISTER_PORTABLE = 1
};

/* CUlaunchAttribute and CUlaunchConfig, for clusters; the attribute's value is a union of 64 bytes.
 */
enum { GR_GPU_LAUNCH_CLUSTER_DIMENSION = 4 };

struct gr_gpu_launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};

struct gr_gpu_launch_config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    gr_gpu_stream stream;
    struct gr_gpu_launch_attribute *attributes;
    unsigned attribute_count;
};

/* A tensor map of CUDA: opaque, 128 bytes on a boundary of 64. */
struct gr_cuda_tensor_map {
    _Alignas(64) uint64_t opaque[16];
};

/* Every function of the table: needed or optional, its name, its parameters. They are those of the
 * CUDA Driver API, which HIP's functions share; a vendor that has no such function leaves an
 * optional one null. */
#define GR_GPU_FUNCTIONS(NEEDED, OPTIONAL)                                                         \
    NEEDED(init, (unsigned flags))                                                                 \
    NEEDED(driver_version, (int *version))                                                         \
    NEEDED(device_count, (int *count))                                                             \
    NEEDED(device_get, (int *device, int ordinal))                                                 \
    NEEDED(device_name, (char *name, int length, int device))                                      \
    NEEDED(device_attribute, (int *value, int attribute, int device))                              \
    NEEDED(device_memory, (size_t * bytes, int device))                                            \
    NEEDED(context_retain, (gr_gpu_context_handle * context, int device))                          \
    NEEDED(context_release, (int device))                                                          \
    NEEDED(context_set, (gr_gpu_context_handle context))                                           \
    NEEDED(context_synchronize, (void))                                                            \
    NEEDED(memory_info, (size_t * free, size_t * total))                                           \
    NEEDED(memory_alloc, (gr_gpu_address * pointer, size_t bytes))                                 \
    NEEDED(memory_free, (gr_gpu_address pointer))                                                  \
    NEEDED(to_device, (gr_gpu_address to, const void *from, size_t bytes, gr_gpu_stream stream))   \
    NEEDED(to_host, (void *to, gr_gpu_address from, size_t bytes, gr_gpu_stream stream))           \
    NEEDED(on_device,                                                                              \
           (gr_gpu_address to, gr_gpu_address from, size_t bytes, gr_gpu_stream stream))           \
    NEEDED(set_bytes,                                                                              \
           (gr_gpu_address to, unsigned char value, size_t bytes, gr_gpu_stream stream))           \
    NEEDED(host_alloc, (void **pointer, size_t bytes, unsigned flags))                             \
    NEEDED(host_free, (void *pointer))                                                             \
    NEEDED(module_load, (gr_gpu_module * module, const void *image, unsigned option_count,         \
                         int *options, void **values))                                             \
    NEEDED(module_unload, (gr_gpu_module module))                                                  \
    NEEDED(module_function, (gr_gpu_function * function, gr_gpu_module module, const char *name))  \
    NEEDED(function_attribute, (int *value, int attribute, gr_gpu_function function))              \
    NEEDED(function_set_attribute, (gr_gpu_function function, int attribute, int value))           \
    NEEDED(occupancy,                                                                              \
           (int *blocks, gr_gpu_function function, int threads, size_t dynamic_shared_bytes))      \
    NEEDED(stream_create, (gr_gpu_stream * stream, unsigned flags))                                \
    NEEDED(stream_destroy, (gr_gpu_stream stream))                                                 \
    NEEDED(stream_synchronize, (gr_gpu_stream stream))                                             \
    NEEDED(stream_wait, (gr_gpu_stream stream, gr_gpu_event event, unsigned flags))                \
    NEEDED(event_create, (gr_gpu_event * event, unsigned flags))                                   \
    NEEDED(event_destroy, (gr_gpu_event event))                                                    \
    NEEDED(event_record, (gr_gpu_event event, gr_gpu_stream stream))                               \
    NEEDED(event_synchronize, (gr_gpu_event event))                                                \
    NEEDED(event_elapsed_ms, (float *ms, gr_gpu_event start, gr_gpu_event stop))                   \
    NEEDED(launch, (gr_gpu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,   \
                    gr_gpu_stream stream, void **parameters, void **extra))                        \
    NEEDED(error_name, (gr_gpu_result result, const char **name))                                  \
    NEEDED(error_text, (gr_gpu_result result, const char **text))                                  \
    OPTIONAL(launch_config, (const struct gr_gpu_launch_config *config, gr_gpu_function function,  \
                             void **parameters, void **extra))                                     \
    OPTIONAL(capture_begin, (gr_gpu_stream stream, int mode))                                      \
    OPTIONAL(capture_end, (gr_gpu_stream stream, gr_gpu_graph * graph))                            \
    OPTIONAL(graph_instantiate,                                                                    \
             (gr_gpu_graph_exec * executable, gr_gpu_graph graph, unsigned long long flags))       \
    OPTIONAL(graph_launch, (gr_gpu_graph_exec executable, gr_gpu_stream stream))                   \
    OPTIONAL(graph_destroy, (gr_gpu_graph graph))                                                  \
    OPTIONAL(graph_exec_destroy, (gr_gpu_graph_exec executable))                                   \
    OPTIONAL(host_register, (void *pointer, size_t bytes, unsigned flags))                         \
    OPTIONAL(host_unregister, (void *pointer))                                                     \
    OPTIONAL(tensor_map_encode,                                                                    \
             (struct gr_cuda_tensor_map * map, int type, unsigned rank, void *address,             \
              const uint64_t *dimensions, const uint64_t *strides, const unsigned *box,            \
              const unsigned *element_strides, int interleave, int swizzle, int promotion,         \
              int fill))

#define GR_GPU_MEMBER(name, parameters) gr_gpu_result(*name) parameters;
struct gr_gpu_driver {
    GR_GPU_FUNCTIONS(GR_GPU_MEMBER, GR_GPU_MEMBER) /* an optional one may be null */
    const struct gr_gpu_vendor *vendor;
    int version; /* as the driver says: 12080 is CUDA 12.8 */
    int devices;
    char path[512]; /* the library's file */
};
#undef GR_GPU_MEMBER

/* What a GPU is. */
struct gr_gpu_device {
    int ordinal;
    int handle;
    char name[96];
    char arch[16]; /* what is passed to the run-time compiler: "sm_86", "sm_90a" (the `a` from 9.0
                      on) */
    char pci[20];  /* "0000:1b:00.0", as the library for clocks and power requires it */
    int cc;        /* 90 for 9.0 */
    int sms, warp, clock_khz, memory_clock_khz, memory_bus_bits, threads_per_block;
    int64_t l2_bytes, smem_per_sm_bytes, smem_per_block_bytes, registers_per_sm, memory_bytes;
};

#endif
