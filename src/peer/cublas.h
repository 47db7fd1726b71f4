/* cublas.h: shared by the peers for NVIDIA's cuBLAS: FP32 and TF32 are two math modes of the
 * same library. SPDX-License-Identifier: MIT */
#ifndef PEER_CUBLAS_H
#define PEER_CUBLAS_H

#include "peer/device_blas.h"

/* cublasMath_t */
enum { GR_CUBLAS_PEDANTIC = 2, GR_CUBLAS_TF32 = 3 };

extern const char *const gr_cublas_files[];

/* The library folders of CUDA toolkits and of Python's nvidia packages. */
char **gr_cublas_folders(void);
void gr_cublas_tell_version(const struct gr_peer *peer, char *text, size_t size);

/* The names of its functions, and a math mode. */
#define GR_CUBLAS(math)                                                                            \
    {                                                                                              \
        .vendor = &gr_gpu_vendor_cuda, .create = "cublasCreate_v2",                                \
        .set_stream = "cublasSetStream_v2", .sgemm = "cublasSgemm_v2", .dgemm = "cublasDgemm_v2",  \
        .set_workspace = "cublasSetWorkspace_v2", .set_mode = "cublasSetMathMode", .mode = (math), \
        .no_transpose = 0, .transpose = 1, .gemm_ex = "cublasGemmEx",                              \
        .tell_version = gr_cublas_tell_version                                                     \
    }

#endif
