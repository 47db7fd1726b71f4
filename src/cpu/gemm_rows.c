/* gemm_rows.c: for so few rows of C that one block of A holds all of them.
 * SPDX-License-Identifier: MIT
 *
 *     for pc in steps of kc        a block of A, m x kc, packed once for all threads; stays in L2
 *       for jr in steps of nr      a micro-panel of B, kc x nr
 *         for ir in steps of mr    a tile; the first one packs the micro-panel
 *
 * In the five loops of gemm_packed.c, a block of B is packed for many blocks of A. Here there is
 * only one block of A. B comes from memory as fast as it is multiplied, and a large packed copy
 * would be written to memory and read back only once. Narrow panels are packed in groups before
 * they are multiplied, because the hardware prefetchers cannot follow pieces of a cache line in so
 * many rows of B. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

struct plan {
    const struct gr_product *product;
    int64_t kc, tasks, group; /* group: the number of panels that are packed together */
    char *a_block, *b_panels;
    int64_t a_bytes, b_bytes; /* the block of A; a group of panels of B, for each thread */
    int64_t pc, depth;        /* the current block of k */
};

static void pack_a_panel(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr, i = tile * mr;
    gr_pack(p, plan->a_block + i * plan->depth * p->bytes,
            p->a + (i * p->a_row + plan->pc * p->a_col) * p->bytes, gr_min64(mr, p->m - i),
            plan->depth, mr, p->a_row, p->a_col);
}

static const char *b_panel_at(const struct plan *plan, int64_t j)
{
    const struct gr_product *p = plan->product;
    return p->b + (plan->pc * p->b_row + j * p->b_col) * p->bytes;
}

/* Values that all tiles of a panel share. */
struct stage {
    char *b;
    int64_t j, n;     /* its columns */
    const char *next; /* where B's next panel begins */
    const void *beta;
    bool finishes;
};

/* The memory that a tile prefetches in addition to its own panels: its part of the rows of B from
 * which the next panel will be packed, so that memory is busy while the current panel of B comes
 * from the cache. */
static const char *ahead_of(const struct plan *plan, const struct stage *stage, int64_t i)
{
    const struct gr_product *p = plan->product;
    const int64_t row = (i / p->ukr->mr - 1) * (plan->depth / UKR_AHEAD_STEPS);
    return plan->group == 1 && row >= 0 && row < plan->depth && p->b_col == 1
               ? stage->next + row * p->b_row * p->bytes
               : stage->b;
}

/* Multiplies rows i..i+m-1 by the panel. If the panel is not packed yet, the tile packs it. */
static void multiply_tile(const struct plan *plan, const struct stage *stage, int64_t i,
                          bool packed)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    const int64_t m = gr_min64(u->mr, p->m - i);
    const char *a = plan->a_block + i * plan->depth * p->bytes;
    char *c = p->c + (i * p->ldc + stage->j) * p->bytes;
    if (packed)
        u->run_ahead(m, stage->n, plan->depth, &p->alpha, a, stage->b, stage->beta, c, p->ldc,
                     ahead_of(plan, stage, i), p->b_row * p->bytes);
    else
        u->run_packing(plan->depth, &p->alpha, a, 1, u->mr, b_panel_at(plan, stage->j), p->b_row,
                       stage->next, stage->beta, c, p->ldc, stage->b);
    if (stage->finishes)
        gr_gemm_finish(p, c, p->ldc, i, m, stage->j, stage->n);
}

/* Multiplies the panel that begins at column j; the next one begins at column `next`. */
static void multiply_panel(const struct plan *plan, char *b, int64_t j, int64_t next)
{
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr, nr = p->ukr->nr;
    const union gr_number one = gr_gemm_one(p);
    const struct stage stage = {
        .b = b,
        .j = j,
        .n = gr_min64(nr, p->n - j),
        .next = b_panel_at(plan, next),
        .beta = plan->pc == 0 ? (const void *)&p->beta : (const void *)&one,
        .finishes = p->finishes && plan->pc + plan->depth == p->k,
    };
    const bool packs = plan->group == 1 && p->b_col == 1 && stage.n == nr && p->m >= mr;
    if (plan->group == 1 && !packs)
        gr_pack(p, b, b_panel_at(plan, j), stage.n, plan->depth, nr, p->b_col, p->b_row);
    for (int64_t i = 0; i < p->m; i += mr)
        multiply_tile(plan, &stage, i, !packs || i > 0);
}

/* Multiplies the panels from column j up to column `end`: one, or a group that is packed together.
 */
static void multiply_group(const struct plan *plan, char *b, int64_t j, int64_t end)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr;
    if (plan->group > 1)
        gr_pack(p, b, b_panel_at(plan, j), end - j, plan->depth, nr, p->b_col, p->b_row);
    for (int64_t x = j; x < end; x += nr)
        multiply_panel(plan, b + (x - j) * plan->depth * p->bytes, x, x + nr < p->n ? x + nr : 0);
}

static void multiply_task(void *context, int64_t tile, int thread)
{
    const struct plan *plan = context;
    const int64_t n = plan->product->n, nr = plan->product->ukr->nr, panels = gr_cdiv(n, nr);
    const int64_t end = gr_min64(n, gr_part_start(panels, plan->tasks, tile + 1) * nr);
    const int64_t step = plan->group * nr;
    for (int64_t j = gr_part_start(panels, plan->tasks, tile) * nr; j < end; j += step)
        multiply_group(plan, plan->b_panels + thread * plan->b_bytes, j, gr_min64(j + step, end));
}

/* The number of tasks for each thread. With several, threads of different speeds finish at nearly
 * the same time. */
enum { TASKS_A_THREAD = 4 };
/* Narrow panels are packed in groups of this many, so that long pieces of B's rows are read. If B
 * is transposed, this is not needed, because each panel is made of whole columns. */
enum { GROUP = 16 };

static struct plan plan_of(const struct gr_product *p, int threads)
{
    const struct ukr *u = p->ukr;
    struct plan plan = {.product = p, .kc = gr_gemm_depth(p)};
    plan.tasks =
        threads > 1 ? gr_min64(gr_cdiv(p->n, u->nr), (int64_t)threads * TASKS_A_THREAD) : 1;
    plan.a_bytes = gr_padded(gr_cdiv(p->m, u->mr) * u->mr * plan.kc * p->bytes);
    plan.group = gr_gemm_has_wide_panels(p) || p->b_col != 1 ? 1 : GROUP;
    plan.b_bytes = gr_padded(plan.group * u->nr * plan.kc * p->bytes);
    return plan;
}

int64_t gr_gemm_rows_bytes(const struct gr_product *p, int threads)
{
    const struct plan plan = plan_of(p, threads);
    return plan.a_bytes + threads * plan.b_bytes;
}

int64_t gr_gemm_rows_tasks(const struct gr_product *p, int threads)
{
    return plan_of(p, threads).tasks;
}

bool gr_gemm_rows(const struct gr_product *p, struct gr_workspace *workspace)
{
    const int threads = workspace->team ? workspace->team->threads : 1;
    struct plan plan = plan_of(p, threads);
    if (workspace->threads == 0 ||
        !gr_workspace_reserve(workspace, plan.a_bytes + threads * plan.b_bytes))
        return false;
    plan.a_block = workspace->buffer;
    plan.b_panels = plan.a_block + plan.a_bytes;
    for (plan.pc = 0; plan.pc < p->k; plan.pc += plan.kc) {
        plan.depth = gr_min64(plan.kc, p->k - plan.pc);
        gr_for_all(workspace->team, gr_cdiv(p->m, p->ukr->mr), pack_a_panel, &plan);
        gr_for_all(workspace->team, plan.tasks, multiply_task, &plan);
    }
    return true;
}
