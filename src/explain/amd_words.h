/* amd_words.h: an explanation in the words of AMD's documents. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_AMD_WORDS_H
#define EXPLAIN_AMD_WORDS_H

#include "explain/explain.h"

/* Analyses, faults and advice are written for all GPUs in CUDA's words. Replaces those that AMD's
 * documents do not have: a warp is a wavefront, shared memory LDS, an SM a CU, a tensor core a
 * matrix core, in titles, sentences, tables, units and findings. Names of the kernel's arrays, what
 * stands between backticks and lines of source are left. False: memory is out. */
bool gr_amd_words(struct gr_explained *explained);

/* The names of the arrays of its traces, up to a null, which stay: malloc'ed, the names are the
 * traces' own. Null: memory is out. */
const char **gr_amd_kept(const struct gr_explained *explained);

/* The words of one text, malloc'ed; null: memory is out. `kept` are names that stay, up to a null;
 * may be null. Where a line is of a table (it begins with a blank), its columns stay where they
 * are. */
char *gr_amd_words_of(const char *text, const char *const *kept);

#endif
