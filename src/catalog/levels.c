/* levels.c: looks up ISA levels and features. SPDX-License-Identifier: MIT */
#include "catalog/levels.h"

#include "base/str.h"

#include <string.h>

static const char *find(const struct gr_isa_pair *pairs, const char *name)
{
    while (pairs->name && strcmp(pairs->name, name) != 0)
        pairs++;
    return pairs->level;
}

const char *gr_isa_level_of(const char *feature)
{
    return find(gr_isa_words, feature);
}

const char *gr_isa_nearest(const char *word)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int count = 0;
    for (; count < MOST && gr_isa_words[count].name; count++)
        names[count] = gr_isa_words[count].name;
    return gr_nearest(word, names, count);
}

/* A level includes all lower levels. */
static bool reaches(const char *level, const char *needed)
{
    while (level && strcmp(level, needed) != 0)
        level = find(gr_isa_levels, level);
    return level;
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
