/* standins.h: replacements for headers that CUDA files include and a run-time compiler does not
 * have. Most of what such headers declare is for host code, which is removed.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_STANDINS_H
#define EMIT_STANDINS_H

#include <stdbool.h>

struct gr_standin {
    const char *name, *text;
};

/* The i-th header, or null past the end. They declare only what device code may need, since host
 * code is removed. */
const struct gr_standin *gr_standin_at(int i);

/* The i-th header of HIP or CUDA that is empty for AMD's compilers, since they declare its contents
 * without an #include; null past the end. */
const struct gr_standin *gr_standin_amd_at(int i);
/* Is a header of that name among them? */
bool gr_standin_amd_has(const char *name);

/* Declarations that nvcc provides without an #include and NVRTC does not, and names from host
 * headers that device code often uses without including the header. */
extern const char gr_standin_prologue[];

#endif
