/* cublaslt.c: calls cuBLASLt, which is loaded with dlopen. The prototypes and numbers are those of
 * cublasLt.h.
 *
 * cublasLtMatmulAlgoGetHeuristic returns the algorithms that it expects to be fast, best first, and
 * is often a tenth off: so each of the first few is timed. SPDX-License-Identifier: MIT */
#include "peer/cublaslt.h"

#include "core/error.h"
#include "gpu/context.h"
#include "gpu/vendor.h"

#include <stdio.h>
#include <string.h>

const char *const gr_cublaslt_files[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                         "libcublasLt.so.11", "libcublasLt.so", NULL};

typedef void *handle_t;
typedef void *descriptor_t;

/* cudaDataType, cublasComputeType_t, cublasOperation_t and the attributes of cublasLt.h */
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14, R_E4M3 = 28, R_E5M2 = 29 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77 };
enum { OP_N = 0, OP_T = 1 };
enum { DESC_TRANS_A = 3, DESC_TRANS_B = 4, DESC_FAST_ACCUM = 25 };
enum { PREFERENCE_WORKSPACE = 1, PREFERENCE_ALIGNMENT_A = 5 }; /* then B, C and D */
enum { CANDIDATES = 8, RUNS = 2, MOST_CHOICES = 16, MOST_ALIGNED = 16 };

/* cublasLtMatmulHeuristicResult_t */
struct heuristic {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

/* X(name here, end of the symbol, parameters) for each function. */
#define FUNCTIONS(X)                                                                               \
    X(create, "Create", (handle_t * handle))                                                       \
    X(property, "GetProperty", (int type, int *value))                                             \
    X(desc_create, "MatmulDescCreate", (descriptor_t * desc, int compute, int scale))              \
    X(desc_destroy, "MatmulDescDestroy", (descriptor_t desc))                                      \
    X(desc_set, "MatmulDescSetAttribute",                                                          \
      (descriptor_t desc, int attribute, const void *value, size_t bytes))                         \
    X(layout_create, "MatrixLayoutCreate",                                                         \
      (descriptor_t * layout, int type, uint64_t rows, uint64_t columns, int64_t ld))              \
    X(layout_destroy, "MatrixLayoutDestroy", (descriptor_t layout))                                \
    X(preference_create, "MatmulPreferenceCreate", (descriptor_t * preference))                    \
    X(preference_destroy, "MatmulPreferenceDestroy", (descriptor_t preference))                    \
    X(preference_set, "MatmulPreferenceSetAttribute",                                              \
      (descriptor_t preference, int attribute, const void *value, size_t bytes))                   \
    X(propose, "MatmulAlgoGetHeuristic",                                                           \
      (handle_t handle, descriptor_t desc, descriptor_t a, descriptor_t b, descriptor_t c,         \
       descriptor_t d, descriptor_t preference, int most, struct heuristic *results, int *count))  \
    X(multiply, "Matmul",                                                                          \
      (handle_t handle, descriptor_t desc, const void *alpha, const void *a,                       \
       descriptor_t layout_a, const void *b, descriptor_t layout_b, const void *beta,              \
       const void *c, descriptor_t layout_c, void *d, descriptor_t layout_d,                       \
       const void *algorithm, void *workspace, size_t workspace_bytes, gr_gpu_stream stream))

/* A process has one library and one GPU. */
static struct {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
    handle_t handle;
    void *workspace;
} lt;

/* What cuBLAS's documentation recommends for compute capability 9.0. */
static const size_t workspace_bytes = (size_t)32 << 20;

/* The properties of a product by which an algorithm is chosen. */
struct key {
    int64_t m, n, k, lda, ldb, ldc;
    struct gr_types types;
    uint32_t alignment[3];
    int trans_a, trans_b, adds;
    enum gr_cublaslt_mode mode;
};

struct choice {
    struct key key;
    descriptor_t desc, a, b, c;
    struct heuristic algorithm;
    bool made; /* false: the library has no algorithm for it */
};

static struct choice choices[MOST_CHOICES];
static int choice_count, choice_next;

static enum gradus_status start(struct gr_peer *peer, struct gradus_error *error)
{
    const struct gr_gpu_context *context = gr_gpu_context();
    const char *name = peer->library->kind->name, *missing = NULL;
    enum gradus_status status =
        context ? GRADUS_OK : gr_gpu_context_open(&gr_gpu_vendor_cuda, 0, &context, error);
    gr_gpu_address workspace = 0;
#define TAKE(name, symbol, parameters)                                                             \
    lt.name = (int(*) parameters)gr_peer_symbol(peer, "cublasLt" symbol);                          \
    missing = lt.name ? missing : "cublasLt" symbol;
    FUNCTIONS(TAKE)
#undef TAKE
    if (status == GRADUS_OK && missing)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s has no symbol %s", name,
                         gr_peer_path(peer), missing);
    if (status == GRADUS_OK && lt.create(&lt.handle) != 0)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s cannot be started on %s", name,
                         gr_peer_path(peer), context->device.name);
    if (status == GRADUS_OK)
        status =
            gr_gpu_check(context->driver,
                         context->driver->memory_alloc(&workspace, workspace_bytes), name, error);
    lt.workspace = (void *)(uintptr_t)workspace;
    return status;
}

enum gradus_status gr_cublaslt_attach(struct gr_peer *peer, struct gr_peer_result *result,
                                      struct gradus_error *error)
{
    enum gradus_status status = lt.workspace ? GRADUS_OK : start(peer, error);
    int parts[3] = {0};
    for (int i = 0; status == GRADUS_OK && i < 3; i++)
        lt.property(i, &parts[i]);
    snprintf(result->version, sizeof result->version, "%d.%d.%d", parts[0], parts[1], parts[2]);
    result->threads = 0;
    return status;
}

const char *gr_cublaslt_refuses(const struct gr_problem *p)
{
    const int64_t c_bytes = (int64_t)gr_dtype_bytes(p->types.c);
    if (gr_dtype_bytes(p->types.a) != 1)
        return NULL;
    if (p->trans_a || !p->trans_b)
        return "cuBLASLt multiplies 8-bit numbers only if A and B are both contiguous along k: "
               "--trans nt";
    if (p->n % 16 || p->k % 16 || p->lda % 16 || p->ldb % 16 || p->ldc * c_bytes % 16)
        return "cuBLASLt multiplies 8-bit numbers only if N, K and all rows are multiples of 16";
    return NULL;
}

static int type_number(enum gr_dtype type)
{
    switch (type) {
    case GR_F64:
        return R_64F;
    case GR_F16:
        return R_16F;
    case GR_BF16:
        return R_16BF;
    case GR_E4M3:
        return R_E4M3;
    case GR_E5M2:
        return R_E5M2;
    default:
        return R_32F;
    }
}

/* The alignment of an address, limited to the most that an algorithm requires. */
static uint32_t alignment_of(const void *p)
{
    uint32_t bytes = MOST_ALIGNED;
    while ((uintptr_t)p % bytes)
        bytes /= 2;
    return bytes;
}

/* Row-major C = A B is column-major C' = B' A': the library's first matrix is B. */
static bool describe(const struct gr_problem *p, struct choice *x)
{
    const bool f64 = p->types.c == GR_F64, tf32 = x->key.mode == GR_CUBLASLT_TF32;
    const int compute = f64 ? COMPUTE_64F : tf32 ? COMPUTE_32F_FAST_TF32 : COMPUTE_32F;
    const int8_t fast = x->key.mode == GR_CUBLASLT_FAST;
    const int ops[] = {p->trans_b ? OP_T : OP_N, p->trans_a ? OP_T : OP_N};
    const int of_a = type_number(p->types.a), of_b = type_number(p->types.b);
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    return lt.desc_create(&x->desc, compute, f64 ? R_64F : R_32F) == 0 &&
           lt.desc_set(x->desc, DESC_TRANS_A, &ops[0], sizeof ops[0]) == 0 &&
           lt.desc_set(x->desc, DESC_TRANS_B, &ops[1], sizeof ops[1]) == 0 &&
           (!fast || lt.desc_set(x->desc, DESC_FAST_ACCUM, &fast, sizeof fast) == 0) &&
           lt.layout_create(&x->b, of_b, p->trans_b ? k : n, p->trans_b ? n : k, p->ldb) == 0 &&
           lt.layout_create(&x->a, of_a, p->trans_a ? m : k, p->trans_a ? k : m, p->lda) == 0 &&
           lt.layout_create(&x->c, type_number(p->types.c), n, m, p->ldc) == 0;
}

static int propose(const struct choice *x, struct heuristic results[CANDIDATES])
{
    const uint64_t most = workspace_bytes;
    const uint32_t aligned[] = {x->key.alignment[1], x->key.alignment[0], x->key.alignment[2],
                                x->key.alignment[2]};
    descriptor_t preference = NULL;
    int count = 0;
    bool done = lt.preference_create(&preference) == 0 &&
                lt.preference_set(preference, PREFERENCE_WORKSPACE, &most, sizeof most) == 0;
    for (int i = 0; i < 4 && done; i++)
        done = lt.preference_set(preference, PREFERENCE_ALIGNMENT_A + i, &aligned[i],
                                 sizeof aligned[i]) == 0;
    done = done && lt.propose(lt.handle, x->desc, x->b, x->a, x->c, x->c, preference, CANDIDATES,
                              results, &count) == 0;
    if (preference)
        lt.preference_destroy(preference);
    return done ? count : 0;
}

struct scalars {
    float f32;
    double f64;
};

static const void *scalar(const struct gr_problem *p, const struct scalars *x)
{
    return p->types.c == GR_F64 ? (const void *)&x->f64 : (const void *)&x->f32;
}

static int submit(const struct gr_problem *p, const struct choice *x,
                  const struct heuristic *algorithm, const void *a, const void *b, const void *c,
                  void *d, void *workspace, gr_gpu_stream stream)
{
    const struct scalars alpha = {(float)p->alpha, p->alpha}, beta = {(float)p->beta, p->beta};
    return lt.multiply(lt.handle, x->desc, scalar(p, &alpha), b, x->b, a, x->a, scalar(p, &beta), c,
                       x->c, d, x->c, algorithm->algorithm, workspace, workspace_bytes, stream);
}

/* What candidates are timed with: a C of their own, because C must not change, and a stream and
 * workspace of their own, because the context's stream may be captured or may still use its
 * workspace. */
struct bench {
    gr_gpu_address c, workspace;
    gr_gpu_stream stream;
    gr_gpu_event events[2];
};

static bool bench_make(const struct gr_gpu_driver *driver, size_t c_bytes, struct bench *bench)
{
    return driver->memory_alloc(&bench->c, c_bytes + 1) == GR_GPU_SUCCESS &&
           driver->memory_alloc(&bench->workspace, workspace_bytes) == GR_GPU_SUCCESS &&
           driver->stream_create(&bench->stream, GR_GPU_STREAM_NON_BLOCKING) == GR_GPU_SUCCESS &&
           driver->event_create(&bench->events[0], 0) == GR_GPU_SUCCESS &&
           driver->event_create(&bench->events[1], 0) == GR_GPU_SUCCESS;
}

static void bench_free(const struct gr_gpu_driver *driver, struct bench *bench)
{
    for (int i = 0; i < 2; i++)
        if (bench->events[i])
            driver->event_destroy(bench->events[i]);
    if (bench->stream)
        driver->stream_destroy(bench->stream);
    if (bench->workspace)
        driver->memory_free(bench->workspace);
    if (bench->c)
        driver->memory_free(bench->c);
}

/* Returns the time of RUNS products after one that is not timed; negative: it cannot be run. */
static float time_of(const struct gr_gpu_driver *driver, const struct bench *bench,
                     const struct gr_problem *p, const struct choice *x,
                     const struct heuristic *algorithm, const void *a, const void *b)
{
    void *c = (void *)(uintptr_t)bench->c, *workspace = (void *)(uintptr_t)bench->workspace;
    float ms = -1;
    bool done = algorithm->state == 0;
    for (int i = 0; i <= RUNS && done; i++) {
        done = submit(p, x, algorithm, a, b, c, c, workspace, bench->stream) == 0;
        if (i == 0 && done)
            done = driver->event_record(bench->events[0], bench->stream) == GR_GPU_SUCCESS;
    }
    done = done && driver->event_record(bench->events[1], bench->stream) == GR_GPU_SUCCESS &&
           driver->stream_synchronize(bench->stream) == GR_GPU_SUCCESS &&
           driver->event_elapsed_ms(&ms, bench->events[0], bench->events[1]) == GR_GPU_SUCCESS;
    return done ? ms : -1;
}

/* If there is no memory for the timing, the first algorithm is taken, as the library would do. */
static int fastest_of(const struct gr_problem *p, const struct choice *x,
                      const struct heuristic *results, int count, const void *a, const void *b)
{
    const struct gr_gpu_driver *driver = gr_gpu_context()->driver;
    const size_t c_bytes = (size_t)gr_problem_span(p, 'C') * gr_dtype_bytes(p->types.c);
    struct bench bench = {0};
    int best = 0;
    float least = -1;
    bool ready = count > 1 && bench_make(driver, c_bytes, &bench);
    for (int i = 0; i < count && ready; i++) {
        float ms = time_of(driver, &bench, p, x, &results[i], a, b);
        if (ms >= 0 && (least < 0 || ms < least)) {
            least = ms;
            best = i;
        }
    }
    bench_free(driver, &bench);
    return best;
}

static void forget(struct choice *x)
{
    const descriptor_t layouts[] = {x->a, x->b, x->c};
    if (x->desc)
        lt.desc_destroy(x->desc);
    for (int i = 0; i < 3; i++)
        if (layouts[i])
            lt.layout_destroy(layouts[i]);
    memset(x, 0, sizeof *x);
}

static const struct choice *choose(const struct gr_problem *p, enum gr_cublaslt_mode mode,
                                   const void *a, const void *b, const void *c)
{
    struct key key; /* including its padding, because keys are compared as bytes */
    memset(&key, 0, sizeof key);
    key.m = p->m, key.n = p->n, key.k = p->k;
    key.lda = p->lda, key.ldb = p->ldb, key.ldc = p->ldc;
    key.types = p->types;
    key.trans_a = p->trans_a, key.trans_b = p->trans_b;
    key.mode = mode, key.adds = p->beta != 0;
    key.alignment[0] = alignment_of(a), key.alignment[1] = alignment_of(b);
    key.alignment[2] = alignment_of(c);
    for (int i = 0; i < choice_count; i++)
        if (memcmp(&choices[i].key, &key, sizeof key) == 0)
            return &choices[i];
    struct heuristic results[CANDIDATES];
    struct choice *x = &choices[choice_next];
    choice_next = (choice_next + 1) % MOST_CHOICES;
    choice_count += choice_count < MOST_CHOICES;
    forget(x);
    x->key = key;
    memset(results, 0, sizeof results);
    int count = describe(p, x) ? propose(x, results) : 0;
    x->made = count > 0;
    if (x->made)
        x->algorithm = results[fastest_of(p, x, results, count, a, b)];
    return x;
}

/* A product for which the library has no algorithm leaves C as it is, and is found wrong. */
void gr_cublaslt_run(const struct gr_problem *p, enum gr_cublaslt_mode mode, const void *a,
                     const void *b, void *c)
{
    if (p->m == 0 || p->n == 0)
        return;
    const struct choice *x = choose(p, mode, a, b, c);
    if (x->made)
        submit(p, x, &x->algorithm, a, b, c, c, lt.workspace, gr_gpu_context()->stream);
}
