// mbarrier.h: barriers in shared memory at which threads and copies arrive (sm_80 and later).
// SPDX-License-Identifier: MIT
//
// A barrier is 8 bytes of shared memory. It counts arrivals and, separately, the bytes that are
// expected. A phase ends when both are complete, and the next phase begins automatically:
//
//    phase          0                      1                      2
//    arrivals       |count of them .. done |count of them .. done |
//    bytes          |+ expected - arrived 0|+ expected - arrived 0|
//    parity to wait | wait(0) ends here  ->| wait(1) ends here  ->|
//
// A thread that waits for the n-th phase of a barrier therefore waits with parity n % 2 (n counts
// from 0). A wait with the parity of the phase before the first one ends at once, so that the first
// user of a stage, which no other thread has used yet, does not wait. Addresses are those of
// cp.async: 32 bits, in bytes.
// Source: PTX ISA, "mbarrier".
#ifndef MBARRIER_H
#define MBARRIER_H

// One thread calls this and then mbarrier_init_done; then all threads call __syncthreads(), or, if
// other blocks use the barriers, cluster_sync_relaxed().
__device__ static inline void mbarrier_init(unsigned barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Makes initialised barriers visible to the copy engine and to the other blocks of the cluster.
// Before sm_90 there is neither.
__device__ static inline void mbarrier_init_done(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ static inline void mbarrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// An arrival of this thread as soon as its earlier cp.async are complete. The thread does not wait.
// It is one of the arrivals that mbarrier_init counts ("noinc").
__device__ static inline void mbarrier_arrive_after_copies(unsigned barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// An arrival that also adds to the number of bytes that copies will write in this phase.
__device__ static inline void mbarrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

// A test that may suspend the thread for a while; before sm_90 it cannot.
#if __CUDA_ARCH__ >= 900
#define MBARRIER_TEST "mbarrier.try_wait"
#else
#define MBARRIER_TEST "mbarrier.test_wait"
#endif

// Waits until the phase of this parity has ended. Writes of threads and of copies before its
// arrivals are then visible.
__device__ static inline void mbarrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n" MBARRIER_TEST ".parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// Some warps of a block, with `threads` threads in total, wait for one another, as __syncthreads()
// does for all warps. Barriers 1 to 15 can be used for this.
__device__ static inline void warps_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// The same without waiting: these warps are counted at the barrier, where others wait for them.
__device__ static inline void warps_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

#endif
