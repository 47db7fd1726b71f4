/* gemm_plan.h: how the five loops of gemm_packed.c cut up a product: blocks, tasks, and who packs
 * what. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PLAN_H
#define CPU_GEMM_PLAN_H

#include "cpu/gemm.h"

#include <stdbool.h>
#include <stdint.h>

/* A block of B. */
struct gr_gemm_block {
    int64_t jc, nc, pc, depth;
    char *panels;  /* where it is packed, */
    int64_t first; /* from this panel on */
};

/* The part of A and that of B that a thread has packed, or -1. */
struct gr_packed_parts {
    int64_t a, b;
};

struct gr_gemm_plan {
    /* As gemm_plan.c decides. */
    const struct gr_product *product;
    int threads;
    int64_t mc_panels, kc, nc_panels; /* the most that a block holds */
    int64_t a_block_bytes, b_block_bytes, b_block_count;
    int64_t a_tasks, b_tasks;    /* how a slab of C is cut up */
    bool a_in_place, b_in_place; /* read where they lie */
    bool b_own;                  /* each thread packs its part of B for itself, */
    bool b_on_the_way;           /* while it multiplies its first rows */
    int64_t b_parts;             /* the columns of the grid; 1 where B is not own */
    /* As gemm_packed.c goes along. */
    char *b_blocks;                 /* kc x nc: once, twice, or for each thread a part */
    char *a_blocks;                 /* mc x kc for each thread */
    struct gr_gemm_block now, next; /* the block that is multiplied, and the one after it */
    struct gr_packed_parts *held;   /* what each thread has packed */
};

/* For so many threads; then the bytes of buffer that it asks for, which may be asked for again with
 * smaller blocks; then the tasks. */
struct gr_gemm_plan gr_gemm_plan(const struct gr_product *product, int threads);
int64_t gr_gemm_plan_bytes(struct gr_gemm_plan *plan);
void gr_gemm_plan_tasks(struct gr_gemm_plan *plan);

#endif
