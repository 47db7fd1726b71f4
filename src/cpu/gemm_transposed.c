/* gemm_transposed.c: for small products with a B whose columns are not contiguous: B is transposed,
 * on the stack or into a small buffer. SPDX-License-Identifier: MIT
 *
 *     for columns of C, as many as a tile has    these columns of B are transposed into a panel,
 *                                                k x n, which stays in L1
 *       all rows of A, in place
 *
 * The five loops of gemm_packed.c would do the same with threads, memory and a packed A, which take
 * longer than such a small product. Even an integer division takes a noticeable part of the time
 * here. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

#include <stdalign.h>
#include <stdint.h>

/* A B that fits into the buffer is transposed as a whole, and then read in place like any other B;
 * the buffer is larger if C can then be written from beginning to end. Otherwise B is transposed
 * panel by panel. A panel has up to 64 x 96 floats, and on the stack, of which a caller may have
 * little, up to 16 x 80. k is divided as on the other paths, so that the results are the same in
 * every bit. Panels are used only if k is one block, as it surely is up to SURELY_ONE_BLOCK steps,
 * or consists of the blocks of a product with few sums. */
enum { PANEL_BYTES = GR_TRANSPOSED_BYTES, STACK_BYTES = GR_TRANSPOSED_STACK_BYTES };
enum {
    SEVERAL_VECTORS = 8,
    FEW_A_BYTES = 512,
    SURELY_ONE_BLOCK = 128,
    LINE_BYTES = 64,
    WRITING_BYTES = 384 << 10
};
enum { MOST_WHOLE_BYTES = 512 << 10 };

/* The two calls for each panel would take most of the time of a short k: with vectors of 32 bytes,
 * whose tiles are narrow, of any, and with longer ones if A has no more than FEW_A_BYTES. */
static bool are_panels_wide(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 32 || p->m * p->k * p->bytes <= FEW_A_BYTES;
}

/* The number of columns, in whole vectors, of a panel of `bytes` bytes; 0 if k is too long. Wide
 * panels have those of several tiles, if there are enough bytes. */
static int64_t widest(const struct gr_product *p, int64_t bytes)
{
    const int64_t vector = p->k * p->bytes * p->ukr->lanes;
    int64_t columns = 0;
    if (are_panels_wide(p) && vector * SEVERAL_VECTORS <= bytes)
        return (uint32_t)bytes / (uint32_t)vector * p->ukr->lanes;
    for (int64_t left = bytes - vector; left >= 0 && columns < p->ukr->strided_cols; left -= vector)
        columns += p->ukr->lanes;
    return columns;
}

/* If reading B in place takes no longer than reading panels, a larger B is transposed as a whole
 * too: up to half of L2, and no more than was measured. */
static int64_t panel_bytes(const struct gr_product *p)
{
    if (gr_gemm_is_writing(p))
        return gr_cpu_has_large_l2() ? gr_cpu_cache_bytes(2) / 8 * 5 : WRITING_BYTES;
    return gr_gemm_work(p) > GR_THREADS_PAY && gr_gemm_reads_from_afar(p)
               ? gr_max64(PANEL_BYTES, gr_min64(gr_cpu_cache_bytes(2) / 2, MOST_WHOLE_BYTES))
               : PANEL_BYTES;
}

/* If the rows of a large panel are a multiple of APART_BYTES apart, more than FEW_STEPS of them
 * share so few sets of L1 that their lines evict one another while they are written, each of which
 * is written several times: packed operands take 0.87 to 0.95 of the time on a Zen 5. */
static bool shares_sets(const struct gr_product *p, int64_t row_bytes)
{
    enum { APART_BYTES = 1 << 10, FEW_STEPS = 32 };
    return row_bytes % APART_BYTES == 0 && p->k > FEW_STEPS && p->k * row_bytes > PANEL_BYTES &&
           gr_cpu_executes_whole();
}

static bool is_one_panel(const struct gr_product *p)
{
    const int64_t row_bytes = gr_whole_vectors(p, p->n) * p->bytes;
    return p->k * row_bytes <= panel_bytes(p) && !shares_sets(p, row_bytes);
}

static int64_t buffer_bytes(const struct gr_product *p)
{
    return is_one_panel(p) ? p->k * gr_whole_vectors(p, p->n) * p->bytes : PANEL_BYTES;
}

bool gr_gemm_is_transposed(const struct gr_product *p)
{
    return p->b_col != 1 && !p->a_panels && !p->b_panels &&
           (is_one_panel(p) || (2 * p->k * p->bytes * p->ukr->lanes <= PANEL_BYTES &&
                                gr_gemm_work(p) <= GR_THREADS_PAY)) &&
           (p->k <= gr_min64(SURELY_ONE_BLOCK, p->ukr->kc) || p->k <= gr_gemm_depth(p) ||
            p->few_sums_log2 || gr_gemm_work(p) > GR_THREADS_PAY);
}

/* Divides the columns into parts with equal numbers of vectors, each of at most `most` columns. */
static void multiply(const struct gr_product *p, char *panel, int64_t most)
{
    const struct ukr *u = p->ukr;
    const int shift = __builtin_ctzll((unsigned long long)u->lanes); /* a power of two */
    int64_t left = (p->n + u->lanes - 1) >> shift, j = 0;
    for (int64_t parts = p->n <= most ? 1 : gr_cdiv(p->n, most); parts > 0; parts--) {
        const int64_t here = parts == 1 ? left : left / parts, width = here << shift;
        const int64_t n = gr_min64(width, p->n - j);
        char *c = p->c + j * p->bytes;
        gr_transpose(p, panel, p->b + j * p->b_col * p->bytes, n, p->k, p->b_col);
        gr_gemm_rows_in_place(gr_gemm_ukr_for(p, n),
                              &(struct ukr_strided){p->m, n, p->k, &p->alpha, p->a, p->a_row,
                                                    p->a_col, panel, width, &p->beta, c, p->ldc,
                                                    gr_gemm_stores_wait(p)},
                              p->few_sums_log2);
        if (p->finishes)
            gr_gemm_finish(p, c, p->ldc, 0, p->m, j, n);
        left -= here;
        j += width;
    }
}

bool gr_gemm_transposed_small(const struct gr_product *p)
{
    alignas(LINE_BYTES) char panel[STACK_BYTES];
    if (!gr_gemm_is_transposed_on_stack(p))
        return false;
    multiply(p, panel, widest(p, STACK_BYTES));
    return true;
}

bool gr_gemm_is_transposed_at_once(const struct gr_product *p)
{
    return gr_gemm_is_transposed(p) && p->n <= widest(p, STACK_BYTES);
}

void gr_gemm_transposed_at_once(enum gr_dtype type, enum gr_direction direction,
                                const struct ukr_strided *p, int few_sums_log2)
{
    alignas(LINE_BYTES) char panel[STACK_BYTES];
    const struct gr_ukr_entry *entry = gr_ukr_entry(type, NULL);
    const int64_t width = gr_round_up(p->n, entry->ukr->lanes);
    gr_transpose_with(gr_isa_functions(entry->isa), type == GR_F32 ? 4 : 8, panel, p->b, p->n, p->k,
                      width, p->b_step);
    const struct ukr_strided in_place = {p->m,     p->n,      p->k,          p->alpha, p->a,
                                         p->a_row, p->a_step, panel,         width,    p->beta,
                                         p->c,     p->ldc,    p->stores_wait};
    if (direction == GR_ALONG_ROWS)
        gr_gemm_rows_in_place(gr_ukr_for(entry->ukr, type, p->n), &in_place, few_sums_log2);
    else
        gr_gemm_columns_in_place(entry->ukr, type, &in_place, few_sums_log2);
}

bool gr_gemm_transposed(const struct gr_product *p, struct gr_workspace *workspace)
{
    if (workspace->threads == 0 || !gr_workspace_reserve(workspace, buffer_bytes(p)))
        return false;
    if (!is_one_panel(p)) {
        multiply(p, workspace->buffer, widest(p, PANEL_BYTES));
        return true;
    }
    struct gr_product in_place = *p;
    gr_transpose(p, workspace->buffer, p->b, p->n, p->k, p->b_col);
    in_place.b = workspace->buffer;
    in_place.b_row = gr_whole_vectors(p, p->n);
    in_place.b_col = 1;
    gr_gemm_unpacked(&in_place, gr_gemm_depth(p), workspace->team);
    return true;
}

int64_t gr_gemm_transposed_tasks(const struct gr_product *p, int threads)
{
    return is_one_panel(p) ? gr_gemm_unpacked_tasks(p, threads) : 1;
}

int64_t gr_gemm_transposed_bytes(const struct gr_product *p)
{
    return gr_gemm_is_transposed_on_stack(p) ? 0 : buffer_bytes(p);
}
