/* shims.h: the headers with which a host's C++ compiler takes CUDA and HIP source, as they are
 * embedded in the binary. SPDX-License-Identifier: MIT */
#ifndef EMIT_SHIMS_H
#define EMIT_SHIMS_H

#include <stdbool.h>

struct gr_shim {
    char name[64];    /* as it is included: "gr_cuda.h", "cuda_fp16.h", "cuda/barrier" */
    const char *text; /* lives as long as the program */
};

/* The i-th; false past the end. Written out below one folder, which is put on the include path in
 * front of all others, they replace the toolkits' headers; "gr_cuda.h" is to be included before the
 * kernel's source (-include). */
bool gr_shim_at(int i, struct gr_shim *shim);

#endif
