/* source_lines.c: combines the sites of a trace into lines. SPDX-License-Identifier: MIT */
#include "explain/source_lines.h"

#include <stdlib.h>
#include <string.h>

enum { SECTORS_A_CLOCK = 4 };

/* Unrolled loops and inlined functions turn one access into several sites. */
static bool is_same(const struct gr_trace_site *a, const struct gr_trace_site *b)
{
    return a->line == b->line && a->space == b->space && a->access == b->access &&
           a->array == b->array && a->bytes == b->bytes && strcmp(a->file, b->file) == 0;
}

static void add_site(struct gr_source_line *line, const struct gr_trace_site *site)
{
    line->requests += site->requests;
    line->lanes += site->lanes;
    line->sectors += site->sectors;
    line->sectors_ideal += site->sectors_ideal;
    line->wavefronts += site->wavefronts;
    line->wavefronts_ideal += site->wavefronts_ideal;
}

static int by_place(const void *a, const void *b)
{
    const struct gr_trace_site *x = ((const struct gr_source_line *)a)->first;
    const struct gr_trace_site *y = ((const struct gr_source_line *)b)->first;
    int files = strcmp(x->file, y->file);
    if (files)
        return files;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void count_clocks(struct gr_source_line *line)
{
    bool global = line->first->space == GR_SPACE_GLOBAL;
    int64_t count = global ? line->sectors : line->wavefronts;
    int64_t ideal = global ? line->sectors_ideal : line->wavefronts_ideal;
    double each = global ? 1.0 / SECTORS_A_CLOCK : 1;
    line->clocks = each * (double)count;
    line->wasted_clocks = count > ideal ? each * (double)(count - ideal) : 0;
}

static void rank_lines(struct gr_source_line *lines, int count, int ranks)
{
    double all = 0;
    for (int i = 0; i < count; i++)
        all += lines[i].clocks;
    for (int rank = 1; rank <= ranks; rank++) {
        struct gr_source_line *worst = NULL;
        for (int i = 0; i < count; i++)
            if (lines[i].rank == 0 && lines[i].wasted_clocks * 100 >= all &&
                lines[i].wasted_clocks > 0 &&
                (!worst || lines[i].wasted_clocks > worst->wasted_clocks))
                worst = &lines[i];
        if (!worst)
            return;
        worst->rank = rank;
    }
}

struct gr_source_line *gr_source_lines_of(const struct gr_trace *t, int ranks, int *count)
{
    struct gr_source_line *lines =
        t->site_count > 0 ? calloc((size_t)t->site_count, sizeof *lines) : NULL;
    *count = 0;
    for (int i = 0; lines && i < t->site_count; i++) {
        const struct gr_trace_site *site = &t->sites[i];
        int at = 0;
        if (site->space == GR_SPACE_OTHER)
            continue;
        while (at < *count && !is_same(lines[at].first, site))
            at++;
        if (at == *count)
            lines[(*count)++].first = site;
        add_site(&lines[at], site);
    }
    for (int i = 0; i < *count; i++)
        count_clocks(&lines[i]);
    if (*count > 0)
        qsort(lines, (size_t)*count, sizeof *lines, by_place);
    rank_lines(lines, *count, ranks);
    return lines;
}

const char *gr_source_text(const char *source, int line, size_t *length)
{
    for (; line > 1 && *source; line--) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    source += strspn(source, " \t");
    *length = line < 1 ? 0 : strcspn(source, "\r\n");
    return source;
}

/* Truncates between UTF-8 characters. */
void gr_source_add(struct gr_str *out, const char *text, size_t length, int columns)
{
    int used = 0;
    for (size_t i = 0; i < length; i++) {
        bool starts = ((unsigned char)text[i] & 0xc0) != 0x80;
        if (starts && ++used > columns)
            break;
        gr_str_add_bytes(out, text[i] == '\t' ? " " : &text[i], 1);
    }
}
