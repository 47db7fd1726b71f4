/* unit.h: makes the translation unit of a kernel for the host's compiler, and writes the headers
 * that it needs to the cache. SPDX-License-Identifier: MIT */
#ifndef SIM_UNIT_H
#define SIM_UNIT_H

#include "base/cache.h"
#include "base/str.h"
#include "catalog/variant.h"

/* The device that the kernel is compiled for. */
struct gr_sim_target {
    const char *name; /* "NVIDIA H200" */
    const char *arch; /* "sm_90a" */
    int cc;           /* 90 */
    int warp;         /* 32 or 64 */
};

/* Freed with gr_sim_unit_free. */
struct gr_sim_unit {
    struct gr_str text;
    char *headers;           /* the folder of the shim's headers */
    char *kernel_folder;     /* the folder of the kernel's file */
    char *cut;               /* the names of host functions that were left out; "": none */
    struct gr_cache_key key; /* of the text and of the shim */
};

/* UNSUPPORTED: the kernel uses what is not modelled ("not modelled: wgmma, x.cu:88"), or an
 * instruction that the architecture ("sm_90a", "gfx90a") does not have. */
enum gradus_status gr_sim_unit_make(const struct gr_variant *variant, const char *const *defines,
                                    const char *arch, struct gr_sim_unit *unit,
                                    struct gradus_error *error);
/* Do the key and the compiler's options determine what is compiled? Not if the unit includes files
 * of the user. */
bool gr_sim_unit_is_whole(const struct gr_sim_unit *unit, const struct gr_kernel *kernel,
                          const char *const *words, int word_count);
void gr_sim_unit_free(struct gr_sim_unit *unit);

#endif
