/* pending_registers.h: the registers that instructions of varying latency have still to write or to
 * read, at each place of a kernel's machine code. SPDX-License-Identifier: MIT
 *
 * What is known of a place is a union over all paths to it. A register is no longer in flight once
 * an instruction has waited for the barrier that was set for it, or once an FFMA of the compiler's
 * code has used it: the compiler knew then that it was there. (Loads complete in order, so of
 * several only the last may set a barrier.) */
#ifndef SASS_PENDING_REGISTERS_H
#define SASS_PENDING_REGISTERS_H

#include "sass/sass_effects.h"

enum { GR_PENDING_BARRIERS = GR_SASS_BARRIERS + 1 }; /* the last one: no barrier was set */

struct gr_pending_registers {
    struct gr_register_set write[GR_PENDING_BARRIERS], read[GR_PENDING_BARRIERS];
};

/* Does a block of straight code begin at each of the `count` instructions? leader[count] is set,
 * too. False: control goes where the code does not say. */
bool gr_sass_leaders(const struct gr_sass_op *ops, int count, bool *leader);

/* The state at the beginning of each block: entry[i] where leader[i]. */
void gr_pending_find(const struct gr_sass_op *ops, int count, const bool *leader,
                     struct gr_pending_registers *entry);

/* Before the instruction: it waits, and if it is an FFMA, its registers are there. */
void gr_pending_wait(struct gr_pending_registers *state, const struct gr_sass_op *op);
/* After that: what it leaves in flight. */
void gr_pending_issue(struct gr_pending_registers *state, const struct gr_sass_op *op);
/* May an FFMA with the registers of `op` be executed in that state? */
bool gr_pending_allows(const struct gr_pending_registers *state, const struct gr_sass_op *op);

#endif
