/* analysis_listing.c: lists the source lines that access memory, with the cost of each.
 * SPDX-License-Identifier: MIT */
#include "explain/amounts.h"
#include "explain/source_lines.h"
#include "explain/traced.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, SOURCE_COLUMNS = 36 };

/* "load As", "copy A", "atomic ?". */
static void name_access(const struct gr_trace *t, const struct gr_trace_site *site, char *text,
                        size_t size)
{
    const struct gr_trace_array *array = gr_trace_array_of(t, site);
    snprintf(text, size, "%s %s", gr_access_name(site->access), array ? array->name : "?");
}

static double each_of(const struct gr_source_line *line)
{
    bool global = line->first->space == GR_SPACE_GLOBAL;
    return gr_traced_each(global ? line->sectors : line->wavefronts, line->requests);
}

static double best_of(const struct gr_source_line *line)
{
    bool global = line->first->space == GR_SPACE_GLOBAL;
    int64_t best = global ? gr_traced_best(line->sectors, line->sectors_ideal)
                          : gr_traced_best(line->wavefronts, line->wavefronts_ideal);
    return gr_traced_each(best, line->requests);
}

static void place_of(const struct gr_trace_site *site, char *text, size_t size)
{
    if (site->line <= 0)
        snprintf(text, size, "?");
    else if (*site->file)
        snprintf(text, size, "%s:%d", site->file, site->line);
    else
        snprintf(text, size, "%d", site->line);
}

/* AMD's wavefronts are NVIDIA's warps. */
static const char *name_of_pass(const struct gr_analysis_input *s)
{
    return gr_input_is_amd(s) ? "passes" : "wavefronts";
}

static void say_worst(const struct gr_analysis_input *s, const struct gr_source_line *lines,
                      int count, struct gr_section *section)
{
    double all = 0;
    bool any = false;
    for (int i = 0; i < count; i++) {
        all += lines[i].clocks;
        any |= lines[i].rank > 0;
    }
    if (!any) {
        gr_section_printf(section,
                          "No line wastes a hundredth of the time that L1 and the banks of "
                          "shared memory are busy.");
        return;
    }
    gr_section_printf(section,
                      "The worst lines, by what they waste of the time that L1 and the banks "
                      "of shared memory are busy:\n");
    for (int rank = 1; rank <= RANKS; rank++)
        for (int i = 0; i < count; i++) {
            char access[96], place[160];
            bool global = lines[i].first->space == GR_SPACE_GLOBAL;
            if (lines[i].rank != rank)
                continue;
            name_access(s->trace, lines[i].first, access, sizeof access);
            place_of(lines[i].first, place, sizeof place);
            gr_section_printf(
                section, "  %d  line %s, %.14s: %.2f %s a request, best %.2f; wastes %.1f %%", rank,
                place, access, each_of(&lines[i]), global ? "sectors" : name_of_pass(s),
                best_of(&lines[i]), 100 * lines[i].wasted_clocks / all);
        }
}

static void say_line(const struct gr_analysis_input *s, const struct gr_source_line *line,
                     const struct gr_source_line *before, struct gr_section *section)
{
    char access[96], mark[16] = "", place[160];
    size_t length = 0;
    const char *text = "";
    bool same = before && before->first->line == line->first->line &&
                strcmp(before->first->file, line->first->file) == 0;
    name_access(s->trace, line->first, access, sizeof access);
    if (line->rank > 0)
        snprintf(mark, sizeof mark, "%d", line->rank);
    if (*line->first->file || line->first->line <= 0) {
        place_of(line->first, place, sizeof place);
        text = place;
        length = strlen(place);
    } else if (!same) {
        text = gr_source_text(s->variant->kernel->source, line->first->line, &length);
    }
    gr_str_printf(&section->text, " %1s%5d %-10.10s%3d%7s%6.2f%6.2f  ", mark, line->first->line,
                  access, line->first->bytes, gr_amount_count(line->requests).text, each_of(line),
                  best_of(line));
    if (same && !*line->first->file)
        gr_str_add(&section->text, "\"");
    else
        gr_source_add(&section->text, text, length, SOURCE_COLUMNS);
    gr_str_add(&section->text, "\n");
}

static bool applies(const struct gr_analysis_input *s)
{
    return s->trace && s->trace->site_count > 0;
}

static void explain(const struct gr_analysis_input *s, struct gr_section *section)
{
    int count;
    struct gr_source_line *lines = gr_source_lines_of(s->trace, RANKS, &count);
    section->failed |= !lines;
    section->quotes_source = true;
    say_worst(s, lines, count, section);
    gr_section_printf(section, "\n %1s%5s %-10s%3s%7s%6s%6s  %s", "", "line", "access", "by",
                      "reqs", "each", "best", "source");
    for (int i = 0; i < count; i++)
        say_line(s, &lines[i], i > 0 ? &lines[i - 1] : NULL, section);
    gr_section_printf(section,
                      "\nby: bytes of one thread's access. reqs: requests. each: sectors of global "
                      "or %s of shared memory a request takes; best: as few as its bytes need.",
                      name_of_pass(s));
    free(lines);
}

const struct gr_analysis gr_analysis_listing = {
    .order = 90, .title = "Lines that touch memory", .applies = applies, .explain = explain};
