/* synthetic_trace.h: traces that no simulator made: sites with known patterns, for the tests of the
 * kernel's page. SPDX-License-Identifier: MIT */
#ifndef TESTS_REPORT_SYNTHETIC_TRACE_H
#define TESTS_REPORT_SYNTHETIC_TRACE_H

#include "records/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYNTHETIC_MOST = 64 };

/* Arrays A, B, C (global) and As (shared), no site. Freed with gr_trace_free. */
static inline struct gr_trace synthetic_trace(int warp)
{
    static const char *const names[] = {"A", "B", "C", "As"};
    struct gr_trace t = {.grid = {32, 32, 1},
                         .block = {32, 32, 1},
                         .warp = warp,
                         .coverage = GR_COVERAGE_CLASSES,
                         .widths = GR_WIDTHS_CUBIN,
                         .blocks = 1024,
                         .blocks_traced = 12,
                         .classes = 4,
                         .array_count = 4};
    t.arrays = calloc(4, sizeof *t.arrays);
    t.sites = calloc(SYNTHETIC_MOST, sizeof *t.sites);
    if (!t.arrays || !t.sites)
        abort();
    for (int i = 0; i < 4; i++) {
        struct gr_trace_array *a = &t.arrays[i];
        snprintf(a->name, sizeof a->name, "%s", names[i]);
        a->space = i < 3 ? GR_SPACE_GLOBAL : GR_SPACE_SHARED;
        a->element_bytes = 4;
        a->bytes = i < 3 ? 4 << 20 : 4096;
        a->load_bytes = i < 2 ? 4ll << 30 : 0;
        a->store_bytes = i == 2 ? 4 << 20 : 0;
        a->distinct_bytes = i < 3 ? 4 << 20 : 0;
        a->block_distinct_bytes = i < 3 ? 128ll << 20 : 0;
    }
    return t;
}

/* Adds a site whose lane i is at start + stride*i, for lanes first to last; the counts are the
 * caller's. */
static inline struct gr_trace_site *synthetic_site(struct gr_trace *t, int array, int line,
                                                   int bytes, int64_t start, int64_t stride)
{
    if (t->site_count == SYNTHETIC_MOST)
        abort();
    struct gr_trace_site *s = &t->sites[t->site_count++];
    *s = (struct gr_trace_site){.code = 0x1000u + (unsigned)t->site_count,
                                .line = line,
                                .column = 19,
                                .space = array == 3 ? GR_SPACE_SHARED : GR_SPACE_GLOBAL,
                                .array = array,
                                .bytes = bytes,
                                .source_bytes = bytes,
                                .requests = 1000};
    s->lanes = s->requests * t->warp;
    for (int lane = 0; lane < GR_TRACE_LANES; lane++)
        s->pattern[lane] = lane < t->warp ? start + stride * lane : -1;
    return s;
}

/* What one request costs; in all, 1000 times that. */
static inline void synthetic_cost(struct gr_trace_site *s, int cost, int ideal)
{
    if (s->space == GR_SPACE_SHARED) {
        s->pattern_wavefronts = cost;
        s->wavefronts = cost * s->requests;
        s->wavefronts_ideal = ideal * s->requests;
    } else {
        s->pattern_sectors = cost;
        s->sectors = cost * s->requests;
        s->sectors_ideal = ideal * s->requests;
    }
}

/* Adds an instruction of a line (0: of none; of a header where there is a file), executed so many
 * times by warps that are whole. */
static inline struct gr_trace_instruction *synthetic_instruction(struct gr_trace *t, int line,
                                                                 const char *file, int executed,
                                                                 const char *text)
{
    if (!t->instructions)
        t->instructions = calloc(SYNTHETIC_MOST, sizeof *t->instructions);
    if (!t->instructions || t->instruction_count == SYNTHETIC_MOST)
        abort();
    struct gr_trace_instruction *at = &t->instructions[t->instruction_count];
    *at = (struct gr_trace_instruction){.offset = 16 * t->instruction_count++,
                                        .line = line,
                                        .executed = {.warps = executed,
                                                     .threads = executed * (int64_t)t->warp,
                                                     .lanes = executed * (int64_t)t->warp}};
    snprintf(at->file, sizeof at->file, "%s", file);
    snprintf(at->text, sizeof at->text, "%s", text);
    return at;
}

#endif
