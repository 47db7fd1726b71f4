/* shims.h: the embedded headers that let a host C++ compiler compile CUDA and HIP source. With
 * them the simulator needs no toolkit. SPDX-License-Identifier: MIT */
#ifndef EMIT_SHIMS_H
#define EMIT_SHIMS_H

#include <stdbool.h>

struct gr_shim {
    char name[64];    /* as it is included: "gr_cuda.h", "cuda_fp16.h", "cuda/barrier" */
    const char *text; /* valid for the life of the program */
};

/* The i-th header; false past the end. Written to one folder that comes first on the include
 * path, they replace the headers of the toolkits. Include "gr_cuda.h" before the kernel's source
 * (-include). */
bool gr_shim_at(int i, struct gr_shim *shim);

#endif
