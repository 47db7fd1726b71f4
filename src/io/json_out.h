/* json_out.h: JSON written value by value, by our own means: no library is needed to write it.
 * SPDX-License-Identifier: MIT */
#ifndef IO_JSON_OUT_H
#define IO_JSON_OUT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* What lies between the items of an object or an array: a line break, or a blank. */
enum gr_json_shape { GR_JSON_LINES, GR_JSON_ONE_LINE };

enum { GR_JSON_DEEPEST = 32 };

/* A document that is being written to the end of `out`. Start with {.out = …} and the choices
 * below; members come in the order in which they are put. Objects and arrays are opened, filled and
 * closed. When memory runs out or they are nested deeper than GR_JSON_DEEPEST, out->failed is set,
 * and is asked for once, at the end. */
struct gr_json {
    struct gr_str *out;
    bool tabs;     /* a tab for each level and after each colon; otherwise blanks: two, and one */
    bool for_html; /* fit for a <script> element: no '<', no line end of JavaScript's */
    int depth;
    struct {
        enum gr_json_shape shape;
        bool is_array, begun;
    } levels[GR_JSON_DEEPEST];
};

/* Each of these writes a member of an object, with its name, or with null for a name an element of
 * an array or the whole document. */
void gr_json_open_object(struct gr_json *w, const char *name, enum gr_json_shape shape);
void gr_json_open_array(struct gr_json *w, const char *name, enum gr_json_shape shape);
/* Closes what was opened last. */
void gr_json_close(struct gr_json *w);
/* A string; null for a null pointer. Bytes that are not UTF-8 become U+FFFD. */
void gr_json_put_text(struct gr_json *w, const char *name, const char *text);
/* The shortest decimal that is read back as the same double; null for NaN and infinities, which
 * JSON has not. */
void gr_json_put_real(struct gr_json *w, const char *name, double x);
/* Every digit: a reader whose numbers are doubles rounds what lies beyond 2^53. */
void gr_json_put_whole(struct gr_json *w, const char *name, int64_t x);
void gr_json_put_bool(struct gr_json *w, const char *name, bool x);
void gr_json_put_null(struct gr_json *w, const char *name);

/* Appends text as a JSON string, quotes included, where no document is being written. */
void gr_json_add_text(struct gr_str *out, const char *text);

#endif
