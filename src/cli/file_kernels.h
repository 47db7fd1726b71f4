/* file_kernels.h: the kernels of a file that are each measured or explained by themselves: those
 * that --kernel names, or all that can be a GEMM. SPDX-License-Identifier: MIT */
#ifndef CLI_FILE_KERNELS_H
#define CLI_FILE_KERNELS_H

#include "catalog/alternatives.h"
#include "measure/find_launch.h"

struct gr_several {
    struct gr_alternatives list; /* fewer than two: the file is one kernel, as `extra` says */
    bool chosen;                 /* named by --kernel */
    char *path, *lines;          /* of the file; `extra` without its `kernel` line */
};

/* Lists the kernels. `extra` is as for gr_kernel_read, but its `kernel` line may name several,
 * separated by commas. Free with gr_several_free, also after a failure. INVALID: --kernel names
 * what the file does not have. */
enum gradus_status gr_several_find(const char *path, const char *extra, struct gr_several *several,
                                   struct gradus_error *error);
/* Prints a note that names the kernels of the file that cannot be a GEMM, if there are any. */
void gr_several_note(const struct gr_several *several);
/* Is there one kernel, which gr_several_lines names and `extra` may not? */
bool gr_several_is_one(const struct gr_several *several);
/* The lines for kernel i, malloc'ed: the `extra` of gr_kernel_read. */
char *gr_several_lines(const struct gr_several *several, int i);
/* The kernel of a CUDA file that has only this one, whose code adds no products in a loop; null: it
 * is none such, or --kernel names it. */
const char *gr_several_no_gemm(const struct gr_several *several);
/* INVALID: no launch made a product of it, so that it computes something else. */
enum gradus_status gr_several_refuse_only(const char *path, const char *name,
                                          const struct gr_kernel *kernel,
                                          struct gradus_error *error);
/* Why a kernel of several has no verdict. */
struct gr_omission {
    char *refused; /* it is not run: it cannot be launched, is no GEMM, or is a step of one */
    char *excuse;  /* it is run, and this is said in place of a wrong verdict: it is a step */
};

/* Finds the launch of kernel i. Its name is that of the file and its own, "worklog.tiled". `wanted`
 * is for the file; its path and `extra` are not used. Free *kernel and the texts of *omission. */
enum gradus_status gr_several_settle(const struct gr_several *several, int i,
                                     const struct gr_launch_search *wanted,
                                     struct gr_kernel **kernel, struct gr_omission *omission,
                                     struct gradus_error *error);
void gr_several_free(struct gr_several *several);

#endif
