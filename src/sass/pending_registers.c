/* pending_registers.c: finds a fixed point over the blocks of a kernel.
 * SPDX-License-Identifier: MIT */
#include "sass/pending_registers.h"

#include <string.h>

enum { UNASSIGNED = GR_SASS_BARRIERS };

bool gr_sass_leaders(const struct gr_sass_op *ops, int count, bool *leader)
{
    memset(leader, 0, (size_t)count + 1);
    leader[0] = leader[count] = true;
    for (int i = 0; i < count; i++) {
        if (ops[i].flow == GR_SASS_UNKNOWN)
            return false;
        if (ops[i].flow != GR_SASS_NEXT)
            leader[i + 1] = true;
        if (ops[i].target >= 0)
            leader[ops[i].target] = true;
    }
    return true;
}

static void remove_register(struct gr_register_set *set, unsigned r)
{
    if (r < 255)
        set->word[r / 64] &= ~(UINT64_C(1) << r % 64);
}

static void add_set(struct gr_register_set *set, const struct gr_register_set *other)
{
    for (int i = 0; i < 4; i++)
        set->word[i] |= other->word[i];
}

static bool overlaps(const struct gr_register_set *a, const struct gr_register_set *b)
{
    uint64_t both = 0;
    for (int i = 0; i < 4; i++)
        both |= a->word[i] & b->word[i];
    return both != 0;
}

void gr_pending_wait(struct gr_pending_registers *state, const struct gr_sass_op *op)
{
    for (int b = 0; b < GR_SASS_BARRIERS; b++)
        if (op->wait_mask >> b & 1)
            state->write[b] = state->read[b] = (struct gr_register_set){0};
    if (!op->movable)
        return;
    for (int b = 0; b < GR_PENDING_BARRIERS; b++) {
        for (int k = 0; k < GR_SASS_SOURCES; k++)
            remove_register(&state->write[b], op->s[k]);
        remove_register(&state->write[b], op->d);
        remove_register(&state->read[b], op->d);
    }
}

void gr_pending_issue(struct gr_pending_registers *state, const struct gr_sass_op *op)
{
    const bool writes = op->write_barrier < GR_SASS_BARRIERS;
    const bool reads = op->read_barrier < GR_SASS_BARRIERS;
    if (!op->late && !writes && !reads)
        return;
    /* A register that has been written has also been read before that. */
    const int written = writes ? op->write_barrier : UNASSIGNED;
    add_set(&state->write[written], &op->writes);
    add_set(&state->read[reads ? op->read_barrier : written], &op->reads);
}

bool gr_pending_allows(const struct gr_pending_registers *state, const struct gr_sass_op *op)
{
    for (int b = 0; b < GR_PENDING_BARRIERS; b++)
        if (overlaps(&state->write[b], &op->reads) || overlaps(&state->write[b], &op->writes) ||
            overlaps(&state->read[b], &op->writes))
            return false;
    return true;
}

/* Returns true if `from` contains anything that was not in `to`. */
static bool join(struct gr_pending_registers *to, const struct gr_pending_registers *from)
{
    const struct gr_pending_registers before = *to;
    for (int b = 0; b < GR_PENDING_BARRIERS; b++) {
        add_set(&to->write[b], &from->write[b]);
        add_set(&to->read[b], &from->read[b]);
    }
    return memcmp(&before, to, sizeof before) != 0;
}

static bool join_returns(const struct gr_sass_op *ops, int count,
                         struct gr_pending_registers *entry,
                         const struct gr_pending_registers *state)
{
    bool grew = false;
    for (int i = 0; i + 1 < count; i++)
        if (ops[i].flow == GR_SASS_CALL)
            grew |= join(&entry[i + 1], state);
    return grew;
}

/* Steps through the block that begins at `first`, and merges what is in flight at its end into the
 * entry states of its successors. */
static bool pass_block(const struct gr_sass_op *ops, int first, const bool *leader,
                       struct gr_pending_registers *entry, int count)
{
    struct gr_pending_registers state = entry[first];
    int i = first;
    do {
        gr_pending_wait(&state, &ops[i]);
        gr_pending_issue(&state, &ops[i]);
        i++;
    } while (!leader[i]);
    const struct gr_sass_op *last = &ops[i - 1];
    const bool leaves =
        last->flow == GR_SASS_JUMP || last->flow == GR_SASS_EXIT || last->flow == GR_SASS_RETURN;
    bool grew = false;
    if (last->flow == GR_SASS_JUMP || last->flow == GR_SASS_CALL)
        grew = join(&entry[last->target], &state);
    if (last->flow == GR_SASS_RETURN)
        grew = join_returns(ops, count, entry, &state);
    if (i < count && (!leaves || last->conditional))
        grew |= join(&entry[i], &state);
    return grew;
}

void gr_pending_find(const struct gr_sass_op *ops, int count, const bool *leader,
                     struct gr_pending_registers *entry)
{
    memset(entry, 0, sizeof *entry * (size_t)count);
    bool grew = true;
    while (grew) {
        grew = false;
        for (int i = 0; i < count; i++)
            if (leader[i])
                grew |= pass_block(ops, i, leader, entry, count);
    }
}
