/* features.c: the features of this CPU that the operating system supports, except those that
 * GRADUS_CPU_MASK disables. SPDX-License-Identifier: MIT */
#include "cpu/features.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct place {
    uint32_t leaf, subleaf;
    int word, bit;
};

struct feature {
    const char *name;
    struct place place;
    uint64_t state;
};

#define BRACED(leaf, subleaf, word, bit)                                                           \
    {                                                                                              \
        leaf, subleaf, word, bit                                                                   \
    }
/* The last entry ends the list. On an architecture other than x86-64 and AArch64 it is the only
 * one. */
static const struct feature features[] = {
#define FEATURE(enumerator, name, place, state) {name, BRACED place, state},
    GR_CPU_FEATURES(FEATURE)
#undef FEATURE
        {NULL, {0, 0, 0, 0}, 0}};

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t xcr0(void)
{
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (uint64_t)d << 32 | a;
}

/* A CPU may return the values of another leaf for a leaf or subleaf that it does not have, so both
 * are compared with the largest numbers that the CPU reports. */
static bool has_bit(struct place place)
{
    uint32_t word[4];
    if (!__get_cpuid_count(place.leaf, 0, &word[0], &word[1], &word[2], &word[3]))
        return false;
    if (place.subleaf > 0) {
        if (place.subleaf > word[0])
            return false;
        __cpuid_count(place.leaf, place.subleaf, word[0], word[1], word[2], word[3]);
    }
    return word[place.word] >> place.bit & 1;
}

/* Permission to use AMX is requested from Linux only when an AMX kernel is needed, because every
 * signal frame then grows by the 8 KB of the tile registers. The permission holds for the whole
 * process and for its children. */
static bool ask_for_tiles(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

static bool may_use_tiles(void)
{
    static atomic_int answer; /* 0: not requested yet, 1: granted, 2: refused */
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (!known) {
        known = ask_for_tiles() ? 1 : 2;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == 1;
}

static bool system_agrees(uint64_t set)
{
    return !(set & GR_CPU_BIT(AMX_TILE)) || may_use_tiles();
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

static uint64_t xcr0(void)
{
    return 0;
}

static bool has_bit(struct place place)
{
    return getauxval(place.leaf ? AT_HWCAP2 : AT_HWCAP) >> place.bit & 1;
}

static bool system_agrees(uint64_t set)
{
    (void)set;
    return true;
}
#else
static uint64_t xcr0(void)
{
    return 0;
}

static bool has_bit(struct place place)
{
    (void)place;
    return false;
}

static bool system_agrees(uint64_t set)
{
    (void)set;
    return true;
}
#endif

const char *gr_cpu_feature_name(int feature)
{
    return feature >= 0 && feature < GR_CPU_FEATURE_COUNT ? features[feature].name : NULL;
}

/* A feature can be used only if the CPU has it and the operating system saves its registers at a
 * context switch. */
uint64_t gr_cpu_features_here(void)
{
    const uint64_t saved = xcr0();
    uint64_t here = 0;
    for (int i = 0; features[i].name; i++)
        if ((features[i].state & saved) == features[i].state && has_bit(features[i].place))
            here |= (uint64_t)1 << i;
    return here;
}

static bool same_name(const char *word, size_t length, const char *name)
{
    size_t i = 0;
    for (;;) {
        while (i < length && word[i] == '_')
            i++;
        while (*name == '_')
            name++;
        if (i == length || !*name)
            return i == length && !*name;
        if (tolower((unsigned char)word[i++]) != *name++)
            return false;
    }
}

/* Returns the next word of the list, and its length; null at the end of the list. */
static const char *next_word(const char **list, size_t *length)
{
    static const char between[] = ", \t\n";
    const char *word = *list + strspn(*list, between);
    *length = strcspn(word, between);
    *list = word + *length;
    return *length ? word : NULL;
}

static int find_feature(const char *word, size_t length)
{
    for (int i = 0; features[i].name; i++)
        if (same_name(word, length, features[i].name))
            return i;
    return -1;
}

static const char *mask_text(void)
{
    const char *text = getenv("GRADUS_CPU_MASK");
    return text ? text : "";
}

uint64_t gr_cpu_features_masked(void)
{
    const char *list = mask_text(), *word;
    size_t length;
    uint64_t masked = 0;
    while ((word = next_word(&list, &length))) {
        const int feature = find_feature(word, length);
        if (feature >= 0)
            masked |= (uint64_t)1 << feature;
    }
    return masked;
}

void gr_cpu_mask_unknown(char *words, int size)
{
    const char *list = mask_text(), *word;
    size_t length, used = 0;
    words[0] = 0;
    while ((word = next_word(&list, &length))) {
        if (find_feature(word, length) >= 0)
            continue;
        const size_t comma = used ? 2 : 0;
        if (used + comma + length >= (size_t)size)
            return;
        memcpy(words + used, ", ", comma);
        memcpy(words + used + comma, word, length);
        used += comma + length;
        words[used] = 0;
    }
}

/* The features are read once: on a virtual machine each cpuid instruction traps to the hypervisor,
 * which takes microseconds. */
bool gr_cpu_has(uint64_t set)
{
    static const uint64_t known = (uint64_t)1 << 63;
    static _Atomic uint64_t found;
    uint64_t usable = atomic_load_explicit(&found, memory_order_relaxed);
    if (!usable) {
        usable = (gr_cpu_features_here() & ~gr_cpu_features_masked()) | known;
        atomic_store_explicit(&found, usable, memory_order_relaxed);
    }
    return (set & ~usable) == 0 && system_agrees(set);
}
