/* rungs.h: the kernels of a measuring verb: rungs by name and files by path.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_RUNGS_H
#define CLI_RUNGS_H

#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/measuring.h"
#include "cli/file_kernels.h"

/* Owns what the kernels of a gr_measuring point to. */
struct gr_rungs {
    struct gr_catalog catalog;
    struct gr_kernel **files;
    int file_count;
};

/* Adds the files among the operands, and the rungs of --kernels; without both, the rungs of
 * `otherwise` (a comma-separated list, or "all"). `verb` is the verb in the rows' commands. */
enum gradus_status gr_rungs_choose(struct gr_measuring *m, const char *verb, const char *otherwise,
                                   struct gr_rungs *rungs, struct gradus_error *error);
/* Adds the kernel that an operand names. It is a rung, by name or number, if it has no folder and
 * no suffix and there is no file with this name; otherwise it is a file, and `extra` is as for
 * gr_rungs_add_file. */
enum gradus_status gr_rungs_add_operand(struct gr_measuring *m, const char *operand,
                                        const char *extra, struct gr_rungs *rungs,
                                        struct gradus_error *error);
/* Adds a kernel file, with a row for each of its kernels that may be a GEMM (cli/file_kernels.h).
 * `extra` has additional lines about the launch (see gr_kernel_read). */
enum gradus_status gr_rungs_add_file(struct gr_measuring *m, const char *path, const char *extra,
                                     struct gr_rungs *rungs, struct gradus_error *error);
/* Adds kernel i of several of a file: see gr_several_settle. */
enum gradus_status gr_rungs_add_one(struct gr_measuring *m, const struct gr_several *several, int i,
                                    struct gr_rungs *rungs, struct gradus_error *error);
/* Appends the options that replace `//@` lines (--kernel, --grid, --block, --smem, --cluster,
 * --args, --require) in the form of `extra`. */
void gr_rungs_extra_lines(const struct gr_args *args, struct gr_str *extra);
/* The same without --kernel. */
void gr_rungs_launch_lines(const struct gr_args *args, struct gr_str *extra);
/* Appends `size` lines for the sizes with names, such as "N=1024", in --size options and in the
 * operand, which may be null. */
void gr_rungs_named_sizes(const struct gr_args *args, const char *operand, struct gr_str *extra);
void gr_rungs_free(struct gr_rungs *rungs);

#endif
