/* unit.h: a kernel's file as a translation unit for the host's compiler, and the headers that it
 * needs, written out. SPDX-License-Identifier: MIT */
#ifndef SIM_UNIT_H
#define SIM_UNIT_H

#include "base/cache.h"
#include "base/str.h"
#include "catalog/variant.h"

/* What the kernel is compiled as if for. */
struct gr_sim_target {
    const char *name; /* "NVIDIA H200" */
    const char *arch; /* "sm_90a" */
    int cc;           /* 90 */
    int warp;         /* 32 or 64 */
};

/* Freed with gr_sim_unit_free. */
struct gr_sim_unit {
    struct gr_str text;
    char *headers;           /* the folder where the shim lies */
    char *beside;            /* the folder of the kernel's file */
    char *cut;               /* host functions that were left out; "" for none */
    struct gr_cache_key key; /* of the text and of the shim */
};

/* UNSUPPORTED: it uses what is not modelled ("not modelled: wgmma, x.cu:88"). */
enum gradus_status gr_sim_unit_make(const struct gr_variant *variant, const char *const *defines,
                                    struct gr_sim_unit *unit, struct gradus_error *error);
/* Whether the key and the compiler's options are all there is to know of what is compiled. */
bool gr_sim_unit_is_whole(const struct gr_sim_unit *unit, const struct gr_kernel *kernel,
                          const char *const *words, int word_count);
void gr_sim_unit_free(struct gr_sim_unit *unit);

#endif
