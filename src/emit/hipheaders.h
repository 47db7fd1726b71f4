/* hipheaders.h: HIP's headers by every name under which files include them.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_HIPHEADERS_H
#define EMIT_HIPHEADERS_H

/* X(name, what it includes for NVRTC: a file of src/emit/rtc or of the toolkit). The simulator has
 * these headers in its shim. */
#define GR_HIP_HEADERS(X)                                                                          \
    X("hip/hip_runtime.h", "gr_hip.hpp")                                                           \
    X("hip/hip_fp16.h", "gr_hip_half.hpp")                                                         \
    X("hip/hip_bf16.h", "gr_hip_bf16.hpp")                                                         \
    X("hip/hip_cooperative_groups.h", "cooperative_groups.h")

/* X(another name, the header): for NVRTC and for the simulator. */
#define GR_HIP_ALIASES(X)                                                                          \
    X("hip_runtime.h", "hip/hip_runtime.h")                                                        \
    X("hip/hip_runtime_api.h", "hip/hip_runtime.h")                                                \
    X("hip_runtime_api.h", "hip/hip_runtime.h")                                                    \
    X("hip/hip_vector_types.h", "hip/hip_runtime.h")                                               \
    X("hip/device_functions.h", "hip/hip_runtime.h")                                               \
    X("hip/math_functions.h", "hip/hip_runtime.h")                                                 \
    X("hip/hip_ext.h", "hip/hip_runtime.h")                                                        \
    X("hip_fp16.h", "hip/hip_fp16.h")                                                              \
    X("hip_bf16.h", "hip/hip_bf16.h")                                                              \
    X("hip/hip_bfloat16.h", "hip/hip_bf16.h")                                                      \
    X("hip_bfloat16.h", "hip/hip_bf16.h")                                                          \
    X("hip_cooperative_groups.h", "hip/hip_cooperative_groups.h")

#endif
