/* json_out.c: writes JSON value by value (RFC 8259). SPDX-License-Identifier: MIT */
#include "io/json_out.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Escapes a character that may not occur in a string or, in a <script>, could end the element or
 * the string: '<' begins "</script" and "<!--", and older JavaScript treats U+2028 and U+2029 as
 * line ends. */
static bool add_escaped(struct gr_str *out, const char *at, int length, bool for_html)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = length == 1 ? strchr(plain, *at) : NULL;
    if (found)
        gr_str_printf(out, "\\%c", letters[found - plain]);
    else if ((length == 1 && (unsigned char)*at < ' ') || (for_html && *at == '<'))
        gr_str_printf(out, "\\u%04x", (unsigned)*at);
    else if (for_html && length == 3 && memcmp(at, "\xE2\x80\xA8", 3) == 0)
        gr_str_add(out, "\\u2028");
    else if (for_html && length == 3 && memcmp(at, "\xE2\x80\xA9", 3) == 0)
        gr_str_add(out, "\\u2029");
    else
        return false;
    return true;
}

static void add_string(struct gr_str *out, const char *text, bool for_html)
{
    gr_str_add(out, "\"");
    while (*text) {
        const int length = gr_utf8_length(text);
        if (!length)
            gr_str_add(out, "\xEF\xBF\xBD");
        else if (!add_escaped(out, text, length, for_html))
            gr_str_add_bytes(out, text, (size_t)length);
        text += length ? length : 1;
    }
    gr_str_add(out, "\"");
}

static void add_line_break(struct gr_json *w)
{
    gr_str_add(w->out, "\n");
    for (int i = 0; i < w->depth; i++)
        gr_str_add(w->out, w->tabs ? "\t" : "  ");
}

/* Writes what precedes a value: a comma after the previous one, and its name. */
static void begin_value(struct gr_json *w, const char *name)
{
    if (w->depth > 0 && w->depth <= GR_JSON_DEEPEST) {
        const bool lines = w->levels[w->depth - 1].shape == GR_JSON_LINES;
        if (w->levels[w->depth - 1].begun)
            gr_str_add(w->out, lines ? "," : ", ");
        if (lines)
            add_line_break(w);
        w->levels[w->depth - 1].begun = true;
    }
    if (name) {
        add_string(w->out, name, w->for_html);
        gr_str_add(w->out, w->tabs ? ":\t" : ": ");
    }
}

static void open_level(struct gr_json *w, const char *name, enum gr_json_shape shape, bool is_array)
{
    begin_value(w, name);
    gr_str_add(w->out, is_array ? "[" : "{");
    if (w->depth < GR_JSON_DEEPEST) {
        w->levels[w->depth].shape = shape;
        w->levels[w->depth].is_array = is_array;
        w->levels[w->depth].begun = false;
    } else {
        w->out->failed = true;
    }
    w->depth++;
}

void gr_json_open_object(struct gr_json *w, const char *name, enum gr_json_shape shape)
{
    open_level(w, name, shape, false);
}

void gr_json_open_array(struct gr_json *w, const char *name, enum gr_json_shape shape)
{
    open_level(w, name, shape, true);
}

void gr_json_close(struct gr_json *w)
{
    w->depth--;
    if (w->depth >= GR_JSON_DEEPEST)
        return;
    if (w->levels[w->depth].begun && w->levels[w->depth].shape == GR_JSON_LINES)
        add_line_break(w);
    gr_str_add(w->out, w->levels[w->depth].is_array ? "]" : "}");
}

void gr_json_put_text(struct gr_json *w, const char *name, const char *text)
{
    begin_value(w, name);
    if (text)
        add_string(w->out, text, w->for_html);
    else
        gr_str_add(w->out, "null");
}

void gr_json_put_real(struct gr_json *w, const char *name, double x)
{
    char text[32] = "null";
    for (int digits = 15; isfinite(x) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    begin_value(w, name);
    gr_str_add(w->out, text);
}

void gr_json_put_whole(struct gr_json *w, const char *name, int64_t x)
{
    begin_value(w, name);
    gr_str_printf(w->out, "%" PRId64, x);
}

void gr_json_put_bool(struct gr_json *w, const char *name, bool x)
{
    begin_value(w, name);
    gr_str_add(w->out, x ? "true" : "false");
}

void gr_json_put_null(struct gr_json *w, const char *name)
{
    begin_value(w, name);
    gr_str_add(w->out, "null");
}

void gr_json_add_text(struct gr_str *out, const char *text)
{
    struct gr_json writer = {.out = out};
    gr_json_put_text(&writer, NULL, text);
}
