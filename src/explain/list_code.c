/* list_code.c: lists the instructions of a kernel by source line, with the counts of their
 * executions, in 80 columns. SPDX-License-Identifier: MIT */
#include "explain/list_code.h"

#include "base/utf8.h"
#include "core/error.h"
#include "explain/amounts.h"
#include "explain/code_lines.h"
#include "explain/executed.h"
#include "explain/source_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rest of the 80 columns, two of which are the margin of sections. */
enum { SOURCE_COLUMNS = 62, TEXT_COLUMNS = 43 };

static const char *why_not(const struct gr_explained *e)
{
    const char *why = e->untraced     ? e->untraced
                      : e->unexecuted ? e->unexecuted
                      : e->refused    ? e->refused
                      : e->skip       ? e->skip
                                      : "only machine code of NVIDIA's GPUs is";
    return gr_starts_with(why, "skip: ") ? why + strlen("skip: ") : why;
}

static void list_line(const struct gr_code_lines *lines, const struct gr_code_line *line,
                      const char *source, struct gr_str *out)
{
    const struct gr_trace_instruction *first = line->first;
    char number[16] = "?";
    size_t length = 0;
    if (first->line > 0)
        snprintf(number, sizeof number, "%d", first->line);
    gr_str_printf(out, "\n %4s%8.1f%%  ", number, 100 * gr_code_share(lines, line->executed));
    if (first->line <= 0) {
        gr_str_add(out, "of no line that is known");
    } else if (*first->file) {
        gr_str_add(out, "in ");
        gr_str_add_line(out, first->file);
    } else {
        const char *text = gr_source_text(source, first->line, &length);
        gr_source_add(out, text, length, SOURCE_COLUMNS);
    }
    gr_str_add(out, "\n");
}

static void list_instruction(const struct gr_trace_instruction *at, struct gr_str *out)
{
    const int64_t requests = gr_code_requests(at);
    char count[32] = "", each[32] = "";
    if (requests > 0) {
        snprintf(count, sizeof count, "%s", gr_amount_count(requests).text);
        snprintf(each, sizeof each, "%.2f",
                 (double)(gr_code_sectors(at) + at->wavefronts) / (double)requests);
    }
    gr_str_printf(out, "      %05" PRIx64 "%8s%7s%7s  ", (uint64_t)at->offset,
                  gr_amount_count(at->executed.warps).text, count, each);
    gr_source_add(out, at->text, strlen(at->text), TEXT_COLUMNS);
    gr_str_add(out, "\n");
}

static void list_lines(const struct gr_trace *trace, const struct gr_code_lines *lines,
                       const char *source, struct gr_str *out)
{
    gr_str_printf(out, "\n %4s%9s  %s\n", "line", "share", "source");
    gr_str_printf(out, "      %-5s%8s%7s%7s  %s\n", "at", "executed", "reqs", "each",
                  "instruction");
    for (int i = 0; i < lines->count; i++) {
        list_line(lines, &lines->items[i], source, out);
        for (int j = 0; j < trace->instruction_count; j++)
            if (lines->of[j] == i && trace->instructions[j].executed.warps > 0)
                list_instruction(&trace->instructions[j], out);
        if (lines->items[i].never > 0)
            gr_str_printf(out, "      %d that no warp executed\n", lines->items[i].never);
    }
    gr_str_add(out, "\n");
}

static void list(const struct gr_trace *trace, const char *source, struct gr_section *section)
{
    struct gr_code_lines lines;
    section->failed |= !gr_code_lines_make(trace, &lines);
    gr_section_printf(section,
                      "%d instructions, which warps executed %" PRId64
                      " times in all. Below each line of the source are those that the compiler "
                      "made of it; the line's share is that of all executions.",
                      trace->instruction_count, lines.executed);
    if (!gr_executed_is_exact(trace))
        gr_section_printf(section, "%s", gr_executed_extrapolated);
    list_lines(trace, &lines, source, &section->text);
    gr_section_printf(section,
                      "at: bytes from the kernel's first instruction, hexadecimal. executed: by a "
                      "warp, or by those of its lanes that are there together. reqs: requests to "
                      "global, shared or local memory; each: sectors, or in shared memory "
                      "wavefronts, that a request takes.");
    gr_code_lines_free(&lines);
}

/* Titles name the launch only if there are several launches, as in the other sections. */
static struct gr_section *add_section(const struct gr_kernel *kernel, const struct gr_trace *trace,
                                      struct gr_explanation *explanation)
{
    char *title = trace && kernel->stanza_count > 1
                      ? gr_printf("Machine code: %s", kernel->stanzas[trace->stanza].signature.name)
                      : gr_strdup("Machine code");
    struct gr_section *section = title ? gr_explanation_add(explanation, title, "") : NULL;
    free(title);
    return section;
}

enum gradus_status gr_list_code(const struct gr_kernel *kernel, struct gr_explained *explained,
                                struct gradus_error *error)
{
    bool any = false, failed = false;
    for (int i = 0; i < explained->trace_count; i++) {
        const struct gr_trace *trace = &explained->traces[i];
        if (trace->instruction_count == 0)
            continue;
        struct gr_section *section = add_section(kernel, trace, &explained->explanation);
        failed |= !section;
        if (section)
            list(trace, kernel->source, section);
        any = true;
    }
    if (!any) {
        struct gr_section *section = add_section(kernel, NULL, &explained->explanation);
        failed |= !section;
        if (section)
            gr_section_printf(section, "It was not executed: %s.", why_not(explained));
    }
    if (failed || gr_explanation_failed(&explained->explanation))
        return gr_fail_memory(error, "the machine code's listing", 0);
    return GRADUS_OK;
}
