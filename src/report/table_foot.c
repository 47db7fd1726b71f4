/* table_foot.c: the lines below a table. SPDX-License-Identifier: MIT */
#include "report/table_foot.h"

#include "base/utf8.h"
#include "records/steady.h"
#include "report/shown.h"

#include <stdio.h>
#include <string.h>

struct foot {
    const struct gr_run *run;
    struct gr_str *out;
    int columns; /* the width of the terminal; 0: no limit */
};

static void draw_fact(struct foot *t, const char *label, const char *text, bool wrapped)
{
    enum { LABEL = 9 };
    if (!text || !*text)
        return;
    struct gr_str line = {0};
    gr_str_add_line(&line, text);
    gr_str_printf(t->out, "%-*s", LABEL, label);
    gr_wrap(t->out, gr_str_text(&line), wrapped ? t->columns : 0, LABEL, LABEL);
    gr_str_add(t->out, "\n");
    gr_str_free(&line);
}

static void add_item(struct gr_str *list, const char *separator, const char *item)
{
    if (item && *item)
        gr_str_printf(list, "%s%s", list->length ? separator : "", item);
}

/* Lists each peer that a row was timed against once. */
static void add_peers(const struct gr_run *run, struct gr_str *list)
{
    for (int i = 0; i < run->row_count; i++) {
        struct gr_str one = {0};
        if (!run->rows[i].peer.name[0])
            continue;
        gr_peer_format(&run->rows[i].peer, &one);
        if (!strstr(gr_str_text(list), gr_str_text(&one)))
            add_item(list, "; ", gr_str_text(&one));
        gr_str_free(&one);
    }
}

/* What the line about peers says of the run. */
static void describe_peers(const struct gr_run *run, struct gr_str *text)
{
    bool peer_rows = false, timed = false;
    for (int i = 0; i < run->row_count; i++) {
        peer_rows |= run->rows[i].is_peer;
        timed |= gr_row_has_speed(&run->rows[i]);
    }
    add_peers(run, text);
    if (text->length)
        gr_str_add(text, peer_rows ? "; interleaved with each row (* a peer's own row)"
                                   : "; interleaved with each row");
    else if (run->found_no_peer && timed)
        gr_str_add(text, "none was found to compare with; `gradus devices` lists them, and how to "
                         "get each");
}

/* Is the ceiling relevant for this run? The FMA rates of its types and threads are, and the read
 * bandwidths. */
static bool is_relevant(const struct gr_run *run, const struct gr_ceiling *ceiling)
{
    char name[sizeof ceiling->name];
    if (!gr_starts_with(ceiling->name, "fma."))
        return !gr_starts_with(ceiling->name, "copy.");
    for (int i = 0; i < run->row_count; i++) {
        const struct gr_row *row = &run->rows[i];
        snprintf(name, sizeof name, "fma.%s.%d", gr_dtype_name(row->problem.types.acc),
                 gr_row_all_threads(row));
        if (strcmp(name, ceiling->name) == 0)
            return true;
    }
    return false;
}

static void draw_partial(struct foot *t)
{
    struct gr_str partial = {0};
    gr_run_format_partial(t->run, true, &partial);
    draw_fact(t, "partial", gr_str_text(&partial), true);
    gr_str_free(&partial);
}

void gr_table_foot(const struct gr_run *run, int columns, struct gr_str *out)
{
    struct foot foot = {run, out, columns}, *t = &foot;
    const struct gr_environment *e = &t->run->environment;
    struct gr_str unsteady = {0}, peers = {0}, ceilings = {0}, machine = {0};
    bool counted = false;
    draw_partial(t);
    if (t->run->stopped && t->run->row_count == 0)
        return; /* the rest is about rows */
    for (int i = 0; i < t->run->row_count; i++)
        counted |= gr_row_has_counts(&t->run->rows[i]);
    gr_run_format_unsteady(t->run, &unsteady);
    describe_peers(t->run, &peers);
    for (int i = 0; i < e->ceiling_count; i++) {
        if (!is_relevant(t->run, &e->ceilings[i]))
            continue;
        gr_str_add(&ceilings, ceilings.length ? ", " : "");
        gr_ceiling_format(&e->ceilings[i], &ceilings);
    }
    add_item(&machine, "; ", e->gpu);
    add_item(&machine, machine.length ? "; " : "", e->cpu);
    add_item(&machine, ", ", e->isa);
    if (e->cores > 0)
        gr_str_printf(&machine, "%s%d core%s", machine.length ? ", " : "", e->cores,
                      e->cores == 1 ? "" : "s");
    add_item(&machine, ", ", e->caches);
    draw_fact(t, "unsteady", gr_str_text(&unsteady), true);
    draw_fact(t, "counts", counted ? gr_counts_meaning(t->run) : "", true);
    draw_fact(t, "peer", gr_str_text(&peers), true);
    draw_fact(t, "ceilings", gr_str_text(&ceilings), true);
    draw_fact(t, "machine", gr_str_text(&machine), true);
    draw_fact(t, "again", e->command, false);
    gr_str_free(&unsteady);
    gr_str_free(&peers);
    gr_str_free(&ceilings);
    gr_str_free(&machine);
}
