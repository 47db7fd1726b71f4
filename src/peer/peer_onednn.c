/* peer_onednn.c: oneDNN's dnnl_sgemm, and its GEMMs of bf16 and of 8-bit integers, all
 * row-major. Its threads are those of OpenMP, or of TBB as in PyPI's wheel.
 * SPDX-License-Identifier: MIT */
#include "peer/library.h"
#include "peer/tbb.h"

#include <stdio.h>
#include <string.h>

enum { SGEMM, SET_THREADS, BF16, S8, U8 };

static bool has_tbb;

typedef int sgemm_fn(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                     const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                     int64_t ldc);

/* Sums are float32. The function is exported, but no header declares it. */
typedef int bf16_fn(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                    const void *a, int64_t lda, const void *b, int64_t ldb, float beta, float *c,
                    int64_t ldc);
/* C is int32; each operand has an offset, which is 0 here. */
typedef int int8_fn(char trans_a, char trans_b, char offset_c, int64_t m, int64_t n, int64_t k,
                    float alpha, const void *a, int64_t lda, signed char offset_a, const void *b,
                    int64_t ldb, signed char offset_b, float beta, int32_t *c, int64_t ldc,
                    const int32_t *offsets_c);

static const char *const files[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so", 0};

/* The values of enum dnnl_cpu_isa_t in versions 2 and 3, where each level includes the bits of
 * those below it. */
static const char *isa_name(int isa)
{
    static const struct {
        int bits;
        const char *name;
    } levels[] = {{0xfef, "avx512 amx"}, {0x3e7, "avx512 amx"}, {0x1ef, "avx512 fp16"},
                  {0xe7, "avx512 bf16"}, {0x67, "avx512 vnni"}, {0x27, "avx512"},
                  {0x407, "avx2 vnni"},  {0xf, "avx2 vnni"},    {0x7, "avx2"},
                  {0x3, "avx"},          {0x1, "sse4.1"}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if ((isa & levels[i].bits) == levels[i].bits)
            return levels[i].name;
    return "";
}

static enum gradus_status prepare(struct gr_peer *peer, int threads, struct gradus_error *error)
{
    const char *isa_limit = gr_peer_isa_limit();
    (void)error;
    gr_peer_setenv_int(peer, "OMP_NUM_THREADS", threads);
    gr_peer_setenv(peer, "DNNL_MAX_CPU_ISA",
                   !isa_limit                       ? NULL
                   : strcmp(isa_limit, "avx2") == 0 ? "AVX2"
                                                    : "SSE41");
    return GRADUS_OK;
}

/* Restricts a library in the program's namespace, where `prepare` sets no variables. This must
 * precede the first product; when the library is opened again, it has no effect. */
static void restrict_isa(struct gr_peer *peer)
{
    enum { SSE41 = 0x1, AVX2 = 0x7 }; /* enum dnnl_cpu_isa_t */
    typedef int set_fn(int isa);
    const char *isa_limit = gr_peer_isa_limit();
    set_fn *set = (set_fn *)gr_peer_symbol(peer, "dnnl_set_max_cpu_isa");
    if (isa_limit && set)
        set(strcmp(isa_limit, "avx2") == 0 ? AVX2 : SSE41);
}

/* Types that this version does not have are removed. */
static void bind_narrow(struct gr_peer *peer, struct gr_peer_result *result)
{
    static const struct {
        int entry;
        unsigned bit;
        const char *name;
    } entries[] = {{BF16, GR_BIT_BF16, "dnnl_gemm_bf16bf16f32"},
                   {S8, GR_BIT_S8, "dnnl_gemm_s8s8s32"},
                   {U8, GR_BIT_U8, "dnnl_gemm_u8s8s32"}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void (*symbol)(void) = gr_peer_symbol(peer, entries[i].name);
        peer->library->entries[entries[i].entry] = symbol;
        if (!symbol)
            result->types &= ~entries[i].bit;
    }
}

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    enum gradus_status status = gr_peer_bind(peer, SGEMM, "dnnl_sgemm", error);
    has_tbb = status == GRADUS_OK && gr_tbb_bind(peer);
    if (status == GRADUS_OK && !has_tbb)
        status = gr_peer_bind(peer, SET_THREADS, "omp_set_num_threads", error);
    if (status != GRADUS_OK)
        return status;
    restrict_isa(peer);
    bind_narrow(peer, result);
    struct version {
        int major, minor, patch;
    };
    typedef const struct version *version_fn(void);
    typedef int isa_fn(void);
    version_fn *version = (version_fn *)gr_peer_symbol(peer, "dnnl_version");
    isa_fn *isa = (isa_fn *)gr_peer_symbol(peer, "dnnl_get_effective_cpu_isa");
    if (version)
        snprintf(result->version, sizeof result->version, "%d.%d.%d", version()->major,
                 version()->minor, version()->patch);
    snprintf(result->core, sizeof result->core, "%s", isa ? isa_name(isa()) : "");
    result->threads = threads;
    return GRADUS_OK;
}

static void set_threads(struct gr_peer *peer, int threads)
{
    typedef void set_fn(int threads);
    if (has_tbb)
        gr_tbb_set_threads(threads);
    else
        ((set_fn *)peer->library->entries[SET_THREADS])(threads);
}

struct product {
    void (**entries)(void);
    const struct gr_problem *problem;
    const void *a, *b;
    void *c;
};

static void compute(const void *context)
{
    const struct product *x = context;
    const struct gr_problem *p = x->problem;
    char trans_a = p->trans_a ? 'T' : 'N', trans_b = p->trans_b ? 'T' : 'N';
    float alpha = (float)p->alpha, beta = (float)p->beta;
    const int32_t zero = 0;
    switch (p->types.a) {
    case GR_S8:
    case GR_U8:
        ((int8_fn *)x->entries[p->types.a == GR_S8 ? S8 : U8])(
            trans_a, trans_b, 'F', p->m, p->n, p->k, alpha, x->a, p->lda, 0, x->b, p->ldb, 0, beta,
            x->c, p->ldc, &zero);
        break;
    case GR_BF16:
        ((bf16_fn *)x->entries[BF16])(trans_a, trans_b, p->m, p->n, p->k, alpha, x->a, p->lda, x->b,
                                      p->ldb, beta, x->c, p->ldc);
        break;
    default:
        ((sgemm_fn *)x->entries[SGEMM])(trans_a, trans_b, p->m, p->n, p->k, alpha, x->a, p->lda,
                                        x->b, p->ldb, beta, x->c, p->ldc);
    }
}

static void run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                const void *b, void *c)
{
    const struct product product = {peer->library->entries, problem, a, b, c};
    if (has_tbb)
        gr_tbb_run(compute, &product);
    else
        compute(&product);
}

const struct gr_peer_kind gr_peer_onednn = {
    .name = "onednn",
    .title = "oneDNN dnnl_sgemm, dnnl_gemm",
    .files = files,
    .remedy = GR_FETCH_PEERS,
    .types = GR_BIT_F32 | GR_BIT_BF16 | GR_BIT_S8 | GR_BIT_U8,
    .prepare = prepare,
    .attach = attach,
    .set_threads = set_threads,
    .run = run,
};
