/* cpuinfo.c: reads /proc/cpuinfo, or asks the processor if that is missing.
 * SPDX-License-Identifier: MIT */
#include "base/cpuinfo.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The value of a key in a text. */
static char *value_of(const char *text, const char *key, char separator)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        const char *p = line + length;
        if (!gr_starts_with(line, key))
            continue;
        p += strspn(p, " \t");
        if (*p != separator)
            continue;
        p++;
        p += strspn(p, " \t\"");
        return gr_strndup(p, strcspn(p, "\"\n"));
    }
    return NULL;
}

char *gr_file_value(const char *path, const char *key, char separator)
{
    char *text = NULL;
    struct gradus_error ignored = {0};
    char *value = NULL;
    if (gr_file_read(path, &text, NULL, &ignored) == GRADUS_OK)
        value = value_of(text, key, separator);
    gradus_error_clear(&ignored);
    free(text);
    return value;
}

char *gr_cpuinfo_value(const char *key)
{
    return gr_file_value("/proc/cpuinfo", key, ':');
}

/* Hashes the processor's features: those that the kernel passes to every program and, on x86-64,
 * those of CPUID. */
static uint64_t hash_processor(uint64_t hash)
{
    const unsigned long reported[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    hash = gr_hash(reported, sizeof reported, hash);
#if defined(__x86_64__)
    static const unsigned leaves[][2] = {{1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        /* EBX of leaf 1 is left out, since it contains the number of the core. */
        unsigned words[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &words[0], &words[1], &words[2], &words[3]);
        words[1] = i == 0 ? 0 : words[1];
        hash = gr_hash(words, sizeof words, hash);
    }
#endif
    return hash;
}

uint64_t gr_cpuinfo_hash(void)
{
    static const char *const keys[] = {"model name", "cpu family",  "model",    "stepping",
                                       "microcode",  "flags",       "Features", "CPU implementer",
                                       "CPU part",   "CPU revision"};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *value = gr_cpuinfo_value(keys[i]);
        hash = gr_hash(value ? value : "", value ? strlen(value) : 0, hash);
        free(value);
    }
    return hash_processor(hash);
}
