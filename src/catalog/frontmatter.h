/* frontmatter.h: reads the `//@` lines of a kernel file into a struct gr_kernel.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_FRONTMATTER_H
#define CATALOG_FRONTMATTER_H

#include "catalog/cursor.h"
#include "records/kernel.h"

/* The state of reading the lines of one file. */
struct gr_reader {
    struct gr_kernel *kernel;
    struct gradus_error *error;
    /* The current stanza; -1: the command line has not selected one of several stanzas yet. */
    int stanza;
    bool stanza_named;    /* a `kernel` line was read */
    bool extra;           /* the lines come from the command line and override those of the file */
    uint64_t seen;        /* the keywords read from this source, as bits */
    uint64_t seen_stanza; /* the same for the current stanza */
};

/* Reads the front matter at the top of kernel->source, and then `extra` (may be null), into
 * `kernel`, whose path, name and source are set. Names in expressions and signatures are not
 * resolved yet. */
enum gradus_status gr_front_matter_read(struct gr_kernel *kernel, const char *extra,
                                        struct gradus_error *error);

/* Reads one line, with the cursor after its `//@`: a keyword and its operands. */
enum gradus_status gr_keyword_read(struct gr_reader *reader, struct gr_cursor *line);
/* Is it a keyword of the front matter? */
bool gr_keyword_known(const char *word, size_t length);
/* The keyword with this text as a string literal; "option" if it is not a keyword. */
const char *gr_keyword_literal(const char *word, size_t length);

/* Begins a stanza for `kernel NAME`; in `extra`, selects or renames one. Takes ownership of
 * `name`. */
enum gradus_status gr_stanza_open(struct gr_reader *reader, const struct gr_cursor *at,
                                  struct gr_text *name, bool once);

/* The comment block directly below the front matter, without comment markers; null if there is
 * none or out of memory. */
char *gr_picture_read(const char *below_front_matter);

#endif
