/* occupancy.h: how many blocks of a kernel are resident on an SM, and what limits their number.
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_OCCUPANCY_H
#define MODEL_OCCUPANCY_H

#include "model/device.h"

/* The resources that one block needs. */
struct gr_block_needs {
    int64_t threads;              /* 1 or more */
    int64_t registers_per_thread; /* from the compiled code */
    int64_t smem_bytes;           /* static and dynamic */
};

enum gr_occupancy_limit {
    GR_LIMIT_BLOCKS,    /* resident blocks */
    GR_LIMIT_WARPS,     /* resident threads, counted in warps */
    GR_LIMIT_REGISTERS, /* the register file */
    GR_LIMIT_SMEM,      /* shared memory */
    GR_LIMIT_COUNT
};

struct gr_occupancy {
    int64_t by[GR_LIMIT_COUNT];    /* resident blocks if this were the only limit */
    int64_t blocks;                /* the least of them; 0: the block cannot run at all */
    enum gr_occupancy_limit limit; /* the first limit with the least blocks */
    int64_t warps;                 /* blocks * warps of a block */
    int64_t warps_max;             /* what the SM can hold */
    double fraction;               /* warps / warps_max */
    /* As they are allocated, for showing the calculation. */
    int64_t warps_per_block, registers_per_warp, smem_per_block_bytes;
};

/* After the CUDA C++ Programming Guide, "Hardware Multithreading": registers are allocated to whole
 * warps, from the register file of the warp's scheduler, and shared memory to whole blocks. */
struct gr_occupancy gr_occupancy_of(const struct gr_device *device,
                                    const struct gr_block_needs *needs);

/* "resident blocks", "resident warps", "registers", "shared memory". */
const char *gr_occupancy_limit_name(enum gr_occupancy_limit limit);

#endif
