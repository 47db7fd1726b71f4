/* picture_counts.c: the memory requests of simulated kernels as bars, one for each kernel, at the
 * largest size of the run. Simulated rows have no times, so no rates are drawn.
 * SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "base/utf8.h"
#include "report/words.h"

#include <stdlib.h>

struct quantity {
    const char *name, *what, *meaning;
    int64_t (*of)(const struct gr_row_counts *counts);
};

static int64_t requests_of(const struct gr_row_counts *c)
{
    return c->requests;
}

static int64_t sectors_of(const struct gr_row_counts *c)
{
    return c->sectors;
}

static int64_t wavefronts_of(const struct gr_row_counts *c)
{
    return c->wavefronts;
}

static int64_t conflicts_of(const struct gr_row_counts *c)
{
    return c->conflicts;
}

static const struct quantity quantities[] = {
    {"requests", "requests of global memory", "a warp that executes one access once", requests_of},
    {"sectors", "sectors of global memory",
     "pieces of 32 bytes, or AMD's cache lines, that those requests access", sectors_of},
    {"wavefronts", "wavefronts of shared memory",
     "passes over its banks, of which each gives a word a pass", wavefronts_of},
    {"conflicts", "bank conflicts", "wavefronts beyond the fewest that the bytes need",
     conflicts_of},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static int64_t most_of(const struct gr_group *group, const struct quantity *q)
{
    int64_t most = 0;
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (gr_row_has_counts(row) && q->of(&row->counts) > most)
            most = q->of(&row->counts);
    }
    return most;
}

static const char *unit_word(double unit)
{
    return unit >= 1e9 ? "billion " : unit >= 1e6 ? "million " : unit >= 1e3 ? "thousand " : "";
}

static bool add_bar(struct gr_picture *p, const struct gr_row *row, const struct quantity *q,
                    double unit)
{
    struct gr_str name = {0}, note = {0};
    int64_t count = gr_row_has_counts(row) ? q->of(&row->counts) : 0;
    gr_str_add_line(&name, gr_row_name(row));
    if (!gr_row_has_counts(row)) {
        if (row->verdict == GR_RIGHT)
            gr_str_add(&note, "not counted");
        else
            gr_row_format_verdict(row, &note);
    } else if (count == 0) {
        gr_str_add(&note, "none");
    } else if (row->counts.sampled) {
        gr_str_add(&note, "sampled");
    }
    return gr_series_add(gr_picture_series(p, q->what, GR_DRAWN_KERNEL), (double)count / unit, 0,
                         name.text, note.text);
}

static void add_words(struct gr_picture *p, const struct gr_family *family,
                      const struct gr_group *group, const struct quantity *q, double unit)
{
    struct gr_str alt = {0};
    char size[64], word[GR_WORD];
    gr_size_name(group->m, group->n, group->k, size, sizeof size);
    p->title = gr_printf("%c%s at %s%s", q->what[0] - 'a' + 'A', q->what + 1, size, family->words);
    p->caption = gr_printf("All %s of a product at %s: %s. Counted by the simulator; shorter is "
                           "less work for the memory, and says nothing yet of time.",
                           q->what, size, q->meaning);
    p->x_label = gr_printf("%s%s", unit_word(unit), q->what);
    gr_str_printf(&alt, "Bar chart of %s for each kernel at size %s.", q->what, size);
    for (int i = 0; i < group->count; i++) {
        const struct gr_row *row = group->rows[i];
        if (row->is_peer || !gr_row_has_counts(row))
            continue;
        gr_word_amount(q->of(&row->counts), word);
        gr_str_add(&alt, " ");
        gr_str_add_line(&alt, gr_row_name(row));
        gr_str_printf(&alt, ": %s.", word);
    }
    p->alt = alt.text;
}

static bool draw(const struct gr_family *family, const struct gr_group *group,
                 const struct quantity *q, struct gr_pictures *pictures)
{
    int64_t most = most_of(group, q);
    double unit = most >= 1000000000 ? 1e9 : most >= 1000000 ? 1e6 : most >= 10000 ? 1e3 : 1;
    struct gr_picture *p = most == 0 ? NULL
                                     : gr_picture_add(pictures, GR_PICTURE_BARS,
                                                      gr_printf("%s%s", q->name, family->suffix));
    if (!p)
        return false;
    bool done = true;
    p->unit = unit;
    for (int i = 0; i < group->count; i++)
        if (!group->rows[i]->is_peer)
            done &= add_bar(p, group->rows[i], q, unit);
    add_words(p, family, group, q, unit);
    pictures->failed |= !done || !p->title || !p->caption || !p->alt || !p->x_label;
    return true;
}

bool gr_picture_counts(const struct gr_family *family, struct gr_pictures *pictures)
{
    bool any = false;
    for (int i = 0; i < QUANTITIES; i++)
        any |= draw(family, family->groups[family->count - 1], &quantities[i], pictures);
    return any;
}
