/* be_cuda.c: kernels in CUDA C on an NVIDIA GPU. SPDX-License-Identifier: MIT */
#include "backend/gpu_backend.h"

const struct gr_backend gr_backend_cuda = GR_GPU_BACKEND(gr_gpu_vendor_cuda, "cuda");
