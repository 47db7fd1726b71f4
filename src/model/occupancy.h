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
    /* For AMD's kernels; 0 and false otherwise. */
    int64_t scalar_registers; /* per wavefront */
    int64_t wave; /* the work-items of a wavefront, if they are not the device's `warp` */
    bool wgp;     /* a workgroup runs on both compute units of a workgroup processor */
};

enum gr_occupancy_limit {
    GR_LIMIT_BLOCKS,    /* resident blocks */
    GR_LIMIT_WARPS,     /* resident threads, counted in warps */
    GR_LIMIT_REGISTERS, /* the register file */
    GR_LIMIT_SMEM,      /* shared memory */
    GR_LIMIT_SCALARS,   /* AMD: scalar registers */
    GR_LIMIT_COUNT
};

struct gr_occupancy {
    int64_t by[GR_LIMIT_COUNT];    /* resident blocks if this were the only limit */
    int64_t blocks;                /* the smallest of them; 0: the block cannot run */
    enum gr_occupancy_limit limit; /* the first limit with the least blocks */
    int64_t warps;                 /* blocks * warps of a block */
    int64_t warps_max;             /* the number that the SM can hold */
    double fraction;               /* warps / warps_max */
    /* The amounts that are allocated, to show the calculation. */
    int64_t warps_per_block, registers_per_warp, smem_per_block_bytes, scalars_per_warp;
    /* The unit on which the blocks run: an SM of the device or, in AMD's mode for workgroup
     * processors, two compute units. */
    struct gr_device sm;
};

/* Follows the CUDA C++ Programming Guide, "Hardware Multithreading": registers are allocated to
 * whole warps, from the register file of the warp's scheduler, and shared memory to whole blocks.
 * The rules for AMD are from LLVM's AMDGPUBaseInfo.cpp, GCNSubtarget.cpp and AMDGPUSubtarget.cpp.
 * They are the same, except that in the mode for workgroup processors two compute units are one SM,
 * that scalar registers are a limit, and that the limit of workgroups does not count those of a
 * single wavefront, which need no barrier. */
struct gr_occupancy gr_occupancy_of(const struct gr_device *device,
                                    const struct gr_block_needs *needs);

/* "resident blocks", "resident warps", "registers", "shared memory", "scalar registers". */
const char *gr_occupancy_limit_name(enum gr_occupancy_limit limit);
/* The same in AMD's terms: "workgroups", "wavefronts", "VGPRs", "LDS", "SGPRs". */
const char *gr_occupancy_limit_name_amd(enum gr_occupancy_limit limit);

#endif
