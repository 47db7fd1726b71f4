// cluster.h: blocks that run together and access each other's shared memory (sm_90 and later).
// SPDX-License-Identifier: MIT
//
// A kernel with `//@ cluster 2` is launched in pairs of adjacent blocks, each pair on
// multiprocessors that are close to each other. A block's address in shared memory, of 32 bits, can
// be mapped to the same place in another block of its cluster:
//
//        rank 0 (blockIdx.x even)              rank 1 (odd)
//       +-------------------------+           +-------------------------+
//       | address     barrier     |           | address     barrier     |
//       +----^------------^-------+           +----^------------^-------+
//            |            |                        |            |
//            +-- tma_load_shared: one read of L2, --+            |
//                written to both, and counted by each barrier    |
//                mbarrier_arrive_at(barrier, 1) -----------------+
//
// A block must not end while other blocks may still write to its shared memory, and they must not
// write to it before it has initialised its barriers: cluster_sync() is needed in both places.
// Source: PTX ISA, "Cluster", "mapa", "barrier.cluster", "cp.async.bulk.tensor".
#ifndef CLUSTER_H
#define CLUSTER_H

#include "tma.h"

// This block's number in its cluster.
__device__ static inline unsigned cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The number of blocks of a cluster; 1 if the launch has no clusters.
__device__ static inline unsigned cluster_size(void)
{
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

// All threads of all blocks of the cluster wait for one another. Each then sees what the others
// wrote.
__device__ static inline void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// The same, except that no thread sees what the others wrote: enough after mbarrier_init_done, and
// before a block ends whose shared memory others have read. cluster_sync waits until this thread's
// writes are visible to the whole GPU, for up to a microsecond after stores to C.
__device__ static inline void cluster_sync_relaxed(void)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// Arrives at the barrier that block `rank` has at this address.
__device__ static inline void mbarrier_arrive_at(unsigned barrier, unsigned rank)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

// The address at which block `rank` has the shared variable that is at p in this block. It can be
// read like any other address.
__device__ static inline const void *cluster_address(const void *p, unsigned rank)
{
    unsigned long long there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
    return (const void *)there;
}

// Loads 16 bytes of the shared memory of block `rank`.
__device__ static inline float4 cluster_load(unsigned address, unsigned rank)
{
    float4 four;
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
                 "}"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(address), "r"(rank)
                 : "memory");
    return four;
}

// tma_load to the same address in all blocks whose rank is a bit of `mask`. In each of them, the
// barrier at the address of `barrier` counts the bytes that were written there.
__device__ static inline void tma_load_shared(unsigned to, const CUtensorMap *map, int row,
                                              int column, unsigned barrier, unsigned mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier), "h"((unsigned short)mask)
                 : "memory");
}

// The same by a map `by_address`.
__device__ static inline void tma_load_from_shared(unsigned to, const CUtensorMap *map,
                                                   const void *matrix, int row, int column,
                                                   unsigned barrier, unsigned mask)
{
    const unsigned long long address = (unsigned long long)matrix;
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"((int)(address >> 4 & 0x7fffffff)),
                 "r"((int)(address >> 35)), "r"(barrier), "h"((unsigned short)mask)
                 : "memory");
}

// The same for contiguous bytes, as in bulk_load.
__device__ static inline void bulk_load_shared(unsigned to, const void *from, unsigned bytes,
                                               unsigned barrier, unsigned mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier), "h"((unsigned short)mask)
                 : "memory");
}

#endif
