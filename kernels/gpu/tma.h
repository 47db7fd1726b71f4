// tma.h: copies between global and shared memory by the tensor memory accelerator (sm_90 and
// later). SPDX-License-Identifier: MIT
//
// One thread requests the copy of a whole box of a matrix. The copy engine computes the addresses,
// writes zeros for elements outside the matrix, and reports the bytes that it has written to an
// mbarrier (mbarrier.h). A tensor map, which is made on the host, describes the matrix and the box;
// in Gradus, `//@ map name = A[rows,columns] swizzle128` makes it, and the kernel has a parameter
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
// The address and the row stride of the matrix must be multiples of 16 bytes, and so must the place
// in a row at which a box begins: at another column the copy is an illegal instruction. A box of
// 128 bytes by at most 256 rows is written to a multiple of 1024 bytes in shared memory. Source:
// PTX ISA, "cp.async.bulk.tensor"; for the columns, docs/tensor-cores.md.
#ifndef TMA_H
#define TMA_H

// The 128 bytes that the driver's function cuTensorMapEncodeTiled writes, as cuda.h has them, which
// NVRTC does not find. A program that includes cuda.h includes it before this file.
#ifndef __cuda_cuda_h__
struct __align__(64) CUtensorMap_st
{
    unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;
#endif

// Returns true for one thread of a warp, all of whose threads must call it. The compiler then knows
// that only one thread is active, and a request for a copy takes some ten instructions. After `if
// (threadIdx.x == 0)` it would be a loop over the threads that may be active, of forty.
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

// Prefetches the map itself, for which the first copy would otherwise wait.
__device__ static inline void tma_prefetch(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// On a host, for each row and column of the box: to[row][column] = the matrix's element at (row,
// column) + the position of the box; then the barrier expects as many bytes less.
__device__ static inline void tma_load(unsigned to, const CUtensorMap *map, int row, int column,
                                       unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
}

// With the word `by_address`, a `map` line describes a matrix of the same sizes and the same
// leading dimension at every address that is a multiple of 16: two more coordinates are the
// address. The kernel chooses the matrix at each copy, as is necessary if it reads the
// addresses from memory. Such a box must begin inside the matrix.
//
//     coordinates    column, row, address / 16 % 2^31, address / 2^35
__device__ static inline void tma_load_from(unsigned to, const CUtensorMap *map, const void *matrix,
                                            int row, int column, unsigned barrier)
{
    const unsigned long long address = (unsigned long long)matrix;
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"((int)(address >> 4 & 0x7fffffff)),
                 "r"((int)(address >> 35)), "r"(barrier)
                 : "memory");
}

// The same without a map, for `bytes` contiguous bytes. `bytes` and both addresses are multiples of
// 16.
__device__ static inline void bulk_load(unsigned to, const void *from, unsigned bytes,
                                        unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// The inverse copy: writes the part of the box that is inside the matrix. The copy belongs to the
// current group of its thread, which ends at bulk_commit; the writes are complete when the kernel
// ends.
//
//     bulk_wait_read<1>   waits until all groups of this thread but the last have read their boxes
//     ..                  threads write the box, swizzled as above, and call bulk_sees_shared
//     __syncwarp          (or a barrier for all threads that wrote)
//     tma_store           one thread, the same one each time
//     bulk_commit
//
// A kernel must not end before bulk_wait_read<0>, because another block then gets its shared
// memory. A store writes whole pieces of 16 bytes, even if the matrix ends within one.
__device__ static inline void tma_store(const CUtensorMap *map, int row, int column, unsigned from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            map),
        "r"(column), "r"(row), "r"(from)
        : "memory");
}

// The same by a map `by_address`.
__device__ static inline void tma_store_to(const CUtensorMap *map, void *matrix, int row,
                                           int column, unsigned from)
{
    const unsigned long long address = (unsigned long long)matrix;
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
                 "r"(column), "r"(row), "r"((int)(address >> 4 & 0x7fffffff)),
                 "r"((int)(address >> 35)), "r"(from)
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

// Makes this thread's writes to shared memory visible to copies that begin after it.
__device__ static inline void bulk_sees_shared(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#endif
