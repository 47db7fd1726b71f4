/* workload.h: what a kernel computes, as data: its arrays, its floating-point operations and the
 * bytes that it must move.
 * SPDX-License-Identifier: MIT
 *
 * A GEMM is one kind of workload; a kernel whose file has `array` lines is another. The parts that
 * examine launches, memory and rates (the simulator, the analyses, the pictures) need nothing else
 * about what a kernel computes. */
#ifndef PLAN_WORKLOAD_H
#define PLAN_WORKLOAD_H

#include "catalog/variant.h"

enum { GR_WORKLOAD_ARRAYS = GR_MAX_ARRAYS };

struct gr_workload_array {
    char name[64]; /* as in the kernel's signature */
    char operand;  /* 'A', 'B' or 'C' for a GEMM; 0 for others */
    enum gr_dtype type;
    int64_t bytes;
    int64_t columns, ld; /* the elements of a row, and the distance between rows; ld 0: the array
                            has one dimension */
    bool is_read;        /* its contents are defined before the launch */
    bool is_written;
    bool zero; /* zeroed before each launch */
};

struct gr_workload {
    bool is_gemm; /* A, B and C are arrays 0, 1 and 2, and there is a reference for C */
    int array_count;
    struct gr_workload_array arrays[GR_WORKLOAD_ARRAYS];
    double flops; /* 0: not known */
    double bytes; /* bytes that must be moved, each counted once; 0: not known */
};

/* Returns INVALID if an extent or the number of operations has no value, or an extent is negative.
 * `device_values` may be null if the expressions need none. */
enum gradus_status gr_workload_make(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_device_values *device_values,
                                    struct gr_workload *workload, struct gradus_error *error);
/* Returns the array with this name, for a kernel that is not a GEMM, or null. `workload` may be
 * null. */
const struct gr_workload_array *gr_workload_array_named(const struct gr_workload *workload,
                                                        const char *name);
/* Returns the index of the array that a parameter with this role and index refers to; -1: none. */
int gr_workload_array_of(const struct gr_workload *workload, enum gr_role role, int index);

#endif
