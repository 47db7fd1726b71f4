/* gpu_compile.h: a variant of a CUDA kernel, compiled for an architecture; needs no GPU.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_GPU_COMPILE_H
#define BACKEND_GPU_COMPILE_H

#include "backend/backend.h"
#include "gpu/rtc.h"

struct gr_gpu_target {
    const char *name; /* "NVIDIA H200", for messages */
    const char *arch; /* "sm_90a"; its vendor's run-time compiler compiles for it */
    int cc;
};

/* To machine code. `notes`: what the user should know of the build ("host functions left out:
 * main"), or "". UNSUPPORTED also where the file's `arch` line excludes the target. */
enum gradus_status gr_gpu_compile(const struct gr_variant *variant, const struct gr_build *build,
                                  const struct gr_gpu_target *target, struct gr_rtc_code *cubin,
                                  char *notes, size_t notes_size, struct gradus_error *error);
/* To assembly (malloc'ed text): PTX for NVIDIA. */
enum gradus_status gr_gpu_compile_assembly(const struct gr_variant *variant,
                                           const struct gr_build *build,
                                           const struct gr_gpu_target *target, char **ptx,
                                           struct gradus_error *error);

/* UNSUPPORTED where the kernel's `arch` line excludes the target ("needs at least sm_80, Tesla T4
 * is sm_75"). */
enum gradus_status gr_gpu_admits(const struct gr_kernel *kernel, const struct gr_gpu_target *target,
                                 struct gradus_error *error);

#endif
