/* declarations.h: the declarations at file scope other than functions, and which of them only
 * host code needs. Those are removed together with the host functions (source/cut.h).
 * SPDX-License-Identifier: MIT */
#ifndef SOURCE_DECLARATIONS_H
#define SOURCE_DECLARATIONS_H

#include "source/scan.h"

/* A variable, a type, an alias, a prototype or a macro: the tokens [begin, end), including the
 * `;`. */
struct gr_declaration {
    int begin, end;
    bool is_macro,
        /* is_device: __device__, __constant__ …, or something that declares no name. */
        is_device;
    bool needed; /* device code names it, or it is valid on a device as well as on the host */
};

/* Appends all declarations to *list (malloc'ed). False: memory is out. */
bool gr_declarations_find(const struct gr_scan *scan, struct gr_declaration **list, int *count);

/* Do the tokens [begin, end) contain the word at token `name`, directly or in the body of a
 * macro that they use? */
bool gr_tokens_mention(const struct gr_scan *scan, int begin, int end, int name);

/* The same for the tokens of another text, `by`. */
bool gr_tokens_mention_of(const struct gr_scan *by, int begin, int end, const struct gr_scan *scan,
                          int name);

/* Do the tokens [begin, end) contain a name that `d` declares? */
bool gr_declaration_is_named(const struct gr_scan *scan, const struct gr_declaration *d, int begin,
                             int end);

/* The same for all tokens of another text, `by`. */
bool gr_declaration_is_named_in(const struct gr_scan *scan, const struct gr_declaration *d,
                                const struct gr_scan *by);

/* Is it a variable or type that uses only built-in types, so that a run-time compiler accepts
 * it? Such a declaration is kept even if nothing in the file names it, because a header or a
 * template argument may. */
bool gr_declaration_is_plain(const struct gr_scan *scan, const struct gr_declaration *d);

#endif
