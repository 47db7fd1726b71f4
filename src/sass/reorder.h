/* reorder.h: an order of the FFMAs of a block of machine code in which the register banks are
 * expected to lose fewer cycles. SPDX-License-Identifier: MIT
 *
 * FFMAs change places with one another. Everything else stays: other instructions, and at each
 * place the stall count, the yield bit and the barriers. So nothing but the FFMAs' own registers
 * has to be considered. data_flow_proof.h judges the result. */
#ifndef SASS_REORDER_H
#define SASS_REORDER_H

#include "sass/pending_registers.h"

/* Orders ops[0] … ops[count - 1], a block whose instructions are all known. `entry`: what is in
 * flight at its beginning. order[i]: the index of the instruction that comes to place i. False: no
 * order was found; or memory is out. */
bool gr_reorder(const struct gr_sass_op *ops, int count, const struct gr_pending_registers *entry,
                int *order);

/* The reuse bits of a block in its new order, where the next instruction has the same register at
 * the same place. Others are cleared, those of other instructions as well. */
void gr_reorder_reuse(struct gr_sass_op *ops, int count);

#endif
