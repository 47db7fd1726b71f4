/* cuda_map.h: tensor maps. A tensor map describes to the Tensor Memory Accelerator (compute
 * capability 9.0 and later) where a matrix is stored and which box of it is copied at a time.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_MAP_H
#define BACKEND_CUDA_MAP_H

#include "records/launch.h"
#include "records/plan.h"
#include "gpu/context.h"

/* Encodes the map of an operand with the driver's own function. UNSUPPORTED: the driver does not
 * have it; LAUNCH: the operand's address or rows are not aligned to 16 bytes, or the driver
 * refuses the box. */
enum gradus_status gr_cuda_map_encode(const struct gr_cuda_context *context,
                                      const struct gr_plan_map *map, const struct gr_launch *launch,
                                      struct gr_cuda_tensor_map *out, struct gradus_error *error);
/* Copies of maps in device memory. Rotating operand sets repeat, so each map is copied only
 * once. Initialize with {0}. */
enum { GR_CUDA_MAP_COPIES = 1024 };
struct gr_cuda_map_copies {
    struct {
        struct gr_cuda_tensor_map map;
        CUdeviceptr address;
    } places[GR_CUDA_MAP_COPIES];
    int count;
};

/* Returns the address of a copy in device memory, for kernels that take a pointer. It is valid
 * as long as `copies` is, unless GR_CUDA_MAP_COPIES other maps follow. */
enum gradus_status gr_cuda_map_on_device(const struct gr_cuda_context *context,
                                         struct gr_cuda_map_copies *copies,
                                         const struct gr_cuda_tensor_map *map, uint64_t *address,
                                         struct gradus_error *error);

#endif
