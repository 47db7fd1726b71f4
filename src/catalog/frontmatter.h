/* frontmatter.h: the `//@` lines of a kernel file, read into a struct gr_kernel.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_FRONTMATTER_H
#define CATALOG_FRONTMATTER_H

#include "catalog/cursor.h"
#include "records/kernel.h"

/* The state of reading one file's lines. */
struct gr_reader {
    struct gr_kernel *kernel;
    struct gradus_error *error;
    int stanza; /* the open stanza; -1: the command line has not said which of several it means */
    bool stanza_named;    /* a `kernel` line was read */
    bool extra;           /* the lines come from the command line, and override the file's */
    uint64_t seen;        /* keywords read from this source, a bit each */
    uint64_t seen_stanza; /* the same, in the open stanza */
};

/* Reads the front matter at the top of kernel->source, then `extra` (may be null), into `kernel`,
 * whose path, name and source are set. Names in expressions and the kernels' signatures are not
 * looked at yet. */
enum gradus_status gr_front_matter_read(struct gr_kernel *kernel, const char *extra,
                                        struct gradus_error *error);

/* Reads one line, the cursor behind its `//@`: a keyword and what belongs to it. */
enum gradus_status gr_keyword_read(struct gr_reader *reader, struct gr_cursor *line);
/* Is this word one of the language's keywords? */
bool gr_keyword_known(const char *word, size_t length);
/* The keyword that reads so, as a literal; "option" for what is no keyword. */
const char *gr_keyword_literal(const char *word, size_t length);

/* Opens a stanza for `kernel NAME`; in `extra`, chooses or renames one. Takes over `name`. */
enum gradus_status gr_stanza_open(struct gr_reader *reader, const struct gr_cursor *at,
                                  struct gr_text *name, bool once);

/* The comment block that stands right below the front matter, its markers taken off; null when
 * there is none or memory is out. */
char *gr_picture_read(const char *below_front_matter);

#endif
