/* translation.h: makes the translation unit of a CUDA kernel file for a run-time compiler.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_TRANSLATION_H
#define EMIT_TRANSLATION_H

#include "catalog/variant.h"

/* The target compilers of a translation, which differ in their options and built-in headers. */
enum gr_translation_target {
    GR_TRANSLATION_NVRTC,
    GR_TRANSLATION_AMD /* hipRTC and clang: they declare HIP's names without an #include */
};

/* Freed with gr_translation_free. */
struct gr_translation {
    /* The macros of the variant (T, TA, TB, params, lets) and the user's --define, followed by
     * the file with its host functions blanked. `#line` directives make messages refer to the
     * user's own lines. */
    char *text;
    char *name; /* the path as the user gave it */
    /* The headers of built-in kernels, and replacements for host headers that a run-time
     * compiler does not have (<cassert>, <cstdio>, <cuda_runtime.h> …). */
    char **header_names;
    char **header_texts;
    int header_count;
    char **options; /* "--std=c++17", "-I" of the file's own folder, the file's `flags` */
    int option_count;
    /* Of each stanza, with the values of the parameters: "gemm<128, 128, 8>". */
    char *kernels[GR_MAX_STANZAS];
    int kernel_count;
    char *cut; /* the removed host functions: "main, run_test", or "" */
};

/* `defines` (may be null) is a null-terminated list of "NAME" or "NAME=VALUE". A define
 * overrides a #define of the file only if that is guarded by #ifndef. `flags` (may be null) is
 * the user's --flags, which replaces the file's. INVALID or UNSUPPORTED, "file:line: …": texture
 * and surface objects, or a `kernel` line that names a missing function. */
enum gradus_status gr_translation_make(const struct gr_variant *variant, const char *const *defines,
                                       const char *flags, struct gr_translation *translation,
                                       struct gradus_error *error);
/* The same for the compiler of `target`; gr_translation_make is for NVRTC. */
enum gradus_status gr_translation_make_for(enum gr_translation_target target,
                                           const struct gr_variant *variant,
                                           const char *const *defines, const char *flags,
                                           struct gr_translation *translation,
                                           struct gradus_error *error);
void gr_translation_free(struct gr_translation *translation);

#endif
