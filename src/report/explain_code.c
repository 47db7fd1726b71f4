/* explain_code.c: the source next to the machine code that the compiler generated from it, with the
 * counts of each instruction.
 * SPDX-License-Identifier: MIT
 *
 * A source line and its instructions share a class such as "g7", by which the script highlights
 * them together (walk_code.js). Without scripts, links lead from each to the other. */
#include "report/explain_page.h"

#include "explain/code_lines.h"
#include "explain/executed.h"
#include "report/markup.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer sequence of instructions that no warp executed is left out. */
enum { FEW = 3, AROUND = 2 };

/* The code of one launch. */
struct view {
    const struct gr_trace *trace;
    const char *source;
    struct gr_code_lines lines;
    char prefix[16]; /* the prefix of its ids: "", or "2-" for the second of several launches */
};

static bool has_code(const struct gr_page_launch *launch)
{
    return launch->trace && launch->trace->instruction_count > 0;
}

static bool open_view(const struct gr_explain_page *page, int launch, struct view *v)
{
    *v = (struct view){.trace = page->launches[launch].trace, .source = page->source};
    if (page->launch_count > 1)
        snprintf(v->prefix, sizeof v->prefix, "%d-", launch + 1);
    return gr_code_lines_make(v->trace, &v->lines);
}

/* ---- names ---- */

/* Appends the id of a source line: "source-12", or "source-g31" with its index in the table of
 * lines if it is in a header. */
static void add_source_id(const struct view *v, int line, struct gr_str *out)
{
    const struct gr_trace_instruction *first = v->lines.items[line].first;
    if (first->line > 0 && !*first->file)
        gr_str_printf(out, "source-%s%d", v->prefix, first->line);
    else
        gr_str_printf(out, "source-%sg%d", v->prefix, line);
}

static void add_code_id(const struct view *v, int64_t offset, struct gr_str *out)
{
    gr_str_printf(out, "code-%s%04" PRIx64, v->prefix, (uint64_t)offset);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- counts ---- */

/* Returns a class such as h4 for how hot a count is. Each step is a fraction of the step above. */
static const char *heat_of(int64_t count, int64_t most)
{
    return count <= 0           ? ""
           : count * 2 >= most  ? " class=\"h4\""
           : count * 8 >= most  ? " class=\"h3\""
           : count * 64 >= most ? " class=\"h2\""
                                : " class=\"h1\"";
}

/* Appends a count. If it is shown rounded, the exact number is in the tooltip. */
static void add_count(int64_t count, struct gr_str *out)
{
    char word[GR_WORD], exact[32];
    gr_word_amount(count, word);
    snprintf(exact, sizeof exact, "%" PRId64, count);
    if (strcmp(word, exact) != 0)
        gr_str_printf(out, "<td title=\"%s\">%s</td>", exact, word);
    else
        gr_str_printf(out, "<td>%s</td>", word);
}

/* Appends a percentage. It is never shown as 0 if there were executions at all. */
static void add_share(const struct view *v, int64_t executed, int64_t most, struct gr_str *out)
{
    const double share = 100 * gr_code_share(&v->lines, executed);
    gr_str_printf(out, "<td%s>", heat_of(executed, most));
    if (executed > 0 && share < 0.005)
        gr_str_add(out, "&lt;0.01%</td>");
    else
        gr_str_printf(out, "%.2f%%</td>", share);
}

/* Appends a cost, coloured as in the listing of lines: by its ratio to the ideal. */
static void add_cost(int64_t count, int64_t ideal, const char *unit, struct gr_str *out)
{
    char word[GR_WORD];
    if (count == 0) {
        gr_str_add(out, "<td></td>");
        return;
    }
    gr_word_amount(count, word);
    if (ideal > 0 && count > ideal)
        gr_str_printf(out,
                      "<td class=\"%s\" title=\"%" PRId64 " %s; %" PRId64 " would do\">%s</td>",
                      count >= 2 * ideal ? "bad" : "warn", count, unit, ideal, word);
    else
        add_count(count, out);
}

/* ---- the source ---- */

/* Returns the index in the table of lines for a line of the kernel's file; -1 if no instruction
 * comes from it. */
static int line_of(const struct view *v, int number)
{
    for (int i = 0; i < v->lines.count; i++)
        if (v->lines.items[i].first->line == number && !*v->lines.items[i].first->file)
            return i;
    return -1;
}

static bool lists(const void *own, int number)
{
    for (int near = number - AROUND; near <= number + AROUND; near++)
        if (near > 0 && line_of(own, near) >= 0)
            return true;
    return false;
}

/* Returns the first executed instruction of a line of the table. */
static const struct gr_trace_instruction *first_executed(const struct view *v, int line)
{
    for (int i = 0; i < v->trace->instruction_count; i++)
        if (v->lines.of[i] == line && v->trace->instructions[i].executed.warps > 0)
            return &v->trace->instructions[i];
    return NULL;
}

/* Appends the beginning of a row: the line number, linked to the first instruction, and the
 * share. */
static void add_line_head(const struct view *v, int line, const char *number, struct gr_str *out)
{
    const struct gr_code_line *l = &v->lines.items[line];
    const struct gr_trace_instruction *first = first_executed(v, line);
    gr_str_add(out, "<tr id=\"");
    add_source_id(v, line, out);
    gr_str_printf(out, "\" class=\"g%d\"><td>", line);
    if (first) {
        gr_str_add(out, "<a href=\"#");
        add_code_id(v, first->offset, out);
        gr_str_add(out, "\">");
    }
    gr_markup_add(out, number);
    gr_str_add(out, first ? "</a></td>" : "</td>");
    add_share(v, l->executed, v->lines.most_of_line, out);
}

static void add_line(const void *own, int number, const char *text, size_t length,
                     struct gr_str *out)
{
    const struct view *v = own;
    const int line = line_of(v, number);
    char name[16], *code = gr_strndup(text, length);
    snprintf(name, sizeof name, "%d", number);
    if (line >= 0)
        add_line_head(v, line, name, out);
    else
        gr_str_printf(out, "<tr><td>%d</td><td></td>", number);
    gr_str_add(out, "<td>");
    gr_markup_add(out, code);
    gr_str_add(out, "</td></tr>\n");
    free(code);
}

/* Appends a row for a line of a header whose functions are called, or for instructions without a
 * line. (Inlined instructions belong to the line of the call.) */
static void add_other_line(const struct view *v, int line, struct gr_str *out)
{
    const struct gr_trace_instruction *first = v->lines.items[line].first;
    char number[16] = "?";
    if (first->line > 0)
        snprintf(number, sizeof number, "%d", first->line);
    add_line_head(v, line, number, out);
    gr_str_add(out, "<td class=\"elsewhere\">");
    if (first->line > 0)
        gr_markup_printf(out, "in %s", first->file);
    else
        gr_str_add(out, "of no line that is known");
    gr_str_add(out, "</td></tr>\n");
}

static void add_source(const struct view *v, struct gr_str *out)
{
    gr_str_add(out, "<div class=\"scroll\" role=\"region\" aria-label=\"source of the machine "
                    "code\" tabindex=\"0\">\n<table class=\"code-source\"><thead><tr><th>line</th>"
                    "<th>share</th><th>source</th></tr></thead><tbody>\n");
    if (v->source)
        gr_page_rows(v->source, lists, add_line, v, out);
    for (int i = 0; i < v->lines.count; i++)
        if (!v->source || *v->lines.items[i].first->file || v->lines.items[i].first->line <= 0)
            add_other_line(v, i, out);
    gr_str_add(out, "</tbody></table></div>\n");
}

/* ---- the instructions ---- */

/* Appends the source line of an instruction, such as "12", "mma.h:48" or "?", with a link to the
 * row of the source. */
static void add_place(const struct view *v, int i, struct gr_str *out)
{
    const struct gr_trace_instruction *at = &v->trace->instructions[i];
    gr_str_add(out, "<td><a href=\"#");
    add_source_id(v, v->lines.of[i], out);
    gr_str_add(out, "\">");
    if (at->line > 0 && *at->file)
        gr_markup_printf(out, "%s:%d", file_name(at->file), at->line);
    else if (at->line > 0)
        gr_str_printf(out, "%d", at->line);
    else
        gr_str_add(out, "?");
    gr_str_add(out, "</a></td>");
}

/* Returns the target of a branch or call, if that instruction was executed; else -1. */
static int64_t target_of(const struct view *v, const struct gr_trace_instruction *at)
{
    char name[GR_MNEMONIC];
    const char *last = strrchr(at->text, ' ');
    gr_executed_mnemonic_of(at, name);
    if ((strcmp(name, "BRA") != 0 && strcmp(name, "CALL") != 0) || !last ||
        !gr_starts_with(last, " 0x"))
        return -1;
    const int64_t target = strtoll(last + 1, NULL, 16);
    for (int i = 0; i < v->trace->instruction_count; i++)
        if (v->trace->instructions[i].offset == target)
            return v->trace->instructions[i].executed.warps > 0 ? target : -1;
    return -1;
}

static void add_text(const struct view *v, const struct gr_trace_instruction *at,
                     struct gr_str *out)
{
    const int64_t target = target_of(v, at);
    if (target < 0) {
        gr_markup_add(out, at->text);
        return;
    }
    gr_markup_printf(out, "%.*s ", (int)(strrchr(at->text, ' ') - at->text), at->text);
    gr_str_add(out, "<a href=\"#");
    add_code_id(v, target, out);
    gr_str_printf(out, "\">0x%" PRIx64 "</a>", (uint64_t)target);
}

static void add_instruction(const struct view *v, int i, struct gr_str *out)
{
    const struct gr_trace_instruction *at = &v->trace->instructions[i];
    const int64_t requests = gr_code_requests(at);
    gr_str_add(out, "<tr id=\"");
    add_code_id(v, at->offset, out);
    gr_str_printf(out, "\" class=\"g%d%s\"><td>%04" PRIx64 "</td><td>", v->lines.of[i],
                  at->executed.warps ? "" : " never", (uint64_t)at->offset);
    add_text(v, at, out);
    gr_str_add(out, "</td>");
    add_place(v, i, out);
    add_count(at->executed.warps, out);
    add_share(v, at->executed.warps, v->lines.most_executed, out);
    if (requests > 0)
        add_count(requests, out);
    else
        gr_str_add(out, "<td></td>");
    add_cost(gr_code_sectors(at), at->sectors_ideal + at->executed.local_sectors, "sectors", out);
    add_cost(at->wavefronts, at->wavefronts_ideal, "wavefronts", out);
    gr_str_add(out, "</tr>\n");
}

/* Counts the consecutive instructions from `first` on that no warp executed. */
static int count_never(const struct gr_trace *t, int first)
{
    int end = first;
    while (end < t->instruction_count && t->instructions[end].executed.warps == 0)
        end++;
    return end - first;
}

static void add_instructions(const struct view *v, struct gr_str *out)
{
    const struct gr_trace *t = v->trace;
    gr_str_add(out, "<div class=\"scroll\" role=\"region\" aria-label=\"machine code\" "
                    "tabindex=\"0\">\n<table class=\"code-machine\"><thead><tr><th>at</th><th>"
                    "instruction</th><th>line</th><th>executed</th><th>share</th><th>requests</th>"
                    "<th>sectors</th><th>wavefronts</th></tr></thead><tbody>\n");
    for (int i = 0; i < t->instruction_count;) {
        const int never = count_never(t, i);
        if (never <= FEW) {
            add_instruction(v, i++, out);
            continue;
        }
        gr_str_printf(out,
                      "<tr class=\"never\"><td>%04" PRIx64
                      "</td><td colspan=\"7\">%d instructions that no warp executed</td></tr>\n",
                      (uint64_t)t->instructions[i].offset, never);
        i += never;
    }
    gr_str_add(out, "</tbody></table></div>\n");
}

/* ---- the view ---- */

static void add_view(const struct view *v, struct gr_str *out)
{
    int never = 0;
    for (int i = 0; i < v->lines.count; i++)
        never += v->lines.items[i].never;
    gr_str_printf(out,
                  "<p>%d instructions, of which warps executed %d, %" PRId64
                  " times in all.%s%s</p>\n<div class=\"machine\">\n",
                  v->trace->instruction_count, v->trace->instruction_count - never,
                  v->lines.executed, gr_executed_is_exact(v->trace) ? "" : " ",
                  gr_executed_is_exact(v->trace) ? "" : gr_executed_extrapolated);
    add_source(v, out);
    add_instructions(v, out);
    gr_str_add(out, "</div>\n");
}

void gr_page_code(const struct gr_explain_page *page, struct gr_str *out)
{
    if (!gr_page_has_code(page))
        return;
    gr_str_add(out,
               "<section>\n<h2>Machine code</h2>\n<p class=\"muted\">The source, and what the "
               "compiler made of it, as it was executed. A line's number leads to its "
               "instructions, and an instruction's to its line. Executions are those of warps; a "
               "share is that of all executions. Requests are those to global, shared and local "
               "memory; sectors and wavefronts are marked where fewer would do.</p>\n");
    for (int i = 0; i < page->launch_count; i++) {
        struct view v;
        if (!has_code(&page->launches[i]))
            continue;
        if (page->launch_count > 1) {
            gr_str_add(out, "<h3>");
            gr_markup_add(out, page->launches[i].kernel);
            gr_str_add(out, "</h3>\n");
        }
        if (open_view(page, i, &v))
            add_view(&v, out);
        else
            out->failed = true;
        gr_code_lines_free(&v.lines);
    }
    gr_str_add(out, "</section>\n");
}

bool gr_page_has_code(const struct gr_explain_page *page)
{
    for (int i = 0; i < page->launch_count; i++)
        if (has_code(&page->launches[i]))
            return true;
    return false;
}
