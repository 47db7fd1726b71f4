/* ukr_few_sums.h: a C of so few vectors of sums that each multiply-add would wait for the one
 * before it. It is a part of ukr_tile.h, which includes it. SPDX-License-Identifier: MIT
 *
 * A multiply-add takes four cycles, in which a core can start four or eight others. So k is divided
 * into blocks, which are computed side by side:
 *
 *     steps 0..depth-1      sum of block 0  +=  a[p] * b[p]
 *     the next ones         sum of block 1  +=  a[depth + p] * b[depth + p]      in one loop
 *
 * The sums are written in the order of the blocks, as if each block had been computed separately
 * and added to C. The result is the same in every bit as on the paths that compute the blocks one
 * after another. */

/* The largest number of vectors of sums of a block, and the number of blocks side by side if there
 * are several vectors. */
enum { FEW_SUMS = UKR_FEW_SUMS, BLOCKS_BESIDE = 2 };

/* The current step of each block. */
struct block_steps {
    const T *a[UKR_MOST_BLOCKS], *b[UKR_MOST_BLOCKS];
};

/* Multiplies `steps` steps of the first `blocks` blocks. A masked multiply-add takes longer, which
 * is hidden if there are more than two blocks; otherwise one more load fills the other lanes. */
INLINE void few_sums_steps(int m, int nv, int blocks, bool ragged, Tail tail, int64_t steps,
                           const struct ukr_strided *p, struct block_steps *at,
                           V sum[UKR_MOST_BLOCKS][FEW_SUMS])
{
    const int64_t a_row = p->a_row, a_step = p->a_step, b_step = p->b_step;
    const int rest = (nv - 1) * LANES;
    const bool masked = HAS_MASKS && m * nv <= 2;
    for (; steps > 0; steps--) {
        UNROLLED(q, blocks)
        {
            V bv[FEW_SUMS];
            UNROLLED(v, nv)
            {
                if (ragged && v == nv - 1)
                    bv[v] = load_tail(at->b[q] + rest, tail,
                                      masked ? zero() : broadcast(at->b[q][rest]));
                else
                    bv[v] = load(at->b[q] + v * LANES);
                if (m > 1)
                    ONE_LOAD(bv[v]);
            }
            UNROLLED(i, m)
            {
                const V ai = broadcast(at->a[q][i * a_row]);
                UNROLLED(v, nv)
                {
                    V *x = &sum[q][i * nv + v];
                    if (!ragged || v < nv - 1)
                        *x = fmadd(ai, bv[v], *x);
                    else if (masked)
                        *x = fmadd_masked(ai, bv[v], *x, tail);
                    else
                        *x = fmadd_tail(ai, bv[v], *x, tail);
                }
            }
            at->a[q] += a_step;
            at->b[q] += b_step;
        }
    }
}

/* Adds block after block to C, as update() does with beta 1. Lanes that are not written contain
 * copies of a real lane, so that they raise no floating-point flag that a real lane does not
 * raise. With `apart` C is a single row whose elements are `ldc` apart, and beta is 0. */
INLINE void few_sums_write(int m, int nv, int blocks, bool ragged, bool apart, Tail tail,
                           const struct ukr_strided *p, V sum[UKR_MOST_BLOCKS][FEW_SUMS])
{
    const T alpha = *(const T *)p->alpha, beta = *(const T *)p->beta;
    const V factor = broadcast(alpha), old = broadcast(beta), one = broadcast(1);
    T *c = p->c;
    UNROLLED(i, m)
    {
        UNROLLED(v, nv)
        {
            const bool last = ragged && v == nv - 1;
            T *to = c + v * LANES;
            V x = alpha == 1 ? sum[0][i * nv + v] : mul(factor, sum[0][i * nv + v]);
            if (!apart && beta != 0)
                x = fmadd(old, last ? load_tail(to, tail, broadcast(*to)) : load(to), x);
            UNROLLED(q, blocks - 1)
            {
                const V next = sum[q + 1][i * nv + v];
                x = fmadd(one, x, alpha == 1 ? next : mul(factor, next));
            }
            if (apart)
                sum[0][v] = x;
            else if (last)
                store_tail(to, tail, x);
            else
                store(to, x);
        }
        c += p->ldc;
    }
    if (apart)
        write_apart(nv, sum[0], p);
}

/* Computes all of C, with all steps of the product, in `blocks` blocks. The last one may be
 * shorter. */
INLINE void few_sums_tile(int m, int nv, int blocks, bool ragged, bool apart,
                          const struct ukr_strided *p, int64_t depth)
{
    const Tail tail = tail_of(ragged ? (int)p->n - (nv - 1) * LANES : LANES);
    const int64_t last = p->k - (blocks - 1) * depth;
    struct block_steps at;
    V sum[UKR_MOST_BLOCKS][FEW_SUMS];
    UNROLLED(q, blocks)
    {
        at.a[q] = (const T *)p->a + q * depth * p->a_step;
        at.b[q] = (const T *)p->b + q * depth * p->b_step;
        UNROLLED(x, m * nv) sum[q][x] = zero();
    }
    few_sums_steps(m, nv, blocks, ragged, tail, last, p, &at, sum);
    few_sums_steps(m, nv, blocks - 1, ragged, tail, depth - last, p, &at, sum);
    few_sums_write(m, nv, blocks, ragged, apart, tail, p, sum);
}

/* Two blocks. Each size has functions of its own, because the strides would not stay in registers
 * in one function for all sizes. */
typedef void few_sums_block_fn(const struct ukr_strided *product, int64_t depth);
#define PAIR(rows, vectors)                                                                        \
    static __attribute__((noinline)) void pair_##rows##_##vectors(const struct ukr_strided *p,     \
                                                                  int64_t depth)                   \
    {                                                                                              \
        few_sums_tile(rows, vectors, 2, false, false, p, depth);                                   \
    }                                                                                              \
    static __attribute__((noinline)) void ragged_pair_##rows##_##vectors(                          \
        const struct ukr_strided *p, int64_t depth)                                                \
    {                                                                                              \
        few_sums_tile(rows, vectors, 2, true, false, p, depth);                                    \
    }
/* clang-format off */
PAIR(1, 1) PAIR(1, 2) PAIR(1, 3) PAIR(1, 4) PAIR(2, 1) PAIR(2, 2) PAIR(3, 1) PAIR(4, 1)
/* clang-format on */
#undef PAIR

    static void few_sums_pair(const struct ukr_strided *p, int64_t depth)
{
#define PAIR(rows, vectors)                                                                        \
    [(rows)-1][(vectors)-1] = { pair_##rows##_##vectors, ragged_pair_##rows##_##vectors }
    static few_sums_block_fn *const pairs[FEW_SUMS][FEW_SUMS][2] = {
        PAIR(1, 1), PAIR(1, 2), PAIR(1, 3), PAIR(1, 4),
        PAIR(2, 1), PAIR(2, 2), PAIR(3, 1), PAIR(4, 1)};
#undef PAIR
    pairs[p->m - 1][(p->n - 1) / LANES][p->n % LANES != 0](p, depth);
}

/* Four blocks, each with one vector of sums or two. */
#define FOUR(rows, vectors)                                                                        \
    static __attribute__((noinline)) void four_##rows##_##vectors(const struct ukr_strided *p,     \
                                                                  int64_t depth)                   \
    {                                                                                              \
        few_sums_tile(rows, vectors, UKR_MOST_BLOCKS, false, false, p, depth);                     \
    }                                                                                              \
    static __attribute__((noinline)) void ragged_four_##rows##_##vectors(                          \
        const struct ukr_strided *p, int64_t depth)                                                \
    {                                                                                              \
        few_sums_tile(rows, vectors, UKR_MOST_BLOCKS, true, false, p, depth);                      \
    }
/* clang-format off */
FOUR(1, 1) FOUR(1, 2) FOUR(2, 1)
/* clang-format on */
#undef FOUR

    static void few_sums_four(const struct ukr_strided *p, int64_t depth)
{
    const bool ragged = p->n % LANES != 0;
    if (p->m == 2)
        (ragged ? ragged_four_2_1 : four_2_1)(p, depth);
    else if (p->n > LANES)
        (ragged ? ragged_four_1_2 : four_1_2)(p, depth);
    else
        (ragged ? ragged_four_1_1 : four_1_1)(p, depth);
}

/* The same for a single row of C whose elements are `ldc` apart, if beta is 0. */
#define FOUR_APART(vectors)                                                                        \
    static __attribute__((noinline)) void four_apart_##vectors(const struct ukr_strided *p,        \
                                                               int64_t depth)                      \
    {                                                                                              \
        few_sums_tile(1, vectors, UKR_MOST_BLOCKS, true, true, p, depth);                          \
    }
/* clang-format off */
FOUR_APART(1) FOUR_APART(2)
#undef FOUR_APART
    /* clang-format on */

    /* Calls `run` for `each` steps at a time, which are blocks of `depth` steps. */
    INLINE void few_sums_in_turn(const struct ukr_strided *p, int64_t depth, int64_t each,
                                 few_sums_block_fn *run)
{
    const T one = 1;
    for (int64_t pc = 0; pc < p->k; pc += each) {
        const struct ukr_strided part = {.m = p->m,
                                         .n = p->n,
                                         .k = p->k - pc < each ? p->k - pc : each,
                                         .alpha = p->alpha,
                                         .a = (const T *)p->a + pc * p->a_step,
                                         .a_row = p->a_row,
                                         .a_step = p->a_step,
                                         .b = (const T *)p->b + pc * p->b_step,
                                         .b_step = p->b_step,
                                         .beta = pc == 0 ? p->beta : &one,
                                         .c = p->c,
                                         .ldc = p->ldc};
        run(&part, depth);
    }
}

static void strided_block(const struct ukr_strided *p, int64_t depth)
{
    (void)depth;
    strided(p);
}

static void transposed_block(const struct ukr_strided *p, int64_t depth)
{
    (void)depth;
    strided_transposed(p);
}

INLINE bool are_few_sums(const struct ukr_strided *p)
{
    return p->m * ((p->n + LANES - 1) / LANES) <= FEW_SUMS;
}

static void few_sums_of_rows(const struct ukr_strided *p, int64_t depth)
{
    if (!are_few_sums(p))
        few_sums_in_turn(p, depth, depth, strided_block);
    else if (p->k <= BLOCKS_BESIDE * depth)
        few_sums_pair(p, depth);
    else if (p->m * ((p->n + LANES - 1) / LANES) <= 2)
        few_sums_four(p, depth);
    else
        few_sums_in_turn(p, depth, BLOCKS_BESIDE * depth, few_sums_pair);
}

/* Computes C in a small buffer, in which its rows are contiguous, and writes it transposed. */
static void few_sums_of_columns(const struct ukr_strided *p, int64_t depth)
{
    if (!are_few_sums(p)) {
        few_sums_in_turn(p, depth, depth, transposed_block);
        return;
    }
    if (p->m == 1 && p->n <= 2 * LANES && p->k > BLOCKS_BESIDE * depth &&
        *(const T *)p->beta == 0) {
        (p->n > LANES ? four_apart_2 : four_apart_1)(p, depth);
        return;
    }
    const int64_t width = (p->n + LANES - 1) / LANES * LANES;
    const T nothing = 0;
    T tile[FEW_SUMS * LANES], *c = p->c;
    if (*(const T *)p->beta != 0)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                tile[i * width + j] = c[j * p->ldc + i];
    few_sums_of_rows(&(struct ukr_strided){.m = p->m,
                                           .n = p->n,
                                           .k = p->k,
                                           .alpha = p->alpha,
                                           .a = p->a,
                                           .a_row = p->a_row,
                                           .a_step = p->a_step,
                                           .b = p->b,
                                           .b_step = p->b_step,
                                           .beta = p->beta,
                                           .c = tile,
                                           .ldc = width},
                     depth);
    write_columns(p->m, p->n, tile, width, &nothing, c, p->ldc);
}

static void few_sums(const struct ukr_strided *p, int64_t depth, int transposed)
{
    if (transposed && !(p->m == 1 && p->ldc == 1)) /* C is contiguous already */
        few_sums_of_columns(p, depth);
    else
        few_sums_of_rows(p, depth);
}
