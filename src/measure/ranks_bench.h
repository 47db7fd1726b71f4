/* ranks_bench.h: verifies and times a product over many ranks. SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_BENCH_H
#define MEASURE_RANKS_BENCH_H

#include "dist/dist_gemm.h"
#include "measure/ranks_rates.h"
#include "records/row.h"

struct gr_ranks_task {
    enum gradus_type type;
    int64_t m, n, k;
    int threads;  /* of each rank */
    bool overlap; /* whether the plan may */
    uint64_t seed;
    int64_t budget_ns; /* for the samples */
};

/* What was measured; the same on all ranks. */
struct gr_ranks_row {
    struct gr_ranks_task task;
    struct gr_ranks_rates rates;
    struct gr_dist_plan plan; /* by these rates */
    int64_t wrong_row;        /* of C; -1: it is right, and the following is known */
    double first_s;           /* of the product before those: links, memory and caches are new */
    struct gr_stat time_s;    /* of the last rank to end */
    double mean_s;            /* of the same samples: what a plan by mean rates foretells */
    double flop_per_s;
    double efficiency;            /* of rank 0's rate alone, times the ranks */
    struct gr_dist_timeline mean; /* over samples and ranks with a part; bytes a sample */
};

/* Collective: measures what the plan needs to know, plans, multiplies and checks (ranks_check.h),
 * then times until the budget is spent, 3 to 25 times. The operands are where the plan wants them.
 * Errors: those of gr_dist_gemm_run. */
enum gradus_status gr_ranks_bench(struct gr_dist_comm *comm, const struct gr_ranks_task *task,
                                  struct gr_ranks_row *row, struct gradus_error *error);

#endif
