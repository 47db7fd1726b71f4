/* str.c: the growing string. SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool reserve(struct gr_str *s, size_t extra)
{
    if (s->failed || extra > SIZE_MAX / 4 - s->length) {
        s->failed = true;
        return false;
    }
    size_t need = s->length + extra + 1;
    if (need <= s->capacity)
        return true;
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    if (capacity < need)
        capacity = need;
    char *text = realloc(s->text, capacity);
    if (!text) {
        s->failed = true;
        return false;
    }
    s->text = text;
    s->capacity = capacity;
    return true;
}

void gr_str_add_bytes(struct gr_str *s, const char *bytes, size_t count)
{
    if (!reserve(s, count))
        return;
    if (count)
        memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = 0;
}

void gr_str_add(struct gr_str *s, const char *text)
{
    gr_str_add_bytes(s, text, strlen(text));
}

void gr_str_vprintf(struct gr_str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (count < 0 || !reserve(s, (size_t)count))
        return;
    vsnprintf(s->text + s->length, (size_t)count + 1, format, args);
    s->length += (size_t)count;
}

void gr_str_printf(struct gr_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gr_str_vprintf(s, format, args);
    va_end(args);
}

void gr_str_free(struct gr_str *s)
{
    free(s->text);
    *s = (struct gr_str){0};
}

const char *gr_str_text(const struct gr_str *s)
{
    return s->text ? s->text : "";
}

char *gr_strndup(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

char *gr_strdup(const char *text)
{
    return text ? gr_strndup(text, strlen(text)) : NULL;
}

char *gr_printf(const char *format, ...)
{
    struct gr_str s = {0};
    va_list args;
    va_start(args, format);
    gr_str_vprintf(&s, format, args);
    va_end(args);
    if (!s.text)
        gr_str_add(&s, "");
    return s.text;
}

bool gr_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool gr_ends_with(const char *text, const char *suffix)
{
    size_t a = strlen(text), b = strlen(suffix);
    return a >= b && memcmp(text + a - b, suffix, b) == 0;
}

/* The Levenshtein distance, for words as short as names. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

const char *gr_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        size_t longer = strlen(candidates[i]) > strlen(word) ? strlen(candidates[i]) : strlen(word);
        if (distance >= longer) /* nothing in common: 'x' is not close to 'M' */
            distance = SIZE_MAX;
        if (strcasecmp(word, candidates[i]) == 0)
            distance = 0;
        /* A name that contains the word is close: "tiles" finds "03_tiles". */
        if (strlen(word) >= 3 && strstr(candidates[i], word))
            distance = 1;
        if (distance < least) {
            least = distance;
            best = candidates[i];
        }
    }
    return best;
}

void gr_drop_byte_order_mark(char *text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (gr_starts_with(text, mark))
        memmove(text, text + sizeof mark - 1, strlen(text + sizeof mark - 1) + 1);
}
