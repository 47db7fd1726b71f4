/* cursor.h: reads one front-matter line from left to right. It counts columns, so that an error
 * can point to its place. SPDX-License-Identifier: MIT */
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
    /* The option of the command line that the line comes from; null: the line is from the file. */
    const char *option;
    int line;
    bool more; /* a comma was read, so another item must follow */
    struct gradus_error *error;
};

struct gr_place gr_cursor_place(const struct gr_cursor *c);
/* Fails with INVALID at the cursor's place. */
enum gradus_status gr_cursor_fail(const struct gr_cursor *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips blanks; true when nothing is left. */
bool gr_cursor_ends(struct gr_cursor *c);
/* Reads the character if it is the next one. */
bool gr_cursor_accept(struct gr_cursor *c, char character);
/* The next item in quotes, or "the end of the line", for messages. `text` has room for any
 * identifier that fits in a line. */
const char *gr_cursor_found(struct gr_cursor *c, char *text, size_t size);

/* The next item of a comma-separated list, and the cursor after its comma. Commas in brackets
 * and double quotes do not separate. False if nothing is left; an empty item ("a,,b", "a,") is
 * returned as such, since only the caller can report what was wanted. */
bool gr_cursor_item(struct gr_cursor *c, struct gr_cursor *item);

/* Reads an identifier (letters, digits, underscores), malloc'ed. INVALID "found …, wanted WHAT". */
enum gradus_status gr_cursor_name(struct gr_cursor *c, const char *what, struct gr_text *name);
/* Reads non-blank characters: file names, "sm_90a", compiler flags. */
enum gradus_status gr_cursor_word(struct gr_cursor *c, const char *what, struct gr_text *word);
/* Reads a decimal integer with an optional minus sign. */
enum gradus_status gr_cursor_integer(struct gr_cursor *c, const char *what, int64_t *value);
/* Reads the rest of the line, trimmed. INVALID if it is empty. */
enum gradus_status gr_cursor_rest(struct gr_cursor *c, const char *what, struct gr_text *text);
/* INVALID if anything is left. */
enum gradus_status gr_cursor_done(struct gr_cursor *c, const char *after);

/* Returns the array with room for one more item at index [count], zeroed. Null if out of memory;
 * the array is unchanged then. */
void *gr_grown(void *items, int count, size_t size);
/* Appends a zeroed element and lets `slot` point to it; null if out of memory. */
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
