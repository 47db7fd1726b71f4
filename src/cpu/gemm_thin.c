/* gemm_thin.c: for few rows of C: B is read once, in place, at the speed of memory.
 * SPDX-License-Identifier: MIT
 *
 *     for parts of k             one, or many if B comes from memory: threads read whole rows of B
 *       for jc in steps of nc    a task: columns of C that stay in L2 while all of B is read
 *         for pc in steps of kc  a few rows of B, read from beginning to end
 *     C = beta*C + the sums of the parts, in the order of k
 *
 * If B comes from memory, or C has two rows, kc is 8, because the hardware prefetchers follow 8
 * streams well. Otherwise, for more rows of C and wide panels, kc is larger and A is transposed
 * (ukr_stream.h). For one row of C, ukr_row_along.h has an order of its own. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

struct cut {
    const struct gr_product *product;
    int64_t panels, strips;    /* panels of nr columns; tasks that share them */
    int64_t parts, part_steps; /* of k */
    /* If k has several parts: their sums, the elements from one row of a sum to the next, and the
     * bytes of one sum. */
    char *sums;
    int64_t sum_ld, sum_bytes;
    char *transposed; /* for each thread: kc steps of A, transposed, so that the rows of each step
                         are contiguous; null if there is not enough memory */
    int64_t transposed_bytes; /* for each thread; 0 if A is not transposed */
};

/* Steps of k, and A transposed for these steps, or null. */
struct steps {
    int64_t pc, depth;
    char *transposed;
};

static struct steps steps_of(const struct cut *cut, int64_t pc, int64_t end, int thread)
{
    const struct gr_product *p = cut->product;
    struct steps steps = {pc, gr_min64(gr_gemm_depth(p), end - pc), NULL};
    if (cut->transposed_bytes && cut->transposed) {
        steps.transposed = cut->transposed + thread * cut->transposed_bytes;
        gr_pack(p, steps.transposed, gr_a_from(p, 0, pc).at, p->m, steps.depth, p->m, p->a_row,
                p->a_col);
    }
    return steps;
}

/* The matrix to which products are added: C, or the sum of a part of k. */
struct target {
    char *c;
    int64_t ldc;
    union gr_number beta;
};

/* Multiplies columns j..j+n-1: all at once, row by row or down the rows of B; or, if A would have
 * to be transposed for that, tile by tile. With vectors of 32 bytes, more rows of B are read at a
 * time if they are long enough (gr_gemm_is_stepped_thin). */
static void multiply_steps(const struct gr_product *p, const struct steps *s, int64_t j, int64_t n,
                           const struct target *target)
{
    const struct ukr *u = p->ukr;
    const bool whole = s->transposed || gr_gemm_depth(p) <= UKR_THIN_STEPS;
    const bool stepped = p->m > UKR_THIN_FEW && gr_gemm_is_stepped_thin(p);
    const int64_t width = whole || stepped || p->m == 1 ? n : u->nr;
    for (int64_t x = j; x < j + n; x += width)
        for (int64_t i = 0, rows; i < p->m; i += rows) {
            const int64_t left = p->m - i;
            rows = stepped && !p->a_panels ? gr_next_rows(p, n, s->depth, left)
                                           : gr_min64(gr_few_rows(p), left);
            const struct gr_from a =
                s->transposed ? (struct gr_from){s->transposed, 1, p->m} : gr_a_from(p, i, s->pc);
            (whole ? u->run_thin : u->run_strided)(&(struct ukr_strided){
                rows, gr_min64(width, j + n - x), s->depth, &p->alpha, a.at, a.lane, a.step,
                p->b + (s->pc * p->b_row + x) * p->bytes, p->b_row, &target->beta,
                target->c + (i * target->ldc + x) * p->bytes, target->ldc, 0});
        }
}

/* Columns j..end-1 of a strip. */
struct strip {
    int64_t j, end;
};

static struct strip strip_of(const struct cut *cut, int64_t strip)
{
    const int64_t nr = cut->product->ukr->nr;
    const int64_t end = gr_part_start(cut->panels, cut->strips, strip + 1) * nr;
    return (struct strip){gr_part_start(cut->panels, cut->strips, strip) * nr,
                          gr_min64(cut->product->n, end)};
}

/* Consecutive tasks are the strips of one part, so that the tasks of a thread form whole rows of
 * B. */
static void multiply_task(void *context, int64_t task, int thread)
{
    const struct cut *cut = context;
    const struct gr_product *p = cut->product;
    const int64_t part = task / cut->strips, kc = gr_gemm_depth(p);
    const struct strip strip = strip_of(cut, task % cut->strips);
    const int64_t begin = part * cut->part_steps, end = gr_min64(p->k, begin + cut->part_steps);
    struct target target = {p->c, p->ldc, p->beta};
    if (cut->parts > 1)
        target = (struct target){cut->sums + part * cut->sum_bytes, cut->sum_ld, {0}};
    for (int64_t pc = begin; pc < end; pc += kc) {
        const struct steps steps = steps_of(cut, pc, end, thread);
        multiply_steps(p, &steps, strip.j, strip.end - strip.j, &target);
        target.beta = gr_gemm_one(p);
    }
    if (p->finishes && cut->parts == 1)
        gr_gemm_finish(p, p->c + strip.j * p->bytes, p->ldc, 0, p->m, strip.j, strip.end - strip.j);
}

/* Adds the sums of all parts to a strip of C. */
static void add_task(void *context, int64_t task, int thread)
{
    (void)thread;
    const struct cut *cut = context;
    const struct gr_product *p = cut->product;
    const struct strip strip = strip_of(cut, task);
    const int64_t n = strip.end - strip.j, offset = strip.j * p->bytes;
    const union gr_number one = gr_gemm_one(p);
    for (int64_t part = 0; part < cut->parts; part++)
        gr_gemm_add(p, part == 0 ? &p->beta : &one, p->c + offset, p->ldc,
                    cut->sums + part * cut->sum_bytes + offset, cut->sum_ld, p->m, n);
    if (p->finishes)
        gr_gemm_finish(p, p->c + offset, p->ldc, 0, p->m, strip.j, n);
}

/* A strip of B has at least this width, so that the prefetchers follow its rows. There are several
 * tasks for each thread, so that threads of different speeds finish at nearly the same time. */
enum { STRIP_BYTES = 4096, TASKS_A_THREAD = 4 };

static int64_t strips_of(const struct gr_product *p, int64_t panels, int64_t parts, int threads)
{
    const int64_t l2 = gr_max64(gr_cpu_cache_bytes(2), 256 << 10);
    const int64_t fitting = gr_cdiv(p->m * p->n * p->bytes, l2 / 4);
    if (threads == 1)
        return gr_min64(panels, fitting);
    if (parts == 1)
        return gr_min64(panels, gr_max64(fitting, 2 * (int64_t)threads));
    const int64_t wanted = gr_cdiv((int64_t)threads * TASKS_A_THREAD, parts);
    return gr_min64(panels, gr_max64(fitting, gr_min64(wanted, p->n * p->bytes / STRIP_BYTES)));
}

/* The rows of a sum are an odd number of cache lines apart, so that they do not compete for the
 * same sets of the cache. */
static int64_t sum_ld(const struct gr_product *p)
{
    const int64_t lines = gr_padded(p->n * p->bytes) / GR_BLOCK_ALIGNMENT;
    return (lines | 1) * GR_BLOCK_ALIGNMENT / p->bytes;
}

static struct cut cut_up(const struct gr_product *p, int threads)
{
    struct cut cut = {.product = p, .panels = gr_cdiv(p->n, p->ukr->nr)};
    cut.part_steps = gr_gemm_part_steps(p);
    cut.parts = gr_cdiv(p->k, cut.part_steps);
    cut.strips = strips_of(p, cut.panels, cut.parts, threads);
    cut.sum_ld = sum_ld(p);
    cut.sum_bytes = cut.parts > 1 ? p->m * cut.sum_ld * p->bytes : 0;
    if (p->m > UKR_THIN_FEW && gr_gemm_depth(p) > UKR_THIN_STEPS && gr_gemm_has_wide_panels(p))
        cut.transposed_bytes = gr_padded(p->m * gr_gemm_depth(p) * p->bytes);
    return cut;
}

static int64_t bytes_of(const struct cut *cut, int threads)
{
    return cut->parts * cut->sum_bytes + threads * cut->transposed_bytes;
}

int64_t gr_gemm_thin_tasks(const struct gr_product *p, int threads)
{
    const struct cut cut = cut_up(p, threads);
    return cut.parts * cut.strips;
}

int64_t gr_gemm_thin_bytes(const struct gr_product *p, int threads)
{
    const struct cut cut = cut_up(p, threads);
    return bytes_of(&cut, threads);
}

void gr_gemm_thin(const struct gr_product *p, struct gr_workspace *workspace)
{
    const int threads = workspace->team ? workspace->team->threads : 1;
    struct cut cut = cut_up(p, threads);
    if (workspace->threads > 0 && gr_workspace_reserve(workspace, bytes_of(&cut, threads))) {
        cut.sums = workspace->buffer;
        cut.transposed = workspace->buffer + cut.parts * cut.sum_bytes;
    } else {
        cut.parts = 1;
        cut.part_steps = p->k;
    }
    gr_for_all(workspace->team, cut.parts * cut.strips, multiply_task, &cut);
    if (cut.parts > 1)
        gr_for_all(workspace->team, cut.strips, add_task, &cut);
}
