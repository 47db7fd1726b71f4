/* gemm_transposed.c: for small products with a B whose columns are not contiguous: it is
 * transposed, on the stack or in a small buffer. SPDX-License-Identifier: MIT
 *
 *     for columns of C, as many as a tile has    those of B become a panel, k x n, which stays in
 * L1 all rows of A, in place
 *
 * The five loops would do the same with threads, memory and a packed A, which take longer than so
 * small a product. Even an integer division is noticeable here. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

#include <stdalign.h>
#include <stdint.h>

/* A B that fits into the buffer is transposed whole, and read in place like any other; the buffer
 * is larger where that lets C be written from end to end. Otherwise B goes through panels. A panel
 * is 64 x 64 floats; on the stack, of which a caller may have little, 16 x 80 at most. k is
 * divided as on the other paths, so that the bits are the same. Panels are used only where that is
 * one block, as so many steps are, or the blocks of few sums. */
enum { PANEL_BYTES = GR_TRANSPOSED_BYTES, STACK_BYTES = GR_TRANSPOSED_STACK_BYTES };
enum { SEVERAL_VECTORS = 8, SURELY_ONE_BLOCK = 128, LINE_BYTES = 64, WRITING_BYTES = 384 << 10 };
enum { MOST_WHOLE_BYTES = 512 << 10 };

/* The number of columns, whole vectors, of a panel that has so many bytes; 0 where k is too long.
 * A tile of vectors of 32 bytes is so narrow that two calls for each would take most of the time
 * of a short k: a panel is several tiles wide there, if it has the bytes. */
static int64_t widest(const struct gr_product *p, int64_t bytes)
{
    const int64_t vector = p->k * p->bytes * p->ukr->lanes;
    int64_t columns = 0;
    if (p->ukr->lanes * p->bytes == 32 && vector * SEVERAL_VECTORS <= bytes)
        return (uint32_t)bytes / (uint32_t)vector * p->ukr->lanes;
    for (int64_t left = bytes - vector; left >= 0 && columns < p->ukr->strided_cols; left -= vector)
        columns += p->ukr->lanes;
    return columns;
}

/* Where a B in place takes no longer than panels do, a larger one is transposed whole, too: up to a
 * half of L2, and no more than was measured. */
static int64_t panel_bytes(const struct gr_product *p)
{
    if (gr_gemm_is_writing(p))
        return WRITING_BYTES;
    return gr_gemm_work(p) > GR_THREADS_PAY && gr_gemm_reads_from_afar(p)
               ? gr_max64(PANEL_BYTES, gr_min64(gr_cpu_cache_bytes(2) / 2, MOST_WHOLE_BYTES))
               : PANEL_BYTES;
}

static bool is_one_panel(const struct gr_product *p)
{
    return p->k * gr_whole_vectors(p, p->n) <= panel_bytes(p) / p->bytes;
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

/* Divides the columns into parts of equally many vectors, `most` columns at most. */
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
                                                    gr_gemm_has_single_rows(p)},
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
    const int64_t most = widest(p, STACK_BYTES);
    if (most == 0)
        return false;
    multiply(p, panel, most);
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
                                         p->c,     p->ldc,    p->single_rows};
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
    return gr_gemm_work(p) <= GR_THREADS_PAY && widest(p, STACK_BYTES) ? 0 : buffer_bytes(p);
}
