/* html.h: a run as one page that needs nothing else: no script, no font, no request. (A kernel's
 * page has a script of its own in it: explain_page.h.) SPDX-License-Identifier: MIT */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/chapter.h"
#include "report/picture.h"

/* Appends index.html. It links to the files that --report writes beside it. */
void gr_html_page(const struct gr_run *run, const struct gr_groups *groups,
                  const struct gr_pictures *pictures, const struct gr_chapters *chapters,
                  struct gr_str *out);

/* The widths of <main> on a desk and on a phone: a picture is drawn for each. */
enum { GR_HTML_WIDE = 860, GR_HTML_NARROW = 358 };

/* Every page's beginning, to <main>, and end. */
void gr_html_open(const char *title, struct gr_str *out);
/* The same of a page that may run one script, named by its hash ("sha256-…"), and with further
 * rules of style; both may be null. */
void gr_html_open_scripted(const char *title, const char *script, const char *rules,
                           struct gr_str *out);
void gr_html_close(struct gr_str *out);

/* For html.c: the style sheet (html_style.c), and the tables of a run (html_table.c). */
void gr_html_style(struct gr_str *out);
void gr_html_table(const struct gr_run *run, const struct gr_group *group, int number,
                   struct gr_str *out);

/* Begins a figure with a picture in both widths and with its caption: what follows, to
 * "</figcaption>\n</figure>\n", is the caller's. */
void gr_html_begin_figure(const struct gr_picture *picture, struct gr_str *out);
/* The same, whole, as a section. */
void gr_html_picture(const struct gr_picture *picture, struct gr_str *out);
/* A sweep's part of the page (html_sweep.c): means and worst rows, and below them all products and
 * pictures, folded. */
void gr_html_sweep(const struct gr_run *run, const struct gr_pictures *pictures,
                   struct gr_str *out);

/* The rules alone, without <style>, for an SVG in a file of its own. */
void gr_html_rules(struct gr_str *out);

#endif
