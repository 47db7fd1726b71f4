/* cublas.c: loads cuBLAS with dlopen; its few prototypes are from its documentation. It works in
 * the primary context of the process (gpu/context.h), on its stream.
 * SPDX-License-Identifier: MIT */
#include "peer/cublas.h"

#include "core/error.h"
#include "gpu/context.h"
#include "gpu/cuda_folders.h"
#include "gpu/vendor.h"

#include <stdio.h>

const char *const gr_cublas_files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                       "libcublas.so", 0};

typedef struct cublasContext *handle_t;
enum { NO_TRANSPOSE = 0, TRANSPOSE = 1 };

typedef int create_fn(handle_t *handle);
typedef int set_stream_fn(handle_t handle, gr_gpu_stream stream);
typedef int set_math_fn(handle_t handle, int mode);
typedef int set_workspace_fn(handle_t handle, void *workspace, size_t bytes);
typedef int property_fn(int property, int *value);
typedef int sgemm_fn(handle_t handle, int trans_a, int trans_b, int m, int n, int k,
                     const float *alpha, const float *a, int lda, const float *b, int ldb,
                     const float *beta, float *c, int ldc);
typedef int dgemm_fn(handle_t handle, int trans_a, int trans_b, int m, int n, int k,
                     const double *alpha, const double *a, int lda, const double *b, int ldb,
                     const double *beta, double *c, int ldc);

enum { SGEMM, DGEMM };

/* One handle per math mode, created once per process. */
static struct {
    handle_t handle;
    struct gr_library *library;
} handles[4];

static handle_t handle_of(const struct gr_peer *peer)
{
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (handles[i].library == peer->library)
            return handles[i].handle;
    return NULL;
}

char **gr_cublas_folders(void)
{
    return gr_cuda_folders();
}

/* Sets a workspace of our own, because an allocation by cuBLAS itself cannot be captured in a
 * graph. 32 MiB is what its documentation recommends for compute capability 9.0. */
static enum gradus_status give_workspace(struct gr_peer *peer, handle_t handle,
                                         struct gradus_error *error)
{
    const size_t bytes = 32 << 20;
    const struct gr_gpu_context *context = gr_gpu_context();
    set_workspace_fn *set = (set_workspace_fn *)gr_peer_symbol(peer, "cublasSetWorkspace_v2");
    gr_gpu_address workspace = 0;
    if (!set) /* before CUDA 11.2 */
        return GRADUS_OK;
    enum gradus_status status =
        gr_gpu_check(context->driver, context->driver->memory_alloc(&workspace, bytes),
                     "memory for cuBLAS", error);
    if (status == GRADUS_OK && set(handle, (void *)(uintptr_t)workspace, bytes) != 0)
        status = gr_fail(error, GRADUS_UNSUPPORTED, "cuBLAS does not take its workspace");
    return status;
}

static void tell_version(const struct gr_peer *peer, struct gr_peer_result *result)
{
    property_fn *ask = (property_fn *)gr_peer_symbol(peer, "cublasGetProperty");
    int parts[3] = {0};
    for (int i = 0; ask && i < 3; i++)
        ask(i, &parts[i]);
    snprintf(result->version, sizeof result->version, "%d.%d.%d", parts[0], parts[1], parts[2]);
    result->threads = 0;
}

enum gradus_status gr_cublas_attach(struct gr_peer *peer, enum gr_cublas_math math,
                                    struct gr_peer_result *result, struct gradus_error *error)
{
    const struct gr_gpu_context *context = gr_gpu_context();
    enum gradus_status status =
        context ? GRADUS_OK : gr_gpu_context_open(&gr_gpu_vendor_cuda, 0, &context, error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SGEMM, "cublasSgemm_v2", error);
    create_fn *create = (create_fn *)gr_peer_symbol(peer, "cublasCreate_v2");
    set_stream_fn *set_stream = (set_stream_fn *)gr_peer_symbol(peer, "cublasSetStream_v2");
    set_math_fn *set_math = (set_math_fn *)gr_peer_symbol(peer, "cublasSetMathMode");
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, DGEMM, "cublasDgemm_v2", error);
    if (status != GRADUS_OK)
        return status;
    handle_t handle = handle_of(peer);
    int failed = 0;
    if (!handle) {
        failed = !create || !set_stream || !set_math || create(&handle) != 0;
        handles[math].handle = handle;
        handles[math].library = peer->library;
        if (!failed)
            failed = set_stream(handle, context->stream) != 0 || set_math(handle, (int)math) != 0;
        if (!failed)
            status = give_workspace(peer, handle, error);
    }
    if (failed)
        return gr_fail(error, GRADUS_UNSUPPORTED, "%s: %s cannot be started on %s",
                       peer->library->kind->name, gr_peer_path(peer), context->device.name);
    tell_version(peer, result);
    return status;
}

/* Row-major C = A B is column-major C' = B' A'. */
void gr_cublas_run(struct gr_peer *peer, const struct gr_problem *p, const void *a, const void *b,
                   void *c)
{
    handle_t handle = handle_of(peer);
    int ta = p->trans_a ? TRANSPOSE : NO_TRANSPOSE, tb = p->trans_b ? TRANSPOSE : NO_TRANSPOSE;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    if (p->types.c == GR_F64) {
        ((dgemm_fn *)peer->library->entries[DGEMM])(handle, tb, ta, n, m, k, &p->alpha, b, ldb, a,
                                                    lda, &p->beta, c, ldc);
        return;
    }
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    ((sgemm_fn *)peer->library->entries[SGEMM])(handle, tb, ta, n, m, k, &alpha, b, ldb, a, lda,
                                                &beta, c, ldc);
}

enum gradus_status gr_cublas_run_on_host(struct gr_peer *peer, const struct gr_problem *p,
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
        gr_cublas_run(peer, p, (void *)(uintptr_t)at[0], (void *)(uintptr_t)at[1],
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
