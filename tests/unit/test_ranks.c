/* test_ranks.c: what bench --mpi does, over ranks that are threads: a wrong element anywhere is
 * found, the rates are measured, and a product is verified and timed. SPDX-License-Identifier: MIT
 */
/* threads: src/dist/dist_threads.c, src/dist/dist_courier.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/error.h"
#include "dist/dist_threads.h"
#include "measure/ranks_bench.h"
#include "measure/ranks_check.h"
#include "sanitized.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS = 6 };

/* A product of which one rank changes an element of C before it is checked. */
struct spoiling {
    struct gr_dist_plan plan;
    enum gradus_type type;
    int64_t rank, place; /* rank -1: none */
    double change;
    int64_t wrong_row[RANKS];
    int64_t changed_row;
};

static void fill_parts(const struct spoiling *s, int64_t rank, struct gr_ranks_operands *o)
{
    for (int x = 0; x < 3; x++) {
        struct gr_dist_matrix *const part = &o->parts[x];
        part->layout = gr_dist_gemm_layout(&s->plan, (enum gr_dist_operand)x);
        const int64_t rows = gr_dist_local_size(&part->layout, rank, GR_DIST_ROWS);
        const int64_t cols = gr_dist_local_size(&part->layout, rank, GR_DIST_COLS);
        part->ld = part->layout.col_major ? rows : cols;
        part->local = malloc((size_t)(rows * cols) * 8 + 1);
    }
    gr_ranks_fill(o, rank);
}

static void spoil(struct spoiling *s, const struct gr_dist_matrix *c, int64_t rank)
{
    const struct gr_dist_rect own = gr_dist_owned(&s->plan, rank, GR_DIST_C);
    const int64_t rows = own.row_end - own.row, cols = own.col_end - own.col;
    if (rank != s->rank || rows * cols == 0)
        return;
    const int64_t place = s->place % (rows * cols);
    s->changed_row = own.row + (c->layout.col_major ? place % rows : place / cols);
    if (s->type == GRADUS_F64)
        ((double *)c->local)[place] += s->change;
    else
        ((float *)c->local)[place] += (float)s->change;
}

static enum gradus_status multiply_and_check(struct gr_dist_comm *comm, void *context,
                                             struct gradus_error *error)
{
    struct spoiling *const s = context;
    const struct gr_dist_problem *const p = &s->plan.problem;
    struct gr_ranks_operands o = {.plan = &s->plan, .type = s->type, .seed = 5};
    fill_parts(s, comm->rank, &o);
    struct gr_dist_gemm g = {.type = s->type, .m = p->m, .n = p->n, .k = p->k, .alpha = 1};
    g.a = o.parts[0], g.b = o.parts[1], g.c = o.parts[2];
    g.plan = &s->plan;
    g.threads = 1;
    enum gradus_status status = gr_dist_gemm_run(&g, comm, error);
    spoil(s, &o.parts[GR_DIST_C], comm->rank);
    if (status == GRADUS_OK)
        status = gr_ranks_check(comm, &o, &s->wrong_row[comm->rank], error);
    for (int x = 0; x < 3; x++)
        free(o.parts[x].local);
    return status;
}

static void test_check(void **state)
{
    (void)state;
    static const double changes[] = {1, -4096, 0.5, INFINITY, NAN, 1024};
    static const int64_t grids[][3] = {{3, 2, 1}, {1, 1, 6}, {2, 1, 3}, {6, 1, 1}};
    struct gr_rng rng = {.state = 1};
    for (int i = 0; i < 48; i++) {
        struct spoiling s = {.type = i % 2 ? GRADUS_F64 : GRADUS_F32, .rank = -1};
        const struct gr_dist_problem p = {37, 41, 1 + i, i % 2 ? 8 : 4};
        const struct gr_dist_machine machine = {RANKS, 0,          1e9,   1e9, 1e9,
                                                1e-7,  i % 3 == 0, false, 0,   0};
        assert_int_equal(gr_dist_plan_grid(&p, &machine, grids[i % 4], &s.plan, NULL), GRADUS_OK);
        struct gradus_error error = {0};
        if (i % 8) { /* one in eight is left as it is */
            s.rank = (int64_t)(gr_rng_next(&rng) % RANKS);
            s.place = (int64_t)(gr_rng_next(&rng) % 1000000);
            s.change = changes[i % 6];
        }
        if (gr_dist_threads_run(RANKS, multiply_and_check, &s, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        for (int rank = 0; rank < RANKS; rank++)
            assert_int_equal(s.wrong_row[rank], i % 8 ? s.changed_row : -1);
    }
}

/* The same matrices, however they are shared out: their bits in the places of the whole. */
static void test_fill(void **state)
{
    (void)state;
    const struct gr_dist_problem p = {13, 11, 17, 4};
    const struct gr_dist_machine machine = {RANKS, 0, 1e9, 1e9, 1e9, 0, false, false, 0, 0};
    static const int64_t grids[][3] = {{1, 1, 1}, {3, 2, 1}, {1, 2, 3}};
    float whole[13 * 17];
    int64_t different = 0;
    for (int i = 0; i < 3; i++) {
        struct spoiling s = {.type = GRADUS_F32};
        assert_int_equal(gr_dist_plan_grid(&p, &machine, grids[i], &s.plan, NULL), GRADUS_OK);
        for (int64_t rank = 0; rank < s.plan.ranks; rank++) {
            struct gr_ranks_operands o = {.plan = &s.plan, .type = GRADUS_F32, .seed = 5};
            fill_parts(&s, rank, &o);
            const struct gr_dist_rect own = gr_dist_owned(&s.plan, rank, GR_DIST_A);
            const struct gr_dist_matrix *const a = &o.parts[GR_DIST_A];
            for (int64_t row = own.row; row < own.row_end; row++)
                for (int64_t col = own.col; col < own.col_end; col++) {
                    const int64_t x = row - own.row, y = col - own.col;
                    const float got =
                        ((const float *)
                             a->local)[a->layout.col_major ? y * a->ld + x : x * a->ld + y];
                    float *const place = &whole[row * 17 + col];
                    if (i == 0)
                        *place = got;
                    assert_true(*place == got && fabsf(got) <= 8 && got == rintf(got));
                    different += got != whole[0];
                }
            for (int x = 0; x < 3; x++)
                free(o.parts[x].local);
        }
    }
    assert_true(different > 13 * 17);
}

struct benching {
    struct gr_ranks_task task;
    struct gr_ranks_row rows[RANKS];
};

static enum gradus_status bench(struct gr_dist_comm *comm, void *context,
                                struct gradus_error *error)
{
    struct benching *const b = context;
    return gr_ranks_bench(comm, &b->task, &b->rows[comm->rank], error);
}

static void test_bench(void **state)
{
    (void)state;
    for (int64_t ranks = 1; ranks <= 4; ranks += 3) {
        struct benching b = {.task = {.type = GRADUS_F32,
                                      .m = 150,
                                      .n = 120,
                                      .k = 90,
                                      .threads = 1,
                                      .overlap = true,
                                      .seed = 3,
                                      .budget_ns = 1000000}};
        struct gradus_error error = {0};
        if (gr_dist_threads_run(ranks, bench, &b, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        const struct gr_ranks_row *const row = &b.rows[0];
        const double flop = 2.0 * 150 * 120 * 90;
        assert_int_equal(row->wrong_row, -1);
        assert_true(row->time_s.n >= 3 && row->time_s.min > 0);
        assert_true(fabs(row->flop_per_s * row->time_s.median / flop - 1) < 1e-9);
        assert_true(row->rates.alone_flop_per_s > 0 && row->rates.machine.memory_bytes_per_s > 0);
        assert_true(row->rates.machine.link_bytes_per_s > 0 && row->rates.machine.latency_s > 0);
        assert_true(row->mean.product_s > 0 && row->mean.all_s >= row->mean.product_s);
        assert_int_equal(row->plan.problem.m, 150);
        for (int64_t rank = 1; rank < ranks; rank++) { /* all have the same */
            assert_true(b.rows[rank].time_s.median == row->time_s.median);
            assert_true(b.rows[rank].plan.time_s == row->plan.time_s);
        }
        assert_true((row->mean.sent_bytes > 0) == (row->plan.ranks > 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
