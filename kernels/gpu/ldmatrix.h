// ldmatrix.h: fragments of mma.h from shared memory, four 8 x 8 matrices at a time (sm_75 and
// later).
// SPDX-License-Identifier: MIT
//
// A matrix is 8 rows of 8 elements of 16 bits. A row is 16 bytes, at any multiple of 16 in shared
// memory. Lane l provides the address of row l%8 of matrix l/8. Each lane then receives two
// adjacent elements of each matrix: columns lane%4*2 and lane%4*2 + 1 of row lane/4. With .trans
// each matrix is transposed: the lane receives rows lane%4*2 and lane%4*2 + 1 of column lane/4.
//
//     addresses of            r[0]      r[1]      r[2]      r[3]
//     lanes  0 ..  7   ->   +-------+                                  +-----------------+
//     lanes  8 .. 15   ->   | 8 x 8 | +-------+                        | 0 0 1 1 2 2 3 3 |  lanes
//     lanes 16 .. 23   ->   +-------+ | 8 x 8 | +-------+              | 4 4 5 5 6 6 7 7 |  that
//     lanes 24 .. 31   ->             +-------+ | 8 x 8 | +-------+    |       ..        |  get the
//                                               +-------+ | 8 x 8 |    | 28 28 .. 31 31  | elements
//                                                         +-------+    +-----------------+
//
// These are the places of a 16 x 16 fragment of A in mma.h: r[0] has rows 0 to 7 and k 0 to 7, r[1]
// the 8 rows below, and r[2] and r[3] the same rows 8 further along k. For two fragments of B,
// which are 16 columns, a "row" is a column of B: r[0] and r[2] are b[0] and b[1] of the first 8
// columns, and r[1] and r[3] those of the others. There is no bank conflict if the 16 bytes at each
// 8 addresses are in different banks, that is, if the addresses divided by 16 differ modulo 8.
// Source: PTX ISA, "ldmatrix".
#ifndef LDMATRIX_H
#define LDMATRIX_H

__device__ static inline void ldmatrix_x4(unsigned *r, unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__device__ static inline void ldmatrix_x4_trans(unsigned *r, unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// The inverse operation (sm_90 and later): lane l provides the address of row l%8 of matrix l/8
// and, in r[i], two adjacent elements of matrix i, the same as ldmatrix_x4 returns to it.
__device__ static inline void stmatrix_x4(unsigned address, const unsigned *r)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

#endif
