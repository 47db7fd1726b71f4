/* gemm_plan.h: how the five loops of gemm_packed.c divide a product: blocks, tasks, and which
 * thread packs what. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PLAN_H
#define CPU_GEMM_PLAN_H

#include "cpu/gemm.h"

#include <stdbool.h>
#include <stdint.h>

/* A block of B. */
struct gr_gemm_block {
    int64_t jc, nc, pc, depth;
    char *panels;  /* its packed panels, */
    int64_t first; /* the first of which has this number */
};

/* The numbers of the parts of A and B that a thread has packed, or -1. */
struct gr_packed_parts {
    int64_t a, b;
};

struct gr_gemm_plan {
    /* Set by gemm_plan.c. */
    const struct gr_product *product;
    int threads;
    int64_t mc_panels, kc, nc_panels; /* the largest block: MC and NC in panels, KC in steps */
    int64_t a_block_bytes, b_block_bytes, b_block_count;
    int64_t a_tasks, b_tasks;    /* numbers of parts of A's rows and of B's panels */
    bool a_in_place, b_in_place; /* the operand is read in place */
    bool b_own;                  /* each thread packs its own part of B, */
    bool b_on_the_way;           /* while it multiplies its first rows, */
    bool b_turned;               /* or panel by panel, since the columns of B are not contiguous, */
    bool b_passing;              /* and each panel overwrites the one before */
    bool by_rows;    /* all columns of a tile's rows of C are written before the next rows */
    int64_t b_parts; /* columns of the grid of threads; 1 where b_own is false */
    /* Set by gemm_packed.c as it runs. */
    char *b_blocks;                 /* kc x nc: one, two, or a part of one for each thread */
    char *a_blocks;                 /* mc x kc for each thread */
    struct gr_gemm_block now, next; /* the block that is multiplied, and the one after it */
    struct gr_packed_parts *held;   /* the parts that each thread has packed */
};

/* gr_gemm_plan chooses the blocks for `threads` threads. gr_gemm_plan_bytes returns the bytes of
 * buffer that they need, and may be called again after the blocks were made smaller.
 * gr_gemm_plan_tasks then sets the tasks. */
struct gr_gemm_plan gr_gemm_plan(const struct gr_product *product, int threads);
int64_t gr_gemm_plan_bytes(struct gr_gemm_plan *plan);
void gr_gemm_plan_tasks(struct gr_gemm_plan *plan);

#endif
