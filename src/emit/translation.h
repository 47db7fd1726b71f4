/* translation.h: the translation unit that a run-time compiler is given for a CUDA kernel file.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_TRANSLATION_H
#define EMIT_TRANSLATION_H

#include "catalog/variant.h"

/* Freed with gr_translation_free. */
struct gr_translation {
    char *text; /* macros of the variant (T, TA, TB, params, lets) and the user's --define, each
                 * before `#line 1`, then the file with its host functions blanked; messages give
                 * the user's own lines */
    char *name; /* the path as the user gave it */
    char **header_names; /* the headers beside built-in kernels, and stand-ins for host headers that
                          * a run-time compiler lacks (<cassert>, <cstdio>, <cuda_runtime.h> …) */
    char **header_texts;
    int header_count;
    char **options; /* "--std=c++17", "-I" of the file's own folder, the file's `flags` */
    int option_count;
    char *kernels[GR_MAX_STANZAS]; /* of each stanza, with the parameters' values: "gemm<128, 128,
                                      8>" */
    int kernel_count;
    char *cut; /* the host functions that were blanked: "main, run_test"; "" for none */
};

/* `defines`: "NAME" or "NAME=VALUE", null-terminated, may be null; they win over the file's #define
 * of the same name where that is guarded, and over nothing else. `flags`: --flags of the user
 * instead of the file's; may be null. INVALID or UNSUPPORTED, "file:line: …": texture and surface
 * objects, a `kernel` line whose function is not there. */
enum gradus_status gr_translation_make(const struct gr_variant *variant, const char *const *defines,
                                       const char *flags, struct gr_translation *translation,
                                       struct gradus_error *error);
void gr_translation_free(struct gr_translation *translation);

#endif
