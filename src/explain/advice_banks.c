/* advice_banks.c: shared-memory bank conflicts.
 *
 * The rule reports lines that need at least 10 % more wavefronts than their bytes require, if
 * the excess is at least 1/64 of the kernel's load/store clocks; a smaller gain could not be
 * measured. Wavefronts are counted as the hardware does, so that a word that many lanes read (a
 * broadcast) costs nothing. Saves: the load/store bound (advise.h), where each excess wavefront
 * is one clock of an SM's shared memory. Needs a trace. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

#include "explain/advise.h"
#include "explain/lanes.h"
#include "source/scan.h"

#include <inttypes.h>
#include <stdlib.h>

static bool applies(const struct gr_trace_site *p, double all)
{
    double conflicts = (double)(p->wavefronts - p->wavefronts_ideal);
    return p->space == GR_SPACE_SHARED && p->requests > 0 &&
           conflicts >= 0.1 * (double)p->wavefronts_ideal && gr_place_excess(p) >= all / 64;
}

/* The widest access to the array: padding must keep its vectors aligned. */
static int widest(const struct gr_analysis_input *s, int array)
{
    int bytes = 0;
    for (int i = 0; i < s->trace->site_count; i++)
        if (s->trace->sites[i].array == array && s->trace->sites[i].bytes > bytes)
            bytes = s->trace->sites[i].bytes;
    return bytes;
}

/* The bytes of an element, by the type of the declaration in the kernel's own file; 0: not known.
 */
static int declared_bytes(const char *source, const char *name)
{
    static const struct {
        const char *type;
        int bytes;
    } types[] = {{"char", 1},     {"int8_t", 1},      {"uint8_t", 1},       {"half", 2},
                 {"__half", 2},   {"nv_bfloat16", 2}, {"__nv_bfloat16", 2}, {"hip_bfloat16", 2},
                 {"_Float16", 2}, {"short", 2},       {"int16_t", 2},       {"uint16_t", 2},
                 {"float", 4},    {"int", 4},         {"unsigned", 4},      {"int32_t", 4},
                 {"uint32_t", 4}, {"double", 8},      {"int64_t", 8},       {"uint64_t", 8}};
    struct gr_scan scan;
    int bytes = 0;
    if (!source || gr_scan_text("", source, &scan, NULL) != GRADUS_OK)
        return 0;
    for (int i = 1; i + 1 < scan.token_count && !bytes; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types && gr_token_is(&scan, i, name) &&
                           gr_token_is(&scan, i + 1, "[");
             t++)
            if (gr_token_is(&scan, i - 1, types[t].type))
                bytes = types[t].bytes;
    gr_scan_free(&scan);
    return bytes;
}

/* The bytes of an element of the array: as declared, or as its narrowest access in the source if
 * that is narrower than a word, or a word. */
static int element_of(const struct gr_analysis_input *s, const struct gr_trace_site *p)
{
    const struct gr_trace_array *array = gr_trace_array_of(s->trace, p);
    const int known = array && array->element_bytes > 0 ? array->element_bytes : 4;
    const int declared =
        array && s->variant ? declared_bytes(s->variant->kernel->source, array->name) : 0;
    int narrowest = known;
    for (int i = 0; i < s->trace->site_count; i++) {
        const struct gr_trace_site *site = &s->trace->sites[i];
        if (site->array == p->array && site->source_bytes > 0 && site->source_bytes < narrowest)
            narrowest = site->source_bytes;
    }
    return declared ? declared : narrowest;
}

/* The number of elements by which to pad each row, so that the request has the fewest conflicts by
 * the model of the banks; multiples of `unit` keep the alignment. The distance between rows is that
 * between lanes, or between groups of lanes. 0: no padding helps. */
static int padding_of(const struct gr_trace_site *p, const struct gr_lanes *lanes, int element,
                      int unit)
{
    enum { TRIES = 8 };
    const int64_t stride = llabs(lanes->stride), jump = llabs(lanes->jump);
    const int64_t row = lanes->shape == GR_LANES_GROUPS && jump > stride ? jump : stride;
    int best = 0, least = gr_lanes_clash(p).lanes;
    if (lanes->shape == GR_LANES_SCATTERED || row < 4 || least <= 1)
        return unit;
    for (int t = 1; t <= TRIES; t++) {
        struct gr_trace_site padded = *p;
        for (int i = 0; i < GR_TRACE_LANES; i++)
            if (padded.pattern[i] >= 0)
                padded.pattern[i] += padded.pattern[i] / row * t * unit * element;
        const int lanes_left = gr_lanes_clash(&padded).lanes;
        if (lanes_left < least) {
            least = lanes_left;
            best = t * unit;
        }
    }
    return best;
}

/* If the conflicting lanes are a multiple of 32 banks apart, they are in different rows of the
 * array, and rows that are slightly longer move them to different banks. Padding does not help
 * against a short stride. */
static char *remedy(const struct gr_analysis_input *s, const struct gr_trace_site *p,
                    const struct gr_lanes *lanes)
{
    const int element = element_of(s, p);
    const int64_t stride = llabs(lanes->stride);
    const bool is_short = lanes->shape != GR_LANES_SCATTERED && stride > p->bytes && stride <= 64;
    if (is_short && p->bytes < 16)
        return gr_printf("let neighbouring threads have neighbouring elements, or %s each thread's "
                         "%" PRId64 " elements 16 bytes at a time",
                         p->access == GR_ACCESS_STORE ? "store" : "read", stride / element);
    if (is_short)
        return gr_strdup("take a thread's elements in pieces of 16 bytes, and let neighbouring "
                         "threads have neighbouring pieces");
    const int wide = widest(s, p->array), unit = wide > element ? wide / element : 1;
    const int pad = padding_of(p, lanes, element, unit);
    if (!pad)
        return gr_printf("swizzle the columns of %s (column ^ row)", gr_place_array(s, p));
    return gr_printf("pad each row of %s by %d element%s%s, or swizzle the columns (column ^ row)",
                     gr_place_array(s, p), pad, pad == 1 ? "" : "s",
                     wide >= 16 && pad * element >= 16
                         ? pad * element == 16 ? " (16 bytes, so that vectors stay aligned)"
                                               : " (so that vectors stay aligned)"
                         : "");
}

static void report(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                   const struct gr_trace_site *p, struct gr_findings *findings)
{
    struct gr_lanes lanes = gr_lanes_of(p);
    struct gr_bank_clash clash = gr_lanes_clash(p);
    double requests = (double)p->requests;
    struct gr_gain gain = {(double)p->wavefronts / requests, (double)p->wavefronts_ideal / requests,
                           "passes a request", gr_gain_lsu(s, sections, gr_place_excess(p))};
    /* The sentence about a bank describes the worst request, while the number of passes is the mean
     * of the line. */
    const bool is_mean = p->pattern_wavefronts > gain.now * 1.05;
    char *todo = remedy(s, p, &lanes);
    if (clash.lanes > 1)
        gr_advise(
            findings, GR_FIND_BANKS, p, &gain,
            "threads %d and %d of a warp %s %s %" PRId64 " words apart, a multiple of the %d "
            "banks, and so do others: bank %d must deliver %d words at once%s %s "
            "passes a request where %s would do; %s",
            clash.first, clash.second, p->access == GR_ACCESS_STORE ? "store to" : "read",
            gr_place_array(s, p), clash.words,
            gr_banks_of(&p->rules, p->bytes, p->access == GR_ACCESS_LOAD), clash.bank, clash.lanes,
            is_mean ? " in the worst request of this line, whose mean takes" : ", which takes",
            gr_count_text(gain.now).text, gr_count_text(gain.fixed).text, todo ? todo : "");
    else
        gr_advise(
            findings, GR_FIND_BANKS, p, &gain,
            "the threads of a warp access the same banks of %s: %s passes a request where %s would "
            "do; %s",
            gr_place_array(s, p), gr_count_text(gain.now).text, gr_count_text(gain.fixed).text,
            todo ? todo : "");
    free(todo);
}

static void look(const struct gr_analysis_input *s, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    int count;
    struct gr_trace_site *places = gr_places(s, &count);
    double all = gr_lsu_clocks(s);
    for (int i = 0; i < count; i++)
        if (applies(&places[i], all))
            report(s, sections, &places[i], findings);
    free(places);
}

const struct gr_advice gr_advice_banks = {
    .name = "banks",
    .kind = GR_FIND_BANKS,
    .reports = "accesses to shared memory take 10 % more wavefronts than their bytes need",
    .needs = "trace",
    .look = look,
};
