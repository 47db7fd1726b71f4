/* maps.h: the descriptors of shared memory for which probe_tiles.cu asks which bytes wgmma reads.
 * SPDX-License-Identifier: MIT */
#ifndef TENSOR_MAPS_H
#define TENSOR_MAPS_H

#include <stdint.h>

enum {
    MAP_REGION = 64 * 1024, /* the operand's: every element holds its own index */
    MAP_MEMORY = MAP_REGION + 32 * 1024,
    MAP_CASES = 1024
};

/* operand: which of the two is tested; major: 'k', or 'm' if it is transposed. */
static const struct map_kernel {
    const char *name;
    char operand, major;
    int bytes, n;
} map_kernels[] = {
    {"map_f16_n32_k", 'a', 'k', 2, 32},   {"map_f16_n32_a", 'a', 'm', 2, 32},
    {"map_f16_n64_k", 'b', 'k', 2, 64},   {"map_f16_n64_b", 'b', 'm', 2, 64},
    {"map_tf32_n32_k", 'a', 'k', 4, 32},  {"map_tf32_n64_k", 'b', 'k', 4, 64},
    {"map_u8_n32_k", 'a', 'k', 1, 32},    {"map_u8_n64_k", 'b', 'k', 1, 64},
    {"map_f16_n256_k", 'b', 'k', 2, 256}, {"map_f16_n256_b", 'b', 'm', 2, 256},
};

/* A case, as it is in maps.bin; rows x k elements' indices of 16 bits follow it there. */
struct map_case {
    uint16_t kernel, swizzle; /* 0 none, 1 of 128 bytes, 2 of 64, 3 of 32 */
    uint16_t lbo, sbo, start, base;
};

static inline uint64_t map_descriptor(const struct map_case *c)
{
    return (uint64_t)(c->start >> 4) | (uint64_t)(c->lbo >> 4) << 16 |
           (uint64_t)(c->sbo >> 4) << 32 | (uint64_t)c->base << 49 | (uint64_t)c->swizzle << 62;
}

static inline int map_list(struct map_case *cases)
{
    static const uint16_t strides[][2] = {
        {128, 256}, {256, 1024}, {1024, 512}, {2048, 4096}, {16, 2048}};
    static const uint16_t starts[][2] = {{0, 0}, {32, 0}, {128, 1}, {272, 2}, {128, 0}, {1024, 3}};
    int count = 0;
    for (uint16_t kernel = 0; kernel < sizeof map_kernels / sizeof map_kernels[0]; kernel++) {
        int wide = map_kernels[kernel].n == 256;
        for (uint16_t swizzle = 0; swizzle < 4; swizzle++) {
            for (int s = 0; s < (wide ? 3 : 5); s++) {
                for (int p = 0; p < (wide ? 2 : swizzle == 0 ? 3 : 6); p++) {
                    struct map_case c = {kernel,        swizzle,      strides[s][0],
                                         strides[s][1], starts[p][0], starts[p][1]};
                    cases[count++] = c;
                }
            }
        }
    }
    return count;
}

#endif
