/* dist_gemm.h: C = alpha op(A) op(B) + beta C over many ranks. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_GEMM_H
#define DIST_DIST_GEMM_H

#include "dist/dist_plan.h"
#include "dist/dist_redistribute.h"
#include "dist/dist_timeline.h"
#include "dist/dist_transport.h"

struct gr_dist_gemm {
    enum gradus_type type; /* GRADUS_F32 or GRADUS_F64, of A, B, C and the sums */
    int trans_a, trans_b;  /* the layouts of a and b are those of the stored matrices */
    int64_t m, n, k;
    double alpha, beta;
    struct gr_dist_matrix a, b, c; /* c.local is written, and read unless beta is 0 */
    /* The same on all ranks; null: a plan for the rates of a fast node, without a limit of
     * memory. */
    const struct gr_dist_plan *plan;
    const char *asked; /* also compared between the ranks, in the same message; null: nothing */
    int threads;       /* threads of each rank's local product, as in struct gradus_gemm */
    struct gr_dist_timeline *timeline; /* receives what this rank did; may be null */
};

/* The layout in which a product with this plan uses an operand in place, without redistribution or
 * copies, if the local array has no padding. */
struct gr_dist_layout gr_dist_gemm_layout(const struct gr_dist_plan *plan,
                                          enum gr_dist_operand operand);

/* Checks what this rank was given, and writes a line with what all ranks must have in common, for
 * gr_dist_agree. Errors: INVALID, UNSUPPORTED. */
enum gradus_status gr_dist_gemm_check(const struct gr_dist_gemm *gemm,
                                      const struct gr_dist_comm *comm, char asked[GR_DIST_ASKED],
                                      struct gradus_error *error);

/* Collective. The operands are redistributed to the plan's layout and the result from it, so that
 * any layouts may be given. Partial sums are added in an order that the plan determines, so the
 * bits of C depend only on the problem, the plan and the instruction set. If the plan does not
 * divide k, each element is the sum of one local product. Errors are the same on all ranks: INVALID
 * (a bad member; ranks that ask for different products), UNSUPPORTED, NO_MEMORY, and those of the
 * transport. C is undefined after an error other than INVALID. */
enum gradus_status gr_dist_gemm_run(const struct gr_dist_gemm *gemm, struct gr_dist_comm *comm,
                                    struct gradus_error *error);

/* Makes the plan that is used if none is given. */
enum gradus_status gr_dist_gemm_plan(const struct gr_dist_gemm *gemm, int64_t ranks,
                                     struct gr_dist_plan *plan, struct gradus_error *error);

#endif
