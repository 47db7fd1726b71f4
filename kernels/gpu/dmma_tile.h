// dmma_tile.h: tiles of doubles in shared memory, as the fragments of dmma.h are read from them.
// SPDX-License-Identifier: MIT
//
// A tile of A or B has BK of k and `side` rows of A or columns of B. It has the order that the
// matrix has in memory: a row of the tile is BK of k, if k is contiguous there (`along`), or `side`
// elements with the same k. Two elements, 16 bytes, are one place, and vector x of row y is at the
// place x ^ y%4*2. So a half-warp that reads a fragment, 32 bytes of each of 4 rows, uses each bank
// once:
//
//     place   0     1     2     3     4     5     6     7
//     y = 0 | x 0 | x 1 | x 2 | x 3 | x 4 | x 5 | x 6 | x 7 |    of 4 rows, two places each at the
//         1 | x 2 | x 3 | x 0 | x 1 | x 6 | x 7 | x 4 | x 5 |    same x: all 32 banks once
//         2 | x 4 | x 5 | x 6 | x 7 | x 0 | x 1 | x 2 | x 3 |
//         3 | x 6 | x 7 | x 4 | x 5 | x 2 | x 3 | x 0 | x 1 |
//
// The source that includes this defines T, double, and BK, a multiple of 8.
#ifndef DMMA_TILE_H
#define DMMA_TILE_H

#include "cp_async.h"
#include "dmma.h"

// A function that is always inlined, so that the extents of the tile are constants in it.
#define EXPANDED static inline __attribute__((always_inline))

// Vector x of 16 bytes of row y is vector x ^ turn_of(y) of the row in shared memory.
__device__ EXPANDED int turn_of(int y)
{
    return y % 4 * 2;
}

// Copies a tile of `side` rows of A or columns of B by BK, `v` elements (2 or 1) at a time.
// `along`: k is contiguous. Elements beyond `wide` and `depth` are not read, and become zero.
__device__ EXPANDED void copy_tile(unsigned tile, int side, int threads, bool along, int v,
                                   const T *from, int ld, int wide, int depth)
{
    const int high = along ? side : BK, pitch = along ? BK : side, down = v * threads / pitch;
    const int y = threadIdx.x / (pitch / v), x = threadIdx.x % (pitch / v) * v;
    const int rows = (along ? wide : depth) - y, columns = (along ? depth : wide) - x;
    const size_t step = (size_t)down * ld;
    const T *source = from + (size_t)y * ld + x;
    const unsigned to = tile + 8 * (y * pitch + x % 2);
    const int place = x / 2 ^ turn_of(y);
#pragma unroll
    for (int i = 0; i < high; i += down) {
        // Since y < down, the bits of y + i are those of y and of i.
        const unsigned there = to + 8 * i * pitch + 16 * (place ^ turn_of(i));
        const bool valid = i < rows && columns > 0;
        if (v == 2)
            cp_async_16_or_0(there, source, valid);
        else
            cp_async_8(there, source, valid);
        source += step;
    }
}

// Loads elements of a fragment in the layout of dmma.h: rows (of A) or columns (of B) lane/4 of the
// `count` blocks of 8 from number `block` on, counted from w; k is lane%4 and lane%4 + 4. `h`
// selects one of the groups of 8 of k.
__device__ EXPANDED void load_fragment(T *to, int count, bool along, int side,
                                       const volatile T *tile, int w, int block, int h, int lane)
{
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int k = 8 * h + 4 * j, at = 8 * (block + i);
            to[j * count + i] =
                along ? tile[(w + at + g) * BK + (k ^ turn_of(g) * 2) + t]
                      : tile[(k + t) * side + w + at / 16 * 16 + ((at % 16 + g) ^ turn_of(t) * 2)];
        }
}

// Two adjacent elements of a row of C: alpha times their sums, plus beta times C, which is not read
// if beta is 0. `count` of them are in the matrix; `vector`: c is at a multiple of 16 bytes.
__device__ static inline void store_two(T *c, int count, bool vector, T one, T two, T alpha, T beta)
{
    double2 sum = make_double2(alpha * one, alpha * two);
    if (vector && count >= 2) {
        if (beta != 0) {
            const double2 old = *(const double2 *)c;
            sum = make_double2(sum.x + beta * old.x, sum.y + beta * old.y);
        }
        *(double2 *)c = sum;
        return;
    }
    if (count > 0)
        c[0] = beta != 0 ? sum.x + beta * c[0] : sum.x;
    if (count > 1)
        c[1] = beta != 0 ? sum.y + beta * c[1] : sum.y;
}

#endif
