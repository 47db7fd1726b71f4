/* declarations.h: what stands at file scope beside the functions, and which of it only the host
 * needs. SPDX-License-Identifier: MIT */
#ifndef SOURCE_DECLARATIONS_H
#define SOURCE_DECLARATIONS_H

#include "source/scan.h"

/* A variable, a type, an alias, a prototype or a macro: the tokens [begin, end), the `;` included.
 */
struct gr_declaration {
    int begin, end;
    bool is_macro,
        is_device; /* is_device: __device__, __constant__ …, and what is no declaration of a name */
    bool needed;   /* device code names it, or it is as good on a device as on the host */
};

/* Appends all to *list (malloc'ed). False: no memory. */
bool gr_declarations_find(const struct gr_scan *scan, struct gr_declaration **list, int *count);

/* Do the tokens [begin, end) name the word at token `name`? Macros' bodies are looked into. */
bool gr_tokens_mention(const struct gr_scan *scan, int begin, int end, int name);

/* Do the tokens [begin, end) name anything that `d` declares? */
bool gr_declaration_is_named(const struct gr_scan *scan, const struct gr_declaration *d, int begin,
                             int end);

/* A variable or a type that is written with nothing but built-in types, so that a run-time compiler
 * takes it. Such a one stays although nobody names it: a header or a template argument may. */
bool gr_declaration_is_plain(const struct gr_scan *scan, const struct gr_declaration *d);

#endif
