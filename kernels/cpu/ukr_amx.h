/* ukr_amx.h: the 32 x 32 micro-kernel of AMX, for each of its products. SPDX-License-Identifier:
 * MIT
 *
 * The including file defines S (the type of the sums), BYTES (of an element), V with load, store,
 * load_tail, store_tail, mul, madd, broadcast, tail_of and LANES as for ukr_dot.h, and
 *
 *     tile_dot(c, a, b)   one of the _tile_dp… instructions on tiles by number
 *
 * A tile register has 16 rows of 64 bytes. C is 2 x 2 tiles of 16 x 16 sums. A step of the loop
 * reads 64 bytes of each row of A and 16 units of each column of B: 4 loads feed 4 products of 16
 * cycles each.
 *
 *                      6: units of columns 0..15   7: of columns 16..31
 *     4: rows 0..15    0                           1
 *     5: rows 16..31   2                           3
 *
 * The panels are whole in both directions, with zeros beyond the real elements, so no tile has an
 * edge. The sums of a whole tile start from C itself, or from 0, and are stored to C directly; at
 * an edge, or with another alpha or beta, they start from 0 and pass through `sums`. */
#include <stdbool.h>

enum { MR = 32, NR = 32, TILE = 16, TILE_BYTES = 64 };

/* Memory operand of ldtilecfg. */
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

/* This is a constant and not a variable of begin(): GCC's intrinsic informs the compiler of the
 * first 8 bytes only, and it would leave out the stores of the others. */
static const _Alignas(64) struct tile_config config = {
    .palette = 1,
    .row_bytes = {TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES, TILE_BYTES,
                  TILE_BYTES, TILE_BYTES},
    .rows = {TILE, TILE, TILE, TILE, TILE, TILE, TILE, TILE},
};

/* The eight registers are configured once for many tiles: configuring them takes as long as some
 * products. */
static void begin(void)
{
    _tile_loadconfig(&config);
}

static void end(void)
{
    _tile_release();
}

/* All four tiles of C, rows of `row_bytes` at `c`. */
static inline void load_tiles(const S *c, int64_t row_bytes)
{
    const char *rows = (const char *)c, *lower = rows + TILE * row_bytes;
    _tile_loadd(0, rows, row_bytes);
    _tile_loadd(1, rows + TILE_BYTES, row_bytes);
    _tile_loadd(2, lower, row_bytes);
    _tile_loadd(3, lower + TILE_BYTES, row_bytes);
}

static inline void zero_tiles(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

static inline void store_tiles(S *c, int64_t row_bytes)
{
    char *rows = (char *)c, *lower = rows + TILE * row_bytes;
    _tile_stored(0, rows, row_bytes);
    _tile_stored(1, rows + TILE_BYTES, row_bytes);
    _tile_stored(2, lower, row_bytes);
    _tile_stored(3, lower + TILE_BYTES, row_bytes);
}

/* alpha * sums + beta * C for the real rows and columns. */
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

static void packed(int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, const void *b,
                   const void *beta, void *c, int64_t ldc)
{
    const int64_t row_bytes = ukr_row_bytes(k, BYTES), chunks = row_bytes / TILE_BYTES - 1;
    const char *upper = (const char *)a + UKR_HEAD, *lower = upper + TILE * row_bytes;
    const char *left = b;
    const bool whole = m == MR && n == NR && *(const S *)alpha == 1, adds = *(const S *)beta == 1;
    if (whole && adds)
        load_tiles(c, ldc * (int64_t)sizeof(S));
    else
        zero_tiles();
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        _tile_loadd(4, upper, row_bytes);
        _tile_loadd(6, left, NR * 4);
        tile_dot(0, 4, 6);
        _tile_loadd(7, left + TILE_BYTES, NR * 4);
        tile_dot(1, 4, 7);
        _tile_loadd(5, lower, row_bytes);
        tile_dot(2, 5, 6);
        tile_dot(3, 5, 7);
        upper += TILE_BYTES, lower += TILE_BYTES, left += TILE * NR * 4;
    }
    if (whole && (adds || *(const S *)beta == 0)) {
        store_tiles(c, ldc * (int64_t)sizeof(S));
        return;
    }
    _Alignas(64) S sums[MR * NR];
    store_tiles(sums, NR * (int64_t)sizeof(S));
    update(m, n, sums, alpha, beta, c, ldc);
}
