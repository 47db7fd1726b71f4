/* gemm_dots.c: for few columns of C: dot products, with A read once at the speed of memory.
 * SPDX-License-Identifier: MIT
 *
 *     for pc in steps of kc             the few columns of B, as rows of kc elements: they stay in
 * L1 for rows of A, three at a time  contiguous along k, read in place
 *
 * Vectors along C's rows would be mostly empty. Few rows of C and a transposed B are the same case
 * with the operands exchanged: `many` is the operand with many rows, `few` the other one. */
#include "cpu/gemm_blocks.h"

/* The size of the rows of `few`: an L1 of 32 KB then has room for the prefetched rows of `many`. */
enum { FEW_BYTES = 24 << 10, LEAST_MANY = 32, LEAST_STEPS = 64, LINE_BYTES = 64 };

/* An operand: element p of row x at from + (x*row + p*step)*bytes. */
struct side {
    const char *from;
    int64_t row, step, width; /* width: rows that threads take at a time */
};

struct plan {
    const struct gr_product *product;
    bool exchanged;
    struct side many, few;
    int64_t rows, columns, kc, parts;
    int64_t c_row, c_column;
    char *few_block; /* rows of `few` */
    int64_t few_bytes;
    /* The current block. */
    int64_t pc, depth, few_row;
    const char *few_at;
};

static bool fits(const struct gr_product *p, int64_t few, int64_t many, int64_t step)
{
    return p->ukr->run_dots && step == 1 && few <= p->ukr->dots_cols && many >= LEAST_MANY &&
           p->k >= LEAST_STEPS;
}

bool gr_gemm_is_dots(const struct gr_product *p)
{
    return !p->a_panels && !p->b_panels &&
           (fits(p, p->n, p->m, p->a_col) || fits(p, p->m, p->n, p->b_row));
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
    const bool exchanged = !fits(p, p->n, p->m, p->a_col);
    struct plan plan = {.product = p, .exchanged = exchanged};
    plan.many = exchanged ? side_b(p) : side_a(p);
    plan.few = exchanged ? side_a(p) : side_b(p);
    plan.rows = exchanged ? p->n : p->m;
    plan.columns = exchanged ? p->m : p->n;
    plan.c_row = exchanged ? 1 : p->ldc;
    plan.c_column = exchanged ? p->ldc : 1;
    plan.kc = gr_gemm_dots_depth(p);
    const int64_t units = gr_cdiv(plan.rows, plan.many.width);
    plan.parts = threads > 1 ? gr_min64(units, 4 * (int64_t)threads) : 1;
    plan.few_bytes = gr_cdiv(plan.columns * plan.kc * p->bytes, LINE_BYTES) * LINE_BYTES;
    return plan;
}

int64_t gr_gemm_dots_depth(const struct gr_product *p)
{
    const int64_t columns = fits(p, p->n, p->m, p->a_col) ? p->n : p->m;
    const int64_t line = LINE_BYTES / p->bytes;
    return gr_cdiv(gr_even_part(p->k, FEW_BYTES / (columns * p->bytes)), line) * line;
}

int64_t gr_gemm_dots_bytes(const struct gr_product *p, int threads)
{
    return plan_of(p, threads).few_bytes;
}

int64_t gr_gemm_dots_tasks(const struct gr_product *p, int threads)
{
    return plan_of(p, threads).parts;
}

/* The block of `few` as rows: in place, or copied. */
static void place_few(struct plan *plan)
{
    const struct gr_product *p = plan->product;
    const struct side *few = &plan->few;
    plan->few_at = few->from + plan->pc * few->step * p->bytes;
    plan->few_row = few->row;
    if (few->step == 1)
        return;
    gr_pack(p, plan->few_block, plan->few_at, plan->depth, plan->columns, plan->depth, few->step,
            few->row);
    plan->few_at = plan->few_block;
    plan->few_row = plan->depth;
}

/* Rows x..x+m-1 of `many`. */
static void multiply_rows(const struct plan *plan, int64_t x, int64_t m)
{
    const struct gr_product *p = plan->product;
    const int64_t row = plan->many.row;
    const char *from = plan->many.from + (x * row + plan->pc) * p->bytes;
    const struct ukr *u = p->ukr;
    const union gr_number one = gr_gemm_one(p), *beta = plan->pc == 0 ? &p->beta : &one;
    char *c = p->c + x * plan->c_row * p->bytes;
    u->run_dots(m, plan->columns, plan->depth, &p->alpha, from, row, plan->few_at, plan->few_row,
                beta, c, plan->c_row, plan->c_column);
    if (!p->finishes || plan->pc + plan->depth != p->k)
        return;
    if (plan->exchanged)
        gr_gemm_finish(p, c, p->ldc, 0, plan->columns, x, m);
    else
        gr_gemm_finish(p, c, p->ldc, x, m, 0, plan->columns);
}

static void multiply_part(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const struct side *many = &plan->many;
    const int64_t units = gr_cdiv(plan->rows, many->width), step = p->ukr->dots_rows;
    const int64_t end =
        gr_min64(plan->rows, gr_part_start(units, plan->parts, task + 1) * many->width);
    for (int64_t x = gr_part_start(units, plan->parts, task) * many->width; x < end; x += step)
        multiply_rows(plan, x, gr_min64(step, end - x));
}

bool gr_gemm_dots(const struct gr_product *p, struct gr_workspace *workspace)
{
    struct plan plan = plan_of(p, workspace->team ? workspace->team->threads : 1);
    if (workspace->threads == 0 || !gr_workspace_reserve(workspace, plan.few_bytes))
        return false;
    plan.few_block = workspace->buffer;
    for (plan.pc = 0; plan.pc < p->k; plan.pc += plan.kc) {
        plan.depth = gr_min64(plan.kc, p->k - plan.pc);
        place_few(&plan);
        gr_for_all(workspace->team, plan.parts, multiply_part, &plan);
    }
    return true;
}
