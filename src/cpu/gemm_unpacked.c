/* gemm_unpacked.c: products whose operands the micro-kernel reads in place.
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"
#include "cpu/gemm_choice.h"

/* whole / most, rounded up. The smallest products have one tile in each direction, and a division
 * would take a noticeable part of their time. */
static int64_t parts_of(int64_t whole, int64_t most)
{
    return whole <= most ? 1 : (whole + most - 1) / most;
}

/* If the columns of a tile are multiplied by all rows, one line is read from each of k rows of B,
 * and one line is written to each row of C; the longer the rows are, the more pages this touches.
 * If C does not stay in L1, it is faster to compute all columns of a tile's rows first, although a
 * B that is larger than L1 is then read from L2 again for each tile of rows. B may take a part of
 * L2 for this, which is larger for longer rows, up to the largest B that was measured. If C does
 * not stay in L2 either, the part is at most SURE_SIXTEENTHS sixteenths, for which this was faster
 * in all measurements. */
enum { NEAR_BYTES = 24 << 10, FAR_C_BYTES = 1 << 20, MOST_B_BYTES = 512 << 10 };
enum { LEAST_SIXTEENTHS = 2, SIXTEENTH_ROW_BYTES = 640, SURE_SIXTEENTHS = 6 };

static int64_t most_b_bytes(const struct gr_product *p, int64_t row_bytes)
{
    const int64_t most = p->m * row_bytes > FAR_C_BYTES ? SURE_SIXTEENTHS : 16;
    const int64_t part = LEAST_SIXTEENTHS + row_bytes / SIXTEENTH_ROW_BYTES;
    return gr_min64(MOST_B_BYTES, gr_cpu_cache_bytes(2)) / 16 * gr_min64(part, most);
}

bool gr_gemm_is_row_by_row(const struct gr_product *p)
{
    const int64_t row_bytes = p->n * p->bytes, b_bytes = p->k * row_bytes;
    return p->ukr->lanes * p->bytes == 32 && p->m * row_bytes > NEAR_BYTES &&
           b_bytes > NEAR_BYTES && b_bytes <= most_b_bytes(p, row_bytes);
}

/* Stores wait if C is larger than L1. On a CPU with 2 MB of L2, which is an Intel, they do so with
 * up to TILES_WAITING_STEPS steps. On a Zen 4 it is only worth looking after them with one step, if
 * vectors cross cache lines and L1 holds B together with a row of C; and with up to FAR_STEPS steps
 * if C is larger than FAR_BYTES. If it is larger than three quarters of L3, it is written past the
 * caches. No Intel has been measured with such a C.
 *
 * A Zen 5 multiplies vectors of 64 bytes at twice the speed of a Zen 4, so that writing two or
 * three rows of C side by side, whose vectors cross cache lines, takes longer than strips of a few
 * columns whose B stays in registers: from TILED_STEPS steps on (0.8 to 0.95 of the time), and with
 * fewer ones if C has STRIP_ROWS rows and stays in a cache. From six steps on so are tiles, where C
 * has too few rows for strips. There stores wait only for a C larger than FAR_BYTES. */
enum {
    WAITING_BYTES = 40 << 10,
    WAITING_STEPS = 8,
    TILES_WAITING_STEPS = 16,
    FAR_BYTES = 8 << 20,
    FAR_STEPS = 4
};
enum { TILED_STEPS = 5, STRIP_STEPS = 9, STRIP_ROWS = 16, FEW_ROWS = 8 };

/* The largest C of so few steps that is written in strips. */
static int64_t strip_bytes(int64_t steps)
{
    enum { TWO_BYTES = 48 << 10, THREE_BYTES = 256 << 10, FOUR_BYTES = 1 << 20 };
    return steps == FAR_STEPS ? FOUR_BYTES : steps == FAR_STEPS - 1 ? THREE_BYTES : TWO_BYTES;
}

static bool is_in_tiles(const struct gr_product *p, int64_t c)
{
    if (!gr_gemm_executes_whole(p) || p->k > STRIP_STEPS)
        return false;
    if (p->k > WAITING_STEPS)
        return p->m >= STRIP_ROWS;
    if (p->k >= TILED_STEPS)
        return p->k > TILED_STEPS || p->m >= FEW_ROWS || c > WAITING_BYTES;
    return p->k > 1 && p->m >= STRIP_ROWS && c <= strip_bytes(p->k);
}

int gr_gemm_stores_wait(const struct gr_product *p)
{
    const int64_t c = p->m * p->n * p->bytes;
    if (is_in_tiles(p, c))
        return UKR_STORES_OF_TILES;
    const bool large_l2 = gr_cpu_has_large_l2();
    if (p->k > (large_l2 ? TILES_WAITING_STEPS : WAITING_STEPS) || c <= WAITING_BYTES)
        return 0;
    if (large_l2 && (p->k > WAITING_STEPS || p->ukr->lanes * p->bytes == 32))
        return UKR_STORES_WAIT;
    if (c > FAR_BYTES) {
        if (large_l2 || p->k > FAR_STEPS)
            return 0;
        return c > gr_cpu_cache_bytes(3) / 4 * 3 ? UKR_STORES_PASS : UKR_STORES_WAIT;
    }
    const bool across = (p->n & (p->ukr->lanes - 1)) != 0;
    const bool waits = large_l2 || (p->k == 1 && across && !gr_gemm_executes_whole(p) &&
                                    2 * p->n * p->bytes <= gr_cpu_cache_bytes(1));
    return waits ? UKR_STORES_WAIT : 0;
}

/* The rows of the tile that has the most columns, or that has n columns if these are fewer. */
static int64_t rows_of_widest(const struct ukr *u)
{
    return u->strided_rows[u->strided_cols / u->lanes - 1];
}

static int64_t rows_of_tile(const struct ukr *u, int64_t n)
{
    return n >= u->strided_cols ? rows_of_widest(u) : u->strided_rows[gr_cdiv(n, u->lanes) - 1];
}

struct steps {
    int64_t first, count;
};

/* Multiplies rows i..end-1 of columns j..j+n-1, in one block of k or in those of a product with few
 * sums. */
static void multiply_rows(const struct gr_product *p, struct steps s, int64_t i, int64_t end,
                          int64_t j, int64_t n)
{
    const union gr_number one = gr_gemm_one(p);
    char *c = p->c + (i * p->ldc + j) * p->bytes;
    gr_gemm_rows_in_place(
        gr_gemm_ukr_for(p, n),
        &(struct ukr_strided){end - i, n, s.count, &p->alpha,
                              p->a + (i * p->a_row + s.first * p->a_col) * p->bytes, p->a_row,
                              p->a_col, p->b + (s.first * p->b_row + j) * p->bytes, p->b_row,
                              s.first == 0 ? &p->beta : &one, c, p->ldc, gr_gemm_stores_wait(p)},
        s.count == p->k ? p->few_sums_log2 : 0);
    if (p->finishes && s.first + s.count == p->k)
        gr_gemm_finish(p, c, p->ldc, i, end - i, j, n);
}

/* The same, `depth` steps of k at a time, in the order that gr_gemm_is_row_by_row chooses. */
static void multiply_part(const struct gr_product *p, int64_t depth, int64_t i, int64_t end,
                          int64_t j, int64_t n)
{
    if (p->few_sums_log2 || (depth == p->k && (!gr_gemm_is_row_by_row(p) ||
                                               gr_gemm_stores_wait(p) == UKR_STORES_PASS))) {
        multiply_rows(p, (struct steps){0, p->k}, i, end, j, n);
        return;
    }
    const int64_t most = rows_of_tile(p->ukr, n), even = gr_even_part(end - i, most);
    const bool broad = gr_broad_rows(p, end - i, n, depth) > 0;
    for (int64_t pc = 0; pc < p->k; pc += depth)
        for (int64_t x = i, rows; x < end; x += rows) {
            rows = broad ? gr_next_rows(p, n, depth, end - x) : gr_min64(even, end - x);
            multiply_rows(p, (struct steps){pc, gr_min64(depth, p->k - pc)}, x, x + rows, j, n);
        }
}

/* Calls multiply_part for rows i..end-1 and the columns of parts first..last-1 of `parts`. The
 * parts have nearly equal numbers of vectors of columns: five vectors are divided into three and
 * two, not four and one. Rows for broad tiles are computed last, in all these columns at once. */
static void multiply_parts(const struct gr_product *p, int64_t depth, int64_t i, int64_t end,
                           int64_t first, int64_t last, int64_t parts)
{
    if (parts == 1) {
        multiply_part(p, depth, i, end, 0, p->n);
        return;
    }
    const int shift = __builtin_ctzll((unsigned long long)p->ukr->lanes); /* a power of two */
    const int64_t broad = p->few_sums_log2 ? 0 : gr_broad_rows(p, end - i, p->n, depth);
    int64_t left = (p->n + p->ukr->lanes - 1) >> shift, j = 0, from = 0;
    for (int64_t part = 0; part < last; part++) {
        const int64_t here = part + 1 == parts ? left : left / (parts - part);
        const int64_t next = j + (here << shift);
        if (part == first)
            from = j;
        if (part >= first && end - i > broad)
            multiply_part(p, depth, i, end - broad, j, gr_min64(next, p->n) - j);
        left -= here;
        j = next;
    }
    if (broad)
        multiply_part(p, depth, end - broad, end, from, gr_min64(j, p->n) - from);
}

/* The widest tiles read A the fewest times, but they have fewer rows and read B more often. If the
 * columns of B would fill L1, tiles of nr columns are better. The columns are not divided if B fits
 * into L1, if one tile has all rows, so that B is read once, or if writing C takes longer than
 * reading B again from L2: the rows of C are then written from beginning to end. */
enum { WIDE_BYTES = 24 << 10 };
/* With vectors of 64 bytes, few steps and long rows, the widest tiles are better even if the
 * columns of B would fill L1: with up to 36 rows they take 0.6 to 0.97 of the time on a Zen 4 and
 * on a Xeon, with more rows the same time. */
enum { WIDE_STEPS = 32, WIDE_ROW_BYTES = 1280 };

int64_t gr_gemm_unpacked_parts(const struct gr_product *p)
{
    const struct ukr *u = p->ukr;
    const int64_t step_bytes = p->k * p->bytes;
    if (u->lanes * p->bytes == 64 && p->k <= WIDE_STEPS && p->n * p->bytes >= WIDE_ROW_BYTES)
        return 1;
    if (step_bytes * p->n <= WIDE_BYTES || p->m <= rows_of_widest(u) || p->k <= u->few_steps ||
        gr_gemm_is_writing(p) || gr_gemm_is_stepped(p))
        return 1;
    return parts_of(p->n, step_bytes * u->strided_cols <= WIDE_BYTES ? u->strided_cols : u->nr);
}

static bool multiply_small(const struct gr_product *p, enum gr_direction direction)
{
    switch (direction) {
    case GR_ALONG_COLUMNS:
        gr_gemm_columns_small(p);
        return true;
    case GR_ALONG_K:
        return gr_gemm_dots_small(p);
    default:
        if (p->b_col != 1)
            return gr_gemm_is_transposed(p) && gr_gemm_transposed_small(p);
    }
    const int64_t parts = gr_gemm_unpacked_parts(p);
    multiply_parts(p, p->k, 0, p->m, 0, parts, parts);
    return true;
}

bool gr_gemm_small(const struct gr_product *p)
{
    if (p->a_panels || p->b_panels || gr_gemm_work(p) > GR_THREADS_PAY)
        return false;
    const struct gr_small_choice choice = gr_gemm_small_choice(p);
    return gr_gemm_as_chosen(p, &choice);
}

bool gr_gemm_as_chosen(const struct gr_product *p, const struct gr_small_choice *choice)
{
    if (choice->tail == 0)
        return multiply_small(p, choice->direction);
    const int64_t whole = p->n - choice->tail;
    const struct gr_product first = gr_gemm_columns_of(p, 0, whole);
    const struct gr_product last = gr_gemm_columns_of(p, whole, choice->tail);
    if (choice->of_tail == GR_ALONG_K && !gr_gemm_dots_fit(&last))
        return false;
    return multiply_small(&first, GR_ALONG_ROWS) && multiply_small(&last, choice->of_tail);
}

/* There are more tasks than threads, in case a thread is delayed, but no task has fewer than
 * LEAST_ROWS rows. If C has few rows, the columns are divided among the threads, but not into
 * pieces of B's rows narrower than LEAST_PIECE_BYTES. */
enum { TASKS_A_THREAD = 3, LEAST_ROWS = 12, LEAST_PIECE_BYTES = 512 };

struct cut {
    const struct gr_product *product;
    int64_t depth, row_parts, column_parts;
};

static struct cut cut_up(const struct gr_product *p, int threads)
{
    struct cut cut = {.product = p, .row_parts = 1, .column_parts = gr_gemm_unpacked_parts(p)};
    if (threads > 1) {
        const int64_t parts = gr_cdiv((int64_t)threads * TASKS_A_THREAD, cut.column_parts);
        cut.row_parts = gr_max64(1, gr_min64(gr_cdiv(parts, threads) * threads, p->m / LEAST_ROWS));
        if (cut.row_parts == 1 && cut.column_parts == 1)
            cut.column_parts = gr_max64(1, gr_min64(threads, p->n * p->bytes / LEAST_PIECE_BYTES));
    }
    return cut;
}

/* Consecutive tasks have the same rows, so that the tasks of a thread mostly have rows of A and C
 * that no other thread uses. */
static void multiply_task(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct cut *cut = context;
    const int64_t row = tile / cut->column_parts, column = tile % cut->column_parts;
    const int64_t m = cut->product->m;
    multiply_parts(cut->product, cut->depth, gr_part_start(m, cut->row_parts, row),
                   gr_part_start(m, cut->row_parts, row + 1), column, column + 1,
                   cut->column_parts);
}

int64_t gr_gemm_unpacked_tasks(const struct gr_product *p, int threads)
{
    const struct cut cut = cut_up(p, threads);
    return cut.row_parts * cut.column_parts;
}

void gr_gemm_unpacked(const struct gr_product *p, int64_t depth, struct gr_team *team)
{
    struct cut cut = cut_up(p, team ? team->threads : 1);
    cut.depth = depth;
    gr_for_all(team, cut.row_parts * cut.column_parts, multiply_task, &cut);
}
