/* standins_amd.c: the headers of HIP and CUDA that are empty for AMD's run-time compilers.
 * SPDX-License-Identifier: MIT */
#include "emit/standins.h"

#include <stddef.h>
#include <string.h>

#define NOTHING(name)                                                                              \
    {                                                                                              \
        name, "#pragma once\n"                                                                     \
    }

/* HIP's own header includes these, and files rely on it. */
static const char runtime[] = "#pragma once\n"
                              "#include <cmath>\n"
                              "#include <stdint.h>\n"
                              "#include <string>\n";

/* hipRTC itself, and our prelude for clang (gpu/amd_prelude.hpp), declare what kernels use of
 * them. */
static const struct gr_standin standins[] = {
    {"hip/hip_runtime.h", runtime}, NOTHING("hip/hip_runtime_api.h"),
    NOTHING("hip/hip_fp16.h"),      NOTHING("hip/hip_bf16.h"),
    NOTHING("hip/hip_bfloat16.h"),  NOTHING("hip/hip_vector_types.h"),
    NOTHING("cuda_fp16.h"),         NOTHING("cuda_bf16.h"),
    NOTHING("hip/hip_ext.h"),       NOTHING("hip/math_functions.h"),
};

const struct gr_standin *gr_standin_amd_at(int i)
{
    return i >= 0 && i < (int)(sizeof standins / sizeof *standins) ? &standins[i] : NULL;
}

bool gr_standin_amd_has(const char *name)
{
    for (int i = 0; gr_standin_amd_at(i); i++)
        if (strcmp(gr_standin_amd_at(i)->name, name) == 0)
            return true;
    return false;
}
