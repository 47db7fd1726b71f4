/* explaining.h: from the words of `gradus explain` to explained kernels. SPDX-License-Identifier:
 * MIT */
#ifndef CLI_EXPLAINING_H
#define CLI_EXPLAINING_H

#include "report/explained.h"
#include "cli/code_operand.h"
#include "cli/gpu_choice.h"
#include "cli/measuring.h"
#include "cli/rungs.h"

/* One kernel, and all that it is explained by. */
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
    char params[256]; /* "BM=64 BN=32" */
};

/* Reads the options, and finds the kernel that `operand` names: a rung of the GPU's ladder, a
 * file or machine code. With `other`, the same is made of the kernel that it is compared with:
 * --param then sets what it has. To be freed after a failure too. */
enum gradus_status gr_explaining_prepare(const struct gr_args *args, const char *operand,
                                         const struct gr_explaining *other, struct gr_explaining *w,
                                         struct gradus_error *error);
struct gr_explain gr_explaining_ask(const struct gr_explaining *w);
struct gr_explained_head gr_explaining_head(const struct gr_explaining *w);
void gr_explaining_free(struct gr_explaining *w);

#endif
