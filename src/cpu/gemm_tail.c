/* gemm_tail.c: the last columns of C, fewer than a vector has lanes, as a product of their own.
 * SPDX-License-Identifier: MIT
 *
 * Along rows, these columns take as long as a whole vector. Where vectors along their columns or
 * along k take less, C is divided: the columns of whole vectors are one product along rows, the
 * others a second one, and each takes its own path. A large product that does not run along rows is
 * not divided, as A would be read twice. Along columns, the blocks of k must be the same as for
 * the whole product, so that the bits are those of a product with an operand packed beforehand. */
#include "cpu/gemm_blocks.h"

/* The cycles of a second product beside those of its arithmetic. A gain of less than one part in
 * SMALL_GAIN is not worth it, or in TINY_GAIN on a CPU that executes halves; nor, of a product that
 * takes longer, is one of less than ANY_GAIN cycles and one part in LONG_GAIN. */
enum { SECOND_CALL = 250, SMALL_GAIN = 8, TINY_GAIN = 16, ANY_GAIN = 250, LONG_GAIN = 20 };

/* Beyond so many multiply-adds, an estimate might not fit into 64 bits. */
static const double MOST_WORK = 1e15;

struct gr_product gr_gemm_columns_of(const struct gr_product *p, int64_t j, int64_t n)
{
    struct gr_product part = *p;
    if (n != p->n) {
        part.known_direction = 0;
        part.few_sums_log2 = 0; /* as of the whole product, which would not be divided otherwise */
    }
    part.n = n;
    part.b += j * p->b_col * p->bytes;
    part.c += j * p->bytes;
    if (p->bias && !p->bias_row)
        part.bias += j * p->bytes;
    return part;
}

/* Whether the product of the last columns has the blocks of k that the whole one has. */
static bool has_same_blocks(const struct gr_product *p, const struct gr_product *last,
                            enum gr_direction direction)
{
    return direction != GR_ALONG_COLUMNS || gr_gemm_depth(last) == gr_gemm_depth(p);
}

/* The gain for which a product of so many cycles is divided. */
static int64_t least_gain(const struct gr_product *p, int64_t cycles)
{
    return gr_min64(cycles / (gr_gemm_executes_halves(p) ? TINY_GAIN : SMALL_GAIN),
                    ANY_GAIN + cycles / LONG_GAIN);
}

/* Whether A would come twice from an L3 that is far. */
static bool is_far_again(const struct gr_product *p)
{
    return gr_cpu_has_large_l2() && p->m * p->k * p->bytes > gr_cpu_cache_bytes(2) / 2;
}

int64_t gr_gemm_tail_columns(const struct gr_product *p)
{
    const int64_t tail = p->n & (p->ukr->lanes - 1), whole = p->n - tail;
    const int shift = __builtin_ctzll((unsigned long long)p->ukr->lanes); /* a power of two */
    if (tail == 0 || whole == 0 || p->m * p->k <= SECOND_CALL || p->a_panels || p->b_panels ||
        gr_gemm_is_deep(p) || p->few_sums_log2 || gr_gemm_work(p) > MOST_WORK)
        return 0;
    const enum gr_direction direction = gr_gemm_direction(p);
    if (direction != GR_ALONG_ROWS && gr_gemm_work(p) > GR_THREADS_PAY)
        return 0;
    const int64_t undivided = gr_gemm_cycles(p, direction);
    const int64_t most = undivided - least_gain(p, undivided);
    if (p->m * p->k * (whole >> shift) + SECOND_CALL >= most)
        return 0; /* whatever the last columns take */
    const struct gr_product last = gr_gemm_columns_of(p, whole, tail);
    const enum gr_direction of_last = gr_gemm_direction(&last);
    if (of_last == GR_ALONG_ROWS || (of_last == GR_ALONG_K && is_far_again(p)))
        return 0;
    struct gr_product first = last;
    first.n = whole;
    const int64_t divided =
        gr_gemm_cycles(&first, GR_ALONG_ROWS) + gr_gemm_cycles(&last, of_last) + SECOND_CALL;
    return divided < most && has_same_blocks(p, &last, of_last) ? tail : 0;
}
