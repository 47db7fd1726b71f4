/* gemm_columns.c: for a C with few columns. Vectors run along the columns of A and of C.
 * SPDX-License-Identifier: MIT
 *
 *     for pc in steps of kc           a block of k
 *       for ir in steps of a strip    rows of C
 *
 * The blocks of k are the same as on the other paths, so that the results are the same in every
 * bit. The micro-kernel computes C' = B' A' and writes it transposed. If the columns of A are not
 * contiguous, each strip of A is transposed to the stack. */
#include "cpu/gemm_blocks.h"

#include <stdalign.h>

enum { STACK_BYTES = 4 << 10, LINE_BYTES = 64 };
/* The rows of a task, in vectors. If there are fewer tasks than threads, the columns are divided as
 * well, into parts of at least LEAST_COLUMNS. */
enum { TASK_VECTORS = 16, LEAST_COLUMNS = 12 };

struct block {
    const struct gr_product *product;
    int64_t pc, depth, parts, column_parts;
    union gr_number beta;
};

/* Multiplies rows i..i+m-1. Their columns of A begin at `a`, `step` elements apart. If the block is
 * all of k, it may consist of the blocks of a product with few sums. */
static void multiply_strip(const struct block *b, int64_t i, int64_t m, const char *a, int64_t step)
{
    const struct gr_product *p = b->product;
    const char *few = p->b + b->pc * p->b_row * p->bytes;
    char *c = p->c + i * p->ldc * p->bytes;
    gr_gemm_columns_in_place(p->ukr, gr_gemm_type(p),
                             &(struct ukr_strided){p->n, m, b->depth, &p->alpha, few, p->b_col,
                                                   p->b_row, a, step, &b->beta, c, p->ldc,
                                                   gr_gemm_column_waits(p)},
                             b->depth == p->k ? p->few_sums_log2 : 0);
    if (p->finishes && b->pc + b->depth == p->k)
        gr_gemm_finish(p, c, p->ldc, i, m, 0, p->n);
}

/* The number of rows of a strip whose transposed copy, of up to `depth` steps, fits on the
 * stack. */
static int64_t strip_rows(const struct gr_product *p, int64_t depth)
{
    const uint32_t vectors = (uint32_t)STACK_BYTES / (uint32_t)(depth * p->ukr->lanes * p->bytes);
    return p->ukr->lanes * vectors;
}

/* The same if the columns of A are not contiguous: a strip at a time is transposed to the stack.
 * This is not inlined, because other products need the stack for more. */
static __attribute__((noinline)) void multiply_transposed(const struct block *b, int64_t i,
                                                          int64_t end)
{
    const struct gr_product *p = b->product;
    const char *a = p->a + b->pc * p->a_col * p->bytes;
    alignas(LINE_BYTES) char panel[STACK_BYTES];
    const int64_t rows = strip_rows(p, b->depth);
    for (; i < end; i += rows) {
        const int64_t m = gr_min64(rows, end - i);
        gr_transpose(p, panel, a + i * p->a_row * p->bytes, m, b->depth, p->a_row);
        multiply_strip(b, i, m, panel, gr_whole_vectors(p, m));
    }
}

static void multiply_rows(const struct block *b, int64_t i, int64_t end)
{
    const struct gr_product *p = b->product;
    const char *a = p->a + (b->pc * p->a_col + i) * p->bytes;
    if (p->a_row == 1)
        multiply_strip(b, i, end - i, a, p->a_col);
    else
        multiply_transposed(b, i, end);
}

static void multiply_task(void *context, int64_t task, int thread)
{
    (void)thread;
    struct block b = *(const struct block *)context;
    const int64_t lanes = b.product->ukr->lanes, high = gr_cdiv(b.product->m, lanes);
    const int64_t row = task / b.column_parts, column = task % b.column_parts;
    const int64_t j = gr_part_start(b.product->n, b.column_parts, column);
    const int64_t end = gr_part_start(b.product->n, b.column_parts, column + 1);
    const struct gr_product part = gr_gemm_columns_of(b.product, j, end - j);
    b.product = &part;
    multiply_rows(&b, gr_part_start(high, b.parts, row) * lanes,
                  gr_min64(part.m, gr_part_start(high, b.parts, row + 1) * lanes));
}

bool gr_gemm_columns_fit(const struct gr_product *p)
{
    return p->a_row == 1 || p->k * p->ukr->lanes * p->bytes <= STACK_BYTES;
}

int64_t gr_gemm_columns_strips(const struct gr_product *p)
{
    const uint32_t rows = (uint32_t)strip_rows(p, p->k); /* a 64-bit division takes much longer */
    return p->m >> 31 ? p->m / rows : ((uint32_t)p->m + rows - 1) / rows;
}

static int64_t row_parts(const struct gr_product *p, int threads)
{
    const int64_t high = gr_cdiv(p->m, p->ukr->lanes);
    return threads > 1 ? gr_min64(gr_cdiv(high, TASK_VECTORS), 4 * (int64_t)threads) : 1;
}

static int64_t column_parts(const struct gr_product *p, int threads)
{
    const int64_t wanted = gr_cdiv(threads, row_parts(p, threads));
    return gr_max64(1, gr_min64(wanted, p->n / LEAST_COLUMNS));
}

int64_t gr_gemm_columns_tasks(const struct gr_product *p, int threads)
{
    return row_parts(p, threads) * column_parts(p, threads);
}

void gr_gemm_columns(const struct gr_product *p, struct gr_team *team)
{
    const int threads = team ? team->threads : 1;
    struct block b = {.product = p,
                      .beta = p->beta,
                      .parts = row_parts(p, threads),
                      .column_parts = column_parts(p, threads)};
    /* For such a short k gr_gemm_depth_of_rows returns k as well, but takes longer. */
    const bool one = p->few_sums_log2 || (p->k <= p->ukr->kc && gr_gemm_work(p) <= GR_THREADS_PAY);
    const int64_t kc = one ? p->k : gr_gemm_depth_of_rows(p);
    for (; b.pc < p->k; b.pc += kc, b.beta = gr_gemm_one(p)) {
        b.depth = gr_min64(kc, p->k - b.pc);
        if (b.parts * b.column_parts == 1)
            multiply_rows(&b, 0, p->m);
        else
            gr_for_all(team, b.parts * b.column_parts, multiply_task, &b);
    }
}

void gr_gemm_columns_small(const struct gr_product *p)
{
    if (p->a_row != 1 || (p->k > p->ukr->kc && !p->few_sums_log2) || p->finishes) {
        gr_gemm_columns(p, NULL);
        return;
    }
    gr_gemm_columns_in_place(p->ukr, gr_gemm_type(p),
                             &(struct ukr_strided){p->n, p->m, p->k, &p->alpha, p->b, p->b_col,
                                                   p->b_row, p->a, p->a_col, &p->beta, p->c, p->ldc,
                                                   gr_gemm_column_waits(p)},
                             p->few_sums_log2);
}
