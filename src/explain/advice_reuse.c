/* advice_reuse.c: a block that loads the same data repeatedly through L1, where shared memory
 * could keep it.
 *
 * The rule compares the requests for an input with those that would load each of the block's
 * sectors once, 128 bytes per request, and reports an input with at least 4 times as many. A
 * kernel with a tile in shared memory has a ratio of 1, one that loads 4-byte elements in pieces
 * of a row at most 2, and one with a thread per element of C has 32. Only inputs whose
 * requests take at least a quarter of the load/store clocks are considered, each as if it were
 * coalesced; otherwise another problem is more important and should be fixed first. Saves: the
 * load/store bound (advise.h) without those requests. That is an upper bound, because the reads
 * of shared memory that replace them are not counted. Needs a trace.
 * SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"

#include <stdlib.h>
#include <string.h>

enum { REQUEST_BYTES = 128, TIMES = 4 };

struct fetched {
    double requests, least, clocks;
    int line_at; /* index of the most expensive place */
};

static struct fetched fetched_of(const struct gr_analysis_input *s,
                                 const struct gr_trace_site *places, int count, int array)
{
    struct fetched f = {.line_at = -1};
    for (int i = 0; i < count; i++) {
        const struct gr_trace_site *p = &places[i];
        if (p->array != array || p->space != GR_SPACE_GLOBAL || p->access != GR_ACCESS_LOAD)
            continue;
        f.requests += (double)p->requests;
        f.clocks += gr_place_clocks(p) - gr_place_excess(p);
        f.line_at = f.line_at < 0 ? i : f.line_at;
    }
    f.least = (double)s->trace->arrays[array].block_distinct_bytes / REQUEST_BYTES;
    return f;
}

static bool applies(const struct gr_analysis_input *s, int array, const struct fetched *f,
                    double all)
{
    return gr_array_is_input(s, &s->trace->arrays[array]) && f->line_at >= 0 && f->least > 0 &&
           f->requests >= TIMES * f->least && f->clocks >= all / 4;
}

/* A and B are reported in one sentence if one line reads both. */
static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s), requests = 0, least = 0, clocks = 0;
    const struct gr_trace_site *worst = NULL;
    struct gr_str names = {0};
    for (int i = 0; places && i < s->trace->array_count; i++) {
        struct fetched f = fetched_of(s, places, count, i);
        if (!applies(s, i, &f, all))
            continue;
        requests += f.requests;
        least += f.least;
        clocks += f.clocks;
        if (!worst || gr_place_clocks(&places[f.line_at]) > gr_place_clocks(worst))
            worst = &places[f.line_at];
        gr_str_printf(&names, "%s%s", names.length ? " and " : "", s->trace->arrays[i].name);
    }
    if (worst) {
        struct gr_gain gain = {requests, least, "requests", gr_gain_lsu(s, sections, clocks)};
        gr_advise(
            findings, GR_FIND_REUSE, worst, &gain,
            "the threads of a block request the same elements of %s again and again: %s times "
            "as many requests as would fetch each once; load a tile into shared memory, wait "
            "(__syncthreads), and let all threads of the block read it there",
            gr_str_text(&names), gr_count_text(requests / least).text);
    }
    gr_str_free(&names);
    free(places);
}

const struct gr_advice gr_advice_reuse = {
    .name = "reuse",
    .kind = GR_FIND_REUSE,
    .reports =
        "a block requests its operands 4 times as often as loading each element once would need",
    .needs = "trace",
    .look = look,
};
