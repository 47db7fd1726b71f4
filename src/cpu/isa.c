/* isa.c: the ladder of instruction sets, and which of them run here. SPDX-License-Identifier: MIT
 */
#include "cpu/cpu.h"
#include "cpu/features.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A level is a step of the ladder: kernels are built for it, and GRADUS_ISA may name it. An
 * extension is a set of features above a level, for micro-kernels that need them; it is used
 * wherever its level is and the CPU has it. */
struct isa {
    const char *name;
    const char *level; /* of an extension; null: this is a level itself */
    uint64_t needs;
};

/* Best first; an extension stands before its level. */
static const struct isa isas[] = {
#if defined(__x86_64__)
#define AVX2_SET (GR_CPU_BIT(AVX) | GR_CPU_BIT(FMA) | GR_CPU_BIT(AVX2))
#define AVX512_SET                                                                                 \
    (AVX2_SET | GR_CPU_BIT(AVX512F) | GR_CPU_BIT(AVX512DQ) | GR_CPU_BIT(AVX512BW) |                \
     GR_CPU_BIT(AVX512VL))
    {"amxint8", "avx512", AVX512_SET | GR_CPU_BIT(AMX_TILE) | GR_CPU_BIT(AMX_INT8)},
    {"amxbf16", "avx512", AVX512_SET | GR_CPU_BIT(AMX_TILE) | GR_CPU_BIT(AMX_BF16)},
    {"avx512bf16", "avx512", AVX512_SET | GR_CPU_BIT(AVX512_BF16)},
    {"avx512vnni", "avx512", AVX512_SET | GR_CPU_BIT(AVX512_VNNI)},
    {"avx512", NULL, AVX512_SET},
    {"avxvnni", "avx2", AVX2_SET | GR_CPU_BIT(AVX_VNNI)},
    {"avx2", NULL, AVX2_SET},
#elif defined(__aarch64__)
    {"dotprod", "neon", GR_CPU_BIT(ASIMD) | GR_CPU_BIT(ASIMDDP)},
    {"neon", NULL, GR_CPU_BIT(ASIMD)},
#endif
    {"portable", NULL, 0},
};
enum { ISAS = sizeof isas / sizeof *isas };

static const struct isa *find(const char *name)
{
    for (int i = 0; i < ISAS; i++)
        if (!strcmp(isas[i].name, name))
            return &isas[i];
    return NULL;
}

const char *gr_cpu_isa_at(int i)
{
    for (int at = 0; i >= 0 && at < ISAS; at++)
        if (!isas[at].level && i-- == 0)
            return isas[at].name;
    return NULL;
}

const char *gr_cpu_isa_level(const char *name)
{
    const struct isa *isa = find(name);
    return !isa ? NULL : isa->level ? isa->level : isa->name;
}

uint64_t gr_cpu_isa_needs(const char *name)
{
    const struct isa *isa = find(name);
    return isa ? isa->needs : 0;
}

bool gr_cpu_isa_runs(const char *name)
{
    const struct isa *isa = find(name);
    return isa && gr_cpu_has(isa->needs);
}

static const char *find_level(void)
{
    const char *wanted = getenv("GRADUS_ISA"), *best = NULL, *level;
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++) {
        if (!gr_cpu_isa_runs(level))
            continue;
        if (wanted && !strcmp(level, wanted))
            return level;
        if (!best)
            best = level;
    }
    return best;
}

const char *gr_cpu_isa(void)
{
    static _Atomic(const char *) found;
    const char *level = atomic_load_explicit(&found, memory_order_acquire);
    if (!level) {
        level = find_level();
        atomic_store_explicit(&found, level, memory_order_release);
    }
    return level;
}
