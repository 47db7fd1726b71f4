/* dist_plan.h: plans a product over many ranks: which multiplications each rank does, what it
 * holds, what it receives and sends, and how long that takes by a model.
 * SPDX-License-Identifier: MIT
 *
 * The ranks form a grid of pm x pn x pk, and rank (i, j, l) does the multiplications of one box:
 * the i-th part of the rows of C, the j-th part of its columns, and the l-th part of k. It needs
 * the block (i, l) of A, which the pn ranks (i, *, l) share: each owns a part, and they all-gather
 * it. In the same way, the pm ranks (*, j, l) all-gather the block (l, j) of B. Each of the pk
 * ranks (i, j, *) has a partial sum of the block (i, j) of C, and they reduce-scatter it. pk = 1 is
 * SUMMA, pk > 1 is 2.5D or 3D, and a grid with a single number above 1 is the 1D all-gather or
 * reduce-scatter of skinny shapes. If memory is short, a box is computed in steps along one
 * dimension, so that only panels are gathered at a time. */
#ifndef DIST_DIST_PLAN_H
#define DIST_DIST_PLAN_H

#include "dist/dist_bound.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

enum gr_dist_dim { GR_DIST_M, GR_DIST_N, GR_DIST_K };
enum gr_dist_operand { GR_DIST_A, GR_DIST_B, GR_DIST_C };

enum { GR_DIST_RANKS_MAX = 10000000 };

/* The ranks, which are all alike, and the links between them. */
struct gr_dist_machine {
    int64_t ranks;             /* 1 to GR_DIST_RANKS_MAX */
    int64_t memory_bytes;      /* of each rank, for its parts and buffers; 0: no limit */
    double flop_per_s;         /* of each rank's local product */
    double memory_bytes_per_s; /* between a rank's processor and its memory */
    double link_bytes_per_s;   /* that a rank can send while it receives as many */
    double latency_s;          /* of one message */
    bool overlap;              /* panels may be communicated during products */
    bool whole_k;              /* k is neither divided among ranks nor into steps */
    double carrier_s; /* time to start and end, once, a thread that communicates panels during
                         products */
    double carried;   /* of the time in which panels are communicated, the part in which an
                         overlapping product stands still, since communication uses its processor or
                         memory: 0 to 1 */
};

struct gr_dist_plan {
    struct gr_dist_problem problem;
    int64_t grid[3];           /* pm, pn, pk */
    int64_t ranks;             /* product of the grid; further ranks are not used */
    enum gr_dist_dim step_dim; /* the dimension of a box that is divided into steps */
    int64_t steps;             /* 1 or more */
    bool overlap; /* during a step's product, the next panels are gathered and the previous one of C
                     is reduced, with two buffers for each; there are then 2 steps or more */
    enum gr_dist_dim split[3]; /* the dimension along which a block of A, B, C is divided */
    /* For the rank with the most: words of A and B that it receives and of C that it sends. An
     * all-gather or reduce-scatter sends as many as it receives, on average over the ranks. */
    int64_t words_a, words_b, words_c, words;
    int64_t messages;     /* successive messages: log2 p for an all-gather of p ranks, p - 1 for a
                             reduce-scatter, in each step */
    int64_t memory_bytes; /* the most that any rank holds */
    double compute_s, transfer_s; /* by the model, for the rank with the most */
    double agree_s;               /* for all ranks to agree before and after the product */
    double time_s; /* in all: the sum of these or, with overlap, the longer one in each step, and
                      what comes before the first product and after the last */
    double efficiency;          /* 2mnk / (ranks of the machine x rate x time) */
    struct gr_dist_bound bound; /* for the number of ranks that the plan uses */
};

/* Finds the plan that takes the least time by the model, among all grids of at most this many
 * ranks, the three dimensions for steps, and with or without overlap; of equal ones, that with
 * fewer words, then that with fewer ranks. The search is complete except for the number of
 * overlapped steps, for which powers of two and refinements of the best of them are tried. Errors:
 * INVALID (a size or rate out of range), UNSUPPORTED (no grid fits in memory; the text says how
 * much would suffice). */
enum gradus_status gr_dist_plan(const struct gr_dist_problem *problem,
                                const struct gr_dist_machine *machine, struct gr_dist_plan *plan,
                                struct gradus_error *error);

/* The same for one grid, which must not have more ranks than the machine. */
enum gradus_status gr_dist_plan_grid(const struct gr_dist_problem *problem,
                                     const struct gr_dist_machine *machine, const int64_t grid[3],
                                     struct gr_dist_plan *plan, struct gradus_error *error);

/* Rows [row, row_end) and columns [col, col_end) of a matrix as the product reads it: A is m x k, B
 * is k x n. */
struct gr_dist_rect {
    int64_t row, row_end, col, col_end;
};

/* The multiplications (i, j, l) with begin[0] <= i < end[0] and so on; empty if a begin is its
 * end. */
struct gr_dist_box {
    int64_t begin[3], end[3];
};

/* The first index of part `part` if n indices are divided into `parts` parts: the first n % parts
 * parts have one index more. */
int64_t gr_dist_begin(int64_t n, int64_t parts, int64_t part);

/* The position of a rank in the grid. The m coordinate varies fastest. */
void gr_dist_coordinates(const struct gr_dist_plan *plan, int64_t rank, int64_t at[3]);
/* The rank at a position. */
int64_t gr_dist_rank(const struct gr_dist_plan *plan, const int64_t at[3]);
/* The box of a rank; empty for a rank that the plan does not use. */
struct gr_dist_box gr_dist_box_of(const struct gr_dist_plan *plan, int64_t rank);
/* The part of a box that is computed in a step. */
struct gr_dist_box gr_dist_step_of(const struct gr_dist_plan *plan, const struct gr_dist_box *box,
                                   int64_t step);
/* The rectangle of an operand that the multiplications of a box need. */
struct gr_dist_rect gr_dist_side_of(const struct gr_dist_box *box, enum gr_dist_operand operand);
/* The rectangle of an operand that a rank owns: every element belongs to exactly one rank. */
struct gr_dist_rect gr_dist_owned(const struct gr_dist_plan *plan, int64_t rank,
                                  enum gr_dist_operand operand);

/* The name of the known algorithm that the grid corresponds to: "1D, all-gather", "2D (SUMMA)",
 * "2.5D", … */
const char *gr_dist_plan_kind(const struct gr_dist_plan *plan);

#endif
