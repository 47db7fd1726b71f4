/* svg.h: pictures as SVG inside an HTML page, whose style sheet (html_style.c) has the colours:
 * classes and no colours here, so that one markup serves light and dark. SPDX-License-Identifier:
 * MIT */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/picture.h"

/* Appends the picture as one <svg> of that width; letters keep their size, so a narrow picture is
 * not a small one. */
void gr_svg_render(const struct gr_picture *picture, double width, struct gr_str *out);

/* For svg_bars.c and svg_plot.c: the two ways to draw. */
void gr_svg_bars(const struct gr_picture *picture, double width, struct gr_str *out);
void gr_svg_plot(const struct gr_picture *picture, double width, struct gr_str *out);

/* Their pencils. Coordinates in pixels; `style` is a class of the style sheet; texts are escaped
 * here. */
enum gr_anchor { GR_ANCHOR_START, GR_ANCHOR_MIDDLE, GR_ANCHOR_END };

void gr_svg_open(struct gr_str *out, const char *title, const char *alt, double width,
                 double height);
void gr_svg_close(struct gr_str *out);
void gr_svg_line(struct gr_str *out, const char *style, double x0, double y0, double x1, double y1);
/* `hint` as for a mark; null: none. */
void gr_svg_box(struct gr_str *out, const char *style, double x, double y, double width,
                double height, const char *hint);
void gr_svg_text(struct gr_str *out, const char *style, enum gr_anchor anchor, double x, double y,
                 const char *text);
/* Turned by `degrees` about its place. */
void gr_svg_text_rotated(struct gr_str *out, const char *style, enum gr_anchor anchor, double x,
                         double y, double degrees, const char *text);
/* A mark of one of GR_MARKS shapes; `hint` is shown when the pointer rests on it. */
enum { GR_MARKS = 7, GR_LOOKS = 6 };
void gr_svg_mark(struct gr_str *out, const char *style, int shape, double x, double y,
                 const char *hint);

/* How a peer is drawn: one of GR_LOOKS colours and ways to break a line, "p3". */
void gr_svg_look(int look, char style[32]);
/* An interval along y or, lying, along x, with a bar at each end. */
void gr_svg_whisker(struct gr_str *out, bool lying, double at, double from, double to);

/* The width that a text of the page's size is taken to have: generous, for fonts differ. */
double gr_svg_text_width(const char *text);
/* The text, cut with ".." to fit a width; malloc'ed. */
char *gr_svg_text_cut(const char *text, double width);

#endif
