/* multi_plan.h: how a product is divided among several GPUs, each of which computes one block of C:
 * what each GPU needs of A and B in every step, and where it gets that from.
 * SPDX-License-Identifier: MIT
 *
 *                     B                    GPU (i, j) of the grid computes the block (i, j) of C,
 *                +---------+               one tile at a time: in `passes` chunks of its columns,
 *                | chunk p |               and within each chunk in `steps` panels of its rows.
 *                +---------+               While a tile is computed, the next tile's panel of A
 *     A          +---------+               is sent to the GPUs (i, *) and, at the end of a pass,
 *   +-------+    |         |               the next chunk of B to the GPUs (*, j). k is not
 *   |panel s|    | tile    |  C            divided, so that each element of C is written once.
 *   +-------+    |         |
 *                +---------+ */
#ifndef MULTI_MULTI_PLAN_H
#define MULTI_MULTI_PLAN_H

#include "device/device_gpu.h"
#include "dist/dist_plan.h"

#include <gradus/gradus.h>

/* Rates of the GPUs, assumed or measured. */
struct gr_multi_rates {
    double flop_per_s; /* of one GPU */
    /* If not null, the times of tiles of resident operands come from the library's cost models for
     * this GPU, scaled so that the whole product takes one GPU `whole_s` (0: the time that the
     * library expects). If null, they come from the number of operations and flop_per_s, whatever
     * the shapes are. */
    const struct gr_device_gpu *gpu;
    double whole_s;
    double memory_bytes_per_s;
    double link_bytes_per_s; /* that a GPU receives while it sends as many */
    double latency_s;
};

/* The distribution of an operand over the GPUs: one block on each. */
struct gr_multi_blocks {
    int64_t grid[2]; /* rank r has the block (r / grid[1], r % grid[1]) of the stored matrix */
    void *local;     /* this rank's block */
    int64_t ld;      /* leading dimension of this rank's block, in elements */
};

/* A product, which is the same on all ranks except for addresses and leading dimensions. */
struct gr_multi_gemm {
    /* One row-major product without an epilogue. If `resident` is false, a, b and c are in host
     * memory; c and ldc describe all of C, of which a rank reads and writes only its own
     * block. */
    struct gradus_gemm gemm;
    bool resident; /* the operands are the blocks below; C's grid is that of the plan */
    struct gr_multi_blocks a, b, c;
};

struct gr_multi_plan {
    int64_t grid[2]; /* grid of GPUs: rank r computes the block (r / grid[1], r % grid[1]) of C */
    int64_t passes, steps;
    struct gr_dist_plan model; /* the model's times, and the words sent beside their lower bound */
};

/* Chooses the grid and steps that take the least time by the model. If the operands are resident,
 * the grid is C's, and the model goes through the schedule itself (multi_schedule.h). INVALID: a
 * size is out of range. */
enum gradus_status gr_multi_plan(const struct gr_multi_gemm *gemm, int64_t ranks,
                                 const struct gr_multi_rates *rates, struct gr_multi_plan *plan,
                                 struct gradus_error *error);

/* Rates of an H200 in a machine with NVLink, for the type of the product. Operands in host memory
 * come over PCIe. */
struct gr_multi_rates gr_multi_rates_assumed(const struct gr_multi_gemm *gemm);

/* A rectangle of a matrix as it is stored. */
struct gr_multi_rect {
    int64_t row, rows, col, cols;
};

enum { GR_MULTI_A, GR_MULTI_B, GR_MULTI_OPERANDS };

/* A rank's tile of C. All ranks number their tiles from 0 to passes * steps - 1; some tiles may
 * have no rows or no columns. */
struct gr_multi_rect gr_multi_tile(const struct gr_multi_gemm *gemm,
                                   const struct gr_multi_plan *plan, int64_t rank, int64_t tile);
/* The rectangle of A or B that a rank's tile needs. */
struct gr_multi_rect gr_multi_needed(const struct gr_multi_gemm *gemm,
                                     const struct gr_multi_plan *plan, int operand, int64_t rank,
                                     int64_t tile);
/* Is this rectangle brought for this tile, and not for one before it? */
bool gr_multi_comes(const struct gr_multi_plan *plan, int operand, int64_t tile);
/* The index of the place that it is in, 0 or 1. */
int gr_multi_place(const struct gr_multi_plan *plan, int operand, int64_t tile);
/* Is it part of the rank's own resident block, so that it is used where it is? */
bool gr_multi_in_place(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan,
                       int operand, int64_t rank, int64_t tile);
/* The part of what `to` needs that comes from `from`; returns false if there is none. For operands
 * in host memory, from == to gives the rows that `to` uploads itself. */
bool gr_multi_part(const struct gr_multi_gemm *gemm, const struct gr_multi_plan *plan, int operand,
                   int64_t from, int64_t to, int64_t tile, struct gr_multi_rect *part);
/* A rank's block of a resident operand. */
struct gr_multi_rect gr_multi_own(const struct gr_multi_gemm *gemm, int operand, int64_t rank);

/* Bytes of an element, and bytes between two rows of a panel, which begin at vectors of 16
 * bytes. */
int64_t gr_multi_element(const struct gr_multi_gemm *gemm, int operand);
int64_t gr_multi_pitch(int64_t elements, int64_t element_bytes);

#endif
