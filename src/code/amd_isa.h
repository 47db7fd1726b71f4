/* amd_isa.h: tells AMD's instructions apart by their mnemonics, as LLVM's disassembler writes them,
 * from gfx9 to gfx12. SPDX-License-Identifier: MIT */
#ifndef CODE_AMD_ISA_H
#define CODE_AMD_ISA_H

#include "code/instruction.h"

/* Fills op, width, known, idle, vector, flops and access from a text such as
 * "global_load_dwordx4 v[0:3], v[4:5], off"; other members stay. `scratch`: the kernel has private
 * memory, and buffer instructions are of that. */
void gr_amd_isa_read(const char *text, bool scratch, struct gr_instruction *i);

/* Does the instruction go to a place that it names, relative to the next one, in units of 4 bytes
 * in its lowest 16 bits (s_branch, s_cbranch_…)? */
bool gr_amd_isa_jumps(const char *text);

#endif
