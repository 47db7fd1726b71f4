/* cublas_memory.h: memory that calls need besides their operands. SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_MEMORY_H
#define CUBLAS_CUBLAS_MEMORY_H

#include "device/device_gpu.h"

#include <stdbool.h>
#include <stddef.h>

/* Is the stream being captured? */
bool gr_cublas_is_capturing(const struct gr_device_driver *driver, void *stream);

/* Allocates memory that belongs to the graph that is being captured: nodes of the graph allocate it
 * and free it. Returns false if the driver has no such memory. */
bool gr_cublas_graph_memory(const struct gr_device_driver *driver, void *stream, int64_t bytes,
                            uint64_t *address);
void gr_cublas_graph_memory_free(const struct gr_device_driver *driver, void *stream,
                                 uint64_t address);

/* Returns the workspace that the program has set for the handle (cublasSetWorkspace); null if it
 * has set none, or if cublasSetStream has replaced it by cuBLAS's own. */
void *gr_cublas_workspace_of(void *handle, size_t *bytes);

#endif
