/* vector_types.h: clang's vector types for g++. SPDX-License-Identifier: MIT */
#ifndef SIM_VECTOR_TYPES_H
#define SIM_VECTOR_TYPES_H

#include "base/str.h"

/* Appends the source with each `ext_vector_type(N)` of a type T, which g++ does not know, as
 * `vector_size((N) * sizeof(T))`, which both compilers do. T is read in the declaration that the
 * attribute belongs to; where there is none, the attribute stays. Lines keep their numbers. */
void gr_vector_types_rewrite(const char *text, struct gr_str *out);

#endif
