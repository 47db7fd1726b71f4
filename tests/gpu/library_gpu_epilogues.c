/* library_gpu_epilogues.c: what an epilogue costs beyond the bare product, beside cuBLASLt. The
 * prototypes and numbers are those of cublasLt.h. SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { R_32F = 0, R_16F = 2, R_16BF = 14, COMPUTE_32F = 68 };
enum { DESC_EPILOGUE = 7, DESC_BIAS = 8 };
enum { BARE = 1, RELU_BIAS = 6, GELU_BIAS = 36 };
enum { PREFERENCE_WORKSPACE = 1, WORKSPACE = 64 << 20 };

struct heuristic {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

/* X(name here, end of the symbol, parameters) for each function. */
#define LT(X)                                                                                      \
    X(create, "Create", (void **handle))                                                           \
    X(desc_create, "MatmulDescCreate", (void **desc, int compute, int scale))                      \
    X(desc_set, "MatmulDescSetAttribute",                                                          \
      (void *desc, int attribute, const void *value, size_t bytes))                                \
    X(layout_create, "MatrixLayoutCreate",                                                         \
      (void **layout, int type, uint64_t rows, uint64_t columns, int64_t ld))                      \
    X(preference_create, "MatmulPreferenceCreate", (void **preference))                            \
    X(preference_set, "MatmulPreferenceSetAttribute",                                              \
      (void *preference, int attribute, const void *value, size_t bytes))                          \
    X(propose, "MatmulAlgoGetHeuristic",                                                           \
      (void *handle, void *desc, void *a, void *b, void *c, void *d, void *preference, int most,   \
       struct heuristic *results, int *count))                                                     \
    X(multiply, "Matmul",                                                                          \
      (void *handle, void *desc, const void *alpha, const void *a, void *layout_a, const void *b,  \
       void *layout_b, const void *beta, const void *c, void *layout_c, void *d, void *layout_d,   \
       const void *algorithm, void *workspace, size_t workspace_bytes, void *stream))

static struct lt {
    LT(MEMBER)
    void *handle;
    address workspace;
    /* What lt_run multiplies. */
    void *desc, *a, *b, *c;
    struct heuristic algorithm;
} lt;

static bool open_lt(void)
{
    void *library = dlopen("libcublasLt.so.13", RTLD_NOW);
    library = library ? library : dlopen("libcublasLt.so.12", RTLD_NOW);
    if (!library)
        return false;
#define BIND(name, symbol, parameters)                                                             \
    *(void **)(void *)&lt.name = dlsym(library, "cublasLt" symbol);
    LT(BIND)
    must(cu.alloc(&lt.workspace, WORKSPACE), "a workspace");
    return lt.create(&lt.handle) == 0;
}

/* Row-major without transposes: in columns, C^T = B^T * A^T. */
static void lt_run(const struct gradus_gemm *g)
{
    const float alpha = (float)g->alpha, beta = (float)g->beta;
    const int result =
        lt.multiply(lt.handle, lt.desc, &alpha, g->b, lt.b, g->a, lt.a, &beta, g->c, lt.c, g->c,
                    lt.c, lt.algorithm.algorithm, pointer(lt.workspace), WORKSPACE, g->stream);
    CHECK(result == 0, "cublasLtMatmul returns %d", result);
}

/* Makes lt_run multiply this with the fastest algorithm of those that cuBLASLt proposes. */
static bool choose_lt(const struct gradus_gemm *g, int epilogue)
{
    enum { MOST = 8, CALLS = 3 };
    static const int types[] = {[GRADUS_F32] = R_32F, [GRADUS_F16] = R_16F, [GRADUS_BF16] = R_16BF};
    const size_t workspace = WORKSPACE;
    struct heuristic found[MOST];
    double least = 0;
    void *preference;
    int count = 0, best = 0;
    lt.desc_create(&lt.desc, COMPUTE_32F, R_32F);
    lt.desc_set(lt.desc, DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (epilogue != BARE)
        lt.desc_set(lt.desc, DESC_BIAS, &g->epilogue->bias, sizeof(void *));
    lt.layout_create(&lt.b, types[g->b_type], (uint64_t)g->n, (uint64_t)g->k, g->ldb);
    lt.layout_create(&lt.a, types[g->a_type], (uint64_t)g->k, (uint64_t)g->m, g->lda);
    lt.layout_create(&lt.c, types[g->c_type], (uint64_t)g->n, (uint64_t)g->m, g->ldc);
    lt.preference_create(&preference);
    lt.preference_set(preference, PREFERENCE_WORKSPACE, &workspace, sizeof workspace);
    lt.propose(lt.handle, lt.desc, lt.b, lt.a, lt.c, lt.c, preference, MOST, found, &count);
    for (int i = 0; i < count; i++) {
        lt.algorithm = found[i];
        seconds(lt_run, g, 1);
        const double t = seconds(lt_run, g, CALLS);
        if (i == 0 || t < least)
            least = t, best = i;
    }
    lt.algorithm = found[best];
    return count > 0;
}

/* ---- Rates ---- */

enum { WAYS = 4, ROUNDS = 9 };
static const struct way {
    int lt_epilogue;
    enum gradus_activation activation;
    double beta;
} ways[WAYS] = {{BARE, GRADUS_LINEAR, 0},
                {RELU_BIAS, GRADUS_RELU, 0},
                {GELU_BIAS, GRADUS_GELU_TANH, 0},
                {BARE, GRADUS_LINEAR, 1}};

static void set_way(struct problem *p, const struct way *way)
{
    p->epilogue.bias = way->lt_epilogue == BARE ? NULL : pointer(p->bias.device);
    p->epilogue.activation = way->activation;
    p->g.beta = way->beta;
}

/* The medians of the library and of cuBLASLt, the ways of both interleaved. */
static void time_ways(struct problem *p, bool has_lt, double ours[WAYS], double theirs[WAYS])
{
    double times[2][WAYS][ROUNDS] = {{{0}}};
    struct lt chosen[WAYS];
    const double flop = 2.0 * (double)p->g.m * (double)p->g.n * (double)p->g.k;
    int calls = (int)(2e11 / flop);
    calls = calls < 2 ? 2 : calls > 100 ? 100 : calls;
    for (int w = 0; w < WAYS; w++) {
        set_way(p, &ways[w]);
        has_lt = has_lt && choose_lt(&p->g, ways[w].lt_epilogue);
        chosen[w] = lt;
    }
    for (int r = -1; r < ROUNDS; r++)
        for (int w = 0; w < WAYS; w++) {
            set_way(p, &ways[w]);
            lt = chosen[w];
            const double us = seconds(run, &p->g, r < 0 ? 1 : calls),
                         other = has_lt ? seconds(lt_run, &p->g, r < 0 ? 1 : calls) : 0;
            if (r >= 0)
                times[0][w][r] = us, times[1][w][r] = other;
        }
    for (int w = 0; w < WAYS; w++) {
        qsort(times[0][w], ROUNDS, sizeof(double), by_value);
        qsort(times[1][w], ROUNDS, sizeof(double), by_value);
        ours[w] = times[0][w][ROUNDS / 2], theirs[w] = times[1][w][ROUNDS / 2];
    }
}

void epilogue_rates(void)
{
    static const int sizes[][3] = {{256, 256, 256},    {512, 512, 512},    {1024, 1024, 1024},
                                   {2048, 2048, 2048}, {3072, 3072, 3072}, {4096, 4096, 4096},
                                   {8192, 8192, 8192}, {128, 4096, 4096},  {4096, 4096, 512},
                                   {1000, 3000, 700}};
    static const int of[] = {0, 2, 3}; /* the kinds */
    const bool has_lt = open_lt();
    printf(
        "\nEpilogues: us of a bare product, and over it the times of one with a bias and ReLU, "
        "with "
        "a bias\nand GELU, and with beta 1; of cuBLASLt's fastest algorithms; and cuBLASLt's over "
        "the library's:\n%-16s %-9s%8s %5s %5s %5s %9s %5s %5s %5s  %5s %5s %5s %5s\n",
        "m x n x k", "types", "us", "relu", "gelu", "beta", "cublaslt", "relu", "gelu", "beta",
        "bare", "relu", "gelu", "beta");
    for (size_t kind = 0; kind < sizeof of / sizeof *of; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int *const z = sizes[s];
            double u[WAYS], v[WAYS];
            char name[64];
            struct problem p = typed(&kinds[of[kind]], z[0], z[1], z[2], GRADUS_MATH_DEFAULT);
            p.bias = make(GRADUS_F32, 1, z[1], 0, 1);
            p.finishes = true;
            p.g.epilogue = &p.epilogue;
            must(cu.stream_create(&p.g.stream, 1), "a stream");
            time_ways(&p, has_lt, u, v);
            snprintf(name, sizeof name, "%dx%dx%d", z[0], z[1], z[2]);
            printf("%-16s %-9s%8.1f %5.2f %5.2f %5.2f %9.1f %5.2f %5.2f %5.2f  %5.2f %5.2f %5.2f "
                   "%5.2f\n",
                   name, kinds[of[kind]].name, u[0] * 1e6, u[1] / u[0], u[2] / u[0], u[3] / u[0],
                   v[0] * 1e6, v[1] / v[0], v[2] / v[0], v[3] / v[0], v[0] / u[0], v[1] / u[1],
                   v[2] / u[2], v[3] / u[3]);
            fflush(stdout);
            free_problem(&p);
        }
}
