/* peer_cublaslt.c: cuBLASLt in the plain arithmetic of the type: float without TF32; 16-bit inputs
 * are multiplied by the tensor cores and summed in float32; sums of 8-bit ones (e4m3), which the
 * tensor cores make with fewer bits, are added in float32 now and then. SPDX-License-Identifier:
 * MIT */
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
    gr_cublaslt_run(p, GR_CUBLASLT_PLAIN, a, b, c);
}

const struct gr_peer_kind gr_peer_cublaslt = {
    .name = "cublaslt",
    .title = "NVIDIA cuBLASLt, fastest of 8",
    .files = gr_cublaslt_files,
    .remedy = "python3 -m pip install nvidia-cublas",
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16 | GR_BIT_F16 | GR_BIT_BF16_BF16 |
             GR_BIT_F16_F16 | GR_BIT_E4M3 | GR_BIT_E4M3_BF16,
    .device = "cuda",
    .refuses = gr_cublaslt_refuses,
    .in_program = true,
    .folders = gr_cublas_folders,
    .attach = attach,
    .run = run,
    .run_on_host = gr_device_blas_run_on_host,
};
