/* amd_disassemble.h: has LLVM's disassembler read the instructions of an AMD code object.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_AMD_DISASSEMBLE_H
#define GPU_AMD_DISASSEMBLE_H

#include "code/code.h"

/* Fills the instructions of the kernels of `code`, which was read from the image. UNSUPPORTED:
 * there is no llvm-objdump, or it does not know the architecture; the line says how to get one. */
enum gradus_status gr_amd_disassemble(const void *image, size_t length, struct gr_code *code,
                                      struct gradus_error *error);

#endif
