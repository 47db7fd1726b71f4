/* peer_hipblaslt.c: AMD's hipBLASLt, which has the fastest products of CDNA's GPUs, in the
 * arithmetic of float. The prototypes and numbers are those of hipblaslt.h.
 * SPDX-License-Identifier: MIT */
#include "peer/device_blas.h"

#include "core/error.h"
#include "gpu/context.h"
#include "gpu/rocm_folders.h"

#include <stdio.h>
#include <string.h>

static const char *const files[] = {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so",
                                    NULL};

typedef void *handle_t;
typedef void *descriptor_t; /* of a product, of a matrix's layout, or of a preference */

enum { R_32F = 0, COMPUTE_32F = 2, OP_N = 111, OP_T = 112 };
enum { DESC_TRANS_A = 0, DESC_TRANS_B = 1, PREFERENCE_WORKSPACE = 1 };

/* hipblasLtMatmulHeuristicResult_t */
struct heuristic {
    struct {
        uint8_t data[16];
        size_t workspace_bytes;
    } algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

/* X(name here, end of the symbol, parameters) for each function. */
#define FUNCTIONS(X)                                                                               \
    X(create, "Create", (handle_t * handle))                                                       \
    X(version, "GetVersion", (handle_t handle, int *version))                                      \
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
    X(choose, "MatmulAlgoGetHeuristic",                                                            \
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
static const size_t workspace_bytes = (size_t)64 << 20;

/* The product for which `chosen` was chosen. It is kept, because finding an algorithm takes longer
 * than a small product. */
static struct {
    struct gr_problem problem;
    descriptor_t desc, a, b, c;
    struct heuristic algorithm;
    bool made;
} chosen;

static enum gradus_status start(struct gr_peer *peer, struct gradus_error *error)
{
    const struct gr_gpu_context *context = gr_gpu_context();
    enum gradus_status status =
        context ? GRADUS_OK : gr_gpu_context_open(&gr_gpu_vendor_hip, 0, &context, error);
    gr_gpu_address workspace = 0;
    const char *missing = NULL;
#define TAKE(name, symbol, parameters)                                                             \
    lt.name = (int(*) parameters)gr_peer_symbol(peer, "hipblasLt" symbol);                         \
    missing = lt.name ? missing : "hipblasLt" symbol;
    FUNCTIONS(TAKE)
#undef TAKE
    if (status == GRADUS_OK && missing)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "hipblaslt: %s has no symbol %s",
                         gr_peer_path(peer), missing);
    if (status == GRADUS_OK && lt.create(&lt.handle) != 0)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "hipblaslt: %s cannot be started on %s",
                         gr_peer_path(peer), context->device.name);
    if (status == GRADUS_OK)
        status = gr_gpu_check(context->driver,
                              context->driver->memory_alloc(&workspace, workspace_bytes),
                              "hipblaslt", error);
    lt.workspace = (void *)(uintptr_t)workspace;
    return status;
}

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    int version = 0; /* major * 100000 + minor * 100 + patch */
    (void)threads;
    enum gradus_status status = lt.workspace ? GRADUS_OK : start(peer, error);
    if (status == GRADUS_OK && lt.version(lt.handle, &version) == 0)
        snprintf(result->version, sizeof result->version, "%d.%d.%d", version / 100000,
                 version / 100 % 1000, version % 100);
    result->threads = 0;
    return status;
}

static void forget(void)
{
    if (chosen.desc)
        lt.desc_destroy(chosen.desc);
    const descriptor_t layouts[] = {chosen.a, chosen.b, chosen.c};
    for (int i = 0; i < 3; i++)
        if (layouts[i])
            lt.layout_destroy(layouts[i]);
    memset(&chosen, 0, sizeof chosen);
}

/* Row-major C = A B is column-major C' = B' A': the library's first matrix is B. */
static bool describe(const struct gr_problem *p)
{
    const int ops[] = {p->trans_b ? OP_T : OP_N, p->trans_a ? OP_T : OP_N};
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    return lt.desc_create(&chosen.desc, COMPUTE_32F, R_32F) == 0 &&
           lt.desc_set(chosen.desc, DESC_TRANS_A, &ops[0], sizeof ops[0]) == 0 &&
           lt.desc_set(chosen.desc, DESC_TRANS_B, &ops[1], sizeof ops[1]) == 0 &&
           lt.layout_create(&chosen.b, R_32F, p->trans_b ? k : n, p->trans_b ? n : k, p->ldb) ==
               0 &&
           lt.layout_create(&chosen.a, R_32F, p->trans_a ? m : k, p->trans_a ? k : m, p->lda) ==
               0 &&
           lt.layout_create(&chosen.c, R_32F, n, m, p->ldc) == 0;
}

static bool choose(const struct gr_problem *p)
{
    descriptor_t preference = NULL;
    const uint64_t most = workspace_bytes;
    int count = 0;
    if (chosen.made && memcmp(&chosen.problem, p, sizeof *p) == 0)
        return true;
    forget();
    if (describe(p) && lt.preference_create(&preference) == 0 &&
        lt.preference_set(preference, PREFERENCE_WORKSPACE, &most, sizeof most) == 0)
        chosen.made = lt.choose(lt.handle, chosen.desc, chosen.b, chosen.a, chosen.c, chosen.c,
                                preference, 1, &chosen.algorithm, &count) == 0 &&
                      count == 1;
    if (preference)
        lt.preference_destroy(preference);
    memcpy(&chosen.problem, p, sizeof *p);
    return chosen.made;
}

/* A product for which the library has no algorithm leaves C as it is, and is found wrong. */
static void run(struct gr_peer *peer, const struct gr_problem *p, const void *a, const void *b,
                void *c)
{
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    (void)peer;
    if (choose(p))
        lt.multiply(lt.handle, chosen.desc, &alpha, b, chosen.b, a, chosen.a, &beta, c, chosen.c, c,
                    chosen.c, &chosen.algorithm.algorithm, lt.workspace, workspace_bytes,
                    gr_gpu_context()->stream);
}

const struct gr_peer_kind gr_peer_hipblaslt = {
    .name = "hipblaslt",
    .title = "AMD hipBLASLt",
    .files = files,
    .remedy = "apt-get install hipblaslt",
    .types = GR_BIT_F32,
    .device = "hip",
    .in_program = true,
    .folders = gr_rocm_folders,
    .attach = attach,
    .run = run,
    .run_on_host = gr_device_blas_run_on_host,
};
