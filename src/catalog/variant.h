/* variant.h: one way to build and launch a kernel: its types, transposes and parameter values; and
 * what the front matter says then. SPDX-License-Identifier: MIT */
#ifndef CATALOG_VARIANT_H
#define CATALOG_VARIANT_H

#include "records/kernel.h"
#include "records/problem.h"

struct gr_variant {
    const struct gr_kernel *kernel; /* not owned */
    struct gr_types types;
    bool trans_a, trans_b;
    int64_t params[GR_MAX_PARAMS]; /* in the order of kernel->params */
};

/* What the device gives to expressions. For a CPU: sms = threads, warp = 1, mr/nr from the
 * micro-kernel. */
struct gr_givens {
    int64_t sms, smem_max, warp, cc, occ, mr, nr, threads;
    const void *a, *b, *c; /* for aligned(); null where unknown */
};

/* The product that the kernel computes when it is asked for m x n x depth, with its C by rows:
 * where the kernel writes C by columns it is the transposed one. A problem's transposes say how its
 * operands are stored. */
struct gr_problem gr_kernel_problem(const struct gr_kernel *kernel, int64_t m, int64_t n,
                                    int64_t depth, bool trans_a, bool trans_b,
                                    struct gr_types types);
/* The transposes to run the kernel with: those asked for, or, where none were asked for and it does
 * not do them, its first. */
void gr_kernel_trans(const struct gr_kernel *kernel, bool asked, bool *trans_a, bool *trans_b);
/* M for N, A for B, lda for ldb, and back. */
enum gr_role gr_role_mirrored(enum gr_role role);
/* Makes a kernel that writes C by columns one of the transposed product; see struct gr_kernel.
 * Once, after its signatures are read. */
void gr_layout_mirror(struct gr_kernel *kernel);

/* Defaults for all parameters. UNSUPPORTED when the kernel does not have these types or transposes.
 */
enum gradus_status gr_variant_make(const struct gr_kernel *kernel, struct gr_types types,
                                   bool trans_a, bool trans_b, struct gr_variant *variant,
                                   struct gradus_error *error);
/* Sets one parameter ("BM=64"). INVALID for an unknown name (with the nearest) or a value not
 * allowed. */
enum gradus_status gr_variant_set(struct gr_variant *variant, const char *assignment,
                                  struct gradus_error *error);
/* To walk all combinations of allowed parameter values: gr_variant_first, then gr_variant_next
 * until it is false (odometer order; then it stands at the first again). */
void gr_variant_first(struct gr_variant *variant);
bool gr_variant_next(struct gr_variant *variant);
bool gr_variant_is_default(const struct gr_variant *variant);
/* "BM=64 BN=32", "" without parameters. */
void gr_variant_name(const struct gr_variant *variant, char *text, size_t size);

/* UNSUPPORTED with one line ("03_x refuses 100: M%BM==0 (BM=64): why") when a `require` that this
 * problem can decide is false; so are the implied ones: alpha==1 && beta==0, dense leading
 * dimensions, and sizes that fit their parameters' types. `problem` and `givens` may be null: what
 * needs them is not judged then. An operand of `&&` is judged by itself. */
enum gradus_status gr_variant_admits(const struct gr_variant *variant,
                                     const struct gr_problem *problem,
                                     const struct gr_givens *givens, struct gradus_error *error);
/* The values of the `arg` lines, and the byte sizes of the `work` buffers. */
enum gradus_status gr_variant_args(const struct gr_variant *variant,
                                   const struct gr_problem *problem, const struct gr_givens *givens,
                                   int64_t args[GR_MAX_ARGS], int64_t work_bytes[GR_MAX_WORKS],
                                   struct gradus_error *error);
/* Any expression of the kernel's file under this variant (grid, block, smem, …). A name that needs
 * a problem or givens that are null is unknown: INVALID. */
enum gradus_status gr_variant_eval(const struct gr_variant *variant,
                                   const struct gr_problem *problem, const struct gr_givens *givens,
                                   const struct gr_text *expression, int64_t *value,
                                   struct gradus_error *error);

#endif
