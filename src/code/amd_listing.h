/* amd_listing.h: takes the instructions of AMD's kernels from what LLVM's disassembler writes
 * (llvm-objdump -d). SPDX-License-Identifier: MIT */
#ifndef CODE_AMD_LISTING_H
#define CODE_AMD_LISTING_H

#include "code/code.h"

/* Fills the instructions of all kernels. A line is an instruction if it ends in its address and its
 * words, "// 000000001900: C0060003 00000000"; others are skipped. A kernel that has no line stays
 * without instructions. Fails only where memory is out. */
enum gradus_status gr_amd_listing_take(const char *text, struct gr_code *code,
                                       struct gradus_error *error);

#endif
