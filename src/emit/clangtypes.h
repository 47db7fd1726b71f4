/* clangtypes.h: writes the types that HIP's compiler has and others do not as classes: clang's
 * vectors and 16-bit numbers. SPDX-License-Identifier: MIT */
#ifndef EMIT_CLANGTYPES_H
#define EMIT_CLANGTYPES_H

#include <stdbool.h>

/* Rewrites `*text` (malloc'ed, replaced) for a compiler that is not clang: a typedef or an alias
 * with ext_vector_type or vector_size becomes one of gr_lanes, _Float16 and __fp16 become
 * gr_float16, __bf16 becomes __nv_bfloat16, and the headers with these classes are included. Other
 * text is not changed, and lines keep their numbers by #line. False: out of memory. */
bool gr_clang_types_rewrite(const char *path, char **text);

/* The name and the text of the i-th header with these classes. */
enum { GR_CLANG_TYPES_HEADERS = 2 };
const char *gr_clang_types_header(int i, const char **text);

#endif
