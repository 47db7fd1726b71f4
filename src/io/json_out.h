/* json_out.h: writes JSON value by value, without a library. SPDX-License-Identifier: MIT */
#ifndef IO_JSON_OUT_H
#define IO_JSON_OUT_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* What separates the items of an object or an array: line ends, or blanks. */
enum gr_json_shape { GR_JSON_LINES, GR_JSON_ONE_LINE };

enum { GR_JSON_DEEPEST = 32 };

/* A document that is being appended to `out`. Start with {.out = …} and the options below.
 * Members are written in the order of the calls; objects and arrays are opened, filled and
 * closed. If memory runs out or the nesting exceeds GR_JSON_DEEPEST, out->failed is set, so that
 * it is enough to check it at the end. */
struct gr_json {
    struct gr_str *out;
    /* Indents by tabs, with a tab after each colon; otherwise two blanks, and one blank after a
     * colon. */
    bool tabs;
    bool for_html; /* safe in a <script> element: no '<', and no line end of JavaScript */
    int depth;
    struct {
        enum gr_json_shape shape;
        bool is_array, begun;
    } levels[GR_JSON_DEEPEST];
};

/* Each of these writes a member of an object with its name or, if `name` is null, an element of
 * an array or the whole document. */
void gr_json_open_object(struct gr_json *w, const char *name, enum gr_json_shape shape);
void gr_json_open_array(struct gr_json *w, const char *name, enum gr_json_shape shape);
/* Closes the object or array that was opened last. */
void gr_json_close(struct gr_json *w);
/* A string; JSON's null for a null pointer. Bytes that are not UTF-8 become U+FFFD. */
void gr_json_put_text(struct gr_json *w, const char *name, const char *text);
/* The shortest decimal number that is read back as the same double; null for NaN and infinities,
 * which JSON cannot represent. */
void gr_json_put_real(struct gr_json *w, const char *name, double x);
/* All digits; a reader that uses doubles rounds numbers beyond 2^53. */
void gr_json_put_whole(struct gr_json *w, const char *name, int64_t x);
void gr_json_put_bool(struct gr_json *w, const char *name, bool x);
void gr_json_put_null(struct gr_json *w, const char *name);

/* Appends text as a JSON string, quotes included, where no document is being written. */
void gr_json_add_text(struct gr_str *out, const char *text);

#endif
