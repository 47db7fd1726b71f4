/* cursor.h: reading one front-matter line from left to right. SPDX-License-Identifier: MIT */
#ifndef CATALOG_CURSOR_H
#define CATALOG_CURSOR_H

#include "records/kernel.h"

#include <gradus/gradus.h>
#include <stddef.h>

/* A piece of one line: [p, end), with the column of p's start for messages. */
struct gr_cursor {
    const char *path;
    const char *p, *end;
    const char *line_start; /* column 1 */
    const char *option; /* the option of the command line that the line comes from; null: it is of
                           the file */
    int line;
    bool more; /* a comma was taken: one more item must follow */
    struct gradus_error *error;
};

/* INVALID at the cursor. */
enum gradus_status gr_cursor_fail(const struct gr_cursor *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips blanks; true when nothing is left. */
bool gr_cursor_ends(struct gr_cursor *c);
/* Takes one character when it is next. */
bool gr_cursor_accept(struct gr_cursor *c, char character);
/* What is next, in quotes, or "the end of the line". `text` has room for any identifier that fits a
 * line. */
const char *gr_cursor_found(struct gr_cursor *c, char *text, size_t size);

/* The next item of a list and the cursor behind its comma. Commas in brackets and in double quotes
 * do not count. False when nothing is left; an empty item ("a,,b", "a,") is handed out, since only
 * the reader can name what was wanted. */
bool gr_cursor_item(struct gr_cursor *c, struct gr_cursor *item);

/* Takes an identifier (letters, digits, underscores). INVALID "found …, wanted WHAT". The text is
 * malloc'ed. */
enum gradus_status gr_cursor_name(struct gr_cursor *c, const char *what, struct gr_text *name);
/* Takes a run of non-blanks: file names, "sm_90a", compiler flags. */
enum gradus_status gr_cursor_word(struct gr_cursor *c, const char *what, struct gr_text *word);
/* Takes a decimal integer, with an optional minus. */
enum gradus_status gr_cursor_integer(struct gr_cursor *c, const char *what, int64_t *value);
/* All that is left, blanks trimmed. INVALID when that is nothing. */
enum gradus_status gr_cursor_rest(struct gr_cursor *c, const char *what, struct gr_text *text);
/* INVALID unless nothing is left. */
enum gradus_status gr_cursor_done(struct gr_cursor *c, const char *after);

/* items with room for one more, zeroed, at [count]; null (and items as before) when memory is out.
 */
void *gr_grown(void *items, int count, size_t size);
/* Appends a zeroed element and points `slot` at it, or at null when memory is out. */
#define GR_PUSH(slot, items, count)                                                                \
    do {                                                                                           \
        void *grown_ = gr_grown(items, count, sizeof *(items));                                    \
        (slot) = NULL;                                                                             \
        if (grown_) {                                                                              \
            (items) = grown_;                                                                      \
            (slot) = &(items)[(count)++];                                                          \
        }                                                                                          \
    } while (0)

#endif
