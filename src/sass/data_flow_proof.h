/* data_flow_proof.h: proves that a kernel's machine code computes the same as before its FFMAs were
 * reordered. SPDX-License-Identifier: MIT
 *
 * It knows nothing of how the order was found. It refuses unless, in each block that has changed,
 *   - only FFMAs of registers differ, among one another; every other instruction, and at each place
 *     the stall count, the yield bit and the barriers, are as they were;
 *   - every other instruction sees the same values in the registers that it may use, and so does
 *     what follows the block. Values are compared as expressions: which product is added to what;
 *   - no FFMA uses a register that is still in flight there (pending_registers.h);
 *   - results of fixed latency are used no sooner than the compiler lets them be used: of FFMAs by
 *     FFMAs after 5 cycles (the compiler itself takes 4), others after as many cycles as at the
 *     same place before, or after 16;
 *   - reuse bits are set only where the next instruction is an FFMA with the same register at the
 *     same place, which is not overwritten in between; and on no other instructions. */
#ifndef SASS_DATA_FLOW_PROOF_H
#define SASS_DATA_FLOW_PROOF_H

#include <stdbool.h>
#include <stddef.h>

/* `before` and `after` are `count` instructions of 16 bytes each. Returns false if the equivalence
 * is not proven; `why` then says what differs, and where. */
bool gr_data_flow_proof(int cc, const unsigned char *before, const unsigned char *after, int count,
                        char *why, size_t size);

#endif
