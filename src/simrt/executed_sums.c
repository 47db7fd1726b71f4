/* executed_sums.c: sums of what blocks executed, by instruction. SPDX-License-Identifier: MIT */
#include "simrt/executed_sums.h"

#include <stdlib.h>
#include <string.h>

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ULL;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static void add(struct gr_executed *sum, const struct gr_executed *now)
{
    sum->warps += now->warps;
    sum->threads += now->threads;
    sum->lanes += now->lanes;
    sum->divergent += now->divergent;
    sum->local_requests += now->local_requests;
    sum->local_sectors += now->local_sectors;
}

static uint64_t hash_of(uint64_t hash, const struct gr_executed *now)
{
    int64_t words[GR_EXECUTED];
    memcpy(words, now, sizeof words);
    for (int i = 0; i < GR_EXECUTED; i++)
        hash = scramble(hash + (uint64_t)words[i]);
    return hash;
}

bool gr_executed_add(struct gr_executed_sums *s, const struct gr_block_counts *b)
{
    const bool first = !s->sums;
    uint64_t fingerprint = 0;
    if (b->instruction_count <= 0)
        return true;
    if (first)
        s->sums = calloc((size_t)b->instruction_count, sizeof *s->sums);
    if (!s->sums)
        return false;
    for (int i = 0; i < b->instruction_count; i++) {
        if (b->executed[i].warps == 0)
            continue;
        fingerprint = hash_of(fingerprint + (uint64_t)i, &b->executed[i]);
        add(&s->sums[i], &b->executed[i]);
    }
    if (first)
        s->fingerprint = fingerprint;
    s->differs |= fingerprint != s->fingerprint;
    return true;
}

void gr_executed_free(struct gr_executed_sums *s)
{
    free(s->sums);
    *s = (struct gr_executed_sums){0};
}

bool gr_executed_open(struct gr_trace *trace, int count, uint32_t first_code)
{
    if (count <= 0)
        return true;
    trace->instructions = calloc((size_t)count, sizeof *trace->instructions);
    if (!trace->instructions)
        return false;
    trace->instruction_count = count;
    for (int i = 0; i < count; i++) {
        trace->instructions[i].offset = (int64_t)i * GR_SIM_INSTRUCTION_BYTES;
        trace->instructions[i].code = first_code + (uint64_t)trace->instructions[i].offset;
    }
    return true;
}

void gr_executed_weigh(const struct gr_executed_sums *s, int64_t traced, int64_t blocks,
                       struct gr_trace *trace)
{
    for (int i = 0; i < trace->instruction_count && s->sums; i++) {
        int64_t all[GR_EXECUTED], sums[GR_EXECUTED];
        memcpy(all, &trace->instructions[i].executed, sizeof all);
        memcpy(sums, &s->sums[i], sizeof sums);
        for (int k = 0; k < GR_EXECUTED; k++)
            all[k] += sums[k] / traced * blocks + sums[k] % traced * blocks / traced;
        memcpy(&trace->instructions[i].executed, all, sizeof all);
    }
}

void gr_executed_site(struct gr_trace *trace, const struct gr_trace_site *site)
{
    if (trace->instruction_count == 0)
        return;
    const uint64_t at = (site->code - trace->instructions[0].code) / GR_SIM_INSTRUCTION_BYTES;
    if (at >= (uint64_t)trace->instruction_count)
        return;
    struct gr_trace_instruction *to = &trace->instructions[at];
    to->requests += site->requests;
    to->sectors += site->sectors;
    to->sectors_ideal += site->sectors_ideal;
    to->wavefronts += site->wavefronts;
    to->wavefronts_ideal += site->wavefronts_ideal;
}
