/* class_counts.h: the classes of a grid's blocks, and the sums of what their blocks have counted.
 * SPDX-License-Identifier: MIT
 *
 * A block's class is its position in the grid: first, inner or last along each axis. If rows do
 * not start at multiples of a sector, adjacent blocks differ in their alignment, which repeats
 * after `period` blocks; the position modulo the period is then part of the class. */
#ifndef SIMRT_CLASS_COUNTS_H
#define SIMRT_CLASS_COUNTS_H

#include "simrt/block_counts.h"
#include "simrt/executed_sums.h"

enum { GR_KEPT_BLOCKS = 256 };

struct gr_class {
    int64_t blocks, traced;
    int64_t barriers;     /* at which warps of the traced blocks waited */
    uint64_t fingerprint; /* of the first block traced */
    bool differs;
    struct gr_counts *sums; /* by site */
    struct gr_executed_sums executed;
};

struct gr_classes {
    unsigned grid[3];
    int period; /* 1: positions only; 0: all blocks are one class */
    struct gr_class *classes;
    int count;
    struct gr_block_counts *kept[GR_KEPT_BLOCKS]; /* of blocks that have run, in any division */
    int kept_count;
    int64_t accesses, traced;
    int instruction_count; /* of machine code */
    uint32_t first_code;
    bool failed;
};

/* Divides the grid again, with another period. Fills `list` with one block of each class, at most
 * `most`, and returns their number; -1: no memory. */
int64_t gr_classes_divide(struct gr_classes *classes, int period, int64_t blocks, int64_t *list,
                          int64_t most);
void gr_classes_free(struct gr_classes *classes);
/* Adds the blocks of the list that have run before to their classes, and removes them from the
 * list. Returns the number of the others. */
int64_t gr_classes_add_kept(struct gr_classes *classes, int64_t *list, int64_t count);
/* Do blocks of one class differ? */
bool gr_classes_differ(const struct gr_classes *classes);
/* The site's counts of the whole grid, and its barriers: the sums of each class times its blocks,
 * divided by those traced. */
void gr_classes_weigh(const struct gr_classes *classes, int site, struct gr_counts *total);
int64_t gr_classes_barriers(const struct gr_classes *classes);
/* Likewise the counts of the instructions of machine code. */
void gr_classes_executed(const struct gr_classes *classes, struct gr_trace *trace);

#endif
