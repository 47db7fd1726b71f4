/* bank_cost.c: models each of the two banks as a queue of reads. SPDX-License-Identifier: MIT */
#include "sass/bank_cost.h"

enum { WINDOW = 2 }; /* the cycles in which the registers of an FFMA may be read */

static bool is_read_before(const struct gr_sass_op *op, int source, unsigned kept)
{
    for (int i = 0; i < source; i++)
        if (op->s[i] == op->s[source] && !(kept >> i & 1))
            return true;
    return false;
}

int64_t gr_banks_issue(struct gr_banks *banks, int64_t at, const struct gr_sass_op *op,
                       unsigned kept)
{
    int reads[2] = {0, 0};
    for (int i = 0; i < GR_SASS_SOURCES; i++)
        if (op->s[i] < 255 && !(kept >> i & 1) && !is_read_before(op, i, kept))
            reads[op->s[i] % 2]++;
    int64_t issued = at;
    for (int b = 0; b < 2; b++) {
        const int window = reads[b] > WINDOW ? reads[b] : WINDOW;
        if (reads[b] && issued < banks->free[b] + reads[b] - window)
            issued = banks->free[b] + reads[b] - window;
    }
    for (int b = 0; b < 2; b++)
        if (reads[b])
            banks->free[b] = (banks->free[b] > issued ? banks->free[b] : issued) + reads[b];
    return issued;
}

unsigned gr_banks_kept(const struct gr_sass_op *op, const struct gr_sass_op *next)
{
    unsigned kept = 0;
    if (op->movable && op->may_reuse)
        for (int i = 0; i < GR_SASS_SOURCES; i++)
            if (op->reuse >> i & 1 && op->s[i] == next->s[i])
                kept |= 1u << i;
    return kept;
}

int gr_banks_lost(const struct gr_sass_op *ops, int count, int *each)
{
    struct gr_banks banks = {{0, 0}};
    int64_t at = 0, lost = 0;
    for (int i = 0; i < count; i++) {
        const int64_t before = lost;
        if (ops[i].movable) {
            const unsigned kept = i > 0 ? gr_banks_kept(&ops[i - 1], &ops[i]) : 0;
            const int64_t issued = gr_banks_issue(&banks, at, &ops[i], kept);
            lost += issued - at;
            at = issued;
        }
        if (each)
            each[i] = (int)(lost - before);
        at += ops[i].stall ? ops[i].stall : 1;
    }
    return (int)lost;
}
