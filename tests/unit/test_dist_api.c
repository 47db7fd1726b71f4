/* test_dist_api.c: gradus/dist.h over ranks that are threads: submatrices of arrays in all
 * distributions against sums of whole numbers, which are exact; and what all ranks are told.
 * SPDX-License-Identifier: MIT */
/* threads: src/dist/dist_threads.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "dist/dist_comm.h"
#include "sanitized.h"

#include <gradus/dist.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 7, PAD = 777 };

static int draw(struct gr_rng *rng, int from, int to)
{
    return from + (int)(gr_rng_next(rng) % (uint64_t)(to - from + 1));
}

/* The element (i, j) of an array, counted from 0. */
static double number(int kind, int64_t i, int64_t j)
{
    uint32_t x = (uint32_t)(i * 7919 + j * 104729 + kind * 1299709);
    x = (x ^ x >> 13) * 0x5bd1e995u;
    return (double)((x ^ x >> 15) % 9) - 4;
}

/* A matrix: what it is to the library, its array, and the whole array on each rank. */
struct matrix {
    struct gradus_dist_matrix m;
    int desc[11];
    int kind;
    int64_t rows, cols; /* of the matrix; the array of a cyclic one is larger */
    int64_t array_rows, array_cols;
    int64_t lines[RANKS];
    void *local[RANKS];
};

struct trial {
    struct gradus_gemm_dist g;
    struct matrix x[3];
    int64_t ranks;
};

/* Whether a rank has an index of the array along an axis, by counting. */
static bool owns(const struct matrix *x, int axis, int64_t rank, int64_t index)
{
    const struct gradus_dist_matrix *const m = &x->m;
    const int64_t sides[2] = {m->grid_rows, m->grid_cols}, side = sides[axis];
    if (m->distribution == GRADUS_REPLICATED)
        return true;
    if (rank >= sides[0] * sides[1])
        return false;
    const int64_t inner = sides[!m->grid_col_major];
    const int64_t me = (axis == 0) == (m->grid_col_major != 0) ? rank % inner : rank / inner;
    if (m->distribution == GRADUS_BLOCKED) {
        const int64_t size = axis ? x->array_cols : x->array_rows, more = size % side;
        const int64_t begin = me * (size / side) + (me < more ? me : more);
        return index >= begin && index < begin + size / side + (me < more);
    }
    const int *const d = x->desc;
    const int first = d[4 + axis], block = d[d[0] == 2 ? 6 + axis : 4 + axis];
    const int source = d[d[0] == 2 ? 8 + axis : 6 + axis];
    const int64_t number_of = index < first ? 0 : 1 + (index - first) / block;
    return source < 0 || (source + number_of) % side == me;
}

static int64_t owned(const struct matrix *x, int axis, int64_t rank, int64_t end)
{
    int64_t count = 0;
    for (int64_t i = 0; i < end; i++)
        count += owns(x, axis, rank, i);
    return count;
}

static bool by_cols(const struct matrix *x)
{
    return x->m.distribution == GRADUS_CYCLIC || x->m.layout == GRADUS_COL_MAJOR;
}

static double get(const void *data, enum gradus_type type, int64_t i)
{
    return type == GRADUS_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void put(void *data, enum gradus_type type, int64_t i, double value)
{
    if (type == GRADUS_F64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

/* Calls `visit` for each element of the array that a rank has, with its place. */
static void each(struct trial *t, struct matrix *x, int64_t rank,
                 void (*visit)(struct trial *, struct matrix *, int64_t rank, int64_t row,
                               int64_t col, int64_t place))
{
    int64_t r = 0;
    for (int64_t i = 0; i < x->array_rows; i++) {
        int64_t c = 0;
        if (!owns(x, 0, rank, i))
            continue;
        for (int64_t j = 0; j < x->array_cols; j++)
            if (owns(x, 1, rank, j)) {
                visit(t, x, rank, i, j,
                      by_cols(x) ? c * x->lines[rank] + r : r * x->lines[rank] + c);
                c++;
            }
        r++;
    }
}

static void fill_one(struct trial *t, struct matrix *x, int64_t rank, int64_t row, int64_t col,
                     int64_t place)
{
    put(x->local[rank], t->g.type, place, number(x->kind, row, col));
}

static void draw_cyclic(struct gr_rng *rng, struct matrix *x)
{
    const int mb = draw(rng, 1, 8), nb = draw(rng, 1, 8);
    const int rsrc = draw(rng, draw(rng, 0, 4) ? 0 : -1, (int)x->m.grid_rows - 1);
    const int csrc = draw(rng, draw(rng, 0, 4) ? 0 : -1, (int)x->m.grid_cols - 1);
    x->m.row = draw(rng, 0, 9), x->m.col = draw(rng, 0, 9);
    x->array_rows = x->m.row + x->rows + draw(rng, 0, 4);
    x->array_cols = x->m.col + x->cols + draw(rng, 0, 4);
    const int m = (int)x->array_rows, n = (int)x->array_cols;
    const int plain[11] = {1, 0, m, n, mb, nb, rsrc, csrc, 0};
    const int first[11] = {2, 0, m, n, draw(rng, 1, 9), draw(rng, 1, 9), mb, nb, rsrc, csrc, 0};
    memcpy(x->desc, draw(rng, 0, 1) ? plain : first, sizeof x->desc);
}

static void make_matrix(struct gr_rng *rng, struct trial *t, struct matrix *x, int64_t rows,
                        int64_t cols)
{
    x->rows = x->array_rows = rows;
    x->cols = x->array_cols = cols;
    x->m.distribution = (enum gradus_distribution)(draw(rng, 0, 5) % 3);
    x->m.layout = draw(rng, 0, 1) ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    x->m.grid_rows = draw(rng, 1, (int)t->ranks);
    x->m.grid_cols = draw(rng, 1, (int)(t->ranks / x->m.grid_rows));
    x->m.grid_col_major = draw(rng, 0, 1);
    if (x->m.distribution == GRADUS_CYCLIC)
        draw_cyclic(rng, x);
    for (int64_t rank = 0; rank < t->ranks; rank++) {
        const int64_t r = owned(x, 0, rank, x->array_rows), c = owned(x, 1, rank, x->array_cols);
        const int64_t line = by_cols(x) ? r : c, count = by_cols(x) ? c : r;
        x->lines[rank] = (line > 1 ? line : 1) + draw(rng, 0, 2);
        x->local[rank] = malloc((size_t)(x->lines[rank] * count + 1) * 8);
        for (int64_t i = 0; i < x->lines[rank] * count + 1; i++)
            put(x->local[rank], t->g.type, i, PAD);
        each(t, x, rank, fill_one);
    }
}

static struct trial make_trial(struct gr_rng *rng, int64_t ranks)
{
    struct trial t = {.ranks = ranks, .x = {{.kind = 1}, {.kind = 2}, {.kind = 3}}};
    struct gradus_gemm_dist *const g = &t.g;
    gradus_gemm_dist_init(g, draw(rng, 0, 1) ? GRADUS_F64 : GRADUS_F32);
    g->trans_a = draw(rng, 0, 1), g->trans_b = draw(rng, 0, 1);
    g->m = draw(rng, 0, 6) ? draw(rng, 1, 30) : draw(rng, 0, 2);
    g->n = draw(rng, 0, 6) ? draw(rng, 1, 30) : draw(rng, 0, 2);
    g->k = draw(rng, 0, 6) ? draw(rng, 1, 40) : draw(rng, 0, 2);
    g->alpha = (double[]){1, -2, 0}[draw(rng, 0, 8) % 3];
    g->beta = (double[]){0, 1, 3}[draw(rng, 0, 2)];
    g->threads = 1;
    make_matrix(rng, &t, &t.x[0], g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k);
    make_matrix(rng, &t, &t.x[1], g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n);
    make_matrix(rng, &t, &t.x[2], g->m, g->n);
    return t;
}

static void free_trial(struct trial *t)
{
    for (int x = 0; x < 3; x++)
        for (int64_t rank = 0; rank < t->ranks; rank++)
            free(t->x[x].local[rank]);
}

/* What a rank gives to the library; `desc` is its own copy, for LLD is its own. */
static void mine(const struct trial *t, int64_t rank, struct gradus_gemm_dist *g, int desc[3][11])
{
    struct gradus_dist_matrix *const to[] = {&g->a, &g->b, &g->c};
    *g = t->g;
    for (int x = 0; x < 3; x++) {
        *to[x] = t->x[x].m;
        memcpy(desc[x], t->x[x].desc, sizeof t->x[x].desc);
        desc[x][desc[x][0] == 2 ? 10 : 8] = (int)t->x[x].lines[rank];
        to[x]->desc = desc[x];
        to[x]->local = t->x[x].local[rank];
        to[x]->ld = t->x[x].lines[rank];
    }
}

static enum gradus_status work(struct gradus_comm *comm, void *context, struct gradus_error *error)
{
    struct gradus_gemm_dist g;
    int desc[3][11];
    const struct trial *const t = context;
    assert_int_equal(gradus_comm_size(comm), t->ranks);
    mine(t, gradus_comm_rank(comm), &g, desc);
    return gradus_gemm_dist_run(&g, comm, error);
}

static UNWATCHED double wanted(const struct trial *t, int64_t i, int64_t j, double before)
{
    const struct gradus_gemm_dist *const g = &t->g;
    const struct matrix *const a = &t->x[0], *const b = &t->x[1];
    double sum = 0;
    for (int64_t l = 0; l < g->k && g->alpha != 0; l++)
        sum += number(1, a->m.row + (g->trans_a ? l : i), a->m.col + (g->trans_a ? i : l)) *
               number(2, b->m.row + (g->trans_b ? j : l), b->m.col + (g->trans_b ? l : j));
    return g->alpha * sum + (g->beta == 0 ? 0 : g->beta * before);
}

/* Each element of C, and of the array around it; then it is made PAD, as what is between lines. */
static void compare_one(struct trial *t, struct matrix *x, int64_t rank, int64_t row, int64_t col,
                        int64_t place)
{
    const int64_t i = row - x->m.row, j = col - x->m.col;
    const bool inside = i >= 0 && i < x->rows && j >= 0 && j < x->cols;
    const double before = number(x->kind, row, col);
    const double want = inside ? wanted(t, i, j, before) : before;
    const double found = get(x->local[rank], t->g.type, place);
    if (found != want)
        fail_msg("rank %d of %d, (%d, %d): found %g, wanted %g", (int)rank, (int)t->ranks, (int)row,
                 (int)col, found, want);
    put(x->local[rank], t->g.type, place, PAD);
}

static void spoil_one(struct trial *t, struct matrix *x, int64_t rank, int64_t row, int64_t col,
                      int64_t place)
{
    const int64_t i = row - x->m.row, j = col - x->m.col;
    if (i >= 0 && i < x->rows && j >= 0 && j < x->cols)
        put(x->local[rank], t->g.type, place, NAN);
}

static void test_products(void **state)
{
    (void)state;
#ifdef UNDER_SANITIZER
    const int trials = 60;
#else
    const int trials = 500;
#endif
    struct gr_rng rng = {.state = 12};
    for (int i = 0; i < trials; i++) {
        struct trial t = make_trial(&rng, 1 + i % RANKS);
        struct matrix *const c = &t.x[2];
        for (int64_t rank = 0; rank < t.ranks && t.g.beta == 0; rank++)
            each(&t, c, rank, spoil_one); /* with beta 0, C is not read */
        struct gradus_error error = {0};
        if (gradus_comm_run_threads(t.ranks, work, &t, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        for (int64_t rank = 0; rank < t.ranks; rank++) {
            each(&t, c, rank, compare_one);
            const int64_t count =
                owned(c, by_cols(c), rank, by_cols(c) ? c->array_cols : c->array_rows);
            for (int64_t e = 0; e < c->lines[rank] * count + 1; e++)
                assert_true(get(c->local[rank], t.g.type, e) == PAD);
        }
        free_trial(&t);
    }
}

/* ---- What is refused ---- */

struct mistake {
    struct trial *trial;
    int64_t rank; /* -1: all */
    void (*make)(struct gradus_gemm_dist *gemm, int desc[3][11]);
    enum gradus_status status[RANKS];
    char text[RANKS][512];
};

static enum gradus_status work_wrongly(struct gradus_comm *comm, void *context,
                                       struct gradus_error *error)
{
    struct mistake *const m = context;
    const int64_t rank = gradus_comm_rank(comm);
    struct gradus_gemm_dist g;
    int desc[3][11];
    mine(m->trial, rank, &g, desc);
    if (m->rank < 0 || m->rank == rank)
        m->make(&g, desc);
    m->status[rank] = gradus_gemm_dist_run(&g, comm, error);
    snprintf(m->text[rank], sizeof m->text[0], "%s", error->text);
    return GRADUS_OK;
}

#define MISTAKE(name, action)                                                                      \
    static void name(struct gradus_gemm_dist *g, int desc[3][11])                                  \
    {                                                                                              \
        (void)g, (void)desc;                                                                       \
        action;                                                                                    \
    }
MISTAKE(bad_block, desc[1][4] = 0)
MISTAKE(bad_source, desc[2][6] = 2)
MISTAKE(bad_dtype, desc[0][0] = 3)
MISTAKE(bad_lld, desc[0][8] = 1)
MISTAKE(no_desc, g->a.desc = NULL)
MISTAKE(no_array, g->b.local = NULL)
MISTAKE(bad_grid, g->c.grid_cols = 4)
MISTAKE(bad_distribution, g->a.distribution = (enum gradus_distribution)9)
MISTAKE(beyond, g->a.row = 8)
MISTAKE(negative_row, g->b.col = -1)
MISTAKE(negative_size, g->k = -1)
MISTAKE(other_size, g->n = 24)
MISTAKE(other_offset, g->c.row = 1)
MISTAKE(other_order, g->c.distribution = GRADUS_BLOCKED; g->c.ld = 40;
        g->c.layout = GRADUS_COL_MAJOR)
MISTAKE(other_memory, g->memory_bytes = 1 << 30)
MISTAKE(bad_type, g->type = GRADUS_BF16)
MISTAKE(reserved, g->reserved[2] = 1)
MISTAKE(reserved_matrix, g->c.reserved[0] = 1)
MISTAKE(little_memory, g->memory_bytes = 1000)
MISTAKE(negative_memory, g->memory_bytes = -1)

/* 20 x 25 x 30 in arrays that are 5 larger, in blocks of 4 x 5 on a grid of 2 x 3. */
static struct trial make_plain(void)
{
    struct trial t = {.ranks = 6, .x = {{.kind = 1}, {.kind = 2}, {.kind = 3}}};
    const int sizes[3][2] = {{20, 30}, {30, 25}, {20, 25}};
    gradus_gemm_dist_init(&t.g, GRADUS_F32);
    t.g.m = 20, t.g.n = 25, t.g.k = 30, t.g.threads = 1;
    for (int i = 0; i < 3; i++) {
        struct matrix *const x = &t.x[i];
        x->m = (struct gradus_dist_matrix){
            .distribution = GRADUS_CYCLIC, .grid_rows = 2, .grid_cols = 3};
        x->rows = sizes[i][0], x->cols = sizes[i][1];
        x->array_rows = x->rows + 5, x->array_cols = x->cols + 5;
        const int desc[11] = {1, 0, (int)x->array_rows, (int)x->array_cols, 4, 5, 0, 0, 0};
        memcpy(x->desc, desc, sizeof desc);
        for (int64_t rank = 0; rank < t.ranks; rank++) {
            x->lines[rank] = 40;
            x->local[rank] = calloc(40 * 40, sizeof(float));
        }
    }
    return t;
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct gradus_gemm_dist *, int[3][11]);
        int rank;
        enum gradus_status status;
        const char *text;
    } mistakes[] = {
        {bad_block, 4, GRADUS_INVALID, "rank 4: gemm_dist: B: descriptor: MB: found 0"},
        {bad_source, 2, GRADUS_INVALID, "rank 2: gemm_dist: C: descriptor: RSRC: found 2"},
        {bad_dtype, 1, GRADUS_INVALID, "rank 1: gemm_dist: A: descriptor: DTYPE: found 3"},
        {bad_lld, 0, GRADUS_INVALID, "rank 0: gemm_dist: A: LLD: found 1, wanted at least the 13"},
        {no_desc, 5, GRADUS_INVALID, "rank 5: gemm_dist: A: desc: found a null pointer"},
        {no_array, 4, GRADUS_INVALID, "rank 4: dist: B: found a null pointer"},
        {bad_grid, 3, GRADUS_INVALID, "rank 3: gemm_dist: C: grid: found 2x4, wanted 1 to 6"},
        {bad_distribution, 4, GRADUS_INVALID, "rank 4: gemm_dist: A: distribution: found 9"},
        {beyond, 4, GRADUS_INVALID,
         "rank 4: gemm_dist: A: found row 8 and 20 more in an array of 25"},
        {negative_row, 4, GRADUS_INVALID, "rank 4: gemm_dist: B: found column -1"},
        {negative_size, 4, GRADUS_INVALID, "rank 4: gemm_dist: k: found -1"},
        {other_size, 4, GRADUS_INVALID, "ranks ask for different products: "},
        {other_offset, 4, GRADUS_INVALID, "C from 1;0 on with first blocks of 3x5"},
        {other_order, 4, GRADUS_INVALID, "for ' C column-major'"},
        {other_memory, 4, GRADUS_INVALID, "rank 4 for 'memory 1073741824"},
        {bad_type, 4, GRADUS_UNSUPPORTED, "rank 4: gemm_dist: type: found 2"},
        {reserved, 4, GRADUS_INVALID, "rank 4: gemm_dist: reserved: found 1, wanted 0"},
        {reserved_matrix, 4, GRADUS_INVALID, "rank 4: gemm_dist: C: reserved: found 1, wanted 0"},
        {little_memory, -1, GRADUS_UNSUPPORTED, "on 6 ranks takes "},
        {negative_memory, -1, GRADUS_INVALID, "memory_bytes: found -1"},
    };
    struct trial t = make_plain();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct mistake m = {.trial = &t, .rank = mistakes[i].rank, .make = mistakes[i].make};
        assert_int_equal(gradus_comm_run_threads(6, work_wrongly, &m, NULL), GRADUS_OK);
        for (int rank = 0; rank < 6; rank++) {
            assert_int_equal(m.status[rank], mistakes[i].status);
            assert_string_equal(m.text[rank], m.text[0]);
        }
        if (!strstr(m.text[0], mistakes[i].text))
            fail_msg("found '%s', wanted '%s'", m.text[0], mistakes[i].text);
    }
    free_trial(&t);
}

/* With little memory a product is done in steps, and is the same to the bit where k stays whole. */
static void test_memory(void **state)
{
    (void)state;
    struct trial t = make_plain();
    for (int x = 0; x < 3; x++)
        for (int64_t rank = 0; rank < t.ranks; rank++)
            each(&t, &t.x[x], rank, fill_one);
    for (t.g.memory_bytes = 4000; t.g.memory_bytes > 900; t.g.memory_bytes -= 50) {
        struct gradus_error error = {0};
        const enum gradus_status status = gradus_comm_run_threads(6, work, &t, &error);
        if (status == GRADUS_UNSUPPORTED)
            break;
        assert_int_equal(status, GRADUS_OK);
        for (int64_t rank = 0; rank < t.ranks; rank++) {
            each(&t, &t.x[2], rank, compare_one);
            each(&t, &t.x[2], rank, fill_one);
        }
    }
    assert_in_range(t.g.memory_bytes, 1000, 3000); /* both were met */
    free_trial(&t);
}

/* ---- Messages by functions of the caller: here those of threads once more ---- */

struct relay {
    struct trial *trial;
    int64_t fails; /* the rank whose exchange fails; -1: none */
    int aborted[RANKS], released[RANKS];
    enum gradus_status status[RANKS];
    char text[RANKS][512];
};

struct relay_end {
    struct relay *relay;
    struct gradus_comm *threads;
};

static enum gradus_status relay_exchange(void *context, const struct gradus_message *sends,
                                         int64_t send_count, const struct gradus_message *receives,
                                         int64_t receive_count, struct gradus_error *error)
{
    const struct relay_end *const r = context;
    struct gr_dist_comm *const end = &r->threads->end;
    struct gr_dist_message to[4 * RANKS], from[4 * RANKS];
    assert_in_range(send_count, 0, 4 * RANKS);
    assert_in_range(receive_count, 0, 4 * RANKS);
    for (int64_t i = 0; i < send_count; i++)
        to[i] = (struct gr_dist_message){sends[i].peer, sends[i].data, sends[i].bytes};
    for (int64_t i = 0; i < receive_count; i++)
        from[i] = (struct gr_dist_message){receives[i].peer, receives[i].data, receives[i].bytes};
    if (r->relay->fails == end->rank)
        return GRADUS_IO; /* with no text */
    return end->exchange(end, to, send_count, from, receive_count, error);
}

static void relay_abort(void *context, const char *text)
{
    const struct relay_end *const r = context;
    r->relay->aborted[r->threads->end.rank]++;
    r->threads->end.abort(&r->threads->end, text);
}

static void relay_release(void *context)
{
    const struct relay_end *const r = context;
    r->relay->released[r->threads->end.rank]++;
}

static enum gradus_status work_relayed(struct gradus_comm *threads, void *context,
                                       struct gradus_error *error)
{
    struct relay *const relay = context;
    struct relay_end end = {relay, threads};
    const int64_t rank = gradus_comm_rank(threads);
    const struct gradus_comm_functions functions = {.rank = rank,
                                                    .size = gradus_comm_size(threads),
                                                    .context = &end,
                                                    .exchange = relay_exchange,
                                                    .abort = relay_abort,
                                                    .release = relay_release};
    struct gradus_comm *comm;
    assert_int_equal(gradus_comm_create_functions(&functions, &comm, error), GRADUS_OK);
    relay->status[rank] = work(comm, relay->trial, error);
    snprintf(relay->text[rank], sizeof relay->text[0], "%s", error->text);
    gradus_comm_free(comm);
    return GRADUS_OK;
}

static void test_functions(void **state)
{
    (void)state;
    struct trial t = make_plain();
    struct relay right = {.trial = &t, .fails = -1}, wrong = {.trial = &t, .fails = 3};
    for (int x = 0; x < 3; x++)
        for (int64_t rank = 0; rank < t.ranks; rank++)
            each(&t, &t.x[x], rank, fill_one);
    assert_int_equal(gradus_comm_run_threads(t.ranks, work_relayed, &right, NULL), GRADUS_OK);
    for (int64_t rank = 0; rank < t.ranks; rank++) {
        assert_int_equal(right.status[rank], GRADUS_OK);
        assert_int_equal(right.released[rank], 1);
        assert_int_equal(right.aborted[rank], 0);
        each(&t, &t.x[2], rank, compare_one);
    }
    assert_int_equal(gradus_comm_run_threads(t.ranks, work_relayed, &wrong, NULL), GRADUS_OK);
    for (int64_t rank = 0; rank < t.ranks; rank++) {
        assert_int_equal(wrong.status[rank], rank == 3 ? GRADUS_IO : GRADUS_CRASHED);
        assert_string_equal(wrong.text[rank], "comm: the caller's exchange failed");
        assert_int_equal(wrong.aborted[rank], 1);
        assert_int_equal(wrong.released[rank], 1);
    }
    free_trial(&t);
}

static void test_functions_refused(void **state)
{
    (void)state;
    const struct gradus_comm_functions good = {
        .size = 1, .exchange = relay_exchange, .abort = relay_abort};
    struct gradus_comm_functions bad[5] = {good, good, good, good, good};
    static const char *const texts[] = {"exchange: found a null", "abort: found a null",
                                        "found rank 1 of 1", "found rank 0 of 0",
                                        "reserved: found 7"};
    struct gradus_error error = {0};
    struct gradus_comm *comm = (struct gradus_comm *)&error;
    bad[0].exchange = NULL, bad[1].abort = NULL, bad[2].rank = 1, bad[3].size = 0;
    bad[4].reserved[3] = 7;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(gradus_comm_create_functions(&bad[i], &comm, &error), GRADUS_INVALID);
        assert_null(comm);
        assert_non_null(strstr(error.text, texts[i]));
    }
    assert_int_equal(gradus_comm_create_functions(NULL, &comm, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_create_functions(&good, NULL, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_create_functions(&good, &comm, &error), GRADUS_OK);
    assert_int_equal(gradus_comm_size(comm), 1);
    gradus_comm_free(comm);
}

/* Ranks 2 and 4 refuse, and all are told what rank 2 says; the next product is right. */
static enum gradus_status work_refusing(struct gradus_comm *comm, void *context,
                                        struct gradus_error *error)
{
    struct mistake *const m = context;
    const int64_t rank = gradus_comm_rank(comm);
    m->status[rank] = rank == 2 ? gradus_gemm_dist_refuse(comm, GRADUS_NO_MEMORY, "no array", error)
                      : rank == 4 ? gradus_gemm_dist_refuse(comm, GRADUS_OK, NULL, error)
                                  : work(comm, m->trial, error);
    snprintf(m->text[rank], sizeof m->text[0], "%s", error->text);
    return work(comm, m->trial, error);
}

static void test_refuse(void **state)
{
    (void)state;
    struct trial t = make_plain();
    struct mistake m = {.trial = &t};
    struct gradus_error error = {0};
    assert_int_equal(gradus_comm_run_threads(t.ranks, work_refusing, &m, NULL), GRADUS_OK);
    for (int64_t rank = 0; rank < t.ranks; rank++) {
        assert_int_equal(m.status[rank], GRADUS_NO_MEMORY);
        assert_string_equal(m.text[rank], "rank 2: no array");
    }
    assert_int_equal(gradus_gemm_dist_refuse(NULL, GRADUS_IO, "x", &error), GRADUS_INVALID);
    free_trial(&t);
}

static void test_communicators(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    struct gradus_comm *comm = (struct gradus_comm *)&error;
    struct gradus_gemm_dist g;
    gradus_gemm_dist_init(&g, GRADUS_F64);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    unsetenv("GRADUS_MPI");
    assert_int_equal(gradus_comm_create_mpi(NULL, &comm, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_create_mpi(&g, NULL, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_create_fortran(0, &comm, &error), GRADUS_UNSUPPORTED);
    assert_null(comm);
    assert_non_null(strstr(error.text, "found neither Open MPI nor MPICH in this process"));
    setenv("GRADUS_MPI", "/nowhere/plugin.so", 1);
    assert_int_equal(gradus_comm_create_fortran(0, &comm, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "/nowhere/plugin.so"));
    unsetenv("GRADUS_MPI");
    assert_int_equal(gradus_gemm_dist_run(&g, NULL, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_run_threads(2, NULL, NULL, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_run_threads(0, work, NULL, &error), GRADUS_INVALID);
    assert_int_equal(gradus_comm_rank(NULL), -1);
    gradus_comm_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_functions_refused),
        cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_communicators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
