/* passes.c: finds groups of lanes that may share a pass over the banks.
 * SPDX-License-Identifier: MIT */
#include "explain/passes.h"

#include <string.h>

enum { WORD_BYTES = 4, MOST_GROUPS = GR_TRACE_LANES, BANKS = 32 };

/* The word that is read from each bank; -1 if none is. */
struct pass {
    int64_t word[BANKS];
};

/* Adds a word. Returns false if a bank would have to deliver two words. */
static bool add_word(struct pass *pass, int64_t word)
{
    int64_t *bank = &pass->word[word % BANKS];
    if (*bank >= 0 && *bank != word)
        return false;
    *bank = word;
    return true;
}

static bool add_group(struct pass *pass, const struct gr_trace_site *s, int first, int end)
{
    for (int lane = first; lane < end; lane++)
        for (int64_t at = s->pattern[lane]; at >= 0 && at < s->pattern[lane] + s->bytes;
             at += WORD_BYTES)
            if (!add_word(pass, at / WORD_BYTES))
                return false;
    return true;
}

static bool is_active(const struct gr_trace_site *s, int first, int end)
{
    for (int lane = first; lane < end; lane++)
        if (s->pattern[lane] >= 0)
            return true;
    return false;
}

/* The number of passes that are saved in the pattern's request because groups share a pass. */
static int shared_passes(const struct gr_trace_site *s, int warp)
{
    struct pass passes[MOST_GROUPS];
    int group = BANKS * WORD_BYTES / s->bytes, count = 0, saved = 0;
    for (int first = 0; first < warp && first < GR_TRACE_LANES; first += group) {
        struct pass alone;
        memset(&alone, 0xff, sizeof alone);
        if (!is_active(s, first, first + group) || !add_group(&alone, s, first, first + group))
            continue;
        int i = 0;
        for (; i < count; i++) {
            struct pass both = passes[i];
            if (!add_group(&both, s, first, first + group))
                continue;
            passes[i] = both;
            saved++;
            break;
        }
        if (i == count)
            passes[count++] = alone;
    }
    return saved;
}

double gr_passes_least(const struct gr_trace_site *s, int warp)
{
    double wavefronts = (double)s->wavefronts;
    if (s->space != GR_SPACE_SHARED)
        return 0;
    if (s->bytes <= WORD_BYTES || s->bytes > 16 || s->requests == 0 || s->rules.sector_bytes > 0)
        return wavefronts;
    double least = wavefronts - (double)s->requests * shared_passes(s, warp);
    return least > (double)s->requests ? least : (double)s->requests;
}
