/* dist_gemm.h: C = alpha op(A) op(B) + beta C over many ranks. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_GEMM_H
#define DIST_DIST_GEMM_H

#include "dist/dist_plan.h"
#include "dist/dist_redistribute.h"
#include "dist/dist_timeline.h"
#include "dist/dist_transport.h"

struct gr_dist_gemm {
    enum gradus_type type; /* GRADUS_F32 or GRADUS_F64, of A, B, C and the sums */
    int trans_a, trans_b;  /* the layouts of a and b are those of the matrices as they are stored */
    int64_t m, n, k;
    double alpha, beta;
    struct gr_dist_matrix a, b, c; /* c.local is written, and read unless beta is 0 */
    /* The same on all ranks; null: by the rates of a fast node, with no limit of memory. */
    const struct gr_dist_plan *plan;
    const char *asked; /* compared between the ranks besides, in the same message; null: nothing */
    int threads;       /* of each rank's local product, as in struct gradus_gemm */
    struct gr_dist_timeline *timeline; /* what this rank did; null: not told */
};

/* Where an operand of a product by this plan is without being brought there or copied: with it as
 * the layout of a matrix, and no gaps between the lines of its local array. */
struct gr_dist_layout gr_dist_gemm_layout(const struct gr_dist_plan *plan,
                                          enum gr_dist_operand operand);

/* Checks what this rank was given, and says in a line what all ranks must have in common, for
 * gr_dist_agree. Errors: INVALID, UNSUPPORTED. */
enum gradus_status gr_dist_gemm_check(const struct gr_dist_gemm *gemm,
                                      const struct gr_dist_comm *comm, char asked[GR_DIST_ASKED],
                                      struct gradus_error *error);

/* Collective. The operands are brought into the plan's layout and the result back from it, so that
 * any layouts may be given. Partial sums are added in an order that the plan determines: the bits
 * of C depend on the problem, the plan and the instruction set alone. Where the plan keeps k whole,
 * each element is the sum that one local product makes. Errors are the same on all ranks: INVALID
 * (a bad member; ranks that ask for different products), NO_MEMORY, those of the transport. C is
 * undefined after an error, unless it is INVALID. */
enum gradus_status gr_dist_gemm_run(const struct gr_dist_gemm *gemm, struct gr_dist_comm *comm,
                                    struct gradus_error *error);

/* The plan that is taken where none is given. */
enum gradus_status gr_dist_gemm_plan(const struct gr_dist_gemm *gemm, int64_t ranks,
                                     struct gr_dist_plan *plan, struct gradus_error *error);

#endif
