/* gr_sim.h: the functions of the run time that a simulated kernel calls. The shim's headers (shim/)
 * implement CUDA and HIP with these functions. Each GPU thread of a block is a fiber: it has a
 * stack of its own, and the host thread switches to another fiber when a GPU thread would wait.
 * Blocks run on any number of host threads, so memory other than shared memory may be accessed by
 * several of them at once.
 *
 * `site` is the place of an access in the program: a return address, whose source line is reported.
 * Loads and stores that the compiler itself generates are recorded without these functions, unless
 * the function has the attribute no_sanitize("thread"). SPDX-License-Identifier: MIT */
#ifndef SIMRT_GR_SIM_H
#define SIMRT_GR_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gr_sim_index {
    unsigned x, y, z;
};

/* Of the calling thread. They are constant for a fiber, so the compiler may keep their values. */
struct gr_sim_index gr_sim_thread_index(void) __attribute__((const));
struct gr_sim_index gr_sim_block_index(void) __attribute__((const));
struct gr_sim_index gr_sim_block_size(void) __attribute__((const));
struct gr_sim_index gr_sim_grid_size(void) __attribute__((const));
unsigned gr_sim_lane(void) __attribute__((const));

/* All threads of the block wait for one another. The second function combines the predicates: 'c'
 * returns how many were not 0, '&' whether all were, '|' whether any was. `site`: of the call in
 * the user's source. */
void gr_sim_barrier(const void *site);
int gr_sim_barrier_vote(int predicate, char how, const void *site);

/* The lanes of `mask` (bit i: lane i) wait for one another, except for those that have exited, and
 * exchange 8 bytes each. Returns the value of lane `lane`, or the caller's own value if that lane
 * does not take part. */
uint64_t gr_sim_exchange(uint64_t mask, uint64_t value, int lane, const void *site);
/* Likewise. Bit i of the result is set if the predicate of lane i is not 0. */
uint64_t gr_sim_ballot(uint64_t mask, int predicate, const void *site);
void gr_sim_warp_sync(uint64_t mask, const void *site);
/* The lanes that have not exited. */
uint64_t gr_sim_active_mask(void);
/* An instruction that the lanes of a warp execute as one, such as a matrix instruction: when all of
 * them have arrived with the same `work`, it is called once, with each lane's `own`, and may change
 * what those point to. It returns null, or what is wrong, which ends the launch as failed. So does
 * a lane that has exited, and a warp of fewer threads. */
typedef const char *gr_sim_work(void *const *own);
void gr_sim_together(void *own, gr_sim_work *work, const void *site);

/* A memory fence, for the threads of a scope: 1 is the block, 2 the device. */
void gr_sim_fence(int scope, const void *site);

/* Runs other threads until ready(state) is not 0. What `ready` reads may only be changed by threads
 * of this block, for example an arrival counter in shared memory. If all threads wait, that is a
 * deadlock, which is reported with `site`. */
void gr_sim_wait_until(int (*ready)(void *state), void *state, const void *site);

/* The last thread has arrived at a barrier object in shared memory: accesses before the arrivals
 * are ordered before those after a wait for it. Every such wait is a gr_sim_wait_until. */
void gr_sim_saw_phase(void);

/* Compare and swap, atomic on the host: stores `desired` if `*address == expected`, and returns the
 * old value. The access is not recorded. */
uint32_t gr_sim_cas32(void *address, uint32_t expected, uint32_t desired);
uint64_t gr_sim_cas64(void *address, uint64_t expected, uint64_t desired);
uint16_t gr_sim_cas16(void *address, uint16_t expected, uint16_t desired);

/* Record an access that the compiler does not record. */
void gr_sim_saw_load(const void *address, int bytes, const void *site);
void gr_sim_saw_store(void *address, int bytes, const void *site);
void gr_sim_saw_atomic(void *address, int bytes, const void *site);
/* The source promises that the address is a multiple of `alignment`; a GPU's compiler relies on
 * that. */
void gr_sim_promised(const void *address, int alignment, const void *site);
/* Copies `valid` bytes and sets the other bytes - valid to zero, as cp.async does. The copy is done
 * at once, and recorded as an asynchronous one. Nothing is read if `valid` is 0. Both addresses
 * must be multiples of `bytes`. */
void gr_sim_copy_async(void *shared, const void *global, int bytes, int valid, const void *site);

/* Addresses of shared memory as 32-bit numbers, as __cvta_generic_to_shared returns them. */
unsigned gr_sim_shared_offset(const void *shared);
void *gr_sim_shared_pointer(unsigned offset);
/* Is it an address of shared memory? */
int gr_sim_is_shared(const void *address);

/* The kernel's __launch_bounds__: a launch with more threads a block is refused. */
void gr_sim_launch_bounds(long long threads);

long long gr_sim_clock(void); /* a counter that each call increments; no time is simulated */
/* Ends the launch as failed, with this text ("assertion failed: …"). */
void gr_sim_fail(const char *text, const void *site) __attribute__((noreturn));
/* Ends the launch as one that cannot be simulated; `what` names the reason, such as "wgmma". */
void gr_sim_not_modelled(const char *what, const void *site) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
