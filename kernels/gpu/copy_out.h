// copy_out.h: stores a warp's sums to C by the tensor memory accelerator, from chunks in shared
// memory. SPDX-License-Identifier: MIT
//
// All warps of all blocks end their tiles at about the same time, and then C is written at the rate
// of L2: 17 MB by 132 blocks of 128 x 256 floats take 3 us. The copy engine does this while the
// next tile is multiplied, as far as the sums have left the registers: with room for a whole tile
// in shared memory, a warp waits for nothing.
//
//     sums of a warp: 16 rows     chunk 0    chunk 1    chunk 2    chunk 3    chunk 4 ..
//                               +----------+----------+----------+----------+----------
//                               | 128 bytes|          |          |          |
//                               | of a row |          |          |          |
//                               +----------+----------+----------+----------+----------
//     shared memory, 4 chunks     place 0    place 1    place 2    place 3    place 0, when the
//                                                                             copy of chunk 0 has
//                                                                             read it
//
// The map of C has boxes of 16 rows of 128 bytes: `//@ map map_c = C[16,128/C_BYTES] swizzle128
// optional by_address`. In a place, pieces of 16 bytes are swizzled as in tma.h.
#ifndef COPY_OUT_H
#define COPY_OUT_H

#include "cp_async.h"
#include "ldmatrix.h"
#include "mbarrier.h"
#include "store_two.h"
#include "tma.h"

// Two adjacent elements of C in one register.
__device__ static inline unsigned both(const __nv_bfloat16 *, float x, float y)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(x, y);
    return *(const unsigned *)&two;
}

__device__ static inline unsigned both(const __half *, float x, float y)
{
    const __half2 two = __floats2half2_rn(x, y);
    return *(const unsigned *)&two;
}

// Writes a chunk: 32 columns of floats, ..
__device__ static inline void put_chunk(const float *, char *to, const float *sum)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int row = lane / 4 + h * 8, piece = (j * 2 + lane % 4 / 2) ^ lane / 4;
            *(float2 *)(to + row * 128 + piece * 16 + lane % 2 * 8) =
                make_float2(sum[j * 4 + h * 2], sum[j * 4 + h * 2 + 1]);
        }
}

// .. or 64 columns of numbers of 16 bits.
template <class Element>
__device__ static inline void put_chunk(const Element *type, char *to, const float *sum)
{
    const int lane = threadIdx.x % 32, row = lane % 16;
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
        unsigned r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float *s = sum + (j + i / 2) * 4 + i % 2 * 2;
            r[i] = both(type, s[0], s[1]);
        }
        stmatrix_x4(shared_address(to) + row * 128 + ((j + lane / 16) ^ row % 8) * 16, r);
    }
}

// Replaces a warp's sums by alpha times them plus beta times C, in registers: 8 rows of 32 bytes a
// load. `wide` columns from C on are in the matrix.
__device__ static inline __attribute__((always_inline)) void
add_old(const T_C *C, int ldc, int rows, int wide, float *sum, float alpha, float beta)
{
    const int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    C += (size_t)row * ldc + column;
#pragma unroll
    for (int j = 0; j < wide / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float *const two = sum + j * 4 + h * 2;
            float2 old = make_float2(0, 0);
            if (row + h * 8 < rows)
                old = load_pair(C + h * 8 * ldc + j * 8);
            two[0] = alpha * two[0] + beta * old.x;
            two[1] = alpha * two[1] + beta * old.y;
        }
}

// Prefetches a warp's part of C to L2, of which `rows` by `columns` are in the matrix: add_old
// would wait for the memory.
__device__ static inline void prefetch_old(const T_C *C, int ldc, int rows, int columns, int wide)
{
    const int line = 128 / sizeof(T_C);
    for (int i = threadIdx.x % 32; i < 16 * wide / line; i += 32) {
        const int row = i % 16, column = i / 16 * line;
        if (row < rows && column < columns)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(C + (size_t)row * ldc + column));
    }
}

// Multiplies a thread's sums by alpha. Without the empty asm there would be no branch, but
// multiplications whose results are not used if alpha is 1.
__device__ static inline __attribute__((always_inline)) void scale_sums(int count, float *sum,
                                                                        float alpha)
{
    if (alpha == 1)
        return;
    asm volatile("" ::: "memory");
#pragma unroll
    for (int i = 0; i < count; i++)
        sum[i] *= alpha;
}

// Stores the sums of a warp, 16 rows by `wide` columns from (row, column) of C on, of which `rows`
// by `columns` are in the matrix. `mine` are the warp's `places` of 2048 bytes. Several chunks are
// written before the fence, which waits for the writes. The caller must end with
// bulk_wait_read<0>() before the block does.
template <int places>
__device__ static inline __attribute__((always_inline)) void
copy_out(const CUtensorMap *map, T_C *C, int rows, int columns, int row, int column, int wide,
         const float *sum, char *mine)
{
    const int chunk = 128 / sizeof(T_C), chunks = wide / chunk;
    const int together = chunks <= places ? chunks : places / 2;
#pragma unroll
    for (int n = 0; n < chunks; n += together) {
        if (n == 0)
            bulk_wait_read<0>(); // the copies of the previous tile have long read their places
        else if (n >= places)
            bulk_wait_read<1>(); // those of the group before the last, whose places these are
        __syncwarp();
#pragma unroll
        for (int i = n; i < n + together; i++)
            put_chunk((const T_C *)0, mine + i % places * 2048, sum + i * chunk / 2);
        bulk_sees_shared();
        __syncwarp();
        if (elected())
#pragma unroll
            for (int i = n; i < n + together; i++)
                if (rows > 0 && i * chunk < columns)
                    tma_store_to(map, C, row, column + i * chunk,
                                 shared_address(mine + i % places * 2048));
        bulk_commit();
    }
}

// Writes 16 rows of C by 32 columns: the sums of two warps, 16 rows of 16 each, transposed. Lanes
// write different banks.
__device__ static inline void put_chunk_turned(char *to, const float *sum)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const int column = threadIdx.x / 32 % 2 * 16 + lane / 4 + i / 2 % 2 * 8;
        *(float *)(to + row * 128 + (column / 4 ^ row % 8) * 16 + column % 4 * 4) = sum[i];
    }
}

// The same as copy_out for float sums of C transposed: `wide` rows from `row` of C on by this
// warp's 16 columns from `column` on. Warps 2*n and 2*n + 1 have 32 adjacent columns, and write
// chunks of 16 rows of them to the `places` of 2048 bytes at `mine`, which is that of both. They
// use the barriers 4 to 7 of the block.
template <int places>
__device__ static inline __attribute__((always_inline)) void
copy_out_turned(const CUtensorMap *map, T_C *C, int rows, int columns, int row, int column,
                int wide, const float *sum, char *mine)
{
    const int together = places / 2, barrier = 4 + threadIdx.x / 64 % 4;
    const bool first = threadIdx.x / 32 % 2 == 0;
#pragma unroll
    for (int n = 0; n < wide / 16; n += together) {
        if (n == 0)
            bulk_wait_read<0>(); // the copies of the previous tile have long read their places
        else if (n >= places)
            bulk_wait_read<1>(); // those of the group before the last, whose places these are
        warps_sync(barrier, 64);
#pragma unroll
        for (int i = n; i < n + together; i++)
            put_chunk_turned(mine + i % places * 2048, sum + i * 8);
        bulk_sees_shared();
        warps_sync(barrier, 64);
        if (first && elected())
#pragma unroll
            for (int i = n; i < n + together; i++)
                if (i * 16 < rows && columns > 0)
                    tma_store_to(map, C, row + i * 16, column,
                                 shared_address(mine + i % places * 2048));
        bulk_commit();
    }
}

#endif
