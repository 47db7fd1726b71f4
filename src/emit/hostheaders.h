/* hostheaders.h: library headers that only host code uses. Since the host code is removed, each
 * is replaced by an empty text. SPDX-License-Identifier: MIT */
#ifndef EMIT_HOSTHEADERS_H
#define EMIT_HOSTHEADERS_H

/* X(name) */
#define GR_HOST_HEADERS(X)                                                                         \
    X("torch/extension.h")                                                                         \
    X("torch/types.h")                                                                             \
    X("torch/torch.h")                                                                             \
    X("torch/all.h")                                                                               \
    X("torch/script.h")                                                                            \
    X("torch/library.h")                                                                           \
    X("torch/python.h")                                                                            \
    X("torch/serialize/tensor.h")                                                                  \
    X("ATen/ATen.h")                                                                               \
    X("ATen/cuda/CUDAContext.h")                                                                   \
    X("c10/cuda/CUDAException.h")                                                                  \
    X("c10/cuda/CUDAGuard.h")                                                                      \
    X("c10/cuda/CUDAStream.h")                                                                     \
    X("pybind11/pybind11.h")                                                                       \
    X("pybind11/numpy.h")                                                                          \
    X("pybind11/stl.h")                                                                            \
    X("Python.h")                                                                                  \
    X("gtest/gtest.h")                                                                             \
    X("benchmark/benchmark.h")                                                                     \
    X("omp.h")                                                                                     \
    X("mpi.h")                                                                                     \
    X("rocblas.h")                                                                                 \
    X("rocblas/rocblas.h")                                                                         \
    X("hipblas.h")                                                                                 \
    X("hipblas/hipblas.h")                                                                         \
    X("hipblaslt/hipblaslt.h")                                                                     \
    X("hipblaslt/hipblaslt-ext.hpp")                                                               \
    X("rocrand/rocrand.h")                                                                         \
    X("hiprand/hiprand.h")                                                                         \
    X("roctracer/roctx.h")                                                                         \
    X("roctx.h")                                                                                   \
    X("hip/hiprtc.h")

#endif
