/* device_code.h: finds or compiles the machine code of a kernel. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_CODE_H
#define DEVICE_DEVICE_CODE_H

#include "device/device_gpu.h"

/* Places where machine code may be found, in the order in which they are searched. */
enum gr_device_place {
    GR_DEVICE_BUILT_IN, /* cubins that were compiled during the build */
    GR_DEVICE_CACHED,   /* files in the user's cache folder */
    GR_DEVICE_COMPILED, /* compilation by NVRTC, whose result is written to the cache */
    GR_DEVICE_PLACES
};

struct gr_device_code {
    const void *image; /* null: this place has no code for the kernel */
    const char *symbols[GR_DEVICE_STANZAS];
    char *owned; /* the allocation that contains image and symbols, or null if they are static */
};

/* Finds the machine code of a kernel for the transposes `trans` (0 to 3) and the GPU's architecture
 * in one place. If that place has none, *code has a null image and the status is OK. Only
 * compilation fails: UNSUPPORTED (there is no NVRTC; the text says what to install), COMPILE (the
 * error has the compiler's log) or NO_MEMORY. Free the code with gr_device_code_free. */
enum gradus_status gr_device_code_find(const struct gr_device_gpu *gpu, int kernel, int trans,
                                       enum gr_device_place place, struct gr_device_code *code,
                                       struct gradus_error *error);
void gr_device_code_free(struct gr_device_code *code);

/* Compiles the kernel's source with NVRTC. *bytes, which the caller frees, contains one line for
 * each symbol and then, from offset *head, the image; its length is *length bytes in all. */
enum gradus_status gr_device_nvrtc(const struct gr_device_kernel *kernel, int trans,
                                   const char *arch, char **bytes, size_t *head, size_t *length,
                                   struct gradus_error *error);

#endif
