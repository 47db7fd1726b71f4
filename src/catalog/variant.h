/* variant.h: a variant is one way to compile and launch a kernel: its types, transposes, parameter
 * values, and the warps for which it is compiled. Given a variant, the expressions of the front
 * matter can be evaluated. SPDX-License-Identifier: MIT */
#ifndef CATALOG_VARIANT_H
#define CATALOG_VARIANT_H

#include "records/kernel.h"
#include "records/problem.h"

struct gr_variant {
    const struct gr_kernel *kernel; /* not owned */
    struct gr_types types;
    bool trans_a, trans_b;
    int64_t params[GR_MAX_PARAMS]; /* in the order of kernel->params */
    int warp;                      /* the value of WARP: threads in a warp or wavefront */
};

/* The device's values that expressions may use. For a CPU, sms is the number of threads, and mr
 * and nr are those of the micro-kernel. */
struct gr_device_values {
    int64_t sms, smem_max, cc, occ, mr, nr, threads;
    const void *a, *b, *c; /* for aligned(); null if unknown */
};

/* The row-major problem that the kernel computes for a request of m x n x depth. If the kernel
 * writes C in column-major order, it is the transposed problem. The transposes of a problem say
 * how its operands are stored. */
struct gr_problem gr_kernel_problem(const struct gr_kernel *kernel, int64_t m, int64_t n,
                                    int64_t depth, bool trans_a, bool trans_b,
                                    struct gr_types types);
/* The same problem as it was requested, for output and records: if the kernel writes C in
 * column-major order, M and N, and the properties of A and B, are exchanged back. */
struct gr_problem gr_kernel_shown(const struct gr_kernel *kernel, const struct gr_problem *problem);
/* "1024" or "MxNxK" of a GEMM; "N=1024 M=512" of a kernel that is none. */
void gr_kernel_size_name(const struct gr_kernel *kernel, const struct gr_problem *problem,
                         char *text, size_t size);
/* UNSUPPORTED for a kernel that is no GEMM, in one line: `verb` needs a GEMM. */
enum gradus_status gr_kernel_refuse_workload(const struct gr_kernel *kernel, const char *verb,
                                             struct gradus_error *error);
/* The transposes with which to run the kernel: the requested ones or, if none were requested and
 * the kernel does not support these, its first ones. */
void gr_kernel_trans(const struct gr_kernel *kernel, bool requested, bool *trans_a, bool *trans_b);
/* The role in the transposed problem: M and N, A and B, lda and ldb are exchanged. */
enum gr_role gr_role_mirrored(enum gr_role role);
/* Turns a kernel that writes C in column-major order into one that computes the transposed
 * problem; see struct gr_kernel. Call it once, after its signatures are read. */
void gr_layout_mirror(struct gr_kernel *kernel);

/* Makes a variant with the default values of all parameters, and with the warps of NVIDIA's GPUs
 * (32 threads; 1 for a CPU), which gr_variant_suit changes for another device. UNSUPPORTED if the
 * kernel does not have these types or transposes. */
enum gradus_status gr_variant_make(const struct gr_kernel *kernel, struct gr_types types,
                                   bool trans_a, bool trans_b, struct gr_variant *variant,
                                   struct gradus_error *error);
/* Makes it a variant for a device: its warps, and the values of the file's `tuned` lines for its
 * architecture ("": no line is for it). Call it before gr_variant_set. */
void gr_variant_suit(struct gr_variant *variant, const char *arch, int warp);
/* Sets one parameter ("BM=64"). INVALID for an unknown name (suggests the closest one) or a
 * value that is not allowed. */
enum gradus_status gr_variant_set(struct gr_variant *variant, const char *assignment,
                                  struct gradus_error *error);
/* Iterate over all combinations of allowed parameter values: gr_variant_first, then
 * gr_variant_next until it returns false. The last parameter changes fastest, and after the last
 * combination the variant is back at the first one. */
void gr_variant_first(struct gr_variant *variant);
bool gr_variant_next(struct gr_variant *variant);
bool gr_variant_is_default(const struct gr_variant *variant);
/* "BM=64 BN=32", "" without parameters. */
void gr_variant_name(const struct gr_variant *variant, char *text, size_t size);

/* UNSUPPORTED with one line ("03_x refuses 100: M%BM==0 (BM=64): why") if the kernel does not
 * support the problem: a `require` is false, or one of the implied requirements is not met:
 * alpha==1 && beta==0, dense leading dimensions, and sizes that fit their parameters' types.
 * `problem` and `device_values` may be null; requirements that need them are not checked then. Each
 * operand of `&&` is checked separately. */
enum gradus_status gr_variant_admits(const struct gr_variant *variant,
                                     const struct gr_problem *problem,
                                     const struct gr_device_values *device_values,
                                     struct gradus_error *error);
/* The values of the `arg` lines, and the sizes of the `work` buffers in bytes. */
enum gradus_status gr_variant_args(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values,
                                   int64_t args[GR_MAX_ARGS], int64_t work_bytes[GR_MAX_WORKS],
                                   struct gradus_error *error);
/* Evaluates any expression of the kernel's file for this variant (grid, block, smem, …). INVALID
 * for a name that needs `problem` or `device_values` if that is null. */
enum gradus_status gr_variant_eval(const struct gr_variant *variant,
                                   const struct gr_problem *problem,
                                   const struct gr_device_values *device_values,
                                   const struct gr_text *expression, int64_t *value,
                                   struct gradus_error *error);

#endif
