/* ukr_amx.h: the 32 x 32 micro-kernel of AMX, for each of its instructions.
 * SPDX-License-Identifier: MIT
 *
 * The including file defines S (the type of the sums), BYTES (of an element), V with load, store,
 * load_tail, store_tail, mul, madd, broadcast, tail_of and LANES as for ukr_dot.h, and
 *
 *     tile_dot(c, a, b)   one of the _tile_dp… intrinsics, on the numbers of three tile registers
 *
 * A tile register has 16 rows of 64 bytes. C is 2 x 2 tiles of 16 x 16 sums, in registers 0 to 3. A
 * step of the loop loads 64 bytes of each row of A into registers 4 and 5, and 16 units of each
 * column of B into 6 and 7: 4 loads feed 4 products of 16 cycles each.
 *
 *                      6: units of columns 0..15   7: of columns 16..31
 *     4: rows 0..15    0                           1
 *     5: rows 16..31   2                           3
 *
 * Panels have zeros beyond the real elements, so that all their tiles are whole. Rows of A in place
 * are copied for a tile if there are fewer of them than a tile has, or if they are shorter. Up to
 * 16 rows or columns need half of the tiles. The sums of a whole tile of C start from C itself, or
 * from 0, and are stored to C directly if alpha is 1 and beta is 0 or 1; otherwise, and at an edge,
 * they start from 0 and are written to C through `sums`. */
#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

enum { MR = 32, NR = 32, TILE = 16, TILE_BYTES = 64 };

/* The memory operand of ldtilecfg. */
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

/* This is a constant and not a local variable of begin(): GCC's intrinsic tells the compiler only
 * that the first 8 bytes are read, so it would omit the stores of the others. */
static const _Alignas(64) struct tile_config config = {
    .palette = 1,
    .row_bytes = {TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES,
                  TILE_BYTES, TILE_BYTES},
    .rows = {TILE, TILE, TILE, TILE, TILE, TILE, TILE, TILE},
};

/* The eight registers are configured once for many tiles, because this takes as long as some
 * products. */
static void begin(void)
{
    _tile_loadconfig(&config);
}

static void end(void)
{
    _tile_release();
}

/* Loads the high x wide tiles of C, whose rows are `row_bytes` apart. */
INLINE void load_tiles(int high, int wide, const S *c, int64_t row_bytes)
{
    const char *rows = (const char *)c, *lower = rows + TILE * row_bytes;
    _tile_loadd(0, rows, row_bytes);
    if (wide > 1)
        _tile_loadd(1, rows + TILE_BYTES, row_bytes);
    if (high > 1)
        _tile_loadd(2, lower, row_bytes);
    if (high > 1 && wide > 1)
        _tile_loadd(3, lower + TILE_BYTES, row_bytes);
}

INLINE void zero_tiles(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

INLINE void store_tiles(int high, int wide, S *c, int64_t row_bytes)
{
    char *rows = (char *)c, *lower = rows + TILE * row_bytes;
    _tile_stored(0, rows, row_bytes);
    if (wide > 1)
        _tile_stored(1, rows + TILE_BYTES, row_bytes);
    if (high > 1)
        _tile_stored(2, lower, row_bytes);
    if (high > 1 && wide > 1)
        _tile_stored(3, lower + TILE_BYTES, row_bytes);
}

/* C = alpha * sums + beta * C for the m rows and n columns. */
static void update(int64_t m, int64_t n, const S *sums, const S *alpha, const S *beta, S *c,
                   int64_t ldc)
{
    for (int64_t i = 0; i < m; i++, sums += NR, c += ldc)
        for (int64_t j = 0; j < n; j += LANES) {
            const Tail tail = tail_of((int)(n - j < LANES ? n - j : LANES));
            V x = mul(broadcast(*alpha), load(sums + j));
            if (*beta != 0)
                x = madd(broadcast(*beta), load_tail(c + j, tail), x);
            store_tail(c + j, tail, x);
        }
}

/* The rows of A for a tile, which are `step` bytes apart. */
struct tile_rows {
    const char *at;
    int64_t step;
};

/* Returns 64 bytes of 16 rows. Only `rows` of them exist, with `bytes` bytes left: in place, or a
 * copy with zeros for what is missing. */
INLINE struct tile_rows rows_at(const char *a, int64_t step, int64_t rows, int64_t bytes,
                                char *copy)
{
    if (rows >= TILE && bytes >= TILE_BYTES)
        return (struct tile_rows){a, step};
    const __mmask64 real = bytes >= TILE_BYTES ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
    for (int64_t i = 0; i < TILE; i++) {
        const __mmask64 read = i < rows ? real : 0;
        const char *row = i < rows ? a + i * step : a;
        _mm512_storeu_si512(copy + i * TILE_BYTES, _mm512_maskz_loadu_epi8(read, row));
    }
    return (struct tile_rows){copy, TILE_BYTES};
}

/* The rows of A are `a_step` bytes apart; `rows` of them exist, with `a_bytes` bytes each. `sums`
 * has space for the sums of the tiles and, before these are stored, for copies of rows of A. */
INLINE void multiply(int high, int wide, int64_t m, int64_t n, const S *alpha, const char *a,
                     int64_t a_step, int64_t rows, int64_t a_bytes, const char *b, const S *beta,
                     S *c, int64_t ldc, S *sums)
{
    char *upper_copy = (char *)sums, *lower_copy = upper_copy + TILE * TILE_BYTES;
    const bool whole = m == MR && n == NR && *alpha == 1, adds = *beta == 1;
    if (whole && adds)
        load_tiles(high, wide, c, ldc * (int64_t)sizeof(S));
    else
        zero_tiles();
    for (; a_bytes > 0; a_bytes -= TILE_BYTES, a += TILE_BYTES, b += TILE * NR * 4) {
        const struct tile_rows upper = rows_at(a, a_step, rows, a_bytes, upper_copy);
        _tile_loadd(4, upper.at, upper.step);
        _tile_loadd(6, b, NR * 4);
        tile_dot(0, 4, 6);
        if (wide > 1) {
            _tile_loadd(7, b + TILE_BYTES, NR * 4);
            tile_dot(1, 4, 7);
        }
        if (high == 1)
            continue;
        const struct tile_rows lower =
            rows_at(a + TILE * a_step, a_step, rows - TILE, a_bytes, lower_copy);
        _tile_loadd(5, lower.at, lower.step);
        tile_dot(2, 5, 6);
        if (wide > 1)
            tile_dot(3, 5, 7);
    }
    if (whole && (adds || *beta == 0)) {
        store_tiles(high, wide, c, ldc * (int64_t)sizeof(S));
        return;
    }
    store_tiles(high, wide, sums, NR * (int64_t)sizeof(S));
    update(m, n, sums, alpha, beta, c, ldc);
}

/* There is code for each number of tiles. For few rows, it takes half as much stack, because the
 * packed operands of a small product are on the stack, too (gemm_mixed.c). */
static __attribute__((noinline)) void few_rows(int64_t m, int64_t n, const S *alpha, const char *a,
                                               int64_t a_step, int64_t rows, int64_t a_bytes,
                                               const char *b, const S *beta, S *c, int64_t ldc)
{
    _Alignas(64) S sums[TILE * NR];
    if (n > TILE)
        multiply(1, 2, m, n, alpha, a, a_step, rows, a_bytes, b, beta, c, ldc, sums);
    else
        multiply(1, 1, m, n, alpha, a, a_step, rows, a_bytes, b, beta, c, ldc, sums);
}

static __attribute__((noinline)) void many_rows(int64_t m, int64_t n, const S *alpha, const char *a,
                                                int64_t a_step, int64_t rows, int64_t a_bytes,
                                                const char *b, const S *beta, S *c, int64_t ldc)
{
    _Alignas(64) S sums[MR * NR];
    if (n > TILE)
        multiply(2, 2, m, n, alpha, a, a_step, rows, a_bytes, b, beta, c, ldc, sums);
    else
        multiply(2, 1, m, n, alpha, a, a_step, rows, a_bytes, b, beta, c, ldc, sums);
}

INLINE void multiply_rows(int64_t m, int64_t n, const S *alpha, const char *a, int64_t a_step,
                          int64_t rows, int64_t a_bytes, const char *b, const S *beta, S *c,
                          int64_t ldc)
{
    (m > TILE ? many_rows : few_rows)(m, n, alpha, a, a_step, rows, a_bytes, b, beta, c, ldc);
}

static void packed(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, const void *b,
                   const void *beta, void *c, int64_t ldc)
{
    const int64_t a_step = ukr_row_bytes(k, BYTES);
    multiply_rows(m, n, alpha, (const char *)a + UKR_HEAD, a_step, MR, a_step - UKR_HEAD, b, beta,
                  c, ldc);
}

/* AMX has an instruction for each combination of signedness, so all sums start from 0. */
static void rows(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                 int64_t row_bytes, const void *starts, int64_t start_step, const void *b,
                 const void *beta, void *c, int64_t ldc)
{
    (void)starts, (void)start_step;
    multiply_rows(m, n, alpha, a, row_bytes, m, k * BYTES, b, beta, c, ldc);
}
