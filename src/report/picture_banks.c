/* picture_banks.c: the banks of shared memory in one request of a warp: how many distinct words
 * each bank must deliver. A bank delivers one word per pass, so the bank with the most words
 * determines how many passes (wavefronts) the phase takes. Which lanes are served in one phase
 * depends on the width of the access and on the device (records/access_rules.h).
 * SPDX-License-Identifier: MIT */
#include "report/figure.h"

#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MARGIN = 8,
    TOP = 20,
    CELL = 26, /* the height of a cell */
    WORD = 4,
    MOST_PHASES = 16,
    LEFT = 92,   /* the room for the phase's lanes, in a wide picture */
    RIGHT = 104, /* the room for its wavefronts */
};

struct phase {
    uint64_t lanes;           /* one bit for each lane */
    int words[GR_BANKS_MOST]; /* the number of distinct words */
    int wavefronts, full;     /* `full` is the bank with the most words */
    bool active;
};

struct banks {
    const struct gr_trace_site *site;
    struct phase phases[MOST_PHASES];
    int phase_count, wavefronts, banks;
};

static int by_place(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static bool has(const struct phase *p, int lane)
{
    return p->lanes >> lane & 1;
}

static void count_phase(const struct gr_trace_site *site, int banks, struct phase *p)
{
    int64_t words[GR_TRACE_LANES * 4 + GR_TRACE_LANES];
    int count = 0;
    for (int lane = 0; lane < GR_TRACE_LANES; lane++) {
        int64_t at = has(p, lane) ? site->pattern[lane] : -1;
        if (at < 0)
            continue;
        for (int64_t w = at / WORD; w <= (at + site->bytes - 1) / WORD; w++)
            words[count++] = w;
    }
    qsort(words, (size_t)count, sizeof *words, by_place);
    for (int i = 0; i < count; i++)
        if (i == 0 || words[i] != words[i - 1])
            p->words[words[i] % banks]++;
    for (int bank = 0; bank < banks; bank++)
        if (p->words[bank] > p->wavefronts) {
            p->wavefronts = p->words[bank];
            p->full = bank;
        }
    p->active = count > 0;
}

static void read_pattern(const struct gr_figure_site *where, struct banks *b)
{
    const struct gr_trace_site *site = where->site;
    int8_t phase[GR_TRACE_LANES];
    bool loads = site->access == GR_ACCESS_LOAD;
    int lanes = where->trace->warp > 0 && where->trace->warp <= GR_TRACE_LANES ? where->trace->warp
                                                                               : GR_TRACE_LANES;
    int phases = gr_phases_of(&site->rules, site->pattern, lanes, site->bytes, loads, phase);
    *b = (struct banks){.site = site, .banks = gr_banks_of(&site->rules, site->bytes, loads)};
    for (int i = 0; i < phases && b->phase_count < MOST_PHASES; i++) {
        struct phase *p = &b->phases[b->phase_count];
        *p = (struct phase){0};
        for (int lane = 0; lane < lanes; lane++)
            p->lanes |= phase[lane] == i ? 1ULL << lane : 0;
        count_phase(site, b->banks, p);
        if (!p->active)
            continue;
        b->wavefronts += p->wavefronts;
        b->phase_count++;
    }
}

/* Writes lanes such as "lanes 0-3, 20-23"; `to` replaces the hyphen. */
static void name_lanes(const struct phase *p, const char *to, char text[48])
{
    size_t used = (size_t)snprintf(text, 48, "lanes");
    for (int lane = 0, end; lane < GR_TRACE_LANES; lane = end + 1) {
        end = lane;
        while (has(p, lane) && end + 1 < GR_TRACE_LANES && has(p, end + 1))
            end++;
        if (has(p, lane) && used < 48)
            used += (size_t)snprintf(text + used, 48 - used, "%s %d%s%d", used > 5 ? "," : "", lane,
                                     to, end);
    }
}

/* ---- The text. ---- */

static const struct phase *worst(const struct banks *b)
{
    const struct phase *most = &b->phases[0];
    for (int i = 1; i < b->phase_count; i++)
        if (b->phases[i].wavefronts > most->wavefronts)
            most = &b->phases[i];
    return most;
}

/* Names the lanes that the bank with the most words serves. */
static void say_lanes(const struct banks *b, const struct phase *p, struct gr_str *out)
{
    int said = 0, more = 0;
    gr_str_printf(out, " Bank %d must deliver %d distinct words in one phase, to lanes", p->full,
                  p->wavefronts);
    for (int lane = 0; lane < GR_TRACE_LANES; lane++) {
        int64_t at = has(p, lane) ? b->site->pattern[lane] : -1;
        bool in = false;
        for (int64_t w = at / WORD; at >= 0 && w <= (at + b->site->bytes - 1) / WORD; w++)
            in |= w % b->banks == p->full;
        if (in && said < 8)
            gr_str_printf(out, "%s %d", said++ ? "," : "", lane);
        else
            more += in;
    }
    if (more)
        gr_str_printf(out, " and %d more", more);
    gr_str_add(out, ".");
}

static void say(const struct gr_figure_site *where, const struct banks *b, struct gr_figure *f)
{
    struct gr_str title = {0}, caption = {0}, alt = {0};
    const struct phase *p = worst(b);
    int conflicts = b->wavefronts - b->phase_count;
    gr_str_add(&title, "Banks of shared memory, ");
    gr_site_format(where, &title);
    gr_str_printf(
        &alt, "One request takes %d wavefront%s in %d phase%s over %d banks: ", b->wavefronts,
        b->wavefronts == 1 ? "" : "s", b->phase_count, b->phase_count == 1 ? "" : "s", b->banks);
    if (conflicts > 0)
        gr_str_printf(&alt, "%d more than if no bank had two words to deliver.", conflicts);
    else
        gr_str_add(&alt, "no bank has two words to deliver in a phase.");
    gr_str_add(&caption, gr_str_text(&alt));
    if (conflicts > 0)
        say_lanes(b, p, &caption);
    gr_str_add(&caption, " ");
    gr_site_format_request(b->site, &caption);
    gr_str_add(&caption, " Lanes that request the same word are served at once.");
    f->failed |= title.failed || caption.failed || alt.failed;
    f->title = title.text;
    f->caption = caption.text;
    f->alt = alt.text;
}

/* ---- The drawing. ---- */

static int heat(int words)
{
    return words == 0 ? 0 : words == 1 ? 1 : words <= 2 ? 2 : words <= 8 ? 3 : 4;
}

/* Draws `count` banks from `first` on in a row. */
static void draw_row(const struct phase *p, int first, int count, double x, double y, double pitch,
                     struct gr_str *out)
{
    char style[24], hint[128], number[16], lanes[48];
    name_lanes(p, " to ", lanes);
    for (int bank = first; bank < first + count; bank++, x += pitch) {
        int words = p->words[bank];
        snprintf(style, sizeof style, "cell heat%d", heat(words));
        snprintf(hint, sizeof hint, "bank %d, %s: %d distinct word%s", bank, lanes, words,
                 words == 1 ? "" : "s");
        gr_svg_box(out, style, x, y, pitch, CELL, hint);
        snprintf(number, sizeof number, "%d", words);
        if (words > 0)
            gr_svg_text(out, "on", GR_ANCHOR_MIDDLE, x + pitch / 2, y + CELL / 2.0 + 4, number);
    }
}

static void draw_numbers(int first, int count, double x, double y, double pitch, struct gr_str *out)
{
    char number[16];
    for (int bank = first; bank < first + count; bank++) {
        snprintf(number, sizeof number, "%d", bank);
        if (bank % 4 == 0 || pitch > 24)
            gr_svg_text(out, "tick", GR_ANCHOR_MIDDLE, x + pitch * (bank - first + 0.5), y, number);
    }
}

static void phase_words(const struct phase *p, char lanes[48], char passes[48])
{
    name_lanes(p, "-", lanes);
    snprintf(passes, 48, "%d wavefront%s", p->wavefronts, p->wavefronts == 1 ? "" : "s");
}

/* Returns where the banks begin. The names of phases are longer if they have several groups of
 * lanes. */
static double left_of(const struct banks *b)
{
    char lanes[48];
    double most = LEFT;
    for (int i = 0; i < b->phase_count; i++) {
        name_lanes(&b->phases[i], "-", lanes);
        double width = MARGIN + gr_svg_text_width(lanes) + 12;
        most = width > most ? width : most;
    }
    return most;
}

static double draw_wide(const struct banks *b, double width, struct gr_str *out)
{
    double pitch = (width - left_of(b) - RIGHT) / b->banks, y = TOP;
    char lanes[48], passes[48];
    gr_svg_text(out, "tick", GR_ANCHOR_START, MARGIN, TOP - 6, "bank");
    draw_numbers(0, b->banks, left_of(b), TOP - 6, pitch, out);
    for (int i = 0; i < b->phase_count; i++, y += CELL + 6) {
        phase_words(&b->phases[i], lanes, passes);
        gr_svg_text(out, "label", GR_ANCHOR_START, MARGIN, y + CELL / 2.0 + 4, lanes);
        gr_svg_text(out, "label", GR_ANCHOR_END, width, y + CELL / 2.0 + 4, passes);
        draw_row(&b->phases[i], 0, b->banks, left_of(b), y, pitch, out);
    }
    return y;
}

/* Draws the banks in two rows, so that there is room for the numbers. */
static double draw_narrow(const struct banks *b, double width, struct gr_str *out)
{
    const int half_count = b->banks / 2;
    double pitch = (width - 2 * MARGIN) / half_count, y = TOP + 4;
    char lanes[48], passes[48];
    for (int i = 0; i < b->phase_count; i++, y += 2 * (CELL + 18) + 26) {
        phase_words(&b->phases[i], lanes, passes);
        gr_svg_text(out, "strong", GR_ANCHOR_START, MARGIN, y - 8, lanes);
        gr_svg_text(out, "label", GR_ANCHOR_END, width - MARGIN, y - 8, passes);
        for (int half = 0; half < 2; half++) {
            double row = y + half * (CELL + 18);
            draw_row(&b->phases[i], half * half_count, half_count, MARGIN, row, pitch, out);
            draw_numbers(half * half_count, half_count, MARGIN, row + CELL + 13, pitch, out);
        }
    }
    return y - 4;
}

static void draw(const void *model, const struct gr_figure *f, double width, struct gr_str *out)
{
    const struct banks *b = model;
    bool wide = width > 500;
    double foot = wide ? TOP + b->phase_count * (CELL + 6.0)
                       : TOP + b->phase_count * (2 * (CELL + 18.0) + 26);
    gr_svg_open(out, f->title, f->alt, width, foot + (wide ? 32 : 68));
    if (wide)
        draw_wide(b, width, out);
    else
        draw_narrow(b, width, out);
    struct gr_legend legend = {out, MARGIN, wide ? left_of(b) : MARGIN, foot + 20, width - MARGIN};
    gr_legend_item(&legend, "heat0", "no word");
    gr_legend_item(&legend, "heat1", "one distinct word");
    gr_legend_item(&legend, "heat2", "2");
    gr_legend_item(&legend, "heat3", "3 to 8");
    gr_legend_item(&legend, "heat4", "9 and more");
    gr_svg_close(out);
}

static void add_gnuplot(const struct banks *b, struct gr_figure *f)
{
    gr_figure_script(f, "a row a phase, a column a bank: distinct words", 260);
    gr_str_printf(&f->script, "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\n", b->banks - 0.5,
                  b->phase_count - 0.5);
    gr_str_add(&f->script, "set xlabel 'bank'\nset ylabel 'phase'\nset ytics 1\nset xtics 4\n"
                           "set cblabel 'distinct words'\n"
                           "set cbrange [0:32]\nset palette defined (0 'white', 1 '#d5e6f7', 2 "
                           "'#fbe9c6', 8 '#f7c49b', 32 '#ee9083')\nunset key\n"
                           "plot data matrix using 1:2:3 with image pixels\n");
    for (int i = 0; i < b->phase_count; i++)
        for (int bank = 0; bank < b->banks; bank++)
            gr_str_printf(&f->data, "%d%s", b->phases[i].words[bank],
                          bank + 1 < b->banks ? "\t" : "\n");
}

void gr_picture_banks(const struct gr_figure_site *where, const char *name, struct gr_figure *f)
{
    struct banks b;
    read_pattern(where, &b);
    *f = (struct gr_figure){.name = gr_strdup(name)};
    say(where, &b, f);
    if (f->name)
        add_gnuplot(&b, f);
    if (b.phase_count > 0)
        gr_figure_draw(f, draw, &b);
}
