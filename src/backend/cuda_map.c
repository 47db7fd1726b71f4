/* cuda_map.c: encodes tensor maps. SPDX-License-Identifier: MIT */
#include "backend/cuda_map.h"

#include "core/error.h"
#include "core/map_by_address.h"
#include "gpu/vendor.h"

#include <string.h>

enum { NO_INTERLEAVE = 0, PROMOTE_TO_128_BYTES = 2, FILL_WITH_ZEROS = 0 };

int gr_cuda_map_type(enum gr_dtype type)
{
    switch (type) {
    case GR_F64:
        return 8;
    case GR_F32:
        return 7;
    case GR_TF32:
        return 11;
    case GR_F16:
        return 6;
    case GR_BF16:
        return 9;
    case GR_S32:
        return 3;
    default:
        return 0; /* one-byte elements */
    }
}

/* CUtensorMapSwizzle */
static int swizzle_mode(int bytes)
{
    return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0;
}

enum gradus_status gr_cuda_map_encode(const struct gr_gpu_context *context,
                                      const struct gr_plan_map *map, const struct gr_launch *launch,
                                      struct gr_cuda_tensor_map *out, struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    if (!driver->tensor_map_encode)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "tensor maps need a driver of CUDA 12.0 or later, this one is of %d.%d",
                       driver->version / 1000, driver->version % 1000 / 10);
    const void *operand = map->operand == 'A'   ? launch->a
                          : map->operand == 'B' ? launch->b
                                                : launch->c;
    const uintptr_t address = (uintptr_t)operand, skip = map->optional ? address % 16 : 0;
    const uint64_t dimensions[] = {(uint64_t)map->columns, (uint64_t)map->rows,
                                   GR_MAP_BY_ADDRESS_SIZES};
    const uint64_t strides[] = {(uint64_t)map->ld * gr_dtype_bytes(map->type),
                                GR_MAP_BY_ADDRESS_STRIDES};
    const unsigned box[] = {map->box[1], map->box[0], 1, 1}, steps[] = {1, 1, 1, 1};
    gr_gpu_result result = driver->tensor_map_encode(
        out, gr_cuda_map_type(map->type), map->by_address ? GR_MAP_BY_ADDRESS_RANK : 2,
        map->by_address ? NULL : (void *)(address - skip), dimensions, strides, box, steps,
        NO_INTERLEAVE, swizzle_mode(map->swizzle_bytes), PROMOTE_TO_128_BYTES, FILL_WITH_ZEROS);
    return gr_gpu_check(
        driver, result,
        "a tensor map (rows and address on 16-byte boundaries, a box whose rows are "
        "no longer than its swizzle)",
        error);
}

enum gradus_status gr_cuda_map_on_device(const struct gr_gpu_context *context,
                                         struct gr_cuda_map_copies *copies,
                                         const struct gr_cuda_tensor_map *map, uint64_t *address,
                                         struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    for (int i = 0; i < copies->count; i++)
        if (memcmp(&copies->places[i].map, map, sizeof *map) == 0) {
            *address = copies->places[i].address;
            return GRADUS_OK;
        }
    int i = copies->count % GR_CUDA_MAP_COPIES;
    gr_gpu_stream aside = NULL; /* the context's own may be recording */
    enum gradus_status status = GRADUS_OK;
    if (!copies->places[i].address)
        status = gr_gpu_check(driver, driver->memory_alloc(&copies->places[i].address, sizeof *map),
                              "memory for a tensor map", error);
    if (status == GRADUS_OK)
        status = gr_gpu_check(driver, driver->stream_create(&aside, GR_GPU_STREAM_NON_BLOCKING),
                              "making a stream", error);
    if (status != GRADUS_OK)
        return status;
    gr_gpu_result result = driver->to_device(copies->places[i].address, map, sizeof *map, aside);
    if (result == GR_GPU_SUCCESS)
        result = driver->stream_synchronize(aside);
    driver->stream_destroy(aside);
    copies->places[i].map = *map;
    *address = copies->places[i].address;
    copies->count = i + 1;
    return gr_gpu_check(driver, result, "copying a tensor map", error);
}
