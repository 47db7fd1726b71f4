/* ukr.h: what a CPU kernel can receive in addition to its operands: a micro-kernel (`ukr`) and
 * threads (`team`). SPDX-License-Identifier: MIT
 *
 * A kernel file requests them by the names of its parameters:
 *
 *     void packed(int64_t M, …, const struct ukr *ukr, struct gr_team *team)
 *
 * This header is also written to a file for the compiler of a user's kernel, so it includes no
 * other header of Gradus.
 *
 * THE MICRO-KERNEL multiplies two packed micro-panels and adds the product to a tile of C that
 * stays in registers:
 *
 *     C[0:m, 0:n] = alpha * A[0:m, 0:k] * B[0:k, 0:n] + beta * C[0:m, 0:n]      m <= mr, n <= nr
 *
 *                                      B: k steps of nr elements
 *                                      +------nr------+   b[p*nr + j]
 *                                      | 0  1 ... nr-1|
 *                                    k | nr nr+1 ...  |   step p is one row
 *                                      v              v
 *     A: k steps of mr elements        +--------------+
 *        +-------k------->             |              |
 *     mr | 0 mr 2mr       a[p*mr + i]  |   C (m x n)  |   c[i*ldc + j], row-major
 *        | 1 mr+1         step p is    |              |
 *        v                one column   +--------------+
 *
 * Rules, for callers and for writers of micro-kernels:
 *
 *     - k may be 0: the product is then 0.
 *     - If beta is 0, C is never read, so that a NaN in it has no effect.
 *     - Nothing outside C[0:m, 0:n] is read or written, even if m < mr or n < nr: edges are
 *       computed with masks and shorter loops, never by padding C.
 *     - Rows m..mr-1 of A are never read. Columns n..nr-1 of B are read and must hold copies of
 *       column n-1: lanes whose results are not used then raise no floating-point flag that a
 *       real lane does not raise.
 *     - a and b need no alignment beyond that of an element; a b that is aligned to 64 bytes is
 *       faster.
 *     - alpha and beta point to values of the element type. They stay in memory until the
 *       product is complete, because the sums of a tile fill the register file.
 *     - The micro-kernel prefetches C for writing. It needs the next panel of B from L3 earlier
 *       than the hardware prefetchers load it; run_ahead prefetches it.
 *
 * SHORT TYPES (bf16, 8-bit integers) have sums of another type, float or int32_t, and panels of
 * another kind, because their instructions multiply several steps of k at once. For them, the
 * following replaces the above:
 *
 *     - A *unit* is 4 bytes of one row of A or one column of B: 4 steps of bytes, or 2 of 16 bits.
 *     - B: b[(p*nr + j)*4] is unit p of column j. The number of units is a multiple of 16.
 *     - A: mr rows follow one another, ukr_row_bytes() each: UKR_HEAD bytes, then the units of the
 *       row, then zeros. The first 4 bytes of the head are the number from which the sums of that
 *       row start.
 *     - Units beyond k, rows beyond m and columns beyond n hold zeros.
 *     - alpha, beta and C have the type of the sums; integers are modulo 2^32.
 *     - `type` says what the panels hold: "bf16"; "u8s8", "s8u8", "s8s8", "u8u8": the bytes of A,
 *       then those of B; "s16": bytes of either sign, widened. run_strided is null.
 *     - begin and end, if they are not null, are called by the thread that calls run or run_rows,
 *       before and after a number of tiles. */
#ifndef UKR_H
#define UKR_H

#include <stdint.h>

/* The micro-kernel on packed panels, as above. */
typedef void ukr_packed_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                           const void *b, const void *beta, void *c, int64_t ldc);

/* The same, and prefetches memory into L2 that this call does not read: every UKR_AHEAD_STEPS
 * steps, nr elements, first at `ahead` and then ahead_step bytes further each time. A caller
 * distributes the memory that it needs next over its calls. */
enum { UKR_AHEAD_STEPS = 4 };
typedef void ukr_ahead_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                          const void *b, const void *beta, void *c, int64_t ldc, const void *ahead,
                          int64_t ahead_step);

/* The same on operands in place: A[i,p] is a[i*a_row + p*a_step] and B[p,j] is b[p*b_step + j]. m
 * and n are any numbers; columns from n on are not read. This is for products that are too small
 * for packing to be worth its time. Rows are divided into tiles of nearly equal parts. A tile of v
 * vectors, the last of which may be partial, has up to strided_rows[v-1] rows, so that narrower
 * tiles may have more rows than mr. */
enum { UKR_STORES_WAIT = 1, UKR_STORES_PASS = 2, UKR_STORES_OF_TILES = 3 };
struct ukr_strided {
    int64_t m, n, k;
    const void *alpha, *a;
    int64_t a_row, a_step;
    const void *b;
    int64_t b_step;
    const void *beta;
    void *c;
    int64_t ldc;
    /* How few steps of k should write C (ukr_few_steps.h). UKR_STORES_WAIT: so that stores do not
     * wait for lines of C that come from L2; tiles prefetch these, too (ukr_in_place.h),
     * and a single row whose elements are far apart is computed in long strips (ukr_row_apart.h).
     * UKR_STORES_PASS: past the caches, as C is larger.
     * UKR_STORES_OF_TILES: a C of more vectors than a tile has is written by tiles, or in strips of
     * a few columns. */
    int stores_wait;
};
typedef void ukr_strided_fn(const struct ukr_strided *product);
/* With vectors of 32 bytes, up to so many rows are computed in broad tiles (ukr_broad.h). */
enum { UKR_BROAD_ROWS = 4 };

/* Whether run_transposed, for m rows of A, n columns of B and k steps, writes C from registers if
 * beta is 0. It does so in groups of four or eight rows, the last of which are computed twice if m
 * is not a multiple; and only if this takes less time than writing through a buffer. Two or three
 * rows are a group of their own, of up to two vectors of columns, where a tile that is written
 * through a buffer has up to four. */
enum { UKR_DIRECT_STEPS = 64, UKR_DIRECT_FEW_STEPS = 12, UKR_DIRECT_GROUP = 4 };
static inline int ukr_is_direct(int64_t lanes, int64_t m, int64_t n, int64_t k)
{
    const int64_t again = -m & (UKR_DIRECT_GROUP - 1);
    if (lanes < UKR_DIRECT_GROUP || m < 2 || k > UKR_DIRECT_STEPS)
        return 0;
    if (m < UKR_DIRECT_GROUP)
        return k <= UKR_DIRECT_FEW_STEPS || n <= 2 * lanes;
    return k * again <= UKR_DIRECT_GROUP * m;
}

/* The same in blocks of `depth` steps of k. The result is that of run_strided, or of run_transposed
 * if `transposed`, called for one block after another, with beta 1 from the second one on. If
 * UKR_FEW_SUMS vectors hold all sums of C, each multiply-add would wait for the one before it; so
 * two blocks are computed side by side, and up to UKR_MOST_BLOCKS if two vectors are enough. k is
 * at least UKR_FEW_SUMS_STEPS and at most UKR_MOST_BLOCKS * depth, and the last block has at least
 * one step. */
enum { UKR_FEW_SUMS = 4, UKR_MOST_BLOCKS = 4, UKR_FEW_SUMS_STEPS = 16 };
typedef void ukr_few_sums_fn(const struct ukr_strided *product, int64_t depth, int transposed);

/* The arguments of run_thin are the same, for up to mr rows, any number of columns, and a B that is
 * read once. If k is at most UKR_THIN_STEPS, B is read row by row, which is best for a B in memory.
 * With more than UKR_THIN_FEW rows, k is larger, mostly UKR_THIN_DEPTH, and B is read down its
 * rows, one tile's width at a time; each column of A is then contiguous: a_row is 1 and a_step is
 * m. */
enum { UKR_THIN_FEW = 2, UKR_THIN_STEPS = 8, UKR_THIN_DEPTH = 128 };

/* A whole tile, mr x nr, of operands in place, as of run_strided, which also packs B into `panel`:
 *
 *     C[0:mr, 0:nr] = alpha * A * B + beta * C,   panel[p*nr + j] = B[p,j]
 *
 * B may come from memory. The memory that will be read after B begins at `next`, and its first rows
 * are prefetched. */
typedef void ukr_packing_fn(int64_t k, const void *alpha, const void *a, int64_t a_row,
                            int64_t a_step, const void *b, int64_t b_step, const void *next,
                            const void *beta, void *c, int64_t ldc, void *panel);

/* Dot products of rows with rows, where both operands are contiguous along k:
 *
 *     C[i,j] = alpha * sum over p of A[i,p] * B[j,p] + beta * C[i,j]
 *
 * with A[i,p] at a[i*a_row + p], B[j,p] at b[j*b_row + p] and C[i,j] at c[i*c_row + j*c_col]; m and
 * n are any numbers. A may come from memory, and is read once for every 8 or fewer columns. Each
 * sum is added from partial sums, in an order that depends on k alone. */
typedef void ukr_dots_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                         int64_t a_row, const void *b, int64_t b_row, const void *beta, void *c,
                         int64_t c_row, int64_t c_col);
/* run_few_dots: the same for up to UKR_FEW_DOTS elements of C, in another order of additions,
 * because each multiply-add would otherwise wait for the one before it. */
enum { UKR_FEW_DOTS = 4 };

/* For short types, with rows of A in place and a packed B. Row i is at a + i*row_bytes, and k is a
 * multiple of the steps of a unit, unless begin is not null. The sums of row i start from
 * starts[i*start_step]. */
typedef void ukr_rows_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                         int64_t row_bytes, const void *starts, int64_t start_step, const void *b,
                         const void *beta, void *c, int64_t ldc);

/* For short types, with both operands in place: A[i,p] is at a + i*a_row + p*a_step and B[p,j] at b
 * + p*b_step, j elements further, where strides are in bytes. m is at most mr, n any number. Each
 * unit of B is combined with `flip` by an exclusive or; the sums of row i start from
 * starts[i*start_step]. The result is the same as that of run in every bit. */
typedef void ukr_in_place_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                             int64_t a_row, int64_t a_step, const void *starts, int64_t start_step,
                             const void *b, int64_t b_step, int32_t flip, const void *beta, void *c,
                             int64_t ldc);

/* For short types, dot products of rows with rows: A[i,p] is p elements after a + i*a_row, B[p,j] p
 * elements after b + j*b_row (in bytes), and C[i,j] is c[i*c_row + j*c_col]. The sums are added
 * from partial sums, so that they may be rounded in another way than those of run. m and n are any
 * numbers; all rows of A are read once for every 8 rows of B. */
typedef void ukr_short_dots_fn(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                               int64_t a_row, const void *starts, int64_t start_step, const void *b,
                               int64_t b_row, int32_t flip, const void *beta, void *c,
                               int64_t c_row, int64_t c_col);

struct ukr {
    const char *name;     /* "f32_9x48_avx512", as in the file's name */
    const char *type;     /* "f32", "f64", or of the short types */
    const char *isa;      /* "portable", "avx2", "avx512", "neon", or an extension: "avx512vnni" */
    int64_t mr, nr;       /* rows and columns of the tile that it keeps in registers */
    int64_t lanes;        /* elements of a vector; nr is a multiple */
    int64_t strided_cols; /* the largest n of run_strided: nr or more */
    int64_t strided_rows[4]; /* the largest number of rows of a tile, by its number of vectors */
    /* Up to this many steps of k, run_strided is fastest with all columns of C in one call, even if
     * B is not in L1, because it then writes C row by row and not in tiles. */
    int64_t few_steps;
    /* Block sizes (Goto and van de Geijn 2008) for caches of 1 MB and 16 MB: mc x kc of A in L2, kc
     * x nc of B in L3. The library enlarges mc and nc if the CPU has larger caches. */
    int64_t mc, kc, nc;
    int preference; /* among several of the same type and ISA, the highest is chosen */
    /* Null if the micro-kernel is for small products only, in addition to a wider one of the same
     * ISA (gr_ukr_for). The block sizes are 0 then, and of the eight functions below it has
     * run_strided, run_transposed, run_few_sums and those of dot products. */
    ukr_packed_fn *run;
    /* These eight are null for short types. */
    ukr_ahead_fn *run_ahead;
    ukr_strided_fn *run_strided;
    /* As run_strided, but C is written transposed: C[i,j] is c[j*ldc + i]. */
    ukr_strided_fn *run_transposed;
    ukr_few_sums_fn *run_few_sums;
    ukr_strided_fn *run_thin;
    ukr_packing_fn *run_packing;
    ukr_dots_fn *run_dots, *run_few_dots;
    ukr_rows_fn *run_rows; /* null for f32 and f64 */
    /* Null for f32, f64, and if there is none; operands are then packed. */
    ukr_in_place_fn *run_in_place;
    ukr_short_dots_fn *run_short_dots;
    void (*begin)(void), (*end)(void);
};

/* Short types: the offset of the elements in a row of A, and the length of a row. If the elements
 * are an even number of cache lines, as for most block sizes, the length is an odd number, so that
 * rows do not compete for the same cache sets. */
enum { UKR_HEAD = 64 };
static inline int64_t ukr_row_bytes(int64_t k, int64_t element_bytes)
{
    return UKR_HEAD + (k * element_bytes + 63) / 64 * 64;
}

/* Threads that share a loop. run() calls body(context, tile, thread) once for each tile in
 * 0..tiles-1, from several threads at a time, and returns when all are done. Each thread first
 * takes the tiles of its own share, one after another, and then those that are left in the shares
 * of the others, so that little time is lost if tiles take different times or the machine is busy.
 * `thread` is in 0..threads-1, and no two bodies run with the same `thread` at the same time, so it
 * can index scratch memory of the thread. run() must not be called from within a body. */
struct gr_team {
    int threads;
    void (*run)(struct gr_team *team, int64_t tiles,
                void (*body)(void *context, int64_t tile, int thread), void *context);
};

#endif
