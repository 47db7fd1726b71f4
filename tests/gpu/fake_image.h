/* fake_image.h: the kernels of an image and the sizes of their parameters, for the fake driver.
 * SPDX-License-Identifier: MIT
 *
 * Three kinds of images are read. A cubin: its sections .text.SYMBOL name the kernels, and
 * .nv.info.SYMBOL holds a KPARAM_INFO record for each parameter. An AMD code object: its note has a
 * map for each kernel, with the name and the arguments. What the fake NVRTC makes: the
 * line FAKE_IMAGE_HEAD, then a line for each kernel, "SYMBOL SIZE SIZE …". */
#ifndef GPU_FAKE_IMAGE_H
#define GPU_FAKE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#define FAKE_IMAGE_HEAD "gradus-fake-image\n"
enum { FAKE_PARAMETERS = 64, FAKE_KERNELS = 64 };

struct fake_kernel {
    char symbol[256];
    int parameter_count;
    size_t parameter_bytes[FAKE_PARAMETERS];
    int dynamic_bytes_allowed; /* what the driver was told; the fake driver's own */
};

struct fake_module {
    int count;
    struct fake_kernel kernels[FAKE_KERNELS];
};

/* False for anything else than these images. */
bool fake_image_read(const void *image, struct fake_module *module);

#endif
