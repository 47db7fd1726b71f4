// tma.h: copies between global and shared memory by the tensor memory accelerator (sm_90 and
// later). SPDX-License-Identifier: MIT
//
// One thread asks for a whole box of a matrix. The copy engine computes the addresses, writes zeros
// for what lies outside the matrix, and tells an mbarrier (mbarrier.h) how many bytes it has
// written. A tensor map, made on the host, describes the matrix and the box; in Gradus by
// `//@ map name = A[rows,columns] swizzle128`, and the kernel takes it as
// `const __grid_constant__ CUtensorMap name`.
//
//        columns of the matrix ->           shared memory, 128 bytes a row, 16-byte pieces
//       +--------------------------+        row 0 | 0 1 2 3 4 5 6 7 |
//       |   column                 |            1 | 1 0 3 2 5 4 7 6 |  swizzle128: piece p of row
//  row -|-> +-----------+          |            2 | 2 3 0 1 6 7 4 5 |  r is at place p ^ r % 8, so
//       |   | the box   |          |    ->      3 | 3 2 1 0 7 6 5 4 |  that a column of pieces is
//       |   +-----------+          |           .. |                 |  in all the banks
//       +--------------------------+            7 | 7 6 5 4 3 2 1 0 |
//
// The map needs an address and a row stride that are multiples of 16 bytes, and a box begins at
// such a multiple of a row: at another column the copy is an illegal instruction. A box of 128
// bytes by at most 256 rows goes to a multiple of 1024 bytes. Source: PTX ISA,
// "cp.async.bulk.tensor"; the columns: docs/tensor-cores.md.
#ifndef TMA_H
#define TMA_H

// The 128 bytes that the driver's cuTensorMapEncodeTiled writes.
struct __align__(64) CUtensorMap_st
{
    unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;

// True for one of a warp's threads, all of which call it. The compiler knows that no other thread
// is there, and a request for a copy takes some ten instructions; after `if (threadIdx.x == 0)` it
// is a loop over the threads that might ask, of forty.
__device__ static inline bool elected(void)
{
    unsigned one;
    asm volatile("{\n"
                 ".reg .pred one;\n"
                 "elect.sync _|one, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, one;\n"
                 "}"
                 : "=r"(one));
    return one;
}

// Asks for the map itself, which the first copy would wait for.
__device__ static inline void tma_prefetch(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// On a host, for each row and column of the box: to[row][column] = the matrix's element at
// (row, column) + that of the box; then the barrier has as many bytes less to wait for.
__device__ static inline void tma_load(unsigned to, const CUtensorMap *map, int row, int column,
                                       unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
}

// The same without a map: `bytes` neighbouring bytes, a multiple of 16, as are both addresses.
__device__ static inline void bulk_load(unsigned to, const void *from, unsigned bytes,
                                        unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// The way back: what of the box is in the matrix is written to it. The copy is one of its thread's
// group, which ends at bulk_commit; the writes are done when the kernel ends.
//
//     bulk_wait_read<1>   until of this thread's groups all but the last have read shared memory
//     ..                  threads write the box, swizzled as above, and call bulk_sees_shared
//     __syncwarp          (or a barrier of all who wrote)
//     tma_store           one thread, the same one each time
//     bulk_commit
//
// A kernel must not end before bulk_wait_read<0>: its shared memory is given to another block. A
// store writes whole pieces of 16 bytes, also where the matrix ends within one.
__device__ static inline void tma_store(const CUtensorMap *map, int row, int column, unsigned from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            map),
        "r"(column), "r"(row), "r"(from)
        : "memory");
}

__device__ static inline void bulk_commit(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int N> __device__ static inline void bulk_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

// What this thread wrote to shared memory is seen by copies that begin after it.
__device__ static inline void bulk_sees_shared(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
