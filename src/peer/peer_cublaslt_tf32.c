/* peer_cublaslt_tf32.c: cuBLASLt with float32 inputs rounded to TF32. It is compared only if the
 * user names it. SPDX-License-Identifier: MIT */
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
    gr_cublaslt_run(p, GR_CUBLASLT_TF32, a, b, c);
}

const struct gr_peer_kind gr_peer_cublaslt_tf32 = {
    .name = "cublaslt-tf32",
    .title = "NVIDIA cuBLASLt in TF32, fastest of 8",
    .files = gr_cublaslt_files,
    .remedy = "python3 -m pip install nvidia-cublas",
    .types = GR_BIT_F32,
    .device = "cuda",
    .math = "tf32",
    .in_program = true,
    .folders = gr_cublas_folders,
    .attach = attach,
    .run = run,
    .run_on_host = gr_device_blas_run_on_host,
};
