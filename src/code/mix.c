/* mix.c: counts the instructions of a kernel and of its hottest loop.
 * SPDX-License-Identifier: MIT */
#include "code/code.h"

#include "core/error.h"

#include <stdlib.h>

/* The instructions of a kernel. */
struct body {
    struct gr_instruction *list;
    int64_t count;
};

static bool multiplies(const struct gr_instruction *i)
{
    return i->op == GR_OP_FFMA || i->op == GR_OP_DFMA || i->op == GR_OP_HFMA2 || i->op == GR_OP_MMA;
}

static void add_to_mix(struct gr_mix *mix, const struct gr_instruction *i)
{
    mix->total++;
    mix->count[i->op]++;
    mix->unknown += !i->known;
    mix->vector += i->vector;
    mix->flops += i->flops;
    if (i->width >= 0)
        mix->width[i->op][i->width]++;
}

/* Instructions first..last. */
struct span {
    int64_t first, last;
};

/* The index of the instruction at an offset; -1: there is none. */
static int64_t at_offset(const struct body *body, int64_t offset)
{
    int64_t low = 0, high = body->count; /* the first that is not before it */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (body->list[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < body->count && body->list[low].offset == offset ? low : -1;
}

/* Finds the hottest loop by what `before` counts; before[i] is the number of counted instructions
 * before i. It is, among the innermost loops with any counted instruction, the one with the most. A
 * loop that contains another is skipped only if the inner one has counted instructions, so that a
 * loop that copies inside a loop that multiplies does not hide the latter. Loops are found in the
 * order of their last instruction, so an earlier one is inside this one exactly if it begins after
 * it. False: there is none. */
static bool hottest(const struct body *body, const int64_t *before, struct span *loop)
{
    int64_t most = 0, latest_head = -1;
    for (int64_t i = 0; i < body->count; i++) {
        int64_t head = body->list[i].jumps ? at_offset(body, body->list[i].target) : -1;
        if (head > i || head < 0)
            continue;
        int64_t counted = before[i + 1] - before[head];
        if (counted == 0)
            continue;
        if (latest_head <= head && counted >= most) {
            *loop = (struct span){head, i};
            most = counted;
        }
        if (head > latest_head)
            latest_head = head;
    }
    return most > 0;
}

static enum gradus_status find_loop(const struct body *body, struct span *loop, bool *found,
                                    struct gradus_error *error)
{
    size_t bytes = ((size_t)body->count + 1) * sizeof(int64_t);
    int64_t *before = malloc(bytes); /* multiply-adds before an instruction */
    if (!before)
        return gr_fail_memory(error, "a kernel's loops", bytes);
    before[0] = 0;
    for (int64_t i = 0; i < body->count; i++)
        before[i + 1] = before[i] + multiplies(&body->list[i]);
    *found = hottest(body, before, loop);
    for (int64_t i = 0; i <= body->count && !*found; i++)
        before[i] = i;
    if (!*found)
        *found = hottest(body, before, loop);
    free(before);
    return GRADUS_OK;
}

enum gradus_status gr_code_mix(const struct gr_code *code, const struct gr_code_kernel *kernel,
                               struct gr_mix *whole, struct gr_mix *loop,
                               struct gradus_error *error)
{
    *whole = *loop = (struct gr_mix){0};
    struct body body = {0};
    struct span span = {0};
    bool found = false;
    enum gradus_status status = gr_instructions_read(code, kernel, &body.list, &body.count, error);
    if (status == GRADUS_OK)
        status = find_loop(&body, &span, &found, error);
    if (status == GRADUS_OK) {
        for (int64_t i = 0; i < body.count; i++)
            add_to_mix(whole, &body.list[i]);
        for (int64_t i = span.first; found && i <= span.last; i++)
            add_to_mix(loop, &body.list[i]);
    }
    free(body.list);
    return status;
}
