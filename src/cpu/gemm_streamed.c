/* gemm_streamed.c: for few rows of C and a B that was packed beforehand: each panel of B is read
 * once, from end to end, while its tile of C stays in L1. SPDX-License-Identifier: MIT
 *
 *     for jr in steps of nr      a task: some of the panels of B
 *       for pc in steps of kc    the same blocks of k as without packing, and so the same bits
 *         for ir in steps of mr  rows of A in place */
#include "cpu/gemm_blocks.h"

struct cut {
    const struct gr_product *product;
    int64_t panels, parts; /* panels of nr columns; tasks that share them */
};

static void multiply_panel(const struct gr_product *p, int64_t panel)
{
    const struct ukr *u = p->ukr;
    const int64_t j = panel * u->nr, n = gr_min64(u->nr, p->n - j);
    const int64_t kc = gr_gemm_depth(p), rows = gr_even_part(p->m, u->mr);
    const char *b = p->b_panels + panel * u->nr * p->k * p->bytes;
    const union gr_number one = gr_gemm_one(p);
    for (int64_t pc = 0; pc < p->k; pc += kc) {
        const int64_t depth = gr_min64(kc, p->k - pc);
        for (int64_t i = 0; i < p->m; i += rows) {
            const int64_t m = gr_min64(rows, p->m - i);
            char *c = p->c + (i * p->ldc + j) * p->bytes;
            u->run_strided(&(struct ukr_strided){
                m, n, depth, &p->alpha, p->a + (i * p->a_row + pc * p->a_col) * p->bytes, p->a_row,
                p->a_col, b + pc * u->nr * p->bytes, u->nr, pc == 0 ? &p->beta : &one, c, p->ldc});
            if (p->finishes && pc + depth == p->k)
                gr_gemm_finish(p, c, p->ldc, i, m, j, n);
        }
    }
}

static void multiply_panels(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct cut *cut = context;
    const int64_t end = gr_part_start(cut->panels, cut->parts, task + 1);
    for (int64_t panel = gr_part_start(cut->panels, cut->parts, task); panel < end; panel++)
        multiply_panel(cut->product, panel);
}

/* Tasks for each thread, so that threads of different speeds finish at nearly the same time. */
enum { TASKS_A_THREAD = 4 };

static struct cut cut_up(const struct gr_product *p, int threads)
{
    const int64_t panels = gr_cdiv(p->n, p->ukr->nr);
    const int64_t parts = threads > 1 ? gr_min64(panels, (int64_t)threads * TASKS_A_THREAD) : 1;
    return (struct cut){p, panels, parts};
}

int64_t gr_gemm_streamed_tasks(const struct gr_product *p, int threads)
{
    return cut_up(p, threads).parts;
}

void gr_gemm_streamed(const struct gr_product *p, struct gr_team *team)
{
    struct cut cut = cut_up(p, team ? team->threads : 1);
    gr_for_all(team, cut.parts, multiply_panels, &cut);
}
