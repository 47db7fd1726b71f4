/* markup.c: escapes text of unknown origin for HTML and SVG. SPDX-License-Identifier: MIT */
#include "report/markup.h"

#include "base/utf8.h"

#include <string.h>

static void add_escaped(struct gr_str *out, const char *line)
{
    for (; *line; line++) {
        switch (*line) {
        case '&':
            gr_str_add(out, "&amp;");
            break;
        case '<':
            gr_str_add(out, "&lt;");
            break;
        case '>':
            gr_str_add(out, "&gt;");
            break;
        case '"':
            gr_str_add(out, "&quot;");
            break;
        case '\'':
            gr_str_add(out, "&#39;");
            break;
        default:
            gr_str_add_bytes(out, line, 1);
        }
    }
}

void gr_markup_add(struct gr_str *out, const char *text)
{
    struct gr_str line = {0};
    gr_str_add_line(&line, text ? text : "");
    add_escaped(out, gr_str_text(&line));
    out->failed |= line.failed;
    gr_str_free(&line);
}

void gr_markup_add_lines(struct gr_str *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct gr_str line = {0};
        gr_str_add_bytes(&line, text, length);
        gr_markup_add(out, gr_str_text(&line));
        gr_str_free(&line);
        text += length;
        if (*text) {
            gr_str_add(out, "\n");
            text++;
        }
    }
}

void gr_markup_printf(struct gr_str *out, const char *format, ...)
{
    struct gr_str text = {0};
    va_list args;
    va_start(args, format);
    gr_str_vprintf(&text, format, args);
    va_end(args);
    gr_markup_add(out, gr_str_text(&text));
    out->failed |= text.failed;
    gr_str_free(&text);
}
