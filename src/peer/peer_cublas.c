/* peer_cublas.c: cuBLAS in the plain arithmetic of the type, which CUBLAS_PEDANTIC_MATH guarantees
 * for float; float64 and 16-bit inputs, summed in float32, are multiplied by the tensor cores.
 * SPDX-License-Identifier: MIT */
#include "peer/cublas.h"

static const struct gr_device_blas blas = GR_CUBLAS(GR_CUBLAS_PEDANTIC);

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    (void)threads;
    return gr_device_blas_attach(peer, &blas, result, error);
}

const struct gr_peer_kind gr_peer_cublas = {
    .name = "cublas",
    .title = "NVIDIA cuBLAS",
    .files = gr_cublas_files,
    .remedy = "python3 -m pip install nvidia-cublas",
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16 | GR_BIT_F16 | GR_BIT_BF16_BF16 | GR_BIT_F16_F16,
    .device = "cuda",
    .in_program = true,
    .folders = gr_cublas_folders,
    .attach = attach,
    .run = gr_device_blas_run,
    .run_on_host = gr_device_blas_run_on_host,
};
