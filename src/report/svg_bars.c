/* svg_bars.c: horizontal bars, which leave room for names, with vertical lines across them.
 * SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "report/axis.h"
#include "report/markup.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROW = 28,    /* from one bar to the next */
    BAR = 18,    /* the height of a bar */
    LEVEL = 17,  /* from one line of labels to the next */
    FOOT = 44,   /* for ticks and the label of the axis */
    MARGIN = 10, /* around the picture */
    SPACE = 6,   /* between a bar and its text */
    LEVELS = 8,
    SAMPLE = 30, /* of a line, before its name in the key */
};

struct bars {
    const struct gr_picture *picture;
    struct gr_str *out;
    double width, top, bottom, name_width;
    struct gr_axis x;
};

static double largest_value(const struct gr_picture *picture)
{
    double most = 0;
    for (int i = 0; i < picture->series_count; i++)
        for (int j = 0; j < picture->series[i].count; j++)
            most =
                fmax(most, fmax(picture->series[i].points[j].x, picture->series[i].points[j].hi));
    for (int i = 0; i < picture->rule_count; i++)
        most = picture->rules[i].value > most ? picture->rules[i].value : most;
    return most > 0 ? most : 1;
}

static double widest_name(const struct gr_picture *picture)
{
    double widest = 0;
    for (int i = 0; i < picture->series[0].count; i++) {
        double width = gr_svg_text_width(picture->series[0].points[i].label);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static int by_value(const void *x, const void *y)
{
    double a = (*(const struct gr_rule *const *)x)->value,
           b = (*(const struct gr_rule *const *)y)->value;
    return (a > b) - (a < b);
}

/* The labels of rules are above the plot, each in the lowest line in which it overlaps no other
 * label. */
struct label {
    const struct gr_rule *rule;
    char text[192];
    double x; /* of the middle */
    int level;
};

static int place_labels(struct bars *b, struct label *labels)
{
    const struct gr_picture *p = b->picture;
    double end[LEVELS] = {0};
    int levels = 0;
    const struct gr_rule **sorted = calloc((size_t)p->rule_count + 1, sizeof(struct gr_rule *));
    for (int i = 0; sorted && i < p->rule_count; i++)
        sorted[i] = &p->rules[i];
    if (sorted)
        qsort(sorted, (size_t)p->rule_count, sizeof *sorted, by_value);
    for (int i = 0; sorted && i < p->rule_count; i++) {
        struct label *label = &labels[i];
        char rate[GR_WORD];
        gr_word_rate(sorted[i]->value, rate);
        label->rule = sorted[i];
        snprintf(label->text, sizeof label->text, "%.90s %s", sorted[i]->label, rate);
        double half = gr_svg_text_width(label->text) / 2, x = gr_axis_at(&b->x, sorted[i]->value);
        x = x + half > b->width ? b->width - half : x;
        label->x = x < half ? half : x;
        label->level = 0;
        while (label->level < LEVELS - 1 && label->x - half < end[label->level])
            label->level++;
        end[label->level] = label->x + half + 2 * SPACE;
        levels = label->level + 1 > levels ? label->level + 1 : levels;
    }
    free(sorted);
    return levels;
}

static void word_value(const struct gr_picture *p, double value, char word[GR_WORD])
{
    if (p->unit > 0 && value > 0)
        gr_word_amount((int64_t)(value * p->unit + 0.5), word);
    else
        gr_word_rate(value, word);
}

/* Writes the classes of a rule, such as "curve p2" or "roof rule", for its line and for its
 * label. */
static void rule_style(const struct gr_rule *rule, char line[64], char words[64])
{
    char look[32];
    gr_svg_look(rule->look, look);
    snprintf(line, 64, rule->role == GR_DRAWN_PEER ? "rule curve %s" : "rule roof%.0s", look);
    snprintf(words, 64, rule->role == GR_DRAWN_PEER ? "halo %s" : "halo roof%.0s", look);
}

static void draw_axis(const struct bars *b)
{
    double ticks[GR_TICKS];
    int count = gr_axis_ticks(&b->x, (int)((b->x.to - b->x.from) / 60), ticks);
    for (int i = 0; i < count; i++) {
        char word[32];
        double x = gr_axis_at(&b->x, ticks[i]);
        gr_tick_word(ticks[i], word);
        gr_svg_line(b->out, "grid", x, b->top, x, b->bottom);
        gr_svg_text(b->out, "tick", GR_ANCHOR_MIDDLE, x, b->bottom + 16, word);
    }
    gr_svg_line(b->out, "axis", b->x.from, b->top, b->x.from, b->bottom);
    gr_svg_text(b->out, "axis-label", GR_ANCHOR_MIDDLE, (b->x.from + b->x.to) / 2, b->bottom + 35,
                b->picture->x_label);
}

/* Draws the text after the bar, or inside it if it would leave the picture. */
static void draw_bar_words(const struct bars *b, const struct gr_point *bar, double y)
{
    char rate[GR_WORD], words[256];
    bool empty = !(bar->x > 0);
    word_value(b->picture, bar->x, rate);
    snprintf(words, sizeof words, "%s%s%.180s", rate, rate[0] && bar->note ? ", " : "",
             bar->note ? bar->note : "");
    double end = empty ? b->x.from : gr_axis_at(&b->x, fmax(bar->x, bar->hi));
    double width = gr_svg_text_width(words);
    bool inside = !empty && end + SPACE + width > b->width;
    char *cut = gr_svg_text_cut(words, inside ? end - b->x.from : b->width - end - SPACE);
    if (cut)
        gr_svg_text(b->out,
                    empty    ? "halo nothing"
                    : inside ? "inside"
                             : "halo value",
                    inside ? GR_ANCHOR_END : GR_ANCHOR_START, inside ? end - SPACE : end + SPACE,
                    y + 4, cut);
    free(cut);
}

static void draw_bars(const struct bars *b)
{
    const struct gr_series *series = &b->picture->series[0];
    for (int i = 0; i < series->count; i++) {
        const struct gr_point *bar = &series->points[i];
        double y = b->top + ROW * (i + 0.5);
        char *name = gr_svg_text_cut(bar->label, b->name_width);
        if (name)
            gr_svg_text(b->out, "name", GR_ANCHOR_END, b->x.from - SPACE, y + 4, name);
        free(name);
        if (!(bar->x > 0))
            continue;
        gr_str_printf(b->out,
                      "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                      "rx=\"2\"><title>",
                      b->x.from, y - BAR / 2.0, gr_axis_at(&b->x, bar->x) - b->x.from, BAR);
        gr_markup_printf(b->out, "%s: %.4g %s", bar->label, bar->x, b->picture->x_label);
        gr_str_add(b->out, "</title></rect>\n");
        if (bar->hi > 0)
            gr_svg_whisker(b->out, true, y, gr_axis_at(&b->x, bar->lo), gr_axis_at(&b->x, bar->hi));
    }
}

/* Draws all lines before the labels, because the halo of a label must cover the lines that it
 * crosses. */
static void draw_rules(const struct bars *b, const struct label *labels)
{
    char line[64], words[64];
    for (int i = 0; i < b->picture->rule_count; i++) {
        double x = gr_axis_at(&b->x, labels[i].rule->value);
        rule_style(labels[i].rule, line, words);
        gr_svg_line(b->out, line, x, b->top - LEVEL * labels[i].level - 2, x, b->bottom);
    }
    for (int i = 0; i < b->picture->rule_count; i++) {
        rule_style(labels[i].rule, line, words);
        gr_svg_text(b->out, words, GR_ANCHOR_MIDDLE, labels[i].x,
                    b->top - LEVEL * labels[i].level - SPACE, labels[i].text);
    }
}

/* Draws the key of the lines, in rows below the axis. */
static void draw_key(const struct bars *b, const struct label *labels, double y)
{
    double x = MARGIN;
    for (int i = 0; i < b->picture->rule_count; i++) {
        char line[64], words[64];
        double width = SAMPLE + gr_svg_text_width(labels[i].rule->label) + 2 * MARGIN;
        if (x > MARGIN && x + width > b->width) {
            x = MARGIN;
            y += LEVEL;
        }
        rule_style(labels[i].rule, line, words);
        gr_svg_line(b->out, line, x, y - 4, x + SAMPLE - SPACE, y - 4);
        gr_svg_text(b->out, words, GR_ANCHOR_START, x + SAMPLE, y, labels[i].rule->label);
        x += width;
    }
}

static int key_rows(const struct bars *b)
{
    double x = 0;
    int rows = b->picture->rule_count > 0;
    for (int i = 0; i < b->picture->rule_count; i++) {
        double width = SAMPLE + gr_svg_text_width(b->picture->rules[i].label) + 2 * MARGIN;
        rows += x > 0 && MARGIN + x + width > b->width;
        x = x > 0 && MARGIN + x + width > b->width ? width : x + width;
    }
    return rows;
}

void gr_svg_bars(const struct gr_picture *picture, double width, struct gr_str *out)
{
    struct bars b = {.picture = picture, .out = out, .width = width};
    struct label *labels = calloc((size_t)picture->rule_count + 1, sizeof *labels);
    if (!labels || picture->series_count == 0) {
        out->failed |= !labels;
        free(labels);
        return;
    }
    const struct gr_series *series = &picture->series[0];
    b.name_width = widest_name(picture) < width * 0.34 ? widest_name(picture) : width * 0.34;
    b.x = (struct gr_axis){
        .hi = 1.04 * largest_value(picture), .from = b.name_width + MARGIN, .to = width - MARGIN};
    int levels = place_labels(&b, labels);
    b.top = MARGIN / 2.0 + LEVEL * levels;
    b.bottom = b.top + ROW * series->count;
    gr_svg_open(out, picture->title, picture->alt, width,
                b.bottom + FOOT + LEVEL * (key_rows(&b) + 1));
    draw_axis(&b);
    draw_bars(&b);
    draw_rules(&b, labels);
    draw_key(&b, labels, b.bottom + FOOT + LEVEL);
    for (int i = 0; i < series->count; i++)
        draw_bar_words(&b, &series->points[i], b.top + ROW * (i + 0.5));
    gr_svg_close(out);
    free(labels);
}
