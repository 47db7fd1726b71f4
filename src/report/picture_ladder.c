/* picture_ladder.c: the ladder as bars, one for each rung, at the largest size of the run, with
 * lines for the peers and for the measured peak. SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "base/utf8.h"
#include "records/steady.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

/* The text after a bar, next to its value, or in place of a missing value. */
static char *note_of(const struct gr_row *row)
{
    struct gr_str note = {0};
    char size[64];
    if (!gr_row_has_speed(row)) {
        gr_row_format_verdict(row, &note);
        return note.text;
    }
    if (gr_row_is_capped(row)) {
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        gr_str_printf(&note, "at %s", size);
    }
    if (gr_row_is_unsteady(row))
        gr_str_add(&note, note.length ? ", unsteady" : "unsteady");
    return note.text;
}

static bool add_bar(struct gr_picture *picture, const struct gr_row *row)
{
    struct gr_str name = {0};
    gr_str_add_line(&name, gr_row_name(row));
    double rate = gr_row_has_speed(row) ? row->gflops : 0;
    struct gr_series *series = gr_picture_series(picture, "GFLOP/s", GR_DRAWN_KERNEL);
    bool done = gr_series_add(series, rate, 0, name.text, note_of(row));
    if (done && rate > 0)
        gr_series_interval(series, row);
    return done;
}

static bool has_rule(const struct gr_picture *picture, const char *label)
{
    for (int i = 0; i < picture->rule_count; i++)
        if (strcmp(picture->rules[i].label, label) == 0)
            return true;
    return false;
}

static bool has_rule_of(const struct gr_picture *picture, enum gr_role_drawn role)
{
    for (int i = 0; i < picture->rule_count; i++)
        if (picture->rules[i].role == role)
            return true;
    return false;
}

static bool add_peer_line(struct gr_picture *picture, const char *name, double rate)
{
    struct gr_str label = {0};
    gr_str_add_line(&label, name);
    if (!(rate > 0) || has_rule(picture, gr_str_text(&label))) {
        gr_str_free(&label);
        return true;
    }
    return gr_picture_rule(picture, label.text, GR_DRAWN_PEER, rate);
}

/* Adds the rules of peers. Rows of peers come first, because these were timed by themselves, then
 * the peers that rows were timed together with. */
static bool add_rules(struct gr_picture *picture, const struct gr_family *family,
                      const struct gr_group *group)
{
    double peak = gr_group_peak(family->run, group);
    bool done = true;
    for (int i = 0; i < group->count; i++)
        if (group->rows[i]->is_peer && gr_row_has_speed(group->rows[i]) &&
            !gr_row_is_unsteady(group->rows[i]))
            done &= add_peer_line(picture, gr_row_name(group->rows[i]), group->rows[i]->gflops);
    for (int i = 0; i < group->count; i++)
        if (gr_row_has_speed(group->rows[i]) && !gr_row_is_capped(group->rows[i]) &&
            !gr_row_is_unsteady(group->rows[i]))
            done &= add_peer_line(picture, group->rows[i]->peer.name, group->rows[i]->peer.gflops);
    if (peak > 0)
        done &= gr_picture_rule(picture, gr_strdup("measured peak"), GR_DRAWN_ROOF, peak);
    return done;
}

static bool has_speed(const struct gr_group *group)
{
    for (int i = 0; i < group->count; i++)
        if (!group->rows[i]->is_peer && gr_row_has_speed(group->rows[i]))
            return true;
    return false;
}

static void add_words(struct gr_picture *p, const struct gr_family *family,
                      const struct gr_group *group)
{
    struct gr_str alt = {0}, caption = {0}, say = {0};
    char size[64], rate[GR_WORD];
    const struct gr_row *best = gr_group_best(group);
    gr_size_name(group->m, group->n, group->k, size, sizeof size);
    gr_group_format(family->run, group, &say);
    p->title = gr_printf("The ladder at %s%s", size, family->words);
    gr_str_printf(&caption, "The rate of each rung at %s: longer is faster.", size);
    if (has_rule_of(p, GR_DRAWN_PEER))
        gr_str_add(&caption, " Broken lines are the libraries timed in the same run.");
    if (gr_picture_has_intervals(p))
        gr_str_printf(&caption, " %s", gr_interval_meaning);
    if (has_rule_of(p, GR_DRAWN_ROOF))
        gr_str_add(&caption, " The solid line is the measured peak of this machine's arithmetic.");
    gr_str_printf(&caption, " Here: %s.", gr_str_text(&say));
    p->caption = caption.text;
    gr_str_printf(&alt, "Bar chart of GFLOP/s for each kernel at size %s.", size);
    if (best) {
        gr_word_rate(best->gflops, rate);
        gr_str_add(&alt, " The best is ");
        gr_str_add_line(&alt, gr_row_name(best));
        gr_str_printf(&alt, " with %s GFLOP/s.", rate);
    }
    for (int i = 0; i < p->rule_count; i++) {
        gr_word_rate(p->rules[i].value, rate);
        gr_str_printf(&alt, " %s: %s GFLOP/s.", p->rules[i].label, rate);
    }
    p->alt = alt.text;
    p->x_label = gr_strdup("GFLOP/s");
    gr_str_free(&say);
}

bool gr_picture_ladder(const struct gr_family *family, struct gr_pictures *pictures)
{
    const struct gr_group *group = family->groups[family->count - 1];
    if (!has_speed(group))
        return false;
    struct gr_picture *p =
        gr_picture_add(pictures, GR_PICTURE_BARS, gr_printf("ladder%s", family->suffix));
    if (!p)
        return false;
    bool done = add_rules(p, family, group);
    for (int i = 0; i < group->count; i++)
        if (!group->rows[i]->is_peer)
            done &= add_bar(p, group->rows[i]);
    add_words(p, family, group);
    pictures->failed |= !done || !p->title || !p->caption || !p->alt || !p->x_label;
    return true;
}
