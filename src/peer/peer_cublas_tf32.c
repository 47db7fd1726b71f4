/* peer_cublas_tf32.c: cuBLAS with float32 inputs rounded to TF32 for the tensor cores. That is
 * another arithmetic, so it is not compared with plain float32 unless the user names it.
 * SPDX-License-Identifier: MIT */
#include "peer/cublas.h"

static const struct gr_device_blas blas = GR_CUBLAS(GR_CUBLAS_TF32);

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    (void)threads;
    return gr_device_blas_attach(peer, &blas, result, error);
}

const struct gr_peer_kind gr_peer_cublas_tf32 = {
    .name = "cublas-tf32",
    .title = "NVIDIA cuBLAS in TF32",
    .files = gr_cublas_files,
    .remedy = "python3 -m pip install nvidia-cublas",
    .types = GR_BIT_F32,
    .device = "cuda",
    .math = "tf32",
    .in_program = true,
    .folders = gr_cublas_folders,
    .attach = attach,
    .run = gr_device_blas_run,
    .run_on_host = gr_device_blas_run_on_host,
};
