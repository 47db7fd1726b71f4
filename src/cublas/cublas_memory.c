/* cublas_memory.c: memory of CUDA graphs. SPDX-License-Identifier: MIT */
#include "cublas/cublas_memory.h"

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
