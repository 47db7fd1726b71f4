/* html_table.c: the rows of one group as a table of the page. SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "records/steady.h"

#include "report/markup.h"
#include "report/shown.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TABLE_COLUMNS = 2 + GR_SHOWN }; /* an upper bound */

static const char *badge_style(const struct gr_row *row)
{
    return gr_row_is_bad(row) ? "bad" : row->verdict == GR_RIGHT ? "good" : "warn";
}

static void add_head(const struct gr_group *group, struct gr_str *out)
{
    gr_str_add(out, "<thead><tr><th scope=\"col\">Rung</th>");
    for (int i = 0; i < GR_SHOWN; i++) {
        const char *head = gr_shown[i].page_head;
        if (gr_shown[i].counted != group->lead->simulated)
            continue;
        gr_str_add(out, "<th scope=\"col\" class=\"num\">");
        gr_str_printf(out, "%c%s", gr_shown[i].counted ? *head : toupper(*head), head + 1);
        if (i == GR_SHOWN_SHARE) {
            gr_str_add(out, " ");
            gr_markup_add(out,
                          group->peer && !group->peers_differ ? group->peer->name : "the peer");
        }
        gr_str_add(out, "</th>");
    }
    gr_str_add(out, "<th scope=\"col\">Verdict</th></tr></thead>\n");
}

static void add_cell(struct gr_str *out, const char *text)
{
    gr_str_add(out, "<td class=\"num\">");
    gr_markup_add(out, text);
    gr_str_add(out, "</td>");
}

/* The cell has the share, and its interval below, next to how the row compares with the peer. */
static void add_share(const struct gr_row *row, char share[GR_WORD], struct gr_str *out)
{
    gr_str_add(out, "<td class=\"num\">");
    char *interval = strchr(share, ' ');
    if (interval)
        *interval++ = 0;
    gr_markup_add(out, share);
    const char *word = gr_row_word(row);
    if (*word) {
        gr_str_add(out, "<small>");
        gr_markup_printf(out, "%s %s", word, interval ? interval : "");
        gr_str_add(out, "</small>");
    }
    gr_str_add(out, "</td>");
}

static void add_figures(const struct gr_row *row, struct gr_str *out)
{
    for (int i = 0; i < GR_SHOWN; i++) {
        char word[GR_WORD];
        const enum gr_shown_id id = (enum gr_shown_id)i;
        if (gr_shown[i].counted != row->simulated)
            continue;
        gr_shown_word(row, id, word);
        if (!gr_shown[i].counted && !gr_shown_has(row, id))
            gr_str_add(out, "<td></td>");
        else if (id == GR_SHOWN_SHARE)
            add_share(row, word, out);
        else
            add_cell(out, word);
    }
}

struct notes {
    struct gr_str *out;
    int count;
};

/* The first note begins the table row for the notes. */
static void add_note(void *context, const char *kind, const char *line)
{
    struct notes *notes = context;
    size_t label = kind ? strcspn(line, ":") : 0;
    if (notes->count++ == 0)
        gr_str_printf(notes->out, "<tr class=\"notes\"><td colspan=\"%d\"><ul>", TABLE_COLUMNS);
    gr_str_add(notes->out, "<li>");
    if (kind && line[label] == ':') {
        gr_str_add(notes->out, "<b>");
        gr_markup_printf(notes->out, "%.*s", (int)label, line);
        gr_str_add(notes->out, "</b>");
        line += label + 1;
    } else if (strstr(line, ": ")) {
        line = strstr(line, ": ") + 2; /* the badge shows the name of the verdict */
    }
    gr_str_add(notes->out, " ");
    gr_markup_add(notes->out, line);
    gr_str_add(notes->out, "</li>");
}

static void add_row(const struct gr_group *group, const struct gr_row *row, struct gr_str *out)
{
    struct notes notes = {.out = out};
    gr_str_printf(out, "<tr%s><th scope=\"row\">", row->is_peer ? " class=\"is-peer\"" : "");
    gr_markup_add(out, gr_row_name(row));
    if (row->title || row->is_peer) {
        gr_str_add(out, "<small>");
        gr_str_add(out, row->is_peer ? "peer: " : "");
        gr_markup_add(out, row->title ? row->title : "a library timed in the same run");
        gr_str_add(out, "</small>");
    }
    gr_str_add(out, "</th>");
    add_figures(row, out);
    gr_str_printf(out, "<td><span class=\"badge %s\" title=\"%s\">%s</span></td></tr>\n",
                  badge_style(row), gr_verdict_text(row->verdict), gr_verdict_name(row->verdict));
    gr_row_format_notes(group, row, add_note, &notes);
    gr_str_add(out, notes.count ? "</ul></td></tr>\n" : "");
}

static void add_detail(struct gr_str *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    gr_str_printf(out, "<dd>%s: ", label);
    gr_markup_add(out, text);
    gr_str_add(out, "</dd>\n");
}

static void add_worst(const struct gr_worst *worst, struct gr_str *out)
{
    if (!worst->known)
        return;
    gr_str_add(out, "<dd>worst element: ");
    gr_markup_printf(
        out, "C[%" PRId64 ",%" PRId64 "] is %.9g, wanted %.9g; error ratio %.3g, limit %.3g",
        worst->row, worst->col, worst->got, worst->want, worst->ratio, worst->limit);
    gr_str_add(out, "</dd>\n");
}

/* Appends details in a collapsed section: how each row was checked, built and timed, and the
 * command that repeats it. */
static void add_details(const struct gr_group *group, struct gr_str *out)
{
    gr_str_add(out,
               "<details><summary>How each row was built, checked and timed, and how to run it "
               "again</summary>\n<dl>\n");
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        gr_str_add(out, "<dt>");
        gr_markup_add(out, gr_row_name(row));
        gr_str_add(out, "</dt>\n");
        add_detail(out, "variant", row->variant);
        add_detail(out, "built with", row->flags);
        add_detail(out, "checked by", row->checked_by);
        add_worst(&row->worst, out);
        if (gr_row_has_speed(row)) {
            char median[GR_WORD], min[GR_WORD], iqr[GR_WORD];
            gr_word_time(row->time_ns.median, median);
            gr_word_time(row->time_ns.min, min);
            gr_word_time(row->time_ns.iqr, iqr);
            gr_str_printf(
                out, "<dd>timed %d times: median %s, minimum %s, interquartile range %s; %s</dd>\n",
                row->time_ns.n, median, min, iqr[0] ? iqr : "0", row->cold ? "cold" : "warm");
        }
        if (row->diagnose) {
            gr_str_add(out, "<dd>to find the fault: <code>");
            gr_markup_add(out, row->diagnose);
            gr_str_add(out, "</code></dd>\n");
        }
        if (row->command) {
            gr_str_add(out, "<dd><code>");
            gr_markup_add(out, row->command);
            gr_str_add(out, "</code></dd>\n");
        }
    }
    gr_str_add(out, "</dl></details>\n");
}

static void add_logs(const struct gr_group *group, struct gr_str *out)
{
    for (int i = 0; i < group->count; i++) {
        if (!group->rows[i]->log)
            continue;
        gr_str_add(out, "<details><summary>The compiler's messages about ");
        gr_markup_add(out, gr_row_name(group->rows[i]));
        gr_str_add(out, "</summary><pre tabindex=\"0\">");
        gr_markup_add_lines(out, group->rows[i]->log);
        gr_str_add(out, "</pre></details>\n");
    }
}

void gr_html_table(const struct gr_run *run, const struct gr_group *group, int number,
                   struct gr_str *out)
{
    char size[64];
    struct gr_str say = {0};
    gr_size_name(group->m, group->n, group->k, size, sizeof size);
    gr_group_format(run, group, &say);
    gr_str_printf(out,
                  "<section aria-labelledby=\"size-%d\">\n<h2 id=\"size-%d\">Size %s</h2>\n<p "
                  "class=\"muted\">",
                  number, number, size);
    gr_markup_add(out, gr_str_text(&say));
    gr_str_free(&say);
    gr_str_printf(out,
                  "</p>\n<div class=\"scroll\" role=\"region\" aria-labelledby=\"size-%d\" "
                  "tabindex=\"0\">\n<table>\n",
                  number);
    add_head(group, out);
    gr_str_add(out, "<tbody>\n");
    for (int i = 0; i < group->count; i++)
        add_row(group, group->rows[i], out);
    gr_str_add(out, "</tbody>\n</table>\n</div>\n");
    if (group->lead->simulated)
        gr_str_printf(out, "<p class=\"muted\">The counts are %s.</p>\n", gr_counts_meaning(run));
    add_logs(group, out);
    add_details(group, out);
    gr_str_add(out, "</section>\n");
}
