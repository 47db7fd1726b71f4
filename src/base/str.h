/* str.h: a growing string, and a few functions on strings that many folders need.
 * SPDX-License-Identifier: MIT */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A growing string. Start with {0}; `text` is null or NUL-terminated; gr_str_free releases it.
 * When memory runs out, `failed` is set, further appends do nothing and `text` stays valid. */
struct gr_str {
    char *text;
    size_t length, capacity;
    bool failed;
};

void gr_str_add(struct gr_str *s, const char *text);
void gr_str_add_bytes(struct gr_str *s, const char *bytes, size_t count);
void gr_str_printf(struct gr_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gr_str_vprintf(struct gr_str *s, const char *format, va_list args);
void gr_str_free(struct gr_str *s);
/* The text, never null ("" when empty). */
const char *gr_str_text(const struct gr_str *s);

/* Removes the byte order mark that some editors write before a file's first character. */
void gr_drop_byte_order_mark(char *text);

/* malloc'ed copies; null only if out of memory. gr_strdup(NULL) is NULL. */
char *gr_strdup(const char *text);
char *gr_strndup(const char *text, size_t length);
char *gr_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool gr_starts_with(const char *text, const char *prefix);
bool gr_ends_with(const char *text, const char *suffix);

/* The candidate with the smallest edit distance to `word`, or null if none is close enough to
 * suggest. */
const char *gr_nearest(const char *word, const char *const *candidates, size_t count);

#endif
