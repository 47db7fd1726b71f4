/* cublas_memory.h: memory that calls need beside their operands. SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_MEMORY_H
#define CUBLAS_CUBLAS_MEMORY_H

#include "device/device_gpu.h"

#include <stdbool.h>
#include <stddef.h>

/* Is the stream being captured? */
bool gr_cublas_is_capturing(const struct gr_device_driver *driver, void *stream);

/* Memory that belongs to the graph that is being captured: nodes of it allocate and free it. */
bool gr_cublas_graph_memory(const struct gr_device_driver *driver, void *stream, int64_t bytes,
                            uint64_t *address);
void gr_cublas_graph_memory_free(const struct gr_device_driver *driver, void *stream,
                                 uint64_t address);

/* The workspace that the program gave the handle (cublasSetWorkspace); null where it gave none, or
 * has taken it back. */
void *gr_cublas_workspace_of(void *handle, size_t *bytes);

#endif
