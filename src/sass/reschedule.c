/* reschedule.c: applies the reordering to the blocks of all kernels of an image.
 * SPDX-License-Identifier: MIT */
#include "sass/reschedule.h"

#include "base/str.h"
#include "code/code.h"
#include "core/error.h"
#include "sass/bank_cost.h"
#include "sass/data_flow_proof.h"
#include "sass/reorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CC = 90, BYTES = 16, FEWEST_FFMAS = 32 };

/* A kernel that is being processed. */
struct work {
    unsigned char *text; /* of the image */
    int count;
    struct gr_sass_op *ops;
    bool *leader;
    struct gr_pending_registers *entry;
    int *order;
    struct gr_sass_op *ordered;
    unsigned char *changed; /* the text, with one block in its new order */
};

static int count_ffmas(const struct gr_sass_op *ops, int count)
{
    int ffmas = 0;
    for (int i = 0; i < count; i++)
        ffmas += ops[i].movable;
    return ffmas;
}

static const struct gr_sass_op *unknown_one(const struct gr_sass_op *ops, int count)
{
    for (int i = 0; i < count; i++)
        if (!ops[i].known)
            return &ops[i];
    return NULL;
}

/* Writes the instructions of a block in their new order. An FFMA keeps its registers and signs, and
 * takes over what belongs to the place. */
static void place_ops(const struct work *w, int first, int count)
{
    for (int i = 0; i < count; i++) {
        const struct gr_sass_op *from = &w->ops[first + w->order[i]], *at = &w->ops[first + i];
        struct gr_sass_op *op = &w->ordered[i];
        *op = *from;
        op->stall = at->stall;
        op->wait_mask = at->wait_mask;
        op->may_reuse = at->may_reuse;
    }
    gr_reorder_reuse(w->ordered, count);
}

static void place_words(const struct work *w, int first, int count)
{
    for (int i = 0; i < count; i++) {
        struct gr_sass_word word = gr_sass_get(w->text, first + w->order[i]);
        const uint64_t place = gr_sass_get(w->text, first + i).high & GR_SASS_PLACE_BITS;
        word.high = (word.high & ~(GR_SASS_PLACE_BITS | GR_SASS_REUSE_BITS)) | place |
                    (uint64_t)w->ordered[i].reuse << GR_SASS_REUSE_FIRST;
        gr_sass_put(w->changed, first + i, word);
    }
}

/* Tries to improve a block. Its new order is kept only if it is proven to be equivalent. */
static void improve(const struct work *w, struct gr_rescheduled_block *block)
{
    const struct gr_sass_op *ops = w->ops + block->first, *unknown = unknown_one(ops, block->count);
    const size_t start = (size_t)block->first * BYTES, bytes = (size_t)block->count * BYTES;
    block->lost_before = block->lost_after = gr_banks_lost(ops, block->count, NULL);
    if (block->lost_before == 0) {
        snprintf(block->why, sizeof block->why, "no cycle is expected to be lost");
    } else if (unknown) {
        snprintf(block->why, sizeof block->why, "%s is not known",
                 *unknown->mnemonic ? unknown->mnemonic : "an instruction");
    } else if (!gr_reorder(ops, block->count, &w->entry[block->first], w->order)) {
        snprintf(block->why, sizeof block->why, "no order was found");
    } else {
        place_ops(w, block->first, block->count);
        const int lost = gr_banks_lost(w->ordered, block->count, NULL);
        if (lost >= block->lost_before) {
            snprintf(block->why, sizeof block->why, "no order was found that loses less");
            return;
        }
        place_words(w, block->first, block->count);
        if (gr_data_flow_proof(CC, w->text, w->changed, w->count, block->why, sizeof block->why)) {
            block->lost_after = lost;
            memcpy(w->text + start, w->changed + start, bytes);
        } else {
            memcpy(w->changed + start, w->text + start, bytes);
        }
    }
}

static enum gradus_status find_blocks(const struct work *w, struct gr_rescheduled_kernel *kernel,
                                      struct gradus_error *error)
{
    for (int i = 0, end; i < w->count; i = end) {
        end = i + 1;
        while (!w->leader[end])
            end++;
        const int ffmas = count_ffmas(w->ops + i, end - i);
        if (ffmas < FEWEST_FFMAS)
            continue;
        const size_t room = (size_t)kernel->block_count + 1;
        struct gr_rescheduled_block *more = realloc(kernel->blocks, room * sizeof *more);
        if (!more)
            return gr_fail_memory(error, "blocks of machine code", room * sizeof *more);
        kernel->blocks = more;
        more[kernel->block_count++] =
            (struct gr_rescheduled_block){.first = i, .count = end - i, .ffmas = ffmas};
    }
    return GRADUS_OK;
}

static enum gradus_status improve_kernel(const struct work *w, struct gr_rescheduled_kernel *kernel,
                                         struct gradus_error *error)
{
    gr_sass_effects(CC, w->text, w->count, w->ops);
    if (!gr_sass_leaders(w->ops, w->count, w->leader)) {
        snprintf(kernel->why, sizeof kernel->why,
                 "it has a jump to an address in a register, or calls other code");
        return GRADUS_OK;
    }
    const enum gradus_status status = find_blocks(w, kernel, error);
    if (status != GRADUS_OK || kernel->block_count == 0)
        return status;
    gr_pending_find(w->ops, w->count, w->leader, w->entry);
    memcpy(w->changed, w->text, (size_t)w->count * BYTES);
    for (int i = 0; i < kernel->block_count; i++)
        improve(w, &kernel->blocks[i]);
    return GRADUS_OK;
}

static enum gradus_status open_kernel(unsigned char *image, const struct gr_code_kernel *code,
                                      struct gr_rescheduled_kernel *kernel,
                                      struct gradus_error *error)
{
    const size_t n = code->text_bytes / BYTES;
    struct work w = {.text = image,
                     .count = (int)n,
                     .ops = calloc(n + 1, sizeof *w.ops),
                     .leader = calloc(n + 1, sizeof *w.leader),
                     .entry = calloc(n + 1, sizeof *w.entry),
                     .order = calloc(n + 1, sizeof *w.order),
                     .ordered = calloc(n + 1, sizeof *w.ordered),
                     .changed = malloc(n * BYTES + 1)};
    enum gradus_status status = GRADUS_OK;
    kernel->symbol = gr_strdup(code->symbol);
    if (!kernel->symbol || !w.ops || !w.leader || !w.entry || !w.order || !w.ordered || !w.changed)
        status = gr_fail_memory(error, "a kernel's machine code", n * sizeof *w.entry);
    else if (n > 0)
        status = improve_kernel(&w, kernel, error);
    free(w.ops);
    free(w.leader);
    free(w.entry);
    free(w.order);
    free(w.ordered);
    free(w.changed);
    return status;
}

enum gradus_status gr_reschedule(void *image, size_t length, struct gr_rescheduled *report,
                                 struct gradus_error *error)
{
    struct gr_code code = {0};
    *report = (struct gr_rescheduled){0};
    enum gradus_status status = gr_code_read(image, length, &code, error);
    if (status == GRADUS_OK && code.count > 0) {
        report->kernels = calloc((size_t)code.count, sizeof *report->kernels);
        if (!report->kernels)
            status = gr_fail_memory(error, "kernels", (size_t)code.count * sizeof *report->kernels);
    }
    for (int i = 0; i < code.count && status == GRADUS_OK; i++) {
        struct gr_rescheduled_kernel *kernel = &report->kernels[report->count++];
        const ptrdiff_t offset = code.kernels[i].text - (const unsigned char *)image;
        if (code.cc == CC) {
            status = open_kernel((unsigned char *)image + offset, &code.kernels[i], kernel, error);
        } else {
            kernel->symbol = gr_strdup(code.kernels[i].symbol);
            snprintf(kernel->why, sizeof kernel->why, "register banks were measured on sm_90 only");
        }
    }
    gr_code_free(&code);
    return status;
}

void gr_rescheduled_free(struct gr_rescheduled *report)
{
    for (int i = 0; i < report->count; i++) {
        free(report->kernels[i].symbol);
        free(report->kernels[i].blocks);
    }
    free(report->kernels);
    *report = (struct gr_rescheduled){0};
}

struct gr_rescheduled_block gr_rescheduled_sum(const struct gr_rescheduled *report)
{
    struct gr_rescheduled_block sum = {0};
    for (int i = 0; i < report->count; i++)
        for (int j = 0; j < report->kernels[i].block_count; j++) {
            const struct gr_rescheduled_block *b = &report->kernels[i].blocks[j];
            sum.count += b->count;
            sum.ffmas += b->ffmas;
            sum.lost_before += b->lost_before;
            sum.lost_after += b->lost_after;
        }
    return sum;
}
