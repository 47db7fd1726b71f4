/* plan.h: the launches of a GPU kernel for one problem on one device: the expressions of its
 * front matter with their values. The parent process makes the plan; the worker fills in device
 * addresses and launches. SPDX-License-Identifier: MIT */
#ifndef RECORDS_PLAN_H
#define RECORDS_PLAN_H

#include "records/kernel.h"

enum { GR_MAX_PARAMETERS = 32 };

/* How a kernel's parameter is stored. */
enum gr_value {
    GR_VALUE_INT8,
    GR_VALUE_INT16,
    GR_VALUE_INT32,
    GR_VALUE_INT64,
    GR_VALUE_F16,
    GR_VALUE_BF16,
    GR_VALUE_F32,
    GR_VALUE_F64,
    GR_VALUE_ADDRESS,
    GR_VALUE_MAP /* a tensor map of 128 bytes */
};

struct gr_plan_parameter {
    enum gr_role role;
    enum gr_value value;
    int index;     /* the index of the `arg`, `work` or `map` line */
    double number; /* for GR_ROLE_VALUE */
};

/* One launch. */
struct gr_plan_launch {
    int stanza;
    bool once;                              /* launched once, before the timing starts */
    unsigned grid[3], block[3], cluster[3]; /* cluster is 0 0 0 if there are no clusters */
    int64_t smem_bytes;                     /* dynamic shared memory */
    int parameter_count;
    struct gr_plan_parameter parameters[GR_MAX_PARAMETERS];
};

struct gr_plan_map {
    char operand;
    enum gr_dtype type;
    int64_t rows, columns, ld; /* the matrix as it is stored, in elements */
    unsigned box[2];           /* rows, columns */
    int swizzle_bytes;
    /* If no map can describe the matrix, a map of other memory is passed, which the kernel does not
     * use: `ld` and the address are then rounded to multiples of 16 bytes. */
    bool optional;
    bool by_address; /* it describes matrices at any address: core/map_by_address.h */
};

struct gr_plan {
    int launch_count;
    struct gr_plan_launch launches[GR_MAX_STANZAS];
    int map_count;
    struct gr_plan_map maps[GR_MAX_MAPS];
    int64_t zero_c_bytes; /* bytes of C to set to zero before each GEMM; 0: none */
    /* Of these, the bytes of one row. Between rows may be gaps, which a CPU kernel's C has and
     * which are not zeroed. */
    int64_t zero_c_row_bytes;
};

/* The buffers of the `work` lines. Those marked `zero` are set to zero before each GEMM, and
 * that time is measured too. */
struct gr_scratch {
    int count;
    void *buffer[GR_MAX_WORKS]; /* device addresses */
    int64_t bytes[GR_MAX_WORKS];
    bool zero[GR_MAX_WORKS];
};

#endif
