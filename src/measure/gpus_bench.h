/* gpus_bench.h: verifies and times products over several GPUs. SPDX-License-Identifier: MIT */
#ifndef MEASURE_GPUS_BENCH_H
#define MEASURE_GPUS_BENCH_H

#include "dist/dist_timeline.h"
#include "multi/multi_gpus.h"
#include "records/row.h"

struct gr_gpus_task {
    int numbers[GR_MULTI_GPUS], count; /* 0: all GPUs */
    enum gradus_type type;             /* GRADUS_F32, or GRADUS_BF16 with C in float */
    enum gradus_math math;
    int64_t m, n, k;
    int64_t budget_ns; /* for the samples of each line */
    bool host;         /* also measure with operands in host memory */
};

/* The kinds of products that are measured. Each is one line. */
enum gr_gpus_way {
    GR_GPUS_ONE,          /* on GPU 0 only, which has all matrices */
    GR_GPUS_COPIES,       /* panels are copied during the products */
    GR_GPUS_COPIES_APART, /* all panels are copied, and the product follows */
    GR_GPUS_NCCL,
    GR_GPUS_NCCL_APART,
    GR_GPUS_HOST,      /* the operands are in host memory */
    GR_GPUS_CUBLAS_XT, /* the same, by cublasXtSgemm */
    GR_GPUS_WAYS
};

struct gr_gpus_line {
    bool done;
    char reason[200];  /* the reason why it was not done */
    int64_t wrong_row; /* the first wrong row of C; -1: C is right, and the following members are
                          known */
    struct gr_stat time_s;
    struct gr_stat one_s; /* the time of one GPU, measured in turns with it; n is 0: not measured */
    bool same_bits;       /* the checked rows are identical to those of one GPU */
    double slowest_s;     /* the mean time that the products of the slowest GPU took in a call */
    /* When each GPU receives and sends at the same time; 0: not measured. */
    double link_bytes_per_s;
    struct gr_multi_plan plan;
    /* Over GPUs and over calls other than the timed ones; bytes per call. */
    struct gr_dist_timeline mean;
};

struct gr_gpus_row {
    /* The name of the first GPU, and what gradus_gpus_link returns for NCCL. */
    char gpu[96], link[32];
    int count;
    struct gr_gpus_line lines[GR_GPUS_WAYS];
};

const char *gr_gpus_way_name(enum gr_gpus_way way);

/* Errors are those of gradus_gpus_open, and of the first product on one GPU. A later failure is
 * reported in its line. */
enum gradus_status gr_gpus_bench(const struct gr_gpus_task *task, struct gr_gpus_row *row,
                                 struct gradus_error *error);

#endif
