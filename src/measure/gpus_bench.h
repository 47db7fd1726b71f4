/* gpus_bench.h: verifies and times products over several GPUs. SPDX-License-Identifier: MIT */
#ifndef MEASURE_GPUS_BENCH_H
#define MEASURE_GPUS_BENCH_H

#include "dist/dist_timeline.h"
#include "multi/multi_gpus.h"
#include "records/row.h"

struct gr_gpus_task {
    int numbers[GR_MULTI_GPUS], count; /* 0: all */
    enum gradus_type type;             /* GRADUS_F32, or GRADUS_BF16 with C in float */
    enum gradus_math math;
    int64_t m, n, k;
    int64_t budget_ns; /* for the samples of each line */
    bool host;         /* operands in host memory, too */
};

/* What is measured, a line each. */
enum gr_gpus_way {
    GR_GPUS_ONE,          /* all on GPU 0, which has everything */
    GR_GPUS_COPIES,       /* panels by copies during products */
    GR_GPUS_COPIES_APART, /* all panels by copies, then the product */
    GR_GPUS_NCCL,
    GR_GPUS_NCCL_APART,
    GR_GPUS_HOST,      /* operands in host memory */
    GR_GPUS_CUBLAS_XT, /* likewise, by cublasXtSgemm */
    GR_GPUS_WAYS
};

struct gr_gpus_line {
    bool done;
    char reason[200];  /* why it is not done */
    int64_t wrong_row; /* of C; -1: it is right, and the following is known */
    struct gr_stat time_s;
    struct gr_stat one_s;    /* of one GPU, in turns with it; n is 0: not measured */
    bool same_bits;          /* as one GPU's, in the rows that are checked */
    double slowest_s;        /* the mean of what the slowest GPU's products took in a call */
    double link_bytes_per_s; /* each GPU receives while it sends as much; 0: not measured */
    struct gr_multi_plan plan;
    struct gr_dist_timeline mean; /* over GPUs and calls beside those timed; bytes a call */
};

struct gr_gpus_row {
    char gpu[96], link[32]; /* the first one's name; what gradus_gpus_link says with NCCL */
    int count;
    struct gr_gpus_line lines[GR_GPUS_WAYS];
};

const char *gr_gpus_way_name(enum gr_gpus_way way);

/* Errors: those of gradus_gpus_open, and of the first product on one GPU; what fails later is told
 * in its line. */
enum gradus_status gr_gpus_bench(const struct gr_gpus_task *task, struct gr_gpus_row *row,
                                 struct gradus_error *error);

#endif
