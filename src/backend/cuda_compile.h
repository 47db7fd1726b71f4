/* cuda_compile.h: compiles a variant of a CUDA kernel for an architecture; no GPU is needed.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_CUDA_COMPILE_H
#define BACKEND_CUDA_COMPILE_H

#include "backend/backend.h"
#include "gpu/nvrtc.h"

struct gr_cuda_target {
    const char *name; /* "NVIDIA H200", for messages */
    const char *arch; /* "sm_90a" */
    int cc;
};

/* Compiles to machine code. `notes` receives what the user should know about the build ("host
 * functions left out: main"), or "". UNSUPPORTED also if the file's `arch` line excludes the
 * target. */
enum gradus_status gr_cuda_compile(const struct gr_variant *variant, const struct gr_build *build,
                                   const struct gr_cuda_target *target, struct gr_cubin *cubin,
                                   char *notes, size_t notes_size, struct gradus_error *error);
/* Compiles to PTX (malloc'ed text). */
enum gradus_status gr_cuda_compile_ptx(const struct gr_variant *variant,
                                       const struct gr_build *build,
                                       const struct gr_cuda_target *target, char **ptx,
                                       struct gradus_error *error);

/* UNSUPPORTED if the kernel's `arch` line excludes the target ("needs at least sm_80, Tesla T4
 * is sm_75"). */
enum gradus_status gr_cuda_admits(const struct gr_kernel *kernel,
                                  const struct gr_cuda_target *target, struct gradus_error *error);

#endif
