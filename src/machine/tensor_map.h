/* tensor_map.h: tensor maps, and the copies of boxes that they describe. The 128 bytes of a map are
 * of our own making: kernels do not read them. SPDX-License-Identifier: MIT */
#ifndef MACHINE_TENSOR_MAP_H
#define MACHINE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_TENSOR_MAP_BYTES = 128, GR_TENSOR_RANK = 5 };

/* The types, with the numbers of CUtensorMapDataType. */
enum gr_tensor_map_type {
    GR_TENSOR_MAP_U8,
    GR_TENSOR_MAP_U16,
    GR_TENSOR_MAP_U32,
    GR_TENSOR_MAP_S32,
    GR_TENSOR_MAP_U64,
    GR_TENSOR_MAP_S64,
    GR_TENSOR_MAP_F16,
    GR_TENSOR_MAP_F32,
    GR_TENSOR_MAP_F64,
    GR_TENSOR_MAP_BF16,
    GR_TENSOR_MAP_F32_FTZ,
    GR_TENSOR_MAP_TF32,
    GR_TENSOR_MAP_TF32_FTZ,
    GR_TENSOR_MAP_TYPES
};

/* A map in tiled mode, without interleaving. Dimension 0 is the contiguous one. */
struct gr_tensor_map {
    uint64_t address;
    enum gr_tensor_map_type type;
    int rank;                        /* 1 to 5 */
    uint64_t size[GR_TENSOR_RANK];   /* elements */
    uint64_t stride[GR_TENSOR_RANK]; /* bytes; [0] is an element's */
    uint32_t box[GR_TENSOR_RANK];    /* elements of the tensor that a box spans */
    uint32_t step[GR_TENSOR_RANK];   /* one in so many of them is copied; [0] is not used */
    uint32_t span;                   /* of the swizzle: 0 for none, 32, 64 or 128 bytes */
    bool fill_nan;                   /* elements outside are NaN; otherwise zero */
};

int gr_tensor_map_element(enum gr_tensor_map_type type); /* bytes */

/* Writes the 128 bytes. False: the driver's function would refuse it, and *why says the reason, a
 * static string. */
bool gr_tensor_map_write(const struct gr_tensor_map *map, uint8_t bytes[GR_TENSOR_MAP_BYTES],
                         const char **why);
/* Reads them. False: they are not of gr_tensor_map_write. */
bool gr_tensor_map_read(const uint8_t bytes[GR_TENSOR_MAP_BYTES], struct gr_tensor_map *map);

/* The bytes of a box: what a load takes from the barrier's count, also where it is outside of the
 * tensor. */
uint32_t gr_tensor_map_box_bytes(const struct gr_tensor_map *map);
/* With a swizzle a row of the box has the room of its span, and what a shorter row leaves of it is
 * not written: are rows shorter? */
bool gr_tensor_map_has_gaps(const struct gr_tensor_map *map);
/* Does a box at these coordinates begin at a multiple of 16 bytes of the tensor's rows? To a GPU
 * another one is an illegal instruction, also where all of it is outside. */
bool gr_tensor_map_is_aligned(const struct gr_tensor_map *map, const int32_t *at);

/* The first dimension whose coordinate is negative, -1 for none: to a GPU a store, but not a load,
 * at such a place is an illegal instruction. */
int gr_tensor_map_negative(const struct gr_tensor_map *map, const int32_t *at);
/* The map as stores have it: they write whole pieces of 16 bytes of a row, also where the tensor
 * ends within one. */
void gr_tensor_map_for_store(struct gr_tensor_map *map);

/* The address that a swizzle of `span` bytes makes of an address in shared memory. 0: the same. */
static inline uint32_t gr_swizzled(uint32_t address, uint32_t span)
{
    return span <= 16 ? address : address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

/* A piece of a box: at most 16 bytes, which are together in both memories. */
struct gr_tensor_piece {
    bool inside;     /* of the tensor; otherwise a load fills and a store leaves out */
    uint64_t global; /* if inside */
    uint32_t shared, bytes;
};
typedef void gr_tensor_visit(void *context, const struct gr_tensor_piece *piece);

/* Visits the pieces of the box at `at`, `rank` coordinates, whose shared memory begins at `shared`,
 * in the order of their addresses before the swizzle. */
void gr_tensor_map_box(const struct gr_tensor_map *map, const int32_t *at, uint32_t shared,
                       gr_tensor_visit *visit, void *context);

/* What a load makes of `bytes` bytes that are inside of the tensor, and writes for those outside:
 * some types convert. */
void gr_tensor_map_load(const struct gr_tensor_map *map, bool inside, uint8_t *bytes,
                        uint32_t count);

#endif
