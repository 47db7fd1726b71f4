/* class_counts.c: divides a grid into classes of blocks, and adds up their counts.
 * SPDX-License-Identifier: MIT */
#include "simrt/class_counts.h"

#include "simrt/classes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Classes. ---- */

/* The position along an axis: 0: first; 1: last; 2 and up: inner. */
static int position(unsigned at, unsigned extent, int period)
{
    if (at == 0)
        return 0;
    return at == extent - 1 ? 1 : 2 + (int)(at % (unsigned)period);
}

static int class_of(const struct gr_classes *c, const struct gr_sim_index *b)
{
    const unsigned at[3] = {b->x, b->y, b->z};
    int index = 0;
    if (c->period == 0)
        return 0;
    for (int i = 2; i >= 0; i--)
        index = index * (c->period + 2) + position(at[i], c->grid[i], i == 2 ? 1 : c->period);
    return index;
}

static struct gr_sim_index block_at(const struct gr_classes *c, int64_t number)
{
    int64_t x = c->grid[0], y = c->grid[1];
    return (struct gr_sim_index){(unsigned)(number % x), (unsigned)(number / x % y),
                                 (unsigned)(number / x / y)};
}

static void forget(struct gr_classes *c)
{
    for (int i = 0; i < c->count; i++) {
        free(c->classes[i].sums);
        gr_executed_free(&c->classes[i].executed);
    }
    free(c->classes);
    c->classes = NULL;
    c->count = 0;
}

int64_t gr_classes_divide(struct gr_classes *c, int period, int64_t blocks, int64_t *list,
                          int64_t most)
{
    forget(c);
    c->period = period;
    c->accesses = c->traced = 0;
    c->count = period ? (period + 2) * (period + 2) * (period + 2) : 1;
    c->classes = calloc((size_t)c->count, sizeof *c->classes);
    if (!c->classes)
        return -1;
    int64_t listed = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const struct gr_sim_index at = block_at(c, b);
        struct gr_class *class = &c->classes[class_of(c, &at)];
        if (class->blocks++ == 0 && listed < most)
            list[listed++] = b;
    }
    return listed;
}

void gr_classes_free(struct gr_classes *c)
{
    forget(c);
    for (int i = 0; i < c->kept_count; i++)
        gr_block_counts_free(c->kept[i]);
    c->kept_count = 0;
}

/* ---- A block's counts. ---- */

static void add_counts(struct gr_counts *sum, const struct gr_counts *now)
{
    int64_t a[GR_COUNTS], b[GR_COUNTS];
    memcpy(a, sum, sizeof a);
    memcpy(b, now, sizeof b);
    for (int k = 0; k < GR_COUNTS; k++)
        a[k] += b[k];
    memcpy(sum, a, sizeof a);
}

/* Adds the block to its class. */
static void add_block(struct gr_classes *c, const struct gr_block_counts *b)
{
    const struct gr_sim_index at = block_at(c, b->number);
    struct gr_class *class = &c->classes[class_of(c, &at)];
    if (!class->sums)
        class->sums = calloc(GR_SITES, sizeof *class->sums);
    c->failed |= !class->sums || !gr_executed_add(&class->executed, b);
    if (class->traced++ == 0)
        class->fingerprint = b->fingerprint;
    class->differs |= class->fingerprint != b->fingerprint;
    for (int i = 0; i < b->site_count && class->sums; i++)
        add_counts(&class->sums[b->sites[i]], &b->counts[i]);
    c->traced++;
    c->accesses += b->accesses;
    class->barriers += b->barriers;
}

void gr_classes_add(struct gr_run *run, struct gr_tracer *t, const struct gr_sim_index *block)
{
    struct gr_classes *c = run->classes;
    const int64_t x = c->grid[0], y = c->grid[1];
    struct gr_block_counts *now =
        gr_block_counts_take(t, block->x + x * (block->y + y * (int64_t)block->z));
    pthread_mutex_lock(&run->lock);
    c->failed |= !now;
    c->instruction_count = t->instruction_count;
    c->first_code = t->first_code;
    if (now)
        add_block(c, now);
    if (!run->each_once && c->kept_count < GR_KEPT_BLOCKS) {
        c->kept[c->kept_count] = now;
        c->kept_count += now != NULL;
        now = NULL;
    }
    pthread_mutex_unlock(&run->lock);
    gr_block_counts_free(now);
}

bool gr_classes_differ(const struct gr_classes *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->classes[i].differs)
            return true;
    return false;
}

static const struct gr_block_counts *kept_of(const struct gr_classes *c, int64_t number)
{
    for (int i = 0; i < c->kept_count; i++)
        if (c->kept[i]->number == number)
            return c->kept[i];
    return NULL;
}

int64_t gr_classes_add_kept(struct gr_classes *c, int64_t *list, int64_t count)
{
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct gr_block_counts *kept = kept_of(c, list[i]);
        if (kept)
            add_block(c, kept);
        else
            list[left++] = list[i];
    }
    return left;
}

void gr_classes_weigh(const struct gr_classes *c, int site, struct gr_counts *total)
{
    int64_t all[GR_COUNTS] = {0};
    for (int i = 0; i < c->count; i++) {
        const struct gr_class *class = &c->classes[i];
        int64_t sums[GR_COUNTS];
        if (!class->sums || class->traced == 0)
            continue;
        memcpy(sums, &class->sums[site], sizeof sums);
        for (int k = 0; k < GR_COUNTS; k++)
            all[k] += sums[k] / class->traced * class->blocks +
                      sums[k] % class->traced * class->blocks / class->traced;
    }
    memcpy(total, all, sizeof *total);
}

int64_t gr_classes_barriers(const struct gr_classes *c)
{
    int64_t all = 0;
    for (int i = 0; i < c->count; i++) {
        const struct gr_class *class = &c->classes[i];
        if (class->traced > 0)
            all += class->barriers / class->traced * class->blocks +
                   class->barriers % class->traced * class->blocks / class->traced;
    }
    return all;
}

void gr_classes_executed(const struct gr_classes *c, struct gr_trace *trace)
{
    trace->executes_alike = true;
    for (int i = 0; i < c->count; i++) {
        const struct gr_class *class = &c->classes[i];
        if (class->traced > 0)
            gr_executed_weigh(&class->executed, class->traced, class->blocks, trace);
        trace->executes_alike &= !class->executed.differs;
    }
}
