/* features.h: what this CPU can do, feature by feature; isa_<name>.c says what an ISA needs of it.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_FEATURES_H
#define CPU_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

/* A feature is present when CPUID (or the auxiliary vector) has its bit and the operating system
 * saves the registers that it needs: X(enumerator, name, place of the bit, register state). Names
 * are those of /proc/cpuinfo. A new feature is a line here; what needs it is an instruction set
 * (isa.h). */
#if defined(__x86_64__)
/* Place: leaf, subleaf, register 0..3 of eax ebx ecx edx, bit (Intel SDM vol. 2, CPUID). */
#define GR_CPU_FEATURES(X)                                                                         \
    X(AVX, "avx", (1, 0, 2, 28), GR_STATE_AVX)                                                     \
    X(FMA, "fma", (1, 0, 2, 12), GR_STATE_AVX)                                                     \
    X(AVX2, "avx2", (7, 0, 1, 5), GR_STATE_AVX)                                                    \
    X(AVX_VNNI, "avx_vnni", (7, 1, 0, 4), GR_STATE_AVX)                                            \
    X(AVX512F, "avx512f", (7, 0, 1, 16), GR_STATE_AVX512)                                          \
    X(AVX512DQ, "avx512dq", (7, 0, 1, 17), GR_STATE_AVX512)                                        \
    X(AVX512BW, "avx512bw", (7, 0, 1, 30), GR_STATE_AVX512)                                        \
    X(AVX512VL, "avx512vl", (7, 0, 1, 31), GR_STATE_AVX512)                                        \
    X(AVX512_VNNI, "avx512_vnni", (7, 0, 2, 11), GR_STATE_AVX512)                                  \
    X(AVX512_BF16, "avx512_bf16", (7, 1, 0, 5), GR_STATE_AVX512)                                   \
    X(AMX_TILE, "amx_tile", (7, 0, 3, 24), GR_STATE_AMX)                                           \
    X(AMX_INT8, "amx_int8", (7, 0, 3, 25), GR_STATE_AMX)                                           \
    X(AMX_BF16, "amx_bf16", (7, 0, 3, 22), GR_STATE_AMX)
#elif defined(__aarch64__)
/* Place: word of the auxiliary vector (0: AT_HWCAP, 1: AT_HWCAP2), 0, 0, bit. */
#define GR_CPU_FEATURES(X)                                                                         \
    X(ASIMD, "asimd", (0, 0, 0, 1), 0)                                                             \
    X(ASIMDDP, "asimddp", (0, 0, 0, 20), 0)
#else
#define GR_CPU_FEATURES(X)
#endif

/* Bits of XCR0: the register state that the system saves (Intel SDM vol. 1, 13.3). */
enum { GR_STATE_AVX = 0x6, GR_STATE_AVX512 = 0xe6, GR_STATE_AMX = 0x60006 };

enum gr_cpu_feature {
#define GR_CPU_FEATURE_ENUM(enumerator, name, place, state) GR_CPU_##enumerator,
    GR_CPU_FEATURES(GR_CPU_FEATURE_ENUM)
#undef GR_CPU_FEATURE_ENUM
        GR_CPU_FEATURE_COUNT
};
#define GR_CPU_BIT(feature) ((uint64_t)1 << GR_CPU_##feature)

/* Returns true if the CPU has all features of the set (GR_CPU_BIT or'ed) and none of them is
 * masked. For a set with AMX, permission to use its registers is requested from Linux once in each
 * process. */
bool gr_cpu_has(uint64_t features);

/* For reports: the name of a feature, or null past the last one; the features of the CPU and the
 * operating system; and those that GRADUS_CPU_MASK masks. The mask has names, in upper or lower
 * case, with or without underscores, separated by commas or blanks. Masking a feature does not mask
 * those that depend on it, since no instruction set uses these without it. */
const char *gr_cpu_feature_name(int feature);
uint64_t gr_cpu_features_here(void);
uint64_t gr_cpu_features_masked(void);
/* The words of GRADUS_CPU_MASK that name no feature, separated by commas; "" if there is none. The
 * text is truncated to `size`. */
void gr_cpu_mask_unknown(char *words, int size);

#endif
