/* levels.c: ISA levels and features. SPDX-License-Identifier: MIT */
#include "catalog/levels.h"

#include "base/str.h"

#include <string.h>

/* Features above a level's own set (avx512_bf16, sve) are built on that level, with the file's
 * `flags` beside. */
static const struct {
    const char *feature, *level;
} features[] = {
    {"portable", "portable"},  {"avx", "avx2"},           {"avx2", "avx2"},
    {"fma", "avx2"},           {"f16c", "avx2"},          {"avx512", "avx512"},
    {"avx512f", "avx512"},     {"avx512dq", "avx512"},    {"avx512bw", "avx512"},
    {"avx512vl", "avx512"},    {"avx512vnni", "avx512"},  {"avx512_vnni", "avx512"},
    {"avx512_bf16", "avx512"}, {"avx512_fp16", "avx512"}, {"amx_tile", "avx512"},
    {"amx_bf16", "avx512"},    {"amx_int8", "avx512"},    {"neon", "neon"},
    {"sve", "neon"},           {"sve2", "neon"},          {"dotprod", "neon"},
    {"i8mm", "neon"},
};
enum { FEATURES = sizeof features / sizeof *features };

const char *gr_isa_level_of(const char *feature)
{
    for (int i = 0; i < FEATURES; i++)
        if (strcmp(features[i].feature, feature) == 0)
            return features[i].level;
    return NULL;
}

const char *gr_isa_nearest(const char *word)
{
    const char *names[FEATURES];
    for (int i = 0; i < FEATURES; i++)
        names[i] = features[i].feature;
    return gr_nearest(word, names, FEATURES);
}

static bool reaches(const char *level, const char *needed)
{
    return strcmp(level, needed) == 0 || strcmp(needed, "portable") == 0 ||
           (strcmp(level, "avx512") == 0 && strcmp(needed, "avx2") == 0);
}

bool gr_isa_allows(const struct gr_kernel *k, const char *level)
{
    for (int i = 0; i < k->isa.count; i++) {
        const char *needed = gr_isa_level_of(k->isa.items[i].text);
        if (!needed || !reaches(level, needed))
            return false;
    }
    return true;
}
