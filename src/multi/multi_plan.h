/* multi_plan.h: how a product is shared out over several GPUs, each of which computes one block of
 * C: what each needs of A and B in every step, and from where it gets it.
 * SPDX-License-Identifier: MIT
 *
 *                     B                    GPU (i, j) of the grid computes the block (i, j) of C,
 *                +---------+               a tile at a time: `passes` chunks of its columns, in
 *                | chunk p |               each `steps` panels of its rows. During the product of a
 *                +---------+               tile, the panel of A of the next one travels to the
 *     A          +---------+               GPUs (i, *), and, where a pass ends, the next chunk of B
 *   +-------+    |         |               to the GPUs (*, j). k stays whole, so that each element
 *   |panel s|    | tile    |  C            of C is written once.
 *   +-------+    |         |
 *                +---------+ */
#ifndef MULTI_MULTI_PLAN_H
#define MULTI_MULTI_PLAN_H

#include "device/device_gpu.h"
#include "dist/dist_plan.h"

#include <gradus/gradus.h>

/* What is assumed of the GPUs, or was measured. */
struct gr_multi_rates {
    double flop_per_s; /* of each GPU */
    /* With a GPU, tiles of resident operands take what the library's cost model says of them, in
     * proportion to the whole product, which takes one GPU `whole_s` (0: what the library expects);
     * null: their operations by the rate above, whatever their shapes. */
    const struct gr_device_gpu *gpu;
    double whole_s;
    double memory_bytes_per_s;
    double link_bytes_per_s; /* that each one receives while it sends as many */
    double latency_s;
};

/* Where an operand lies: in the host's memory, whole, or in blocks, one on each GPU. */
struct gr_multi_blocks {
    int64_t grid[2]; /* rank r has the block (r / grid[1], r % grid[1]) of the matrix as stored */
    void *local;     /* this rank's */
    int64_t ld;      /* of this rank's block, in elements */
};

/* A product, the same on all ranks but for addresses and ld. */
struct gr_multi_gemm {
    /* Row-major, one product, no epilogue. Without `resident`, a, b, c are in host memory: C's as
     * if all of it were there, of which a rank reads and writes its block only. */
    struct gradus_gemm gemm;
    bool resident; /* the blocks below; C's grid is that of the plan */
    struct gr_multi_blocks a, b, c;
};

struct gr_multi_plan {
    int64_t grid[2]; /* of GPUs: rank r computes the block (r / grid[1], r % grid[1]) of C */
    int64_t passes, steps;
    struct gr_dist_plan model; /* what it foretells, with the words beside the bound */
};

/* The grid and steps that take the least time by the model; resident: for C's grid, and the model
 * is the schedule itself (multi_schedule.h). Errors: INVALID (a size out of range). */
enum gradus_status gr_multi_plan(const struct gr_multi_gemm *gemm, int64_t ranks,
                                 const struct gr_multi_rates *rates, struct gr_multi_plan *plan,
                                 struct gradus_error *error);

/* The rates of an H200 in a machine with NVLink, in the type of the product; host operands come by
 * PCIe. */
struct gr_multi_rates gr_multi_rates_assumed(const struct gr_multi_gemm *gemm);

/* A rectangle of a matrix as it is stored. */
struct gr_multi_rect {
    int64_t row, rows, col, cols;
};

enum { GR_MULTI_A, GR_MULTI_B, GR_MULTI_OPERANDS };

/* A rank's tile of C. Those of all ranks have the same numbers, from 0 to passes * steps - 1. Some
 * may have no rows or no columns. */
struct gr_multi_rect gr_multi_tile(const struct gr_multi_gemm *gemm,
                                   const struct gr_multi_plan *plan, int64_t rank, int64_t tile);
/* What a rank's tile needs of A or B. */
struct gr_multi_rect gr_multi_needed(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, int operand, int64_t rank,
                                     int64_t tile);
/* Does it come with this tile, and not with one before it? */
bool gr_multi_comes(const struct gr_multi_plan *plan, int operand, int64_t tile);
/* Which of two places it is in. */
int gr_multi_place(const struct gr_multi_plan *plan, int operand, int64_t tile);
/* Resident: is it within the rank's own block, so that it is used there? */
bool gr_multi_in_place(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan,
                       int operand, int64_t rank, int64_t tile);
/* The part of what `to` needs that comes from `from`; false: nothing. Of host operands, the rows
 * that `to` uploads itself are those from `to`. */
bool gr_multi_part(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan, int operand,
                   int64_t from, int64_t to, int64_t tile, struct gr_multi_rect *part);
/* A rank's block of an operand that lies in blocks. */
struct gr_multi_rect gr_multi_own(const struct gr_multi_gemm *gemm, int operand, int64_t rank);

/* Bytes of an element; from one row to the next of a panel, whose rows begin at vectors. */
int64_t gr_multi_element(const struct gr_multi_gemm *gemm, int operand);
int64_t gr_multi_pitch(int64_t elements, int64_t element_bytes);

#endif
