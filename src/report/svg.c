/* svg.c: basic functions that draw SVG. SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "base/utf8.h"
#include "report/markup.h"

#include <stdio.h>

#define LETTER_WIDTH 6.7 /* on average, for the 12 px of the style sheet */

void gr_svg_render(const struct gr_picture *picture, double width, struct gr_str *out)
{
    if (picture->kind == GR_PICTURE_BARS)
        gr_svg_bars(picture, width, out);
    else
        gr_svg_plot(picture, width, out);
}

void gr_svg_open(struct gr_str *out, const char *title, const char *alt, double width,
                 double height)
{
    gr_str_printf(out, "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" aria-label=\"", width, height);
    gr_markup_add(out, alt);
    gr_str_add(out, "\"><title>");
    gr_markup_add(out, title);
    gr_str_add(out, "</title><desc>");
    gr_markup_add(out, alt);
    gr_str_add(out, "</desc>\n");
}

void gr_svg_close(struct gr_str *out)
{
    gr_str_add(out, "</svg>\n");
}

void gr_svg_line(struct gr_str *out, const char *style, double x0, double y0, double x1, double y1)
{
    gr_str_printf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                  style, x0, y0, x1, y1);
}

void gr_svg_box(struct gr_str *out, const char *style, double x, double y, double width,
                double height, const char *hint)
{
    gr_str_printf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                  style, x, y, width, height);
    if (!hint) {
        gr_str_add(out, "/>\n");
        return;
    }
    gr_str_add(out, "><title>");
    gr_markup_add(out, hint);
    gr_str_add(out, "</title></rect>\n");
}

static const char *anchor_name(enum gr_anchor anchor)
{
    static const char *const names[] = {"start", "middle", "end"};
    return names[anchor];
}

void gr_svg_text(struct gr_str *out, const char *style, enum gr_anchor anchor, double x, double y,
                 const char *text)
{
    gr_svg_text_rotated(out, style, anchor, x, y, 0, text);
}

void gr_svg_text_rotated(struct gr_str *out, const char *style, enum gr_anchor anchor, double x,
                         double y, double degrees, const char *text)
{
    gr_str_printf(out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\"", style,
                  anchor_name(anchor), x, y);
    if (degrees != 0)
        gr_str_printf(out, " transform=\"rotate(%.1f %.1f %.1f)\"", degrees, x, y);
    gr_str_add(out, ">");
    gr_markup_add(out, text);
    gr_str_add(out, "</text>\n");
}

/* Shapes that can be distinguished without colour. The path of each is centred on the origin and
 * about 9 px wide. */
static const char *const shapes[GR_MARKS] = {
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",              /* disc */
    "M-4 -4h8v8h-8z",                                             /* square */
    "M0 -5L5 4H-5z",                                              /* triangle */
    "M0 -5.5L5.5 0L0 5.5L-5.5 0z",                                /* diamond */
    "M0 5L5 -4H-5z",                                              /* triangle, point down */
    "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", /* cross */
    "M-5 -5L0 -2L5 -5L2 0L5 5L0 2L-5 5L-2 0z",                    /* four-pointed star */
};

void gr_svg_mark(struct gr_str *out, const char *style, int shape, double x, double y,
                 const char *hint)
{
    gr_str_printf(out,
                  "<path class=\"mark %s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"><title>",
                  style, x, y, shapes[shape % GR_MARKS]);
    gr_markup_add(out, hint);
    gr_str_add(out, "</title></path>\n");
}

void gr_svg_look(int look, char style[32])
{
    snprintf(style, 32, "p%d", look % GR_LOOKS);
}

void gr_svg_whisker(struct gr_str *out, bool lying, double at, double from, double to)
{
    enum { HALF = 4 };
    if (lying)
        gr_str_printf(out,
                      "<path class=\"whisker\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv%dM%.1f %.1fv%d\"/>\n",
                      from, at, to, from, at - HALF, 2 * HALF, to, at - HALF, 2 * HALF);
    else
        gr_str_printf(out,
                      "<path class=\"whisker\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh%dM%.1f %.1fh%d\"/>\n",
                      at, from, to, at - HALF, from, 2 * HALF, at - HALF, to, 2 * HALF);
}

double gr_svg_text_width(const char *text)
{
    return LETTER_WIDTH * gr_utf8_width(text);
}

char *gr_svg_text_cut(const char *text, double width)
{
    int room = (int)(width / LETTER_WIDTH);
    if (gr_utf8_width(text) <= room)
        return gr_strdup(text);
    const char *end = text;
    for (int i = 0; i + 2 < room && *end; i++) {
        int length = gr_utf8_length(end);
        end += length ? length : 1;
    }
    return gr_printf("%.*s..", (int)(end - text), text);
}
