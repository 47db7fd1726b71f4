/* ranks_bench.c: verifies and times a product over many ranks. SPDX-License-Identifier: MIT */
#include "measure/ranks_bench.h"

#include "core/clock.h"
#include "core/error.h"
#include "measure/ranks_check.h"
#include "measure/stats.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = 3, MOST = 25, MEASUREMENTS = 2, LONGEST = 2048 };

static int64_t clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Halves the longest dimension of a box until it has no more multiplications than a cube of
 * LONGEST. The other dimensions are kept, because the rate depends on the shape. */
static void shorten(int64_t size[3])
{
    const double most = (double)LONGEST * LONGEST * LONGEST;
    while ((double)size[0] * (double)size[1] * (double)size[2] > most) {
        int longest = 0;
        for (int d = 1; d < 3; d++)
            longest = size[d] > size[longest] ? d : longest;
        size[longest] = (size[longest] + 1) / 2;
    }
}

/* The product of a rank's box, and a message, whose times are measured. */
static struct gr_ranks_probe probe_of(const struct gr_ranks_task *task,
                                      const struct gr_dist_plan *plan)
{
    enum { SMALLEST_MESSAGE = 4096, LARGEST_MESSAGE = 8 << 20 };
    const int64_t size[] = {task->m, task->n, task->k};
    struct gr_ranks_probe probe = {.type = task->type, .threads = task->threads};
    for (int d = 0; d < 3; d++)
        probe.size[d] = (size[d] + plan->grid[d] - 1) / plan->grid[d];
    shorten(probe.size);
    for (int x = 0; x < 3; x++)
        probe.by_cols[x] = gr_dist_gemm_layout(plan, (enum gr_dist_operand)x).col_major;
    const int64_t bytes = plan->words * plan->problem.element_bytes;
    probe.message_bytes =
        clamp(plan->messages > 0 ? bytes / plan->messages : 0, SMALLEST_MESSAGE, LARGEST_MESSAGE);
    return probe;
}

/* Makes the plan with measured rates. They are first measured for the boxes of a plan with assumed
 * rates; if the result is another plan, they are measured again for its boxes. */
static enum gradus_status make_plan(struct gr_dist_comm *comm, struct gr_ranks_row *row,
                                    struct gradus_error *error)
{
    const struct gr_ranks_task *const task = &row->task;
    const struct gr_dist_problem problem = {task->m, task->n, task->k,
                                            task->type == GRADUS_F64 ? 8 : 4};
    const struct gr_dist_gemm gemm = {.type = task->type, .m = task->m, .n = task->n, .k = task->k};
    struct gr_ranks_probe probe = {0};
    enum gradus_status status = gr_dist_gemm_plan(&gemm, comm->size, &row->plan, error);
    for (int i = 0; i < MEASUREMENTS && status == GRADUS_OK; i++) {
        const struct gr_ranks_probe next = probe_of(task, &row->plan);
        if (memcmp(next.size, probe.size, sizeof next.size) == 0 &&
            memcmp(next.by_cols, probe.by_cols, sizeof next.by_cols) == 0)
            break;
        probe = next;
        status = gr_ranks_rates_measure(comm, &probe, &row->rates, error);
        row->rates.machine.overlap = task->overlap && comm->start && comm->threaded;
        if (status == GRADUS_OK)
            status = gr_dist_plan(&problem, &row->rates.machine, &row->plan, error);
    }
    return status;
}

static enum gradus_status allocate(const struct gr_ranks_row *row, int64_t rank,
                                   struct gr_ranks_operands *o, struct gradus_error *error)
{
    const size_t element = (size_t)row->plan.problem.element_bytes;
    for (int x = 0; x < 3; x++) {
        struct gr_dist_matrix *const part = &o->parts[x];
        part->layout = gr_dist_gemm_layout(&row->plan, (enum gr_dist_operand)x);
        const int64_t rows = gr_dist_local_size(&part->layout, rank, GR_DIST_ROWS);
        const int64_t cols = gr_dist_local_size(&part->layout, rank, GR_DIST_COLS);
        part->ld = part->layout.col_major ? rows : cols;
        const size_t bytes = (size_t)rows * (size_t)cols * element;
        part->local = malloc(bytes + 1);
        if (!part->local)
            return gr_fail_memory(error, "this rank's part of a matrix", bytes);
    }
    return GRADUS_OK;
}

static void add_doubles(void *sum, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)sum)[i] += ((const double *)x)[i];
}

/* Replaces the timelines of all samples and ranks by their mean. */
static enum gradus_status average(struct gr_dist_comm *comm, struct gr_ranks_row *row,
                                  const struct gr_dist_timeline *sum, int samples,
                                  struct gradus_error *error)
{
    double all[] = {sum->bring_s,
                    sum->product_s,
                    sum->transfer_s,
                    sum->wait_s,
                    sum->all_s,
                    (double)sum->sent_bytes,
                    (double)sum->received_bytes};
    const enum gradus_status status = gr_dist_combine(comm, all, sizeof all, add_doubles, error);
    const double count = (double)samples * (double)row->plan.ranks;
    row->mean = (struct gr_dist_timeline){all[0] / count,           all[1] / count,
                                          all[2] / count,           all[3] / count,
                                          all[4] / count,           (int64_t)(all[5] / count),
                                          (int64_t)(all[6] / count)};
    return status;
}

/* Runs one product. Its time is that of the last rank to end. */
static enum gradus_status sample(struct gr_dist_comm *comm, struct gr_dist_gemm *gemm,
                                 struct gr_dist_timeline *sum, double *seconds,
                                 struct gradus_error *error)
{
    struct gr_dist_timeline t = {0};
    gemm->timeline = &t;
    enum gradus_status status = gr_dist_agree(comm, GRADUS_OK, NULL, error);
    const int64_t begin = gr_now_ns();
    if (status == GRADUS_OK)
        status = gr_dist_gemm_run(gemm, comm, error);
    *seconds = (double)(gr_now_ns() - begin) * 1e-9;
    if (comm->rank < gemm->plan->ranks) {
        sum->bring_s += t.bring_s, sum->product_s += t.product_s;
        sum->transfer_s += t.transfer_s, sum->wait_s += t.wait_s, sum->all_s += t.all_s;
        sum->sent_bytes += t.sent_bytes, sum->received_bytes += t.received_bytes;
    }
    return status == GRADUS_OK ? gr_ranks_largest(comm, seconds, 1, error) : status;
}

static enum gradus_status time_all(struct gr_dist_comm *comm, struct gr_dist_gemm *gemm,
                                   struct gr_ranks_row *row, struct gradus_error *error)
{
    double samples[MOST], spent = 0;
    struct gr_dist_timeline sum = {0};
    const double budget = (double)row->task.budget_ns * 1e-9;
    int count = 0;
    for (; count < FEWEST || (count < MOST && spent < budget); count++) {
        const enum gradus_status status = sample(comm, gemm, &sum, &samples[count], error);
        if (status != GRADUS_OK)
            return status;
        spent += samples[count]; /* the same on all ranks, so that all of them continue or stop */
    }
    row->mean_s = spent / count;
    row->time_s = gr_stat_of(samples, count);
    const double flop = 2 * (double)row->task.m * (double)row->task.n * (double)row->task.k;
    row->flop_per_s = flop / row->time_s.median;
    row->efficiency = row->flop_per_s / (row->rates.alone_flop_per_s * (double)comm->size);
    return average(comm, row, &sum, count, error);
}

static enum gradus_status run(struct gr_dist_comm *comm, struct gr_ranks_operands *o,
                              struct gr_ranks_row *row, struct gradus_error *error)
{
    const struct gr_ranks_task *const task = &row->task;
    enum gradus_status status = allocate(row, comm->rank, o, error);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status != GRADUS_OK)
        return status;
    gr_ranks_fill(o, comm->rank);
    struct gr_dist_gemm gemm = {.type = task->type,
                                .m = task->m,
                                .n = task->n,
                                .k = task->k,
                                .alpha = 1,
                                .a = o->parts[GR_DIST_A],
                                .b = o->parts[GR_DIST_B],
                                .c = o->parts[GR_DIST_C],
                                .plan = &row->plan,
                                .threads = task->threads};
    const int64_t begin = gr_now_ns();
    status = gr_dist_gemm_run(&gemm, comm, error);
    row->first_s = (double)(gr_now_ns() - begin) * 1e-9;
    if (status == GRADUS_OK)
        status = gr_ranks_largest(comm, &row->first_s, 1, error);
    if (status == GRADUS_OK)
        status = gr_ranks_check(comm, o, &row->wrong_row, error);
    return status == GRADUS_OK && row->wrong_row < 0 ? time_all(comm, &gemm, row, error) : status;
}

enum gradus_status gr_ranks_bench(struct gr_dist_comm *comm, const struct gr_ranks_task *task,
                                  struct gr_ranks_row *row, struct gradus_error *error)
{
    *row = (struct gr_ranks_row){.task = *task, .wrong_row = -1};
    enum gradus_status status = make_plan(comm, row, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_ranks_operands o = {.plan = &row->plan, .type = task->type, .seed = task->seed};
    status = run(comm, &o, row, error);
    for (int x = 0; x < 3; x++)
        free(o.parts[x].local);
    return status;
}
