// ldmatrix.h: fragments of mma.h from shared memory, four 8 x 8 matrices at a time (sm_75 and
// later).
// SPDX-License-Identifier: MIT
//
// A matrix is 8 rows of 8 elements of 16 bits. A row is 16 bytes, anywhere in shared memory at a
// multiple of 16. Lane l gives the address of row l%8 of matrix l/8; then each lane gets two
// neighbours of each matrix: of row lane/4 the columns lane%4*2 and the next. With .trans each
// matrix is transposed on the way: of column lane/4 the rows lane%4*2 and the next.
//
//     addresses of            r[0]      r[1]      r[2]      r[3]
//     lanes  0 ..  7   ->   +-------+                                  +-----------------+
//     lanes  8 .. 15   ->   | 8 x 8 | +-------+                        | 0 0 1 1 2 2 3 3 |  lanes
//     lanes 16 .. 23   ->   +-------+ | 8 x 8 | +-------+              | 4 4 5 5 6 6 7 7 |  that
//     lanes 24 .. 31   ->             +-------+ | 8 x 8 | +-------+    |       ..        |  get the
//                                               +-------+ | 8 x 8 |    | 28 28 .. 31 31  | elements
//                                                         +-------+    +-----------------+
//
// That is how mma.h shares out a 16 x 16 fragment of A: r[0] rows 0 to 7 and k 0 to 7, r[1] 8 rows
// below, r[2] and r[3] the same 8 further along k. Of two fragments of B, 16 columns, r[0] and r[2]
// are the first 8 columns' b[0] and b[1], r[1] and r[3] the others', if "row" means a column of B.
// Banks: each 8 addresses are served in one turn if their 16 bytes are in different banks, that is,
// if the addresses divided by 16 differ modulo 8. Source: PTX ISA, "ldmatrix".
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

// The way back (sm_90 and later): lane l gives the address of row l%8 of matrix l/8 and, in r[i],
// two neighbours of matrix i, as ldmatrix_x4 gives them to it.
__device__ static inline void stmatrix_x4(unsigned address, const unsigned *r)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

#endif
