/* choose.h: loads the catalog of kernels that the options of a verb choose.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_CHOOSE_H
#define CLI_CHOOSE_H

#include "cli/metavar.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/verb.h"

/* The options that gr_choose_catalog reads. */
#define GR_OPTION_KERNEL_DIR                                                                       \
    {                                                                                              \
        "kernel-dir", 0, "DIR", false, "take the rungs from DIR, not from the program"             \
    }
#define GR_OPTION_DEVICE                                                                           \
    {                                                                                              \
        "device", 0, GR_METAVAR_DEVICE, false, "whose rungs: cpu (the default) or a GPU's"         \
    }

/* Loads the kernels that --device and --kernel-dir choose. UNSUPPORTED: there are none. */
enum gradus_status gr_choose_catalog(const struct gr_args *args, struct gr_catalog *catalog,
                                     struct gradus_error *error);

/* Finds the kernel that a word names, as gr_catalog_find. If it is not in the CPU's ladder, which
 * is the one that is meant without options, the error says what the GPU's has by that name. */
enum gradus_status gr_choose_kernel(const struct gr_args *args, const struct gr_catalog *catalog,
                                    const char *word, const struct gr_kernel **kernel,
                                    struct gradus_error *error);

/* Appends the types of a kernel, such as "f32, f64" or "f32, A=bf16 B=bf16 C=f32 ACC=f32". */
void gr_choose_types(const struct gr_kernel *kernel, struct gr_str *out);

#endif
