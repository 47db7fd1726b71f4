/* advice_case.h: a kernel, its launch and what was seen of it, made up for a rule of advice.
 * SPDX-License-Identifier: MIT */
#ifndef UNIT_ADVICE_CASE_H
#define UNIT_ADVICE_CASE_H

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "explain/advice.h"
#include "explain/advise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct gr_advice *const gr_advice_all[];

enum { ADVICE_SITES = 8, ADVICE_A = 0, ADVICE_B, ADVICE_C, ADVICE_AS, ADVICE_BS, ADVICE_ARRAYS };

struct advice_case {
    struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_problem problem;
    struct gr_device_values device_values;
    struct gr_device device;
    struct gr_plan_launch launch;
    struct gr_code_kernel code;
    struct gr_trace trace;
    struct gr_trace_array arrays[ADVICE_ARRAYS];
    struct gr_trace_site sites[ADVICE_SITES];
    struct gr_explanation facts;
    struct gr_analysis_input input;
    struct gr_findings found;
};

/* A product of n^3 in f32 by `blocks` blocks of `threads` on a H200; no site has been seen yet. */
static inline void advice_begin(struct advice_case *c, int n, unsigned blocks, unsigned threads,
                                const char *front)
{
    static const char *const names[ADVICE_ARRAYS] = {"A", "B", "C", "As", "Bs"};
    struct gradus_error error = {0};
    *c = (struct advice_case){0};
    char *text =
        gr_printf("%s\n__global__ void gemm(int M, int N, int K, const T *A, const T *B, T *C)\n"
                  "{\n}\n",
                  front ? front : "//@ type f32\n//@ grid 1\n//@ block 1");
    char *device = NULL;
    size_t length = 0;
    if (gr_kernel_parse("f.cu", text, NULL, &c->kernel, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(text);
    c->problem = gr_problem_dense(n, n, n, false, false, c->kernel->types[0]);
    if (gr_variant_make(c->kernel, c->problem.types, false, false, &c->variant, &error) !=
        GRADUS_OK)
        fail_msg("%s", error.text);
    if (gr_file_read(GRADUS_SOURCE_DIR "/devices/h200.txt", &device, &length, &error) !=
            GRADUS_OK ||
        gr_device_read("h200.txt", device, &c->device, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(device);
    c->launch = (struct gr_plan_launch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    c->code = (struct gr_code_kernel){.registers = 32};
    for (int i = 0; i < ADVICE_ARRAYS; i++) {
        struct gr_trace_array *a = &c->arrays[i];
        snprintf(a->name, sizeof a->name, "%s", names[i]);
        a->space = i < ADVICE_AS ? GR_SPACE_GLOBAL : GR_SPACE_SHARED;
        a->element_bytes = 4;
        a->bytes = (int64_t)n * n * 4;
    }
    c->trace = (struct gr_trace){.warp = 32,
                                 .blocks = blocks,
                                 .arrays = c->arrays,
                                 .array_count = ADVICE_ARRAYS,
                                 .sites = c->sites};
    gr_explanation_add(&c->facts, "made up", "");
    c->input = (struct gr_analysis_input){.variant = &c->variant,
                                          .problem = &c->problem,
                                          .device_values = &c->device_values,
                                          .device = &c->device,
                                          .stanza = &c->kernel->stanzas[0],
                                          .flops = gr_problem_flops(&c->problem),
                                          .bytes = gr_problem_least_bytes(&c->problem),
                                          .launch = &c->launch,
                                          .kernel = &c->code,
                                          .trace = &c->trace};
}

static inline void advice_fact(struct advice_case *c, const char *key, double value)
{
    gr_section_number(&c->facts.sections[0], key, value, "");
}

/* `requests` of one line, all like the first: lane i at (i % period) * stride + (i / period) *
 * jump. */
static inline struct gr_trace_site *advice_site(struct advice_case *c, int line,
                                                enum gr_access access, int array, int bytes,
                                                int64_t requests, int period, int64_t stride,
                                                int64_t jump)
{
    struct gr_trace_site *s = &c->sites[c->trace.site_count++];
    *s = (struct gr_trace_site){.line = line,
                                .access = access,
                                .array = array,
                                .bytes = bytes,
                                .source_bytes = bytes,
                                .requests = requests,
                                .space = c->arrays[array].space,
                                .lanes = 32 * requests};
    bool sectors[65536] = {0};
    int touched = 0;
    for (int i = 0; i < GR_TRACE_LANES; i++) {
        int64_t at = i % period * stride + i / period * jump;
        s->pattern[i] = i < 32 ? at : -1;
        for (int64_t b = at / 32; i < 32 && b <= (at + bytes - 1) / 32; b++) {
            touched += b >= 65536 || !sectors[b % 65536];
            sectors[b % 65536] = true;
        }
    }
    s->pattern_sectors = touched;
    if (s->space == GR_SPACE_GLOBAL) {
        s->sectors = touched * requests;
        s->sectors_ideal = bytes * requests; /* 32 lanes / 32 bytes */
        s->block_distinct_bytes = s->sectors * 32;
        c->arrays[array].block_distinct_bytes += s->sectors * 32;
    } else {
        s->wavefronts_ideal = (bytes + 3) / 4 * requests;
        s->wavefronts = s->wavefronts_ideal;
    }
    return s;
}

/* Asks the rule of that name; what it finds is in c->found. */
static inline void advice_ask(struct advice_case *c, const char *rule)
{
    int i = 0;
    while (gr_advice_all[i] && strcmp(gr_advice_all[i]->name, rule) != 0)
        i++;
    if (!gr_advice_all[i])
        fail_msg("there is no rule of the name %s", rule);
    gr_findings_free(&c->found);
    gr_advice_all[i]->look(&c->input, &c->facts, &c->found);
}

static inline void advice_end(struct advice_case *c)
{
    gr_findings_free(&c->found);
    gr_explanation_free(&c->facts);
    gr_kernel_free(c->kernel);
}

#endif
