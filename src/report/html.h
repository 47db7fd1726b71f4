/* html.h: a run as one self-contained page, without scripts, fonts or requests. (The page of a
 * kernel contains a script: explain_page.h.) SPDX-License-Identifier: MIT */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/chapter.h"
#include "report/picture.h"

/* Appends index.html. It links to the files that --report writes beside it. */
void gr_html_page(const struct gr_run *run, const struct gr_groups *groups,
                  const struct gr_pictures *pictures, const struct gr_chapters *chapters,
                  struct gr_str *out);

/* The widths of <main> on wide and on narrow screens. Each picture is drawn for both. */
enum { GR_HTML_WIDE = 860, GR_HTML_NARROW = 358 };

/* Append the beginning of every page, up to <main>, and its end. */
void gr_html_open(const char *title, struct gr_str *out);
/* The same as gr_html_open for a page that may run one script, given by its hash ("sha256-…"), and
 * that has further style rules. Both may be null. */
void gr_html_open_scripted(const char *title, const char *script, const char *rules,
                           struct gr_str *out);
void gr_html_close(struct gr_str *out);

/* For html.c: the style sheet (html_style.c), and the tables of a run (html_table.c). */
void gr_html_style(struct gr_str *out);
void gr_html_table(const struct gr_run *run, const struct gr_group *group, int number,
                   struct gr_str *out);

/* Begins a figure with a picture in both widths and the beginning of its caption. The caller
 * continues the caption, and ends it with "</figcaption>
 * </figure>
 * ". */
void gr_html_begin_figure(const struct gr_picture *picture, struct gr_str *out);
/* Appends the complete figure as a section. */
void gr_html_picture(const struct gr_picture *picture, struct gr_str *out);
/* The part of the page about a sweep (html_sweep.c): means and worst rows, and below these all
 * products and pictures in collapsed sections. */
void gr_html_sweep(const struct gr_run *run, const struct gr_pictures *pictures,
                   struct gr_str *out);

/* Appends the style rules without <style>, for an SVG in a file of its own. */
void gr_html_rules(struct gr_str *out);

#endif
