/* device_gpu.h: a GPU that the library uses: its primary context, the kernels that were loaded into
 * it, and the workspaces of its streams. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_GPU_H
#define DEVICE_DEVICE_GPU_H

#include "device/device_driver.h"
#include "device/device_points.h"
#include "device/kernel_table.h"

#include <pthread.h>
#include <stdatomic.h>

/* The functions of a kernel, for one combination of transposes. */
struct gr_device_loaded {
    gr_device_function functions[GR_DEVICE_STANZAS];
    atomic_int smem_allowed[GR_DEVICE_STANZAS]; /* bytes of dynamic shared memory that a launch may
                                                   use without another call to the driver */
    int smem_fixed[GR_DEVICE_STANZAS];          /* bytes of static shared memory */
    atomic_llong occupancy[GR_DEVICE_STANZAS];  /* the driver's last answer, cached */
};

/* The library's own workspace for one stream. Its lock is held while a product that uses it is
 * queued, so that the launches of two threads do not interleave. */
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
    bool launches_early;                   /* it supports programmatic dependent launch */
    const struct gr_device_points *points; /* measurements on such a GPU; null: there are none */
    gr_device_context context;
    pthread_mutex_t lock; /* protects additions to the members below */
    _Atomic(struct gr_device_loaded *) loaded[GR_DEVICE_KERNELS][4];
    _Atomic(struct gr_device_buffer *) buffers;
};

/* Returns the GPU with that ordinal. Its primary context is retained and never released. */
enum gradus_status gr_device_gpu_open(int ordinal, struct gr_device_gpu **gpu,
                                      struct gradus_error *error);
/* Finds the GPU whose memory contains the address. INVALID: the address is host memory; `name`
 * ("c") is the operand's name in the error. */
enum gradus_status gr_device_gpu_of(const struct gr_device_driver *driver, const void *address,
                                    const char *name, int *ordinal, struct gradus_error *error);
/* Is the address host memory, unknown to the driver? */
bool gr_device_on_host(const struct gr_device_driver *driver, const void *address);
/* Returns the ordinal of the GPU of the calling thread's current context, or 0 if there is none. */
int gr_device_gpu_in_use(const struct gr_device_driver *driver);

/* Makes the GPU's primary context current for the calling thread, if it is not. gr_device_leave
 * undoes this. */
enum gradus_status gr_device_enter(const struct gr_device_gpu *gpu, bool *entered,
                                   struct gradus_error *error);
void gr_device_leave(const struct gr_device_gpu *gpu, bool entered);

/* Returns the functions of a kernel and loads them at the first call. The GPU's context must be
 * current. */
enum gradus_status gr_device_load(struct gr_device_gpu *gpu, int kernel, int trans,
                                  struct gr_device_loaded **loaded, struct gradus_error *error);

/* Returns the library's workspace for a stream, locked and with at least `bytes` bytes; it grows if
 * necessary. gr_device_buffer_give unlocks it. LAUNCH: the stream is being captured. NO_MEMORY. */
enum gradus_status gr_device_buffer_take(struct gr_device_gpu *gpu, void *stream, int64_t bytes,
                                         struct gr_device_buffer **buffer,
                                         struct gradus_error *error);
void gr_device_buffer_give(struct gr_device_buffer *buffer);

/* Can a GPU of compute capability `cc` run machine code for `arch`? It can if `arch` is its own, or
 * an older one of the same major version without a suffix ("sm_80" on 8.9). */
bool gr_device_arch_runs(const char *arch, int cc);
/* Does a GPU of compute capability `cc` satisfy the `arch` line of a kernel? */
bool gr_device_arch_fits(const char *line, int cc);

#endif
