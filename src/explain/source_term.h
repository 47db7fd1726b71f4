/* source_term.h: finds an arithmetic operation in the source, to quote it in a message.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_SOURCE_TERM_H
#define EXPLAIN_SOURCE_TERM_H

#include <stdbool.h>
#include <stddef.h>

enum { GR_TERM_SIZE = 96 };

/* Finds the sum that contains the operator at a line and column (both from 1) of `source`: "i * K +
 * k" for both operators of `A[i * K + k]`, or the call of a macro at this place. *begin is its
 * column. Returns false if there is neither. */
bool gr_source_term(const char *source, int line, int column, char operation, int *begin,
                    char term[GR_TERM_SIZE]);
/* Writes the term with its first product widened to 64 bits: "(size_t)i * K + k". Returns false if
 * it has no product. */
bool gr_source_widened(const char term[GR_TERM_SIZE], char wide[2 * GR_TERM_SIZE + 8]);

#endif
