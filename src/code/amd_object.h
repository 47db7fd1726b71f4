/* amd_object.h: reads an AMD code object, as hipRTC, hipcc and clang make it, by LLVM's "User Guide
 * for AMDGPU Backend": its kernels and the resources that each needs. SPDX-License-Identifier: MIT
 */
#ifndef CODE_AMD_OBJECT_H
#define CODE_AMD_OBJECT_H

#include "code/code.h"

/* As gr_code_read, which calls it. Code objects of version 3 and later (ROCm 3.5) are read. */
enum gradus_status gr_amd_object_read(const void *image, size_t length, struct gr_code *code,
                                      struct gradus_error *error);

#endif
