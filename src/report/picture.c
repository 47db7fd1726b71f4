/* picture.c: pictures as data: finds the families of groups, and manages the lists that pictures
 * consist of. SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/steady.h"
#include "report/amd_figure.h"
#include "report/shown.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

struct gr_picture *gr_picture_add(struct gr_pictures *pictures, enum gr_picture_kind kind,
                                  char *name)
{
    struct gr_picture *items =
        realloc(pictures->items, (size_t)(pictures->count + 1) * sizeof *items);
    if (items)
        pictures->items = items;
    if (!items || !name) {
        pictures->failed = true;
        free(name);
        return NULL;
    }
    items[pictures->count] = (struct gr_picture){.kind = kind, .name = name};
    return &items[pictures->count++];
}

struct gr_series *gr_picture_series(struct gr_picture *picture, const char *name,
                                    enum gr_role_drawn role)
{
    for (int i = 0; i < picture->series_count; i++)
        if (picture->series[i].role == role && strcmp(picture->series[i].name, name) == 0)
            return &picture->series[i];
    struct gr_series *series =
        realloc(picture->series, (size_t)(picture->series_count + 1) * sizeof *series);
    char *copy = gr_strdup(name);
    if (series)
        picture->series = series;
    if (!series || !copy) {
        free(copy);
        return NULL;
    }
    series[picture->series_count] = (struct gr_series){.name = copy, .role = role};
    return &series[picture->series_count++];
}

bool gr_series_add(struct gr_series *series, double x, double y, char *label, char *note)
{
    struct gr_point *points =
        series ? realloc(series->points, (size_t)(series->count + 1) * sizeof *points) : NULL;
    if (!points) {
        free(label);
        free(note);
        return false;
    }
    series->points = points;
    points[series->count++] = (struct gr_point){.x = x, .y = y, .label = label, .note = note};
    return true;
}

const char gr_interval_meaning[] =
    "Whiskers hold the middle half of the samples: the interquartile range of the times.";

/* Of the quartiles only the distance is known, so half of it is drawn on each side of the
 * median. */
void gr_series_interval(struct gr_series *series, const struct gr_row *row)
{
    const struct gr_stat *t = &row->time_ns;
    double flops = gr_problem_flops(&row->problem), half = t->iqr / 2;
    if (!series || series->count == 0 || t->n < 2 || !(half > 0) || !(t->median > half))
        return;
    struct gr_point *point = &series->points[series->count - 1];
    point->lo = flops / (t->median + half);
    point->hi = flops / (t->median - half);
}

bool gr_picture_has_intervals(const struct gr_picture *picture)
{
    for (int i = 0; i < picture->series_count; i++)
        for (int j = 0; j < picture->series[i].count; j++)
            if (picture->series[i].points[j].hi > 0)
                return true;
    return false;
}

bool gr_picture_rule(struct gr_picture *picture, char *label, enum gr_role_drawn role, double value)
{
    struct gr_rule *rules =
        realloc(picture->rules, (size_t)(picture->rule_count + 1) * sizeof *rules);
    if (rules)
        picture->rules = rules;
    if (!rules || !label) {
        free(label);
        return false;
    }
    rules[picture->rule_count++] = (struct gr_rule){.label = label, .role = role, .value = value};
    return true;
}

bool gr_picture_takes(struct gr_picture *picture, const struct gr_row *row)
{
    struct gr_str all = {0};
    char size[64];
    if (!gr_row_has_speed(row) || !gr_row_is_unsteady(row))
        return gr_row_has_speed(row);
    gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
    if (picture->left_out)
        gr_str_printf(&all, "%s, ", picture->left_out);
    gr_str_add_line(&all, gr_row_name(row));
    gr_str_printf(&all, " at %s", size);
    free(picture->left_out);
    picture->left_out = all.text;
    return false;
}

static void free_picture(struct gr_picture *p)
{
    char *texts[] = {p->name, p->output,  p->title,   p->caption,
                     p->alt,  p->x_label, p->y_label, p->left_out};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (int i = 0; i < p->series_count; i++) {
        for (int j = 0; j < p->series[i].count; j++) {
            free(p->series[i].points[j].label);
            free(p->series[i].points[j].note);
        }
        free(p->series[i].name);
        free(p->series[i].points);
    }
    for (int i = 0; i < p->rule_count; i++)
        free(p->rules[i].label);
    free(p->series);
    free(p->rules);
}

void gr_pictures_free(struct gr_pictures *pictures)
{
    for (int i = 0; i < pictures->count; i++)
        free_picture(&pictures->items[i]);
    free(pictures->items);
    *pictures = (struct gr_pictures){0};
}

static double volume(const struct gr_group *group)
{
    return (double)group->m * (double)group->n * (double)group->k;
}

static int by_volume(const void *x, const void *y)
{
    double a = volume(*(const struct gr_group *const *)x),
           b = volume(*(const struct gr_group *const *)y);
    return (a > b) - (a < b);
}

/* Returns a suffix such as "-f64-tn-2t" if the run has several families, of which only one can have
 * the plain name. */
static char *suffix_of(const struct gr_group *group, bool several)
{
    const struct gr_row *row = group->lead;
    if (!several)
        return gr_strdup("");
    return gr_printf("-%s-%s-%dt%s", gr_dtype_name(row->problem.types.c),
                     gr_problem_trans(&row->problem), row->threads,
                     gr_row_is_of_host(row) ? "" : "-device");
}

static char *words_of(const struct gr_group *group, bool several)
{
    const struct gr_row *row = group->lead;
    if (!several)
        return gr_strdup("");
    const char *type = gr_dtype_name(row->problem.types.c),
               *trans = gr_problem_trans(&row->problem);
    if (row->threads == 0) /* the row is of a device */
        return gr_printf(", %s %s, %s", type, trans, row->device ? row->device : "device");
    char threads[GR_WORD];
    gr_word_threads(row->threads, row->callers, threads);
    return gr_printf(", %s %s, %s", type, trans, threads);
}

static void make_family(const struct gr_run *run, const struct gr_group **family, int count,
                        bool several, struct gr_pictures *pictures)
{
    qsort(family, (size_t)count, sizeof *family, by_volume);
    char *suffix = suffix_of(family[0], several), *words = words_of(family[0], several);
    if (suffix && words) {
        struct gr_family f = {run, family, count, suffix, words};
        gr_picture_ladder(&f, pictures);
        gr_picture_counts(&f, pictures);
        gr_picture_sizes(&f, pictures);
        gr_picture_roofline(&f, pictures);
    }
    pictures->failed |= !suffix || !words;
    free(suffix);
    free(words);
}

/* ---- The appearance of peers. ---- */

struct names {
    const char **items;
    int count, room;
};

static void note_name(struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    if (names->count < names->room)
        names->items[names->count++] = name;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int rank_of(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return i;
    return 0;
}

/* A peer has the same appearance in all pictures, given by its index among the names of all
 * peers. */
static bool set_looks(struct gr_pictures *pictures)
{
    struct names names = {0};
    for (int i = 0; i < pictures->count; i++)
        names.room += pictures->items[i].series_count + pictures->items[i].rule_count;
    names.items = calloc((size_t)names.room + 1, sizeof *names.items);
    if (!names.items)
        return false;
    for (int i = 0; i < pictures->count; i++) {
        const struct gr_picture *p = &pictures->items[i];
        for (int j = 0; j < p->series_count; j++)
            if (p->series[j].role == GR_DRAWN_PEER)
                note_name(&names, p->series[j].name);
        for (int j = 0; j < p->rule_count; j++)
            if (p->rules[j].role == GR_DRAWN_PEER)
                note_name(&names, p->rules[j].label);
    }
    qsort(names.items, (size_t)names.count, sizeof *names.items, by_name);
    for (int i = 0; i < pictures->count; i++) {
        struct gr_picture *p = &pictures->items[i];
        for (int j = 0; j < p->series_count; j++)
            p->series[j].look = rank_of(&names, p->series[j].name);
        for (int j = 0; j < p->rule_count; j++)
            p->rules[j].look = rank_of(&names, p->rules[j].label);
    }
    free(names.items);
    return true;
}

static void tell_left_out(struct gr_picture *p)
{
    char *caption = p->left_out && p->caption
                        ? gr_printf("%s Left out, being unsteady: %s.", p->caption, p->left_out)
                        : NULL;
    if (caption) {
        free(p->caption);
        p->caption = caption;
    }
}

/* In the words of AMD's documents; false: memory is out. */
static bool change_words(struct gr_picture *p)
{
    char **const texts[] = {&p->title, &p->caption, &p->alt, &p->x_label, &p->y_label};
    bool whole = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        whole &= gr_figure_change_words(texts[i], NULL);
    for (int i = 0; i < p->series_count; i++)
        whole &= gr_figure_change_words(&p->series[i].name, NULL);
    for (int i = 0; i < p->rule_count; i++)
        whole &= gr_figure_change_words(&p->rules[i].label, NULL);
    return whole;
}

enum gradus_status gr_pictures_make(const struct gr_run *run, const struct gr_groups *groups,
                                    struct gr_pictures *pictures, struct gradus_error *error)
{
    *pictures = (struct gr_pictures){0};
    const struct gr_group **family = calloc((size_t)groups->count + 1, sizeof *family);
    for (int i = 0; family && i < groups->count; i++) {
        const struct gr_row *first = groups->items[i].rows[0];
        int count = 0;
        bool seen = false;
        for (int j = 0; j < groups->count; j++) {
            if (!gr_rows_alike(first, groups->items[j].rows[0]))
                continue;
            seen |= j < i;
            family[count++] = &groups->items[j];
        }
        if (!seen)
            make_family(run, family, count, count < groups->count, pictures);
    }
    pictures->failed |= !set_looks(pictures);
    for (int i = 0; i < pictures->count; i++)
        tell_left_out(&pictures->items[i]);
    for (int i = 0; i < pictures->count && gr_run_is_amd(run); i++)
        pictures->failed |= !change_words(&pictures->items[i]);
    if (family && !pictures->failed) {
        free(family);
        return GRADUS_OK;
    }
    free(family);
    gr_pictures_free(pictures);
    return gr_fail_memory(error, "the report's pictures", 0);
}
