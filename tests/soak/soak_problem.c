/* soak_problem.c: makes random problems that are fond of edges. SPDX-License-Identifier: MIT */
#include "soak/soak_problem.h"

#include "cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20, MOST_SIZE = 4096 };

int64_t soak_bytes(enum gradus_type type)
{
    static const int64_t bytes[] = {[GRADUS_F32] = 4, [GRADUS_F64] = 8, [GRADUS_BF16] = 2,
                                    [GRADUS_S8] = 1,  [GRADUS_U8] = 1,  [GRADUS_S32] = 4};
    return bytes[type];
}

void soak_open(struct soak_problem *p)
{
    memset(p, 0, sizeof *p);
    guarded_open(&p->a, MOST_ELEMENTS * 8);
    guarded_open(&p->b, MOST_ELEMENTS * 8);
    guarded_open(&p->c, MOST_ELEMENTS * 8);
    guarded_open(&p->bias, MOST_SIZE * 8);
    p->c_before = malloc(MOST_ELEMENTS * 8);
    if (!p->c_before)
        abort();
}

void soak_close(struct soak_problem *p)
{
    guarded_close(&p->a);
    guarded_close(&p->b);
    guarded_close(&p->c);
    guarded_close(&p->bias);
    free(p->c_before);
}

static int64_t below(struct gr_rng *rng, int64_t count)
{
    return (int64_t)(gr_rng_next(rng) % (uint64_t)count);
}

static bool one_in(struct gr_rng *rng, int64_t count)
{
    return below(rng, count) == 0;
}

static int64_t any_size(struct gr_rng *rng)
{
    static const int64_t steps[] = {4, 6, 8, 9, 12, 16, 24, 32, 48, 96, 144, 256, 320, 384, 512};
    switch (below(rng, 12)) {
    case 0:
        return below(rng, 2);
    case 1:
    case 2:
    case 3:
        return 1 + below(rng, 17);
    case 4:
    case 5:
        return 1 + below(rng, 100);
    case 6:
    case 7:
    case 8:
    case 9:
        return steps[below(rng, sizeof steps / sizeof *steps)] * (1 + below(rng, 3)) - 1 +
               below(rng, 3);
    case 10:
        return 1 + below(rng, 700);
    default:
        return 1 + below(rng, MOST_SIZE);
    }
}

/* Most problems are small, so that there can be many; some reach every loop over blocks, and a
 * second thread. */
static void choose_sizes(struct soak_problem *p, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const bool large = one_in(rng, 4);
    const double most = large ? 4e6 : 2e5;
    int64_t *sizes[] = {&g->m, &g->n, &g->k};
    for (int i = 0; i < 3; i++)
        *sizes[i] = large && !one_in(rng, 5) ? 90 + below(rng, 400) : any_size(rng);
    while ((double)g->m * (double)g->n * (double)g->k > most || g->m * g->n > MOST_ELEMENTS / 16 ||
           g->m * g->k > MOST_ELEMENTS / 16 || g->n * g->k > MOST_ELEMENTS / 16) {
        int64_t *largest = sizes[0];
        for (int i = 1; i < 3; i++)
            if (*sizes[i] > *largest || (*sizes[i] == *largest && one_in(rng, 2)))
                largest = sizes[i];
        *largest = *largest * 3 / 4;
    }
}

static double any_scalar(struct gr_rng *rng, bool whole)
{
    static const double some[] = {1, 0, -1, 2, 1, 0.5, -0.75, 3};
    const double x = some[below(rng, 8)];
    return whole ? rint(x) : x;
}

/* A size of 1 at times, so that a leading dimension as long as may be is seen, too. */
static int64_t any_ld(struct gr_rng *rng, int64_t least)
{
    least = least ? least : 1;
    return one_in(rng, 3) ? least : least + below(rng, one_in(rng, 8) ? 40 : 4);
}

static int64_t span(int64_t rows, int64_t cols, int64_t ld)
{
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

static void choose_layout(struct soak_problem *p, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const bool col = one_in(rng, 2);
    g->layout = col ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g->trans_a = one_in(rng, 2), g->trans_b = one_in(rng, 2);
    const bool a_turned = col != g->trans_a, b_turned = col != g->trans_b;
    g->lda = any_ld(rng, a_turned ? g->m : g->k);
    g->ldb = any_ld(rng, b_turned ? g->k : g->n);
    g->ldc = any_ld(rng, col ? g->m : g->n);
    p->a_one = a_turned ? span(g->k, g->m, g->lda) : span(g->m, g->k, g->lda);
    p->b_one = b_turned ? span(g->n, g->k, g->ldb) : span(g->k, g->n, g->ldb);
    p->c_one = col ? span(g->n, g->m, g->ldc) : span(g->m, g->n, g->ldc);
}

static void choose_types(struct soak_problem *p, struct gr_rng *rng)
{
    static const enum gradus_type inputs[] = {GRADUS_F32, GRADUS_F64, GRADUS_F32,
                                              GRADUS_F64, GRADUS_F32, GRADUS_F64};
    struct gradus_gemm *g = &p->g;
    gradus_gemm_init(g, inputs[below(rng, sizeof inputs / sizeof *inputs)]);
}

static void choose_isa(struct soak_problem *p, struct gr_rng *rng)
{
    const char *isa;
    int count = 0;
    while (gr_cpu_isa_at(count))
        count++;
    isa = gr_cpu_isa_at((int)below(rng, count));
    p->isa = !one_in(rng, 3) ? NULL : gr_cpu_isa_runs(isa) ? isa : NULL;
}

static void choose_epilogue(struct soak_problem *p, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const bool whole = g->sum_type == GRADUS_S32;
    p->epilogue = (struct gradus_epilogue){.bias_per_row = (int)below(rng, 2)};
    if (!one_in(rng, 3))
        return;
    g->epilogue = &p->epilogue;
    p->epilogue.activation = (enum gradus_activation)below(rng, whole ? 2 : 3);
    const int64_t count = p->epilogue.bias_per_row ? g->m : g->n;
    if (one_in(rng, 4))
        return;
    char *bias = guarded_place(&p->bias, count * soak_bytes(g->sum_type), soak_bytes(g->sum_type),
                               GUARDED_END);
    for (int64_t i = 0; i < count; i++)
        soak_set(g->sum_type, bias, i, (double)below(rng, 33) - 16);
    p->epilogue.bias = bias;
}

static double any_value(const struct soak_problem *p, enum gradus_type type, struct gr_rng *rng)
{
    switch (type) {
    case GRADUS_S8:
        return (double)below(rng, 256) - 128;
    case GRADUS_U8:
        return (double)below(rng, 256);
    case GRADUS_S32:
        return (double)below(rng, (int64_t)1 << 32) - 0x1p31;
    default:
        return p->integers ? (double)below(rng, 17) - 8 : 2 * gr_rng_unit(rng) - 1;
    }
}

/* Signalling in f32 and f64: whoever computes with it raises the invalid flag. */
static void set_padding(enum gradus_type type, char *x, int64_t i)
{
    static const uint32_t f32 = 0x7fa00000;
    static const uint64_t f64 = 0x7ff4000000000000;
    if (type == GRADUS_F32)
        memcpy(x + i * 4, &f32, 4);
    else if (type == GRADUS_F64)
        memcpy(x + i * 8, &f64, 8);
    else
        soak_set(type, x, i, type == GRADUS_BF16 ? NAN : 77);
}

/* Values where the matrix is, NaN between its rows: who takes padding for data is found out. */
static void fill(const struct soak_problem *p, enum gradus_type type, char *x, int64_t elements,
                 int64_t row, int64_t ld, struct gr_rng *rng)
{
    for (int64_t i = 0; i < elements; i++)
        if (i % ld < row)
            soak_set(type, x, i, any_value(p, type, rng));
        else
            set_padding(type, x, i);
}

static char *place(struct guarded *guarded, int64_t elements, enum gradus_type type,
                   struct gr_rng *rng)
{
    const int64_t bytes = soak_bytes(type);
    return guarded_place(guarded, elements * bytes, bytes * (1 + below(rng, 8)),
                         (enum guarded_place)below(rng, 3));
}

static void sprinkle(enum gradus_type type, char *x, int64_t rows, int64_t cols, int64_t ld,
                     bool inf, struct gr_rng *rng)
{
    if (rows < 1 || cols < 1 || type == GRADUS_S8 || type == GRADUS_U8 || type == GRADUS_S32)
        return;
    const int64_t i = below(rng, rows) * ld + below(rng, cols);
    soak_set(type, x, i, !inf || one_in(rng, 2) ? NAN : one_in(rng, 2) ? INFINITY : -INFINITY);
}

static void fill_operands(struct soak_problem *p, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const int64_t a_row = col != !!g->trans_a ? g->m : g->k;
    const int64_t b_row = col != !!g->trans_b ? g->k : g->n;
    const int64_t c_row = col ? g->m : g->n;
    char *a = place(&p->a, p->a_one, g->a_type, rng);
    char *b = place(&p->b, p->b_one, g->b_type, rng);
    char *c = place(&p->c, p->c_one, g->c_type, rng);
    fill(p, g->a_type, a, p->a_one, a_row, g->lda, rng);
    fill(p, g->b_type, b, p->b_one, b_row, g->ldb, rng);
    fill(p, g->c_type, c, p->c_one, g->beta == 0 ? 0 : c_row, g->ldc, rng);
    p->special = one_in(rng, 12);
    if (p->special) {
        const bool inf = !(g->epilogue && g->epilogue->activation == GRADUS_GELU);
        sprinkle(g->a_type, a, col != !!g->trans_a ? g->k : g->m, a_row, g->lda, inf, rng);
        if (one_in(rng, 2))
            sprinkle(g->b_type, b, col != !!g->trans_b ? g->n : g->k, b_row, g->ldb, inf, rng);
    }
    g->a = a, g->b = b, g->c = c;
    memcpy(p->c_before, c, (size_t)p->c.bytes);
    p->inputs = gr_hash(a, (uint64_t)p->a.bytes, gr_hash(b, (uint64_t)p->b.bytes, 1));
}

void soak_make(struct soak_problem *p, uint64_t seed, int64_t number)
{
    struct gr_rng rng = {gr_hash(&number, sizeof number, seed)};
    choose_types(p, &rng);
    choose_sizes(p, &rng);
    choose_layout(p, &rng);
    choose_isa(p, &rng);
    const bool whole = p->g.sum_type == GRADUS_S32;
    p->g.alpha = any_scalar(&rng, whole);
    p->g.beta = any_scalar(&rng, whole);
    p->g.threads = one_in(&rng, 3) ? 1 + (int)below(&rng, 5) : 1;
    p->integers = whole || one_in(&rng, 2);
    choose_epilogue(p, &rng);
    p->exact = p->integers && p->g.c_type != GRADUS_BF16 &&
               !(p->g.epilogue && p->epilogue.activation == GRADUS_GELU);
    fill_operands(p, &rng);
}

void soak_restore(struct soak_problem *p)
{
    memcpy(p->c.block, p->c_before, (size_t)p->c.bytes);
}

void soak_describe(const struct soak_problem *p, char text[SOAK_TEXT])
{
    static const char *const names[] = {"f32", "f64", "bf16", "s8", "u8", "s32"};
    static const char *const activations[] = {"linear", "relu", "gelu"};
    const struct gradus_gemm *g = &p->g;
    int used =
        snprintf(text, SOAK_TEXT,
                 "%s %s %s, %s-major, %lldx%lldx%lld, trans %d%d, ld %lld %lld %lld, alpha %g beta "
                 "%g, threads %d, isa %s%s%s",
                 names[g->a_type], names[g->b_type], names[g->c_type],
                 g->layout == GRADUS_COL_MAJOR ? "column" : "row", (long long)g->m, (long long)g->n,
                 (long long)g->k, g->trans_a, g->trans_b, (long long)g->lda, (long long)g->ldb,
                 (long long)g->ldc, g->alpha, g->beta, g->threads, p->isa ? p->isa : gr_cpu_isa(),
                 p->integers ? ", whole numbers" : "", p->special ? ", with NaN or Inf" : "");
    if (g->epilogue)
        snprintf(text + used, (size_t)(SOAK_TEXT - used), ", %s%s",
                 !p->epilogue.bias          ? ""
                 : p->epilogue.bias_per_row ? "bias per row, "
                                            : "bias per column, ",
                 activations[p->epilogue.activation]);
}
