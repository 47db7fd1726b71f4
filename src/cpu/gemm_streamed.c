/* gemm_streamed.c: for few rows of C and a B that was packed beforehand: each panel of B is read
 * once, from beginning to end, while its tile of C stays in L1. SPDX-License-Identifier: MIT
 *
 *     for jr in steps of nr        a task: some of the panels of B
 *       for parts of k
 *         for pc in steps of kc
 *           for ir in steps of mr  rows of A, in place or packed beforehand too
 *
 * The parts and the blocks of k are the same as without packing, so that the results are the same
 * in every bit. */
#include "cpu/gemm_blocks.h"

struct cut {
    const struct gr_product *product;
    int64_t panels, parts; /* panels of nr columns; tasks that share them */
};

enum { MOST_TILE_BYTES = 16 * 192 };

/* Multiplies steps begin..end-1 of a panel of n columns, whose step 0 is at `b`. */
static void multiply_part(const struct gr_product *p, const char *b, int64_t n, int64_t begin,
                          int64_t end, const union gr_number *beta, char *c, int64_t ldc)
{
    const struct ukr *u = p->ukr;
    const int64_t kc = gr_gemm_depth(p), rows = gr_few_rows(p);
    const union gr_number one = gr_gemm_one(p);
    for (int64_t pc = begin; pc < end; pc += kc)
        for (int64_t i = 0; i < p->m; i += rows) {
            const struct gr_from a = gr_a_from(p, i, pc);
            u->run_strided(&(struct ukr_strided){
                gr_min64(rows, p->m - i), n, gr_min64(kc, end - pc), &p->alpha, a.at, a.lane,
                a.step, b + pc * u->nr * p->bytes, u->nr, pc == begin ? beta : &one,
                c + i * ldc * p->bytes, ldc, 0});
        }
}

static void multiply_panel(const struct gr_product *p, int64_t panel)
{
    const struct ukr *u = p->ukr;
    const int64_t j = panel * u->nr, n = gr_min64(u->nr, p->n - j);
    const int64_t steps = gr_gemm_part_steps(p);
    const char *b = p->b_panels + panel * u->nr * p->k * p->bytes;
    char *c = p->c + j * p->bytes;
    const union gr_number zero = {0}, one = gr_gemm_one(p);
    if (steps >= p->k)
        multiply_part(p, b, n, 0, p->k, &p->beta, c, p->ldc);
    else
        for (int64_t begin = 0; begin < p->k; begin += steps) {
            _Alignas(GR_BLOCK_ALIGNMENT) char sum[MOST_TILE_BYTES];
            multiply_part(p, b, n, begin, gr_min64(p->k, begin + steps), &zero, sum, u->nr);
            gr_gemm_add(p, begin == 0 ? &p->beta : &one, c, p->ldc, sum, u->nr, p->m, n);
        }
    if (p->finishes)
        gr_gemm_finish(p, c, p->ldc, 0, p->m, j, n);
}

static void multiply_panels(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct cut *cut = context;
    const int64_t end = gr_part_start(cut->panels, cut->parts, task + 1);
    for (int64_t panel = gr_part_start(cut->panels, cut->parts, task); panel < end; panel++)
        multiply_panel(cut->product, panel);
}

/* The number of tasks for each thread. With several, threads of different speeds finish at nearly
 * the same time. */
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
