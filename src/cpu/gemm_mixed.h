/* gemm_mixed.h: products whose sums have another type than their operands: bf16 and 8-bit
 * integers. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_MIXED_H
#define CPU_GEMM_MIXED_H

#include "cpu/gemm.h"

/* How operands are packed into panels of the product's micro-kernel. */
struct gr_mixed {
    /* The types of micro-kernels (ukr.h) that can multiply panels of the product's types, best
     * first, ended by null. */
    const char *const *(*panel_types)(const struct gr_product *product);
    /* Bytes of a panel of `depth` steps. */
    int64_t (*a_bytes)(const struct ukr *ukr, int64_t depth);
    int64_t (*b_bytes)(const struct ukr *ukr, int64_t depth);
    /* Packs `lanes` rows of A from row i on, steps p to p+depth, into successive panels. */
    void (*pack_a)(const struct gr_product *product, char *panels, int64_t i, int64_t lanes,
                   int64_t p, int64_t depth);
    /* The same for columns of B. */
    void (*pack_b)(const struct gr_product *product, char *panels, int64_t j, int64_t lanes,
                   int64_t p, int64_t depth);
    /* Whether rows of A are read in place (run_rows of struct ukr). Null: never. */
    bool (*a_in_place)(const struct gr_product *product);
    /* Writes the initial values of the sums of rows that are read in place, whatever their strides
     * are. Returns false, and writes nothing, if the sums start from 0. With no rows, only the
     * result is returned. Null: false. */
    bool (*starts)(const struct gr_product *product, int32_t *starts, int64_t i, int64_t lanes,
                   int64_t p, int64_t depth);
};

/* Whether only whole tiles are multiplied, with zeros beyond the edges of an operand. */
static inline bool gr_mixed_whole_panels(const struct ukr *ukr)
{
    return ukr->begin;
}

/* Whether A can be used without packing. Packing pays if A is read many times, or if its rows
 * compete for the same cache sets. Vectors read whole units; a single row has no distance to a next
 * row that could be judged. */
static inline bool gr_mixed_rows_usable_unpacked(const struct gr_product *p, int64_t unit_steps)
{
    enum { FEW_COLUMNS = 1024, CONFLICTING_BYTES = 2048 };
    return p->ukr->run_rows && p->a_col == 1 && p->m > 1 &&
           (gr_mixed_whole_panels(p->ukr) || p->k % unit_steps == 0) && p->n <= FEW_COLUMNS &&
           p->a_row % (CONFLICTING_BYTES / p->a_bytes) != 0;
}

/* How a product of short types is computed (gemm_mixed_choice.c): dot products of rows with rows,
 * operands read in place, packed blocks, or packed blocks multiplied in tile registers. */
enum gr_mixed_way { GR_MIXED_DOTS, GR_MIXED_IN_PLACE, GR_MIXED_PACKED, GR_MIXED_TILES };
struct gr_mixed_form {
    enum gr_mixed_way way;
    bool exchanged; /* C' = B' A' is computed */
    int64_t m, n, k;
    bool a_gathered, b_gathered; /* whether an operand's elements are not contiguous in the
                                    direction in which they are read */
    int64_t cost;                /* the estimate, in picoseconds */
};
/* The form that is estimated to be the fastest with the product's micro-kernel. It depends only on
 * the sizes and transposes. */
struct gr_mixed_form gr_gemm_mixed_form(const struct gr_product *product,
                                        const struct gr_mixed *mixed);
/* Chooses the micro-kernel, like `prepare` of struct gr_driver. On a CPU with tile registers, this
 * is one that uses tiles or one that uses vectors, whichever is estimated to be faster. */
bool gr_gemm_mixed_prepare(struct gr_product *product, const struct gr_mixed *mixed,
                           const char *isa);
/* Fills in both estimates, if there is a choice. */
void gr_gemm_mixed_describe_choice(const struct gr_product *product, const struct gr_mixed *mixed,
                                   struct gr_dispatch *dispatch);
/* Bytes of a unit (ukr.h). */
enum { GR_MIXED_UNIT_BYTES = 4 };
/* The most rows of A in dot products, and the columns in a task. */
enum { GR_MIXED_DOT_ROWS = 8, GR_MIXED_DOTS_A_TASK = 256 };
/* With up to this many units of k, a B whose columns are contiguous is transposed as it is read. */
enum { GR_MIXED_FEW_UNITS = 4 };

/* The five loops over packed blocks. C has the type of the sums, or bf16 if that is f32. */
void gr_gemm_mixed(const struct gr_product *product, const struct gr_mixed *mixed,
                   struct gr_workspace *workspace);
int64_t gr_gemm_mixed_bytes(const struct gr_product *product, const struct gr_mixed *mixed,
                            int threads);
/* The steps of a block of k (KC), which depend on the shape alone. */
int64_t gr_gemm_mixed_depth(const struct gr_product *product);
/* Computes a product without packing either operand, if that is faster; otherwise returns false and
 * does nothing. Dot products add up in another order than products of packed operands, so sums that
 * are rounded may have other bits. */
bool gr_gemm_in_place(const struct gr_product *product, const struct gr_mixed *mixed,
                      struct gr_team *team);
/* Whether gr_gemm_in_place computes the product. */
bool gr_gemm_is_in_place(const struct gr_product *product, const struct gr_mixed *mixed);
/* The same, and fills in path, why and tasks. */
bool gr_gemm_in_place_describe(const struct gr_product *product, const struct gr_mixed *mixed,
                               struct gr_dispatch *dispatch);
/* Like pack_whole and describe of struct gr_driver. */
int64_t gr_gemm_mixed_whole(const struct gr_product *product, const struct gr_mixed *mixed,
                            bool as_b, char *panels);
void gr_gemm_mixed_describe(const struct gr_product *product, const struct gr_mixed *mixed,
                            int threads, struct gr_dispatch *dispatch);
/* Computes the product with buffers on the stack, if one block of each operand fits there. */
bool gr_gemm_mixed_small(const struct gr_product *product, const struct gr_mixed *mixed);

#endif
