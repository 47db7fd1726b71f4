/* block_counts.h: what a traced block has counted, kept so that a block that is in several
 * divisions of the grid into classes runs once. SPDX-License-Identifier: MIT */
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

/* Takes the counts of the tracer's block, which begin at zero again. Null: no memory. */
struct gr_block_counts *gr_block_counts_take(struct gr_tracer *tracer, int64_t number);
void gr_block_counts_free(struct gr_block_counts *counts);

#endif
