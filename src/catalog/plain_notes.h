/* plain_notes.h: notes on a file's kernels that were rewritten to have plain parameters.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_NOTES_H
#define CATALOG_PLAIN_NOTES_H

#include "base/str.h"
#include "records/kernel.h"

/* Operands of fixed extents, and how the kernels are called. */
struct gr_plain_notes {
    struct gr_held_operand *held;
    int held_count;
    struct gr_gathered_call *calls;
    int call_count;
};
void gr_plain_notes_free(struct gr_plain_notes *notes);
/* Replaces those of the kernel, which takes ownership. */
void gr_plain_notes_take(struct gr_plain_notes *notes, struct gr_kernel *kernel);
/* Records how the kernel is called, for launches in other files. */
void gr_plain_notes_call(struct gr_plain_notes *notes, const char *name,
                         const struct gr_str *passed, int own_count);

#endif
