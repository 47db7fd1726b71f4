/* cuda_map.h: tensor maps. A tensor map describes to the Tensor Memory Accelerator (compute
 * capability 9.0 and later) where a matrix is stored and which box of it is copied at a time.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_MAP_H
#define BACKEND_CUDA_MAP_H

#include "records/launch.h"
#include "records/plan.h"
#include "gpu/context.h"

/* The number that CUtensorMapDataType has for elements of the type. */
int gr_cuda_map_type(enum gr_dtype type);

/* The map of an operand, by the driver's own encoder. UNSUPPORTED: a driver without it; LAUNCH: an
 * operand whose address or rows are not on 16-byte boundaries, or a box that the driver refuses. */
enum gradus_status gr_cuda_map_encode(const struct gr_gpu_context *context,
                                      const struct gr_plan_map *map, const struct gr_launch *launch,
                                      struct gr_cuda_tensor_map *out, struct gradus_error *error);
/* Copies of maps in device memory. Rotating operand sets repeat, so each map is copied only
 * once. Initialize with {0}. */
enum { GR_CUDA_MAP_COPIES = 1024 };
struct gr_cuda_map_copies {
    struct {
        struct gr_cuda_tensor_map map;
        gr_gpu_address address;
    } places[GR_CUDA_MAP_COPIES];
    int count;
};

/* A copy in the device's memory, for kernels that take a pointer. It stays for as long as `copies`
 * is in use, unless a thousand others follow. */
enum gradus_status gr_cuda_map_on_device(const struct gr_gpu_context *context,
                                         struct gr_cuda_map_copies *copies,
                                         const struct gr_cuda_tensor_map *map, uint64_t *address,
                                         struct gradus_error *error);

#endif
