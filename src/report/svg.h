/* svg.h: pictures as SVG inside an HTML page. The SVG has classes and no colours: the colours are
 * in the style sheet (html_style.c), so that the same markup serves for light and dark.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/picture.h"

/* Appends the picture as one <svg> of this width. The size of letters is fixed, so a narrow picture
 * is not just a scaled one. */
void gr_svg_render(const struct gr_picture *picture, double width, struct gr_str *out);

/* For svg_bars.c and svg_plot.c: the two kinds of drawings. */
void gr_svg_bars(const struct gr_picture *picture, double width, struct gr_str *out);
void gr_svg_plot(const struct gr_picture *picture, double width, struct gr_str *out);

/* The functions below draw single elements. Coordinates are in pixels; `style` is a class of the
 * style sheet; texts are escaped. */
enum gr_anchor { GR_ANCHOR_START, GR_ANCHOR_MIDDLE, GR_ANCHOR_END };

void gr_svg_open(struct gr_str *out, const char *title, const char *alt, double width,
                 double height);
void gr_svg_close(struct gr_str *out);
void gr_svg_line(struct gr_str *out, const char *style, double x0, double y0, double x1, double y1);
/* Draws a rectangle. `hint` is its tooltip; null: none. */
void gr_svg_box(struct gr_str *out, const char *style, double x, double y, double width,
                double height, const char *hint);
void gr_svg_text(struct gr_str *out, const char *style, enum gr_anchor anchor, double x, double y,
                 const char *text);
/* Draws text that is rotated by `degrees` about its position. */
void gr_svg_text_rotated(struct gr_str *out, const char *style, enum gr_anchor anchor, double x,
                         double y, double degrees, const char *text);
/* Draws a mark with one of GR_MARKS shapes. `hint` is its tooltip. */
enum { GR_MARKS = 7, GR_LOOKS = 6 };
void gr_svg_mark(struct gr_str *out, const char *style, int shape, double x, double y,
                 const char *hint);

/* Writes the class, such as "p3", of a peer's colour and dash pattern, one of GR_LOOKS. */
void gr_svg_look(int look, char style[32]);
/* Draws an interval with a bar at each end, along y or, if `lying`, along x. */
void gr_svg_whisker(struct gr_str *out, bool lying, double at, double from, double to);

/* The estimated width of a text in the page's font size. It is generous, because fonts differ. */
double gr_svg_text_width(const char *text);
/* Returns the text, cut with ".." to fit a width; malloc'ed. */
char *gr_svg_text_cut(const char *text, double width);

#endif
