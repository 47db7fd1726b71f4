/* peer_cublaslt_fast.c: cuBLASLt with its FAST_ACCUM: products of 8-bit numbers are summed over all
 * of k by the tensor cores, which keep 13 bits of the fraction. It is compared only if the user
 * names it. SPDX-License-Identifier: MIT */
#include "peer/cublas.h"
#include "peer/cublaslt.h"

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    (void)threads;
    return gr_cublaslt_attach(peer, result, error);
}

static void run(struct gr_peer *peer, const struct gr_problem *p, const void *a, const void *b,
                void *c)
{
    (void)peer;
    /* Only 8-bit types have it. The product with which a library is tried is of f32. */
    const bool has_it = gr_dtype_bytes(p->types.a) == 1;
    gr_cublaslt_run(p, has_it ? GR_CUBLASLT_FAST : GR_CUBLASLT_PLAIN, a, b, c);
}

const struct gr_peer_kind gr_peer_cublaslt_fast = {
    .name = "cublaslt-fast",
    .title = "NVIDIA cuBLASLt with fast accumulation, fastest of 8",
    .files = gr_cublaslt_files,
    .remedy = "python3 -m pip install nvidia-cublas",
    .types = GR_BIT_E4M3 | GR_BIT_E4M3_BF16,
    .device = "cuda",
    .only_named = true,
    .refuses = gr_cublaslt_refuses,
    .in_program = true,
    .folders = gr_cublas_folders,
    .attach = attach,
    .run = run,
    .run_on_host = gr_device_blas_run_on_host,
};
