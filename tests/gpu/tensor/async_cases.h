/* async_cases.h: the copies by tensor maps, the barrier's operations and the matrix loads that
 * probe_async.cu tries, and the form of its results. C and C++. SPDX-License-Identifier: MIT */
#ifndef TENSOR_ASYNC_CASES_H
#define TENSOR_ASYNC_CASES_H

#include "tiles.h"

enum {
    TMA_CASES = 160,
    TMA_STORES = 40,
    TMA_TENSOR = 16 * 1024,
    TMA_BOX = 4 * 1024,
    TMA_FAILED = 1000
};

/* The types of CUtensorMapDataType. */
enum {
    TMA_U8,
    TMA_U16,
    TMA_U32,
    TMA_S32,
    TMA_U64,
    TMA_S64,
    TMA_F16,
    TMA_F32,
    TMA_F64,
    TMA_BF16,
    TMA_F32_FTZ,
    TMA_TF32,
    TMA_TF32_FTZ,
    TMA_TYPES
};

struct tma_case {
    int32_t type, rank, swizzle /* 0 none, 1 of 32 bytes, 2 of 64, 3 of 128 */, nan_fill;
    uint32_t size[5], box[5], step[5];
    uint64_t stride[5]; /* bytes; [0]: one element */
    int32_t at[5];      /* coordinates */
    int32_t bytes;      /* of the box in shared memory */
    int32_t refused;    /* the driver's answer; TMA_FAILED or more: the GPU's. Not 0: no result */
};

static inline int tma_element(int type)
{
    static const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

/* Byte i of the tensor, of the box that is stored. */
static inline uint32_t tma_word(int i, int which)
{
    uint64_t state = (uint64_t)i * 77 + (uint64_t)which * 1000003;
    return (uint32_t)tile_random(&state);
}

static inline struct tma_case tma_make(int index)
{
    uint64_t state = 0x7431 + (uint64_t)index * 0x9e37;
    struct tma_case c;
    memset(&c, 0, sizeof c);
    c.type = index < 2 * TMA_TYPES ? index % TMA_TYPES : tile_between(&state, 0, TMA_TYPES - 1);
    c.rank = 1 + index % 5;
    c.swizzle = tile_between(&state, 0, 3);
    int element = tma_element(c.type);
    c.nan_fill = c.type >= TMA_F16 && c.type != TMA_F64 && (tile_random(&state) & 1);
    int inner = 16 * tile_between(&state, 1, c.swizzle ? 1 << c.swizzle : 6);
    if (inner / element > 256) {
        inner = 256 * element;
    }
    c.box[0] = (uint32_t)(inner / element);
    c.step[0] = 1;
    c.stride[0] = (uint64_t)element;
    c.size[0] = (uint32_t)tile_between(&state, 1, inner * 2 / element);
    c.at[0] = tile_between(&state, -(int)c.box[0], (int)c.size[0]);
    if (tile_random(&state) % 3 == 0) {
        c.at[0] = 0;
        c.size[0] = c.box[0];
    }
    c.bytes = inner;
    uint64_t room = (c.size[0] * (uint64_t)element + 15) / 16 * 16;
    for (int d = 1; d < c.rank; d++) {
        int step = tile_random(&state) % 3 ? 1 : tile_between(&state, 2, 3);
        int most = c.rank == 2 ? 20 : c.rank == 3 ? 7 : 4;
        c.step[d] = (uint32_t)step;
        c.box[d] = (uint32_t)tile_between(&state, 1, most);
        c.stride[d] = room + (tile_random(&state) & 3 ? 0 : 16);
        c.size[d] = (uint32_t)tile_between(&state, 1, most);
        c.at[d] = tile_between(&state, tile_random(&state) & 1 ? 0 : -3, (int)c.size[d]);
        uint64_t next = c.stride[d] * c.size[d];
        if (next > TMA_TENSOR) {
            c.size[d] = 1;
            next = c.stride[d];
        }
        uint32_t kept = (c.box[d] + c.step[d] - 1) / c.step[d];
        if (c.bytes * (int)kept > TMA_BOX) {
            c.box[d] = kept = 1;
        }
        c.bytes *= (int)kept;
        room = next;
    }
    return c;
}

/* What is done to an mbarrier: its 64 bits are read after each. */
enum barrier_what {
    BARRIER_INIT,
    BARRIER_ARRIVE,        /* value: how many; the result is the state */
    BARRIER_ARRIVE_EXPECT, /* value: bytes */
    BARRIER_EXPECT,        /* value: bytes */
    BARRIER_COMPLETE,      /* value: bytes */
    BARRIER_DROP,          /* arrive_drop */
    BARRIER_DROP_EXPECT,
    BARRIER_NO_COMPLETE, /* arrive.noComplete */
    BARRIER_TEST_PARITY, /* value: the parity; the result is the answer */
    BARRIER_TRY_PARITY,
    BARRIER_REMOTE_ARRIVE /* through the cluster's address, without a result */
};
static const struct barrier_step {
    int what;
    uint32_t value;
} barrier_steps[] = {
    {BARRIER_INIT, 1},           {BARRIER_TEST_PARITY, 0},    {BARRIER_TEST_PARITY, 1},
    {BARRIER_ARRIVE, 1},         {BARRIER_TEST_PARITY, 0},    {BARRIER_TEST_PARITY, 1},
    {BARRIER_ARRIVE, 1},         {BARRIER_TRY_PARITY, 1},     {BARRIER_ARRIVE_EXPECT, 4096},
    {BARRIER_TEST_PARITY, 0},    {BARRIER_COMPLETE, 1024},    {BARRIER_COMPLETE, 3072},
    {BARRIER_TEST_PARITY, 0},    {BARRIER_TEST_PARITY, 1},    {BARRIER_COMPLETE, 16},
    {BARRIER_ARRIVE_EXPECT, 16}, {BARRIER_EXPECT, 64},        {BARRIER_COMPLETE, 64},
    {BARRIER_ARRIVE, 1},         {BARRIER_INIT, 5},           {BARRIER_ARRIVE, 2},
    {BARRIER_DROP, 1},           {BARRIER_NO_COMPLETE, 1},    {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 3},         {BARRIER_ARRIVE, 1},         {BARRIER_DROP_EXPECT, 32},
    {BARRIER_COMPLETE, 32},      {BARRIER_ARRIVE, 1},         {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},         {BARRIER_ARRIVE, 1},         {BARRIER_REMOTE_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},         {BARRIER_INIT, 1048575},     {BARRIER_ARRIVE, 1},
    {BARRIER_EXPECT, 1048575},   {BARRIER_COMPLETE, 1048575}, {BARRIER_EXPECT, 1},
    {BARRIER_ARRIVE, 1048574},   {BARRIER_COMPLETE, 1},       {BARRIER_TEST_PARITY, 0},
    {BARRIER_INIT, 128},         {BARRIER_ARRIVE, 127},       {BARRIER_EXPECT, 100},
    {BARRIER_ARRIVE, 1},         {BARRIER_COMPLETE, 50},      {BARRIER_COMPLETE, 50},
    {BARRIER_TEST_PARITY, 0},
};
enum { BARRIER_STEPS = sizeof barrier_steps / sizeof barrier_steps[0] };

/* Loads and stores of matrices: shared memory of 2048 elements of 16 bits, element i holds i. */
enum {
    MATRIX_CASES = 14,
    MATRIX_REPEATS = 4
}; /* x1 x2 x4, their .trans; stores likewise;
      movmatrix twice */
static inline uint32_t matrix_row(int repeat, int lane)
{
    uint64_t state = (uint64_t)(repeat * 32 + lane) * 0x51;
    return (uint32_t)(tile_random(&state) % 256) * 16;
}

#endif
