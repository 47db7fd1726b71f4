/* edges_short.c: micro-kernels of short types at every edge, on panels made here and not by the
 * library's packing. SPDX-License-Identifier: MIT */
#include "edges_short.h"

#include "base/rng.h"
#include "edges_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 150, MOST_K = 200, GUARD = 8, LD_SLACK = 3 };

/* Operands as integers (bf16 gets integers too, so that its sums are exact), and as panels of exact
 * length: an access past their ends faults. */
struct bench {
    const struct ukr *ukr;
    bool bf16;
    int steps; /* in a unit */
    int a[MOST_SIDE][MOST_K], b[MOST_K][MOST_SIDE];
    int32_t start[MOST_SIDE], before[MOST_SIDE * (MOST_SIDE + LD_SLACK) + 2 * GUARD];
    char *panel_a, *panel_b;
    int32_t *c; /* or the bits of floats */
    int64_t ldc;
    int c_count;
};

bool is_short(const struct ukr *ukr)
{
    return strcmp(ukr->type, "f32") && strcmp(ukr->type, "f64");
}

static int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Every value of the type is likely, its ends most: that is where an instruction saturates. */
static int element(char kind, struct gr_rng *rng)
{
    const int random = (int)(gr_rng_next(rng) >> 20 & 0xffff);
    if (kind == 'b')
        return random % 17 - 8;
    if (kind == '1') /* widened: from either type */
        return random % 5 == 0 ? 255 : random % 5 == 1 ? -128 : random % 384 - 128;
    const int value = random % 3 == 0 ? 255 : random % 3 == 1 ? 128 : random % 256;
    return kind == 'u' ? value : value - 128;
}

static void put(const struct bench *t, char *at, int value)
{
    const int16_t half = (int16_t)(t->bf16 ? bits_of((float)value) >> 16 : value);
    if (t->steps == 4)
        *at = (char)value;
    else
        memcpy(at, &half, sizeof half);
}

static void make_panels(struct bench *t, int m, int n, int k)
{
    const int bytes = 4 / t->steps;
    const int64_t row = ukr_row_bytes(k, bytes), mr = t->ukr->mr, nr = t->ukr->nr;
    t->panel_a = edges_block(mr * row, sizeof(int32_t));
    t->panel_b = edges_block(nr * (row - UKR_HEAD), sizeof(int32_t));
    for (int i = 0; i < m; i++) {
        memcpy(t->panel_a + i * row, &t->start[i], sizeof t->start[i]);
        for (int p = 0; p < k; p++)
            put(t, t->panel_a + i * row + UKR_HEAD + p * bytes, t->a[i][p]);
    }
    for (int p = 0; p < k; p++)
        for (int j = 0; j < n; j++)
            put(t, t->panel_b + (p / t->steps * nr + j) * 4 + p % t->steps * bytes, t->b[p][j]);
}

static void make_c(struct bench *t, int m, int n, bool hostile, struct gr_rng *rng)
{
    t->ldc = n + LD_SLACK;
    t->c_count = (int)((m - 1) * t->ldc + n + 2 * GUARD);
    t->c = edges_block(t->c_count * (int64_t)sizeof *t->c, sizeof *t->c);
    for (int i = 0; i < t->c_count; i++) {
        const int value = (int)(gr_rng_next(rng) >> 16) % 1000;
        t->before[i] = !t->bf16  ? (int32_t)gr_rng_next(rng)
                       : hostile ? 0x7fc00000
                                 : bits_of((float)value);
        t->c[i] = t->before[i];
    }
}

static int32_t wanted(const struct bench *t, int i, int j, int k, int alpha, int beta,
                      int32_t before)
{
    uint32_t sum = (uint32_t)t->start[i];
    for (int p = 0; p < k; p++)
        sum += (uint32_t)(t->a[i][p] * t->b[p][j]);
    if (!t->bf16)
        return (int32_t)((uint32_t)alpha * sum + (uint32_t)beta * (uint32_t)before);
    return bits_of((float)(alpha * (int32_t)sum) + (beta ? (float)beta * float_of(before) : 0));
}

static bool check_c(const struct bench *t, int m, int n, int k, int alpha, int beta)
{
    for (int at = 0; at < t->c_count; at++) {
        const int i = (int)((at - GUARD) / t->ldc), j = (int)((at - GUARD) % t->ldc);
        const bool inside = at >= GUARD && i < m && j < n;
        const int32_t want =
            inside ? wanted(t, i, j, k, alpha, beta, t->before[at]) : t->before[at];
        const bool same_float = t->bf16 && inside && float_of(t->c[at]) == float_of(want);
        if (t->c[at] != want && !same_float) {
            printf("%s: %dx%dx%d alpha %d beta %d: [%d,%d] got %d, want %d\n", t->ukr->name, m, n,
                   k, alpha, beta, i, j, t->c[at], want);
            return false;
        }
    }
    return true;
}

static bool try_tile(struct bench *t, int m, int n, int k, int alpha, int beta, struct gr_rng *rng)
{
    const union {
        int32_t s32;
        float f32;
    } scalars[2] = {{.s32 = t->bf16 ? bits_of((float)alpha) : alpha},
                    {.s32 = t->bf16 ? bits_of((float)beta) : beta}};
    make_panels(t, m, n, k);
    make_c(t, m, n, beta == 0, rng);
    if (t->ukr->begin)
        t->ukr->begin();
    t->ukr->run(m, n, k, &scalars[0], t->panel_a, t->panel_b, &scalars[1], t->c + GUARD, t->ldc);
    if (t->ukr->end)
        t->ukr->end();
    const bool right = check_c(t, m, n, k, alpha, beta);
    edges_free(t->panel_a), edges_free(t->panel_b), edges_free(t->c);
    return right;
}

/* On rows of A where they lie, without a byte to spare behind the last. */
static bool try_rows(struct bench *t, int m, int n, int k, int alpha, int beta, struct gr_rng *rng)
{
    const int bytes = 4 / t->steps;
    const int64_t row = k * bytes + 4;
    const int32_t alpha_bits = t->bf16 ? bits_of((float)alpha) : alpha;
    const int32_t beta_bits = t->bf16 ? bits_of((float)beta) : beta;
    char *a = edges_block((m - 1) * row + k * bytes, bytes);
    for (int i = 0; i < m; i++)
        for (int p = 0; p < k; p++)
            put(t, a + i * row + p * bytes, t->a[i][p]);
    make_panels(t, m, n, k);
    make_c(t, m, n, beta == 0, rng);
    if (t->ukr->begin)
        t->ukr->begin();
    t->ukr->run_rows(m, n, k, &alpha_bits, a, row, t->start, 1, t->panel_b, &beta_bits,
                     t->c + GUARD, t->ldc);
    if (t->ukr->end)
        t->ukr->end();
    const bool right = check_c(t, m, n, k, alpha, beta);
    edges_free(a), edges_free(t->panel_a), edges_free(t->panel_b), edges_free(t->c);
    return right;
}

/* A dense matrix of exact length: A[i,p] at i*row + p*step, in elements, or B[p,j] at p*step +
 * j*row; `flip` is what the micro-kernel flips back. */
static char *dense(const struct bench *t, bool is_b, int lanes, int k, int row, int step, int flip)
{
    const int bytes = 4 / t->steps;
    char *x =
        edges_block(((int64_t)(lanes - 1) * row + (int64_t)(k - 1) * step + 1) * bytes, bytes);
    for (int i = 0; i < lanes; i++)
        for (int p = 0; p < k; p++)
            put(t, x + ((int64_t)i * row + (int64_t)p * step) * bytes,
                is_b ? t->b[p][i] ^ flip : t->a[i][p]);
    return x;
}

/* Both operands where they lie: the elements of a row of A side by side, or those of a column. */
static bool try_in_place(struct bench *t, int m, int n, int k, int alpha, int beta, bool across,
                         struct gr_rng *rng)
{
    const int bytes = 4 / t->steps, flip = t->steps == 4 && n % 2 ? 0x80 : 0;
    const int32_t alpha_bits = t->bf16 ? bits_of((float)alpha) : alpha;
    const int32_t beta_bits = t->bf16 ? bits_of((float)beta) : beta;
    const int a_row = across ? 1 : k + 1, a_step = across ? m + 1 : 1, b_step = n + 2;
    char *a = dense(t, false, m, k, a_row, a_step, 0);
    char *b = dense(t, true, n, k, 1, b_step, flip);
    make_c(t, m, n, beta == 0, rng);
    t->ukr->run_in_place(m, n, k, &alpha_bits, a, a_row * bytes, a_step * bytes, t->start, 1, b,
                         b_step * bytes, flip ? (int32_t)0x80808080u : 0, &beta_bits, t->c + GUARD,
                         t->ldc);
    const bool right = check_c(t, m, n, k, alpha, beta);
    edges_free(a), edges_free(b), edges_free(t->c);
    return right;
}

/* The same where the columns of B are contiguous. */
static bool try_dots(struct bench *t, int m, int n, int k, int alpha, int beta, struct gr_rng *rng)
{
    const int bytes = 4 / t->steps, flip = t->steps == 4 && n % 2 ? 0x80 : 0;
    const int32_t alpha_bits = t->bf16 ? bits_of((float)alpha) : alpha;
    const int32_t beta_bits = t->bf16 ? bits_of((float)beta) : beta;
    char *a = dense(t, false, m, k, k + 1, 1, 0);
    char *b = dense(t, true, n, k, k + 2, 1, flip);
    make_c(t, m, n, beta == 0, rng);
    t->ukr->run_short_dots(m, n, k, &alpha_bits, a, (k + 1) * bytes, t->start, 1, b,
                           (k + 2) * bytes, flip ? (int32_t)0x80808080u : 0, &beta_bits,
                           t->c + GUARD, t->ldc, 1);
    const bool right = check_c(t, m, n, k, alpha, beta);
    edges_free(a), edges_free(b), edges_free(t->c);
    return right;
}

static bool try_unpacked(struct bench *t, int m, int n, int k, const int *s, struct gr_rng *rng)
{
    if (!t->ukr->run_in_place || k == 0)
        return true;
    return try_in_place(t, m, n, k, s[0], s[1], false, rng) &&
           try_in_place(t, m, n, k, s[0], s[1], true, rng) && try_dots(t, m, n, k, s[0], s[1], rng);
}

/* One and two rows have wider tiles. */
static bool try_wide(struct bench *t, struct gr_rng *rng)
{
    static const int scalars[] = {2, -3};
    for (int n = t->ukr->nr + 1; n <= MOST_SIDE; n++)
        for (int m = 1; m <= 3; m++)
            if (!try_unpacked(t, m, n, 1 + n % 9, scalars, rng))
                return false;
    return true;
}

static void fill(struct bench *t, struct gr_rng *rng)
{
    const char *type = t->ukr->type;
    /* AMX multiplies each kind of bytes, so that no rows start from anything but 0. */
    const bool starts =
        strcmp(type, "bf16") && strcmp(type, "s16") && strncmp(t->ukr->isa, "amx", 3);
    const char of_a = t->bf16 ? 'b' : type[1] == '1' ? '1' : type[0];
    const char of_b = t->bf16 ? 'b' : type[1] == '1' ? '1' : type[2];
    for (int i = 0; i < MOST_SIDE; i++) {
        /* At the ends of the range, where a saturating sum stays. */
        const int32_t near = (int32_t)(gr_rng_next(rng) % 64);
        t->start[i] = !starts ? 0 : i % 2 ? INT32_MAX - near : INT32_MIN + near;
        for (int p = 0; p < MOST_K; p++) {
            t->a[i][p] = element(of_a, rng);
            t->b[p][i] = element(of_b, rng);
        }
    }
}

bool edges_short(const struct ukr *ukr, int rest)
{
    static const int depths[] = {1, 2, 3, 4, 5, 7, 63, 64, 65, 130, MOST_K, 0};
    static const int scalars[][2] = {{1, 0}, {1, 1}, {2, -3}, {-1, 2}};
    enum { DEPTHS = sizeof depths / sizeof *depths };
    static struct bench t;
    struct gr_rng rng = {42};
    t = (struct bench){.ukr = ukr, .bf16 = !strcmp(ukr->type, "bf16")};
    t.steps = t.bf16 || !strcmp(ukr->type, "s16") ? 2 : 4;
    fill(&t, &rng);
    for (int m = 1; m <= ukr->mr; m++)
        for (int n = 1; n <= ukr->nr; n++) {
            const bool whole = m == ukr->mr && n == ukr->nr;
            if (m != ukr->mr && n != ukr->nr && (m * 7 + n) % rest)
                continue;
            for (int d = (m * 5 + n) % DEPTHS, last = whole ? d + DEPTHS : d + 1; d < last; d++) {
                const int *s = scalars[(m + n + d) % 4];
                if (!try_tile(&t, m, n, depths[d % DEPTHS], s[0], s[1], &rng))
                    return false;
                const int steps = ukr->begin ? 1 : t.steps; /* tiles need no whole units */
                const int units = depths[d % DEPTHS] / steps * steps;
                if (ukr->run_rows && !try_rows(&t, m, n, units, s[0], s[1], &rng))
                    return false;
                if (!try_unpacked(&t, m, n, depths[d % DEPTHS], s, &rng))
                    return false;
                if (whole && !try_tile(&t, m, n, depths[d % DEPTHS], 1, 0, &rng))
                    return false;
            }
        }
    return try_wide(&t, &rng);
}
