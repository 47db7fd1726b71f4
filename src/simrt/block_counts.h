/* block_counts.h: the counts of a traced block, which are kept so that a block that is in several
 * divisions of the grid into classes runs only once. SPDX-License-Identifier: MIT */
#ifndef SIMRT_BLOCK_COUNTS_H
#define SIMRT_BLOCK_COUNTS_H

#include "simrt/tracer.h"

struct gr_block_counts {
    int64_t number; /* of the block in the grid */
    uint64_t fingerprint;
    int64_t accesses, barriers;
    int site_count;
    int *sites; /* that it has accessed */
    struct gr_counts *counts;
    int instruction_count;
    struct gr_executed *executed; /* by instruction of machine code */
};

/* Returns the counts of the tracer's block, and resets them to zero. Null: no memory. */
struct gr_block_counts *gr_block_counts_take(struct gr_tracer *tracer, int64_t number);
void gr_block_counts_free(struct gr_block_counts *counts);

#endif
