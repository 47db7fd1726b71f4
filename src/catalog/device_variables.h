/* device_variables.h: variables of the device that contain the operands or sizes of a kernel, and
 * could be its parameters. SPDX-License-Identifier: MIT */
#ifndef CATALOG_DEVICE_VARIABLES_H
#define CATALOG_DEVICE_VARIABLES_H

#include "catalog/structures.h"
#include "records/kernel.h"

/* `__device__ float A[N][N]`, `__constant__ int M`, `__device__ float *B`, `__constant__ Params p`:
 * an operand, a size, or a structure of these by its name and type, without an initial value. */
struct gr_device_variable {
    struct gr_member is;       /* its type, name and stars */
    struct gr_range extents;   /* `[N][K]`; empty: no array */
    struct gr_range statement; /* its declaration, from the first word to behind the `;` */
};

enum { GR_MOST_DEVICE_VARIABLES = 32 };
struct gr_device_variables {
    struct gr_device_variable items[GR_MOST_DEVICE_VARIABLES];
    int count;
};

/* If a statement also declares something else, none of its variables is found. */
void gr_device_variables_find(const struct gr_scan *scan, const struct gr_structures *structures,
                              struct gr_device_variables *variables);
/* Does the function read or write it? */
bool gr_device_variable_used(const struct gr_scan *scan, const struct gr_function *function,
                             const struct gr_device_variable *variable);
/* Does a function that kernels call use it, so that it cannot become a parameter? */
bool gr_device_variable_shared(const struct gr_scan *scan,
                               const struct gr_device_variables *variables,
                               const struct gr_device_variable *variable);
/* A variable of constant memory that the kernel, or what it calls, reads, and that has not become a
 * parameter: the token of its name; -1: there is none. Only host code could set it. */
int gr_constant_variable_left(const struct gr_scan *scan, const struct gr_function *kernel);
/* The token of the name of a variable that has this role; -1: there is none. */
int gr_device_variable_left(const struct gr_scan *scan, enum gr_role role);

#endif
