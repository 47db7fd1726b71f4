/* gr_sim.h: what a simulated kernel asks of the run time. The shim's headers (shim/) express CUDA
 * and HIP by these; simrt/ defines them. Each GPU thread of a block is a fiber: a stack of its own
 * on one host thread, which goes on to the next fiber wherever a GPU thread would wait. Blocks run
 * on any number of host threads, so what is not shared memory may be touched by several at once.
 *
 * `site` is where in the program an access stands: a return address, whose source line the reports
 * show. What the compiler sees as a plain load or store is observed without any of these, unless
 * its function has the attribute no_sanitize("thread"). SPDX-License-Identifier: MIT */
#ifndef SIMRT_GR_SIM_H
#define SIMRT_GR_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gr_sim_index {
    unsigned x, y, z;
};

/* This thread's; constant for a fiber, so the compiler may keep them. */
struct gr_sim_index gr_sim_thread_index(void) __attribute__((const));
struct gr_sim_index gr_sim_block_index(void) __attribute__((const));
struct gr_sim_index gr_sim_block_size(void) __attribute__((const));
struct gr_sim_index gr_sim_grid_size(void) __attribute__((const));
unsigned gr_sim_lane(void) __attribute__((const));

/* All threads of the block meet. The second returns what all gave, put together: 'c' how many were
 * not 0, '&' whether all, '|' whether any. `site`: of the call in the user's source. */
void gr_sim_barrier(const void *site);
int gr_sim_barrier_vote(int predicate, char how, const void *site);

/* The lanes of `mask` (bit i: lane i; those that have exited are not waited for) meet, and exchange
 * 8 bytes each: what lane `lane` gave is returned; one's own where that lane takes no part. */
uint64_t gr_sim_exchange(uint64_t mask, uint64_t value, int lane, const void *site);
/* Likewise; bit i of the result: lane i gave a predicate that is not 0. */
uint64_t gr_sim_ballot(uint64_t mask, int predicate, const void *site);
void gr_sim_warp_sync(uint64_t mask, const void *site);
/* The lanes that have not exited. */
uint64_t gr_sim_active_mask(void);

/* What the thread has done comes before what it does now, for who is in that scope: 1, the block;
 * 2, the device. */
void gr_sim_fence(int scope, const void *site);

/* Goes on with other threads until ready(state) is not 0. What it reads may be changed by threads
 * of this block only (an arrival counter in shared memory, say). Where all threads wait, that is a
 * deadlock, and is reported with `site`. */
void gr_sim_wait_until(int (*ready)(void *state), void *state, const void *site);

/* A barrier object in shared memory has seen its last arrival: what was done before the arrivals
 * comes before what is done after a wait for it. Every such wait is a gr_sim_wait_until. */
void gr_sim_saw_phase(void);

/* Atomic on the host. `*address == expected` ? store `desired` : nothing; returns what was there.
 * Not observed. */
uint32_t gr_sim_cas32(void *address, uint32_t expected, uint32_t desired);
uint64_t gr_sim_cas64(void *address, uint64_t expected, uint64_t desired);
uint16_t gr_sim_cas16(void *address, uint16_t expected, uint16_t desired);

/* Observe an access that the compiler did not see. */
void gr_sim_saw_load(const void *address, int bytes, const void *site);
void gr_sim_saw_store(void *address, int bytes, const void *site);
void gr_sim_saw_atomic(void *address, int bytes, const void *site);
/* The source promises that the address is a multiple of `alignment`, and a GPU's compiler takes its
 * word for it. */
void gr_sim_promised(const void *address, int alignment, const void *site);
/* Copies `valid` bytes and makes the other bytes - valid zero, as cp.async does, at once, and
 * observes it as an asynchronous copy. Nothing is read where valid is 0. Both addresses must be
 * multiples of `bytes`. */
void gr_sim_copy_async(void *shared, const void *global, int bytes, int valid, const void *site);

/* Where shared memory is, as the 32-bit numbers that __cvta_generic_to_shared gives. */
unsigned gr_sim_shared_offset(const void *shared);
void *gr_sim_shared_pointer(unsigned offset);
/* Is it an address of shared memory? */
int gr_sim_is_shared(const void *address);

/* What the kernel was compiled for: a launch beyond it is refused. */
void gr_sim_launch_bounds(long long threads);

long long gr_sim_clock(void); /* counts up: no time is simulated */
/* The launch fails with this text ("assertion failed: …"). */
void gr_sim_fail(const char *text, const void *site) __attribute__((noreturn));
/* The launch ends as one that cannot be simulated: "wgmma". */
void gr_sim_not_modelled(const char *what, const void *site) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
