/* amd_words.c: replaces whole words of a text. SPDX-License-Identifier: MIT */
#include "explain/amd_words.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A longer one before its beginning. */
static const struct {
    const char *cuda, *amd;
} words[] = {{"shared memory", "LDS"},
             {"Shared memory", "LDS"},
             {"tensor cores", "matrix cores"},
             {"tensor core", "matrix core"},
             {"warps", "wavefronts"},
             {"Warps", "Wavefronts"},
             {"warp", "wavefront"},
             {"Warp", "Wavefront"},
             {"an SM", "a CU"},
             {"An SM", "A CU"},
             {"SMs", "CUs"},
             {"SM", "CU"}};

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is text[at, at + length) a word of a sentence, and no part of a name, an option or an expression:
 * `warp[3]`, `x.warp`, `--warp`, `warp=4`? */
static bool stands_alone(const char *text, size_t at, size_t length)
{
    const char before = at ? text[at - 1] : ' ', after = text[at + length];
    if (is_of_name(before) || strchr("-.=%", before))
        return false;
    return !is_of_name(after) && !(after && strchr("[(=", after)) &&
           !(after == '.' && is_of_name(text[at + length + 1]));
}

static bool is_kept(const char *const *kept, const char *word)
{
    for (; kept && *kept; kept++)
        if (strcmp(*kept, word) == 0)
            return true;
    return false;
}

/* Is text[at] after "a", "each" and the like, as a name is not? */
static bool is_counted(const char *text, size_t at)
{
    static const char *const before[] = {"a",     "the",   "one",   "its",   "each",
                                         "every", "last",  "first", "other", "another",
                                         "same",  "whole", NULL};
    for (int i = 0; before[i]; i++) {
        const size_t length = strlen(before[i]);
        if (at > length && text[at - 1] == ' ' &&
            memcmp(text + at - 1 - length, before[i], length) == 0 &&
            (at == length + 1 || !is_of_name(text[at - 2 - length])))
            return true;
    }
    return false;
}

/* The index into `words` of what begins at text[at]; -1: nothing. */
static int word_at(const char *text, size_t at, const char *const *kept)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (gr_starts_with(text + at, words[w].cuda) &&
            stands_alone(text, at, strlen(words[w].cuda)) &&
            (!is_kept(kept, words[w].cuda) || is_counted(text, at)))
            return (int)w;
    return -1;
}

/* Blanks between columns; *moved is how much the words before them have grown. Returns how many
 * blanks of the text there are. */
static size_t put_blanks(const char *text, int *moved, struct gr_str *out)
{
    const int count = (int)strspn(text, " ");
    int wanted = count - *moved;
    wanted = wanted < 2 ? 2 : wanted;
    for (int i = 0; i < wanted; i++)
        gr_str_add(out, " ");
    *moved -= count - wanted;
    return (size_t)count;
}

char *gr_amd_words_of(const char *text, const char *const *kept)
{
    struct gr_str out = {0};
    bool quoted = false, table = *text == ' ';
    int moved = 0;
    gr_str_add(&out, "");
    for (size_t at = 0; text[at];) {
        const int w = quoted ? -1 : word_at(text, at, kept);
        if (w >= 0) {
            gr_str_add(&out, words[w].amd);
            moved += (int)strlen(words[w].amd) - (int)strlen(words[w].cuda);
            at += strlen(words[w].cuda);
        } else if (table && moved && at && text[at] == ' ' && text[at + 1] == ' ') {
            at += put_blanks(text + at, &moved, &out);
        } else {
            quoted ^= text[at] == '`';
            if (text[at] == '\n') {
                table = text[at + 1] == ' ';
                quoted = false;
                moved = 0;
            }
            gr_str_add_bytes(&out, text + at++, 1);
        }
    }
    return out.text;
}

const char **gr_amd_kept(const struct gr_explained *e)
{
    size_t count = 1;
    for (int i = 0; i < e->trace_count; i++)
        count += (size_t)e->traces[i].array_count;
    const char **names = calloc(count, sizeof *names);
    count = 0;
    for (int i = 0; names && i < e->trace_count; i++)
        for (int j = 0; j < e->traces[i].array_count; j++)
            names[count++] = e->traces[i].arrays[j].name;
    return names;
}

static bool replace(char **text, const char *const *kept)
{
    char *changed = *text ? gr_amd_words_of(*text, kept) : NULL;
    if (!changed)
        return !*text;
    free(*text);
    *text = changed;
    return true;
}

/* Units are not owned. */
static const char *unit_of(const char *unit)
{
    static const char *const units[][2] = {{"warps at a barrier", "wavefronts at a barrier"},
                                           {"of the SM's warps", "of the CU's wavefronts"},
                                           {"warps an SM", "wavefronts a CU"},
                                           {"blocks an SM", "blocks a CU"},
                                           {"an SM", "a CU"},
                                           {"a warp", "a wavefront"},
                                           {"warps", "wavefronts"},
                                           /* NVIDIA's word for a turn of the banks. */
                                           {"wavefronts", "passes"},
                                           {"wavefronts a request", "passes a request"}};
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i][0]) == 0)
            return units[i][1];
    return unit;
}

static bool change_section(struct gr_section *section, const char *const *kept)
{
    struct gr_str text = {0};
    bool whole = replace(&section->title, kept);
    for (int i = 0; i < section->fact_count; i++)
        section->facts[i].unit = unit_of(section->facts[i].unit);
    for (const char *p = gr_str_text(&section->text); *p;) {
        const size_t length = strcspn(p, "\n");
        char *line = gr_strndup(p, length);
        if (!(section->quotes_source && *p == ' '))
            whole &= line && replace(&line, kept);
        gr_str_add(&text, line ? line : "");
        gr_str_add(&text, p[length] ? "\n" : "");
        free(line);
        p += length + (p[length] != 0);
    }
    whole &= !text.failed;
    gr_str_free(&section->text);
    section->text = text;
    return whole;
}

bool gr_amd_words(struct gr_explained *e)
{
    const char **kept = gr_amd_kept(e);
    bool whole = kept != NULL && replace(&e->refused, kept) && replace(&e->untraced, kept);
    for (int i = 0; i < e->explanation.section_count && whole; i++)
        whole = change_section(&e->explanation.sections[i], kept);
    struct gr_findings *findings = &e->explanation.findings;
    for (int i = 0; i < findings->count && whole; i++) {
        findings->items[i].unit = unit_of(findings->items[i].unit);
        whole = replace(&findings->items[i].text, kept);
    }
    free(kept);
    return whole;
}
