/* lanes_memory.h: the addresses of a warp's access, and the transfer of its data if all lanes are
 * active; a part of lanes_ops.h. SPDX-License-Identifier: MIT */
#ifndef MACHINE_LANES_MEMORY_H
#define MACHINE_LANES_MEMORY_H

#include "machine/access_flags.h"
#include "machine/lanes_loops.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

/* step->s[at] is the base, step->s[at + 1] the uniform register, and step->value the offset. */
__attribute__((unused)) static void addresses(const struct gr_warp *restrict warp,
                                              const struct gr_step *restrict step, int at,
                                              uint64_t *restrict address)
{
    const gr_lanes *base = gr_source_of(warp, &step->s[at]);
    const gr_lanes *uniform = gr_source_of(warp, &step->s[at + 1]);
    const uint32_t *low = base[0], *high = base[1];
    const int scale = (int)(step->flags >> GR_ACCESS_SCALE & 7);
    if (!(step->flags & GR_ACCESS_WIDE)) {
        const uint32_t more = uniform[0][0] + (uint32_t)step->value;
        LOOP address[i] = (uint32_t)((low[i] << scale) + more);
        return;
    }
    const uint64_t more = pair(uniform[0][0], uniform[1][0]) + (uint64_t)step->value;
    if (step->flags & GR_ACCESS_PAIR)
        LOOP address[i] = pair(low[i], high[i]) + more;
    else
        LOOP address[i] = ((uint64_t)low[i] << scale) + more;
}

/* Returns the lanes whose address has a bit of `odd` set, or is not between `lo` and `last`. */
__attribute__((unused)) static uint32_t strays(const uint64_t *address, uint64_t odd, uint64_t lo,
                                               uint64_t last)
{
    const uint64_t span = last - lo;
#if defined __AVX512F__
    const __m512i vo = _mm512_set1_epi64((int64_t)odd), vl = _mm512_set1_epi64((int64_t)lo),
                  vs = _mm512_set1_epi64((int64_t)span);
    uint32_t mask = 0;
    for (int i = 0; i < GR_WARP_LANES; i += 8) {
        const __m512i a = _mm512_loadu_si512(address + i);
        const __mmask8 out = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(a, vl), vs);
        mask |= (uint32_t)(uint8_t)(out | _mm512_test_epi64_mask(a, vo)) << i;
    }
    return mask;
#else
    uint64_t any = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        any |= (address[i] & odd) | (uint64_t)(address[i] - lo > span);
    if (any == 0)
        return 0;
    uint32_t mask = 0;
    for (int i = 0; i < GR_WARP_LANES; i++)
        mask |= (uint32_t)((address[i] & odd) != 0 || address[i] - lo > span) << i;
    return mask;
#endif
}

/* The same, and computes the places of the lanes' accesses, `base` + address. */
__attribute__((unused)) static uint32_t places(const uint64_t *restrict address, uint64_t odd,
                                               uint64_t lo, uint64_t last, unsigned char *base,
                                               unsigned char **restrict at)
{
    LOOP at[i] = (unsigned char *)((uintptr_t)base + address[i]);
    return strays(address, odd, lo, last);
}

/* Is the distance of each lane's address from the first lane's as in `offset`? */
__attribute__((unused)) static bool are_apart(const uint64_t *restrict address,
                                              const int64_t *restrict offset)
{
    const uint64_t first = address[0];
    uint64_t differs = 0;
    LOOP differs |= (address[i] - first) ^ (uint64_t)offset[i];
    return differs == 0;
}

/* The places of the 32 lanes' accesses of `bytes` bytes: all the same, or consecutive. */
enum arrangement { SCATTERED, SAME, CONTIGUOUS };

static inline enum arrangement arrangement_of(unsigned char *const *at, uint64_t bytes)
{
    const uint64_t first = (uint64_t)(uintptr_t)at[0];
    uint64_t moves = 0, differs = 0;
    LOOP
    {
        const uint64_t offset = (uint64_t)(uintptr_t)at[i] - first;
        moves |= offset;
        differs |= offset ^ (uint64_t)i * bytes;
    }
    return moves == 0 ? SAME : differs == 0 ? CONTIGUOUS : SCATTERED;
}

static inline void fill_word(uint32_t *restrict d, uint32_t word)
{
    LOOP d[i] = word;
}

/* Vectors of four words from each of several rows, which are transposed. A register's vector is
 * thus stored at once, and a load by the next instruction need not wait for several partial
 * stores. */
#if defined __AVX512F__
typedef __m512i rows;
enum { ROWS = 16 };
#define LOW_WORDS _mm512_unpacklo_epi32
#define HIGH_WORDS _mm512_unpackhi_epi32
#define LOW_PAIRS _mm512_unpacklo_epi64
#define HIGH_PAIRS _mm512_unpackhi_epi64

static inline __m128i row_of(const unsigned char *at, int words)
{
    return words == 4 ? _mm_loadu_si128((const __m128i *)(const void *)at)
                      : _mm_loadl_epi64((const __m128i *)(const void *)at);
}

/* Rows j, j + 4, j + 8 and j + 12. */
static inline rows read_rows(unsigned char *const *at, int words)
{
    rows r = _mm512_castsi128_si512(row_of(at[0], words));
    r = _mm512_inserti32x4(r, row_of(at[4], words), 1);
    r = _mm512_inserti32x4(r, row_of(at[8], words), 2);
    return _mm512_inserti32x4(r, row_of(at[12], words), 3);
}

static inline void store_column(uint32_t *d, rows r)
{
    _mm512_store_si512(d, r);
}
#elif defined __SSE2__
typedef __m128i rows;
enum { ROWS = 4 };
#define LOW_WORDS _mm_unpacklo_epi32
#define HIGH_WORDS _mm_unpackhi_epi32
#define LOW_PAIRS _mm_unpacklo_epi64
#define HIGH_PAIRS _mm_unpackhi_epi64

static inline rows read_rows(unsigned char *const *at, int words)
{
    return words == 4 ? _mm_loadu_si128((const __m128i *)(const void *)at[0])
                      : _mm_loadl_epi64((const __m128i *)(const void *)at[0]);
}

static inline void store_column(uint32_t *d, rows r)
{
    _mm_store_si128((__m128i *)(void *)d, r);
}
#endif

static inline void read_scattered(gr_lanes *restrict d, unsigned char *const *at, int words)
{
    int i = 0;
#if defined __SSE2__
    for (; words > 1 && i < GR_WARP_LANES; i += ROWS) {
        const rows r0 = read_rows(at + i, words), r1 = read_rows(at + i + 1, words);
        const rows r2 = read_rows(at + i + 2, words), r3 = read_rows(at + i + 3, words);
        const rows a = LOW_WORDS(r0, r1), b = LOW_WORDS(r2, r3);
        store_column(&d[0][i], LOW_PAIRS(a, b));
        store_column(&d[1][i], HIGH_PAIRS(a, b));
        if (words == 4) {
            const rows c = HIGH_WORDS(r0, r1), e = HIGH_WORDS(r2, r3);
            store_column(&d[2][i], LOW_PAIRS(c, e));
            store_column(&d[3][i], HIGH_PAIRS(c, e));
        }
    }
#endif
    for (; i < GR_WARP_LANES; i++)
        for (int k = 0; k < words; k++)
            memcpy(&d[k][i], at[i] + 4 * k, 4);
}

/* Reads 1, 2 or 4 words for each lane. */
__attribute__((unused)) static void read_words(gr_lanes *restrict d, unsigned char *const *at,
                                               int words)
{
    const enum arrangement a = arrangement_of(at, 4);
    if (a == SAME) {
        for (int k = 0; k < words; k++) {
            uint32_t word;
            memcpy(&word, at[0] + 4 * k, 4);
            fill_word(d[k], word);
        }
    } else if (a == CONTIGUOUS && words == 1) {
        memcpy(d[0], at[0], sizeof d[0]);
    } else {
        read_scattered(d, at, words);
    }
}

/* Writes 1, 2 or 4 words for each lane. If several lanes write to the same place, the last lane
 * wins. */
__attribute__((unused)) static void write_words(unsigned char *const *at,
                                                const gr_lanes *restrict v, int words)
{
    int i = 0;
    if (words == 1 && arrangement_of(at, 4) == CONTIGUOUS) {
        memcpy(at[0], v[0], sizeof v[0]);
        return;
    }
#if defined __SSE2__
    for (; words == 4 && i < GR_WARP_LANES; i += 4) {
        const __m128i r0 = _mm_load_si128((const __m128i *)(const void *)&v[0][i]);
        const __m128i r1 = _mm_load_si128((const __m128i *)(const void *)&v[1][i]);
        const __m128i r2 = _mm_load_si128((const __m128i *)(const void *)&v[2][i]);
        const __m128i r3 = _mm_load_si128((const __m128i *)(const void *)&v[3][i]);
        const __m128i a = _mm_unpacklo_epi32(r0, r1), b = _mm_unpacklo_epi32(r2, r3);
        const __m128i c = _mm_unpackhi_epi32(r0, r1), e = _mm_unpackhi_epi32(r2, r3);
        _mm_storeu_si128((__m128i *)(void *)at[i], _mm_unpacklo_epi64(a, b));
        _mm_storeu_si128((__m128i *)(void *)at[i + 1], _mm_unpackhi_epi64(a, b));
        _mm_storeu_si128((__m128i *)(void *)at[i + 2], _mm_unpacklo_epi64(c, e));
        _mm_storeu_si128((__m128i *)(void *)at[i + 3], _mm_unpackhi_epi64(c, e));
    }
#endif
    for (; i < GR_WARP_LANES; i++)
        for (int k = 0; k < words; k++)
            memcpy(at[i] + 4 * k, &v[k][i], 4);
}

#endif
