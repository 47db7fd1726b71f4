/* simulated.h: multiplies matrices in host memory by running a GPU kernel on the simulator.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_SIMULATED_H
#define FILES_SIMULATED_H

#include "backend/backend.h"
#include "backend/device_ref.h"

#include <gradus/gradus.h>

/* All matrices are row-major. gr_gpu_kernel_open selects the kernel for the device ("sim",
 * "sim:t4"), and `engine` what runs it. UNSUPPORTED: there is no compiler that this needs. On
 * failure the content of C is undefined. */
enum gradus_status gr_simulated_multiply(const struct gr_device_ref *device,
                                         const struct gradus_gemm *gemm, enum gr_engine engine,
                                         struct gradus_error *error);

#endif
