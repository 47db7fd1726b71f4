/* simulated.h: products by the GPU's kernel on the simulator, of matrices in host memory.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_SIMULATED_H
#define FILES_SIMULATED_H

#include "backend/device_ref.h"

#include <gradus/gradus.h>

/* Row-major. The kernel is gr_gpu_kernel_open's for the device ("sim", "sim:t4"). UNSUPPORTED: no
 * C++ compiler here. C is whole on success, and of no meaning otherwise. */
enum gradus_status gr_simulated_multiply(const struct gr_device_ref *device,
                                         const struct gradus_gemm *gemm,
                                         struct gradus_error *error);

#endif
