/* releases.h: the order that fences and atomics make between threads, of one block or of several.
 * SPDX-License-Identifier: MIT
 *
 * A thread that stores atomically, or through a volatile pointer, releases what came before the
 * fences that its block has passed; who reads that place atomically or through a volatile pointer
 * acquires it. So a last block may add up what others have left, and a lock may guard an element.
 * What is taken to be ordered is never less than on a GPU: a fence speaks for its whole warp, and
 * may be any thread's of the block; an atomic acquires without a fence behind it, whatever it
 * reads, and for its whole warp. Blocks run one after another here, so all that an earlier block
 * has released is known when a later one asks. */
#ifndef SIMRT_RELEASES_H
#define SIMRT_RELEASES_H

#include "simrt/access_history.h"

/* The scope of a fence. */
enum { GR_FENCE_BLOCK = 1, GR_FENCE_DEVICE = 2 };

bool gr_releases_open(struct gr_tracer *tracer);
void gr_releases_close(struct gr_tracer *tracer);
/* A block begins: where blocks are not followed one after another (`tracer->globals` is null), with
 * nothing known. */
void gr_releases_begin(struct gr_tracer *tracer);
/* A barrier is passed: what one thread has acquired, all have. */
void gr_releases_barrier(struct gr_tracer *tracer);

void gr_fence(struct gr_tracer *tracer, int thread, int scope);
/* The thread reads that place atomically or through a volatile pointer; where it writes, it
 * releases. */
void gr_synchronise(struct gr_tracer *tracer, uint64_t address, int thread, bool reads,
                    bool writes);
/* Has the warp passed a fence since the last barrier? Its lanes may then take a lock in turn, and
 * in which order they did so is not seen in requests, which have the lanes side by side. */
bool gr_takes_turns(const struct gr_tracer *tracer, int warp);
/* Was anything released at that place of global memory? */
bool gr_is_flag(const struct gr_tracer *tracer, uint64_t address);
/* Was what was done then released, and acquired by what the thread does now? */
bool gr_released(const struct gr_tracer *tracer, const struct gr_then *then, int thread);
/* The block in which that phase was, x, y, z; null: not known. */
const unsigned *gr_block_at(const struct gr_tracer *tracer, uint32_t phase);

#endif
