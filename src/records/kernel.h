/* kernel.h: what a kernel file says about itself: the noun that the front-matter reader (catalog)
 * fills and everyone else reads. All strings are owned by the kernel (see gr_kernel_free in
 * catalog/catalog.h). Expressions are kept as text with the place they stand, and evaluated by
 * catalog/expr.h. SPDX-License-Identifier: MIT */
#ifndef RECORDS_KERNEL_H
#define RECORDS_KERNEL_H

#include "core/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* What one file may declare; more is refused when it is read. */
enum {
    GR_MAX_PARAMS = 32,
    GR_MAX_LETS = 64,
    GR_MAX_ARGS = 24,
    GR_MAX_WORKS = 8,
    GR_MAX_MAPS = 8,
    GR_MAX_STANZAS = 16
};

/* Where a piece of a kernel comes from, for messages: an option of the command line, or a line and
 * column of the kernel's file (1-based). */
struct gr_place {
    const char *option; /* "grid" for --grid, a literal; null: the file */
    int line, column;
};

struct gr_text {
    char *text;
    struct gr_place place;
};

struct gr_texts {
    struct gr_text *items;
    int count;
};

/* param BM 128 {64,128,256} */
struct gr_param {
    struct gr_text name;
    int64_t value;    /* the default */
    int64_t *allowed; /* ascending as written; contains the default */
    int allowed_count;
};

/* let NT = expr; arg splits = expr; work P = f32[expr] zero; map tmA = A[BM,BK] swizzle128 */
struct gr_let {
    struct gr_text name, value;
};

struct gr_work {
    struct gr_text name, count;
    bool element_is_t; /* written `T[...]`: the kernel's own element type */
    enum gr_dtype type;
    bool zero;
};

struct gr_map {
    struct gr_text name;
    char operand; /* 'A', 'B' or 'C' */
    struct gr_texts box;
    int swizzle_bytes; /* 0, 32, 64 or 128 */
};

/* require expr "why" */
struct gr_require {
    struct gr_text expression;
    char *why; /* may be null */
};

/* expect regs <= 168 @sm_90 */
struct gr_expect {
    struct gr_text expression;
    char *arch; /* may be null: everywhere */
};

/* One parameter of a C signature, and what Gradus passes for it. */
enum gr_role {
    GR_ROLE_NONE, /* nothing fits: an error unless `args` names it */
    GR_ROLE_M,
    GR_ROLE_N,
    GR_ROLE_K,
    GR_ROLE_ALPHA,
    GR_ROLE_BETA,
    GR_ROLE_A,
    GR_ROLE_B,
    GR_ROLE_C,
    GR_ROLE_LDA,
    GR_ROLE_LDB,
    GR_ROLE_LDC,
    GR_ROLE_UKR,
    GR_ROLE_TEAM, /* CPU: kernels/cpu/ukr.h */
    GR_ROLE_WORK,
    GR_ROLE_ARG,
    GR_ROLE_MAP,  /* `index` says which line */
    GR_ROLE_VALUE /* a number on the `args` line, passed as it is written; `index` into the stanza's
                   * args. An expression there becomes an `arg` of its own, named "args[2]" for the
                   * third */
};

enum gr_type_class {
    GR_TYPE_OTHER,
    GR_TYPE_INTEGER, /* fit for a size */
    GR_TYPE_REAL,    /* float, double, T, a half: fit for alpha */
    GR_TYPE_POINTER
};

struct gr_parameter {
    char *type; /* as written, blanks folded: "const float *" */
    char *name;
    bool pointer, pointee_const;
    /* What the type is, through the file's own typedefs; known once all signatures are read. */
    enum gr_type_class class;
    int bits;            /* of an integer's range below zero or above: 31 for int; 0: no integer */
    bool has_dtype;      /* false for T, void and what is not known */
    enum gr_dtype dtype; /* that a pointer or real parameter names */
    enum gr_role role;
    int index;
    int line, column;
};

struct gr_signature {
    char *name;
    struct gr_parameter *parameters;
    int count;
    int line;
    bool has_alpha, has_beta, has_ld; /* alpha, beta are parameters; lda, ldb and ldc all are */
    bool is_generic; /* T is a parameter of its template: it takes elements of any type */
};

/* What a `kernel` line opens. A file without one has one stanza. */
struct gr_stanza {
    struct gr_text
        kernel; /* "gemm" or "space::gemm<BM,BN,BK>"; in C text null: the file's only kernel */
    bool once;  /* runs at plan time, untimed */
    struct gr_texts grid, block, cluster; /* 0 to 3 expressions each */
    struct gr_text smem;                  /* text null: none */
    struct gr_text when;                  /* launched only where this is not 0; text null: always */
    struct gr_texts args; /* overriding expressions, in the kernel's order; may be empty */
    struct gr_signature signature;
};

enum gr_language { GR_LANGUAGE_C, GR_LANGUAGE_CUDA };

struct gr_kernel {
    char *name; /* file name without extension: "07_tile2d" */
    char *path; /* as given, or "kernels/cpu/01_naive.c" for an embedded one */
    int number; /* 7; -1 where the name has none */
    bool built_in;
    enum gr_language language;
    char *source; /* the whole file */
    /* Where the file that was given includes the one that holds the kernel: path and source are of
     * the latter, `before` is what the former says before it includes it, host code cut. Else null.
     */
    char *includer, *includer_source, *before;
    char *included_kernels; /* names of kernels in included files, none of them the one that is
                             * meant; null where the file has kernels of its own */

    char *title, *after, *origin; /* `source` line; null where not given */
    struct gr_texts ideas;
    char *picture; /* the file's ASCII picture: the comment block that follows the front matter; may
                      be null */
    struct gr_types *types;
    int type_count;
    char *math;                                 /* "tf32"…; null: as the type */
    bool col_major_a, col_major_b, col_major_c; /* layout */
    bool trans[4];                              /* nn, nt, tn, tt allowed */
    bool trans_said;                            /* by a line; else nn is assumed */
    char *arch;                                 /* ">= sm_80", "sm_90a"; null: any */
    struct gr_texts isa, flags;
    struct gr_param *params;
    int param_count;
    struct gr_let *lets;
    int let_count;
    struct gr_require *requires;
    int require_count;
    struct gr_let *args;
    int arg_count;
    struct gr_work *works;
    int work_count;
    struct gr_map *maps;
    int map_count;
    struct gr_stanza *stanzas;
    int stanza_count;
    struct gr_expect *expects;
    int expect_count;
    bool has_front_matter;
    bool mirrored; /* C lies by columns: roles, maps and the layout are those of the transposed
                    * product, which has its C by rows (catalog/mirrored.c); expressions keep the
                    * kernel's own M, N, lda and ldb */
    bool zero_c;   /* C is zeroed before each product */
    char *settled; /* where the launch and the arguments come from, where they were not given; null
                      else */
    bool implied_alpha1_beta0; /* no alpha and beta in the signature: require alpha==1 && beta==0 */
};

#endif
