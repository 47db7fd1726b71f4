/* device_blas.c: calls a BLAS for GPUs that was loaded with dlopen; the prototypes are from the
 * libraries' documentation. SPDX-License-Identifier: MIT */
#include "peer/device_blas.h"

#include "core/error.h"
#include "gpu/context.h"

#include <stdio.h>

typedef gr_device_blas_handle handle_t;
typedef int create_fn(handle_t *handle);
typedef int set_stream_fn(handle_t handle, gr_gpu_stream stream);
typedef int set_mode_fn(handle_t handle, int mode);
typedef int set_workspace_fn(handle_t handle, void *workspace, size_t bytes);
typedef int sgemm_fn(handle_t handle, int trans_a, int trans_b, int m, int n, int k,
                     const float *alpha, const float *a, int lda, const float *b, int ldb,
                     const float *beta, float *c, int ldc);
typedef int dgemm_fn(handle_t handle, int trans_a, int trans_b, int m, int n, int k,
                     const double *alpha, const double *a, int lda, const double *b, int ldb,
                     const double *beta, double *c, int ldc);

/* alpha and beta are float, and the types are given by numbers. */
typedef int gemm_ex_fn(handle_t handle, int trans_a, int trans_b, int m, int n, int k,
                       const void *alpha, const void *a, int a_type, int lda, const void *b,
                       int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                       int compute, int algorithm);

enum { SGEMM, DGEMM, GEMM_EX, MOST_HANDLES = 8 };
/* cudaDataType, cublasComputeType_t, cublasGemmAlgo_t and cublasMath_t */
enum {
    R_32F = 0,
    R_16F = 2,
    R_16BF = 14,
    COMPUTE_32F = 68,
    DEFAULT_ALGORITHM = -1,
    DEFAULT_MATH = 0
};

/* One handle for each kind, created once per process. */
static struct {
    handle_t handle;
    struct gr_library *library;
    const struct gr_device_blas *blas;
} handles[MOST_HANDLES];

static int index_of(const struct gr_peer *peer)
{
    int i = 0;
    while (i < MOST_HANDLES - 1 && handles[i].library && handles[i].library != peer->library)
        i++;
    return i;
}

/* Sets a workspace of our own, because an allocation by the library itself cannot be captured in a
 * graph. 32 MiB is what cuBLAS's documentation recommends for compute capability 9.0. */
static enum gradus_status give_workspace(struct gr_peer *peer, const struct gr_device_blas *blas,
                                         handle_t handle, struct gradus_error *error)
{
    const size_t bytes = 32 << 20;
    const struct gr_gpu_context *context = gr_gpu_context();
    const char *name = peer->library->kind->name;
    set_workspace_fn *set =
        blas->set_workspace ? (set_workspace_fn *)gr_peer_symbol(peer, blas->set_workspace) : NULL;
    gr_gpu_address workspace = 0;
    if (!set) /* cuBLAS before CUDA 11.2 */
        return GRADUS_OK;
    enum gradus_status status = gr_gpu_check(
        context->driver, context->driver->memory_alloc(&workspace, bytes), name, error);
    if (status == GRADUS_OK && set(handle, (void *)(uintptr_t)workspace, bytes) != 0)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "%s does not take its workspace", name);
    return status;
}

/* Returns false if the library has no such function, or refuses the mode. */
static bool set_mode(struct gr_peer *peer, const struct gr_device_blas *blas, handle_t handle,
                     int mode)
{
    if (!blas->set_mode)
        return true;
    set_mode_fn *set = (set_mode_fn *)gr_peer_symbol(peer, blas->set_mode);
    return set && set(handle, mode) == 0;
}

/* Creates the handle; null if this fails. */
static handle_t create(struct gr_peer *peer, const struct gr_device_blas *blas,
                       const struct gr_gpu_context *context)
{
    create_fn *make = (create_fn *)gr_peer_symbol(peer, blas->create);
    set_stream_fn *set_stream = (set_stream_fn *)gr_peer_symbol(peer, blas->set_stream);
    handle_t handle = NULL;
    if (!make || !set_stream || make(&handle) != 0 || set_stream(handle, context->stream) != 0 ||
        !set_mode(peer, blas, handle, blas->mode))
        return NULL;
    return handle;
}

enum gradus_status gr_device_blas_attach(struct gr_peer *peer, const struct gr_device_blas *blas,
                                         struct gr_peer_result *result, struct gradus_error *error)
{
    const struct gr_gpu_context *context = gr_gpu_context();
    enum gradus_status status =
        context ? GRADUS_OK : gr_gpu_context_open(blas->vendor, 0, &context, error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SGEMM, blas->sgemm, error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, DGEMM, blas->dgemm, error);
    if (status == GRADUS_OK && blas->gemm_ex)
        status = gr_peer_bind(peer, GEMM_EX, blas->gemm_ex, error);
    if (status != GRADUS_OK)
        return status;
    const int i = index_of(peer);
    if (!handles[i].handle) {
        handles[i].handle = create(peer, blas, context);
        handles[i].library = peer->library;
        handles[i].blas = blas;
        if (!handles[i].handle)
            return gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s cannot be started on %s",
                           peer->library->kind->name, gr_peer_path(peer), context->device.name);
        status = give_workspace(peer, blas, handles[i].handle, error);
    }
    blas->tell_version(peer, result->version, sizeof result->version);
    result->threads = 0;
    return status;
}

static int type_number(enum gr_dtype type)
{
    return type == GR_F16 ? R_16F : type == GR_BF16 ? R_16BF : R_32F;
}

/* 16-bit inputs, sums in float, C in float or the inputs' type. */
static void run_gemm_ex(struct gr_peer *peer, handle_t handle, const struct gr_problem *p, int ta,
                        int tb, const void *a, const void *b, void *c)
{
    const int type = type_number(p->types.a);
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    ((gemm_ex_fn *)peer->library->entries[GEMM_EX])(handle, tb, ta, (int)p->n, (int)p->m, (int)p->k,
                                                    &alpha, b, type, (int)p->ldb, a, type,
                                                    (int)p->lda, &beta, c, type_number(p->types.c),
                                                    (int)p->ldc, COMPUTE_32F, DEFAULT_ALGORITHM);
}

/* Row-major C = A B is column-major C' = B' A'. The mode prescribes the arithmetic of float; for
 * other types it would only forbid their tensor cores, whose float64 is as exact as any (it costs
 * cuBLAS a quarter of its speed). */
void gr_device_blas_run(struct gr_peer *peer, const struct gr_problem *p, const void *a,
                        const void *b, void *c)
{
    const int i = index_of(peer);
    const struct gr_device_blas *blas = handles[i].blas;
    handle_t handle = handles[i].handle;
    int ta = p->trans_a ? blas->transpose : blas->no_transpose;
    int tb = p->trans_b ? blas->transpose : blas->no_transpose;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    set_mode(peer, blas, handle, p->types.a == GR_F32 ? blas->mode : DEFAULT_MATH);
    if (p->types.c == GR_F64) {
        ((dgemm_fn *)peer->library->entries[DGEMM])(handle, tb, ta, n, m, k, &p->alpha, b, ldb, a,
                                                    lda, &p->beta, c, ldc);
        return;
    }
    if (p->types.a != GR_F32) {
        run_gemm_ex(peer, handle, p, ta, tb, a, b, c);
        return;
    }
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    ((sgemm_fn *)peer->library->entries[SGEMM])(handle, tb, ta, n, m, k, &alpha, b, ldb, a, lda,
                                                &beta, c, ldc);
}

enum gradus_status gr_device_blas_run_on_host(struct gr_peer *peer, const struct gr_problem *p,
                                              const void *a, const void *b, void *c,
                                              struct gradus_error *error)
{
    const struct gr_gpu_context *context = gr_gpu_context();
    const struct gr_gpu_driver *driver = context->driver;
    const void *from[] = {a, b, c};
    gr_gpu_address at[3] = {0};
    size_t bytes[3];
    gr_gpu_result result = GR_GPU_SUCCESS;
    for (int i = 0; i < 3 && result == GR_GPU_SUCCESS; i++) {
        bytes[i] =
            (size_t)gr_problem_span(p, "ABC"[i]) * gr_dtype_bytes(gr_problem_type(p, "ABC"[i]));
        result = driver->memory_alloc(&at[i], bytes[i] + 1);
        if (result == GR_GPU_SUCCESS)
            result = driver->to_device(at[i], from[i], bytes[i], context->stream);
    }
    if (result == GR_GPU_SUCCESS) {
        peer->library->kind->run(peer, p, (void *)(uintptr_t)at[0], (void *)(uintptr_t)at[1],
                                 (void *)(uintptr_t)at[2]);
        result = driver->to_host(c, at[2], bytes[2], context->stream);
    }
    if (result == GR_GPU_SUCCESS)
        result = driver->stream_synchronize(context->stream);
    for (int i = 0; i < 3; i++)
        if (at[i])
            driver->memory_free(at[i]);
    return gr_gpu_check(driver, result, peer->library->kind->name, error);
}
