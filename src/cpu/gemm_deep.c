/* gemm_deep.c: for a small C and a long k: k is divided into parts, and the sums of the parts are
 * added at the end. SPDX-License-Identifier: MIT
 *
 *     for parts of k                  a task: computes an m x n sum of its own
 *       for pc in steps of kc         A and B are packed block by block, or read in place
 *     C = beta*C + the sums, in the order of k
 *
 * No other dimension is long enough to be divided among threads. The parts, and therefore the
 * rounding errors, depend on the shape alone and not on the number of threads. */
#include "cpu/gemm_blocks.h"

enum { LONGEST_SIDE = 128, LEAST_STEPS = 2048, DEEPER = 16, MOST_PARTS = 64 };
/* Rows of B, and columns of A, that are at most this far apart can be read in place. Rows of A can
 * be read in place if a tile has no more rows than L1 has ways, because rows a power of two apart
 * share a set. */
enum { SHORT_ROW_BYTES = 512, LINE_BYTES = 64, WAYS = 8 };
/* Blocks of A and B take five eighths of an L2 of 1 MB. The longer the contiguous pieces of A's
 * rows are, the better the hardware prefetchers follow them; but there must be enough parts for all
 * threads. */
enum { BLOCKS_BYTES = 640 << 10, LONGEST_DEPTH = 4096, ENOUGH_PARTS = 32 };
/* There are usually 2, 4, 8 or 16 threads, and 16 of them take as long for 22 parts as for 32. So
 * the number of parts is a multiple of 16, or 8, unless the parts would then be so short that
 * adding their sums takes too long. */
enum { EVEN_PARTS = 16, EVEN_FEW_PARTS = 8, LEAST_DEPTH = 192 };
/* The size of the rows of A of a tile that stay in L1 while the columns of B stream through it. */
enum { TILE_BYTES = 24 << 10 };
/* From this size on, the sums are added by all threads, because they are in the caches of other
 * cores. */
enum { SHARED_SUMS_BYTES = 64 << 10 };

struct plan {
    const struct gr_product *product;
    int64_t kc, part_steps, parts;
    int64_t panel;   /* the columns of a panel of B; at most those of B, in whole vectors */
    int64_t columns; /* the columns of a tile: those of a panel, or more if B is not packed */
    int64_t rows;    /* the rows of a tile and of a panel of A: equal parts of m, which are packed
                        faster, too */
    bool a_packs, b_packs;
    bool in_place; /* neither is packed, nor was: the micro-kernel divides the block into tiles */
    bool a_stays;  /* the rows of A of a tile are read in place and stay in L1 */
    int64_t add_tasks; /* the tasks among which the rows of C are divided when the sums are added */
    char *sums, *blocks;
    int64_t sum_bytes, a_bytes, b_bytes; /* for each part; for each thread */
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
    const int64_t parts = gr_cdiv(p->k, most);
    const int64_t unit = parts > EVEN_FEW_PARTS ? EVEN_PARTS : EVEN_FEW_PARTS;
    const int64_t even = gr_cdiv(parts, unit) * unit;
    const int64_t depth = p->k >= even * LEAST_DEPTH ? gr_cdiv(p->k, even) : gr_cdiv(p->k, parts);
    return gr_cdiv(depth, line) * line;
}

/* The largest number of rows of a tile of so many columns. */
static int64_t most_rows(const struct gr_product *p, int64_t columns)
{
    const struct ukr *u = p->ukr;
    const int64_t vectors = gr_cdiv(gr_min64(p->n, columns), u->lanes);
    return gr_min64(gr_min64(u->mr, u->strided_rows[vectors - 1]), WAYS);
}

/* Whether vectors have 32 bytes, on a CPU that has no longer ones, such as a Zen 3. */
static bool is_avx2_alone(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 32 && !gr_gemm_may_have_avx512();
}

/* On such a CPU, a transposed A that is read in place is multiplied a few steps of a part at a
 * time, so that they stay in L1 for all tiles of columns (0.7 to 0.95 of the time). The result
 * depends on this, so it must not depend on leading dimensions. */
static bool is_by_few_steps(const struct gr_product *p)
{
    return is_avx2_alone(p) && p->a_col != 1 && p->b_col == 1 && p->m > 2 * p->ukr->mr &&
           gr_max64(p->m, p->n) * p->bytes <= SHORT_ROW_BYTES;
}

static int64_t steps_in_place(const struct gr_product *p, int64_t depth)
{
    const int64_t line = LINE_BYTES / p->bytes;
    return gr_cdiv(gr_even_part(depth, gr_gemm_near_steps(p)), line) * line;
}

static struct plan plan_of(const struct gr_product *p)
{
    const struct ukr *u = p->ukr;
    struct plan plan = {.product = p, .kc = depth_of(p)};
    plan.part_steps = plan.kc * gr_cdiv(gr_cdiv(p->k, plan.kc), MOST_PARTS);
    if (is_by_few_steps(p))
        plan.kc = steps_in_place(p, plan.kc);
    plan.parts = gr_cdiv(p->k, plan.part_steps);
    plan.a_packs = !p->a_panels && p->a_col != 1 && p->a_col * p->bytes > SHORT_ROW_BYTES;
    /* If one tile has all rows, a packed B would be read only once. */
    const bool once = p->m <= most_rows(p, u->strided_cols);
    plan.b_packs =
        !p->b_panels && (p->b_col != 1 || (p->b_row * p->bytes > SHORT_ROW_BYTES && !once));
    plan.panel = p->b_panels ? u->nr : gr_min64(u->nr, gr_whole_vectors(p, p->n));
    plan.columns = plan.b_packs || p->b_panels ? plan.panel : u->strided_cols;
    plan.rows = p->a_panels ? u->mr : gr_even_part(p->m, most_rows(p, plan.columns));
    plan.in_place = (gr_cpu_executes_whole() || is_avx2_alone(p)) && !plan.a_packs &&
                    !plan.b_packs && !p->a_panels && !p->b_panels;
    plan.a_stays = plan.b_packs && p->a_col == 1 && !p->a_panels &&
                   plan.rows * plan.kc * p->bytes <= TILE_BYTES;
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

/* A B of a single panel is transposed like any small operand, which is faster. */
static void pack_b(const struct plan *plan, char *block, int64_t pc, int64_t depth)
{
    const struct gr_product *p = plan->product;
    const char *from = p->b + pc * p->b_row * p->bytes;
    if (p->n <= plan->panel && p->b_row == 1)
        gr_transpose(p, block, from, p->n, depth, p->b_col);
    else
        gr_pack(p, block, from, p->n, depth, plan->panel, p->b_col, p->b_row);
}

/* Steps pc..pc+depth-1 of k, and the memory for the packed blocks of A and B. */
struct blocks {
    char *a, *b;
    int64_t pc, depth;
    const union gr_number *beta;
};

/* Rows i..i+m-1 and columns j..j+n-1 of a sum. */
static void multiply_part_of_sum(const struct plan *plan, char *sum, const struct blocks *block,
                                 int64_t i, int64_t m, int64_t j, int64_t n)
{
    const struct gr_product *p = plan->product;
    const struct gr_from a = a_from(plan, block->a, i, block->pc, block->depth);
    const struct gr_from b = b_from(plan, block->b, j, block->pc, block->depth);
    p->ukr->run_strided(&(struct ukr_strided){m, n, block->depth, &p->alpha, a.at, a.lane, a.step,
                                              b.at, b.step, block->beta,
                                              sum + (i * p->n + j) * p->bytes, p->n, 0});
}

static void multiply_tile(const struct plan *plan, char *sum, const struct blocks *block, int64_t i,
                          int64_t j)
{
    const struct gr_product *p = plan->product;
    multiply_part_of_sum(plan, sum, block, i, gr_min64(plan->rows, p->m - i), j,
                         gr_min64(plan->columns, p->n - j));
}

/* sum = A * B + beta * sum over the steps of a block. Rows of A that are read in place may be so
 * far apart that they evict one another from L2. If B is packed, its panels come from L2 fast
 * enough, so each tile of rows is multiplied by all columns while it is in L1. On a Zen 5 and a
 * Zen 3, a block whose operands are both in place is one call: the micro-kernel has tiles of more
 * widths for the last rows and columns. */
static void multiply_block(const struct plan *plan, char *sum, const struct blocks *block)
{
    const struct gr_product *p = plan->product;
    if (plan->a_packs)
        gr_pack(p, block->a, p->a + block->pc * p->a_col * p->bytes, p->m, block->depth, plan->rows,
                p->a_row, p->a_col);
    if (plan->b_packs)
        pack_b(plan, block->b, block->pc, block->depth);
    if (plan->in_place) {
        multiply_part_of_sum(plan, sum, block, 0, p->m, 0, p->n);
        return;
    }
    if (plan->a_stays) {
        for (int64_t i = 0; i < p->m; i += plan->rows)
            for (int64_t j = 0; j < p->n; j += plan->columns)
                multiply_tile(plan, sum, block, i, j);
        return;
    }
    for (int64_t j = 0; j < p->n; j += plan->columns)
        for (int64_t i = 0; i < p->m; i += plan->rows)
            multiply_tile(plan, sum, block, i, j);
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
        multiply_block(plan, plan->sums + part * plan->sum_bytes,
                       &(struct blocks){a_block, a_block + plan->a_bytes, pc,
                                        gr_min64(plan->kc, end - pc), pc == begin ? &zero : &one});
}

/* Adds the sums of the parts for some rows of C, in the order of k. */
static void add_task(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const union gr_number one = gr_gemm_one(p);
    const int64_t i = gr_part_start(p->m, plan->add_tasks, task);
    const int64_t m = gr_part_start(p->m, plan->add_tasks, task + 1) - i;
    char *sum = plan->sums + i * p->n * p->bytes, *c = p->c + i * p->ldc * p->bytes;
    for (int64_t part = 1; part < plan->parts; part++)
        gr_gemm_add(p, &one, sum, p->n, sum + part * plan->sum_bytes, p->n, m, p->n);
    gr_gemm_add(p, &p->beta, c, p->ldc, sum, p->n, m, p->n);
    if (p->finishes)
        gr_gemm_finish(p, c, p->ldc, i, m, 0, p->n);
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
    plan.add_tasks = plan.parts * plan.sum_bytes < SHARED_SUMS_BYTES ? 1 : gr_min64(p->m, threads);
    gr_for_all(plan.add_tasks > 1 ? workspace->team : NULL, plan.add_tasks, add_task, &plan);
    return true;
}
