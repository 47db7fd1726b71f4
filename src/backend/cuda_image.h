/* cuda_image.h: passes a kernel's machine code from the parent, which compiles it, to the
 * worker, which loads it, in a temporary file. SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_IMAGE_H
#define BACKEND_CUDA_IMAGE_H

#include "backend/backend.h"
#include "backend/cuda_launch.h"

/* Compiles the variant for the device and writes the code and the symbols of its kernels to a
 * temporary file, whose path is artifact->path. */
enum gradus_status gr_cuda_image_make(const struct gr_variant *variant,
                                      const struct gr_build *build,
                                      const struct gr_cuda_device *device,
                                      struct gr_artifact *artifact, struct gradus_error *error);
/* Reads and loads such a file. */
enum gradus_status gr_cuda_image_load(const struct gr_cuda_context *context, const char *path,
                                      struct gr_cuda_module *module, struct gradus_error *error);

#endif
