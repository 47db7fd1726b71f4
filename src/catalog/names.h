/* names.h: what the names in expressions of the front matter refer to. Names are checked when
 * the file is read, so that a misspelt one is an error before anything runs.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_NAMES_H
#define CATALOG_NAMES_H

#include "records/kernel.h"

#include <gradus/gradus.h>
#include <stddef.h>

enum gr_name_kind {
    GR_NAME_UNKNOWN = 0,
    /* Known at compile time. */
    GR_NAME_PARAM = 1, /* index: into kernel->params */
    GR_NAME_LET = 2,   /* index: into kernel->lets */
    GR_NAME_BUILD = 4, /* TA, TB and WARP; index: as listed in names.c */
    /* Known at run time. */
    GR_NAME_ARG = 8,      /* index: into kernel->args */
    GR_NAME_PROBLEM = 16, /* M N K lda ldb ldc alpha beta; index: as listed in names.c */
    GR_NAME_SIZE = 64,    /* index: into kernel->sizes */
    GR_NAME_DEVICE = 32   /* SMS SMEM_MAX CC OCC MR NR THREADS; index: as listed in names.c */
};

enum { GR_NAMES_COMPILE_TIME = GR_NAME_PARAM | GR_NAME_LET | GR_NAME_BUILD, GR_NAMES_ALL = 127 };

enum gr_build_name { GR_BUILD_TA, GR_BUILD_TB, GR_BUILD_T_BYTES, GR_BUILD_C_BYTES, GR_BUILD_WARP };

enum gr_problem_name {
    GR_PROBLEM_M,
    GR_PROBLEM_N,
    GR_PROBLEM_K,
    GR_PROBLEM_LDA,
    GR_PROBLEM_LDB,
    GR_PROBLEM_LDC,
    GR_PROBLEM_ALPHA,
    GR_PROBLEM_BETA
};

enum gr_device_name {
    GR_DEVICE_SMS,
    GR_DEVICE_SMEM_MAX,
    GR_DEVICE_CC,
    GR_DEVICE_OCC,
    GR_DEVICE_MR,
    GR_DEVICE_NR,
    GR_DEVICE_THREADS
};

struct gr_name {
    enum gr_name_kind kind;
    int index;
};

struct gr_name gr_name_find(const struct gr_kernel *kernel, const char *name);

enum { GR_NAMES_LISTED = GR_MAX_PARAMS + GR_MAX_LETS + GR_MAX_ARGS + 32 };
/* Fills `list` with the names of these kinds, for suggestions, and returns their number. */
size_t gr_name_list(const struct gr_kernel *kernel, int kinds, const char *list[GR_NAMES_LISTED]);

/* Checks every expression of the kernel: its syntax, and that each name is known and has a value
 * when the expression is evaluated. INVALID gives the place, the name and the closest known
 * name. */
enum gradus_status gr_names_check(const struct gr_kernel *kernel, struct gradus_error *error);

/* INVALID if `name` cannot be used for a new param, let, arg, work or map, because it is taken
 * or reserved. */
enum gradus_status gr_name_free(const struct gr_kernel *kernel, const struct gr_text *name,
                                struct gradus_error *error);

/* The same for a new size or array. Names of a GEMM's sizes may be used, since a file with such
 * lines is not a GEMM. */
enum gradus_status gr_size_name_free(const struct gr_kernel *kernel, const struct gr_text *name,
                                     struct gradus_error *error);

#endif
