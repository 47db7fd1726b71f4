/* gemm_rows.c: so few rows of C that a block of A holds all of them: B streams by.
 * SPDX-License-Identifier: MIT
 *
 *     for pc in steps of kc             a block of A, m x kc: packed once for all threads, lives in L2
 *       for jc in steps of nc           a task: a block of B, kc x nc, which the thread that takes
 *         for jr in steps of nr         it packs into L2, and all of A times it
 *           for ir in steps of mr
 *
 * In the five loops of gemm_packed.c, a block of B is packed for many blocks of A. Here there is one:
 * a copy of B that is larger than L2 would go out to memory and come back once. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

enum { ALIGNMENT = 64 };

struct plan {
    const struct product *product;
    int64_t kc, task_panels, tasks; /* of nr columns */
    char *a_block, *b_blocks;
    int64_t a_bytes, b_bytes; /* the block of A; of B, for each thread */
    int64_t pc, depth;        /* the block at hand */
};

static int64_t padded(int64_t bytes)
{
    return gr_cdiv(bytes, ALIGNMENT) * ALIGNMENT;
}

static void pack_a_panel(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const struct product *p = plan->product;
    const int64_t mr = p->ukr->mr, i = tile * mr;
    gr_pack(p, plan->a_block + i * plan->depth * p->bytes,
            p->a + (i * p->a_row + plan->pc * p->a_col) * p->bytes, gr_min64(mr, p->m - i),
            plan->depth, mr, p->a_row, p->a_col);
}

static void pack_b_block(const struct plan *plan, char *block, int64_t j, int64_t n)
{
    const struct product *p = plan->product;
    gr_pack(p, block, p->b + (plan->pc * p->b_row + j * p->b_col) * p->bytes, n, plan->depth,
            p->ukr->nr, p->b_col, p->b_row);
}

static void multiply_panel(const struct plan *plan, const char *b, int64_t j)
{
    const struct product *p = plan->product;
    const struct ukr *u = p->ukr;
    const int64_t n = gr_min64(u->nr, p->n - j), depth = plan->depth;
    const union gr_number one = gr_gemm_one(p), *beta = plan->pc == 0 ? &p->beta : &one;
    for (int64_t i = 0; i < p->m; i += u->mr) {
        const int64_t m = gr_min64(u->mr, p->m - i);
        char *c = p->c + (i * p->ldc + j) * p->bytes;
        u->run(m, n, depth, &p->alpha, plan->a_block + i * depth * p->bytes, b, beta, c, p->ldc);
        if (p->finishes && plan->pc + depth == p->k)
            gr_gemm_finish(p, c, p->ldc, i, m, j, n);
    }
}

static void multiply_task(void *context, int64_t tile, int thread)
{
    const struct plan *plan = context;
    const struct product *p = plan->product;
    const int64_t width = plan->task_panels * p->ukr->nr, begin = tile * width;
    const int64_t n = gr_min64(width, p->n - begin);
    char *block = plan->b_blocks + thread * plan->b_bytes;
    pack_b_block(plan, block, begin, n);
    for (int64_t x = 0; x < n; x += p->ukr->nr)
        multiply_panel(plan, block + x * plan->depth * p->bytes, begin + x);
}

/* A third of L2 for the block of B; the rest is A's, and C's. At least two tasks for each thread. */
static struct plan plan_of(const struct product *p, int threads)
{
    const struct ukr *u = p->ukr;
    struct plan plan = {.product = p, .kc = gr_gemm_depth(p)};
    const int64_t l2 = gr_max64(gr_cpu_cache_bytes(2), 256 << 10), panels = gr_cdiv(p->n, u->nr);
    const int64_t fitting = l2 / 3 / (plan.kc * u->nr * p->bytes);
    const int64_t fair = threads > 1 ? gr_cdiv(panels, 2 * (int64_t)threads) : panels;
    plan.task_panels = gr_even_part(panels, gr_max64(1, gr_min64(fitting, fair)));
    plan.tasks = gr_cdiv(panels, plan.task_panels);
    plan.a_bytes = padded(gr_cdiv(p->m, u->mr) * u->mr * plan.kc * p->bytes);
    plan.b_bytes = padded(plan.task_panels * u->nr * plan.kc * p->bytes);
    return plan;
}

int64_t gr_gemm_rows_bytes(const struct product *p, int threads)
{
    const struct plan plan = plan_of(p, threads);
    return plan.a_bytes + threads * plan.b_bytes;
}

int64_t gr_gemm_rows_tasks(const struct product *p, int threads)
{
    return plan_of(p, threads).tasks;
}

bool gr_gemm_rows(const struct product *p, struct workspace *workspace)
{
    const int threads = workspace->team ? workspace->team->threads : 1;
    struct plan plan = plan_of(p, threads);
    if (workspace->threads == 0 ||
        !gr_workspace_reserve(workspace, plan.a_bytes + threads * plan.b_bytes))
        return false;
    plan.a_block = workspace->buffer;
    plan.b_blocks = plan.a_block + plan.a_bytes;
    for (plan.pc = 0; plan.pc < p->k; plan.pc += plan.kc) {
        plan.depth = gr_min64(plan.kc, p->k - plan.pc);
        gr_for_all(workspace->team, gr_cdiv(p->m, p->ukr->mr), pack_a_panel, &plan);
        gr_for_all(workspace->team, plan.tasks, multiply_task, &plan);
    }
    return true;
}
