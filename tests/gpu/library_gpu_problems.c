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

/* IEEE's binary16, rounded to nearest even; |x| is below 65504. */
static uint16_t half_of(float x)
{
    int exponent;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const float part = frexpf(fabsf(x), &exponent);
    const int least = -13; /* numbers below 2^-14 have the spacing of those above it */
    if (exponent < least || x == 0)
        return (uint16_t)(sign | (unsigned)rintf(ldexpf(part, exponent + 24)));
    return (uint16_t)(sign + ((unsigned)(exponent + 14) << 10) + (unsigned)rintf(ldexpf(part, 11)) -
                      1024);
}

static float of_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, low = half & 1023;
    const float size = exponent == 31 ? (low ? NAN : INFINITY)
                       : exponent     ? ldexpf((float)(low + 1024), exponent - 25)
                                      : ldexpf((float)low, -24);
    return half & 0x8000 ? -size : size;
}

static bool is_byte(enum gradus_type type)
{
    return type == GRADUS_E4M3 || type == GRADUS_E5M2;
}

static size_t bytes_of(enum gradus_type type)
{
    return type == GRADUS_F64 ? 8 : type == GRADUS_F32 ? 4 : is_byte(type) ? 1 : 2;
}

/* A finite number of e4m3 or e5m2 that is not negative: with the exponent 0, denormal ones. */
static double of_byte(enum gradus_type type, int code)
{
    const int bits = type == GRADUS_E4M3 ? 3 : 2, bias = type == GRADUS_E4M3 ? 7 : 15;
    const int exponent = code >> bits, low = code & ((1 << bits) - 1);
    return exponent ? ldexp((1 << bits) + low, exponent - bias - bits)
                    : ldexp(low, 1 - bias - bits);
}

/* The nearest number of e4m3 or e5m2, of two the even one. Larger sizes are never stored. */
static uint8_t byte_of(enum gradus_type type, float value)
{
    const double size = fabs((double)value);
    int low = 0, high = type == GRADUS_E4M3 ? 0x7e : 0x7b; /* the largest finite number */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (of_byte(type, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    const double below = size - of_byte(type, low), above = of_byte(type, high) - size;
    const int code = above < below || (above == below && high % 2 == 0) ? high : low;
    return (uint8_t)(code | (signbit(value) ? 0x80 : 0));
}

static void store(enum gradus_type type, void *to, int64_t i, float value)
{
    if (type == GRADUS_F64)
        ((double *)to)[i] = value;
    else if (type == GRADUS_F32)
        ((float *)to)[i] = value;
    else if (type == GRADUS_F16)
        ((uint16_t *)to)[i] = half_of(value);
    else if (is_byte(type))
        ((uint8_t *)to)[i] = byte_of(type, value);
    else
        gradus_bf16_from_f32(&value, (uint16_t *)to + i, 1);
}

static double load(enum gradus_type type, const void *from, int64_t i)
{
    float value;
    if (type == GRADUS_F64)
        return ((const double *)from)[i];
    if (type == GRADUS_F32)
        return ((const float *)from)[i];
    if (type == GRADUS_F16)
        return of_half(((const uint16_t *)from)[i]);
    if (is_byte(type)) {
        const uint8_t byte = ((const uint8_t *)from)[i];
        return copysign(of_byte(type, byte & 0x7f), byte & 0x80 ? -1 : 1);
    }
    gradus_bf16_to_f32((const uint16_t *)from + i, &value, 1);
    return value;
}

void put_matrix(const struct matrix *x)
{
    const size_t bytes = (size_t)x->elements * bytes_of(x->type);
    void *raw = malloc(bytes);
    for (int64_t i = 0; i < x->elements; i++)
        store(x->type, raw, i, x->host[i]);
    must(cu.to_device(x->device, raw, bytes), "a copy");
    free(raw);
}

void get_matrix(const struct matrix *x, double *out)
{
    const size_t bytes = (size_t)x->elements * bytes_of(x->type);
    void *raw = malloc(bytes);
    must(cu.to_host(raw, x->device, bytes), "a copy");
    for (int64_t i = 0; i < x->elements; i++)
        out[i] = load(x->type, raw, i);
    free(raw);
}

struct matrix make(enum gradus_type type, int64_t rows, int64_t cols, int64_t pad, int64_t copies)
{
    struct matrix x = {rows, cols, cols + pad, 0, type, NULL, 0};
    x.elements = rows * x.ld * copies + BEYOND;
    x.host = malloc((size_t)x.elements * sizeof *x.host);
    for (int64_t i = 0; i < x.elements; i++)
        x.host[i] =
            i % x.ld < cols && i < x.elements - BEYOND ? (float)(2 * uniform() - 1) : untouched;
    for (int64_t i = 0; i < x.elements; i++) { /* what the type rounds, the host has rounded */
        double room;
        store(type, &room, 0, x.host[i]);
        x.host[i] = (float)load(type, &room, 0);
    }
    must(cu.alloc(&x.device, (size_t)x.elements * bytes_of(type)), "memory");
    put_matrix(&x);
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

/* A third of the problems has an epilogue. The random numbers of the others are those that they
 * were without it. */
static void add_epilogue(struct problem *p)
{
    const uint64_t before = state;
    const struct gradus_gemm *g = &p->g;
    p->finishes = (g->m + 2 * g->n + g->k) % 3 == 0;
    if (!p->finishes)
        return;
    p->epilogue.bias_per_row = (int)(g->k % 2);
    p->epilogue.activation = (enum gradus_activation)((g->m + g->n) % 4);
    p->bias = make(g->sum_type, 1, p->epilogue.bias_per_row ? g->m : g->n, 0, 1);
    p->epilogue.bias = (g->m + g->n + g->k) % 4 ? pointer(p->bias.device) : NULL;
    state = before;
}

static struct problem draw_problem(void)
{
    struct problem p = {0};
    const struct kind *kind = &kinds[draw() % 2 ? draw() % KINDS : 0];
    if (!kind->is_there)
        kind = &kinds[0];
    gradus_gemm_init(&p.g, kind->ab);
    p.g.c_type = kind->c;
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
    p.a = make(kind->ab, ta ? p.g.k : p.g.m, ta ? p.g.m : p.g.k, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.b = make(kind->ab, tb ? p.g.n : p.g.k, tb ? p.g.k : p.g.n, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.c = make(kind->c, col ? p.g.n : p.g.m, col ? p.g.m : p.g.n, pads[draw() % 6], p.g.batch);
    p.g.a = pointer(p.a.device), p.g.lda = p.a.ld, p.g.stride_a = p.a.rows * p.a.ld;
    p.g.b = pointer(p.b.device), p.g.ldb = p.b.ld, p.g.stride_b = p.b.rows * p.b.ld;
    p.g.c = pointer(p.c.device), p.g.ldc = p.c.ld, p.g.stride_c = p.c.rows * p.c.ld;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    add_epilogue(&p);
    return p;
}

void free_problem(struct problem *p)
{
    if (p->finishes)
        unmake(&p->bias);
    unmake(&p->a);
    unmake(&p->b);
    unmake(&p->c);
    free(p->got);
}

static void describe(const struct problem *p, char *text, size_t length)
{
    static const char *const names[] = {
        [GRADUS_F32] = "f32",   [GRADUS_F64] = "f64",   [GRADUS_F16] = "f16",
        [GRADUS_BF16] = "bf16", [GRADUS_E4M3] = "e4m3", [GRADUS_E5M2] = "e5m2"};
    const struct gradus_gemm *g = &p->g;
    snprintf(text, length,
             "%s C=%s %lldx%lldx%lld %s %s%s %s lda %lld ldb %lld ldc %lld alpha %g beta %g batch "
             "%lld%s",
             names[g->a_type], names[g->c_type], (long long)g->m, (long long)g->n, (long long)g->k,
             g->layout ? "col" : "row", g->trans_a ? "t" : "n", g->trans_b ? "t" : "n",
             math_names[g->math], (long long)g->lda, (long long)g->ldb, (long long)g->ldc, g->alpha,
             g->beta, (long long)g->batch, p->finishes ? " and an epilogue" : "");
}

/* Runs it on a fresh C, and reads C back. */
static bool compute(struct problem *p, double *got, bool by_blas)
{
    struct gradus_error error = {0};
    enum gradus_status status = GRADUS_OK;
    char text[256];
    p->g.epilogue = p->finishes && !by_blas ? &p->epilogue : NULL;
    put_matrix(&p->c);
    if (by_blas)
        for (int64_t i = 0; i < p->g.batch; i++) {
            struct gradus_gemm one = p->g;
            const int64_t bytes_ab = (int64_t)bytes_of(one.a_type);
            one.a = (const char *)one.a + i * one.stride_a * bytes_ab;
            one.b = (const char *)one.b + i * one.stride_b * bytes_ab;
            one.c = (char *)one.c + i * one.stride_c * (int64_t)bytes_of(one.c_type);
            blas_run(&one);
        }
    else
        status = gradus_gemm_run(&p->g, &error);
    describe(p, text, sizeof text);
    CHECK(status == GRADUS_OK, "%s: %s", text, error.text);
    const int result = cu.synchronize();
    CHECK(result == 0, "%s: the GPU returns %d", text, result);
    if (result == 0)
        get_matrix(&p->c, got);
    gradus_error_clear(&error);
    return status == GRADUS_OK && result == 0;
}

/* Tensor cores cut off what they do not keep: 5.25 units in 16 of k. Of products of 8-bit numbers
 * they keep 13 bits; floats add the sums of 128 of k. */
double bound_of(const struct gradus_gemm *g)
{
    const enum gradus_math math = g->math;
    const int64_t k = g->k;
    if (g->a_type == GRADUS_F64)
        return 4 + (double)k; /* of the sums here, too */
    if (is_byte(g->a_type))
        return 4096;
    if (g->a_type != GRADUS_F32)
        return 8 + (double)k * 5.25 / 16;
    const double ieee = (double)k / 2, accurate = 14 + (double)k / 64;
    return math == GRADUS_MATH_IEEE       ? ieee
           : math == GRADUS_MATH_ACCURATE ? accurate
           : math == GRADUS_MATH_SCALED   ? accurate + 2
           : math == GRADUS_MATH_TF32     ? 8200 + (double)k / 3
                                          : (ieee > accurate ? ieee : accurate);
}

static double finished(const struct problem *p, double x)
{
    if (!p->finishes || p->epilogue.activation == GRADUS_LINEAR)
        return x;
    if (p->epilogue.activation == GRADUS_GELU_TANH)
        return x < -40 ? 0 : x / (1 + exp(-1.5957691216057307 * (x + 0.044715 * x * x * x)));
    return p->epilogue.activation == GRADUS_RELU ? (x < 0 ? 0 : x)
                                                 : 0.5 * x * erfc(x * -0.70710678118654752440);
}

/* The largest error in units of eps * sum|a||b|, less what alpha and beta add; -1: an element is
 * wrong that no product writes. */
double error_of(const struct problem *p, const double *got, double limit, bool *wrong)
{
    const struct gradus_gemm *g = &p->g;
    const double eps = g->sum_type == GRADUS_F64 ? 0x1p-52 : 0x1p-23;
    const double rounding = g->c_type == GRADUS_BF16  ? 0x1p-9
                            : g->c_type == GRADUS_F16 ? 0x1p-12
                                                      : 0; /* of C, relative */
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
                const double bias = p->finishes && p->epilogue.bias
                                        ? p->bias.host[p->epilogue.bias_per_row ? i : j]
                                        : 0;
                const double want = finished(p, g->alpha * sum[j] + old + bias);
                const double scale = fabs(g->alpha) * all[j], error = fabs(got[at] - want);
                /* GELU makes a difference up to 1.13 times as large. */
                const double factor = p->finishes ? 1.13 : 1,
                             own = p->finishes ? 5 * eps * fabs(want) : 0;
                const double extra =
                    1.5 * factor * eps * (fabs(g->alpha * sum[j]) + fabs(old) + 2 * fabs(bias)) +
                    own + 2 * rounding * fabs(want) + (rounding > 0 ? 0x1p-24 : 0);
                if (!(error <= factor * limit * eps * scale + extra))
                    *wrong = true;
                if (scale > 0 && !p->finishes && (error - extra) / (eps * scale) > worst)
                    worst = (error - extra) / (eps * scale);
            }
        }
    }
    for (int64_t at = 0; at < p->c.elements; at++)
        if ((at % g->ldc >= p->c.cols || at >= p->c.elements - BEYOND) &&
            got[at] != (double)p->c.host[at])
            *wrong = true;
    free(sum);
    free(all);
    return worst;
}

static int kind_of(const struct gradus_gemm *g)
{
    int kind = 0;
    while (kinds[kind].ab != g->a_type || kinds[kind].c != g->c_type)
        kind++;
    return kind;
}

void check_problems(int count)
{
    double worst[MATHS + KINDS] = {0}, worst_blas = 0;
    int done[MATHS + KINDS] = {0};
    for (int i = 0; i < count; i++) {
        struct problem p = draw_problem();
        const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
        double *again = malloc(bytes);
        char text[256];
        p.g.math = (enum gradus_math)(draw() % MATHS);
        if (!has_math[p.g.math])
            p.g.math = GRADUS_MATH_DEFAULT;
        describe(&p, text, sizeof text);
        if (compute(&p, p.got, false)) {
            bool wrong = false;
            const double e = error_of(&p, p.got, bound_of(&p.g), &wrong);
            CHECK(!wrong, "%s: wrong, the largest error is %.3g", text, e);
            const int kind = p.g.a_type == GRADUS_F32 ? (int)p.g.math : MATHS + kind_of(&p.g);
            worst[kind] = fmax(worst[kind], e);
            done[kind]++;
            CHECK(compute(&p, again, false) && memcmp(again, p.got, bytes) == 0,
                  "%s: other bits in a second run", text);
        }
        if (blas.handle && i % 2 == 0 && !p.finishes && !is_byte(p.g.a_type) &&
            compute(&p, again, true)) {
            bool wrong = false;
            const double e = error_of(&p, again, 1e9, &wrong);
            if (p.g.a_type == GRADUS_F32 && p.g.math != GRADUS_MATH_TF32)
                worst_blas = fmax(worst_blas, e);
        }
        free(again);
        free_problem(&p);
    }
    printf("%d problems, each twice; the largest errors in units of eps*sum|a||b|:\n ", count);
    for (int i = 0; i < MATHS; i++)
        if (done[i])
            printf(" %s %.2f (%d),", math_names[i], worst[i], done[i]);
    printf(" cublas %.2f;", worst_blas);
    for (int i = MATHS; i < MATHS + KINDS; i++)
        if (done[i])
            printf(" %s %.2f (%d)", kinds[i - MATHS].name, worst[i], done[i]);
    printf("\n");
}

/* ---- Square products ---- */

struct problem typed(const struct kind *kind, int64_t m, int64_t n, int64_t k,
                     enum gradus_math math)
{
    struct problem p = {0};
    gradus_gemm_init(&p.g, kind->ab);
    p.g.c_type = kind->c;
    p.g.m = m, p.g.n = n, p.g.k = k;
    p.g.batch = 1;
    p.g.device = GRADUS_GPU;
    p.g.math = kind->math ? kind->math : math;
    p.a = make(kind->ab, m, k, 0, 1), p.b = make(kind->ab, k, n, 0, 1);
    p.c = make(kind->c, m, n, 0, 1);
    p.g.a = pointer(p.a.device), p.g.lda = k;
    p.g.b = pointer(p.b.device), p.g.ldb = n;
    p.g.c = pointer(p.c.device), p.g.ldc = n;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    return p;
}

struct problem square(int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    return typed(&kinds[0], m, n, k, math);
}

void run(const struct gradus_gemm *g)
{
    struct gradus_error error = {0};
    CHECK(gradus_gemm_run(g, &error) == GRADUS_OK, "%s", error.text);
    gradus_error_clear(&error);
}
