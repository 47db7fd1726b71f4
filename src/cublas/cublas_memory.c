/* cublas_memory.c: a vector of ones, memory of graphs. SPDX-License-Identifier: MIT */
#include "cublas/cublas_memory.h"

#include <pthread.h>

enum { GPUS = 64, FEWEST = 65536 };
/* cuStreamCreate: without synchronisation with the default stream. */
enum { NON_BLOCKING = 1 };
static const unsigned one = 0x3f800000; /* 1.0F */

static struct {
    uint64_t address;
    int64_t count;
} ones[GPUS];
static pthread_mutex_t ones_lock = PTHREAD_MUTEX_INITIALIZER;

/* On a stream of its own, which is waited for, so that any stream can read them afterwards. */
static bool fill(const struct gr_device_driver *driver, uint64_t address, int64_t count)
{
    void *stream = NULL;
    if (!driver->set_words || !driver->stream_create || !driver->stream_destroy ||
        !driver->stream_synchronize || driver->stream_create(&stream, NON_BLOCKING) != 0)
        return false;
    const bool filled = driver->set_words(address, one, (size_t)count, stream) == 0 &&
                        driver->stream_synchronize(stream) == 0;
    driver->stream_destroy(stream);
    return filled;
}

const void *gr_cublas_ones(const struct gr_device_gpu *gpu, int64_t count)
{
    const struct gr_device_driver *driver = gpu->driver;
    const int ordinal = gpu->ordinal;
    pthread_mutex_lock(&ones_lock);
    if (ones[ordinal].count < count) {
        int mode = GR_DEVICE_CAPTURE_RELAXED;
        int64_t more = FEWEST;
        uint64_t address = 0;
        while (more < count)
            more *= 2;
        driver->capture_mode(&mode);
        if (driver->memory_alloc(&address, (size_t)more * sizeof(float)) == 0) {
            if (fill(driver, address, more)) {
                ones[ordinal].address = address;
                ones[ordinal].count = more;
            } else {
                driver->memory_free(address);
            }
        }
        driver->capture_mode(&mode);
    }
    const uint64_t address = ones[ordinal].count >= count ? ones[ordinal].address : 0;
    pthread_mutex_unlock(&ones_lock);
    return (const void *)(uintptr_t)address;
}

bool gr_cublas_is_capturing(const struct gr_device_driver *driver, void *stream)
{
    int status = 0;
    return driver->stream_is_capturing(stream, &status) == 0 && status != 0;
}

bool gr_cublas_graph_memory(const struct gr_device_driver *driver, void *stream, int64_t bytes,
                            uint64_t *address)
{
    return driver->memory_alloc_async && driver->memory_free_async &&
           driver->memory_alloc_async(address, (size_t)bytes, stream) == 0;
}

void gr_cublas_graph_memory_free(const struct gr_device_driver *driver, void *stream,
                                 uint64_t address)
{
    driver->memory_free_async(address, stream);
}
