/* data_flow_proof.h: proves that a kernel's machine code computes the same as before its FFMAs were
 * reordered. SPDX-License-Identifier: MIT
 *
 * The proof does not depend on how the order was found. It fails unless, in each block that has
 * changed,
 *   - only FFMAs with register operands are permuted; every other instruction is unchanged, and so
 *     are the stall count, the yield bit and the barriers at each place;
 *   - every other instruction, and the code after the block, sees the same values in the registers
 *     that it may read. Values are compared as expressions: which product is added to what;
 *   - no FFMA uses a register that is still in flight at its place (pending_registers.h);
 *   - results of fixed latency are not used earlier than the compiler permits: by FFMAs, results of
 *     FFMAs after 5 cycles (the compiler itself uses 4); otherwise after as many cycles as at the
 *     same place before, or after 16;
 *   - reuse bits are set only if the next instruction is an FFMA with the same register at the same
 *     position, which is not overwritten in between; and never on other instructions. */
#ifndef SASS_DATA_FLOW_PROOF_H
#define SASS_DATA_FLOW_PROOF_H

#include <stdbool.h>
#include <stddef.h>

/* `before` and `after` are `count` instructions of 16 bytes each. Returns false if the equivalence
 * is not proven; `why` then says what differs, and where. */
bool gr_data_flow_proof(int cc, const unsigned char *before, const unsigned char *after, int count,
                        char *why, size_t size);

#endif
