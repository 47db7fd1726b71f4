/* ranks_check.c: checks a product without a whole matrix on any rank.
 * SPDX-License-Identifier: MIT
 *
 * Each rank multiplies its parts with the vector, and the results are added over all ranks, so a
 * rank only stores and sends three vectors. */
#include "measure/ranks_check.h"

#include "base/rng.h"
#include "core/error.h"

#include <math.h>
#include <stdlib.h>

/* The numbers are in -most..most. */
static int64_t most_of(const struct gr_ranks_operands *o)
{
    const double exact = o->type == GRADUS_F64 ? 0x1p53 : 0x1p24;
    const double k = (double)(o->plan->problem.k > 0 ? o->plan->problem.k : 1);
    return (int64_t)fmax(1, fmin(8, floor(sqrt(exact / k))));
}

static uint64_t mix(uint64_t seed, uint64_t place)
{
    struct gr_rng rng = {.state = seed ^ place * 0x9e3779b97f4a7c15u};
    return gr_rng_next(&rng);
}

static int64_t place_of(const struct gr_dist_matrix *part, int64_t row, int64_t col)
{
    return part->layout.col_major ? col * part->ld + row : row * part->ld + col;
}

static void put(const struct gr_ranks_operands *o, int operand, int64_t place, double x)
{
    if (o->type == GRADUS_F64)
        ((double *)o->parts[operand].local)[place] = x;
    else
        ((float *)o->parts[operand].local)[place] = (float)x;
}

static double get(const struct gr_ranks_operands *o, int operand, int64_t place)
{
    return o->type == GRADUS_F64 ? ((const double *)o->parts[operand].local)[place]
                                 : (double)((const float *)o->parts[operand].local)[place];
}

void gr_ranks_fill(const struct gr_ranks_operands *operands, int64_t rank)
{
    const int64_t most = most_of(operands);
    for (int x = 0; x < 3; x++) {
        const struct gr_dist_rect own =
            gr_dist_owned(operands->plan, rank, (enum gr_dist_operand)x);
        const uint64_t cols = (uint64_t)operands->parts[x].layout.cols;
        const uint64_t seed = mix(operands->seed, (uint64_t)x);
        for (int64_t i = own.row; i < own.row_end; i++)
            for (int64_t j = own.col; j < own.col_end; j++) {
                const uint64_t random = mix(seed, (uint64_t)i * cols + (uint64_t)j);
                const int64_t value = (int64_t)(random % (uint64_t)(2 * most + 1)) - most;
                put(operands, x, place_of(&operands->parts[x], i - own.row, j - own.col),
                    x == GR_DIST_C ? (double)NAN : (double)value);
            }
    }
}

/* Computes y += X x for this rank's part of an operand. An element that is not a whole number is
 * replaced by a random one. */
static void apply(const struct gr_ranks_operands *o, int64_t rank, int operand, const uint64_t *x,
                  uint64_t *y)
{
    const struct gr_dist_rect own = gr_dist_owned(o->plan, rank, (enum gr_dist_operand)operand);
    for (int64_t i = own.row; i < own.row_end; i++)
        for (int64_t j = own.col; j < own.col_end; j++) {
            const double value =
                get(o, operand, place_of(&o->parts[operand], i - own.row, j - own.col));
            const bool whole = fabs(value) < 0x1p53 && value == rint(value);
            y[i] += x[j] * (whole ? (uint64_t)(int64_t)value : mix(o->seed, (uint64_t)i));
        }
}

static void add(void *sum, const void *x, size_t bytes)
{
    uint64_t *const to = sum;
    const uint64_t *const from = x;
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] += from[i];
}

struct vectors {
    uint64_t *x, *bx, *abx, *cx;
};

/* Computes X x for the whole matrix, on all ranks. */
static enum gradus_status apply_all(struct gr_dist_comm *comm, const struct gr_ranks_operands *o,
                                    int operand, const uint64_t *x, uint64_t *y,
                                    struct gradus_error *error)
{
    const size_t rows = (size_t)o->parts[operand].layout.rows;
    if (comm->rank < o->plan->ranks)
        apply(o, comm->rank, operand, x, y);
    return gr_dist_combine(comm, y, rows * sizeof *y, add, error);
}

static enum gradus_status compare(struct gr_dist_comm *comm, const struct gr_ranks_operands *o,
                                  struct vectors *v, int64_t *wrong_row, struct gradus_error *error)
{
    const struct gr_dist_problem *const p = &o->plan->problem;
    for (int64_t j = 0; j < p->n; j++)
        /* Odd, so that its only multiple that is 0 modulo 2^64 is that by 0. */
        v->x[j] = mix(~o->seed, (uint64_t)j) | 1;
    enum gradus_status status = apply_all(comm, o, GR_DIST_B, v->x, v->bx, error);
    if (status == GRADUS_OK)
        status = apply_all(comm, o, GR_DIST_A, v->bx, v->abx, error);
    if (status == GRADUS_OK)
        status = apply_all(comm, o, GR_DIST_C, v->x, v->cx, error);
    *wrong_row = -1;
    for (int64_t i = p->m - 1; i >= 0 && status == GRADUS_OK; i--)
        if (v->abx[i] != v->cx[i])
            *wrong_row = i;
    return status;
}

enum gradus_status gr_ranks_check(struct gr_dist_comm *comm,
                                  const struct gr_ranks_operands *operands, int64_t *wrong_row,
                                  struct gradus_error *error)
{
    const struct gr_dist_problem *const p = &operands->plan->problem;
    const size_t words = (size_t)(p->n + p->k + 2 * p->m);
    uint64_t *const all = calloc(words + 1, sizeof *all);
    enum gradus_status status =
        all ? GRADUS_OK : gr_fail_memory(error, "the vectors of a check", words * sizeof *all);
    status = gr_dist_agree(comm, status, NULL, error);
    if (status == GRADUS_OK) {
        struct vectors v = {all, all + p->n, all + p->n + p->k, all + p->n + p->k + p->m};
        status = compare(comm, operands, &v, wrong_row, error);
    }
    free(all);
    return status;
}
