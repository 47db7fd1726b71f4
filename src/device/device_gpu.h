/* device_gpu.h: a GPU that the library computes on: its primary context, the kernels that were
 * loaded into it, and the buffers of its streams. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_GPU_H
#define DEVICE_DEVICE_GPU_H

#include "device/device_driver.h"
#include "device/device_points.h"
#include "device/kernel_table.h"

#include <pthread.h>
#include <stdatomic.h>

/* The functions of a kernel for one of the transposes. */
struct gr_device_loaded {
    gr_device_function functions[GR_DEVICE_STANZAS];
    atomic_int smem_allowed[GR_DEVICE_STANZAS]; /* what the driver was told */
    int smem_fixed[GR_DEVICE_STANZAS];          /* bytes that the function has itself */
    atomic_llong occupancy[GR_DEVICE_STANZAS];  /* what device_launch.c last asked for */
};

/* The library's own workspace of a stream. Its lock is held while a product is queued that uses it:
 * launches of two threads must not alternate then. */
struct gr_device_buffer {
    struct gr_device_buffer *next;
    uint64_t stream;
    pthread_mutex_t lock;
    uint64_t address;
    int64_t bytes;
};

enum { GR_DEVICE_KERNELS = 64 };

struct gr_device_gpu {
    const struct gr_device_driver *driver;
    int ordinal, handle, cc, sms, smem_max, warp;
    char name[96], arch[16];               /* "NVIDIA H200", "sm_90a" */
    bool launches_early;                   /* it can launch a kernel before another has ended */
    const struct gr_device_points *points; /* what was measured on one like it; null: nothing */
    gr_device_context context;
    pthread_mutex_t lock; /* of what is added below */
    _Atomic(struct gr_device_loaded *) loaded[GR_DEVICE_KERNELS][4];
    _Atomic(struct gr_device_buffer *) buffers;
};

/* The GPU with that ordinal; its primary context is retained for good. */
enum gradus_status gr_device_gpu_open(int ordinal, struct gr_device_gpu **gpu,
                                      struct gradus_error *error);
/* The GPU whose memory contains the address. INVALID: `name` ("c") is host memory. */
enum gradus_status gr_device_gpu_of(const struct gr_device_driver *driver, const void *address,
                                    const char *name, int *ordinal, struct gradus_error *error);
/* Is it memory that no GPU has? */
bool gr_device_on_host(const struct gr_device_driver *driver, const void *address);
/* The GPU of the calling thread's context, or 0. */
int gr_device_gpu_in_use(const struct gr_device_driver *driver);

/* Makes the GPU's primary context the calling thread's, if it is not. gr_device_leave undoes it. */
enum gradus_status gr_device_enter(const struct gr_device_gpu *gpu, bool *entered,
                                   struct gradus_error *error);
void gr_device_leave(const struct gr_device_gpu *gpu, bool entered);

/* The functions of a kernel, which are loaded at the first call; the GPU's context is current. */
enum gradus_status gr_device_load(struct gr_device_gpu *gpu, int kernel, int trans,
                                  struct gr_device_loaded **loaded, struct gradus_error *error);

/* The stream's own workspace of at least `bytes` bytes, locked. LAUNCH: the stream is being
 * captured. */
enum gradus_status gr_device_buffer_take(struct gr_device_gpu *gpu, void *stream, int64_t bytes,
                                         struct gr_device_buffer **buffer,
                                         struct gradus_error *error);
void gr_device_buffer_give(struct gr_device_buffer *buffer);

/* Does a GPU take code for `arch`? It does if that is its own, or of an older one of the same
 * generation that is not for it alone ("sm_80" on 8.9). */
bool gr_device_arch_runs(const char *arch, int cc);
/* Does a GPU fit what a kernel's `arch` line has? */
bool gr_device_arch_fits(const char *line, int cc);

#endif
