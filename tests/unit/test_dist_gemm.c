/* test_dist_gemm.c: products over ranks that are threads, against a plain loop in double; and what
 * all ranks say when one of them fails. SPDX-License-Identifier: MIT */
/* threads: src/dist/dist_threads.c, src/dist/dist_courier.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/clock.h"
#include "core/error.h"
#include "dist/dist_gemm.h"
#include "dist/dist_stationary.h"
#include "dist/dist_threads.h"
#include "sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef UNDER_SANITIZER
enum { TRIALS = 60, SOME = 5, SIDE = 60 }; /* SOME: one of so many */
#else
enum { TRIALS = 600, SOME = 1, SIDE = 120 };
#endif
enum { RANKS = 12, PAD = 3 };

static int64_t draw(struct gr_rng *rng, int64_t from, int64_t to)
{
    return from + (int64_t)(gr_rng_next(rng) % (uint64_t)(to - from + 1));
}

/* A matrix: its elements in double, and each rank's part as it gives it to the product. */
struct operand {
    double *elements; /* rows x cols, row-major */
    struct gr_dist_matrix parts[RANKS];
};

static struct gr_dist_layout draw_layout(struct gr_rng *rng, int64_t rows, int64_t cols,
                                         int64_t ranks)
{
    struct gr_dist_layout layout;
    const int64_t grid_rows = draw(rng, 1, ranks), grid_cols = draw(rng, 1, ranks / grid_rows);
    const int kind = (int)draw(rng, 0, 4);
    if (kind == 0)
        return gr_dist_layout_replicated(rows, cols, ranks);
    if (kind == 1) {
        layout = gr_dist_layout_blocked(rows, cols, grid_rows, grid_cols);
        layout.grid_by_cols = draw(rng, 0, 1) == 1;
        layout.col_major = draw(rng, 0, 1) == 1;
        return layout;
    }
    const int desc[9] = {1,
                         0,
                         (int)rows,
                         (int)cols,
                         (int)draw(rng, 1, 17),
                         (int)draw(rng, 1, 17),
                         (int)draw(rng, 0, grid_rows - 1),
                         (int)draw(rng, 0, grid_cols - 1),
                         1};
    assert_int_equal(gr_dist_layout_from_desc(desc, grid_rows, grid_cols, &layout, NULL),
                     GRADUS_OK);
    return layout;
}

static void put(void *data, enum gradus_type type, int64_t i, double x)
{
    if (type == GRADUS_F64)
        ((double *)data)[i] = x;
    else
        ((float *)data)[i] = (float)x;
}

static double get(const void *data, enum gradus_type type, int64_t i)
{
    return type == GRADUS_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Calls `visit` for each element that a rank has, with its place in the local array. */
static void each(const struct gr_dist_matrix *part, int64_t rank,
                 void (*visit)(void *context, int64_t row, int64_t col, int64_t place),
                 void *context)
{
    const struct gr_dist_layout *const l = &part->layout;
    for (int64_t i = 0; i < gr_dist_span_count(l, rank, GR_DIST_ROWS); i++)
        for (int64_t j = 0; j < gr_dist_span_count(l, rank, GR_DIST_COLS); j++) {
            const struct gr_dist_span r = gr_dist_span_at(l, rank, GR_DIST_ROWS, i);
            const struct gr_dist_span c = gr_dist_span_at(l, rank, GR_DIST_COLS, j);
            for (int64_t row = r.begin; row < r.end; row++)
                for (int64_t col = c.begin; col < c.end; col++) {
                    const int64_t x = r.local + row - r.begin, y = c.local + col - c.begin;
                    visit(context, row, col, l->col_major ? y * part->ld + x : x * part->ld + y);
                }
        }
}

struct filling {
    const struct operand *operand;
    void *data;
    enum gradus_type type;
    int64_t cols;
};

static void fill_one(void *context, int64_t row, int64_t col, int64_t place)
{
    const struct filling *const f = context;
    put(f->data, f->type, place, f->operand->elements[row * f->cols + col]);
}

static void lay_out(struct gr_rng *rng, struct operand *x, struct gr_dist_layout layout,
                    int64_t ranks, enum gradus_type type)
{
    const int64_t gaps = draw(rng, 0, 1) * PAD;
    for (int64_t rank = 0; rank < ranks; rank++) {
        const int64_t r = gr_dist_local_size(&layout, rank, GR_DIST_ROWS);
        const int64_t c = gr_dist_local_size(&layout, rank, GR_DIST_COLS);
        const int64_t ld = (layout.col_major ? r : c) + (gaps ? draw(rng, 0, gaps) : 0);
        const int64_t count = ld * (layout.col_major ? c : r) + 1;
        free(x->parts[rank].local);
        x->parts[rank] = (struct gr_dist_matrix){layout, malloc((size_t)count * 8), ld};
        for (int64_t i = 0; i < count; i++) /* what lies between the lines must stay */
            put(x->parts[rank].local, type, i, 777);
        struct filling filling = {x, x->parts[rank].local, type, layout.cols};
        each(&x->parts[rank], rank, fill_one, &filling);
    }
}

static void make_operand(struct gr_rng *rng, struct operand *x, int64_t rows, int64_t cols,
                         int64_t ranks, enum gradus_type type)
{
    x->elements = malloc(((size_t)(rows * cols) + 1) * sizeof(double));
    for (int64_t i = 0; i < rows * cols; i++)
        x->elements[i] = (double)(float)(2 * gr_rng_unit(rng) - 1);
    lay_out(rng, x, draw_layout(rng, rows, cols, ranks), ranks, type);
}

static void free_operand(struct operand *x, int64_t ranks)
{
    free(x->elements);
    for (int64_t rank = 0; rank < ranks; rank++)
        free(x->parts[rank].local);
}

struct trial {
    struct gr_dist_gemm gemm; /* but a, b and c */
    struct operand a, b, c;
    double *want, *bound; /* of each element of C */
    bool stationary;      /* C stays where it is */
};

static enum gradus_status work(struct gr_dist_comm *comm, void *context, struct gradus_error *error)
{
    const struct trial *const t = context;
    struct gr_dist_gemm gemm = t->gemm;
    gemm.a = t->a.parts[comm->rank];
    gemm.b = t->b.parts[comm->rank];
    gemm.c = t->c.parts[comm->rank];
    return t->stationary ? gr_dist_stationary_run(&gemm, comm, error)
                         : gr_dist_gemm_run(&gemm, comm, error);
}

static UNWATCHED void reference(struct trial *t)
{
    const struct gr_dist_gemm *const g = &t->gemm;
    const double eps = g->type == GRADUS_F64 ? 0x1p-52 : 0x1p-23;
    t->want = malloc(((size_t)(g->m * g->n) + 1) * sizeof(double));
    t->bound = malloc(((size_t)(g->m * g->n) + 1) * sizeof(double));
    for (int64_t i = 0; i < g->m; i++)
        for (int64_t j = 0; j < g->n; j++) {
            double sum = 0, size = 0;
            for (int64_t l = 0; l < g->k; l++) {
                const double a = t->a.elements[g->trans_a ? l * g->m + i : i * g->k + l];
                const double b = t->b.elements[g->trans_b ? j * g->k + l : l * g->n + j];
                sum += a * b;
                size += fabs(a * b);
            }
            const double c = t->c.elements[i * g->n + j];
            t->want[i * g->n + j] = g->alpha * sum + (g->beta != 0 ? g->beta * c : 0);
            t->bound[i * g->n + j] =
                eps * ((double)(g->k + 4) * fabs(g->alpha) * size + 2 * fabs(g->beta * c));
        }
}

struct comparing {
    const struct trial *trial;
    const void *data;
    int64_t seen;
};

static void compare_one(void *context, int64_t row, int64_t col, int64_t place)
{
    struct comparing *const x = context;
    const struct gr_dist_gemm *const g = &x->trial->gemm;
    const double found = get(x->data, g->type, place);
    const int64_t i = row * g->n + col;
    if (!(fabs(found - x->trial->want[i]) <= x->trial->bound[i]))
        fail_msg("C[%d,%d]: found %.17g, wanted %.17g +- %g", (int)row, (int)col, found,
                 x->trial->want[i], x->trial->bound[i]);
    x->seen++;
}

/* Every element of each rank is right, and nothing beside them was written. */
static void check_result(const struct trial *t, int64_t ranks)
{
    for (int64_t rank = 0; rank < ranks; rank++) {
        const struct gr_dist_matrix *const part = &t->c.parts[rank];
        struct comparing x = {t, part->local, 0};
        each(part, rank, compare_one, &x);
        const int64_t rows = gr_dist_local_size(&part->layout, rank, GR_DIST_ROWS);
        const int64_t cols = gr_dist_local_size(&part->layout, rank, GR_DIST_COLS);
        assert_int_equal(x.seen, rows * cols);
        const int64_t count = part->ld * (part->layout.col_major ? cols : rows) + 1;
        int64_t kept = 0;
        for (int64_t i = 0; i < count; i++)
            kept += get(part->local, t->gemm.type, i) == 777;
        assert_int_equal(kept, count - rows * cols);
    }
}

static struct trial make_trial(struct gr_rng *rng, int64_t ranks)
{
    struct trial t = {0};
    struct gr_dist_gemm *const g = &t.gemm;
    g->type = draw(rng, 0, 1) ? GRADUS_F64 : GRADUS_F32;
    g->trans_a = (int)draw(rng, 0, 1);
    g->trans_b = (int)draw(rng, 0, 1);
    g->m = draw(rng, 0, 5) ? draw(rng, 1, 70) : draw(rng, 0, 3);
    g->n = draw(rng, 0, 5) ? draw(rng, 1, 70) : draw(rng, 0, 3);
    g->k = draw(rng, 0, 5) ? draw(rng, 1, 90) : draw(rng, 0, 3);
    g->alpha = (double[]){1, -0.75, 2, 0}[draw(rng, 0, 9) % 4];
    g->beta = (double[]){0, 1, 0.5}[draw(rng, 0, 2)];
    g->threads = 1;
    make_operand(rng, &t.a, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k, ranks, g->type);
    make_operand(rng, &t.b, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n, ranks, g->type);
    make_operand(rng, &t.c, g->m, g->n, ranks, g->type);
    reference(&t);
    return t;
}

static void free_trial(struct trial *t, int64_t ranks)
{
    free_operand(&t->a, ranks);
    free_operand(&t->b, ranks);
    free_operand(&t->c, ranks);
    free(t->want);
    free(t->bound);
}

/* Any grid of at most `ranks`, with little memory where it can be had: steps in all dimensions. */
static struct gr_dist_plan draw_plan(struct gr_rng *rng, const struct gr_dist_gemm *g,
                                     int64_t ranks)
{
    const struct gr_dist_problem p = {g->m, g->n, g->k, g->type == GRADUS_F64 ? 8 : 4};
    struct gr_dist_machine machine = {ranks, 0, 1e9, 1e9, 1e9, 0, draw(rng, 0, 1) == 1,
                                      false, 0, 0};
    int64_t grid[3];
    grid[0] = draw(rng, 1, ranks);
    grid[1] = draw(rng, 1, ranks / grid[0]);
    grid[2] = draw(rng, 1, ranks / grid[0] / grid[1]);
    struct gr_dist_plan plan, tight;
    assert_int_equal(gr_dist_plan_grid(&p, &machine, grid, &plan, NULL), GRADUS_OK);
    machine.memory_bytes = plan.memory_bytes * draw(rng, 30, 100) / 100;
    if (machine.memory_bytes > 0 &&
        gr_dist_plan_grid(&p, &machine, grid, &tight, NULL) == GRADUS_OK)
        return tight;
    return plan;
}

static void test_products(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 6};
    int dims[3] = {0}, split = 0, overlapped = 0;
    for (int i = 0; i < TRIALS; i++) {
        const int64_t ranks = 1 + i % RANKS;
        struct trial t = make_trial(&rng, ranks);
        const struct gr_dist_plan plan = draw_plan(&rng, &t.gemm, ranks);
        t.gemm.plan = i % 4 ? &plan : NULL;
        struct operand *const operands[] = {&t.a, &t.b, &t.c};
        for (int x = 0; x < 3; x++) /* some are where the plan wants them */
            if (i % 4 && draw(&rng, 0, 2) == 0 && !(x == 0 && t.gemm.trans_a) &&
                !(x == 1 && t.gemm.trans_b))
                lay_out(&rng, operands[x],
                        draw(&rng, 0, 3) ? gr_dist_gemm_layout(&plan, (enum gr_dist_operand)x)
                                         : gr_dist_layout_planned(&plan, (enum gr_dist_operand)x),
                        ranks, t.gemm.type);
        struct gradus_error error = {0};
        if (gr_dist_threads_run(ranks, work, &t, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        check_result(&t, ranks);
        dims[plan.step_dim] += t.gemm.plan && plan.steps > 1;
        split += plan.grid[GR_DIST_K] > 1;
        overlapped += t.gemm.plan && plan.overlap;
        free_trial(&t, ranks);
    }
    printf("%d with k split, %d overlapped; in steps along m, n, k: %d, %d, %d\n", split,
           overlapped, dims[0], dims[1], dims[2]);
    assert_true(split > 3 && dims[0] > 0 && dims[1] > 0 && dims[2] > 3 && overlapped > 3);
}

/* C stays where it is, whatever blocks it is dealt out in; A and B come from any layout. */
static void test_stationary(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 16};
    int kinds[2] = {0};
    for (int i = 0; i < TRIALS / 2; i++) {
        const int64_t ranks = 1 + i % RANKS;
        struct trial t = make_trial(&rng, ranks);
        struct gr_dist_layout layout = t.c.parts[0].layout;
        while (layout.kind == GR_DIST_REPLICATED)
            layout = draw_layout(&rng, t.gemm.m, t.gemm.n, ranks);
        lay_out(&rng, &t.c, layout, ranks, t.gemm.type);
        t.stationary = true;
        struct gradus_error error = {0};
        if (gr_dist_threads_run(ranks, work, &t, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        check_result(&t, ranks);
        kinds[layout.kind == GR_DIST_CYCLIC]++;
        free_trial(&t, ranks);
    }
    assert_true(kinds[0] > 2 && kinds[1] > 2);
}

/* A small k: C's elements are most of what there is. A large one: every rank would need a half of A
 * and of B, and a plan that overlaps has less to wait for; and where memory is short it must. */
static void test_stationary_choice(void **state)
{
    (void)state;
    struct gr_dist_machine machine = {4, 0, 1e12, 2e11, 1e10, 1e-5, true, false, 0, 0};
    const int desc[9] = {1, 0, 2000, 2000, 64, 64, 0, 0, 1};
    struct gr_dist_gemm g = {.type = GRADUS_F64, .m = 2000, .n = 2000, .k = 64, .alpha = 1};
    const struct gr_dist_problem small = {2000, 2000, 64, 8}, large = {2000, 2000, 200000, 8};
    struct gr_dist_plan plan;
    assert_int_equal(gr_dist_layout_from_desc(desc, 2, 2, &g.c.layout, NULL), GRADUS_OK);
    assert_int_equal(gr_dist_plan(&small, &machine, &plan, NULL), GRADUS_OK);
    assert_true(gr_dist_stationary_is_faster(&g, &machine, &plan));
    machine.memory_bytes = 2 * (2 * 1000 * 64 * 8) - 1;
    assert_false(gr_dist_stationary_is_faster(&g, &machine, &plan));
    machine.memory_bytes = 0;
    g.c.layout = gr_dist_layout_replicated(2000, 2000, 4);
    assert_false(gr_dist_stationary_is_faster(&g, &machine, &plan));
    assert_int_equal(gr_dist_layout_from_desc(desc, 2, 2, &g.c.layout, NULL), GRADUS_OK);
    assert_int_equal(gr_dist_plan(&large, &machine, &plan, NULL), GRADUS_OK);
    g.k = 200000;
    assert_false(gr_dist_stationary_is_faster(&g, &machine, &plan));
}

/* The same bits, however the threads are scheduled. */
static void test_repeatable(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 7};
    for (int i = 0; i < 10; i++) {
        struct trial t = make_trial(&rng, 8);
        const int64_t grid[3] = {2, 1, 4};
        const struct gr_dist_machine machine = {8, 0, 1e9, 1e9, 1e9, 0, i % 2 == 1, false, 0, 0};
        const struct gr_dist_problem p = {t.gemm.m, t.gemm.n, t.gemm.k,
                                          t.gemm.type == GRADUS_F64 ? 8 : 4};
        struct gr_dist_plan plan;
        assert_int_equal(gr_dist_plan_grid(&p, &machine, grid, &plan, NULL), GRADUS_OK);
        t.gemm.plan = &plan;
        t.gemm.beta = 0;
        void *first[8];
        size_t bytes[8];
        for (int round = 0; round < 3; round++) {
            assert_int_equal(gr_dist_threads_run(8, work, &t, NULL), GRADUS_OK);
            for (int64_t rank = 0; rank < 8; rank++) {
                const struct gr_dist_matrix *const c = &t.c.parts[rank];
                const enum gr_dist_axis lines = c->layout.col_major ? GR_DIST_COLS : GR_DIST_ROWS;
                bytes[rank] = (size_t)(c->ld * gr_dist_local_size(&c->layout, rank, lines)) *
                              (size_t)p.element_bytes;
                if (round == 0) {
                    first[rank] = malloc(bytes[rank] + 1);
                    memcpy(first[rank], c->local, bytes[rank]);
                }
                assert_memory_equal(first[rank], c->local, bytes[rank]);
            }
        }
        for (int rank = 0; rank < 8; rank++)
            free(first[rank]);
        free_trial(&t, 8);
    }
}

/* An engine around another: it counts what a rank receives, may be late, and may fail. */
struct wrapped {
    struct gr_dist_comm comm;
    struct gr_dist_comm *inner;
    int64_t bytes;
    int64_t late_ns;      /* before each start */
    int64_t starts, fail; /* the start that fails, from 1 on; 0: none */
    int64_t pending;      /* tickets that were not finished */
};

static void count(struct wrapped *w, const struct gr_dist_message *receives, int64_t receive_count)
{
    for (int64_t i = 0; i < receive_count; i++)
        w->bytes += (int64_t)receives[i].bytes;
}

static enum gradus_status exchange_inner(struct gr_dist_comm *comm,
                                         const struct gr_dist_message *sends, int64_t send_count,
                                         const struct gr_dist_message *receives,
                                         int64_t receive_count, struct gradus_error *error)
{
    struct wrapped *const w = comm->state;
    count(w, receives, receive_count);
    return w->inner->exchange(w->inner, sends, send_count, receives, receive_count, error);
}

static enum gradus_status start_inner(struct gr_dist_comm *comm,
                                      const struct gr_dist_message *sends, int64_t send_count,
                                      const struct gr_dist_message *receives, int64_t receive_count,
                                      void **ticket, struct gradus_error *error)
{
    struct wrapped *const w = comm->state;
    count(w, receives, receive_count);
    if (w->late_ns)
        gr_sleep_ns(w->late_ns);
    if (++w->starts == w->fail)
        return gr_fail(error, GRADUS_IO, "the link of rank %d broke", (int)comm->rank);
    const enum gradus_status status =
        w->inner->start(w->inner, sends, send_count, receives, receive_count, ticket, error);
    w->pending += status == GRADUS_OK;
    return status;
}

static enum gradus_status finish_inner(struct gr_dist_comm *comm, void *ticket,
                                       struct gradus_error *error)
{
    struct wrapped *const w = comm->state;
    w->pending--;
    return w->inner->finish(w->inner, ticket, error);
}

static void abort_inner(struct gr_dist_comm *comm, const char *text)
{
    struct wrapped *const w = comm->state;
    w->inner->abort(w->inner, text);
}

enum engine { EXCHANGES, STARTS, STARTS_THREADED, ENGINES };

static void wrap(struct wrapped *w, struct gr_dist_comm *inner, enum engine engine)
{
    w->inner = inner;
    w->comm = (struct gr_dist_comm){.rank = inner->rank,
                                    .size = inner->size,
                                    .state = w,
                                    .exchange = exchange_inner,
                                    .abort = abort_inner};
    if (engine == EXCHANGES)
        return;
    w->comm.start = start_inner;
    w->comm.finish = finish_inner;
    w->comm.threaded = engine == STARTS_THREADED;
}

struct counting {
    const struct gr_dist_plan *plan;
    enum engine engine;
};

/* One rank of a product whose operands are in the plan's layout, so that bringing them there sends
 * nothing: what it receives beside the agreements is what the plan says, to the word. */
static enum gradus_status count_words(struct gr_dist_comm *comm, void *context,
                                      struct gradus_error *error)
{
    const struct counting *const c = context;
    const struct gr_dist_plan *const plan = c->plan;
    const struct gr_dist_problem *const p = &plan->problem;
    struct wrapped counter = {.bytes = 0};
    struct gr_dist_timeline timeline = {0};
    struct gr_dist_gemm g = {.type = GRADUS_F32, .m = p->m, .n = p->n, .k = p->k, .alpha = 1};
    wrap(&counter, comm, c->engine);
    g.timeline = &timeline;
    struct gr_dist_matrix *const matrices[] = {&g.a, &g.b, &g.c};
    g.plan = plan;
    g.threads = 1;
    for (int x = 0; x < 3; x++) {
        struct gr_dist_matrix *const m = matrices[x];
        m->layout = gr_dist_gemm_layout(plan, (enum gr_dist_operand)x);
        const bool by_cols = m->layout.col_major;
        const enum gr_dist_axis axes[] = {GR_DIST_COLS, GR_DIST_ROWS};
        /* With gaps between its lines a matrix is copied, without any it is used as it is. */
        m->ld = gr_dist_local_size(&m->layout, comm->rank, axes[by_cols]) + comm->rank % 2;
        m->local = calloc(
            (size_t)(m->ld * gr_dist_local_size(&m->layout, comm->rank, axes[!by_cols])) + 1, 4);
    }
    enum gradus_status status = gr_dist_agree(&counter.comm, GRADUS_OK, "", error);
    const int64_t agreement = counter.bytes;
    counter.bytes = 0;
    if (status == GRADUS_OK) /* it agrees before and after */
        status = gr_dist_gemm_run(&g, &counter.comm, error);
    for (int x = 0; x < 3; x++)
        free(matrices[x]->local);
    const int64_t words = (counter.bytes - 2 * agreement) / 4;
    if (status == GRADUS_OK && (words != plan->words || timeline.received_bytes != 4 * words))
        return gr_fail(error, GRADUS_INTERNAL,
                       "rank %d received %d words, planned were %d; the timeline has %d bytes",
                       (int)comm->rank, (int)words, (int)plan->words, (int)timeline.received_bytes);
    if (status == GRADUS_OK && counter.pending != 0)
        return gr_fail(error, GRADUS_INTERNAL, "%d tickets were not finished",
                       (int)counter.pending);
    return status;
}

static void test_words(void **state)
{
    (void)state;
    static const int64_t grids[][3] = {{2, 3, 2}, {4, 3, 1},  {1, 1, 6}, {1, 5, 1}, {3, 1, 4},
                                       {1, 4, 3}, {10, 1, 1}, {2, 2, 3}, {1, 1, 1}};
    const struct gr_dist_problem p = {SIDE, SIDE, SIDE,
                                      4}; /* every part is as large as the others */
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        for (int way = 0; way < 2 * ENGINES; way++) {
            if ((way + (int)i) % SOME != 0)
                continue;
            const bool tight = way % 2 == 1;
            const enum engine engine = (enum engine)(way / 2);
            struct gr_dist_machine machine = {12,    0, 1e9, 1e9, 1e9, 1e-6, engine > EXCHANGES,
                                              false, 0, 0};
            struct gr_dist_plan plan;
            struct gradus_error error = {0};
            assert_int_equal(gr_dist_plan_grid(&p, &machine, grids[i], &plan, NULL), GRADUS_OK);
            machine.memory_bytes = plan.memory_bytes * 9 / 10;
            struct gr_dist_plan stepped;
            if (tight && gr_dist_plan_grid(&p, &machine, grids[i], &stepped, NULL) == GRADUS_OK) {
                assert_true(stepped.steps > 1);
                plan = stepped;
            }
            struct counting counting = {&plan, engine};
            if (gr_dist_threads_run(plan.ranks, count_words, &counting, &error) != GRADUS_OK)
                fail_msg("%s", error.text);
        }
}

/* One rank's mistake: what each rank is told. */
struct mistake {
    struct trial *trial;
    int64_t rank;
    void (*make)(struct gr_dist_gemm *gemm);
    enum gradus_status status[RANKS];
    char text[RANKS][512];
};

static enum gradus_status work_wrongly(struct gr_dist_comm *comm, void *context,
                                       struct gradus_error *error)
{
    struct mistake *const m = context;
    struct gr_dist_gemm gemm = m->trial->gemm;
    gemm.a = m->trial->a.parts[comm->rank];
    gemm.b = m->trial->b.parts[comm->rank];
    gemm.c = m->trial->c.parts[comm->rank];
    if (comm->rank == m->rank)
        m->make(&gemm);
    m->status[comm->rank] = gr_dist_gemm_run(&gemm, comm, error);
    snprintf(m->text[comm->rank], sizeof m->text[0], "%s", error->text);
    return GRADUS_OK;
}

static void other_size(struct gr_dist_gemm *g)
{
    g->a.layout.rows++;
}

static void other_alpha(struct gr_dist_gemm *g)
{
    g->alpha = 5;
}

static void other_blocks(struct gr_dist_gemm *g)
{
    g->b.layout.block[0]++;
}

static void no_array(struct gr_dist_gemm *g)
{
    g->c.local = NULL;
}

static void short_ld(struct gr_dist_gemm *g)
{
    g->a.ld = 1;
}

static void huge(struct gr_dist_gemm *g)
{
    g->type = GRADUS_BF16;
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct gr_dist_gemm *);
        enum gradus_status status;
        const char *text;
    } mistakes[] = {
        {other_size, GRADUS_INVALID, "rank 4: dist: A: found a layout of 21x30, wanted 20x30"},
        {other_alpha, GRADUS_INVALID, "alpha 5 "},
        {other_blocks, GRADUS_INVALID, "B cyclic 2x3 of 5x4"},
        {no_array, GRADUS_INVALID, "rank 4: dist: C: found a null pointer"},
        {short_ld, GRADUS_INVALID, "rank 4: dist: lda: found 1"},
        {huge, GRADUS_UNSUPPORTED, "rank 4: dist: type: found 2"},
    };
    struct gr_rng rng = {.state = 8};
    struct trial t = {.gemm = {.type = GRADUS_F32, .m = 20, .n = 25, .k = 30, .alpha = 1}};
    struct operand *const operands[] = {&t.a, &t.b, &t.c};
    const int sizes[3][2] = {{20, 30}, {30, 25}, {20, 25}};
    for (int x = 0; x < 3; x++) {
        make_operand(&rng, operands[x], sizes[x][0], sizes[x][1], 6, GRADUS_F32);
        const int desc[9] = {1, 0, sizes[x][0], sizes[x][1], 4, 4, 0, 0, 20};
        for (int64_t rank = 0; rank < 6; rank++) {
            struct gr_dist_matrix *const part = &operands[x]->parts[rank];
            free(part->local);
            assert_int_equal(gr_dist_layout_from_desc(desc, 2, 3, &part->layout, NULL), GRADUS_OK);
            part->ld = 40;
            part->local = calloc(40 * 40, sizeof(float));
        }
    }
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct mistake m = {.trial = &t, .rank = 4, .make = mistakes[i].make};
        assert_int_equal(gr_dist_threads_run(6, work_wrongly, &m, NULL), GRADUS_OK);
        for (int rank = 0; rank < 6; rank++) {
            assert_int_equal(m.status[rank], mistakes[i].status);
            assert_string_equal(m.text[rank], m.text[0]);
        }
        if (!strstr(m.text[0], mistakes[i].text))
            fail_msg("found '%s', wanted '%s'", m.text[0], mistakes[i].text);
    }
    free_trial(&t, 6);
}

/* A rank that ends amid a product: the others do not wait for it for ever. */
static enum gradus_status leave(struct gr_dist_comm *comm, void *context,
                                struct gradus_error *error)
{
    if (comm->rank == 3) {
        *error = (struct gradus_error){.status = GRADUS_NO_MEMORY, .text = "rank 3 has left"};
        return GRADUS_NO_MEMORY;
    }
    const enum gradus_status status = work(comm, context, error);
    assert_int_equal(status, GRADUS_CRASHED);
    assert_string_equal(error->text, "rank 3 has left");
    return status;
}

static void test_leaving(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 9};
    for (int i = 0; i < 10; i++) {
        struct trial t = make_trial(&rng, 7);
        struct gradus_error error = {0};
        assert_int_equal(gr_dist_threads_run(7, leave, &t, &error), GRADUS_NO_MEMORY);
        assert_string_equal(error.text, "rank 3 has left");
        free_trial(&t, 7);
    }
    assert_int_equal(gr_dist_threads_run(0, leave, NULL, NULL), GRADUS_INVALID);
}

/* A product in overlapped steps, one rank of which is late, or fails. */
struct trouble {
    struct trial *trial;
    enum engine engine;
    int64_t rank, late_ns, fail; /* as in struct wrapped, of one rank; rank -1: of none */
    int threads;                 /* of its local product: a number below 0 is refused */
    enum gradus_status status[RANKS];
    char text[RANKS][512];
    int64_t starts;
    struct gr_dist_timeline timeline; /* of rank 0 */
};

static enum gradus_status work_in_trouble(struct gr_dist_comm *comm, void *context,
                                          struct gradus_error *error)
{
    struct trouble *const t = context;
    struct gr_dist_gemm gemm = t->trial->gemm;
    struct wrapped w = {.bytes = 0};
    wrap(&w, comm, t->engine);
    gemm.a = t->trial->a.parts[comm->rank];
    gemm.b = t->trial->b.parts[comm->rank];
    gemm.c = t->trial->c.parts[comm->rank];
    gemm.timeline = comm->rank == 0 ? &t->timeline : NULL;
    if (comm->rank == t->rank) {
        w.late_ns = t->late_ns;
        w.fail = t->fail;
        gemm.threads = t->threads;
    }
    const enum gradus_status status = gr_dist_gemm_run(&gemm, &w.comm, error);
    t->status[comm->rank] = status;
    snprintf(t->text[comm->rank], sizeof t->text[0], "%s", error->text);
    if (comm->rank == 0)
        t->starts = w.starts;
    return w.pending == 0 ? status : gr_fail(error, GRADUS_INTERNAL, "a ticket was left");
}

/* 8 ranks, 4 or more steps along `dim`. */
static struct trial make_steps(struct gr_rng *rng, enum gr_dist_dim dim, struct gr_dist_plan *plan)
{
    struct trial t = {.gemm = {.type = GRADUS_F64, .m = 96, .n = 80, .k = 112, .alpha = 1}};
    const int64_t grid[3] = {2, 2, 2};
    const struct gr_dist_problem p = {96, 80, 112, 8};
    const struct gr_dist_machine machine = {8, 0, 1e9, 1e9, 1e9, 1e-7, true, false, 0, 0};
    t.gemm.threads = 1;
    make_operand(rng, &t.a, 96, 112, 8, GRADUS_F64);
    make_operand(rng, &t.b, 112, 80, 8, GRADUS_F64);
    make_operand(rng, &t.c, 96, 80, 8, GRADUS_F64);
    reference(&t);
    assert_int_equal(gr_dist_plan_grid(&p, &machine, grid, plan, NULL), GRADUS_OK);
    plan->overlap = true;
    plan->step_dim = dim;
    plan->steps = 4 + dim;
    /* Panels are never cut along the dimension in which their block is shared out. */
    plan->split[GR_DIST_A] = dim == GR_DIST_M ? GR_DIST_K : GR_DIST_M;
    plan->split[GR_DIST_B] = dim == GR_DIST_N ? GR_DIST_K : GR_DIST_N;
    plan->split[GR_DIST_C] = dim == GR_DIST_M ? GR_DIST_N : GR_DIST_M;
    t.gemm.plan = plan;
    return t;
}

/* The same bits with any engine, with and without a rank that is late. */
static void test_late(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 10};
    for (int dim = 0; dim < 3; dim++) {
        struct gr_dist_plan plan;
        struct trial t = make_steps(&rng, (enum gr_dist_dim)dim, &plan);
        char *first = NULL;
        for (int way = 0; way < 2 * ENGINES; way++) {
            struct trouble trouble = {.trial = &t,
                                      .engine = (enum engine)(way / 2),
                                      .rank = way % 2 ? 5 : -1,
                                      .late_ns = 1000000,
                                      .threads = 1};
            struct gradus_error error = {0};
            if (gr_dist_threads_run(8, work_in_trouble, &trouble, &error) != GRADUS_OK)
                fail_msg("%s", error.text);
            check_result(&t, 8);
            const struct gr_dist_matrix *const c = &t.c.parts[0];
            const enum gr_dist_axis lines = c->layout.col_major ? GR_DIST_COLS : GR_DIST_ROWS;
            const size_t bytes = (size_t)(c->ld * gr_dist_local_size(&c->layout, 0, lines)) * 8;
            if (!first) {
                first = malloc(bytes + 1);
                memcpy(first, c->local, bytes);
            }
            assert_memory_equal(first, c->local, bytes);
            const struct gr_dist_timeline *const line = &trouble.timeline;
            assert_true(line->product_s > 0 && line->transfer_s > 0 && line->wait_s > 0);
            assert_true(line->all_s >= line->bring_s + line->product_s + line->wait_s);
        }
        free(first);
        free_trial(&t, 8);
    }
}

/* A link that breaks anywhere, as the first message of a product or as the last, and a local
 * product that fails while the next panels are on their way: all ranks end, nothing is left under
 * way, and all that failed because of it have its text. */
static void test_broken(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 11};
    for (int dim = 0; dim < 3; dim++) {
        struct gr_dist_plan plan;
        struct trial t = make_steps(&rng, (enum gr_dist_dim)dim, &plan);
        for (int engine = STARTS; engine < ENGINES; engine++) {
            struct trouble whole = {
                .trial = &t, .engine = (enum engine)engine, .rank = -1, .threads = 1};
            assert_int_equal(gr_dist_threads_run(8, work_in_trouble, &whole, NULL), GRADUS_OK);
            assert_true(whole.starts >= 2 * plan.steps);
            for (int64_t fail = 0; fail <= whole.starts; fail += SOME) {
                struct trouble trouble = {.trial = &t,
                                          .engine = (enum engine)engine,
                                          .rank = 0,
                                          .fail = fail,
                                          .threads = fail ? 1 : -3};
                struct gradus_error error = {0};
                const enum gradus_status status =
                    gr_dist_threads_run(8, work_in_trouble, &trouble, &error);
                const char *const text = fail ? "the link of rank 0 broke" : "threads";
                assert_int_equal(status, fail ? GRADUS_IO : GRADUS_INVALID);
                if (!strstr(error.text, text))
                    fail_msg("found '%s', wanted '%s'", error.text, text);
                for (int rank = 1; rank < 8; rank++)
                    if (trouble.status[rank] != GRADUS_OK && !strstr(trouble.text[rank], text))
                        fail_msg("rank %d: found '%s', wanted '%s'", rank, trouble.text[rank],
                                 text);
            }
        }
        free_trial(&t, 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_stationary),
        cmocka_unit_test(test_stationary_choice),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
