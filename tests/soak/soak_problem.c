/* soak_problem.c: makes random problems that are fond of edges. SPDX-License-Identifier: MIT */
#include "soak/soak_problem.h"

#include "cpu/cpu.h"
#include "soak/soak_sizes.h"
#include "soak/soak_ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_MATRICES = 4, MOST_ELEMENTS = 17 << 20, MOST_WORKSPACE = 64 << 20 };
/* A batch has no larger matrices than this. */
enum { MOST_OF_BATCH = 2 << 20 };

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
    guarded_open(&p->bias, SOAK_MOST_SIZE * 8);
    guarded_open(&p->workspace, MOST_WORKSPACE);
    p->c_before = malloc(MOST_ELEMENTS * 8);
    if (!p->c_before || gradus_context_create(3, &p->context, NULL) != GRADUS_OK)
        abort();
}

void soak_close(struct soak_problem *p)
{
    guarded_close(&p->a);
    guarded_close(&p->b);
    guarded_close(&p->c);
    guarded_close(&p->bias);
    guarded_close(&p->workspace);
    gradus_context_free(p->context);
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

static double any_scalar(struct gr_rng *rng, bool whole)
{
    static const double some[] = {1, 0, -1, 2, 1, 0.5, -0.75, 3};
    const double x = some[below(rng, 8)];
    return whole ? rint(x) : x;
}

/* A size of 1 at times, so that a leading dimension as long as may be is seen, too. */
static int64_t any_ld(struct gr_rng *rng, int64_t least, bool tight)
{
    least = least ? least : 1;
    if (tight)
        return least;
    return one_in(rng, 3) ? least : least + below(rng, one_in(rng, 8) ? 40 : 4);
}

static int64_t span(int64_t rows, int64_t cols, int64_t ld)
{
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

static void choose_layout(struct soak_problem *p, const struct soak_recipe *recipe,
                          struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    g->layout = one_in(rng, 2) && !recipe && !p->plain ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    if (!p->drawn)
        g->trans_a = one_in(rng, 2), g->trans_b = one_in(rng, 2);
    if (recipe)
        g->trans_a = recipe->trans_a, g->trans_b = recipe->trans_b;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const bool a_transposed = col != g->trans_a, b_transposed = col != g->trans_b;
    g->lda = any_ld(rng, a_transposed ? g->m : g->k, p->plain);
    g->ldb = any_ld(rng, b_transposed ? g->k : g->n, p->plain);
    g->ldc = any_ld(rng, col ? g->m : g->n, p->plain);
    p->interleaved = p->batch > 1 && one_in(rng, 4);
    if (p->interleaved)
        g->ldc = p->batch * (col ? g->m : g->n) + 1 + below(rng, 3);
    p->a_one = a_transposed ? span(g->k, g->m, g->lda) : span(g->m, g->k, g->lda);
    p->b_one = b_transposed ? span(g->n, g->k, g->ldb) : span(g->k, g->n, g->ldb);
    p->c_one = col ? span(g->n, g->m, g->ldc) : span(g->m, g->n, g->ldc);
}

static void choose_batch(struct soak_problem *p, struct gr_rng *rng)
{
    const struct gradus_gemm *g = &p->g;
    const bool large =
        g->m * g->n > MOST_OF_BATCH || g->m * g->k > MOST_OF_BATCH || g->n * g->k > MOST_OF_BATCH;
    p->batch = one_in(rng, 4) && !p->plain && !large ? 1 + below(rng, FEW_MATRICES) : 1;
    p->g.batch = p->batch > 1 ? p->batch : below(rng, 2);
}

/* Lays the matrices of an operand out with a stride, in order (`turned` 0) or turned round by some
 * places, which only arrays can tell. */
static void lay_out(int64_t *at, int64_t batch, int64_t stride, int64_t transposed)
{
    for (int64_t i = 0; i < batch; i++)
        at[i] = (i + transposed) % batch * stride;
}

static void choose_strides(struct soak_problem *p, bool arrays, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const int64_t row = g->layout == GRADUS_COL_MAJOR ? g->m : g->n;
    g->stride_a = one_in(rng, 4) ? 0 : p->a_one + below(rng, 9);
    g->stride_b = one_in(rng, 4) ? 0 : p->b_one + below(rng, 9);
    g->stride_c = p->interleaved ? row : p->c_one + below(rng, 9);
    lay_out(p->a_at, p->batch, g->stride_a, arrays ? below(rng, p->batch) : 0);
    lay_out(p->b_at, p->batch, g->stride_b, arrays ? below(rng, p->batch) : 0);
    lay_out(p->c_at, p->batch, g->stride_c, arrays ? below(rng, p->batch) : 0);
    if (!arrays)
        return;
    g->a_array = p->a_array, g->b_array = p->b_array, g->c_array = p->c_array;
    g->stride_a = g->stride_b = g->stride_c = -1; /* not to be looked at */
}

/* bf16 gives bf16 or float; each pair of 8-bit types is one of its own. */
static void choose_types(struct soak_problem *p, const enum gradus_type *type, bool wide_c,
                         struct gr_rng *rng)
{
    static const enum gradus_type inputs[] = {GRADUS_F32,  GRADUS_F64, GRADUS_F32, GRADUS_F64,
                                              GRADUS_BF16, GRADUS_S8,  GRADUS_U8};
    struct gradus_gemm *g = &p->g;
    gradus_gemm_init(g, inputs[below(rng, sizeof inputs / sizeof *inputs)]);
    if (type)
        gradus_gemm_init(g, *type);
    if (g->a_type == GRADUS_BF16 && one_in(rng, 2) && !wide_c)
        g->c_type = GRADUS_BF16;
    if (g->sum_type == GRADUS_S32)
        g->b_type = one_in(rng, 2) ? GRADUS_S8 : GRADUS_U8;
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

static void choose_epilogue(struct soak_problem *p, bool wanted, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    const bool whole = g->sum_type == GRADUS_S32;
    p->epilogue = (struct gradus_epilogue){.bias_per_row = (int)below(rng, 2)};
    if (!wanted)
        return;
    g->epilogue = &p->epilogue;
    p->epilogue.activation = (enum gradus_activation)below(rng, whole ? 2 : 3);
    const int64_t count = p->epilogue.bias_per_row ? g->m : g->n;
    if (one_in(rng, 4) && p->epilogue.activation != GRADUS_LINEAR)
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

/* Values where matrices are, NaN between and behind their rows: who takes padding for data is found
 * out. With `row` 0 there are no values. */
static void fill(const struct soak_problem *p, enum gradus_type type, const struct guarded *x,
                 const int64_t *at, int64_t one, int64_t row, int64_t ld, struct gr_rng *rng)
{
    for (int64_t i = 0; i < x->bytes / soak_bytes(type); i++)
        set_padding(type, x->block, i);
    for (int64_t m = 0; m < p->batch && row > 0; m++)
        for (int64_t i = 0; i < one; i += ld)
            for (int64_t j = 0; j < row; j++)
                soak_set(type, x->block, at[m] + i + j, any_value(p, type, rng));
}

static char *place(struct guarded *guarded, int64_t one, const int64_t *at, int64_t batch,
                   enum gradus_type type, struct gr_rng *rng)
{
    const int64_t bytes = soak_bytes(type);
    int64_t last = 0;
    for (int64_t i = 0; i < batch; i++)
        last = at[i] > last ? at[i] : last;
    return guarded_place(guarded, one ? (last + one) * bytes : 0, bytes * (1 + below(rng, 8)),
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
    char *a = place(&p->a, p->a_one, p->a_at, p->batch, g->a_type, rng);
    char *b = place(&p->b, p->b_one, p->b_at, p->batch, g->b_type, rng);
    char *c = place(&p->c, p->c_one, p->c_at, p->batch, g->c_type, rng);
    fill(p, g->a_type, &p->a, p->a_at, p->a_one, a_row, g->lda, rng);
    fill(p, g->b_type, &p->b, p->b_at, p->b_one, b_row, g->ldb, rng);
    fill(p, g->c_type, &p->c, p->c_at, p->c_one, g->beta == 0 ? 0 : c_row, g->ldc, rng);
    p->special = one_in(rng, 12);
    if (p->special) {
        const bool inf = !(g->epilogue && g->epilogue->activation == GRADUS_GELU);
        sprinkle(g->a_type, a, col != !!g->trans_a ? g->k : g->m, a_row, g->lda, inf, rng);
        if (one_in(rng, 2))
            sprinkle(g->b_type, b, col != !!g->trans_b ? g->n : g->k, b_row, g->ldb, inf, rng);
    }
    memcpy(p->c_before, c, (size_t)p->c.bytes);
    p->inputs = gr_hash(a, (uint64_t)p->a.bytes, gr_hash(b, (uint64_t)p->b.bytes, 1));
    for (int64_t i = 0; i < p->batch; i++) {
        p->a_array[i] = a + p->a_at[i] * soak_bytes(g->a_type);
        p->b_array[i] = b + p->b_at[i] * soak_bytes(g->b_type);
        p->c_array[i] = c + p->c_at[i] * soak_bytes(g->c_type);
    }
    if (!g->c_array)
        g->a = a, g->b = b, g->c = c;
}

/* Packs an operand of which there is one matrix, and leaves no trace of where that lies. Types that
 * the library does not pack beforehand go as they are. */
static bool pack_operands(struct soak_problem *p, const struct soak_recipe *recipe,
                          struct gr_rng *rng, char text[SOAK_TEXT])
{
    struct gradus_gemm *g = &p->g;
    struct gradus_error error = {0};
    enum gradus_status status = GRADUS_OK;
    int64_t which = one_in(rng, 5) ? 1 + below(rng, 3) : 0;
    if (recipe)
        which = (recipe->packs_a ? 1 : 0) + (recipe->packs_b ? 2 : 0);
    if (p->isa || g->c_array || !which)
        return true;
    if (which & 1 && (p->batch == 1 || g->stride_a == 0))
        status = gradus_pack(g, GRADUS_A, &p->packed_a, &error);
    if (!status && which & 2 && (p->batch == 1 || g->stride_b == 0))
        status = gradus_pack(g, GRADUS_B, &p->packed_b, &error);
    snprintf(text, SOAK_TEXT, "%s", error.text);
    gradus_error_clear(&error);
    g->packed_a = p->packed_a, g->packed_b = p->packed_b;
    if (p->packed_a)
        g->a = NULL;
    if (p->packed_b)
        g->b = NULL;
    return status == GRADUS_OK || status == GRADUS_UNSUPPORTED;
}

/* Exactly as many bytes as the library asks for, before a page that faults. */
static void choose_means(struct soak_problem *p, struct gr_rng *rng)
{
    struct gradus_gemm *g = &p->g;
    p->workspace.bytes = 0;
    if (p->isa || !one_in(rng, 6))
        return;
    if (one_in(rng, 2)) {
        g->context = p->context;
        return;
    }
    const int64_t bytes = gradus_gemm_workspace(g, NULL);
    if (bytes < 0 || bytes > MOST_WORKSPACE / 2)
        return;
    g->workspace = guarded_place(&p->workspace, bytes, 1 + below(rng, 64),
                                 one_in(rng, 2) ? GUARDED_END : GUARDED_AMID);
    g->workspace_bytes = bytes;
}

/* What a recipe leaves open is random. */
static void follow(struct soak_problem *p, const struct soak_variant *v)
{
    const struct soak_recipe *r = v->recipe;
    p->g.m = r->m, p->g.n = r->n, p->g.k = r->k;
    p->batch = r->batch > 1 ? r->batch : 1;
    p->g.batch = p->batch > 1 ? p->batch : p->g.batch & 1;
    p->isa = v->isa;
}

bool soak_make(struct soak_problem *p, uint64_t seed, int64_t number, char text[SOAK_TEXT])
{
    struct gr_rng rng = {gr_hash(&number, sizeof number, seed)};
    struct soak_variant v = {0};
    const struct soak_recipe *recipe = soak_variant_of(number, &v) ? v.recipe : NULL;
    choose_types(p, recipe ? &v.type : NULL, recipe && recipe->wide_c, &rng);
    soak_choose_sizes(p, &rng);
    p->drawn = p->drawn && !recipe;
    p->plain = p->drawn && one_in(&rng, 2);
    choose_batch(p, &rng);
    choose_isa(p, &rng);
    if (recipe)
        follow(p, &v);
    choose_layout(p, recipe, &rng);
    const bool packs = recipe && (recipe->packs_a || recipe->packs_b);
    choose_strides(p, one_in(&rng, 3) && !packs, &rng);
    const bool whole = p->g.sum_type == GRADUS_S32;
    p->g.alpha = p->plain ? 1 : any_scalar(&rng, whole);
    p->g.beta = p->plain ? 0 : any_scalar(&rng, whole);
    p->g.threads = one_in(&rng, 3) ? 1 + (int)below(&rng, 5) : 1;
    if (recipe)
        p->g.threads = v.threads;
    if (recipe && p->g.alpha == 0)
        p->g.alpha = 1;
    p->integers = whole || one_in(&rng, 2);
    choose_epilogue(p, recipe ? v.finishes : one_in(&rng, 3) && !p->plain, &rng);
    if (recipe && v.recipe->k == 0 && !v.finishes)
        p->g.beta = 2;
    p->exact = p->integers && p->g.c_type != GRADUS_BF16 &&
               !(p->g.epilogue && p->epilogue.activation == GRADUS_GELU);
    fill_operands(p, &rng);
    const bool packed = pack_operands(p, recipe, &rng, text);
    choose_means(p, &rng);
    return packed;
}

void soak_unmake(struct soak_problem *p)
{
    gradus_packed_free(p->packed_a);
    gradus_packed_free(p->packed_b);
    p->packed_a = p->packed_b = NULL;
}

void soak_restore(struct soak_problem *p)
{
    memcpy(p->c.block, p->c_before, (size_t)p->c.bytes);
}

/* What a problem has beside sizes and scalars. */
static void describe_means(const struct soak_problem *p, char *text, size_t size)
{
    static const char *const activations[] = {"linear", "relu", "gelu"};
    const struct gradus_gemm *g = &p->g;
    const char *bias = p->epilogue.bias_per_row ? ", bias per row" : ", bias per column";
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s%s%s", p->drawn ? ", drawn" : "",
             p->plain ? ", plain" : "", p->integers ? ", whole numbers" : "",
             p->special ? ", with NaN or Inf" : "", g->epilogue && p->epilogue.bias ? bias : "",
             g->epilogue ? ", " : "", g->epilogue ? activations[p->epilogue.activation] : "",
             p->packed_a ? ", A packed" : "", p->packed_b ? ", B packed" : "",
             g->context ? ", a context" : "", g->workspace ? ", a workspace" : "");
}

void soak_describe(const struct soak_problem *p, char text[SOAK_TEXT])
{
    static const char *const names[] = {"f32", "f64", "bf16", "s8", "u8", "s32"};
    const struct gradus_gemm *g = &p->g;
    char means[160];
    describe_means(p, means, sizeof means);
    snprintf(text, SOAK_TEXT,
             "%s %s %s, %s-major, %lldx%lldx%lld, trans %d%d, ld %lld %lld %lld, batch %lld%s%s, "
             "alpha %g beta %g, threads %d, isa %s%s",
             names[g->a_type], names[g->b_type], names[g->c_type],
             g->layout == GRADUS_COL_MAJOR ? "column" : "row", (long long)g->m, (long long)g->n,
             (long long)g->k, g->trans_a, g->trans_b, (long long)g->lda, (long long)g->ldb,
             (long long)g->ldc, (long long)g->batch, g->c_array ? " by pointers" : "",
             p->interleaved ? " interleaved" : "", g->alpha, g->beta, g->threads,
             p->isa ? p->isa : gr_cpu_isa(), means);
}
