/* row_stream.c: prints a run row by row. SPDX-License-Identifier: MIT */
#include "report/row_stream.h"

#include "core/error.h"
#include "report/words.h"

#include <stdio.h>
#include <stdlib.h>

bool gr_stream_can(const struct gr_format *format, const struct gr_run *run)
{
    return format && format->parts && !run->sweep;
}

void gr_stream_begin(struct gr_stream *s, const struct gr_format *format, const struct gr_run *run,
                     const struct gr_run *plan, const struct gr_style *style, struct gr_str *out)
{
    *s = (struct gr_stream){.parts = format->parts,
                            .sheet = {.run = run, .plan = plan, .style = *style, .out = out}};
    if (s->parts->begin)
        s->parts->begin(&s->sheet);
    if (out->failed) {
        static const struct gr_format_parts nothing = {0};
        s->parts = &nothing;
    }
}

static bool belongs(const struct gr_stream *s, const struct gr_row *row)
{
    int64_t m, n, k;
    gr_row_requested(row, &m, &n, &k);
    return s->in_group && m == s->group.m && n == s->group.n && k == s->group.k &&
           gr_rows_alike(&s->lead, row);
}

static void end_group(struct gr_stream *s)
{
    if (s->in_group && s->parts->foot)
        s->parts->foot(&s->sheet);
    s->in_group = false;
}

/* Copies those parts of the group that remain valid when the rows have moved in memory. */
static void keep(struct gr_stream *s, const struct gr_group *group)
{
    s->group = *group;
    s->group.rows = NULL;
    s->group.count = 0;
    s->lead = *group->lead;
    snprintf(s->device, sizeof s->device, "%s", s->lead.device ? s->lead.device : "");
    s->lead.device = s->device;
    s->group.lead = &s->lead;
    if (group->peer)
        s->peer = *group->peer;
    s->group.peer = group->peer ? &s->peer : NULL;
    s->in_group = true;
}

/* Prints the head of a group, made from its first row and those rows that are already known. */
static void begin_group(struct gr_stream *s, const struct gr_row *row, const struct gr_run *aside)
{
    int count = aside ? aside->row_count : 0;
    struct gr_run known = {.rows = calloc((size_t)count + 1, sizeof *known.rows)};
    struct gr_groups groups = {0};
    if (!known.rows)
        return;
    known.rows[known.row_count++] = *row;
    for (int i = 0; i < count; i++)
        known.rows[known.row_count++] = aside->rows[i];
    if (gr_groups_make(&known, &groups, NULL) == GRADUS_OK && groups.count > 0) {
        if (s->parts->head)
            s->parts->head(&s->sheet, &groups.items[0]);
        keep(s, &groups.items[0]);
    }
    gr_groups_free(&groups);
    free(known.rows);
}

void gr_stream_row(struct gr_stream *s, const struct gr_row *row, const struct gr_run *aside,
                   struct gr_str *out)
{
    s->sheet.out = out;
    if (!belongs(s, row)) {
        end_group(s);
        begin_group(s, row, aside);
    }
    if (s->in_group && s->parts->row)
        s->parts->row(&s->sheet, &s->group, row);
}

void gr_stream_end(struct gr_stream *s, struct gr_str *out)
{
    s->sheet.out = out;
    end_group(s);
    if (s->parts->end)
        s->parts->end(&s->sheet);
    free(s->sheet.own);
    s->sheet.own = NULL;
}
