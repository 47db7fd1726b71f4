/* amd_llvm.h: finds a clang that compiles for AMD's GPUs, and LLVM's tools beside it.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_AMD_LLVM_H
#define GPU_AMD_LLVM_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

struct gr_amd_llvm {
    char clang[512];  /* the path that it was found under */
    char folder[512]; /* of the program itself, symbolic links resolved: its tools are there */
    int major, minor;
    int archs[128]; /* the targets that it knows, ascending; gfx90a is 0x90a */
    int arch_count;
    uint64_t identity; /* changes with the program's file */
};

/* It is looked for at $GRADUS_HIP_CLANG (the only place then), in $ROCM_PATH and /opt/rocm*, beside
 * hipcc, as clang-NN (the newest first) and as clang; the first that has the AMDGPU back end is
 * taken, once a process. UNSUPPORTED: none; the line ends in " it with: COMMAND". */
enum gradus_status gr_amd_llvm_find(const struct gr_amd_llvm **llvm, struct gradus_error *error);

/* UNSUPPORTED: this clang does not know "gfx950". */
enum gradus_status gr_amd_llvm_knows(const struct gr_amd_llvm *llvm, const char *arch,
                                     struct gradus_error *error);
/* "gfx90a:xnack+" is 0x90a; 0: not such a name. */
int gr_amd_arch_number(const char *arch);

/* Is there a linker for code objects (lld) that this clang finds? */
bool gr_amd_llvm_links(const struct gr_amd_llvm *llvm);

/* The path of llvm-objdump (malloc'ed, or null): $GRADUS_LLVM_OBJDUMP (the only place then), beside
 * the clang, as llvm-objdump-NN (the newest first) and as llvm-objdump. */
char *gr_amd_objdump_find(void);

#endif
