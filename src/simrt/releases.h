/* releases.h: the order that fences and atomic accesses make between threads, of one block or of
 * several. SPDX-License-Identifier: MIT
 *
 * A thread that stores atomically, or through a volatile pointer, releases what came before the
 * fences that its block has passed. A thread that reads that address atomically, or through a
 * volatile pointer, acquires it. Kernels use this if the last block adds the sums of other blocks,
 * or if a lock protects an element. The model orders at least what a GPU orders, and so never
 * reports a false race: a fence counts for the whole warp and may be passed by any thread of the
 * block; an atomic access acquires without a fence after it, for any value that it reads, and for
 * its whole warp. Blocks run one after another here, so everything that an earlier block has
 * released is known when a later block acquires. */
#ifndef SIMRT_RELEASES_H
#define SIMRT_RELEASES_H

#include "simrt/access_history.h"

/* The scope of a fence. */
enum { GR_FENCE_BLOCK = 1, GR_FENCE_DEVICE = 2 };

bool gr_releases_open(struct gr_tracer *tracer);
void gr_releases_close(struct gr_tracer *tracer);
/* A block begins. Releases by earlier blocks are kept only if races through global memory are
 * searched for (`tracer->globals` is not null). */
void gr_releases_begin(struct gr_tracer *tracer);
/* A barrier is passed: all threads of the block have now acquired what any of them has. */
void gr_releases_barrier(struct gr_tracer *tracer);

void gr_fence(struct gr_tracer *tracer, int thread, int scope);
/* The thread accesses that address atomically or through a volatile pointer: it acquires if it
 * reads, and releases if it writes. */
void gr_synchronise(struct gr_tracer *tracer, uint64_t address, int thread, bool reads,
                    bool writes);
/* Has the warp passed a fence since the last barrier? Its lanes may then take a lock one after
 * another, in an order that requests do not show, since a request has all lanes together. */
bool gr_takes_turns(const struct gr_tracer *tracer, int warp);
/* Was anything released at that address of global memory? */
bool gr_is_flag(const struct gr_tracer *tracer, uint64_t address);
/* Was the access `then` released, and has the thread acquired it? */
bool gr_released(const struct gr_tracer *tracer, const struct gr_then *then, int thread);
/* The block (x, y, z) to which that phase belongs; null: not known. */
const unsigned *gr_block_at(const struct gr_tracer *tracer, uint32_t phase);

#endif
