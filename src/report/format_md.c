/* format_md.c: a run in Markdown (GitHub's dialect), to be pasted into an issue or a README.
 * SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/steady.h"
#include "report/explained.h"
#include "report/group.h"
#include "report/shown.h"
#include "report/sweep_page.h"

#include <stdlib.h>
#include <string.h>

/* Escapes text that must not be interpreted as markup: a kernel may be called `<script>` or
 * `a|b`. */
static void add_text(struct gr_str *out, const char *text)
{
    struct gr_str line = {0};
    gr_str_add_line(&line, text ? text : "");
    for (const char *p = gr_str_text(&line); *p; p++) {
        if (strchr("\\`*_{}[]<>|&#~$", *p))
            gr_str_add(out, "\\");
        gr_str_add_bytes(out, p, 1);
    }
    gr_str_free(&line);
}

static int longest_run(const char *text, char c)
{
    int longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Appends a code block. Its fence is longer than any run of backticks in the text, so the text
 * cannot close it. */
static void add_fenced(struct gr_str *out, const char *text, const char *indent)
{
    int fence = longest_run(text, '`') + 1;
    fence = fence > 3 ? fence : 3;
    for (int side = 0; side < 2; side++) {
        gr_str_add(out, indent);
        for (int i = 0; i < fence; i++)
            gr_str_add(out, "`");
        gr_str_add(out, side ? "\n" : "text\n");
        while (!side && *text) {
            size_t length = strcspn(text, "\n");
            struct gr_str piece = {0};
            gr_str_add_bytes(&piece, text, length);
            gr_str_add(out, indent);
            gr_str_add_line(out, gr_str_text(&piece));
            gr_str_add(out, "\n");
            gr_str_free(&piece);
            text += length + (text[length] == '\n');
        }
    }
}

static void add_head(struct gr_str *out, const struct gr_group *group)
{
    struct gr_str rule = {0};
    gr_str_add(out, ".\n\n| rung | title | ");
    for (int i = 0; i < GR_SHOWN; i++) {
        if (gr_shown[i].counted != group->lead->simulated)
            continue;
        gr_str_add(out, gr_shown[i].page_head);
        if (i == GR_SHOWN_SHARE) {
            gr_str_add(out, " ");
            add_text(out, group->peer && !group->peers_differ ? group->peer->name : "the peer");
        }
        gr_str_add(out, " | ");
        gr_str_add(&rule, i == GR_SHOWN_SHARE ? ":--|" : "--:|");
    }
    gr_str_printf(out, "verdict |\n|:--|:--|%s:--|\n", gr_str_text(&rule));
    gr_str_free(&rule);
}

static void add_row(struct gr_str *out, const struct gr_row *row)
{
    gr_str_add(out, "| ");
    add_text(out, gr_row_name(row));
    gr_str_add(out, row->is_peer ? " (peer) | " : " | ");
    add_text(out, row->title);
    for (int i = 0; i < GR_SHOWN; i++) {
        char word[GR_WORD];
        if (gr_shown[i].counted != row->simulated)
            continue;
        gr_shown_word(row, (enum gr_shown_id)i, word);
        gr_str_add(out, " | ");
        if (gr_shown[i].counted)
            add_text(out, word);
        else
            gr_str_add(out, word);
        if (i == GR_SHOWN_SHARE && gr_row_is_unsteady(row))
            gr_str_add(out, *word ? " unsteady" : "unsteady");
    }
    gr_str_printf(out, " | %s |\n", gr_verdict_name(row->verdict));
}

struct note_place {
    struct gr_str *out;
    const struct gr_row *row;
};

static void add_note(void *context, const char *kind, const char *line)
{
    const struct note_place *place = context;
    (void)kind;
    gr_str_add(place->out, "- **");
    add_text(place->out, gr_row_name(place->row));
    gr_str_add(place->out, "** ");
    add_text(place->out, line);
    gr_str_add(place->out, "\n");
}

static void add_diagnose(struct gr_str *out, const struct gr_row *row)
{
    if (!row->diagnose)
        return;
    gr_str_add(out, "- **");
    add_text(out, gr_row_name(row));
    gr_str_add(out, "** to find the fault:\n");
    add_fenced(out, row->diagnose, "  ");
}

static void open_group(struct gr_str *out, const struct gr_run *run, const struct gr_group *group)
{
    struct gr_str head = {0};
    char size[64];
    gr_size_name(group->m, group->n, group->k, size, sizeof size);
    gr_group_format(run, group, &head);
    gr_str_printf(out, "### %s\n\n", size);
    add_text(out, gr_str_text(&head));
    gr_str_free(&head);
    add_head(out, group);
}

/* Appends the lines below the table of a group. */
static void add_notes(struct gr_str *out, const struct gr_group *group, const struct gr_row *row)
{
    struct note_place place = {out, row};
    gr_row_format_notes(group, row, add_note, &place);
    add_diagnose(out, row);
    if (row->log)
        add_fenced(out, row->log, "  ");
}

static void close_group(const struct gr_run *run, struct gr_str *out, const char *notes,
                        bool simulated)
{
    gr_str_printf(out, "\n%s%s", notes, *notes ? "\n" : "");
    if (simulated)
        gr_str_printf(out, "The counts are %s.\n\n", gr_counts_meaning(run));
}

static void add_group(struct gr_str *out, const struct gr_run *run, const struct gr_group *group)
{
    struct gr_str notes = {0};
    open_group(out, run, group);
    for (int i = 0; i < group->count; i++) {
        add_row(out, group->rows[i]);
        add_notes(&notes, group, group->rows[i]);
    }
    close_group(run, out, gr_str_text(&notes), group->lead->simulated);
    gr_str_free(&notes);
}

static void add_fact(struct gr_str *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    gr_str_printf(out, "- %s: ", label);
    add_text(out, text);
    gr_str_add(out, "\n");
}

static void add_environment(struct gr_str *out, const struct gr_run *run)
{
    const struct gr_environment *e = &run->environment;
    struct gr_str unsteady = {0}, ceilings = {0};
    gr_run_format_unsteady(run, &unsteady);
    for (int i = 0; i < e->ceiling_count; i++) {
        gr_str_add(&ceilings, i ? ", " : "");
        gr_ceiling_format(&e->ceilings[i], &ceilings);
    }
    add_fact(out, "unsteady", gr_str_text(&unsteady));
    add_fact(out, "machine", e->cpu);
    add_fact(out, "instruction set", e->isa);
    add_fact(out, "caches", e->caches);
    add_fact(out, "gpu", e->gpu);
    add_fact(out, "ceilings measured in this run", gr_str_text(&ceilings));
    add_fact(out, "system", e->system);
    add_fact(out, "compiler", e->compiler);
    add_fact(out, "gradus", e->version);
    add_fact(out, "date", e->date);
    gr_str_free(&unsteady);
    gr_str_free(&ceilings);
    if (e->command && *e->command) {
        gr_str_add(out, "\nTo run it again:\n\n");
        add_fenced(out, e->command, "");
    }
}

static void add_title(struct gr_str *out, const struct gr_run *run)
{
    if (!run->title)
        return;
    gr_str_add(out, "## ");
    add_text(out, run->title);
    gr_str_add(out, "\n\n");
}

static void add_partial(struct gr_str *out, const struct gr_run *run)
{
    struct gr_str text = {0};
    gr_run_format_partial(run, false, &text);
    if (text.length) {
        gr_str_add(out, "**");
        add_text(out, gr_str_text(&text));
        gr_str_add(out, "**\n\n");
    }
    gr_str_free(&text);
}

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    if (run->sweep) {
        gr_sweep_page(run, style, true, out);
        add_partial(out, run);
        add_environment(out, run);
        return out->failed ? gr_fail_memory(error, "the Markdown", out->length) : GRADUS_OK;
    }
    struct gr_groups groups;
    enum gradus_status status = gr_groups_make(run, &groups, error);
    if (status)
        return status;
    add_title(out, run);
    for (int i = 0; i < groups.count; i++)
        add_group(out, run, &groups.items[i]);
    add_partial(out, run);
    add_environment(out, run);
    gr_groups_free(&groups);
    return out->failed ? gr_fail_memory(error, "the Markdown", out->length) : GRADUS_OK;
}

/* Lines that will be appended below a table that is still being printed. */
struct pending {
    struct gr_str notes;
    bool simulated;
};

static void print_title(struct gr_sheet *sheet)
{
    sheet->own = calloc(1, sizeof(struct pending));
    add_title(sheet->out, sheet->run);
}

static void print_head(struct gr_sheet *sheet, const struct gr_group *group)
{
    struct pending *pending = sheet->own;
    if (pending)
        pending->simulated = group->lead->simulated;
    open_group(sheet->out, sheet->run, group);
}

static void print_row(struct gr_sheet *sheet, const struct gr_group *group,
                      const struct gr_row *row)
{
    struct pending *pending = sheet->own;
    add_row(sheet->out, row);
    if (pending)
        add_notes(&pending->notes, group, row);
}

static void print_foot(struct gr_sheet *sheet)
{
    struct pending *pending = sheet->own;
    if (!pending)
        return;
    close_group(sheet->run, sheet->out, gr_str_text(&pending->notes), pending->simulated);
    gr_str_free(&pending->notes);
}

static void print_end(struct gr_sheet *sheet)
{
    add_partial(sheet->out, sheet->run);
    add_environment(sheet->out, sheet->run);
}

static const struct gr_format_parts parts = {print_title, print_head, print_row, print_foot,
                                             print_end};

const struct gr_format gr_format_md = {
    .name = "md", .render = render, .parts = &parts, .explain = gr_explained_md};
