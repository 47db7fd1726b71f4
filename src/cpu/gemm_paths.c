/* gemm_paths.c: chooses the path of a product of float or double from its shape, its strides and
 * what was packed beforehand. SPDX-License-Identifier: MIT
 *
 * The bits of a result depend on the blocks of k (gr_gemm_depth; gemm_deep.c has its own), which
 * depend on the shape and on the CPU's caches alone. Paths with the same blocks of k give the same
 * bits, so the choice among them may depend on anything. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"
#include "cpu/dispatch.h"

/* Up to 80^3, a packed copy is read too few times to be worth its time, and waking a second thread
 * takes longer than it saves. */
static const double SMALL = GR_THREADS_PAY;
/* Up to 384^3, a B that can be read in place is as fast without packing; up to 512^3, if A can be
 * read in place as well. If the rows of B are not whole cache lines, nearly every vector that is
 * loaded lies in two lines, but this takes less time than packing. */
static const double MIDDLING = 384.0 * 384.0 * 384.0, MIDDLING_BOTH = 512.0 * 512.0 * 512.0;
/* The size of a B that stays in L2, and of a C that does. If A is packed, each panel of B is
 * multiplied by all rows, so that C is read and written one tile's width at a time. Only tiles of
 * packed operands prefetch C in this order. */
enum { MIDDLING_BYTES = 640 << 10, MIDDLING_C_BYTES = 1 << 20 };
/* At least five eighths of L2. */
static int64_t middling_bytes(void)
{
    return gr_max64(MIDDLING_BYTES, gr_cpu_cache_bytes(2) / 8 * 5);
}

static bool has_vectors_of_32_bytes(const struct gr_product *p)
{
    return p->ukr->lanes * p->bytes == 32;
}

/* The size that is assumed if the size of L2 is not known. */
enum { LEAST_L2_BYTES = 256 << 10 };

/* The largest B that is read in place. With vectors of 32 bytes, A and C need the other half of L2,
 * unless k is so short that only C matters. The blocks of k do not depend on this. */
static int64_t in_place_bytes(const struct gr_product *p)
{
    if (!has_vectors_of_32_bytes(p) || gr_gemm_is_short(p))
        return middling_bytes();
    return gr_max64(gr_cpu_cache_bytes(2), LEAST_L2_BYTES) / 2;
}
/* Up to 200^3, one block of all steps of k is faster than several blocks with a packed B, if B
 * stays in L2. */
static const double ONE_BLOCK = 200.0 * 200.0 * 200.0;
/* If the distance between rows is a multiple of this, they share so few sets of L1 that the rows of
 * a tile evict one another. */
enum { CONFLICTING_BYTES = 2048 };

/* The micro-kernel loads vectors along j, so the columns of B must be contiguous. */
bool gr_gemm_is_small(const struct gr_product *p)
{
    return p->b_col == 1 && gr_gemm_work(p) <= SMALL;
}

/* Reading a panel down its rows touches another page for each row. This is worthwhile only if a row
 * of the panel is several cache lines. */
enum { WIDE_BYTES = 128 };

bool gr_gemm_has_wide_panels(const struct gr_product *p)
{
    return p->ukr->nr * p->bytes >= WIDE_BYTES;
}

/* Few rows of C: those of one tile, or of a few tiles (THIN_ROWS). The rows of B must be long
 * enough for a few tiles (THIN_ROW_BYTES); from LONG_ROW_BYTES on, reading one row of B after
 * another is fastest. */
enum { THIN_ROWS = 16, THIN_ROW_BYTES = 512, LONG_ROW_BYTES = 4096 };

/* The largest B that few rows of C read from L3, in place, and that still is in L3 when a caller
 * multiplies by it again: of the 32 MB of a Zen 5, 12 MB. Without AVX-512, or with an L3 as slow as
 * an Intel's, larger ones than `elsewhere` have not been measured. */
static int64_t far_b_bytes(int64_t elsewhere)
{
    return gr_gemm_may_have_avx512() && !gr_cpu_has_large_l2() ? gr_cpu_cache_bytes(3) / 8 * 3
                                                               : elsewhere;
}

/* Few rows of C with vectors of 32 bytes. If UKR_THIN_STEPS rows of B were multiplied at a time, a
 * tile of 6 rows would add to C nearly as often as it multiplies; and a packed copy of B would be
 * read by few tiles. So a B that does not come from memory is read in place, in steps of so many
 * rows that they take a part of L2, and all rows of A are multiplied by them. The rows of C stay in
 * L2. On a Zen 5 restricted to AVX2, up to MORE_ROWS rows take 0.8 to 0.97 of the time of packed
 * operands with more than MORE_STEPS steps, and rows of B of SHORT_ROW_BYTES are long enough; no
 * CPU without AVX-512 has been measured with these limits. */
enum { STEPPED_ROWS = 32, STEPPED_ROW_BYTES = 1536, STEPPED_B_BYTES = 8 << 20 };
enum { MORE_ROWS = 128, SHORT_ROW_BYTES = 384, MORE_STEPS = 64 };
/* The steps of k at a time: those that take STEPPED_SHARE sixteenths of L2; half of them for one or
 * two tiles of rows, which read B the fewest times; but at least STEPPED_LEAST, if these take no
 * more than twice the share. */
enum { STEPPED_SHARE = 5, STEPPED_FEW_ROWS = 8, STEPPED_LEAST = 32, STEPPED_MOST = 128 };

/* No AVX-512 and an L1 of at most 32 KB, as a Zen 3 has: only there the limits that ask for this
 * have been measured. */
enum { SMALL_L1_BYTES = 32 << 10 };

static bool has_small_l1(void)
{
    return !gr_gemm_may_have_avx512() && gr_cpu_cache_bytes(1) <= SMALL_L1_BYTES;
}

bool gr_gemm_is_stepped_thin(const struct gr_product *p)
{
    const int64_t row_bytes = p->n * p->bytes, l2 = gr_cpu_cache_bytes(2);
    const bool more = p->k > MORE_STEPS && gr_gemm_may_have_avx512();
    if (!has_vectors_of_32_bytes(p) || p->b_col != 1 || p->m <= UKR_THIN_FEW ||
        p->m > (more ? MORE_ROWS : STEPPED_ROWS) || gr_gemm_work(p) <= SMALL ||
        p->k * row_bytes > far_b_bytes(gr_min64(STEPPED_B_BYTES, gr_cpu_cache_bytes(3) / 16 * 3)))
        return false;
    if (p->m <= p->ukr->mr)
        return row_bytes >= LONG_ROW_BYTES;
    if (gr_gemm_is_deep(p))
        return false;
    if (p->m <= THIN_ROWS)
        return row_bytes >= (more ? SHORT_ROW_BYTES : THIN_ROW_BYTES);
    return row_bytes >= (more ? SHORT_ROW_BYTES : STEPPED_ROW_BYTES) &&
           p->m * row_bytes <= l2 / 16 * 13;
}

/* Each step has about six lines in L1: those of B's rows, which are split, for a tile and for the
 * next one, and the two in which the rows of A of a tile are. */
int64_t gr_gemm_near_steps(const struct gr_product *p)
{
    enum { LINE_BYTES = 64, LINES = 6 };
    if (!has_vectors_of_32_bytes(p) || p->a_col == 1 || !has_small_l1())
        return p->k;
    return gr_min64(p->k, SMALL_L1_BYTES / (LINE_BYTES * LINES));
}

/* Whether about so many steps of B fit into L1, and STEPPED_MOST do not. On a Zen 3, a transposed A
 * of 51x85x507 then takes 0.76 of the time with 85 steps at a time that it takes with 127; the
 * products for which this holds take 0.97 in the mean. Others would take 1.01 to 1.03. */
static bool is_stepped_near(const struct gr_product *p, int64_t near_steps)
{
    const int64_t row_bytes = p->n * p->bytes;
    return STEPPED_MOST * row_bytes > SMALL_L1_BYTES / 4 * 3 &&
           near_steps * row_bytes <= SMALL_L1_BYTES / 8 * 9;
}

static int64_t stepped_depth(const struct gr_product *p)
{
    const bool few = p->m <= STEPPED_FEW_ROWS;
    const int64_t share = gr_cpu_cache_bytes(2) / 16 * STEPPED_SHARE / (p->n * p->bytes);
    const int64_t least = few ? STEPPED_LEAST / 2 : STEPPED_LEAST;
    const int64_t most = gr_max64(STEPPED_LEAST / 2, 2 * share);
    const int64_t steps = gr_min64(gr_max64(few ? share / 2 : share, least), STEPPED_MOST);
    const int64_t near = gr_gemm_near_steps(p);
    const int64_t fitting = is_stepped_near(p, near) ? near : p->k;
    return gr_even_part(p->k, gr_min64(gr_min64(steps, most), fitting));
}

/* The limits of the same method for an A whose columns are contiguous: the part of A for these
 * steps stays in L1. On a Zen 5 restricted to vectors of 32 bytes, packed operands take 1.02 to 1.2
 * times as long up to the last limits. On a Zen 3 they take 1.05 to 1.4 times as long up to the
 * first ones: if the rows of B are so long that L2 holds few steps, up to a smaller B. No other CPU
 * without AVX-512 has been measured that far. */
struct stepped_limits {
    int64_t rows, row_bytes; /* more rows of C, and rows of B of no fewer bytes */
    int64_t b_bytes;         /* no larger B, and no more work */
    double work;
};

static struct stepped_limits stepped_limits(const struct gr_product *p)
{
    enum { ROW_BYTES = 192, SHORTEST_BYTES = 64, LONG_BYTES = 3584, FEW_ROWS = 6 };
    enum { FAR_B_BYTES = 4 << 20 };
    static const double work = 256.0 * 256.0 * 256.0, more_work = 400.0 * 400.0 * 400.0;
    if (has_small_l1()) {
        const int times = p->n * p->bytes <= LONG_BYTES ? 2 : 1;
        return (struct stepped_limits){THIN_ROWS, SHORTEST_BYTES, times * MIDDLING_BYTES, work};
    }
    if (!gr_gemm_may_have_avx512())
        return (struct stepped_limits){THIN_ROWS, ROW_BYTES, MIDDLING_BYTES, work};
    return (struct stepped_limits){FEW_ROWS, SHORTEST_BYTES,
                                   gr_min64(FAR_B_BYTES, gr_cpu_cache_bytes(3) / 8), more_work};
}

/* More columns than those of a tile, but fewer than one and a half of them: on a Zen 3, one block
 * of k or packed operands take 0.83 to 0.96 of the time. */
static bool has_narrow_second_tile(const struct gr_product *p)
{
    return has_small_l1() && p->n > p->ukr->nr && 2 * p->n < 3 * p->ukr->nr;
}

/* The result of gr_gemm_depth depends on this, so it may depend on whether an operand is
 * transposed, but not on the size of its leading dimension, which a packed operand does not
 * have. */
bool gr_gemm_is_stepped(const struct gr_product *p)
{
    if (!has_vectors_of_32_bytes(p) || p->a_col == 1 || p->b_col != 1 || p->k <= STEPPED_MOST ||
        gr_gemm_work(p) <= SMALL)
        return false;
    const struct stepped_limits limits = stepped_limits(p);
    return p->m > limits.rows && p->n * p->bytes >= limits.row_bytes &&
           p->k * p->n * p->bytes <= limits.b_bytes && gr_gemm_work(p) <= limits.work &&
           !has_narrow_second_tile(p) && !gr_gemm_is_deep(p) && !gr_gemm_is_stepped_thin(p);
}

/* If tiles may read B from L3, they prefetch the next rows of B (ukr_tile.h), and packing B for few
 * rows of C would only take time. A single tile of rows reads B once, which is faster row by row,
 * from beginning to end, if the rows of B are long; except for up to five rows of C on a CPU whose
 * L3 is near. A single row of C whose sums fill about one tile reads B
 * in that order in any case. Only whole vectors of columns are counted, so that a product whose
 * last columns are computed separately has the same blocks of k. */
enum {
    NEAR_TILES = 10,
    NEAR_FEW = 5,
    NEAR_ROW_BYTES = 8 << 10,
    NEAR_STEPS = 1024,
    BROADEST_VECTORS = 30
};

/* A Zen 5 reads a B of up to NEAR_ANY_BYTES in place for any number of rows in 0.93 to 0.98 of the
 * time that packing and multiplying takes, up to NEAR_ANY_WORK multiply-adds. */
enum { NEAR_ANY_BYTES = 2 << 20 };
static const double NEAR_ANY_WORK = 50e6;

static bool is_near_of_any_rows(const struct gr_product *p, int64_t row_bytes)
{
    const int64_t b_bytes = p->k * row_bytes;
    return p->m > p->ukr->mr && b_bytes <= NEAR_ANY_BYTES &&
           (double)p->m * (double)(b_bytes / p->bytes) <= NEAR_ANY_WORK;
}

static bool are_near_rows(const struct gr_product *p, int64_t row_bytes)
{
    if (p->m == 1)
        return row_bytes <= BROADEST_VECTORS * p->ukr->lanes * p->bytes;
    if (p->m <= NEAR_FEW && gr_gemm_has_near_l3(p))
        return true;
    if (gr_gemm_executes_whole(p) && is_near_of_any_rows(p, row_bytes))
        return true;
    if (p->m <= p->ukr->mr)
        return p->m > UKR_THIN_FEW && row_bytes < NEAR_ROW_BYTES;
    return p->m <= NEAR_TILES * p->ukr->mr;
}

/* The largest B, which is read once for each tile of rows. If there are several
 * tiles and L3 is not near, as on a Xeon, it does not provide B as fast as it is multiplied: all
 * tiles together may read NEAR_READS times L2. */
enum { NEAR_READS = 8 };

static int64_t near_b_bytes(const struct gr_product *p)
{
    const int64_t l3_part = gr_cpu_cache_bytes(3) / 4;
    if (p->m <= p->ukr->mr || gr_gemm_has_near_l3(p))
        return far_b_bytes(l3_part);
    return gr_min64(l3_part, NEAR_READS * gr_cpu_cache_bytes(2) / gr_cdiv(p->m, p->ukr->mr));
}

/* Two to four rows have broad tiles of vectors of 32 bytes (ukr_broad.h), which read a B of L2 or
 * L3 in 0.75 to 0.9 of the time that reading it row by row takes. On a Zen 5 restricted to these
 * vectors, a single tile of more rows takes 0.92 to 0.95 of that time. No CPU without AVX-512 has
 * been measured. */
static bool are_broad_rows(const struct gr_product *p)
{
    const int64_t most = gr_cpu_executes_whole() ? p->ukr->mr : UKR_BROAD_ROWS;
    return p->m >= 2 && p->m <= most && has_vectors_of_32_bytes(p) && gr_gemm_may_have_avx512();
}

static bool has_near_rows(const struct gr_product *p)
{
    const int64_t row_bytes = (p->n & -p->ukr->lanes) * p->bytes;
    return p->b_col == 1 && gr_gemm_work(p) > SMALL &&
           ((gr_gemm_reads_from_afar(p) && are_near_rows(p, row_bytes)) || are_broad_rows(p)) &&
           p->k * row_bytes <= near_b_bytes(p) && !gr_gemm_is_deep(p);
}

static bool is_thin(const struct gr_product *p)
{
    if (gr_gemm_is_stepped_thin(p))
        return true;
    return p->m <= (gr_gemm_has_wide_panels(p) ? p->ukr->mr : THIN_ROWS) && p->b_col == 1 &&
           p->n * p->bytes >= THIN_ROW_BYTES &&
           (p->n * p->bytes >= LONG_ROW_BYTES || !gr_gemm_is_deep(p));
}

/* A B of this size comes from memory, and is read fastest in the order in which it is stored: the
 * hardware prefetchers do not follow a tile's width down the rows of B. */
enum { FROM_MEMORY_BYTES = 32 << 20 };

static bool is_from_memory(const struct gr_product *p)
{
    return p->n * p->bytes >= LONG_ROW_BYTES &&
           gr_gemm_work(p) >= (double)(FROM_MEMORY_BYTES / p->bytes) * (double)p->m;
}

/* To let threads read whole rows of B, k is divided into parts with an m x n sum each. There are at
 * most MOST_PARTS parts, each of at least LEAST_PART_STEPS steps for each row of A, because adding
 * the sums must take little time compared with reading B; and all sums together take at most
 * MOST_SUM_BYTES. */
enum { MOST_PARTS = 64, LEAST_PART_STEPS = 32, MOST_SUM_BYTES = 16 << 20 };

int64_t gr_gemm_part_steps(const struct gr_product *p)
{
    if (has_near_rows(p) || !is_thin(p) || !is_from_memory(p))
        return p->k;
    const int64_t most =
        gr_min64(p->k / (LEAST_PART_STEPS * p->m), MOST_SUM_BYTES / (p->m * p->n * p->bytes));
    const int64_t steps = gr_cdiv(p->k, gr_max64(1, gr_min64(MOST_PARTS, most)));
    return gr_cdiv(steps, UKR_THIN_STEPS) * UKR_THIN_STEPS;
}

/* For one row of C: the sums are added to C once in this many steps (ukr_row_along.h). */
enum { ROW_STEPS = 512 };

static int64_t thin_depth(const struct gr_product *p)
{
    if (gr_gemm_is_stepped_thin(p))
        return stepped_depth(p);
    if (p->m == 1)
        return gr_even_part(p->k, ROW_STEPS);
    const bool down = gr_gemm_has_wide_panels(p) && p->m > UKR_THIN_FEW && !is_from_memory(p);
    return down || p->n * p->bytes < LONG_ROW_BYTES ? gr_even_part(p->k, UKR_THIN_DEPTH)
                                                    : UKR_THIN_STEPS;
}

/* The one block of A takes a quarter of an L2 of 1 MB, and B must have enough columns. With more
 * rows more steps are computed at a time; but each step reads from another page of B. */
enum { ROWS_BLOCK_BYTES = 256 << 10, ROWS_LEAST_COLUMNS = 512, ROWS_FEW = 32 };
enum { ROWS_STEP_BYTES = 1024, ROWS_STEP_BYTES_FEW = 512 };

static int64_t rows_depth(const struct gr_product *p)
{
    const bool few = gr_gemm_has_wide_panels(p) && p->m <= ROWS_FEW;
    return gr_even_part(p->k, (few ? ROWS_STEP_BYTES_FEW : ROWS_STEP_BYTES) / p->bytes);
}

/* With vectors of 32 bytes, a panel is one cache line wide. Unless the rows of B are pages apart,
 * the five loops of gemm_packed.c pack such a panel as fast while it is multiplied; and on a Zen 5
 * in any case (0.94 to 0.98 of the time). */
enum { ROWS_NARROW_ROW_BYTES = 8 << 10 };

static bool is_rows(const struct gr_product *p)
{
    if (has_vectors_of_32_bytes(p) &&
        (p->n * p->bytes < ROWS_NARROW_ROW_BYTES || gr_cpu_executes_whole()))
        return false;
    return gr_gemm_work(p) > SMALL && p->n >= ROWS_LEAST_COLUMNS &&
           p->m * rows_depth(p) * p->bytes <= ROWS_BLOCK_BYTES && p->m * 4 <= p->n;
}

static bool is_one_block(const struct gr_product *p)
{
    return p->b_col == 1 && gr_gemm_work(p) <= ONE_BLOCK &&
           p->k * p->n * p->bytes <= middling_bytes();
}

/* KC: the micro-kernel's hint, or twice that if its MC rows of A then still fit into seven
 * sixteenths of L2; C is then read and written half as often. On an Intel Xeon with 2 MB of L2,
 * this made products of 2048 in float and double 4 to 6 % faster. */
static int64_t block_depth(const struct gr_product *p)
{
    const struct ukr *u = p->ukr;
    const bool fits = 2 * u->kc * u->mc * p->bytes <= gr_cpu_cache_bytes(2) / 16 * 7;
    return fits ? 2 * u->kc : u->kc;
}

int64_t gr_gemm_depth_of_rows(const struct gr_product *p)
{
    if (p->few_sums_log2)
        return gr_few_sums_depth(p->k, p->few_sums_log2);
    if (gr_gemm_is_small(p))
        return p->k;
    if (has_near_rows(p))
        return gr_even_part(p->k, NEAR_STEPS);
    if (is_thin(p))
        return thin_depth(p);
    if (gr_gemm_is_stepped(p))
        return stepped_depth(p);
    if (is_one_block(p))
        return p->k;
    if (is_rows(p))
        return rows_depth(p);
    return gr_even_part(p->k, block_depth(p));
}

int64_t gr_gemm_depth(const struct gr_product *p)
{
    return gr_gemm_direction(p) == GR_ALONG_K ? gr_gemm_dots_depth(p) : gr_gemm_depth_of_rows(p);
}

static bool conflicts(const struct gr_product *p, int64_t stride)
{
    return stride * p->bytes % CONFLICTING_BYTES == 0;
}

/* The same of rows that are within a cache line of such a distance: their sets change slowly. */
static bool nearly_conflicts(const struct gr_product *p, int64_t stride)
{
    enum { LINE_BYTES = 64 };
    return (stride * p->bytes + LINE_BYTES) % CONFLICTING_BYTES <= 2 * LINE_BYTES;
}

/* If the rows of B are not whole vectors, every other vector of 32 bytes lies in two cache lines,
 * and loading it takes as long as two loads. Packing B saves this for each tile of rows. It takes
 * COPY loads for each vector, and each tile becomes a call of its own, which takes CALL loads; all
 * these are loads for one column of vectors. If A had to be packed too, this would take longer than
 * it saves. */
enum { COPY = 10, CALL = 16 };

static bool b_is_split(const struct gr_product *p)
{
    const int64_t tiles = p->m / p->ukr->mr;
    return has_vectors_of_32_bytes(p) && p->b_row % p->ukr->lanes != 0 &&
           tiles * (p->k / 2 - CALL) > p->k * COPY && gr_gemm_a_usable_in_place(p);
}

/* With vectors of 32 bytes and few steps, writing C takes so much of the time that a packed B is no
 * faster for any number of rows: products of more than MIDDLING_BOTH with 9 to 32 steps take 0.35
 * to 0.9 of the time in place. */
static bool b_usable_unpacked(const struct gr_product *p, double most)
{
    const bool writing = has_vectors_of_32_bytes(p) && gr_gemm_is_short(p);
    return p->b_col == 1 && p->k <= gr_gemm_depth(p) && (writing || gr_gemm_work(p) <= most) &&
           p->k * p->n * p->bytes <= in_place_bytes(p) &&
           (gr_gemm_is_short(p) || (!conflicts(p, p->b_row) && !b_is_split(p)));
}

/* With vectors of 32 bytes, a B in place with a packed A is slower than two packed operands. */
bool gr_gemm_b_usable_unpacked(const struct gr_product *p)
{
    if (has_vectors_of_32_bytes(p) && !gr_gemm_a_usable_in_place(p))
        return false;
    return b_usable_unpacked(p, MIDDLING) && p->m * p->n * p->bytes <= MIDDLING_C_BYTES;
}

/* If the columns of A are contiguous, each step of k reads another cache line for the few rows of a
 * tile. Lines 1024 bytes apart share so few sets of L1 that they come from L2 again for each tile,
 * which is acceptable for a short k. FEW_STEPS steps have few enough lines for any distance; with
 * vectors of 32 bytes, so has a k that is short for a large L2 (0.8 to 0.95 of the time). */
enum { APART_BYTES = CONFLICTING_BYTES / 2, APART_STEPS = 128, FEW_STEPS = 32 };

static bool a_usable_unpacked(const struct gr_product *p)
{
    if (p->a_col == 1)
        return !conflicts(p, p->a_row) || gr_gemm_is_short(p);
    const int64_t apart = p->a_col * p->bytes;
    return apart < APART_BYTES || (apart == APART_BYTES && p->k <= APART_STEPS) ||
           p->k <= FEW_STEPS || (has_vectors_of_32_bytes(p) && gr_gemm_is_short(p));
}

/* On a Zen 5, the columns of A may be any distance apart that does not put all lines into the same
 * few sets: read in place, such an A takes 0.88 to 0.98 of the time of a packed one. */
static bool a_usable_near(const struct gr_product *p)
{
    return a_usable_unpacked(p) ||
           (gr_gemm_executes_whole(p) && p->a_col != 1 && p->a_col * p->bytes % APART_BYTES != 0);
}

static bool is_stepped_in_place(const struct gr_product *p)
{
    return gr_gemm_is_stepped(p) && !conflicts(p, p->b_row) && !b_is_split(p) &&
           p->a_col * p->bytes % APART_BYTES != 0;
}

/* On a Zen 5 restricted to vectors of 32 bytes, operands in place take 0.95 to 0.99 of the time of
 * packed ones for more rows, where they are not read some steps at a time, even if the rows of B
 * are not whole vectors: B stays in L2, and each block of k has its turn. If its rows are pages
 * apart, a column of tiles touches too many pages. */
static bool is_middling_in_place(const struct gr_product *p)
{
    return has_vectors_of_32_bytes(p) && gr_cpu_executes_whole() && p->b_col == 1 &&
           p->n * p->bytes < ROWS_NARROW_ROW_BYTES && p->k * p->n * p->bytes <= middling_bytes() &&
           gr_gemm_work(p) <= NEAR_ANY_WORK && !gr_gemm_is_stepped(p) && !conflicts(p, p->b_row) &&
           a_usable_unpacked(p);
}

/* B is read again for each tile of rows: from L2, unless its rows share sets of the cache. */
static bool is_near_in_place(const struct gr_product *p)
{
    const bool many = p->m > NEAR_TILES * p->ukr->mr;
    return has_near_rows(p) && a_usable_near(p) && !conflicts(p, p->b_row) &&
           !(many && nearly_conflicts(p, p->b_row));
}

/* If B is not small, an A whose columns are far apart, or whose rows share sets, is packed if it is
 * too large, because it is read again for each tile of columns: larger than this part of L3 or, on
 * a CPU with an L2 as large as an Intel's, than half of that, because the prefetchers do not follow
 * the columns and L3 is far away there. */
enum { APART_A_PART = 6 };

static int64_t apart_a_bytes(void)
{
    const int64_t l3_part = gr_cpu_cache_bytes(3) / APART_A_PART;
    return gr_cpu_has_large_l2() ? gr_min64(l3_part, gr_cpu_cache_bytes(2) / 2) : l3_part;
}

static bool is_transposed_in_place(const struct gr_product *p)
{
    if (!gr_gemm_is_transposed(p))
        return false;
    const bool small = p->k * gr_whole_vectors(p, p->n) <= GR_TRANSPOSED_BYTES / p->bytes;
    return (small || gr_gemm_is_writing(p) || a_usable_unpacked(p) ||
            p->m * p->k * p->bytes <= apart_a_bytes());
}

static const struct path {
    const char *name, *why;
} unpacked = {"unpacked",
              "so small, or of so few rows, that a packed copy would be read too few times to "
              "pay, and the columns of B are contiguous, as the micro-kernel requires"},
  transposed = {"transposed",
                "so small that B, whose columns are not contiguous as the micro-kernel requires, "
                "is transposed, and A is read in place"},
  dots = {"dots", "so few columns or rows of C, or so long a k, that vectors run along k: each "
                  "element is a dot product of rows that are read in place"},
  columns = {"columns", "so few columns of C that vectors run along them, and A is read once"},
  deep = {"deep", "so small a C and so long a k that threads share k, and add up their sums"},
  thin = {"thin", "so few rows of C that B is read once, and in place"},
  rows = {"rows", "so few rows of C that one block of A holds them all, and B is packed block "
                  "by block"},
  packed = {"packed", "each packed panel is read often enough to pay for the copy"},
  streamed = {"streamed", "so few rows of C that each panel of B, packed beforehand, is read once"},
  packed_before = {"packed", "an operand was packed beforehand"},
  packed_transposed = {"packed",
                       "the columns of B are not contiguous, as the micro-kernel requires, "
                       "until they are packed"};

/* With at most this many rows, a B that was packed beforehand is read once, from beginning to end.
 * If A was packed too, this path is taken only if the result depends on parts of k, which the five
 * loops do not have. */
enum { STREAMED_ROWS = 16 };

static const struct path *path_of(const struct gr_product *p)
{
    const bool before = p->a_panels || p->b_panels;
    const bool few = gr_gemm_is_small(p) || is_thin(p);
    const enum gr_direction direction = gr_gemm_direction(p);
    if (direction != GR_ALONG_ROWS)
        return direction == GR_ALONG_K ? &dots : &columns;
    if (!few && gr_gemm_is_deep(p))
        return &deep;
    const bool parts = gr_gemm_part_steps(p) < p->k;
    if (p->b_panels && p->m <= STREAMED_ROWS && (parts || !p->a_panels))
        return &streamed;
    if (before && !parts)
        return &packed_before;
    if (is_near_in_place(p))
        return &unpacked;
    if (few)
        return gr_gemm_is_small(p) ? &unpacked : &thin;
    if (is_transposed_in_place(p))
        return &transposed;
    if (is_stepped_in_place(p) || is_middling_in_place(p) ||
        (b_usable_unpacked(p, MIDDLING_BOTH) && a_usable_unpacked(p)))
        return &unpacked;
    if (is_rows(p))
        return &rows;
    return p->b_col == 1 ? &packed : &packed_transposed;
}

static void multiply(const struct gr_product *p, struct gr_workspace *workspace)
{
    const struct path *path = path_of(p);
    if (path == &unpacked)
        gr_gemm_unpacked(p, gr_gemm_depth(p), workspace->team);
    else if (path == &thin)
        gr_gemm_thin(p, workspace);
    else if (path == &columns)
        gr_gemm_columns(p, workspace->team);
    else if (path == &streamed)
        gr_gemm_streamed(p, workspace->team);
    else if (!(path == &transposed && gr_gemm_transposed(p, workspace)) &&
             !(path == &dots && gr_gemm_dots(p, workspace)) &&
             !(path == &deep && gr_gemm_deep(p, workspace)) &&
             !(path == &rows && gr_gemm_rows(p, workspace)))
        gr_gemm_packed(p, workspace);
}

/* The same product, which is not divided, with its direction stored, so that it is not estimated
 * again. */
static struct gr_product with_direction(const struct gr_product *p)
{
    struct gr_product known = *p;
    known.known_direction = 1 + (int)gr_gemm_direction(p);
    return known;
}

static struct gr_product columns_with_direction(const struct gr_product *p, int64_t j, int64_t n)
{
    const struct gr_product part = gr_gemm_columns_of(p, j, n);
    return with_direction(&part);
}

void gr_gemm_float(const struct gr_product *p, struct gr_workspace *workspace)
{
    const struct gr_product whole = with_direction(p);
    const int64_t tail = p->known_direction ? 0 : gr_gemm_tail_columns(&whole);
    if (tail == 0) {
        multiply(&whole, workspace);
        return;
    }
    const struct gr_product first = columns_with_direction(p, 0, p->n - tail);
    const struct gr_product last = columns_with_direction(p, p->n - tail, tail);
    multiply(&first, workspace);
    multiply(&last, workspace);
}

static int64_t bytes_of(const struct gr_product *p, int threads)
{
    const struct path *path = path_of(p);
    if (path == &unpacked || path == &streamed || path == &columns)
        return 0;
    if (path == &thin)
        return gr_gemm_thin_bytes(p, threads);
    if (path == &transposed)
        return gr_gemm_transposed_bytes(p);
    if (path == &dots)
        return gr_gemm_dots_bytes(p, threads);
    if (path == &deep)
        return gr_gemm_deep_bytes(p, threads);
    return path == &rows ? gr_gemm_rows_bytes(p, threads) : gr_gemm_packed_bytes(p, threads);
}

int64_t gr_gemm_float_bytes(const struct gr_product *p, int threads)
{
    const int64_t tail = gr_gemm_tail_columns(p);
    const struct gr_product first = gr_gemm_columns_of(p, 0, p->n - tail);
    const int64_t bytes = bytes_of(&first, threads);
    if (tail == 0)
        return bytes;
    const struct gr_product last = gr_gemm_columns_of(p, p->n - tail, tail);
    return gr_max64(bytes, bytes_of(&last, threads));
}

/* Adds the estimates of gemm_direction.c or, for larger products, of gemm_large.c. */
static void describe_estimates(const struct gr_product *p, struct gr_dispatch *d)
{
    const bool small = gr_gemm_work(p) <= GR_THREADS_PAY;
    int64_t (*const cycles)(const struct gr_product *, enum gr_direction) =
        small ? gr_gemm_cycles : gr_gemm_large_cycles;
    if (p->a_panels || p->b_panels || !(small || gr_gemm_has_figures(p)))
        return;
    const int64_t high = cycles(p, GR_ALONG_COLUMNS), long_k = cycles(p, GR_ALONG_K);
    d->along_rows = cycles(p, GR_ALONG_ROWS);
    d->along_columns = high < GR_GEMM_IMPOSSIBLE ? high : 0;
    d->along_k = long_k < GR_GEMM_IMPOSSIBLE ? long_k : 0;
}

static void describe_path(const struct gr_product *p, int threads, struct gr_dispatch *d)
{
    const struct path *path = path_of(p);
    d->path = path->name;
    d->why = path->why;
    if (path == &unpacked)
        d->tasks = gr_gemm_unpacked_tasks(p, threads);
    else if (path == &transposed)
        d->tasks = gr_gemm_transposed_tasks(p, threads);
    else if (path == &thin)
        d->tasks = gr_gemm_thin_tasks(p, threads);
    else if (path == &dots)
        d->tasks = gr_gemm_dots_tasks(p, threads);
    else if (path == &columns)
        d->tasks = gr_gemm_columns_tasks(p, threads);
    else if (path == &deep)
        d->tasks = gr_gemm_deep_tasks(p);
    else if (path == &streamed)
        d->tasks = gr_gemm_streamed_tasks(p, threads);
    else if (path == &rows)
        d->tasks = gr_gemm_rows_tasks(p, threads);
    else
        gr_gemm_packed_describe(p, threads, d);
}

void gr_gemm_describe(const struct gr_product *p, int threads, struct gr_dispatch *d)
{
    const int64_t tail = gr_gemm_tail_columns(p);
    const struct gr_product first = gr_gemm_columns_of(p, 0, p->n - tail);
    describe_path(&first, threads, d);
    describe_estimates(&first, d);
    if (tail == 0)
        return;
    const struct gr_product last = gr_gemm_columns_of(p, p->n - tail, tail);
    d->tail_columns = tail;
    d->tail_path = path_of(&last)->name;
}
