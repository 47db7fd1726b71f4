/* executed_sums.h: adds up what the traced blocks of a class executed, instruction by instruction,
 * for the engine that executes machine code. SPDX-License-Identifier: MIT */
#ifndef SIMRT_EXECUTED_SUMS_H
#define SIMRT_EXECUTED_SUMS_H

#include "simrt/block_counts.h"

/* Of a class of blocks. All zero: none was added. */
struct gr_executed_sums {
    struct gr_executed *sums; /* by instruction */
    uint64_t fingerprint;     /* of the first block */
    bool differs;             /* the counts of another block differ */
};

/* Adds what the block has executed. The caller holds the run's lock. False: no memory. */
bool gr_executed_add(struct gr_executed_sums *sums, const struct gr_block_counts *block);
void gr_executed_free(struct gr_executed_sums *sums);
/* Adds the sums of a class, of which `traced` blocks of `blocks` ran, to the instructions of the
 * trace, extrapolated to all its blocks. */
void gr_executed_weigh(const struct gr_executed_sums *sums, int64_t traced, int64_t blocks,
                       struct gr_trace *trace);
/* Allocates the trace's `count` instructions. False: no memory. */
bool gr_executed_open(struct gr_trace *trace, int count, uint32_t first_code);
/* Adds the costs of a site to its instruction. */
void gr_executed_site(struct gr_trace *trace, const struct gr_trace_site *site);

#endif
