/* gemm_mixed.h: products whose sums have another type than their operands: bf16 and 8-bit
 * integers. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_MIXED_H
#define CPU_GEMM_MIXED_H

#include "cpu/gemm.h"

/* How operands become panels of the product's micro-kernel. */
struct gr_mixed {
    /* Bytes of a panel of so many steps. */
    int64_t (*a_bytes)(const struct ukr *ukr, int64_t depth);
    int64_t (*b_bytes)(const struct ukr *ukr, int64_t depth);
    /* Packs `lanes` rows of A from row i on, steps p to p+depth, into panels one after the other.
     */
    void (*pack_a)(const struct gr_product *product, char *panels, int64_t i, int64_t lanes,
                   int64_t p, int64_t depth);
    /* The same for columns of B. */
    void (*pack_b)(const struct gr_product *product, char *panels, int64_t j, int64_t lanes,
                   int64_t p, int64_t depth);
    /* Whether rows of A are to be read where they lie (run_rows of struct ukr). Null: never. */
    bool (*a_in_place)(const struct gr_product *product);
    /* What the sums of rows in place start from, whatever their strides are; false: from 0, and
     * nothing is written. With no rows, only the answer is given. Null: false. */
    bool (*starts)(const struct gr_product *product, int32_t *starts, int64_t i, int64_t lanes,
                   int64_t p, int64_t depth);
};

/* Whether A can be used without packing. A copy pays where A is read many times, or where its rows
 * compete for the same cache sets. Units must be whole, and a single row has no distance to a next
 * one that could be judged. */
static inline bool gr_mixed_rows_usable_unpacked(const struct gr_product *p, int64_t unit_steps)
{
    enum { FEW_COLUMNS = 1024, CONFLICTING_BYTES = 2048 };
    return p->ukr->run_rows && p->a_col == 1 && p->m > 1 && p->k % unit_steps == 0 &&
           p->n <= FEW_COLUMNS && p->a_row % (CONFLICTING_BYTES / p->a_bytes) != 0;
}

/* The five loops over packed blocks. C is of the type of sums, or bf16 where that is f32. */
void gr_gemm_mixed(const struct gr_product *product, const struct gr_mixed *mixed,
                   struct gr_workspace *workspace);
int64_t gr_gemm_mixed_bytes(const struct gr_product *product, const struct gr_mixed *mixed,
                            int threads);
/* Steps of a block of k, which depend on the shape alone. */
int64_t gr_gemm_mixed_depth(const struct gr_product *product);
/* Computes a product without packing either operand, where that is faster. False: nothing is done.
 * The sums of dot products have other bits than those of packed operands, if they are rounded. */
bool gr_gemm_in_place(const struct gr_product *product, const struct gr_mixed *mixed,
                      struct gr_team *team);
/* Whether it does. */
bool gr_gemm_is_in_place(const struct gr_product *product, const struct gr_mixed *mixed);
/* The same; fills in path, why and tasks. */
bool gr_gemm_in_place_describe(const struct gr_product *product, const struct gr_mixed *mixed,
                               struct gr_dispatch *dispatch);
/* As pack_whole and describe of struct gr_driver. */
int64_t gr_gemm_mixed_whole(const struct gr_product *product, const struct gr_mixed *mixed,
                            bool as_b, char *panels);
void gr_gemm_mixed_describe(const struct gr_product *product, const struct gr_mixed *mixed,
                            int threads, struct gr_dispatch *dispatch);
/* Computes it on the stack if one block of each operand fits there. */
bool gr_gemm_mixed_small(const struct gr_product *product, const struct gr_mixed *mixed);

#endif
