/* tensor_map.c: tensor maps and their boxes. SPDX-License-Identifier: MIT */
#include "machine/tensor_map.h"

#include <string.h>

static const char magic[8] = "GrTMap1";

int gr_tensor_map_element(enum gr_tensor_map_type type)
{
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static bool is_float(enum gr_tensor_map_type type)
{
    return type >= GR_TENSOR_MAP_F16;
}

static uint32_t kept(const struct gr_tensor_map *map, int dimension)
{
    uint32_t step = dimension == 0 ? 1 : map->step[dimension];
    return (map->box[dimension] + step - 1) / step;
}

uint32_t gr_tensor_map_box_bytes(const struct gr_tensor_map *map)
{
    uint32_t bytes = (uint32_t)gr_tensor_map_element(map->type);
    for (int d = 0; d < map->rank; d++) {
        bytes *= kept(map, d);
    }
    return bytes;
}

static uint32_t row_bytes(const struct gr_tensor_map *map)
{
    return map->box[0] * (uint32_t)gr_tensor_map_element(map->type);
}

/* The number of bytes from one row of the box to the next in shared memory. */
static uint32_t pitch(const struct gr_tensor_map *map)
{
    return map->span != 0 ? map->span : row_bytes(map);
}

bool gr_tensor_map_has_gaps(const struct gr_tensor_map *map)
{
    return pitch(map) != row_bytes(map);
}

bool gr_tensor_map_is_aligned(const struct gr_tensor_map *map, const int32_t *at)
{
    return (int64_t)at[0] * gr_tensor_map_element(map->type) % 16 == 0;
}

bool gr_tensor_map_begins_inside(const struct gr_tensor_map *map, const int32_t *at)
{
    for (int d = 0; d < map->rank; d++) {
        if (at[d] < 0 || (uint64_t)at[d] >= map->size[d]) {
            return false;
        }
    }
    return true;
}

int gr_tensor_map_negative(const struct gr_tensor_map *map, const int32_t *at)
{
    for (int d = 0; d < map->rank; d++) {
        if (at[d] < 0) {
            return d;
        }
    }
    return -1;
}

void gr_tensor_map_for_store(struct gr_tensor_map *map)
{
    const uint64_t piece = 16 / (uint64_t)gr_tensor_map_element(map->type);
    map->size[0] = (map->size[0] + piece - 1) / piece * piece;
}

/* Returns the reason why a map is refused, or null. */
static const char *fault(const struct gr_tensor_map *map)
{
    if (map->rank < 1 || map->rank > GR_TENSOR_RANK || (unsigned)map->type >= GR_TENSOR_MAP_TYPES) {
        return "the rank is not 1 to 5, or the type is none";
    }
    uint64_t element = (uint64_t)gr_tensor_map_element(map->type);
    if (map->address % 16 != 0) {
        return "the tensor's address is not a multiple of 16";
    }
    if (map->fill_nan && !is_float(map->type)) {
        return "integers cannot be filled with NaN";
    }
    if (map->span != 0 && map->span != 32 && map->span != 64 && map->span != 128) {
        return "the swizzle is not of 32, 64 or 128 bytes";
    }
    for (int d = 0; d < map->rank; d++) {
        if (map->size[d] == 0 || map->size[d] > (uint64_t)1 << 32) {
            return "a size is not 1 to 2^32";
        }
        if (map->box[d] == 0 || map->box[d] > 256) {
            return "a size of the box is not 1 to 256";
        }
        if (map->step[d] == 0 || map->step[d] > 8) {
            return "a step is not 1 to 8";
        }
        if (d > 0 && (map->stride[d] % 16 != 0 || map->stride[d] >> 40 != 0)) {
            return "a stride is not a multiple of 16 below 2^40";
        }
    }
    uint64_t inner = map->box[0] * element;
    if (inner % 16 != 0) {
        return "the box's rows are not of a multiple of 16 bytes";
    }
    if (map->span != 0 && inner > map->span) {
        return "the box's rows are longer than the swizzle";
    }
    return NULL;
}

static void put(uint8_t **to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *(*to)++ = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t **from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) * (*from)++ << (8 * i);
    }
    return value;
}

bool gr_tensor_map_write(const struct gr_tensor_map *map, uint8_t bytes[GR_TENSOR_MAP_BYTES],
                         const char **why)
{
    *why = fault(map);
    if (*why != NULL) {
        return false;
    }
    uint8_t *to = bytes + sizeof magic;
    memset(bytes, 0, GR_TENSOR_MAP_BYTES);
    memcpy(bytes, magic, sizeof magic);
    put(&to, map->address, 8);
    put(&to, map->type, 1);
    put(&to, (uint64_t)map->rank, 1);
    put(&to, map->span, 1);
    put(&to, map->fill_nan, 1);
    for (int d = 0; d < map->rank; d++) {
        put(&to, map->size[d], 5);
        put(&to, d == 0 ? (uint64_t)gr_tensor_map_element(map->type) : map->stride[d], 5);
        put(&to, map->box[d], 2);
        put(&to, map->step[d], 1);
    }
    return true;
}

bool gr_tensor_map_read(const uint8_t bytes[GR_TENSOR_MAP_BYTES], struct gr_tensor_map *map)
{
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        return false;
    }
    const uint8_t *from = bytes + sizeof magic;
    *map = (struct gr_tensor_map){.address = get(&from, 8)};
    map->type = (enum gr_tensor_map_type)get(&from, 1);
    map->rank = (int)get(&from, 1);
    map->span = (uint32_t)get(&from, 1);
    map->fill_nan = get(&from, 1) != 0;
    for (int d = 0; d < map->rank && map->rank <= GR_TENSOR_RANK; d++) {
        map->size[d] = get(&from, 5);
        map->stride[d] = get(&from, 5);
        map->box[d] = (uint32_t)get(&from, 2);
        map->step[d] = (uint32_t)get(&from, 1);
    }
    return fault(map) == NULL; /* a kernel may have overwritten it */
}

/* Visits the pieces of a row of the box, which begins at coordinate `at` of a row of the tensor at
 * address `row`. `inside`: the other coordinates are inside of the tensor. A piece that is partly
 * inside becomes two or three pieces. */
static void visit_row(const struct gr_tensor_map *map, int64_t at, bool inside, uint64_t row,
                      uint32_t shared, gr_tensor_visit *visit, void *context)
{
    int64_t element = gr_tensor_map_element(map->type), length = map->box[0] * element;
    int64_t low = -at * element, high = ((int64_t)map->size[0] - at) * element;
    for (int64_t piece = 0; piece < length; piece += 16) {
        for (int64_t byte = piece; byte < piece + 16;) {
            bool is_inside = inside && byte >= low && byte < high;
            int64_t end = piece + 16;
            end = inside && byte < low && low < end ? low : end;
            end = inside && byte < high && high < end ? high : end;
            struct gr_tensor_piece result = {
                .inside = is_inside,
                .global = is_inside ? row + (uint64_t)(at * element + byte) : 0,
                .shared =
                    gr_swizzled(shared + (uint32_t)piece, map->span) + (uint32_t)(byte - piece),
                .bytes = (uint32_t)(end - byte),
            };
            visit(context, &result);
            byte = end;
        }
    }
}

void gr_tensor_map_box(const struct gr_tensor_map *map, const int32_t *at, uint32_t shared,
                       gr_tensor_visit *visit, void *context)
{
    uint32_t index[GR_TENSOR_RANK] = {0};
    for (bool more = true; more; shared += pitch(map)) {
        bool inside = true;
        uint64_t row = map->address;
        for (int d = 1; d < map->rank; d++) {
            int64_t x = at[d] + (int64_t)index[d] * map->step[d];
            inside = inside && x >= 0 && (uint64_t)x < map->size[d];
            row += (uint64_t)x * map->stride[d];
        }
        visit_row(map, at[0], inside, row, shared, visit, context);
        more = false;
        for (int d = 1; d < map->rank && !more; d++) {
            more = ++index[d] < kept(map, d);
            index[d] = more ? index[d] : 0;
        }
    }
}

/* Rounds to nearest, ties to even: the lower 13 bits become zero. Infinities are kept, and all NaN
 * become the same. */
static uint32_t rounded_to_tf32(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return 0x7fffe000;
    }
    if ((bits & 0x7f800000) != 0x7f800000) {
        bits += 0xfff + (bits >> 13 & 1);
    }
    return bits & ~(uint32_t)0x1fff;
}

void gr_tensor_map_load(const struct gr_tensor_map *map, bool inside, uint8_t *bytes,
                        uint32_t count)
{
    if (!inside) {
        /* The NaN of 16 bits; that of 32 bits consists of two of them. */
        const uint32_t nan = 0x7ff7;
        for (uint32_t i = 0; i < count; i++) {
            bytes[i] = map->fill_nan ? (uint8_t)(nan >> (8 * (i % 2))) : 0;
        }
    } else if (map->type == GR_TENSOR_MAP_TF32 || map->type == GR_TENSOR_MAP_TF32_FTZ) {
        for (uint32_t i = 0; i + 4 <= count; i += 4) {
            uint32_t bits;
            memcpy(&bits, bytes + i, sizeof bits);
            bits = rounded_to_tf32(bits);
            memcpy(bytes + i, &bits, sizeof bits);
        }
    }
}
