/* driver_library.h: a vendor's driver as a shared library: finding it, and filling the table of
 * functions with it. SPDX-License-Identifier: MIT */
#ifndef GPU_DRIVER_LIBRARY_H
#define GPU_DRIVER_LIBRARY_H

#include "gpu/driver.h"

/* Where a function of the table comes from: `member` is the offset in struct gr_gpu_driver. */
struct gr_gpu_symbol {
    const char *symbol;
    size_t member;
};

/* Builds a list of them from a vendor's list X(name in the table, symbol). */
#define GR_GPU_SYMBOL(name, symbol) {#symbol, offsetof(struct gr_gpu_driver, name)},

/* Opens the file that the environment variable `requested` names, else the first of `names` (null-
 * terminated) that the loader finds. The library is never closed. UNSUPPORTED: "skip: no TITLE
 * driver: …", which ends in " it with: COMMAND"; `remedy` is the command for a library that is not
 * there. */
enum gradus_status gr_gpu_library_open(const char *title, const char *requested,
                                       const char *const *names, const char *remedy, void **library,
                                       struct gradus_error *error);

/* Fills the members of `table` that the symbols name, and its path. Returns the symbol of a needed
 * function that is missing, or null if there is none. */
const char *gr_gpu_library_bind(void *library, const struct gr_gpu_symbol *symbols, size_t count,
                                struct gr_gpu_driver *table);

#endif
