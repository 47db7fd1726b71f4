/* gemm_deep.c: for a small C and a long k: k is divided, and the sums of the parts are added at
 * the end. SPDX-License-Identifier: MIT
 *
 *     for parts of k                  a task: a sum of its own, m x n
 *       for pc in steps of kc         A and B are packed block by block, or read in place
 *     C = beta*C + the sums, in the order of k
 *
 * There is nothing else to share among threads. The parts, and with them the bits, depend on the
 * shape alone and not on the number of threads. */
#include "cpu/gemm_blocks.h"

enum { LONGEST_SIDE = 128, LEAST_STEPS = 2048, DEEPER = 16, MOST_PARTS = 64 };
/* Rows of B, and columns of A, that are no longer than this are close enough together to be read in
 * place. Rows of A can be read in place if a tile has no more rows than L1 has ways: rows
 * a power of two apart share a set. */
enum { SHORT_ROW_BYTES = 512, LINE_BYTES = 64, WAYS = 8 };
/* Blocks of A and B take about half of an L2 of 1 MB: the longer the pieces of A's rows are, the
 * better the prefetchers follow them; but there must be enough parts for the threads. */
enum { BLOCKS_BYTES = 640 << 10, LONGEST_DEPTH = 4096, ENOUGH_PARTS = 32 };

struct plan {
    const struct gr_product *product;
    int64_t kc, part_steps, parts;
    int64_t panel;   /* columns of a panel of B: no more vectors than B has */
    int64_t columns; /* of a tile: those of a panel, or more where B is not packed */
    int64_t
        rows; /* of a tile and of a panel of A: equal parts of m, which also makes packing faster */
    bool a_packs, b_packs;
    char *sums, *blocks;
    int64_t sum_bytes, a_bytes, b_bytes; /* of a part; of a thread */
};

bool gr_gemm_is_deep(const struct gr_product *p)
{
    const int64_t side = gr_max64(p->m, p->n);
    return side <= LONGEST_SIDE && p->k >= LEAST_STEPS && p->k >= DEEPER * side &&
           gr_gemm_work(p) > GR_THREADS_PAY;
}

static int64_t depth_of(const struct gr_product *p)
{
    const int64_t nr = p->ukr->nr, line = LINE_BYTES / p->bytes;
    const int64_t fitting = BLOCKS_BYTES / ((p->m + gr_cdiv(p->n, nr) * nr) * p->bytes);
    const int64_t shared = gr_max64(p->ukr->kc, p->k / ENOUGH_PARTS);
    const int64_t most = gr_min64(LONGEST_DEPTH, gr_min64(fitting, shared));
    return gr_cdiv(gr_even_part(p->k, most), line) * line;
}

static struct plan plan_of(const struct gr_product *p)
{
    const struct ukr *u = p->ukr;
    struct plan plan = {.product = p, .kc = depth_of(p)};
    plan.part_steps = plan.kc * gr_cdiv(gr_cdiv(p->k, plan.kc), MOST_PARTS);
    plan.parts = gr_cdiv(p->k, plan.part_steps);
    plan.a_packs = !p->a_panels && p->a_col != 1 && p->a_col * p->bytes > SHORT_ROW_BYTES;
    plan.b_packs = !p->b_panels && (p->b_col != 1 || p->b_row * p->bytes > SHORT_ROW_BYTES);
    plan.panel = p->b_panels ? u->nr : gr_min64(u->nr, gr_whole_vectors(p, p->n));
    plan.columns = plan.b_packs || p->b_panels ? plan.panel : u->strided_cols;
    const int64_t vectors = gr_cdiv(gr_min64(p->n, plan.columns), u->lanes);
    const int64_t most = gr_min64(gr_min64(u->mr, u->strided_rows[vectors - 1]), WAYS);
    plan.rows = p->a_panels ? u->mr : gr_even_part(p->m, most);
    plan.sum_bytes = gr_padded(p->m * p->n * p->bytes);
    if (plan.a_packs)
        plan.a_bytes = gr_padded(gr_cdiv(p->m, plan.rows) * plan.rows * plan.kc * p->bytes);
    if (plan.b_packs)
        plan.b_bytes = gr_padded(gr_cdiv(p->n, plan.panel) * plan.panel * plan.kc * p->bytes);
    return plan;
}

int64_t gr_gemm_deep_bytes(const struct gr_product *p, int threads)
{
    const struct plan plan = plan_of(p);
    return plan.parts * plan.sum_bytes + threads * (plan.a_bytes + plan.b_bytes);
}

int64_t gr_gemm_deep_tasks(const struct gr_product *p)
{
    return plan_of(p).parts;
}

static struct gr_from a_from(const struct plan *plan, const char *block, int64_t i, int64_t pc,
                             int64_t depth)
{
    const struct gr_product *p = plan->product;
    if (plan->a_packs)
        return (struct gr_from){block + i * depth * p->bytes, 1, plan->rows};
    return gr_a_from(p, i, pc);
}

static struct gr_from b_from(const struct plan *plan, const char *block, int64_t j, int64_t pc,
                             int64_t depth)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = plan->panel;
    if (plan->b_packs)
        return (struct gr_from){block + j * depth * p->bytes, 1, nr};
    if (p->b_panels)
        return (struct gr_from){p->b_panels + (j * p->k + pc * nr) * p->bytes, 1, nr};
    return (struct gr_from){p->b + (pc * p->b_row + j) * p->bytes, 1, p->b_row};
}

/* One panel is transposed like any small operand. */
static void pack_b(const struct plan *plan, char *block, int64_t pc, int64_t depth)
{
    const struct gr_product *p = plan->product;
    const char *from = p->b + pc * p->b_row * p->bytes;
    if (p->n <= plan->panel && p->b_row == 1)
        gr_transpose(p, block, from, p->n, depth, p->b_col);
    else
        gr_pack(p, block, from, p->n, depth, plan->panel, p->b_col, p->b_row);
}

/* sum = A * B + beta * sum over steps pc..pc+depth-1. */
static void multiply_block(const struct plan *plan, char *sum, char *a_block, char *b_block,
                           int64_t pc, int64_t depth, const union gr_number *beta)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    if (plan->a_packs)
        gr_pack(p, a_block, p->a + pc * p->a_col * p->bytes, p->m, depth, plan->rows, p->a_row,
                p->a_col);
    if (plan->b_packs)
        pack_b(plan, b_block, pc, depth);
    for (int64_t j = 0; j < p->n; j += plan->columns) {
        const int64_t n = gr_min64(plan->columns, p->n - j);
        const struct gr_from b = b_from(plan, b_block, j, pc, depth);
        for (int64_t i = 0; i < p->m; i += plan->rows) {
            const struct gr_from a = a_from(plan, a_block, i, pc, depth);
            u->run_strided(&(struct ukr_strided){gr_min64(plan->rows, p->m - i), n, depth,
                                                 &p->alpha, a.at, a.lane, a.step, b.at, b.step,
                                                 beta, sum + (i * p->n + j) * p->bytes, p->n});
        }
    }
}

static void multiply_part(void *context, int64_t part, int thread)
{
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const union gr_number zero = {0}, one = gr_gemm_one(p);
    char *a_block = plan->blocks + thread * (plan->a_bytes + plan->b_bytes);
    const int64_t begin = part * plan->part_steps;
    const int64_t end = gr_min64(p->k, begin + plan->part_steps);
    for (int64_t pc = begin; pc < end; pc += plan->kc)
        multiply_block(plan, plan->sums + part * plan->sum_bytes, a_block, a_block + plan->a_bytes,
                       pc, gr_min64(plan->kc, end - pc), pc == begin ? &zero : &one);
}

static void add_up(const struct plan *plan)
{
    const struct gr_product *p = plan->product;
    const union gr_number one = gr_gemm_one(p);
    for (int64_t part = 1; part < plan->parts; part++)
        gr_gemm_add(p, &one, plan->sums, p->n, plan->sums + part * plan->sum_bytes, p->n, p->m,
                    p->n);
    gr_gemm_add(p, &p->beta, p->c, p->ldc, plan->sums, p->n, p->m, p->n);
}

bool gr_gemm_deep(const struct gr_product *p, struct gr_workspace *workspace)
{
    const int threads = workspace->team ? workspace->team->threads : 1;
    struct plan plan = plan_of(p);
    if (workspace->threads == 0 || !gr_workspace_reserve(workspace, gr_gemm_deep_bytes(p, threads)))
        return false;
    plan.sums = workspace->buffer;
    plan.blocks = plan.sums + plan.parts * plan.sum_bytes;
    gr_for_all(workspace->team, plan.parts, multiply_part, &plan);
    add_up(&plan);
    if (p->finishes)
        gr_gemm_finish(p, p->c, p->ldc, 0, p->m, 0, p->n);
    return true;
}
