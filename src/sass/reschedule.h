/* reschedule.h: reorders the FFMAs of the kernels of a cubin, so that the register banks lose fewer
 * cycles. SPDX-License-Identifier: MIT
 *
 * It changes straight blocks with many FFMAs, of sm_90 alone, since only there the banks were
 * measured; and only where the new order is expected to lose fewer cycles (bank_cost.h) and is
 * proven to compute the same (data_flow_proof.h). docs/ladder/12.md has what it gained. */
#ifndef SASS_RESCHEDULE_H
#define SASS_RESCHEDULE_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>

/* A block of straight code with many FFMAs. */
struct gr_rescheduled_block {
    int first, count; /* instructions, from the kernel's first on */
    int ffmas;
    int lost_before, lost_after; /* cycles that the FFMAs are expected to lose; equal: unchanged */
    char why[128];               /* unchanged: why; "" if it has changed */
};

struct gr_rescheduled_kernel {
    char *symbol;
    struct gr_rescheduled_block *blocks; /* in the order of the code */
    int block_count;
    char why[128]; /* nothing of the kernel was looked at: why; else "" */
};

struct gr_rescheduled {
    struct gr_rescheduled_kernel *kernels;
    int count;
};

/* Changes the image in place. INVALID: it is no cubin. *report is freed by the caller, also after a
 * failure. */
enum gradus_status gr_reschedule(void *image, size_t length, struct gr_rescheduled *report,
                                 struct gradus_error *error);
void gr_rescheduled_free(struct gr_rescheduled *report);

/* The sums of all blocks. */
struct gr_rescheduled_block gr_rescheduled_sum(const struct gr_rescheduled *report);

#endif
