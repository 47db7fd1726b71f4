/* ranks_bench.h: verifies and times a product over many ranks. SPDX-License-Identifier: MIT */
#ifndef MEASURE_RANKS_BENCH_H
#define MEASURE_RANKS_BENCH_H

#include "dist/dist_gemm.h"
#include "measure/ranks_rates.h"
#include "records/row.h"

struct gr_ranks_task {
    enum gradus_type type;
    int64_t m, n, k;
    int threads;  /* per rank */
    bool overlap; /* may panels be sent during products? */
    uint64_t seed;
    int64_t budget_ns; /* for the samples */
};

/* The result; it is the same on all ranks. */
struct gr_ranks_row {
    struct gr_ranks_task task;
    struct gr_ranks_rates rates;
    struct gr_dist_plan plan; /* made with these rates */
    int64_t wrong_row; /* the first wrong row of C; -1: C is right, and the following members are
                          known */
    double first_s; /* the time of the first product, when links, memory and caches are not warmed
                       up */
    struct gr_stat time_s; /* until the last rank has ended */
    double mean_s;         /* the mean of the same samples, which a plan with mean rates predicts */
    double flop_per_s;
    double efficiency; /* the rate divided by that of rank 0 alone and by the number of ranks */
    /* Over samples and over ranks that have a part; bytes per sample. */
    struct gr_dist_timeline mean;
};

/* Collective. Measures the rates that the plan requires, plans, multiplies and checks
 * (ranks_check.h), and then times until the budget is spent, 3 to 25 times. The operands are
 * distributed as the plan requires. Errors: those of gr_dist_gemm_run. */
enum gradus_status gr_ranks_bench(struct gr_dist_comm *comm, const struct gr_ranks_task *task,
                                  struct gr_ranks_row *row, struct gradus_error *error);

#endif
