/* gemm_small.c: what a small product of float or double takes with vectors along each dimension.
 * SPDX-License-Identifier: MIT
 *
 * Vectors along a dimension shorter than a vector are mostly empty, and an operand that is not
 * contiguous along that dimension must be transposed first. So all three directions are estimated,
 * as sums of what a tile multiplies, loads and waits for, and of copies, of horizontal sums and of
 * stores, whose costs are those of a table. */
#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

/* The kinds of CPUs: those with vectors of 32 bytes, where L2 has less than 2 MB, or where it has,
 * as on an Intel; those with vectors of 64 bytes that are executed as two halves, or as a whole,
 * again with a small L2 or a large one; and all others. The costs of the first and the third were
 * fitted to 4000 random products of float and as many of double on an AMD Zen 4, those of the
 * fourth to 4500 of each on a Zen 5, those of the second and the fifth to 6000 of each on a Xeon
 * with AMX, each computed in all directions. For products that the fit did not see, the chosen
 * direction takes 1.008 (second), 1.008, 1.007 and 1.007 (fifth) times as long as the best one. The
 * other kinds have costs by reckoning and by single measurements. */
enum kind {
    WITH_32_BYTES,
    WITH_32_BYTES_LARGE_L2,
    WITH_HALVES,
    WITH_WHOLE,
    WITH_LARGE_L2,
    OTHER,
    KINDS
};
enum cost {
    ROW,
    COLUMN,
    DOT,
    SINGLE_ROW,
    LATENCY,
    ELEMENT,
    VECTOR,
    STEP,
    WRITTEN,
    WRITTEN_COLUMN,
    PARTIAL,
    TILE,
    LEAST_WRITTEN,
    SINGLE_COLUMN,
    ANY_WIDE,
    CYCLE,
    ANY_BLOCK,
    BLOCK,
    TRANSPOSED_B,
    TRANSPOSED_A,
    TRANSPOSED_DOTS,
    GATHERED,
    DENSE,
    PACKED,
    ANY_COPY,
    ANY_PART,
    ANY_BUFFER,
    ANY_STRIP,
    ANY_SCATTERED,
    SCATTERED_TILE,
    SCATTERED,
    SCATTERED_COLUMN,
    ANY_DIRECT,
    DIRECT,
    TWO_DIRECT_BY_EIGHT,
    ANY_DOTS,
    ANY_DOTS_COPY,
    ANY_DOTS_BUFFER,
    WHOLE_ROW,
    PARTIAL_ROW,
    TWO_ADDED_UP,
    TWO_NARROW_ADDED_UP,
    DOT_LOADED,
    DOT_TILE,
    TRANSPOSED_SINGLE_ROW,
    TWO_OF_SINGLE_ROW_ADDED_UP,
    FAR_ROW,
    FAR_COLUMN,
    FAR_ALONG_COLUMNS,
    FAR_DOTS,
    COSTS
};

/* By cost and kind, in hundredths of the time of one multiply-add of vectors at full speed. */
static const int costs[COSTS][KINDS] = {
    [ROW] = {91, 84, 100, 96, 93, 100}, /* Tiles: a multiply-add with vectors along rows of C, */
    [COLUMN] = {114, 110, 107, 100, 107, 100},     /* along its columns, */
    [DOT] = {91, 91, 86, 98, 132, 100},            /* along k, */
    [SINGLE_ROW] = {171, 345, 288, 190, 232, 100}, /* and along rows in a C of one row */
    [LATENCY] = {599, 699, 188, 157, 233, 400}, /* what the multiply-adds of a step of k wait for */
    [ELEMENT] = {123, 123, 62, 117, 94, 75},    /* loading an element of A in a step */
    [VECTOR] = {82, 127, 48, 1, 56, 0},         /* loading a vector of B in a step */
    [STEP] = {33, 19, 24, 0, 0, 0},             /* whatever else a step takes */
    [WRITTEN] = {168, 64, 194, 33, 0, 200},     /* writing a vector of a row of C, */
    [WRITTEN_COLUMN] = {18, 18, 48, 133, 0, 200},     /* and of a column */
    [PARTIAL] = {130, 149, 1, 3, 100, 0},             /* the last vector of a row, if partial */
    [TILE] = {609, 670, 981, 0, 158, 0},              /* any tile */
    [LEAST_WRITTEN] = {140, 140, 317, 196, 206, 300}, /* Few steps, without tiles: any vector, */
    [SINGLE_COLUMN] = {128, 602, 0, 136, 116, 0},     /* a row of one element by a transposed A, */
    [ANY_WIDE] = {693, 697, 4587, 5482, 1142, 4000},  /* any C of many vectors */
    [CYCLE] = {152, 180, 100, 159, 141, 100}, /* Few sums: a cycle of gr_gemm_few_sums_cycles, */
    [ANY_BLOCK] = {53282, 382178, 5482, 10005, 2891, 10000}, /* a second block of k, */
    [BLOCK] = {13424, 13424, 891, 13438, 3963, 1800},        /* and reading a vector of C again */
    [TRANSPOSED_B] = {380, 348, 737, 558, 668, 400},      /* Transposing a step of a vector of B, */
    [TRANSPOSED_A] = {360, 323, 590, 638, 741, 400},      /* of A, */
    [TRANSPOSED_DOTS] = {352, 362, 415, 328, 433, 400},   /* of the few rows of dot products, */
    [GATHERED] = {55, 26, 100, 53, 103, 100},             /* of a single row, */
    [DENSE] = {185, 274, 365, 212, 363, 200},             /* and one of rows of very few elements */
    [PACKED] = {380, 1826, 675, 677, 665, 800},           /* packing it, where B is too large */
    [ANY_COPY] = {8301, 6351, 6826, 9845, 5156, 7000},    /* any transposed B, */
    [ANY_PART] = {17493, 13933, 1077, 10871, 3526, 6000}, /* each of its parts on the stack, */
    [ANY_BUFFER] = {115150, 115155, 34857, 121141, 237882, 120000}, /* and one in a buffer */
    [ANY_STRIP] = {11895, 12084, 6578, 11237, 7823, 6000}, /* any strip of a transposed A */
    [ANY_SCATTERED] = {423, 229, 7388, 1139, 1286,
                       4000}, /* C written transposed from a buffer: any, */
    [SCATTERED_TILE] = {1252, 1252, 9811, 10001, 0, 10000}, /* a tile, */
    [SCATTERED] = {330, 371, 143, 225, 233, 200},           /* an element, or four side by side, */
    [SCATTERED_COLUMN] = {216, 164, 143, 81, 155, 200},     /* and an element of a single column */
    [ANY_DIRECT] = {607, 439, 350, 2023, 1460,
                    1000},                     /* C written transposed from registers: any, */
    [DIRECT] = {161, 144, 258, 123, 178, 200}, /* an element, or four side by side, */
    [TWO_DIRECT_BY_EIGHT] = {300, 300, 343, 217, 305,
                             300},                   /* and two of these, eight vectors at a time */
    [ANY_DOTS] = {1468, 1488, 2460, 733, 572, 1600}, /* Dot products: any, */
    [ANY_DOTS_COPY] = {8897, 8709, 5145, 11763, 8506, 9500},      /* with the few rows copied, */
    [ANY_DOTS_BUFFER] = {70603, 40603, 22218, 65712, 312, 80000}, /* and copied to a buffer */
    [WHOLE_ROW] = {0, 0, 44, 2, 22, 100},                         /* a row of whole vectors, */
    [PARTIAL_ROW] = {81, 183, 138, 66, 44, 200},                  /* and with a partial one */
    [TWO_ADDED_UP] = {424, 437, 322, 568, 431, 400},        /* adding up the lanes of two sums, */
    [TWO_NARROW_ADDED_UP] = {400, 400, 400, 400, 400, 400}, /* and of narrower vectors */
    [DOT_LOADED] = {30, 30, 145, 0, 0, 0},                  /* a vector that a tile loads, */
    [DOT_TILE] = {800, 820, 680, 0, 588, 0},                /* and any tile */
    [TRANSPOSED_SINGLE_ROW] = {0, 0, 680, 729, 0, 1000},    /* One row by a transposed B: a step, */
    [TWO_OF_SINGLE_ROW_ADDED_UP] = {0, 0, 735, 681, 0, 700}, /* and the lanes of two sums */
    [FAR_ROW] = {5, 0, 10, 20, 76, 0},         /* A that does not stay in L1: a vector by rows, */
    [FAR_COLUMN] = {45, 43, 45, 1, 233, 0},    /* by columns, */
    [FAR_ALONG_COLUMNS] = {6, 2, 13, 0, 0, 0}, /* and with vectors along columns */
    [FAR_DOTS] = {7, 8, 6, 0, 0, 12},          /* in percent: dot products of such rows */
};

static enum kind kind_of(const struct gr_product *p)
{
    if (p->ukr->lanes * p->bytes == 32)
        return gr_cpu_has_large_l2() ? WITH_32_BYTES_LARGE_L2 : WITH_32_BYTES;
    if (p->ukr->lanes * p->bytes != 64)
        return OTHER;
    if (gr_gemm_executes_halves(p))
        return WITH_HALVES;
    return gr_cpu_has_large_l2() ? WITH_LARGE_L2 : WITH_WHOLE;
}

/* An operand of so many bytes does not stay in L1 beside the others. */
enum { NEAR_BYTES = 28 << 10, NEAR_DOTS_BYTES = 24 << 10 };

static int64_t vectors(const struct gr_product *p, int64_t elements)
{
    const int shift = __builtin_ctzll((unsigned long long)p->ukr->lanes); /* a power of two */
    return (elements + p->ukr->lanes - 1) >> shift;
}

/* Numbers of a small product fit into 32 bits, where a division takes much less time. */
static int64_t quotient(int64_t x, int64_t y)
{
    return x >> 32 ? x / y : (int64_t)((uint32_t)x / (uint32_t)y);
}

static int64_t parts_of(int64_t x, int64_t most)
{
    return quotient(x + most - 1, most);
}

/* ---- Tiles ---- */

/* A partial vector takes longer, unless it is exactly a half, which narrower instructions load and
 * store. */
static bool is_partial(const struct gr_product *p, int64_t lanes, int64_t elements)
{
    const int64_t rest = elements & (lanes - 1);
    return rest && !(2 * rest == lanes && lanes * p->bytes == 32);
}

/* One step of k for `sums` rows of `wide` vectors each, which are divided into tiles of equally
 * many rows: as many multiply-adds, or loads, as can be started, or what each of them waits for. */
static int64_t step_of_tiles(enum kind kind, const struct ukr *u, int64_t sums, int64_t wide,
                             int64_t multiply_add, int64_t vector)
{
    const int64_t tiles = parts_of(sums, u->strided_rows[wide - 1]);
    const int64_t loads = sums * costs[ELEMENT][kind] + tiles * wide * vector;
    return gr_max64(gr_max64(sums * wide * multiply_add, loads), tiles * costs[LATENCY][kind]) +
           tiles * costs[STEP][kind];
}

/* The steps of k and what is written, in strips of at most strided_cols elements. Of the vectors of
 * the narrower micro-kernel (gr_ukr_for), two are one. */
static int64_t in_tiles(const struct gr_product *p, enum kind kind, int64_t sums, int64_t elements,
                        int64_t multiply_add, int64_t written)
{
    const struct ukr *u = gr_gemm_ukr_for(p, elements);
    const int share = u->lanes == p->ukr->lanes ? 1 : 2;
    const int64_t wide = gr_round_up(elements, u->lanes) / u->lanes,
                  all = sums * vectors(p, elements);
    const int64_t partial = is_partial(p, u->lanes, elements) ? sums * costs[PARTIAL][kind] : 0;
    if (sums == 1)
        return p->k * gr_max64(all * costs[SINGLE_ROW][kind], costs[LATENCY][kind]) +
               all * written + partial;
    const int64_t strips = parts_of(wide, u->strided_cols / u->lanes);
    const int64_t narrow = quotient(wide, strips), wider = wide - narrow * strips;
    const int64_t vector = costs[VECTOR][kind] / share,
                  tiles = parts_of(sums, u->strided_rows[narrow - 1]);
    int64_t step =
        (strips - wider) * step_of_tiles(kind, u, sums, narrow, multiply_add / share, vector);
    if (wider)
        step += wider * step_of_tiles(kind, u, sums, narrow + 1, multiply_add / share, vector);
    return p->k * step + all * written + partial + strips * tiles * costs[TILE][kind];
}

/* k steps of so many sums for each vector of `elements`, and writing them. */
static int64_t multiplied(const struct gr_product *p, enum kind kind, int64_t sums,
                          int64_t elements, int64_t multiply_add, int64_t written)
{
    if (!p->few_sums_log2)
        return in_tiles(p, kind, sums, elements, multiply_add, written);
    const int64_t all = sums * vectors(p, elements);
    /* Four blocks of more than two vectors are computed two at a time. */
    const bool once = all <= UKR_FEW_SUMS && (p->few_sums_log2 < 2 || all <= 2);
    if (all <= UKR_FEW_SUMS)
        return gr_max64(p->k * all * multiply_add,
                        costs[CYCLE][kind] * gr_gemm_few_sums_cycles(p, sums, elements)) +
               all * written + (once ? 0 : costs[ANY_BLOCK][kind] + all * costs[BLOCK][kind]);
    const int64_t more = ((int64_t)1 << p->few_sums_log2) - 1;
    return p->k * all * multiply_add + all * written +
           more * (costs[ANY_BLOCK][kind] + all * costs[BLOCK][kind]);
}

int64_t gr_gemm_spared(const struct gr_product *p)
{
    const bool half = ((p->n - 1) & (p->ukr->lanes - 1)) < p->ukr->lanes / 2;
    return half && p->n > p->ukr->lanes && gr_gemm_executes_halves(p) &&
                   gr_gemm_ukr_for(p, p->n) == p->ukr
               ? p->k * p->m / 2
               : 0;
}

/* ---- Copies ---- */

/* Transposing rows of so many elements by gr_transpose: in squares of 16 bytes, or few elements by
 * shuffles of whole vectors (transpose_avx512.c, transpose_avx2.c). The latter takes rows that are
 * adjacent, as they mostly are: the choice must not depend on the leading dimensions. */
static int64_t transposed(const struct gr_product *p, enum kind kind, int64_t rows,
                          int64_t elements, int64_t step)
{
    if (elements == 1)
        return rows * costs[GATHERED][kind];
    const int64_t square = 16 / p->bytes, whole = gr_round_up(elements, square);
    const int64_t vector_bytes = p->ukr->lanes * p->bytes;
    const int64_t most_dense = vector_bytes == 64 ? 4 : vector_bytes == 32 ? 3 : 0;
    const bool dense = elements >= 2 && elements <= most_dense;
    return vectors(p, rows) * (dense ? elements * costs[DENSE][kind] : whole * step);
}

static bool is_single_row(const struct gr_product *p)
{
    return p->m == 1 && p->b_col != 1 && gr_gemm_has_near_l3(p);
}

/* A B that is transposed on the stack, in a buffer, or packed. */
static int64_t transposed_b(const struct gr_product *p, enum kind kind, int64_t wide)
{
    const int64_t column_bytes = p->k * p->ukr->lanes * p->bytes, all = column_bytes * wide;
    const int64_t rows = transposed(p, kind, p->n, p->k,
                                    is_single_row(p) ? costs[TRANSPOSED_SINGLE_ROW][kind]
                                                     : costs[TRANSPOSED_B][kind]);
    if (gr_gemm_is_transposed_on_stack(p))
        return costs[ANY_COPY][kind] + rows +
               all / GR_TRANSPOSED_STACK_BYTES * costs[ANY_PART][kind];
    return costs[ANY_BUFFER][kind] +
           (all <= GR_TRANSPOSED_BYTES ? rows : p->k * wide * costs[PACKED][kind]);
}

/* ---- The three directions ---- */

/* Few steps without tiles (ukr_few_steps.h): vectors are written while the next ones are
 * multiplied. B's vectors of a narrow C stay in registers, of which vectors of 64 bytes have more;
 * with more steps than MOST_OF_WIDE, that pays for many rows. */
enum { FEW_VECTORS = 4, FEW_OF_B = 24, FEW_OF_B_32 = 8 };
enum { MOST_OF_WIDE = 8, MOST_OF_NARROW = 12, NARROW_LEAST_ROWS = 16, MOST_STEPS_32 = 4 };

static bool is_few_steps(const struct gr_product *p, int64_t wide)
{
    if (p->few_sums_log2)
        return false;
    if (p->ukr->lanes * p->bytes != 64)
        return p->k <= MOST_STEPS_32 && (wide > FEW_VECTORS || p->k * wide <= FEW_OF_B_32);
    if (p->k <= MOST_OF_WIDE)
        return wide > FEW_VECTORS ? gr_gemm_stores_wait(p) != UKR_STORES_OF_TILES
                                  : p->k * wide <= FEW_OF_B;
    const int64_t of_tile = gr_cdiv(p->n, gr_gemm_ukr_for(p, p->n)->lanes);
    return p->k <= MOST_OF_NARROW && p->k * of_tile <= FEW_OF_B && p->m >= NARROW_LEAST_ROWS;
}

static int64_t in_few_steps(const struct gr_product *p, enum kind kind, int64_t wide)
{
    return p->m * wide * gr_max64(p->k * costs[ROW][kind], costs[LEAST_WRITTEN][kind]) +
           (wide > FEW_VECTORS ? costs[ANY_WIDE][kind] : 0) +
           (p->n == 1 && p->a_col != 1 ? p->m * costs[SINGLE_COLUMN][kind] : 0) +
           (is_partial(p, p->ukr->lanes, p->n) ? p->m * costs[PARTIAL][kind] : 0);
}

/* The vectors of A, if it does not stay in L1. */
static int64_t far_vectors(const struct gr_product *p)
{
    return p->m * p->k * p->bytes > NEAR_BYTES ? vectors(p, p->m * p->k) : 0;
}

static int64_t along_rows(const struct gr_product *p, enum kind kind)
{
    const int64_t wide = vectors(p, p->n), strips = parts_of(p->n, p->ukr->strided_cols);
    return (is_few_steps(p, wide)
                ? in_few_steps(p, kind, wide)
                : multiplied(p, kind, p->m, p->n, costs[ROW][kind], costs[WRITTEN][kind])) -
           costs[ROW][kind] * gr_gemm_spared(p) +
           (p->b_col == 1 ? 0 : transposed_b(p, kind, wide)) +
           strips * far_vectors(p) *
               (p->a_col == 1 ? costs[FAR_ROW][kind] : costs[FAR_COLUMN][kind]);
}

/* Many columns of C are divided into tiles of about 16 columns of two vectors, each of which is
 * written to a buffer first. */
static int64_t tiles_beside(const struct gr_product *p)
{
    enum { COLUMNS = 16 };
    return p->n / COLUMNS * ((vectors(p, p->m) + 1) / 2);
}

/* Writing a C whose rows are contiguous from vectors along its columns: four columns of four or
 * more rows side by side, and those that are left over, two of them as fast as one. A single column
 * is written four elements at a time. */
static int64_t scattered(const struct gr_product *p, enum kind kind)
{
    if (p->n == 1)
        return costs[ANY_SCATTERED][kind] + p->m * costs[SCATTERED_COLUMN][kind];
    const int64_t left = p->n % 4, writes = p->n / 4 + (left + 1) / 2;
    return costs[ANY_SCATTERED][kind] + tiles_beside(p) * costs[SCATTERED_TILE][kind] +
           (p->m >= 4 ? gr_round_up(p->m, 4) * writes : p->m * p->n) * costs[SCATTERED][kind];
}

/* The same from registers, in groups of columns by pairs of vectors; no vector is written before.
 * Whatever beta is, as the choice must not depend on it. */
static int64_t directly(const struct gr_product *p, enum kind kind)
{
    const int64_t group = UKR_DIRECT_GROUP, groups = (p->n + group - 1) / group;
    const int64_t sums = gr_max64(p->n, p->n < group ? 0 : groups * group);
    const bool narrow = gr_gemm_executes_halves(p) && gr_gemm_ukr_for(p, p->m) != p->ukr;
    const int64_t spared = !narrow ? 0 : p->m <= p->ukr->lanes ? sums / 4 : sums / 2;
    const int64_t writes = p->n == 3 ? 2 : groups; /* three are two and one */
    const bool eight = p->ukr->lanes * p->bytes == 64 && p->n >= 2 * group; /* rows, transposed */
    const int64_t written = gr_round_up(p->m, 4) * writes, wide = vectors(p, p->m);
    const int64_t tiles = (wide + 1) / 2 * (eight ? (groups + 1) / 2 : groups);
    return costs[ANY_DIRECT][kind] +
           p->k * gr_max64((sums * wide - spared) * costs[COLUMN][kind],
                           tiles * costs[LATENCY][kind]) +
           (eight ? written * costs[TWO_DIRECT_BY_EIGHT][kind] / 2 : written * costs[DIRECT][kind]);
}

static int64_t along_columns(const struct gr_product *p, enum kind kind)
{
    if (!gr_gemm_columns_fit(p))
        return GR_GEMM_IMPOSSIBLE;
    const int64_t strips = p->a_row == 1
                               ? 0
                               : transposed(p, kind, p->m, p->k, costs[TRANSPOSED_A][kind]) +
                                     gr_gemm_columns_strips(p) * costs[ANY_STRIP][kind];
    if (p->ldc != 1 && !p->few_sums_log2 && ukr_is_direct(p->ukr->lanes, p->n, p->m, p->k))
        return strips + directly(p, kind);
    const int64_t tile = p->ukr->strided_rows[p->ukr->strided_cols / p->ukr->lanes - 1];
    return strips +
           multiplied(p, kind, p->n, p->m, costs[COLUMN][kind], costs[WRITTEN_COLUMN][kind]) +
           (p->ldc == 1 ? 0 : scattered(p, kind)) +
           parts_of(p->n, tile) * far_vectors(p) * costs[FAR_ALONG_COLUMNS][kind];
}

/* So many dot products, in tiles of three rows of A and four columns of B, and the lanes of their
 * sums, of which those of narrower vectors are fewer. On a CPU that does not execute halves, the
 * costs of whole vectors decide for both. */
static int64_t added_up(const struct gr_product *p, enum kind kind)
{
    enum { DOWN = 3, ACROSS = 4 };
    const int64_t lanes = gr_gemm_ukr_for_dots(p, p->k)->lanes, dots = p->m * p->n;
    const int64_t two =
        is_single_row(p) ? costs[TWO_OF_SINGLE_ROW_ADDED_UP][kind] : costs[TWO_ADDED_UP][kind];
    if (lanes != p->ukr->lanes && gr_gemm_executes_halves(p))
        return dots * (gr_cdiv(p->k, lanes) * costs[DOT][kind] + costs[TWO_NARROW_ADDED_UP][kind]) /
               2;
    const int64_t across = parts_of(p->n, ACROSS), down = parts_of(p->m, DOWN);
    const int64_t loaded = p->m * across + p->n * down;
    return vectors(p, p->k) * gr_max64(dots * costs[DOT][kind], loaded * costs[DOT_LOADED][kind]) +
           dots * two / 2 + across * down * costs[DOT_TILE][kind];
}

/* Rows that do not stay in L1 are read again for each group of columns. */
static int64_t along_k(const struct gr_product *p, enum kind kind)
{
    if (p->a_col != 1 && p->b_row != 1)
        return GR_GEMM_IMPOSSIBLE;
    const int64_t rows = gr_gemm_dots_exchanged(p) ? p->n : p->m;
    const bool partial = (p->k & (p->ukr->lanes - 1)) != 0;
    const int64_t near = costs[ANY_DOTS][kind] + added_up(p, kind) +
                         rows * (partial ? costs[PARTIAL_ROW][kind] : costs[WHOLE_ROW][kind]);
    const int64_t in_place = rows * p->k * p->bytes <= NEAR_DOTS_BYTES
                                 ? near
                                 : near + near * costs[FAR_DOTS][kind] / 100;
    if (p->a_col == 1 && p->b_row == 1)
        return in_place;
    const int64_t few = p->a_col != 1 ? p->m : p->n;
    const int64_t copy = transposed(p, kind, p->k, few, costs[TRANSPOSED_DOTS][kind]);
    return in_place + (gr_gemm_dots_fit(p) ? costs[ANY_DOTS_COPY][kind] + copy
                                           : costs[ANY_DOTS_BUFFER][kind] + 2 * copy);
}

static int64_t estimate(const struct gr_product *p, enum kind kind, enum gr_direction direction)
{
    switch (direction) {
    case GR_ALONG_COLUMNS:
        return along_columns(p, kind);
    case GR_ALONG_K:
        return along_k(p, kind);
    default:
        return along_rows(p, kind);
    }
}

int64_t gr_gemm_cycles(const struct gr_product *p, enum gr_direction direction)
{
    const int64_t hundredths = estimate(p, kind_of(p), direction);
    return hundredths == GR_GEMM_IMPOSSIBLE ? hundredths : hundredths / 100;
}
