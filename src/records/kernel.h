/* kernel.h: what a kernel file declares about its kernel. The front-matter reader (catalog/)
 * fills this record and everything else reads it. All strings are owned by the kernel (see
 * gr_kernel_free in catalog/catalog.h). Expressions are kept as text with their place in the
 * file, and catalog/expr.h evaluates them. SPDX-License-Identifier: MIT */
#ifndef RECORDS_KERNEL_H
#define RECORDS_KERNEL_H

#include "core/dtype.h"

#include <stdbool.h>
#include <stdint.h>

/* Limits of what one file may declare; the reader rejects more. */
enum {
    GR_MAX_PARAMS = 32,
    GR_MAX_LETS = 64,
    GR_MAX_ARGS = 64,
    GR_MAX_COMBINATIONS = 1024,
    GR_MAX_WORKS = 8,
    GR_MAX_MAPS = 8,
    GR_MAX_ARRAYS = 12,
    GR_MAX_EXTENTS = 4,
    GR_MAX_STANZAS = 16
};

/* Where a piece of a kernel was written, for messages: an option of the command line, or a line
 * and column of the kernel's file (1-based). */
struct gr_place {
    const char *option; /* "grid" for --grid, a string literal; null: in the file */
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
    int64_t *allowed; /* in ascending order; includes the default */
    int allowed_count;
};

/* tuned BK 8 @gfx11: the default of a param on an architecture */
struct gr_tuned {
    int param; /* index into kernel->params */
    int64_t value;
    char *arch;
};

/* let NT = expr; arg splits = expr; choose width {64,128}: an arg with choices, whose value is at
 * first the first choice, and is then set to the best one; work P = f32[expr] zero; map tmA =
 * A[BM,BK] swizzle128 */
struct gr_let {
    struct gr_text name, value;
    int64_t *choices;
    int choice_count; /* 0: an expression */
};

struct gr_work {
    struct gr_text name, count;
    bool element_is_t; /* declared as `T[...]`: the kernel's element type */
    enum gr_dtype type;
    bool zero;
};

/* size N = 1024 */
struct gr_kernel_size {
    struct gr_text name;
    int64_t value;
    bool is_given; /* given by an option; otherwise it is the default */
};

/* array in f32[N,M]; array inout x T[N] */
struct gr_kernel_array {
    struct gr_text name;
    bool element_is_t; /* declared as `T[...]`: the kernel's element type */
    enum gr_dtype type;
    struct gr_texts extents; /* the last one is the extent of the contiguous dimension */
    bool is_read, is_written;
};

struct gr_map {
    struct gr_text name;
    char operand; /* 'A', 'B' or 'C' */
    struct gr_texts box;
    int swizzle_bytes; /* 0, 32, 64 or 128 */
    bool optional;     /* the kernel does not use it if the rows are not at multiples of 16 bytes */
    bool by_address;   /* its third and fourth coordinates are the address of a matrix */
};

/* require expr "why" */
struct gr_require {
    struct gr_text expression;
    char *why; /* may be null */
};

/* expect regs <= 168 @sm_90 */
struct gr_expect {
    struct gr_text expression;
    char *arch; /* null: for all architectures */
};

/* One parameter of a C signature, and the argument that Gradus passes for it. */
enum gr_role {
    GR_ROLE_NONE, /* unknown: an error unless an `args` line gives it */
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
    GR_ROLE_TEAM, /* for CPU kernels: see kernels/cpu/ukr.h */
    GR_ROLE_WORK,
    GR_ROLE_SIZE,  /* for a kernel that is not a GEMM: `index` is that of the `size` line */
    GR_ROLE_ARRAY, /* the same, for the `array` line */
    GR_ROLE_ARG,
    GR_ROLE_MAP, /* `index` is that of the `map` line */
    /* A number on the `args` line; `index` is its place in the stanza's args. An expression
     * there becomes an `arg` named after its place, "args[2]" for the third. */
    GR_ROLE_VALUE
};

enum gr_type_class {
    GR_TYPE_OTHER,
    GR_TYPE_INTEGER, /* an integer, like sizes */
    GR_TYPE_REAL,    /* float, double, T or a half type, like alpha and beta */
    GR_TYPE_POINTER
};

struct gr_parameter {
    char *type; /* as written, with blanks collapsed: "const float *" */
    char *name;
    bool pointer, pointee_const;
    /* The type with the file's own typedefs resolved; set once all signatures are read. */
    enum gr_type_class class;
    int bits;            /* value bits of an integer type: 31 for int; 0: not an integer */
    bool has_dtype;      /* false for T, void and unknown types */
    enum gr_dtype dtype; /* the element type of a pointer or real parameter */
    enum gr_role role;
    int index;
    bool by_address; /* of a C kernel: a number that is passed as a pointer to it, as by Fortran */
    int line, column;
};

struct gr_signature {
    char *name;
    struct gr_parameter *parameters;
    int count;
    int line;
    bool has_alpha, has_beta, has_ld; /* has_ld: all of lda, ldb and ldc */
    bool is_generic; /* T is a parameter of its template, so that it takes any element type */
};

/* The lines that a `kernel` line begins. A file without such a line has one stanza. */
struct gr_stanza {
    /* A name as in C++ source, "gemm" or "space::gemm<BM,BN,BK>"; text null: the file's only
     * kernel. */
    struct gr_text kernel;
    bool once;                            /* launched once before the timing starts, untimed */
    struct gr_texts grid, block, cluster; /* 0 to 3 expressions each */
    struct gr_text smem;                  /* text null: none */
    struct gr_text when;                  /* launched only if this is not 0; text null: always */
    /* Expressions of an `args` line, in the order of the kernel's parameters; may be empty. */
    struct gr_texts args;
    struct gr_signature signature;
};

enum gr_language { GR_LANGUAGE_C, GR_LANGUAGE_CUDA };

/* The machine code of a kernel that was given as such, without source. */
struct gr_kernel_code {
    void *image; /* a cubin; null: the kernel has a source, which is compiled */
    size_t length;
    char *symbol;    /* the symbol of the kernel */
    char *compiler;  /* "ptxas 13.0" */
    char *lines_of;  /* the source file that its line table names; null: it has no lines */
    bool has_source; /* that file was found, and is the kernel's `source` */
};

/* An operand that is a variable of the device of fixed extents, as `__device__ float A[64][32]`,
 * and is given to the kernel as a parameter. */
struct gr_held_operand {
    char *kernel, *parameter; /* the kernel that reads it, and the parameter that it became */
    char *variable;           /* its name in the file, and the line of its declaration */
    int line;
    int64_t rows, columns; /* rows 0: it has one extent, of `columns` elements */
};

/* How a kernel that was given structures is called with plain parameters: for each, what a launch
 * passes, where $0 is the launch's own first argument: "$0.M, $0.A, K". */
struct gr_gathered_call {
    char *kernel;
    int count; /* of the launch's own arguments */
    char *passed;
};

struct gr_kernel {
    char *name; /* file name without extension: "07_tile2d" */
    char *path; /* as the user gave it; "kernels/cpu/01_naive.c" for an embedded file */
    int number; /* 7; -1: the name has no number */
    bool built_in;
    enum gr_language language;
    char *source; /* the whole file; for machine code, a declaration of the kernel */
    char *extra;  /* the lines of the command line; null: none */
    struct gr_kernel_code code;
    /* Set if the given file includes the one that contains the kernel: path and source are then
     * those of the latter, and `before` is the text of the former up to the #include, without
     * host code. Else null. */
    char *includer, *includer_source, *before;
    /* The names of kernels in included files, if none of them is the one that is wanted; null if
     * the file has kernels of its own. */
    char *included_kernels;

    char *title, *after, *origin; /* origin: the `source` line; null if not given */
    struct gr_place after_place;
    struct gr_texts ideas;
    char *picture; /* the ASCII picture: the comment block below the front matter; may be null */
    struct gr_types *types;
    int type_count;
    char *math;                                 /* "tf32"…; null: the precision of the type */
    bool col_major_a, col_major_b, col_major_c; /* from the `layout` line */
    bool trans[4];                              /* which of nn, nt, tn, tt the kernel supports */
    bool trans_declared;                        /* a line declares them; else nn is assumed */
    char *arch; /* ">= sm_80", "sm_90a", "gfx90a, gfx11"; null: any */
    struct gr_texts isa, flags;
    struct gr_param *params;
    int param_count;
    struct gr_tuned *tuned; /* if several are for one architecture, the last one counts */
    int tuned_count;
    struct gr_let *lets;
    int let_count;
    struct gr_require *requires;
    int require_count;
    struct gr_let *args;
    int arg_count;
    struct gr_text least; /* the expression that the choices minimise; null: there are none */
    struct gr_work *works;
    int work_count;
    struct gr_map *maps;
    int map_count;
    /* For a kernel that is not a GEMM: its sizes, its arrays, its floating-point operations and the
     * bytes that it must move (text null: not given). A kernel without arrays is a GEMM. */
    struct gr_kernel_size *sizes;
    int size_count;
    struct gr_kernel_array *arrays;
    int array_count;
    struct gr_text flop, bytes;
    struct gr_stanza *stanzas;
    int stanza_count;
    struct gr_expect *expects;
    int expect_count;
    /* The first line whose keyword says nothing of a kernel in this language; keyword null: there
     * is none. */
    struct {
        const char *keyword; /* a string literal */
        struct gr_place place;
    } misplaced;
    bool has_front_matter;
    /* The kernel writes C in column-major order. Roles, maps and the layout are then those of
     * the transposed GEMM, whose C is row-major (catalog/mirrored.c); expressions keep the
     * kernel's own M, N, lda and ldb. */
    bool mirrored;
    bool zero_c; /* C is set to zero before each GEMM */
    /* How the launch and the arguments were determined, if they were not given; else null. */
    char *launch_origin;
    /* The launch was neither found nor confirmed by a correct result, so the outcome of the launch
     * says nothing about the kernel. */
    bool launch_guessed;
    /* The signature has no alpha and beta, as if it required alpha==1 && beta==0. */
    bool implied_alpha1_beta0;
    /* A kernel in C whose only size this is, as it calls it, as if it required M==N && N==K; null:
     * it has several, or a `require` line says which sizes it admits. */
    char *only_size;
    /* A kernel that is given none of M, N and K has the sizes of its file: by its constants of such
     * names these, else 0. A GPU kernel whose constants do not say them has not. */
    bool has_fixed_sizes;
    int64_t fixed[3];
    /* `fixed` are the sizes at which the launch that was found is right, and it is at no larger
     * ones: it has one block, whose threads compute one element each, or one tile. */
    bool fixed_by_trial;
    bool lacks_beta; /* no function of the file has a parameter beta */
    /* Operands that the file has in variables of the device of fixed extents. */
    struct gr_held_operand *held;
    int held_count;
    /* Launches in other files than the kernel's pass structures still. */
    struct gr_gathered_call *calls;
    int call_count;
};

/* Does the file declare what the kernel computes with `array` lines? Then it is not a GEMM. */
static inline bool gr_kernel_has_workload(const struct gr_kernel *kernel)
{
    return kernel->array_count > 0;
}

#endif
