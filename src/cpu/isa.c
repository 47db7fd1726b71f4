/* isa.c: which instruction sets this CPU runs, by feature bits and with the operating system's
 * consent. SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct level {
    const char *name;
    bool (*runs)(void);
};

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
#include <cpuid.h>

/* Register state that the operating system saves on a context switch (Intel SDM vol. 1, 13.3). */
enum { XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6 };

static uint64_t xcr0(void)
{
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (uint64_t)d << 32 | a;
}

/* A CPU may have the bits while the system does not save the registers: both must agree. */
static bool runs_avx2(void)
{
    uint32_t a, b, c, d;
    if ((xcr0() & XCR0_AVX) != XCR0_AVX || !__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA))
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

static bool runs_avx512(void)
{
    const uint32_t wanted = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    uint32_t a, b, c, d;
    if (!runs_avx2() || (xcr0() & XCR0_AVX512) != XCR0_AVX512)
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & wanted) == wanted;
}

static const struct level levels[] = {
    {"avx512", runs_avx512}, {"avx2", runs_avx2}, {"portable", always}};
#elif defined(__aarch64__)
static const struct level levels[] = {{"neon", always}, {"portable", always}};
#else
static const struct level levels[] = {{"portable", always}};
#endif

const char *gr_cpu_isa_at(int i)
{
    return i >= 0 && i < (int)(sizeof levels / sizeof *levels) ? levels[i].name : NULL;
}

bool gr_cpu_isa_runs(const char *isa)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(levels[i].name, isa))
            return levels[i].runs();
    return false;
}

static const char *find_isa(void)
{
    const char *wanted = getenv("GRADUS_ISA");
    const char *best = NULL;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!levels[i].runs())
            continue;
        if (wanted && !strcmp(levels[i].name, wanted))
            return levels[i].name;
        if (!best)
            best = levels[i].name;
    }
    return best;
}

/* Found once: cpuid traps to the hypervisor on a virtual machine, and costs microseconds there. */
const char *gr_cpu_isa(void)
{
    static _Atomic(const char *) found;
    const char *isa = atomic_load_explicit(&found, memory_order_acquire);
    if (!isa) {
        isa = find_isa();
        atomic_store_explicit(&found, isa, memory_order_release);
    }
    return isa;
}
