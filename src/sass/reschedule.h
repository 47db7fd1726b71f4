/* reschedule.h: reorders the FFMAs of the kernels of a cubin, so that the register banks lose fewer
 * cycles.
 * SPDX-License-Identifier: MIT
 *
 * Only blocks of straight code with many FFMAs are changed, and only for sm_90, because the banks
 * were measured only there. The new order must be expected to lose fewer cycles (bank_cost.h), and
 * must be proven to compute the same (data_flow_proof.h). docs/ladder/12.md gives the
 * improvements. */
#ifndef SASS_RESCHEDULE_H
#define SASS_RESCHEDULE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* A block of straight code with many FFMAs. */
struct gr_rescheduled_block {
    int first, count; /* instructions, counted from the first of the kernel */
    int ffmas;
    int lost_before, lost_after; /* cycles that the FFMAs are expected to lose; equal if the block
                                    was not changed */
    char why[128];               /* the reason why the block was not changed, or "" */
};

struct gr_rescheduled_kernel {
    char *symbol;
    struct gr_rescheduled_block *blocks; /* in the order of the code */
    int block_count;
    char why[128]; /* the reason why the kernel was not examined, or "" */
};

struct gr_rescheduled {
    struct gr_rescheduled_kernel *kernels;
    int count;
};

/* Changes the image in place. Returns INVALID if it is not a cubin. The caller frees *report, also
 * after a failure. */
enum gradus_status gr_reschedule(void *image, size_t length, struct gr_rescheduled *report,
                                 struct gradus_error *error);
void gr_rescheduled_free(struct gr_rescheduled *report);

/* The sums of all blocks. */
struct gr_rescheduled_block gr_rescheduled_sum(const struct gr_rescheduled *report);

#endif
