/* dist_layout.h: which elements of a matrix each rank has, where they are stored, and what must be
 * sent to get from one such layout to another. SPDX-License-Identifier: MIT
 *
 * In every layout here, a rank's elements are those of some rows and some columns. They are one
 * dense local array, in the order of their rows and columns. So for each axis there is a list of
 * spans: intervals of global indices, and the local index at which each begins. */
#ifndef DIST_DIST_LAYOUT_H
#define DIST_DIST_LAYOUT_H

#include "dist/dist_plan.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

enum gr_dist_layout_kind {
    GR_DIST_REPLICATED, /* every rank has all elements */
    GR_DIST_BLOCKED,    /* one block for each rank, of sizes that differ by at most 1; 1D or 2D */
    GR_DIST_CYCLIC, /* ScaLAPACK's block-cyclic distribution, with blocks of block[0] x block[1] */
    GR_DIST_PLANNED /* the part of an operand that a rank owns in a plan */
};

enum gr_dist_axis { GR_DIST_ROWS, GR_DIST_COLS };

enum { GR_DIST_EVERY = -1 };

struct gr_dist_layout {
    enum gr_dist_layout_kind kind;
    int64_t rows, cols;
    int64_t ranks;     /* ranks that have a part; further ones have none */
    int64_t grid[2];   /* blocked or cyclic: grid of ranks, rows and columns */
    bool grid_by_cols; /* the grid is column-major: rank 1 is below rank 0 */
    int64_t block[2];  /* cyclic */
    int64_t first[2];  /* cyclic: size of the first block, if it differs from the others; else 0 */
    int64_t source[2]; /* cyclic: the grid's row and column with the first block. Blocked or cyclic:
                          GR_DIST_EVERY: all ranks have everything along that axis */
    bool col_major;    /* layout of the local arrays */
    bool transposed;   /* planned: rows and cols are those of the operand transposed */
    const struct gr_dist_plan *plan; /* planned: the plan, which must outlive the layout */
    enum gr_dist_operand operand;
};

/* A layout with a copy on each of `ranks` ranks. */
struct gr_dist_layout gr_dist_layout_replicated(int64_t rows, int64_t cols, int64_t ranks);
/* Blocks on a grid of grid_rows x grid_cols ranks. 1D by rows if grid_cols is 1, by columns if
 * grid_rows is 1. */
struct gr_dist_layout gr_dist_layout_blocked(int64_t rows, int64_t cols, int64_t grid_rows,
                                             int64_t grid_cols);
/* The layout of an operand during a planned product. */
struct gr_dist_layout gr_dist_layout_planned(const struct gr_dist_plan *plan,
                                             enum gr_dist_operand operand);
/* The layout of ScaLAPACK's descriptor: DTYPE (1), CTXT (not read), M, N, MB, NB, RSRC, CSRC, LLD
 * (1 or more; each rank has its own, which is not part of the layout), on a row-major BLACS grid of
 * grid_rows x grid_cols ranks. With DTYPE 2 it is PBLAS's descriptor, with IMB and INB, the sizes
 * of the first block, before MB. RSRC or CSRC -1: replicated along that axis. Local arrays are
 * column-major. INVALID: the text names the first bad entry. */
enum gradus_status gr_dist_layout_from_desc(const int *desc, int64_t grid_rows, int64_t grid_cols,
                                            struct gr_dist_layout *layout,
                                            struct gradus_error *error);
/* The entry LLD of such a descriptor. */
int gr_dist_desc_lld(const int *desc);
/* The layout of a submatrix of a cyclic matrix, size[0] x size[1] elements from (begin[0],
 * begin[1]) on, as a matrix of its own. Its local array begins gr_dist_local_before(…, begin)
 * further on. */
struct gr_dist_layout gr_dist_layout_part(const struct gr_dist_layout *layout,
                                          const int64_t begin[2], const int64_t size[2]);
/* The layout of the transposed matrix, with every element where it was. */
struct gr_dist_layout gr_dist_layout_transposed(const struct gr_dist_layout *layout);

/* The number of rows (columns) of a rank's local array. */
int64_t gr_dist_local_size(const struct gr_dist_layout *layout, int64_t rank,
                           enum gr_dist_axis axis);

/* The number of them that are before a global index. */
int64_t gr_dist_local_before(const struct gr_dist_layout *layout, int64_t rank,
                             enum gr_dist_axis axis, int64_t index);

struct gr_dist_span {
    int64_t begin, end; /* global */
    int64_t local;      /* the local index of `begin` */
};
/* The number of a rank's spans along an axis, and its spans, in rising order. */
int64_t gr_dist_span_count(const struct gr_dist_layout *layout, int64_t rank,
                           enum gr_dist_axis axis);
struct gr_dist_span gr_dist_span_at(const struct gr_dist_layout *layout, int64_t rank,
                                    enum gr_dist_axis axis, int64_t index);

/* If several ranks have an element, each other rank gets it from one of these: returns true if
 * `rank` is the one that serves `target`. A rank that has the element itself serves itself. */
bool gr_dist_serves(const struct gr_dist_layout *layout, int64_t rank, int64_t target);

/* A rectangle that one rank sends to another, and where it begins in the local arrays of both. */
struct gr_dist_move {
    struct gr_dist_rect rect;
    int64_t from_row, from_col, to_row, to_col;
};
struct gr_dist_moves {
    struct gr_dist_move *items; /* malloc'ed */
    int64_t count, words;
};

/* Computes what rank `source` of layout `from` sends to rank `target` of layout `to` (same rows and
 * cols), so that each rank gets each of its elements exactly once. A rank takes a replicated matrix
 * from its own copy. Start with {0}; free the items with free. Errors: NO_MEMORY. */
enum gradus_status gr_dist_moves_between(const struct gr_dist_layout *from, int64_t source,
                                         const struct gr_dist_layout *to, int64_t target,
                                         struct gr_dist_moves *moves, struct gradus_error *error);

#endif
