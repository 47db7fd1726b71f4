// pack_tile.h: packs a tile of an operand for wgmma in the layout of tma_load (tma.h): rows of 128
// bytes of k, whose pieces of 16 bytes are swizzled. SPDX-License-Identifier: MIT
//
// wgmma requires that operands of 32 and 8 bits are contiguous along k (wgmma.h), and the copy
// engine that rows begin at multiples of 16 bytes. Otherwise a tile is packed by a launch before:
//
//     stored along k          or across k
//      k 0 .. (128 bytes)      rows ..           8 threads write
//     +-----------------+     +---------+        pieces of 8 rows    row 0 | 0 1 2 3 4 5 6 7 |
//  row|                 |   k | x       |                                1 | 1 0 3 2 5 4 7 6 |
//     |                 |     | x       |  ->                            2 | 2 3 0 1 6 7 4 5 |
//     +-----------------+     +---------+                               .. | pieces of a row |
//
// The tile is made in shared memory, where the 8 threads use all banks, and copied from there. It
// has `side` rows, at most `most`, which is the size of that shared memory. `rows` of them and
// `depth` of k are in the matrix; other elements become zero. All `threads` of a block call this.
#ifndef PACK_TILE_H
#define PACK_TILE_H

#include "wgmma.h"

// Floats, 32 of k, which are rounded to tf32.
template <int most, int threads>
__device__ static inline void pack_tf32(float *to, int side, bool along, const float *from, int ld,
                                        int rows, int depth)
{
    __shared__ uint4 tile[most * 8];
    for (int at = threadIdx.x; at < side * 8; at += threads) {
        const int row = along ? at / 8 : at % side, piece = along ? at % 8 : at / side;
        const float *first =
            along ? from + (size_t)row * ld + piece * 4 : from + (size_t)(piece * 4) * ld + row;
        const int count = row < rows ? depth - piece * 4 : 0;
        unsigned word[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            word[e] =
                e < count ? __float_as_uint(wgmma_tf32(first[along ? e : (size_t)e * ld])) : 0;
        tile[row * 8 + (piece ^ row % 8)] = make_uint4(word[0], word[1], word[2], word[3]);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < side * 8; at += threads)
        ((uint4 *)to)[at] = tile[at];
}

// Loads four adjacent bytes, of which `count` are in the matrix; the others become zero.
__device__ static inline unsigned load_four_bytes(const unsigned char *from, int count,
                                                  bool aligned)
{
    if (aligned && count >= 4)
        return *(const unsigned *)from;
    unsigned word = 0;
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (e < count)
            word |= (unsigned)from[e] << 8 * e;
    return word;
}

// Collects byte `i` of each of four words.
__device__ static inline unsigned bytes_of(const unsigned *word, int i)
{
    const unsigned low = __byte_perm(word[0], word[1], i | (4 + i) << 4);
    const unsigned high = __byte_perm(word[2], word[3], i | (4 + i) << 4);
    return __byte_perm(low, high, 0x5410);
}

// 8-bit numbers, 128 of k.
template <int most, int threads>
__device__ static inline void pack_bytes(void *to, int side, bool along, const void *from, int ld,
                                         int rows, int depth)
{
    __shared__ uint4 tile[most * 8];
    const unsigned char *const bytes = (const unsigned char *)from;
    const bool aligned = ld % 4 == 0 && (size_t)bytes % 4 == 0;
    if (along)
        for (int at = threadIdx.x; at < side * 8; at += threads) {
            const int row = at / 8, piece = at % 8, k = piece * 16;
            unsigned word[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                word[e] = load_four_bytes(bytes + (size_t)row * ld + k + e * 4,
                                          row < rows ? depth - k - e * 4 : 0, aligned);
            tile[row * 8 + (piece ^ row % 8)] = make_uint4(word[0], word[1], word[2], word[3]);
        }
    else
        // 16 of k of 4 adjacent rows are 4 pieces.
        for (int at = threadIdx.x; at < side / 4 * 8; at += threads) {
            const int row = at % (side / 4) * 4, piece = at / (side / 4), k = piece * 16;
            unsigned word[16];
#pragma unroll
            for (int e = 0; e < 16; e++)
                word[e] = load_four_bytes(bytes + (size_t)(k + e) * ld + row,
                                          k + e < depth ? rows - row : 0, aligned);
#pragma unroll
            for (int i = 0; i < 4; i++)
                tile[(row + i) * 8 + (piece ^ (row + i) % 8)] =
                    make_uint4(bytes_of(word, i), bytes_of(word + 4, i), bytes_of(word + 8, i),
                               bytes_of(word + 12, i));
        }
    __syncthreads();
    for (int at = threadIdx.x; at < side * 8; at += threads)
        ((uint4 *)to)[at] = tile[at];
}

#endif
