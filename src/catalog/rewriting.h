/* rewriting.h: a source file of which pieces are replaced. SPDX-License-Identifier: MIT */
#ifndef CATALOG_REWRITING_H
#define CATALOG_REWRITING_H

#include "base/str.h"
#include "catalog/device_variables.h"
#include "catalog/plain_notes.h"

enum { GR_MOST_EDITS = 256 };

/* Text that takes the place of [begin, end). */
struct gr_edit {
    size_t begin, end;
    char *text;
};

struct gr_rewriting {
    const char *path;
    size_t base; /* where the file's own text begins; before it are the headers that it includes */
    struct gr_scan scan;
    struct gr_structures structures;
    struct gr_device_variables variables;
    struct gr_plain_notes *notes; /* null: not requested */
    struct gr_edit edits[GR_MOST_EDITS];
    int edit_count;
    bool failed; /* out of memory, or there are too many of something */
};

/* Takes ownership of `text`, which may be null: out of memory. */
void gr_rewriting_replace(struct gr_rewriting *r, size_t begin, size_t end, char *text);
/* Replaces tokens by blanks; the text after them stays on its lines. */
void gr_rewriting_blank(struct gr_rewriting *r, struct gr_range tokens);
/* The file's own text with all replacements, malloc'ed. Null: nothing was changed, or memory is
 * out. */
char *gr_rewriting_text(struct gr_rewriting *r);
void gr_rewriting_close(struct gr_rewriting *r);

/* Appends the tokens with a blank between any two, so that `"C" __global__` remains two tokens. */
void gr_rewriting_add_tokens(const struct gr_scan *scan, struct gr_range tokens,
                             struct gr_str *out);
/* The end of the parameter at token i: the comma after it, outside all brackets, including those of
 * template arguments. */
int gr_rewriting_parameter_end(const struct gr_scan *scan, int i, int end);

#endif
