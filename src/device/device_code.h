/* device_code.h: where the machine code of a kernel comes from. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_CODE_H
#define DEVICE_DEVICE_CODE_H

#include "device/device_gpu.h"

/* In the order in which they are asked. */
enum gr_device_place {
    GR_DEVICE_BUILT_IN, /* the cubins of the build */
    GR_DEVICE_CACHED,   /* the user's cache folder */
    GR_DEVICE_COMPILED, /* NVRTC, which fills the cache */
    GR_DEVICE_PLACES
};

struct gr_device_code {
    const void *image; /* null: that place has none */
    const char *symbols[GR_DEVICE_STANZAS];
    char *owned; /* what image and symbols lie in, or null */
};

/* Code of a kernel for transposes 0 to 3 and the GPU's architecture. UNSUPPORTED at the last place:
 * there is no NVRTC either; what to install. COMPILE: it does not compile, with the log. */
enum gradus_status gr_device_code_find(const struct gr_device_gpu *gpu, int kernel, int trans,
                                       enum gr_device_place place, struct gr_device_code *code,
                                       struct gradus_error *error);
void gr_device_code_free(struct gr_device_code *code);

/* Compiles the kernel's text with the NVRTC that is found. The result is malloc'ed: a line for each
 * symbol, then the image from *head on, *length bytes in all. */
enum gradus_status gr_device_nvrtc(const struct gr_device_kernel *kernel, int trans,
                                   const char *arch, char **bytes, size_t *head, size_t *length,
                                   struct gradus_error *error);

#endif
