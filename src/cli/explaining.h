/* explaining.h: makes explained kernels from the words of `gradus explain`.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAINING_H
#define CLI_EXPLAINING_H

#include "report/explained.h"
#include "cli/code_operand.h"
#include "cli/gpu_choice.h"
#include "cli/measuring.h"
#include "cli/rungs.h"
#include "cli/file_kernels.h"

/* A kernel, and all that its explanation is based on. */
struct gr_explaining {
    const struct gr_args *args;
    struct gr_measuring m;
    struct gr_rungs rungs;
    struct gr_code_operand code; /* file null: the kernel has a source */
    const struct gr_kernel *kernel;
    struct gr_variant variant;
    struct gr_problem problem;
    struct gr_gpu_choice gpu;
    struct gr_build build;
    struct gr_explained explained;
    char params[256]; /* for example "BM=64 BN=32" */
};

/* Reads the options, and finds the kernel that `operand` names: a rung of the GPU's ladder, a file
 * or machine code. With `other`, prepares a kernel that is compared with it: --param then sets the
 * parameters that this kernel has. To be freed also after a failure. */
enum gradus_status gr_explaining_prepare(const struct gr_args *args, const char *operand,
                                         const struct gr_explaining *other, struct gr_explaining *w,
                                         struct gradus_error *error);
/* The kernels that are each explained of the file that `operand` names: see gr_several_find. */
enum gradus_status gr_explaining_several(const struct gr_args *args, const char *operand,
                                         struct gr_several *several, struct gradus_error *error);
/* Prepares kernel i of several. UNSUPPORTED: it is left out, and `error` says why. */
enum gradus_status gr_explaining_prepare_one(const struct gr_args *args,
                                             const struct gr_several *several, int i,
                                             struct gr_explaining *w, struct gradus_error *error);
struct gr_explain gr_explaining_ask(const struct gr_explaining *w);
struct gr_explained_head gr_explaining_head(const struct gr_explaining *w);
void gr_explaining_free(struct gr_explaining *w);

#endif
