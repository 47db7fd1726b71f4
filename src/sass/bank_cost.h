/* bank_cost.h: how many cycles FFMAs are expected to lose because the register banks cannot read
 * their operands in time. SPDX-License-Identifier: MIT
 *
 * The rule was derived from loops of FFMAs on an H200 (docs/ladder/12.md): registers lie in two
 * banks, even and odd, of which each reads one register in a cycle. An FFMA may still be read in
 * the cycle after the one in which it was issued, so that neighbours balance each other. A source
 * that the operand cache holds is not read. With it,
 *   all registers even, none from the cache            takes 3 cycles an FFMA,
 *   two even and one odd, or one even and two odd      2,
 *   the sum and the new factor both even               2,
 *   one of them even and the other odd                 1,
 *   by turns both even and both odd                    1,
 *   by turns two with both even and two with both odd  1.5,
 * as was measured. That an FFMA's only register of a bank, too, may be read a cycle later is
 * assumed: no loop was measured that shows it. What other instructions read is not counted,
 * nor what the cache keeps past one of them, as the compiler now and then has it. */
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
