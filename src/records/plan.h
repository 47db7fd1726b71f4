/* plan.h: how a GPU kernel is launched, worked out: what the front matter says for one problem on
 * one device, with nothing left to evaluate. The parent makes it, the worker fills in addresses and
 * launches. SPDX-License-Identifier: MIT */
#ifndef RECORDS_PLAN_H
#define RECORDS_PLAN_H

#include "records/kernel.h"

enum { GR_MAX_PARAMETERS = 32 };

/* What a kernel's parameter is in memory. */
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
    GR_VALUE_MAP /* a tensor map, 128 bytes */
};

struct gr_plan_parameter {
    enum gr_role role;
    enum gr_value value;
    int index;     /* of the arg, work or map */
    double number; /* GR_ROLE_VALUE */
};

/* One launch. */
struct gr_plan_launch {
    int stanza;
    bool once;                              /* before the timing starts */
    unsigned grid[3], block[3], cluster[3]; /* cluster 0 0 0: none */
    int64_t smem_bytes;                     /* dynamic */
    int parameter_count;
    struct gr_plan_parameter parameters[GR_MAX_PARAMETERS];
};

struct gr_plan_map {
    char operand;
    enum gr_dtype type;
    int64_t rows, columns, ld; /* as stored, in elements */
    unsigned box[2];           /* rows, columns */
    int swizzle_bytes;
};

struct gr_plan {
    int launch_count;
    struct gr_plan_launch launches[GR_MAX_STANZAS];
    int map_count;
    struct gr_plan_map maps[GR_MAX_MAPS];
    int64_t zero_c_bytes; /* of C, set to zero before each product; 0: none */
};

/* Buffers of the `work` lines. Those marked zero are zeroed before each product, inside the timing.
 */
struct gr_scratch {
    int count;
    void *buffer[GR_MAX_WORKS]; /* addresses of the device */
    int64_t bytes[GR_MAX_WORKS];
    bool zero[GR_MAX_WORKS];
};

#endif
