/* gemm_thin.c: for few rows of C: B is read once, in place, at the speed of memory.
 * SPDX-License-Identifier: MIT
 *
 *     for jc in steps of nc      a task: columns of C that stay in L2 while all of B is read
 *       for pc in steps of kc    8 rows of B if C has one or two: the prefetchers follow 8 streams
 *                                well; 256 if it has more (ukr_stream.h), with A transposed */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

struct cut {
    const struct gr_product *product;
    int64_t panels, parts; /* panels of nr columns; tasks that share them */
    char *transposed; /* for each thread: A transposed, kc steps with the rows of each contiguous;
                         null: there is no memory */
    int64_t transposed_bytes; /* bytes for each thread; 0: nothing is transposed */
};

/* Steps of k, and A's elements there. */
struct steps {
    int64_t pc, depth;
    const char *a;
    int64_t a_row, a_step;
    bool whole; /* by run_thin; otherwise tile by tile along the rows of B */
};

static struct steps steps_of(const struct cut *cut, int64_t pc, int thread)
{
    const struct gr_product *p = cut->product;
    struct steps steps = {
        .pc = pc,
        .depth = gr_min64(gr_gemm_depth(p), p->k - pc),
        .a = p->a + pc * p->a_col * p->bytes,
        .a_row = p->a_row,
        .a_step = p->a_col,
        .whole = p->m <= UKR_THIN_FEW && gr_gemm_depth(p) <= UKR_THIN_STEPS,
    };
    if (cut->transposed_bytes && cut->transposed) {
        char *transposed = cut->transposed + thread * cut->transposed_bytes;
        gr_pack(p, transposed, steps.a, p->m, steps.depth, p->m, p->a_row, p->a_col);
        steps.a = transposed, steps.a_row = 1, steps.a_step = p->m;
        steps.whole = true;
    }
    return steps;
}

/* Columns j..j+n-1. */
static void multiply_steps(const struct gr_product *p, const struct steps *s, int64_t j, int64_t n)
{
    const struct ukr *u = p->ukr;
    const union gr_number one = gr_gemm_one(p), *beta = s->pc == 0 ? &p->beta : &one;
    const int64_t width = s->whole ? n : u->nr, rows = s->whole ? p->m : gr_even_part(p->m, u->mr);
    for (int64_t x = j; x < j + n; x += width)
        for (int64_t i = 0; i < p->m; i += rows)
            (s->whole ? u->run_thin : u->run_strided)(
                &(struct ukr_strided){gr_min64(rows, p->m - i), gr_min64(width, j + n - x),
                                      s->depth, &p->alpha, s->a + i * s->a_row * p->bytes, s->a_row,
                                      s->a_step, p->b + (s->pc * p->b_row + x) * p->bytes, p->b_row,
                                      beta, p->c + (i * p->ldc + x) * p->bytes, p->ldc});
}

static void multiply_columns(void *context, int64_t task, int thread)
{
    const struct cut *cut = context;
    const struct gr_product *p = cut->product;
    const int64_t nr = p->ukr->nr, kc = gr_gemm_depth(p);
    const int64_t j = gr_part_start(cut->panels, cut->parts, task) * nr;
    const int64_t n = gr_min64(p->n, gr_part_start(cut->panels, cut->parts, task + 1) * nr) - j;
    for (int64_t pc = 0; pc < p->k; pc += kc) {
        const struct steps steps = steps_of(cut, pc, thread);
        multiply_steps(p, &steps, j, n);
    }
    if (p->finishes)
        gr_gemm_finish(p, p->c + j * p->bytes, p->ldc, 0, p->m, j, n);
}

static struct cut cut_up(const struct gr_product *p, int threads)
{
    struct cut cut = {.product = p, .panels = gr_cdiv(p->n, p->ukr->nr)};
    const int64_t l2 = gr_max64(gr_cpu_cache_bytes(2), 256 << 10);
    const int64_t fitting = gr_cdiv(p->m * p->n * p->bytes, l2 / 4);
    cut.parts =
        gr_min64(cut.panels, threads > 1 ? gr_max64(fitting, 2 * (int64_t)threads) : fitting);
    if (p->m > UKR_THIN_FEW && gr_gemm_has_wide_panels(p))
        cut.transposed_bytes = gr_padded(p->m * gr_gemm_depth(p) * p->bytes);
    return cut;
}

int64_t gr_gemm_thin_tasks(const struct gr_product *p, int threads)
{
    return cut_up(p, threads).parts;
}

int64_t gr_gemm_thin_bytes(const struct gr_product *p, int threads)
{
    return threads * cut_up(p, threads).transposed_bytes;
}

void gr_gemm_thin(const struct gr_product *p, struct gr_workspace *workspace)
{
    const int threads = workspace->team ? workspace->team->threads : 1;
    struct cut cut = cut_up(p, threads);
    if (workspace->threads > 0 && gr_workspace_reserve(workspace, threads * cut.transposed_bytes))
        cut.transposed = workspace->buffer;
    gr_for_all(workspace->team, cut.parts, multiply_columns, &cut);
}
