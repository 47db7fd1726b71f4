/* gemm_dots.c: for few rows or columns of C, or a long k: dot products that read one operand once,
 * in place. SPDX-License-Identifier: MIT
 *
 *     for pc in steps of kc        the few columns of B, as rows of kc elements; they stay in L1
 *       for rows of A              contiguous along k, read in place
 *
 * Vectors along the rows of C would be mostly empty, or B would have to be transposed first. If C
 * has few rows and B is transposed, the same is done with the operands exchanged: `many` is the
 * operand with many rows, and `few` the other one.
 *
 * If vectors have 32 bytes, or tiles of 64-byte vectors may read from L2 (gr_gemm_reads_from_afar),
 * `few` may have more rows than a tile has columns. These rows then stay in L2, together with those
 * rows of `many` that are multiplied by all of them. The fewer blocks k has, the fewer times the
 * lanes of a vector of sums are added. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

#include <stdalign.h>

/* The size of the rows of `few` in a block. An L1 of 32 KB then still has space for the prefetched
 * rows of `many`. */
enum { FEW_BYTES = 24 << 10, LEAST_DEPTH = 64, LINE_BYTES = 64, STACK_BYTES = 9 << 9 };
/* If `few` has more rows than a tile has columns, FEW_BYTES is the size of the rows of one tile.
 * All rows of `few` then take FEW_SIXTEENTHS sixteenths of L2, and the rows of `many` that are
 * multiplied by them half as much, in multiples of TILE_ROWS rows. */
enum { FEW_SIXTEENTHS = 6, TILE_ROWS = 12 };
/* From this many rows of A on, rows of A are the rows of a tile even if `few` is A. The columns of
 * a tile are then columns of C, which are adjacent in memory. A tile of 32-byte vectors has fewer
 * columns. */
enum { LEAST_ROWS_OF_TILES = 5, LEAST_ROWS_OF_NARROW_TILES = 6 };

/* An operand: element p of row x is at from + (x*row + p*step)*bytes. */
struct side {
    const char *from;
    int64_t row, step, width; /* width: the tasks of threads are multiples of this many rows */
};

struct plan {
    const struct gr_product *product;
    bool exchanged;
    struct side many, few;
    int64_t rows, columns, kc, parts, c_row;
    char *few_block; /* the copied rows of `few` */
    int64_t few_bytes;
    /* The current block of k. */
    int64_t pc, depth, few_row;
    const char *few_at;
};

/* The columns of a tile of 64-byte vectors and of one of 32-byte vectors. */
enum { TILE_COLUMNS = 8, NARROW_COLUMNS = 4 };

/* `many` is read in place. If both operands can be read in place, `many` is the larger one; but if
 * C is no larger than a tile, the longer side of C becomes the columns of the tile, so that C is a
 * single tile. */
bool gr_gemm_dots_exchanged(const struct gr_product *p)
{
    if (p->a_col != 1 || p->b_row != 1)
        return p->a_col != 1;
    return gr_max64(p->m, p->n) <= TILE_COLUMNS ? p->m > p->n : p->m < p->n;
}

static bool has_vectors_of_32_bytes(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 32;
}

bool gr_gemm_dots_turned(const struct gr_product *p)
{
    return gr_gemm_dots_exchanged(p) &&
           p->m < (has_vectors_of_32_bytes(p) ? LEAST_ROWS_OF_NARROW_TILES : LEAST_ROWS_OF_TILES);
}

static struct side side_a(const struct gr_product *p)
{
    return (struct side){p->a, p->a_row, p->a_col, p->ukr->mr};
}

static struct side side_b(const struct gr_product *p)
{
    return (struct side){p->b, p->b_col, p->b_row, p->ukr->nr};
}

static struct plan plan_of(const struct gr_product *p, int threads)
{
    const bool exchanged = gr_gemm_dots_exchanged(p);
    struct plan plan = {.product = p, .exchanged = exchanged};
    plan.many = exchanged ? side_b(p) : side_a(p);
    plan.few = exchanged ? side_a(p) : side_b(p);
    plan.rows = exchanged ? p->n : p->m;
    plan.columns = exchanged ? p->m : p->n;
    plan.c_row = exchanged ? 1 : p->ldc;
    plan.kc = gr_gemm_dots_depth(p);
    plan.parts =
        threads > 1 ? gr_min64(gr_cdiv(plan.rows, plan.many.width), 4 * (int64_t)threads) : 1;
    plan.few_bytes =
        plan.few.step == 1 ? 0 : gr_padded(plan.columns * gr_whole_vectors(p, plan.kc) * p->bytes);
    return plan;
}

static int64_t tile_of_few(const struct gr_product *p)
{
    return has_vectors_of_32_bytes(p) ? NARROW_COLUMNS : TILE_COLUMNS;
}

/* Whether `few` stays in L2 and is multiplied by some rows of `many` at a time. */
static bool is_in_parts(const struct gr_product *p)
{
    return (has_vectors_of_32_bytes(p) || gr_gemm_reads_from_afar(p)) &&
           (gr_gemm_dots_exchanged(p) ? p->m : p->n) > tile_of_few(p);
}

/* Every L2 is at least this large. It takes long to determine the actual size for the first time,
 * and small products do not need it. */
enum { LEAST_L2_BYTES = 128 << 10 };

/* Whether C is at most a few tiles and nothing is copied. The operands are then read so few times
 * that they need not be in L1. */
static bool is_few_tiles(const struct gr_product *p)
{
    return p->a_col == 1 && p->b_row == 1 && gr_max64(p->m, p->n) <= TILE_COLUMNS &&
           ((p->m + p->n) * p->k * p->bytes <= LEAST_L2_BYTES ||
            (p->m + p->n) * p->k * p->bytes <= gr_cpu_cache_bytes(2) / 2);
}

/* The largest number of steps of a block of k. */
static int64_t most_steps(const struct gr_product *p)
{
    const int64_t step_bytes = (gr_gemm_dots_exchanged(p) ? p->m : p->n) * p->bytes;
    if (is_few_tiles(p))
        return p->k;
    if (!is_in_parts(p))
        return FEW_BYTES / step_bytes;
    const int64_t tile = FEW_BYTES / (tile_of_few(p) * p->bytes);
    if (p->k <= LEAST_L2_BYTES / 16 * FEW_SIXTEENTHS / step_bytes)
        return tile;
    return gr_min64(tile, gr_cpu_cache_bytes(2) / 16 * FEW_SIXTEENTHS / step_bytes);
}

/* Blocks of k are whole cache lines. */
int64_t gr_gemm_dots_depth(const struct gr_product *p)
{
    const int64_t most = most_steps(p), line = LINE_BYTES / p->bytes;
    if (p->k <= most)
        return p->k;
    return gr_cdiv(gr_even_part(p->k, gr_max64(LEAST_DEPTH, most)), line) * line;
}

int64_t gr_gemm_dots_bytes(const struct gr_product *p, int threads)
{
    return plan_of(p, threads).few_bytes;
}

int64_t gr_gemm_dots_tasks(const struct gr_product *p, int threads)
{
    return plan_of(p, threads).parts;
}

/* Sets few_at to the rows of `few` in the current block of k, in place or copied. */
static void place_few(struct plan *plan)
{
    const struct gr_product *p = plan->product;
    const struct side *few = &plan->few;
    plan->few_at = few->from + plan->pc * few->step * p->bytes;
    plan->few_row = few->row;
    if (few->step == 1)
        return;
    plan->few_row = gr_whole_vectors(p, plan->depth);
    if (few->row == 1)
        gr_transpose(p, plan->few_block, plan->few_at, plan->depth, plan->columns, few->step);
    else
        gr_pack(p, plan->few_block, plan->few_at, plan->depth, plan->columns, plan->few_row,
                few->step, few->row);
    plan->few_at = plan->few_block;
}

/* Rows of A and rows of B (columns, as C = A * B has them) that are multiplied in one call. */
struct rows {
    const char *a, *b;
    int64_t m, n, a_row, b_row;
};

/* gr_ukr_dots chooses by the sizes of C. A small C is never divided, so each call has all of its
 * rows and columns. */
static void run(const struct gr_product *p, const struct rows *r, int64_t depth,
                const union gr_number *beta, char *c)
{
    const struct ukr *ukr = gr_gemm_ukr_for_dots(p, depth);
    ukr_dots_fn *const run_dots = gr_ukr_dots(ukr, p->m, p->n);
    if (gr_gemm_dots_turned(p))
        run_dots(r->n, r->m, depth, &p->alpha, r->b, r->b_row, r->a, r->a_row, beta, c, 1, p->ldc);
    else
        run_dots(r->m, r->n, depth, &p->alpha, r->a, r->a_row, r->b, r->b_row, beta, c, p->ldc, 1);
}

/* Multiplies rows x..x+m-1 of `many` by `few`. */
static void multiply_rows(const struct plan *plan, int64_t x, int64_t m)
{
    const struct gr_product *p = plan->product;
    const int64_t row = plan->many.row;
    const char *from = plan->many.from + (x * row + plan->pc) * p->bytes;
    const union gr_number one = gr_gemm_one(p), *beta = plan->pc == 0 ? &p->beta : &one;
    char *c = p->c + x * plan->c_row * p->bytes;
    const struct rows rows =
        plan->exchanged ? (struct rows){plan->few_at, from, plan->columns, m, plan->few_row, row}
                        : (struct rows){from, plan->few_at, m, plan->columns, row, plan->few_row};
    run(p, &rows, plan->depth, beta, c);
    if (!p->finishes || plan->pc + plan->depth != p->k)
        return;
    if (plan->exchanged)
        gr_gemm_finish(p, c, p->ldc, 0, plan->columns, x, m);
    else
        gr_gemm_finish(p, c, p->ldc, x, m, 0, plan->columns);
}

/* Multiplies rows x..end-1, divided so that the rows of each part stay in L2 together with
 * `few`. */
static void multiply_in_parts(const struct plan *plan, int64_t x, int64_t end)
{
    const int64_t row_bytes = plan->depth * plan->product->bytes;
    const int64_t fitting = gr_cpu_cache_bytes(2) / 32 * FEW_SIXTEENTHS / row_bytes;
    const int64_t part =
        is_in_parts(plan->product) ? gr_max64(1, fitting / TILE_ROWS) * TILE_ROWS : end - x;
    for (; x < end; x += part)
        multiply_rows(plan, x, gr_min64(part, end - x));
}

static void multiply_part(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const int64_t width = plan->many.width, units = gr_cdiv(plan->rows, width);
    const int64_t begin = gr_part_start(units, plan->parts, task) * width;
    const int64_t end = gr_part_start(units, plan->parts, task + 1) * width;
    multiply_in_parts(plan, begin, gr_min64(plan->rows, end));
}

static void multiply(struct plan *plan, struct gr_team *team)
{
    const struct gr_product *p = plan->product;
    for (plan->pc = 0; plan->pc < p->k; plan->pc += plan->kc) {
        plan->depth = gr_min64(plan->kc, p->k - plan->pc);
        place_few(plan);
        if (plan->parts == 1)
            multiply_in_parts(plan, 0, plan->rows);
        else
            gr_for_all(team, plan->parts, multiply_part, plan);
    }
}

bool gr_gemm_dots_in_place(const struct gr_product *p)
{
    return p->a_col == 1 && p->b_row == 1 && gr_gemm_dots_depth(p) == p->k;
}

/* Nothing is copied, and k is one block. To make a plan would take longer than the smallest
 * products. */
static bool in_one_call(const struct gr_product *p)
{
    if (!gr_gemm_dots_in_place(p))
        return false;
    run(p, &(struct rows){p->a, p->b, p->m, p->n, p->a_row, p->b_col}, p->k, &p->beta, p->c);
    if (p->finishes)
        gr_gemm_finish(p, p->c, p->ldc, 0, p->m, 0, p->n);
    return true;
}

bool gr_gemm_dots_is_with_copy(const struct gr_product *p)
{
    const int64_t columns = gr_gemm_dots_exchanged(p) ? p->m : p->n;
    return (p->a_col != 1 || p->b_row != 1) &&
           columns * gr_whole_vectors(p, p->k) * p->bytes <= STACK_BYTES;
}

/* The few rows or columns are copied to the stack, and k is one block, so no plan is needed here
 * either. */
static __attribute__((noinline)) bool with_copy(const struct gr_product *p)
{
    alignas(LINE_BYTES) char few[STACK_BYTES];
    const bool exchanged = gr_gemm_dots_exchanged(p);
    const int64_t columns = exchanged ? p->m : p->n, row = gr_whole_vectors(p, p->k);
    if (!gr_gemm_dots_is_with_copy(p))
        return false;
    if (exchanged) {
        gr_transpose(p, few, p->a, p->k, columns, p->a_col);
        run(p, &(struct rows){few, p->b, columns, p->n, row, p->b_col}, p->k, &p->beta, p->c);
    } else {
        gr_transpose(p, few, p->b, p->k, columns, p->b_row);
        run(p, &(struct rows){p->a, few, p->m, columns, p->a_row, row}, p->k, &p->beta, p->c);
    }
    if (p->finishes)
        gr_gemm_finish(p, p->c, p->ldc, 0, p->m, 0, p->n);
    return true;
}

void gr_gemm_dots_with_copy(enum gr_dtype type, const struct gr_dots *d)
{
    alignas(LINE_BYTES) char few[STACK_BYTES];
    const struct gr_ukr_entry *entry = gr_ukr_entry(type, NULL);
    const struct gr_isa_functions *f = gr_isa_functions(entry->isa);
    const int64_t bytes = type == GR_F32 ? 4 : 8, row = gr_round_up(d->k, entry->ukr->lanes);
    ukr_dots_fn *const run_dots =
        gr_ukr_dots(gr_ukr_for_dots(entry->ukr, type, d->m, d->n, d->k), d->m, d->n);
    if (d->a_step != 1) {
        gr_transpose_with(f, bytes, few, d->a, d->k, d->m, row, d->a_step);
        run_dots(d->m, d->n, d->k, d->alpha, few, row, d->b, d->b_row, d->beta, d->c, d->c_row,
                 d->c_col);
    } else {
        gr_transpose_with(f, bytes, few, d->b, d->k, d->n, row, d->b_step);
        run_dots(d->m, d->n, d->k, d->alpha, d->a, d->a_row, few, row, d->beta, d->c, d->c_row,
                 d->c_col);
    }
}

static __attribute__((noinline)) bool in_blocks(const struct gr_product *p)
{
    struct plan plan = plan_of(p, 1);
    multiply(&plan, NULL);
    return true;
}

bool gr_gemm_dots_fit(const struct gr_product *p)
{
    return plan_of(p, 1).few_bytes <= STACK_BYTES;
}

bool gr_gemm_dots_small(const struct gr_product *p)
{
    const bool in_place = p->a_col == 1 && p->b_row == 1;
    return in_place ? in_one_call(p) || in_blocks(p) : with_copy(p);
}

bool gr_gemm_dots(const struct gr_product *p, struct gr_workspace *workspace)
{
    struct plan plan = plan_of(p, workspace->team ? workspace->team->threads : 1);
    if (plan.few_bytes &&
        (workspace->threads == 0 || !gr_workspace_reserve(workspace, plan.few_bytes)))
        return false;
    plan.few_block = workspace->buffer;
    multiply(&plan, workspace->team);
    return true;
}
