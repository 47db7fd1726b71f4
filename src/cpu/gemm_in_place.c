/* gemm_in_place.c: products of short types that read each element of an operand only a few times,
 * so that packing would take longer than the product. SPDX-License-Identifier: MIT
 *
 * Vectors run along the rows of B, if these are contiguous, or along k. A C of one column is
 * computed as a row, by exchanging A and B. */
#include "cpu/gemm_mixed.h"

#include "cpu/cpu.h"
#include "cpu/dispatch.h"
#include "cpu/gemm_blocks.h"

#include <string.h>

/* The columns of a task: a multiple of the tile widths of all micro-kernels. */
enum { COLUMNS_A_TASK = 384 };
/* Dot products are computed in parts of this many steps, or of fewer if several rows of A are
 * copied to make them contiguous. */
enum { DOTS_STEPS = 1024, DOTS_COPIED_STEPS = DOTS_STEPS / GR_MIXED_DOT_ROWS };
/* If k is short and the columns of B are contiguous, TURNED_COLUMNS columns of B are transposed at
 * a time, for TURNED_TILES tiles of rows. */
enum { TURNED_TILES = 8, TURNED_COLUMNS = 128 };
/* The largest number of rows that a micro-kernel may have here. */
enum { MOST_ROWS = 16 };
/* Rows of A whose elements are not contiguous are copied for the columns of a task, if they are no
 * longer than this and there are more columns than a tile has. */
enum { COPIED_BYTES = 128 };
/* Changes the signedness of the four bytes of a unit, by an exclusive or. */
static const int32_t FLIP = (int32_t)0x80808080u;

struct way {
    struct gr_product product; /* A and B may have been exchanged */
    const struct gr_product *wanted;
    const struct gr_mixed *mixed;
    int64_t c_row, c_col;
    int64_t rows, columns; /* of a task */
    int64_t kc;
    struct gr_mixed_form form;
};

/* Makes the product C' = B' A'. If one operand has signed and the other unsigned bytes, this needs
 * another micro-kernel. */
static bool exchange(struct way *way)
{
    const struct gr_product *from = way->wanted;
    struct gr_product *to = &way->product;
    to->a_type = from->b_type, to->b_type = from->a_type;
    to->a_bytes = from->b_bytes, to->b_bytes = from->a_bytes;
    to->m = from->n, to->n = from->m;
    to->a = from->b, to->a_row = from->b_col, to->a_col = from->b_row;
    to->b = from->a, to->b_row = from->a_col, to->b_col = from->a_row;
    way->c_row = 1, way->c_col = from->ldc;
    return to->a_type == to->b_type ||
           gr_gemm_use(to, gr_ukr_find(way->mixed->panel_types(to),
                                       gr_cpu_isa_level(from->ukr->isa), GR_UKR_OF_VECTORS));
}

/* Fills in *way. Returns false if the product must be packed. */
static bool choose(const struct gr_product *p, const struct gr_mixed *mixed, struct way *way)
{
    const struct gr_mixed_form form = gr_gemm_mixed_form(p, mixed);
    if (form.way == GR_MIXED_PACKED)
        return false;
    *way = (struct way){.product = *p,
                        .wanted = p,
                        .mixed = mixed,
                        .c_row = p->ldc,
                        .c_col = 1,
                        .kc = gr_gemm_mixed_depth(p),
                        .form = form};
    if (form.exchanged && !exchange(way))
        return false;
    const int64_t mr = way->product.ukr->mr;
    way->rows = form.way == GR_MIXED_DOTS ? GR_MIXED_DOT_ROWS
                : form.b_gathered         ? TURNED_TILES * mr
                                          : mr;
    way->columns = form.way == GR_MIXED_DOTS ? GR_MIXED_DOTS_A_TASK
                   : form.b_gathered         ? TURNED_COLUMNS
                                             : COLUMNS_A_TASK;
    return way->product.ukr->run_in_place && mr <= MOST_ROWS;
}

/* Writes the initial values of the sums of rows i to i+m, for steps p to p+depth of k. Returns 1 if
 * each row has its own value, and 0 if starts[0] = 0 is the value of all rows. */
static int64_t starts_of(const struct way *way, int32_t *starts, int64_t i, int64_t m, int64_t p,
                         int64_t depth)
{
    starts[0] = 0;
    return way->mixed->starts && way->mixed->starts(&way->product, starts, i, m, p, depth);
}

static union gr_number one_of(const struct gr_product *p)
{
    return p->sum_type == GRADUS_S32 ? (union gr_number){.s32 = 1} : (union gr_number){.f32 = 1};
}

/* B, or its transposed part. `at` is the row for step 0 of k. */
struct rows_of_b {
    const char *at;
    int64_t step; /* bytes from a row to the next one */
};

static void run_tile(const struct way *way, struct rows_of_b b, int64_t i, int64_t m, int64_t j,
                     int64_t n)
{
    const struct gr_product *p = &way->product;
    const union gr_number one = one_of(p);
    const int64_t kc = way->kc;
    int32_t starts[MOST_ROWS];
    for (int64_t pc = 0; pc < p->k; pc += kc) {
        const int64_t depth = gr_min64(kc, p->k - pc);
        const int64_t step = starts_of(way, starts, i, m, pc, depth);
        const char *a = p->a + (i * p->a_row + pc * p->a_col) * p->a_bytes;
        p->ukr->run_in_place(m, n, depth, &p->alpha, a, p->a_row * p->a_bytes,
                             p->a_col * p->a_bytes, starts, step, b.at + pc * b.step, b.step,
                             step ? FLIP : 0, pc == 0 ? &p->beta : &one,
                             p->c + (i * way->c_row + j) * p->bytes, way->c_row);
    }
}

/* The same with a copy of the rows of A in which they are contiguous. */
static void run_copied_tile(const struct way *way, struct rows_of_b b, int64_t i, int64_t m,
                            int64_t j, int64_t n)
{
    char rows[MOST_ROWS * COPIED_BYTES];
    struct way copied = *way;
    struct gr_product *p = &copied.product;
    for (int64_t s = 0; s < p->k; s++) {
        const char *a = p->a + (i * p->a_row + s * p->a_col) * p->a_bytes;
        for (int64_t x = 0; x < m; x++)
            if (p->a_bytes == 2)
                memcpy(rows + x * COPIED_BYTES + s * 2, a + x * p->a_row * 2, 2);
            else
                rows[x * COPIED_BYTES + s] = a[x * p->a_row];
    }
    p->a = rows, p->a_row = COPIED_BYTES / p->a_bytes, p->a_col = 1;
    p->c += i * way->c_row * p->bytes;
    run_tile(&copied, b, 0, m, j, n);
}

static void transpose(const struct gr_product *p, char *rows, int64_t j, int64_t n)
{
    for (int64_t x = 0; x < n; x++) {
        const char *column = p->b + (j + x) * p->b_col * p->b_bytes;
        for (int64_t s = 0; s < p->k; s++)
            if (p->b_bytes == 2)
                memcpy(rows + (s * TURNED_COLUMNS + x) * 2, column + s * 2, 2);
            else
                rows[s * TURNED_COLUMNS + x] = column[s];
    }
}

static void run_rows(const struct way *way, int64_t i, int64_t m, int64_t j, int64_t n)
{
    const struct gr_product *p = &way->product;
    const int64_t mr = p->ukr->mr;
    char turned[TURNED_COLUMNS * GR_MIXED_FEW_UNITS * GR_MIXED_UNIT_BYTES];
    struct rows_of_b b = {p->b + j * p->b_bytes, p->b_row * p->b_bytes};
    if (way->form.b_gathered) {
        transpose(p, turned, j, n);
        b = (struct rows_of_b){turned, TURNED_COLUMNS * p->b_bytes};
    }
    const bool copies = p->a_col != 1 && p->k * p->a_bytes <= COPIED_BYTES && n > p->ukr->nr;
    for (int64_t x = 0; x < m; x += mr)
        (copies ? run_copied_tile : run_tile)(way, b, i + x, gr_min64(mr, m - x), j, n);
}

static void gather_16_bits(uint16_t *copy, const uint16_t *from, int64_t step, int64_t count)
{
    for (int64_t x = 0; x < count; x++)
        copy[x] = from[x * step];
}

static void gather_8_bits(uint8_t *copy, const uint8_t *from, int64_t step, int64_t count)
{
    for (int64_t x = 0; x < count; x++)
        copy[x] = from[x * step];
}

/* Returns `rows` rows of `count` elements, each contiguous: in place, or copied. *row is the
 * distance between rows, in elements; if they are copied, it becomes the distance in the copy. */
static const void *side_by_side(const char *from, int64_t *row, int64_t step, int64_t bytes,
                                int64_t rows, int64_t count, uint16_t *copy)
{
    if (step == 1)
        return from;
    for (int64_t i = 0; i < rows; i++) {
        const void *at = from + i * *row * bytes;
        if (bytes == 2)
            gather_16_bits(copy + i * count, at, step, count);
        else
            gather_8_bits((uint8_t *)copy + i * count, at, step, count);
    }
    *row = count;
    return copy;
}

/* A B whose columns are not contiguous has only one column here, so one column is copied. */
static void run_dots(const struct way *way, int64_t j, int64_t n)
{
    const struct gr_product *p = &way->product;
    const union gr_number one = one_of(p);
    uint16_t of_a[DOTS_STEPS], of_b[DOTS_STEPS];
    int32_t starts[GR_MIXED_DOT_ROWS];
    const int64_t steps = p->m > 1 && p->a_col != 1 ? DOTS_COPIED_STEPS : DOTS_STEPS;
    for (int64_t pc = 0; pc < p->k; pc += steps) {
        const int64_t depth = gr_min64(steps, p->k - pc);
        const int64_t start_step = starts_of(way, starts, 0, p->m, pc, depth);
        int64_t a_row = p->a_row, b_row = p->b_col;
        const void *a = side_by_side(p->a + pc * p->a_col * p->a_bytes, &a_row, p->a_col,
                                     p->a_bytes, p->m, depth, of_a);
        const void *b = side_by_side(p->b + (j * p->b_col + pc * p->b_row) * p->b_bytes, &b_row,
                                     p->b_row, p->b_bytes, 1, depth, of_b);
        p->ukr->run_short_dots(p->m, n, depth, &p->alpha, a, a_row * p->a_bytes, starts, start_step,
                               b, b_row * p->b_bytes, start_step ? FLIP : 0,
                               pc == 0 ? &p->beta : &one, p->c + j * way->c_col * p->bytes,
                               way->c_row, way->c_col);
    }
}

static void run_task(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct way *way = context;
    const struct gr_product *p = &way->product, *wanted = way->wanted;
    const int64_t tasks_down = gr_cdiv(p->m, way->rows);
    const int64_t i = task % tasks_down * way->rows, j = task / tasks_down * way->columns;
    const int64_t m = gr_min64(way->rows, p->m - i), n = gr_min64(way->columns, p->n - j);
    if (way->form.way == GR_MIXED_DOTS)
        run_dots(way, j, n);
    else
        run_rows(way, i, m, j, n);
    if (!wanted->finishes)
        return;
    char *c = p->c + (i * way->c_row + j * way->c_col) * p->bytes;
    if (way->form.exchanged)
        gr_gemm_finish(wanted, c, wanted->ldc, j, n, i, m);
    else
        gr_gemm_finish(wanted, c, wanted->ldc, i, m, j, n);
}

static int64_t tasks_of(const struct way *way)
{
    return gr_cdiv(way->product.m, way->rows) * gr_cdiv(way->product.n, way->columns);
}

bool gr_gemm_in_place(const struct gr_product *p, const struct gr_mixed *mixed,
                      struct gr_team *team)
{
    struct way way;
    if (!choose(p, mixed, &way))
        return false;
    gr_for_all(team, tasks_of(&way), run_task, &way);
    return true;
}

bool gr_gemm_is_in_place(const struct gr_product *p, const struct gr_mixed *mixed)
{
    struct way way;
    return choose(p, mixed, &way);
}

bool gr_gemm_in_place_describe(const struct gr_product *p, const struct gr_mixed *mixed,
                               struct gr_dispatch *dispatch)
{
    struct way way;
    if (!choose(p, mixed, &way))
        return false;
    const bool is_dots = way.form.way == GR_MIXED_DOTS;
    dispatch->path = is_dots ? "dots" : "in place";
    dispatch->tasks = tasks_of(&way);
    dispatch->why = is_dots ? "few rows or columns of C: each element is a dot product of rows "
                              "that are read in place"
                            : "so few rows of C, or so short a k, that operands are read in "
                              "place, as often as packing would read them";
    return true;
}
