/* source_term.h: an operation of the source and its operands, as they are written.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SOURCE_TERM_H
#define EXPLAIN_SOURCE_TERM_H

#include <stdbool.h>
#include <stddef.h>

enum { GR_TERM_SIZE = 96 };

/* The sum that has the operator that stands at a line and column (both from 1) of `source`: "i * K
 * + k" for both operators of `A[i * K + k]`; where a macro stands there, its call. *begin: its own
 * column. False: neither does. */
bool gr_source_term(const char *source, int line, int column, char operation, int *begin,
                    char term[GR_TERM_SIZE]);
/* The term with its first product in 64 bits: "(size_t)i * K + k". False: it has none. */
bool gr_source_widened(const char term[GR_TERM_SIZE], char wide[2 * GR_TERM_SIZE + 8]);

#endif
