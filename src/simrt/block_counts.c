/* block_counts.c: moves a traced block's counts out of its tracer. SPDX-License-Identifier: MIT */
#include "simrt/block_counts.h"

#include <stdlib.h>
#include <string.h>

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ULL;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
}

/* A hash of the block's counts, which does not depend on the order in which sites were found. */
static uint64_t fingerprint_of(const struct gr_block_counts *b)
{
    uint64_t sum = 0;
    for (int i = 0; i < b->site_count; i++) {
        int64_t words[GR_COUNTS];
        memcpy(words, &b->counts[i], sizeof words);
        uint64_t hash = (uint64_t)b->sites[i] + 1;
        for (int k = 0; k < GR_COUNTS; k++)
            hash = scramble(hash + (uint64_t)words[k]);
        sum += hash;
    }
    return sum;
}

struct gr_block_counts *gr_block_counts_take(struct gr_tracer *t, int64_t number)
{
    struct gr_block_counts *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    const size_t sites = (size_t)t->touched_count, instructions = (size_t)t->instruction_count;
    *b = (struct gr_block_counts){.number = number,
                                  .accesses = t->accesses,
                                  .barriers = t->sm->barriers,
                                  .site_count = t->touched_count,
                                  .sites = malloc(sites * sizeof *b->sites + 1),
                                  .counts = malloc(sites * sizeof *b->counts + 1),
                                  .instruction_count = t->instruction_count,
                                  .executed = malloc(instructions * sizeof *b->executed + 1)};
    if (!b->sites || !b->counts || !b->executed) {
        gr_block_counts_free(b);
        return NULL;
    }
    for (size_t i = 0; i < sites; i++) {
        b->sites[i] = t->touched[i];
        b->counts[i] = t->shapes[t->touched[i]].now;
    }
    if (instructions > 0) {
        memcpy(b->executed, t->executed, instructions * sizeof *b->executed);
        memset(t->executed, 0, instructions * sizeof *b->executed);
    }
    b->fingerprint = fingerprint_of(b);
    t->accesses = 0;
    t->sm->barriers = 0;
    return b;
}

void gr_block_counts_free(struct gr_block_counts *b)
{
    if (!b)
        return;
    free(b->sites);
    free(b->counts);
    free(b->executed);
    free(b);
}
