/* tensor_map.h: tensor maps, and the copies of the boxes that they describe. The 128 bytes of a map
 * have a format of our own, because kernels do not read them. SPDX-License-Identifier: MIT */
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
    uint64_t size[GR_TENSOR_RANK];   /* in elements */
    uint64_t stride[GR_TENSOR_RANK]; /* in bytes; [0] is the size of an element */
    uint32_t box[GR_TENSOR_RANK];    /* the extent of a box, in elements of the tensor */
    uint32_t step[GR_TENSOR_RANK];   /* one element in this many is copied; [0] is not used */
    uint32_t span;                   /* of the swizzle: 32, 64 or 128 bytes; 0: none */
    bool fill_nan;                   /* elements outside of the tensor become NaN; otherwise zero */
};

int gr_tensor_map_element(enum gr_tensor_map_type type); /* in bytes */

/* Writes the 128 bytes of a map. Returns false if the driver's function would refuse it, and sets
 * *why to the reason, a static string. */
bool gr_tensor_map_write(const struct gr_tensor_map *map, uint8_t bytes[GR_TENSOR_MAP_BYTES],
                         const char **why);
/* Reads the 128 bytes. Returns false if they were not written by gr_tensor_map_write. */
bool gr_tensor_map_read(const uint8_t bytes[GR_TENSOR_MAP_BYTES], struct gr_tensor_map *map);

/* The number of bytes of a box, which a load subtracts from the bytes that its mbarrier expects,
 * even if parts of the box are outside of the tensor. */
uint32_t gr_tensor_map_box_bytes(const struct gr_tensor_map *map);
/* With a swizzle, each row of a box takes as many bytes as the span, and if the row is shorter, the
 * rest is not written. Are the rows shorter? */
bool gr_tensor_map_has_gaps(const struct gr_tensor_map *map);
/* Does a box at these coordinates begin at a multiple of 16 bytes in a row of the tensor? If not, a
 * GPU reports an illegal instruction, even if the whole box is outside. */
bool gr_tensor_map_is_aligned(const struct gr_tensor_map *map, const int32_t *at);

/* Does a box at these coordinates begin inside of the tensor? If not, a Hopper GPU reads at the
 * tensor's address in place of that element, as far as can be seen: it is an illegal access if
 * nothing is mapped there. */
bool gr_tensor_map_begins_inside(const struct gr_tensor_map *map, const int32_t *at);

/* The first dimension whose coordinate is negative, or -1. A store at a negative coordinate is an
 * illegal instruction on a GPU; a load is not. */
int gr_tensor_map_negative(const struct gr_tensor_map *map, const int32_t *at);
/* Changes the map to that of a store, which writes whole pieces of 16 bytes of a row, even if the
 * tensor ends within one. */
void gr_tensor_map_for_store(struct gr_tensor_map *map);

/* Applies a swizzle of `span` bytes to an address in shared memory. 0: none. */
static inline uint32_t gr_swizzled(uint32_t address, uint32_t span)
{
    return span <= 16 ? address : address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

/* A piece of a box: at most 16 bytes, which are contiguous in both memories. */
struct gr_tensor_piece {
    bool inside;     /* of the tensor; otherwise a load writes the fill value, and a store skips the
                        piece */
    uint64_t global; /* valid if inside */
    uint32_t shared, bytes;
};
typedef void gr_tensor_visit(void *context, const struct gr_tensor_piece *piece);

/* Visits the pieces of the box at `at`, which has `rank` coordinates, in the order of their
 * addresses before the swizzle. The box begins at `shared` in shared memory. */
void gr_tensor_map_box(const struct gr_tensor_map *map, const int32_t *at, uint32_t shared,
                       gr_tensor_visit *visit, void *context);

/* Converts the `bytes` bytes of a piece as a load does for some types, and fills a piece that is
 * outside of the tensor. */
void gr_tensor_map_load(const struct gr_tensor_map *map, bool inside, uint8_t *bytes,
                        uint32_t count);

#endif
