/* gemm_large.c: along which dimension the vectors of a large product of float or double run, where
 * the figures of the CPU's kind are known. SPDX-License-Identifier: MIT
 *
 * All directions are estimated from what they multiply, in tiles, and from what they do beside:
 * packing, adding up lanes, writing C transposed. The figures are those of a table, one line for
 * each kind of CPU. A kind that has none goes by the rules of gemm_direction.c. */
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "cpu/gemm_blocks.h"

/* Hundredths of the time of one multiply-add of vectors at full speed; where nothing else is said,
 * for a vector of elements. `far` is for an operand that does not stay near, each time that it is
 * read. */
struct figures {
    /* By which the kind is recognized. */
    int64_t vector_bytes;
    int64_t bytes; /* of an element; 0: of any */
    bool halves;   /* whether it executes a vector as two halves */
    bool large_l2; /* whether only CPUs with a large L2 are of this kind */
    bool avx512;   /* whether only CPUs with AVX-512 and a smaller L2 are */
    /* Whether deep products (gemm_deep.c), and a C of more columns, were among those measured. */
    bool deep, wider;
    bool any;           /* whether those had any number of rows and columns, up to MOST_MEASURED */
    int64_t near_bytes; /* what stays near; 0: a quarter of L3, but LEAST_FAR_BYTES at least */
    /* Each row of A by a vector of B's row; a vector of B that is transposed, or is not; a vector
     * of A whose columns are contiguous and far apart, or that is packed; a tile of C, once for
     * each block of k; loading an element of A for a tile, which is as much for a tile of one
     * vector as for one of two; a vector of A whose columns are contiguous and not far apart, or
     * that is read in place, some steps at a time (gr_gemm_is_stepped). */
    struct {
        int64_t row, turned_b, b, columns_of_a, packed_a, c, far, element, dense_a, stepped_a;
    } rows;
    /* Each column of B by a vector of A's column, and each tile of columns; an element of C, which
     * is written transposed, once for each block of k; a vector of A that is transposed; loading
     * an element of B for a tile. */
    struct {
        int64_t column, tile, c, turned_a, far, element;
    } columns;
    /* A vector of steps for each dot product, and for each tile of them; a tile's sums, whose lanes
     * are added up once for each block of k; a vector of the few rows that is copied; one of the
     * many rows. */
    struct {
        int64_t dot, tile, sums, copied, many, far;
    } dots;
};

static const struct figures kinds[] = {
    /* An Intel Xeon with AMX restricted to AVX2, fitted to 2400 products of up to 50 million
     * multiply-adds in float and to 1260 in double, drawn at random and computed in all directions.
     * Of 800 others in float and 420 in double, those that are chosen take 1.005 and 1.012 times as
     * long as the best, which includes the noise of the measurement. Its L3 gives a core 28 GB/s,
     * hardly more than memory does: only L2 is near. A multiply-add takes 0.18 ns. */
    {.vector_bytes = 32,
     .bytes = 4,
     .large_l2 = true,
     .deep = true,
     .any = true,
     .near_bytes = 2 << 20,
     .rows = {109, 1333, 8, 1755, 328, 205, 23, 48, 1657, 1580},
     .columns = {36, 580, 410, 2583, 42, 25},
     .dots = {117, 313, 4769, 1369, 0, 97}},
    {.vector_bytes = 32,
     .bytes = 8,
     .large_l2 = true,
     .deep = true,
     .any = true,
     .near_bytes = 2 << 20,
     .rows = {105, 2426, 0, 1819, 252, 353, 1, 45, 1646, 1312},
     .columns = {42, 600, 559, 7450, 54, 17},
     .dots = {117, 283, 5387, 1861, 0, 10}},
    /* Fitted to 2300 products in float, and as many in double, on an AMD Zen 5 restricted to AVX2;
     * half of them have up to 48 columns, or up to 64 rows and columns and many steps. Then fitted
     * by type to 3500 of each with any number of rows and columns, of which those that are chosen
     * take 1.003 and 1.004 times as long as the best. A multiply-add takes 0.12 ns. */
    {.vector_bytes = 32,
     .bytes = 4,
     .avx512 = true,
     .deep = true,
     .wider = true,
     .any = true,
     .rows = {123, 1140, 0, 1097, 339, 215, 112, 48, 454, 250},
     .columns = {45, 620, 187, 3876, 439, 16},
     .dots = {116, 254, 4016, 1250, 0, 312}},
    {.vector_bytes = 32,
     .bytes = 8,
     .avx512 = true,
     .deep = true,
     .wider = true,
     .any = true,
     .rows = {122, 1261, 0, 1134, 339, 215, 110, 43, 440, 250},
     .columns = {43, 620, 246, 3167, 439, 19},
     .dots = {113, 262, 4510, 1250, 0, 312}},
    /* Fitted to 1280 random products of 0.5 to 50 million multiply-adds in float, and as many in
     * double, on an AMD Zen 3. Of 420 others in each type, those that are chosen take 1.004 and
     * 1.011 times as long as the best, where the figures before took 1.011 and 1.015. A
     * multiply-add takes 0.17 ns, and the unit is 0.15 ns. */
    {.vector_bytes = 32,
     .bytes = 4,
     .deep = true,
     .wider = true,
     .any = true,
     .rows = {64, 1038, 55, 516, 0, 1790, 36, 94, 904, 75},
     .columns = {0, 387, 148, 13005, 160, 118},
     .dots = {71, 524, 6758, 691, 9, 399}},
    {.vector_bytes = 32,
     .bytes = 8,
     .deep = true,
     .wider = true,
     .any = true,
     .rows = {65, 1132, 12, 684, 22, 2566, 68, 89, 643, 32},
     .columns = {0, 404, 97, 6276, 309, 113},
     .dots = {89, 339, 4469, 571, 10, 312}},
    /* Fitted to 700 products with 2 to 97 rows or columns in float, and as many in double, on an
     * AMD Zen 4; what dot products take for tiles, sums and a far operand to 1100 others. A
     * multiply-add takes 0.25 ns. */
    {.vector_bytes = 64,
     .halves = true,
     .rows = {113, 1219, 136, 277, 781, 9141, 741, 0, 277, 277},
     .columns = {68, 276, 96, 1111, 347, 0},
     .dots = {117, 0, 2821, 598, 74, 1130}},
    /* The same Xeon with AVX-512: fitted to 3860 such products in float and to 2080 in double. Of
     * 1280 others in float and 690 in double, those that are chosen take 1.005 and 1.008 times as
     * long as the best. */
    {.vector_bytes = 64,
     .bytes = 4,
     .large_l2 = true,
     .deep = true,
     .any = true,
     .near_bytes = 2 << 20,
     .rows = {113, 1429, 1, 695, 2981, 3974, 237, 8, 292, 1397},
     .columns = {110, 8, 172, 1550, 0, 21},
     .dots = {146, 50, 5084, 834, 0, 246}},
    {.vector_bytes = 64,
     .bytes = 8,
     .large_l2 = true,
     .deep = true,
     .any = true,
     .near_bytes = 2 << 20,
     .rows = {42, 1499, 2, 1107, 4231, 9830, 68, 21, 236, 1389},
     .columns = {19, 185, 353, 1294, 0, 8},
     .dots = {80, 49, 4580, 967, 0, 87}},
    /* Fitted to 2000 such products in float, and as many in double, on an AMD Zen 5: of 650 others
     * in each type, those that are chosen take 1.004 times as long as the best; so do those of 2800
     * others with any number of rows and columns. A multiply-add takes 0.12 ns. */
    {.vector_bytes = 64,
     .deep = true,
     .wider = true,
     .any = true,
     .rows = {113, 1380, 151, 94, 419, 2393, 465, 31, 388, 388},
     .columns = {82, 124, 30, 6738, 10, 60},
     .dots = {132, 18, 3090, 1283, 0, 717}},
};

bool gr_gemm_may_have_avx512(void)
{
#if defined(__x86_64__)
    return gr_cpu_has(GR_CPU_BIT(AVX512F));
#else
    return false;
#endif
}

static const struct figures *figures_of(const struct gr_product *p)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].vector_bytes == p->ukr->lanes * p->bytes &&
            (!kinds[i].bytes || kinds[i].bytes == p->bytes) &&
            kinds[i].halves == gr_gemm_executes_halves(p) &&
            (!kinds[i].large_l2 || gr_cpu_has_large_l2()) &&
            (!kinds[i].avx512 || gr_gemm_may_have_avx512()))
            return &kinds[i];
    return NULL;
}

/* Tiles of dot products are three by four; those of few columns of C have six of them. More rows
 * than MOST_DOTS (or, of copied ones, than MOST_COPIED_DOTS, where more were measured), and more
 * columns than MOST_COLUMNS, or MOST_WIDER, are not few: the estimates are wrong there. Nor are
 * more columns of a deep product than FEW_OF_DEEP, as by the rules of gemm_direction.c. A has no
 * copy if B has no more columns than FEW_COLUMNS (gemm_plan.c). */
enum { DOTS_DOWN = 3, DOTS_ACROSS = 4, COLUMNS_OF_TILE = 6, VECTORS_OF_TILE = 2 };
enum {
    MOST_DOTS = 64,
    MOST_COPIED_DOTS = 128,
    MOST_COLUMNS = 32,
    MOST_WIDER = 48,
    FEW_OF_DEEP = 14,
    FEW_COLUMNS = 352,
    FEW_ROWS = 64,
    MOST_ALONE = 2000000,
    APART_BYTES = 1 << 10,
    LEAST_FAR_BYTES = 2 << 20
};

static int64_t vectors(const struct gr_product *p, int64_t elements)
{
    const int shift = __builtin_ctzll((unsigned long long)p->ukr->lanes); /* a power of two */
    return (elements + p->ukr->lanes - 1) >> shift;
}

static bool is_far(const struct gr_product *p, const struct figures *f, int64_t elements)
{
    if (f->near_bytes)
        return elements * p->bytes > f->near_bytes;
    /* The size of a cache is slow to find out the first time; few products need it. */
    return elements * p->bytes > LEAST_FAR_BYTES && elements * p->bytes > gr_cpu_cache_bytes(3) / 4;
}

/* What a vector of a transposed A takes. */
static int64_t columns_of_a(const struct gr_product *p, const struct figures *f)
{
    if (gr_gemm_is_stepped(p) && !is_far(p, f, p->m * p->k))
        return f->rows.stepped_a;
    return p->a_col * p->bytes < APART_BYTES ? f->rows.dense_a : f->rows.columns_of_a;
}

/* The blocks of k, in each of which C is written once. */
static int64_t blocks(const struct gr_product *p, const struct figures *f)
{
    return gr_cdiv(p->k, f->any ? gr_gemm_depth_of_rows(p) : p->ukr->kc);
}

static int64_t along_rows(const struct gr_product *p, const struct figures *f)
{
    const int64_t wide = vectors(p, p->n), a = p->m * vectors(p, p->k), b = p->k * wide;
    const int64_t tile_rows = wide == 1 ? p->ukr->strided_rows[0] : p->ukr->mr;
    const int64_t across = gr_cdiv(p->n, p->ukr->nr), tiles = gr_cdiv(p->m, tile_rows) * across;
    int64_t cycles = (b * p->m - gr_gemm_spared(p)) * f->rows.row +
                     b * (p->b_col == 1 ? f->rows.b : f->rows.turned_b) +
                     p->m * p->k * across * f->rows.element + tiles * blocks(p, f) * f->rows.c;
    if (p->a_col != 1)
        cycles += a * columns_of_a(p, f);
    else if (p->n > FEW_COLUMNS)
        cycles += a * f->rows.packed_a;
    return cycles + (is_far(p, f, p->m * p->k) ? a * f->rows.far : 0) +
           (is_far(p, f, p->k * p->n) ? b * f->rows.far : 0);
}

/* The most multiply-adds of the products to which the figures for any number of rows and columns
 * were fitted. */
static const double MOST_MEASURED = 50e6;

static bool is_measured(const struct gr_product *p, const struct figures *f)
{
    return f->any && gr_gemm_work(p) <= MOST_MEASURED;
}

/* With an operand packed beforehand, a deep product has other blocks of k, and other bits. A C of
 * few rows may have any number of columns, if there is too little work for several threads, as
 * these divide the rows. */
static bool are_few_columns(const struct gr_product *p, const struct figures *f)
{
    if (gr_gemm_is_deep(p))
        return p->n <= FEW_OF_DEEP || (f->wider && gr_gemm_work(p) <= MOST_ALONE);
    if (p->n <= MOST_COLUMNS)
        return true;
    if (!f->wider)
        return is_measured(p, f);
    return p->n <= MOST_WIDER ||
           (p->m <= FEW_ROWS ? gr_gemm_work(p) <= MOST_ALONE : is_measured(p, f));
}

/* One column reads A along its rows, as they lie in memory (ukr_row_along.h). */
static int64_t along_columns(const struct gr_product *p, const struct figures *f)
{
    const int64_t a = vectors(p, p->m) * p->k, tiles = gr_cdiv(p->n, COLUMNS_OF_TILE);
    if (!gr_gemm_columns_fit(p) || !are_few_columns(p, f))
        return GR_GEMM_IMPOSSIBLE;
    return a * (p->n * f->columns.column + tiles * f->columns.tile) +
           p->k * p->n * gr_cdiv(vectors(p, p->m), VECTORS_OF_TILE) * f->columns.element +
           p->m * p->n * blocks(p, f) * f->columns.c +
           (p->a_row == 1 ? 0 : a * f->columns.turned_a) +
           (p->n > 1 && is_far(p, f, p->m * p->k) ? a * tiles * f->columns.far : 0);
}

static int64_t along_k(const struct gr_product *p, const struct figures *f)
{
    const bool exchanged = gr_gemm_dots_exchanged(p);
    const int64_t few = exchanged ? p->m : p->n, many = exchanged ? p->n : p->m;
    const bool copies = p->a_col != 1 || p->b_row != 1;
    if ((p->a_col != 1 && p->b_row != 1) || (few > MOST_DOTS && !is_measured(p, f)) ||
        (copies && f->wider && few > MOST_COPIED_DOTS))
        return GR_GEMM_IMPOSSIBLE;
    const bool turned = gr_gemm_dots_turned(p);
    const int64_t down = turned ? p->n : p->m, across = turned ? p->m : p->n;
    const int64_t tiles = gr_cdiv(down, DOTS_DOWN) * gr_cdiv(across, DOTS_ACROSS);
    /* The lanes of all sums are added up, whatever tiles they are in. Elsewhere than on a CPU that
     * executes halves the figures are for whole tiles. */
    const int64_t of_sums = f->halves ? gr_cdiv(p->m * p->n, DOTS_DOWN * DOTS_ACROSS) : tiles;
    const int64_t steps = vectors(p, p->k), blocks = gr_cdiv(p->k, gr_gemm_dots_depth(p));
    return steps * (p->m * p->n * f->dots.dot + tiles * f->dots.tile) +
           of_sums * blocks * f->dots.sums + (copies ? few * steps * f->dots.copied : 0) +
           many * steps * (f->dots.many + (is_far(p, f, many * p->k) ? f->dots.far : 0));
}

/* Beyond, an estimate might not fit into 64 bits. */
static const double MOST_WORK = 1e15;
/* A deep product of more work is divided among threads along k, as it has too few rows and columns
 * for that. */
static const double MOST_DEEP_WORK = 200.0 * 200.0 * 200.0;

bool gr_gemm_has_figures(const struct gr_product *p)
{
    const struct figures *f = figures_of(p);
    const double most = gr_gemm_is_deep(p) ? MOST_DEEP_WORK : MOST_WORK;
    return f && gr_gemm_work(p) <= most && (f->deep || !gr_gemm_is_deep(p));
}

int64_t gr_gemm_large_cycles(const struct gr_product *p, enum gr_direction direction)
{
    const struct figures *f = figures_of(p);
    const int64_t cycles = direction == GR_ALONG_COLUMNS ? along_columns(p, f)
                           : direction == GR_ALONG_K     ? along_k(p, f)
                                                         : along_rows(p, f);
    return cycles == GR_GEMM_IMPOSSIBLE ? cycles : cycles / 100;
}
