/* gemm_thin.c: few rows of C: B is read once, where it lies, at the speed of memory.
 * SPDX-License-Identifier: MIT
 *
 *     for jc in steps of nc      a task: columns of C that stay in L2 while all of B's go by
 *       for pc in steps of kc    eight rows of B where C has one or two, and as many streams as the prefetchers
 *                                follow well; 256 where it has more (ukr_stream.h) */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

struct cut {
    const struct product *product;
    int64_t panels, parts; /* of nr columns; tasks that share them */
};

/* Steps pc..pc+depth-1 of columns j..j+n-1: by a micro-kernel of its own, or tile by tile along the rows of B. */
static void multiply_steps(const struct product *p, int64_t j, int64_t n, int64_t pc, int64_t depth)
{
    const struct ukr *u = p->ukr;
    const union gr_number one = gr_gemm_one(p), *beta = pc == 0 ? &p->beta : &one;
    const char *a = p->a + pc * p->a_col * p->bytes;
    const bool whole = p->m <= UKR_THIN_FEW || gr_gemm_goes_down(p);
    const int64_t width = whole ? n : u->nr, rows = whole ? p->m : gr_even_part(p->m, u->mr);
    for (int64_t x = j; x < j + n; x += width)
        for (int64_t i = 0; i < p->m; i += rows)
            (whole ? u->run_thin
                   : u->run_strided)(gr_min64(rows, p->m - i), gr_min64(width, j + n - x), depth,
                                     &p->alpha, a + i * p->a_row * p->bytes, p->a_row, p->a_col,
                                     p->b + (pc * p->b_row + x) * p->bytes, p->b_row, beta,
                                     p->c + (i * p->ldc + x) * p->bytes, p->ldc);
}

static void multiply_columns(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct cut *cut = context;
    const struct product *p = cut->product;
    const int64_t nr = p->ukr->nr, kc = gr_gemm_depth(p);
    const int64_t j = gr_part_start(cut->panels, cut->parts, task) * nr;
    const int64_t n = gr_min64(p->n, gr_part_start(cut->panels, cut->parts, task + 1) * nr) - j;
    for (int64_t pc = 0; pc < p->k; pc += kc)
        multiply_steps(p, j, n, pc, gr_min64(kc, p->k - pc));
    if (p->finishes)
        gr_gemm_finish(p, p->c + j * p->bytes, p->ldc, 0, p->m, j, n);
}

static struct cut cut_up(const struct product *p, int threads)
{
    struct cut cut = {.product = p, .panels = gr_cdiv(p->n, p->ukr->nr)};
    const int64_t l2 = gr_max64(gr_cpu_cache_bytes(2), 256 << 10);
    const int64_t fitting = gr_cdiv(p->m * p->n * p->bytes, l2 / 4);
    cut.parts =
        gr_min64(cut.panels, threads > 1 ? gr_max64(fitting, 2 * (int64_t)threads) : fitting);
    return cut;
}

int64_t gr_gemm_thin_tasks(const struct product *p, int threads)
{
    return cut_up(p, threads).parts;
}

void gr_gemm_thin(const struct product *p, struct team *team)
{
    struct cut cut = cut_up(p, team ? team->threads : 1);
    gr_for_all(team, cut.parts, multiply_columns, &cut);
}
