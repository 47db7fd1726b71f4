/* pending_registers.h: the registers that instructions of variable latency still have to write or
 * read, at each point of a kernel's machine code.
 * SPDX-License-Identifier: MIT
 *
 * The state at a point is the union over all paths to it. A register is no longer in flight after
 * an instruction has waited for its barrier, or after an FFMA of the compiler's code has used it,
 * because the compiler must have known that it was ready. (Loads complete in order, so only the
 * last one of several may set a barrier.) */
#ifndef SASS_PENDING_REGISTERS_H
#define SASS_PENDING_REGISTERS_H

#include "sass/sass_effects.h"

/* The last one stands for instructions that set no barrier. */
enum { GR_PENDING_BARRIERS = GR_SASS_BARRIERS + 1 };

struct gr_pending_registers {
    struct gr_register_set write[GR_PENDING_BARRIERS], read[GR_PENDING_BARRIERS];
};

/* Sets leader[i] for each of the `count` instructions that begins a basic block, and leader[count].
 * Returns false if the code does not show where control continues. */
bool gr_sass_leaders(const struct gr_sass_op *ops, int count, bool *leader);

/* Finds the state at the beginning of each block: entry[i], if leader[i]. */
void gr_pending_find(const struct gr_sass_op *ops, int count, const bool *leader,
                     struct gr_pending_registers *entry);

/* Updates the state before an instruction: it waits for barriers, and if it is an FFMA, its
 * registers are ready. */
void gr_pending_wait(struct gr_pending_registers *state, const struct gr_sass_op *op);
/* Updates the state after the instruction, with the registers that it leaves in flight. */
void gr_pending_issue(struct gr_pending_registers *state, const struct gr_sass_op *op);
/* May an FFMA with the registers of `op` be executed in this state? */
bool gr_pending_allows(const struct gr_pending_registers *state, const struct gr_sass_op *op);

#endif
