/* text.c: quoting and wrapping. SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <string.h>

static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";

static void quote_word(struct gr_str *out, const char *word)
{
    if (word[0] && !word[strspn(word, plain)]) {
        gr_str_add(out, word);
        return;
    }
    gr_str_add(out, "'");
    for (const char *p = word; *p; p++)
        gr_str_add_bytes(out, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    gr_str_add(out, "'");
}

void gr_text_quote(struct gr_str *out, int count, char *const *words)
{
    for (int i = 0; i < count; i++) {
        if (i)
            gr_str_add(out, " ");
        quote_word(out, words[i]);
    }
}

int gr_text_columns(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80; /* not a continuation byte */
    return columns;
}

void gr_text_pad(struct gr_str *out, const char *text, int columns)
{
    gr_str_add(out, text);
    for (int i = gr_text_columns(text, strlen(text)); i < columns; i++)
        gr_str_add(out, " ");
}

void gr_text_wrap(struct gr_str *out, const char *text, size_t length, int indent, int columns)
{
    const char *end = text + length;
    int column = indent;
    bool first = true;
    for (;;) {
        while (text < end && strchr(" \t\n", *text))
            text++;
        if (text == end)
            break;
        const char *word = text;
        while (text < end && !strchr(" \t\n", *text))
            text++;
        int width = gr_text_columns(word, (size_t)(text - word));
        if (!first && column + 1 + width > columns) {
            gr_str_add(out, "\n");
            for (column = 0; column < indent; column++)
                gr_str_add(out, " ");
        } else if (!first) {
            gr_str_add(out, " ");
            column++;
        }
        gr_str_add_bytes(out, word, (size_t)(text - word));
        column += width;
        first = false;
    }
    gr_str_add(out, "\n");
}

const char *gr_text_line_end(const char *text)
{
    return text + strcspn(text, "\n");
}

/* The end of a run of lines that are all wrapped together: before a blank line or one that starts
 * with a blank. */
static const char *paragraph_end(const char *text)
{
    const char *end = gr_text_line_end(text);
    while (end[0] && end[1] && !strchr(" \t\n", end[1]))
        end = gr_text_line_end(end + 1);
    return end;
}

void gr_text_paragraphs(struct gr_str *out, const char *text, int columns)
{
    while (*text) {
        const char *end;
        if (strchr(" \t\n", *text)) {
            end = gr_text_line_end(text);
            gr_str_add_bytes(out, text, (size_t)(end - text));
            gr_str_add(out, "\n");
        } else {
            end = paragraph_end(text);
            gr_text_wrap(out, text, (size_t)(end - text), 0, columns);
        }
        text = *end ? end + 1 : end;
    }
}
