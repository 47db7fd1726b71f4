/* gpu_image.h: a kernel's machine code, on its way from the parent to the worker.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_IMAGE_H
#define BACKEND_GPU_IMAGE_H

#include "backend/backend.h"
#include "backend/gpu_compile.h"
#include "backend/gpu_launch.h"

/* Compiles the variant for the device, and writes the code and its kernels' symbols to a temporary
 * file that artifact->path names. */
enum gradus_status gr_gpu_image_make(const struct gr_variant *variant, const struct gr_build *build,
                                     const struct gr_gpu_target *target,
                                     struct gr_artifact *artifact, struct gradus_error *error);

/* Such a file. */
struct gr_gpu_image {
    char *text; /* the whole file */
    int count;
    const char *symbols[GR_MAX_STANZAS];
    const void *code;
    size_t length;
};
enum gradus_status gr_gpu_image_read(const char *path, struct gr_gpu_image *image,
                                     struct gradus_error *error);
void gr_gpu_image_free(struct gr_gpu_image *image);
/* Reads such a file and loads it. */
enum gradus_status gr_gpu_image_load(const struct gr_gpu_context *context, const char *path,
                                     struct gr_gpu_loaded *module, struct gradus_error *error);

#endif
