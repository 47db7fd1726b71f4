/* library_gpu_problems.c: random problems, computed on the GPU and in float64.
 * SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Problems ---- */

uint64_t state;

uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

double uniform(void)
{
    return (double)draw() / 2147483648.0;
}

/* Log-uniform in 1..most. */
int64_t size(double most)
{
    return (int64_t)exp(uniform() * log(most + 0.99));
}

enum { BEYOND = 64 };
static const float untouched = 1234.5f;

struct matrix make(bool bf16, int64_t rows, int64_t cols, int64_t pad, int64_t copies)
{
    struct matrix x = {rows, cols, cols + pad, 0, bf16, NULL, 0};
    x.elements = rows * x.ld * copies + BEYOND;
    x.host = malloc((size_t)x.elements * sizeof *x.host);
    for (int64_t i = 0; i < x.elements; i++)
        x.host[i] =
            i % x.ld < cols && i < x.elements - BEYOND ? (float)(2 * uniform() - 1) : untouched;
    must(cu.alloc(&x.device, (size_t)x.elements * sizeof *x.host), "memory");
    if (bf16) {
        uint16_t *narrow = malloc((size_t)x.elements * sizeof *narrow);
        gradus_bf16_from_f32(x.host, narrow, x.elements);
        gradus_bf16_to_f32(narrow, x.host, x.elements);
        must(cu.to_device(x.device, narrow, (size_t)x.elements * sizeof *narrow), "a copy");
        free(narrow);
    } else {
        must(cu.to_device(x.device, x.host, (size_t)x.elements * sizeof *x.host), "a copy");
    }
    return x;
}

void unmake(struct matrix *x)
{
    cu.release(x->device);
    free(x->host);
}

void *pointer(address a)
{
    return (void *)(uintptr_t)a;
}

static struct problem draw_problem(void)
{
    struct problem p;
    const bool bf16 = has_bf16 && draw() % 4 == 0;
    gradus_gemm_init(&p.g, bf16 ? GRADUS_BF16 : GRADUS_F32);
    const double most = 3e7;
    do {
        p.g.m = size(1200), p.g.n = size(1200), p.g.k = draw() % 12 ? size(4000) : 0;
    } while ((double)p.g.m * (double)p.g.n * (double)p.g.k > most);
    static const double scales[] = {1, 0, -0.5, 2.25, 1, 1};
    p.g.alpha = scales[draw() % 6];
    p.g.beta = scales[(draw() % 6 + 1) % 6];
    p.g.trans_a = (int)(draw() % 2), p.g.trans_b = (int)(draw() % 2);
    p.g.layout = draw() % 2 ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    p.g.batch = draw() % 8 ? 1 : 1 + (int64_t)(draw() % 3);
    p.g.device = GRADUS_GPU;
    const bool col = p.g.layout == GRADUS_COL_MAJOR;
    static const int64_t pads[] = {0, 0, 1, 3, 8, 32};
    const bool ta = col != !!p.g.trans_a, tb = col != !!p.g.trans_b;
    p.a = make(bf16, ta ? p.g.k : p.g.m, ta ? p.g.m : p.g.k, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.b = make(bf16, tb ? p.g.n : p.g.k, tb ? p.g.k : p.g.n, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.c = make(false, col ? p.g.n : p.g.m, col ? p.g.m : p.g.n, pads[draw() % 6], p.g.batch);
    p.g.a = pointer(p.a.device), p.g.lda = p.a.ld, p.g.stride_a = p.a.rows * p.a.ld;
    p.g.b = pointer(p.b.device), p.g.ldb = p.b.ld, p.g.stride_b = p.b.rows * p.b.ld;
    p.g.c = pointer(p.c.device), p.g.ldc = p.c.ld, p.g.stride_c = p.c.rows * p.c.ld;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    return p;
}

void free_problem(struct problem *p)
{
    unmake(&p->a);
    unmake(&p->b);
    unmake(&p->c);
    free(p->got);
}

static void describe(const struct problem *p, char *text, size_t length)
{
    const struct gradus_gemm *g = &p->g;
    snprintf(text, length,
             "%s %lldx%lldx%lld %s %s%s %s lda %lld ldb %lld ldc %lld alpha %g beta %g batch %lld",
             g->a_type == GRADUS_BF16 ? "bf16" : "f32", (long long)g->m, (long long)g->n,
             (long long)g->k, g->layout ? "col" : "row", g->trans_a ? "t" : "n",
             g->trans_b ? "t" : "n", math_names[g->math], (long long)g->lda, (long long)g->ldb,
             (long long)g->ldc, g->alpha, g->beta, (long long)g->batch);
}

/* Runs it on a fresh C, and reads C back. */
static bool compute(struct problem *p, float *got, bool by_blas)
{
    struct gradus_error error = {0};
    const size_t bytes = (size_t)p->c.elements * sizeof *got;
    enum gradus_status status = GRADUS_OK;
    char text[256];
    must(cu.to_device(p->c.device, p->c.host, bytes), "a copy");
    if (by_blas)
        for (int64_t i = 0; i < p->g.batch; i++) {
            struct gradus_gemm one = p->g;
            const int64_t bytes_ab = one.a_type == GRADUS_BF16 ? 2 : 4;
            one.a = (const char *)one.a + i * one.stride_a * bytes_ab;
            one.b = (const char *)one.b + i * one.stride_b * bytes_ab;
            one.c = (float *)one.c + i * one.stride_c;
            blas_run(&one);
        }
    else
        status = gradus_gemm_run(&p->g, &error);
    describe(p, text, sizeof text);
    CHECK(status == GRADUS_OK, "%s: %s", text, error.text);
    const int result = cu.synchronize();
    CHECK(result == 0, "%s: the GPU returns %d", text, result);
    if (result == 0)
        must(cu.to_host(got, p->c.device, bytes), "a copy");
    gradus_error_clear(&error);
    return status == GRADUS_OK && result == 0;
}

/* Tensor cores cut off what they do not keep: 5.25 units in 16 of k. */
double bound_of(const struct gradus_gemm *g)
{
    const enum gradus_math math = g->math;
    const int64_t k = g->k;
    if (g->a_type == GRADUS_BF16)
        return 8 + (double)k * 5.25 / 16;
    const double ieee = (double)k / 2, accurate = 14 + (double)k / 64;
    return math == GRADUS_MATH_IEEE       ? ieee
           : math == GRADUS_MATH_ACCURATE ? accurate
           : math == GRADUS_MATH_SCALED   ? accurate + 2
                                          : (ieee > accurate ? ieee : accurate);
}

/* The largest error in units of eps * sum|a||b|, less what alpha and beta add; -1: an element is
 * wrong that no product writes. */
double error_of(const struct problem *p, const float *got, double limit, bool *wrong)
{
    const double eps = 0x1p-23;
    const struct gradus_gemm *g = &p->g;
    const bool col = g->layout == GRADUS_COL_MAJOR, ta = col != !!g->trans_a,
               tb = col != !!g->trans_b;
    double worst = 0;
    double *sum = malloc((size_t)g->n * sizeof *sum), *all = malloc((size_t)g->n * sizeof *all);
    for (int64_t x = 0; x < g->batch; x++) {
        const float *a = p->a.host + x * g->stride_a, *b = p->b.host + x * g->stride_b;
        for (int64_t i = 0; i < g->m; i++) {
            memset(sum, 0, (size_t)g->n * sizeof *sum);
            memset(all, 0, (size_t)g->n * sizeof *all);
            for (int64_t k = 0; k < g->k && g->alpha != 0; k++) {
                const double f = ta ? a[k * g->lda + i] : a[i * g->lda + k];
                for (int64_t j = 0; j < g->n; j++) {
                    const double t = f * (tb ? b[j * g->ldb + k] : b[k * g->ldb + j]);
                    sum[j] += t;
                    all[j] += fabs(t);
                }
            }
            for (int64_t j = 0; j < g->n; j++) {
                const int64_t at = x * g->stride_c + (col ? j * g->ldc + i : i * g->ldc + j);
                const double old = g->beta != 0 ? g->beta * p->c.host[at] : 0;
                const double want = g->alpha * sum[j] + old, scale = fabs(g->alpha) * all[j];
                const double error = fabs(got[at] - want);
                const double extra = 1.5 * eps * (fabs(g->alpha * sum[j]) + fabs(old));
                if (!(error <= limit * eps * scale + extra))
                    *wrong = true;
                if (scale > 0 && (error - extra) / (eps * scale) > worst)
                    worst = (error - extra) / (eps * scale);
            }
        }
    }
    for (int64_t at = 0; at < p->c.elements; at++)
        if ((at % g->ldc >= p->c.cols || at >= p->c.elements - BEYOND) &&
            memcmp(&got[at], &untouched, sizeof untouched) != 0)
            *wrong = true;
    free(sum);
    free(all);
    return worst;
}

void check_problems(int count)
{
    double worst[5] = {0}, worst_blas = 0, narrow_blas = 0;
    int done[5] = {0};
    for (int i = 0; i < count; i++) {
        struct problem p = draw_problem();
        const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
        float *again = malloc(bytes);
        char text[256];
        p.g.math = (enum gradus_math)(draw() % 4);
        if (!has_math[p.g.math])
            p.g.math = GRADUS_MATH_DEFAULT;
        describe(&p, text, sizeof text);
        if (compute(&p, p.got, false)) {
            bool wrong = false;
            const double e = error_of(&p, p.got, bound_of(&p.g), &wrong);
            CHECK(!wrong, "%s: wrong, the largest error is %.3g", text, e);
            const int kind = p.g.a_type == GRADUS_BF16 ? 4 : (int)p.g.math;
            worst[kind] = fmax(worst[kind], e);
            done[kind]++;
            CHECK(compute(&p, again, false) && memcmp(again, p.got, bytes) == 0,
                  "%s: other bits in a second run", text);
        }
        if (blas.handle && i % 2 == 0 && compute(&p, again, true)) {
            bool wrong = false;
            const double e = error_of(&p, again, 1e9, &wrong);
            if (p.g.a_type == GRADUS_F32)
                worst_blas = fmax(worst_blas, e);
            else
                narrow_blas = fmax(narrow_blas, e);
        }
        free(again);
        free_problem(&p);
    }
    printf("%d problems, each twice; the largest errors in units of eps*sum|a||b|:\n ", count);
    for (int i = 0; i < 4; i++)
        if (done[i])
            printf(" %s %.2f (%d),", math_names[i], worst[i], done[i]);
    printf(" cublas %.2f; bf16 %.2f (%d), cublas %.2f\n", worst_blas, worst[4], done[4],
           narrow_blas);
}

/* ---- Square products ---- */

struct problem typed(enum gradus_type type, int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    struct problem p;
    const bool bf16 = type == GRADUS_BF16;
    gradus_gemm_init(&p.g, type);
    p.g.m = m, p.g.n = n, p.g.k = k;
    p.g.batch = 1;
    p.g.device = GRADUS_GPU;
    p.g.math = math;
    p.a = make(bf16, m, k, 0, 1), p.b = make(bf16, k, n, 0, 1), p.c = make(false, m, n, 0, 1);
    p.g.a = pointer(p.a.device), p.g.lda = k;
    p.g.b = pointer(p.b.device), p.g.ldb = n;
    p.g.c = pointer(p.c.device), p.g.ldc = n;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    return p;
}

struct problem square(int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    return typed(GRADUS_F32, m, n, k, math);
}

void run(const struct gradus_gemm *g)
{
    struct gradus_error error = {0};
    CHECK(gradus_gemm_run(g, &error) == GRADUS_OK, "%s", error.text);
    gradus_error_clear(&error);
}
