/* cluster_blocks.h: the blocks of a cluster, which run concurrently. A block without a cluster is
 * treated as a cluster of one block.
 * SPDX-License-Identifier: MIT
 *
 * An address in the window of shared memory has the rank of a block in its cluster in bits 24 to
 * 31, and the offset in that block's shared memory in the bits below. */
#ifndef MACHINE_CLUSTER_BLOCKS_H
#define MACHINE_CLUSTER_BLOCKS_H

#include "machine/block.h"

enum { GR_CLUSTER_BLOCKS = 16, GR_CLUSTER_RANK_BIT = 24 };

struct gr_cluster {
    struct gr_block *blocks; /* by rank */
    int count;
    bool owns_blocks;
    bool arrived; /* the threads that have arrived at the cluster's barrier in its current phase */
};

/* Allocates what the clusters of a launch need; they run one at a time. `watches` has one for each
 * block, by rank; null if there are none. Returns false if memory runs out. */
bool gr_cluster_open(struct gr_cluster *cluster, const struct gr_program *program,
                     const struct gr_program_launch *launch, struct gr_machine_memory *memory,
                     const struct gr_machine_watch *const *watches);
void gr_cluster_close(struct gr_cluster *cluster);
/* Runs the cluster of the block at this index to its end. Returns the block that failed, whose
 * `text` gives the reason, or null if all have ended normally. */
const struct gr_block *gr_cluster_run(struct gr_cluster *cluster, unsigned x, unsigned y,
                                      unsigned z);
/* The rank in its cluster of the block at this index. */
int gr_cluster_rank(const struct gr_program *program, unsigned x, unsigned y, unsigned z);

/* Runs the block at this index, which has no cluster, to its end. block->status is the outcome. */
void gr_block_run(struct gr_block *block, unsigned x, unsigned y, unsigned z);

/* ---- For the functions that execute steps. ---- */

/* Returns the block that an address in the window of shared memory refers to, and the offset in its
 * shared memory. Returns null if the cluster has no such block, or it has exited. */
struct gr_block *gr_cluster_block(const struct gr_block *own, uint32_t address, uint32_t *offset);
/* The same as gr_cluster_block, but ends the launch if there is no such block. */
struct gr_block *gr_cluster_find(struct gr_warp *warp, uint32_t address, uint32_t *offset);
/* The same as gr_cluster_find, for an instruction that accepts addresses of its own block only. */
bool gr_cluster_own(struct gr_warp *warp, uint32_t address, uint32_t *offset);
/* Lanes arrive at the cluster's barrier, and wait there for all threads that have not exited. */
void gr_cluster_arrive(struct gr_warp *warp, uint32_t lanes);
void gr_cluster_wait(struct gr_warp *warp, uint32_t lanes);

#endif
