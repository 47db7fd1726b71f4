/* reorder.h: finds an order of the FFMAs of a block of machine code in which the register banks are
 * expected to lose fewer cycles.
 * SPDX-License-Identifier: MIT
 *
 * FFMAs are permuted among their places. Everything else is unchanged: the other instructions, and
 * at each place the stall count, the yield bit and the barriers. So only the registers of the FFMAs
 * have to be considered. data_flow_proof.h verifies the result. */
#ifndef SASS_REORDER_H
#define SASS_REORDER_H

#include "sass/pending_registers.h"

/* Orders ops[0] … ops[count - 1], a block in which all instructions are known. `entry` is what is
 * in flight at its beginning. order[i] receives the index of the instruction that moves to place i.
 * Returns false if no order was found, or memory ran out. */
bool gr_reorder(const struct gr_sass_op *ops, int count, const struct gr_pending_registers *entry,
                int *order);

/* Sets the reuse bits of a block in its new order, wherever the next instruction has the same
 * register at the same position. Clears all others, also those of other instructions. */
void gr_reorder_reuse(struct gr_sass_op *ops, int count);

#endif
