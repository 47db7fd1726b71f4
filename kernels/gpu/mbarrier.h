// mbarrier.h: barriers in shared memory that threads and copies arrive at (sm_90 and later).
// SPDX-License-Identifier: MIT
//
// A barrier is 8 bytes of shared memory. It counts arrivals and, apart from them, bytes that are
// expected; a phase ends when both are complete, and the next begins by itself:
//
//    phase          0                      1                      2
//    arrivals       |count of them .. done |count of them .. done |
//    bytes          |+ expected - arrived 0|+ expected - arrived 0|
//    parity to wait | wait(0) ends here  ->| wait(1) ends here  ->|
//
// So who waits for the n-th use of a barrier waits with parity n % 2 (n counts from 0). A wait with
// the parity of the phase before the first ends at once, which lets the first user of a stage
// pass that nobody has to leave. Addresses are those of cp.async: 32 bits, in bytes.
// Source: PTX ISA, "mbarrier".
#ifndef MBARRIER_H
#define MBARRIER_H

// One thread does this, then mbarrier_init_done, then all threads a __syncthreads().
__device__ static inline void mbarrier_init(unsigned barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Makes initialised barriers known to the copy engine and to the other blocks of the cluster.
__device__ static inline void mbarrier_init_done(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void mbarrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// An arrival that also says how many bytes copies will bring in this phase.
__device__ static inline void mbarrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

// Waits until the phase of that parity has ended. What was written before its arrivals, by threads
// or by copies, is visible then.
__device__ static inline void mbarrier_wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// Some of a block's warps wait for one another, `threads` in all, as __syncthreads() does for all
// warps. Barriers 1 to 15 are free for this.
__device__ static inline void warps_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

#endif
