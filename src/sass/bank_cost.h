/* bank_cost.h: how many cycles FFMAs are expected to lose because the register banks cannot read
 * their operands in time. SPDX-License-Identifier: MIT
 *
 * The rule was derived from loops of FFMAs on an H200 (docs/ladder/12.md). Registers are in two
 * banks, even and odd, each of which reads one register per cycle. The registers of an FFMA may
 * also be read in the cycle after its issue, so that adjacent FFMAs balance each other. A source
 * in the operand cache is not read. The rule gives the measured cycles per FFMA:
 *   all registers even, none in the cache                            3
 *   two even and one odd, or one even and two odd                    2
 *   the sum and the new factor both even                             2
 *   one of them even and the other odd                               1
 *   FFMAs with both even and with both odd, alternating              1
 *   two FFMAs with both even and two with both odd, alternating      1.5
 * No measured loop shows whether the only register of an FFMA in a bank may also be read a cycle
 * later; it is assumed. The reads of other instructions are not counted, nor that the cache
 * may keep a register past another instruction, of which compilers sometimes make use. */
#ifndef SASS_BANK_COST_H
#define SASS_BANK_COST_H

#include "sass/sass_effects.h"

struct gr_banks {
    int64_t free[2]; /* the cycle from which on the bank has no reads left */
};

/* Returns the cycle in which an FFMA that is ready at cycle `at` can be issued, and adds its reads.
 * `kept`: bit i is set if source i is in the operand cache. */
int64_t gr_banks_issue(struct gr_banks *banks, int64_t at, const struct gr_sass_op *op,
                       unsigned kept);

/* Returns which sources of `next` are in the operand cache after `op` with its reuse bits, as a
 * mask. */
unsigned gr_banks_kept(const struct gr_sass_op *op, const struct gr_sass_op *next);

/* Returns how many cycles the FFMAs among these instructions lose. `each` receives the number for
 * each instruction; it may be null. */
int gr_banks_lost(const struct gr_sass_op *ops, int count, int *each);

#endif
