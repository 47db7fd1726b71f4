/* fake_driver.h: what the parts of the fake driver share. SPDX-License-Identifier: MIT
 *
 * libfake_driver.so stands in for libcuda.so.1 on machines without a GPU (GRADUS_CUDA_DRIVER=its
 * path). It executes nothing: device memory is the host's, copies and fills are done at once, and a
 * launch is checked against the limits of an H200 and written down. These variables of the
 * environment change what it does:
 *
 *   GRADUS_FAKE_LOG=FILE
 *       Each launch (of a graph: each time it is played) appends one line:
 *       "SYMBOL grid X,Y,Z block X,Y,Z smem BYTES cluster X,Y,Z args HEX HEX …".
 *       An argument is its bytes as they are in memory, two digits each; the cluster is "0,0,0"
 *       where none is requested.
 *   GRADUS_FAKE_END=FILE
 *       A process that launched a kernel and ends by itself, not by a signal, writes this file, as
 * a profiler's library does its tables. GRADUS_FAKE_DEVICES=N That many GPUs (1).
 *   GRADUS_FAKE_INIT=CODE
 *       cuInit fails with that code.
 *   GRADUS_FAKE_VERSION=13000
 *       The CUDA version of the driver.
 *   GRADUS_FAKE_CC=75
 *       The compute capability (90).
 *   GRADUS_FAKE_SMEM=BYTES
 *       The shared memory that a launch may request without asking first (49152).
 *   GRADUS_FAKE_SMEM_MAX=BYTES
 *       What it may request after asking (232448). 225000 is too little for 31_fused_accurate, and
 *       enough for 21_accurate, whose launches and workspace some tests want to see.
 *   GRADUS_FAKE_MEMORY=BYTES, GRADUS_FAKE_MEMORY_1=BYTES
 *       The memory of a GPU, or of GPU 1; an allocation beyond it is CUDA_ERROR_OUT_OF_MEMORY.
 *   GRADUS_FAKE_PEERS=0
 *       No GPU can reach the memory of another one directly.
 *   GRADUS_FAKE_ORDER=1
 *       Work of two streams on the same memory that nothing orders is told (fake_order.c).
 *   GRADUS_FAKE_FAIL=WHAT:CODE
 *       WHAT is one of alloc, pool, copy, peer, access, stream, host, fill, load, function, smem,
 * launch, sync, graph, event, wait, pointer, context, capture; with WHAT:CODE:N the first N calls
 * succeed. A code from 700 on stays: later calls fail with it as well, as a context does that a
 * kernel broke. */
#ifndef GPU_FAKE_DRIVER_H
#define GPU_FAKE_DRIVER_H

#include "fake_image.h"
#include "gpu/cuda_abi.h"
#include "gpu/driver.h"

#include <stdbool.h>

enum { FAKE_INVALID_VALUE = 1, FAKE_INVALID_IMAGE = 200, FAKE_NOT_FOUND = 500 };

/* Numbers of the CUDA Driver API that driver.h has no name for. */
#define FAKE_EXPORT(member, symbol)                                                                \
    extern __attribute__((                                                                         \
        visibility("default"))) __typeof__(*((struct gr_gpu_driver *)0)->member) symbol;
GR_CUDA_SYMBOLS(FAKE_EXPORT)
#undef FAKE_EXPORT

/* The number in the environment variable, or `usual`. */
long fake_number(const char *variable, long usual);
/* What a call of that kind returns: success, or what GRADUS_FAKE_FAIL asks for. */
gr_gpu_result fake_outcome(const char *what);

/* The context of a device, and which one the calling thread is in. */
gr_gpu_context_handle fake_context_of(int device);
void fake_enter(gr_gpu_context_handle context);
/* What is device memory, and whose. */
void fake_memory_note(gr_gpu_address pointer, size_t bytes);
void fake_memory_forget(gr_gpu_address pointer);
/* Bytes in use of a GPU; of which GPU a piece of memory is, -1: it is in none of the blocks. */
size_t fake_memory_used(int device);
int fake_memory_owner(gr_gpu_address begin, size_t bytes);
int fake_device_in_use(void);
int fake_device_of(gr_gpu_context_handle context);
/* Counts a call of that kind. */
void fake_count(const char *what);
/* A function that a test gives, to be called at each launch: it may do what the kernel would. */
typedef void fake_hook(const char *symbol, void **parameters);
__attribute__((visibility("default"))) void fake_on_launch(fake_hook *called);
/* The order of work on streams: what has ended of each stream. Work that touches memory, an event
 * that is recorded, a stream or a thread that waits. */
enum { FAKE_STREAMS = 64 };
struct fake_clock {
    unsigned at[FAKE_STREAMS];
};
#define FAKE_ORDER __attribute__((visibility("default")))
FAKE_ORDER void fake_order_touch(const void *stream, gr_gpu_address begin, size_t bytes,
                                 int writes);
FAKE_ORDER void fake_order_record(const void *stream, struct fake_clock *event);
FAKE_ORDER void fake_order_wait(const void *stream, const struct fake_clock *event);
void fake_order_host(const struct fake_clock *event);
void fake_order_host_stream(const void *stream);
void fake_order_end(const void *stream);
void fake_order_forget(gr_gpu_address begin, size_t bytes);
void fake_order_launch(const void *stream);
/* For the hook of a launch: what its kernel reads or writes. */
FAKE_ORDER void fake_touch(const void *begin, size_t bytes, int writes);
/* For the hook of a launch, too: its blocks along y, and its stream. */
FAKE_ORDER unsigned fake_launch_rows(void);
FAKE_ORDER const void *fake_launch_stream(void);
/* How often work was not ordered. */
FAKE_ORDER int fake_races(void);

/* A launch: where it went. */
void fake_note_launch(gr_gpu_stream stream);
/* Is it recording? */
bool fake_is_capturing(gr_gpu_stream stream);

#endif
