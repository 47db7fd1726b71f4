/* async_cases.h: the copies by tensor maps, the barrier's operations and the matrix loads that
 * probe_async.cu tries, and the form of its results. C and C++. SPDX-License-Identifier: MIT */
#ifndef TENSOR_ASYNC_CASES_H
#define TENSOR_ASYNC_CASES_H

#include "tiles.h"

enum {
    TMA_LOADS = 160,
    TMA_STORES = 60,
    TMA_CHOSEN = 17, /* cases that are not drawn: tma_chosen */
    TMA_CASES = TMA_LOADS + TMA_STORES + TMA_CHOSEN,
    TMA_TENSOR = 16 * 1024,
    TMA_BOX = 4 * 1024, /* the most that is copied */
    TMA_SHARED = 16 * 1024,
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
    int32_t store;      /* 2: and adds to what is there, of 2 dimensions and U32 */
    int32_t offset;     /* of the box, in shared memory */
    int32_t content;    /* what the source holds: see tma_word */
    int32_t unfinished; /* other than `bytes` bytes arrived */
};

static inline int tma_element(int type)
{
    static const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

enum { TMA_OF_TENSOR = 1, TMA_OF_BOX, TMA_OF_FLOATS };

/* Numbers of fp32 that a conversion may change: small and large exponents, ties and their
 * neighbours among the 13 bits that tf32 lacks, NaN. */
static inline uint32_t tma_float(uint64_t r)
{
    static const uint32_t exponents[] = {0, 0, 1, 127, 254, 255, 23, 200};
    static const uint32_t low[] = {0, 1, 0xfff, 0x1000, 0x1000, 0x1001, 0x1fff, 0x800};
    uint32_t high = r >> 8 & 3 ? (uint32_t)(r >> 32) & 0x3ff : r >> 8 & 4 ? 0x3ff : 0;
    return (uint32_t)(r & 1) << 31 | exponents[r >> 1 & 7] << 23 | high << 13 | low[r >> 4 & 7];
}

/* Word i of the tensor that is loaded, or of the shared memory that is stored. */
static inline uint32_t tma_word(int i, int which)
{
    uint64_t state = (uint64_t)i * 77 + (uint64_t)which * 1000003, r = tile_random(&state);
    return which == TMA_OF_FLOATS ? tma_float(r) : (uint32_t)r;
}

/* The cases that answer one question each. */
static inline struct tma_case tma_chosen(int index)
{
    static const int floats[] = {TMA_F32, TMA_F32_FTZ, TMA_TF32, TMA_TF32_FTZ};
    struct tma_case c;
    memset(&c, 0, sizeof c);
    c.rank = 2;
    c.step[0] = c.step[1] = 1;
    c.type = TMA_F32;
    c.size[0] = c.box[0] = 16;
    c.size[1] = c.box[1] = 8;
    if (index < 8) { /* the conversions: loads, then stores */
        c.type = floats[index % 4];
        c.content = TMA_OF_FLOATS;
        c.store = index >= 4;
        c.size[0] = c.box[0] = 256;
        c.size[1] = c.box[1] = 4;
    } else if (index < 10) { /* fill with NaN: doubles, integers */
        c.type = index == 8 ? TMA_F64 : TMA_U32;
        c.nan_fill = 1;
        c.box[0] = 8;
        c.at[1] = 3;
    } else if (index < 14) { /* at no multiple of 128 bytes: a load, a store */
        c.offset = index % 2 ? 64 : 16;
        c.store = index >= 12;
    } else if (index < 15) { /* wholly outside, and at no multiple of 16 bytes */
        c.at[0] = 1;
        c.at[1] = 8;
    } else { /* a reduction, at a multiple of 16 bytes and at none */
        c.store = 2;
        c.type = TMA_U32;
        c.at[0] = index == 15 ? 4 : 2;
        c.at[1] = 2;
    }
    c.content = c.content ? c.content : c.store ? TMA_OF_BOX : TMA_OF_TENSOR;
    c.stride[0] = (uint64_t)tma_element(c.type);
    c.stride[1] = c.size[0] * c.stride[0];
    c.bytes = (int32_t)(c.box[0] * c.box[1] * c.stride[0]);
    return c;
}

static inline struct tma_case tma_drawn(int index)
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
    if (index % (index < TMA_LOADS ? 32 : 8) != 5) { /* a GPU refuses others */
        c.at[0] = c.at[0] * element / 16 * 16 / element;
    }
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
    if (tile_random(&state) % 3 == 0) { /* the swizzle is of the address, not of the offset */
        c.offset = 128 * tile_between(&state, 1, 15);
    }
    return c;
}

static inline struct tma_case tma_make(int index)
{
    if (index >= TMA_LOADS + TMA_STORES) {
        return tma_chosen(index - TMA_LOADS - TMA_STORES);
    }
    struct tma_case c = tma_drawn(index);
    c.store = index >= TMA_LOADS;
    c.content = c.store ? TMA_OF_BOX : TMA_OF_TENSOR;
    return c;
}

/* The words of a case's result: the box in shared memory, or the tensor. */
static inline int tma_result_words(const struct tma_case *c)
{
    return (c->store ? TMA_TENSOR : TMA_SHARED) / 4;
}

/* What is done to an mbarrier: its 64 bits are read after each, in several ways. */
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
    {BARRIER_INIT, 1},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_TEST_PARITY, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_TEST_PARITY, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_TRY_PARITY, 1},
    {BARRIER_ARRIVE_EXPECT, 4096},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_COMPLETE, 1024},
    {BARRIER_COMPLETE, 3072},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_TEST_PARITY, 1},
    {BARRIER_COMPLETE, 16},
    {BARRIER_ARRIVE_EXPECT, 16},
    {BARRIER_EXPECT, 64},
    {BARRIER_COMPLETE, 64},
    {BARRIER_ARRIVE, 1},
    {BARRIER_INIT, 5},
    {BARRIER_ARRIVE, 2},
    {BARRIER_DROP, 1},
    {BARRIER_NO_COMPLETE, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 3},
    {BARRIER_ARRIVE, 1},
    {BARRIER_DROP_EXPECT, 32},
    {BARRIER_COMPLETE, 32},
    {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_REMOTE_ARRIVE, 1},
    {BARRIER_ARRIVE, 1},
    {BARRIER_INIT, 1048575},
    {BARRIER_ARRIVE, 1},
    {BARRIER_EXPECT, 1048575},
    {BARRIER_COMPLETE, 1048575},
    {BARRIER_EXPECT, 1},
    {BARRIER_ARRIVE, 1048574},
    {BARRIER_COMPLETE, 1},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_INIT, 128},
    {BARRIER_ARRIVE, 127},
    {BARRIER_EXPECT, 100},
    {BARRIER_ARRIVE, 1},
    {BARRIER_COMPLETE, 50},
    {BARRIER_COMPLETE, 50},
    {BARRIER_TEST_PARITY, 0},
    /* How many bits the outstanding bytes have, and which of the word they are. */
    {BARRIER_INIT, 6},
    {BARRIER_EXPECT, 2048},
    {BARRIER_ARRIVE, 1},
    {BARRIER_EXPECT, 1046527},
    {BARRIER_ARRIVE, 1},
    {BARRIER_COMPLETE, 1048575},
    {BARRIER_ARRIVE, 1},
    {BARRIER_COMPLETE, 1048575},
    {BARRIER_ARRIVE, 1},
    {BARRIER_EXPECT, 1040383},
    {BARRIER_ARRIVE, 1},
    {BARRIER_EXPECT, 8192},
    {BARRIER_TEST_PARITY, 0},
    {BARRIER_ARRIVE, 1},
    {BARRIER_TEST_PARITY, 0},
};
enum { BARRIER_STEPS = sizeof barrier_steps / sizeof barrier_steps[0] };

/* What is kept of each step. */
enum barrier_seen {
    BARRIER_RESULT,
    BARRIER_OWN,      /* the word, by ld.volatile.shared of the thread */
    BARRIER_FENCED,   /* through a generic pointer, after fence.proxy.async and membar.cta */
    BARRIER_OTHER,    /* by another thread, after __syncthreads */
    BARRIER_CLUSTER,  /* by ld.shared::cluster of another thread */
    BARRIER_BULK = 6, /* by a bulk copy to global memory, in a second run; and the 8 bytes next */
    BARRIER_BULK_NEXT,
    BARRIER_SEEN = 8
};
enum { BARRIER_NEXT = 0x5a5a5a5a };
/* An mbarrier of two arrivals. */
static const uint64_t barrier_stored = (uint64_t)0xffffe << 43 | (uint64_t)0xffffe << 1;

/* Single questions about the word; the kernel barrier_word answers each with BARRIER_ANSWERS
 * numbers. */
enum barrier_question {
    BARRIER_MANY,    /* initialise all of 4 KB; the words that another thread then reads */
    BARRIER_INVALID, /* initialise, invalidate, read */
    BARRIER_LATER,   /* initialise, wait 1 ms, read */
    BARRIER_STORED,  /* st.shared of the word, fence.proxy.async, arrive: the result, the phase */
    BARRIER_OVERWRITTEN, /* initialise, st.shared of another word, arrive; read */
    BARRIER_LOW,         /* what an arrival writes into the lower of two registers with contents */
    BARRIER_OVERFLOW,    /* more than 2^20 - 1 bytes outstanding */
    BARRIER_QUESTIONS,
    BARRIER_ANSWERS = 512
};

/* Loads and stores of matrices: shared memory of 2048 elements of 16 bits, element i holds i. */
enum {
    MATRIX_CASES = 14,
    MATRIX_REPEATS = 4,
    MATRIX_WORDS = 8 * 128 + 6 * 1024
}; /* x1 x2 x4, their .trans; stores likewise;
      movmatrix twice */
static inline uint32_t matrix_row(int repeat, int lane)
{
    uint64_t state = (uint64_t)(repeat * 32 + lane) * 0x51;
    return (uint32_t)(tile_random(&state) % 256) * 16;
}

#endif
