/* amd_figure.c: replaces CUDA's words in the texts of a picture. SPDX-License-Identifier: MIT */
#include "report/amd_figure.h"

#include "explain/amd_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "64 wavefronts" becomes "64 passes". */
static char *with_passes(const char *text)
{
    static const char *const words[][2] = {{"wavefronts", "passes"},
                                           {"wavefront", "pass"},
                                           {"Wavefronts", "Passes"},
                                           {"Wavefront", "Pass"}};
    enum { WORDS = sizeof words / sizeof *words };
    struct gr_str out = {0};
    gr_str_add(&out, "");
    for (const char *p = text; *p;) {
        int w = p == text || !is_letter(p[-1]) ? 0 : WORDS;
        while (w < WORDS && !(gr_starts_with(p, words[w][0]) && !is_letter(p[strlen(words[w][0])])))
            w++;
        if (w < WORDS) {
            gr_str_add(&out, words[w][1]);
            p += strlen(words[w][0]);
        } else {
            gr_str_add_bytes(&out, p++, 1);
        }
    }
    return out.text;
}

char *gr_figure_amd_words(const char *text, const char *const *kept)
{
    char *passes = with_passes(text);
    char *words = passes ? gr_amd_words_of(passes, kept) : NULL;
    free(passes);
    return words;
}

static void add_words(const char *text, size_t length, const char *const *kept, struct gr_str *out)
{
    char *part = gr_strndup(text, length), *words = part ? gr_figure_amd_words(part, kept) : NULL;
    gr_str_add(out, words ? words : "");
    out->failed |= !words;
    free(words);
    free(part);
}

/* Changes what is between the tags of an <svg>, and its description. */
static void change_markup(struct gr_str *text, const char *const *kept)
{
    static const char label[] = "aria-label=\"";
    struct gr_str out = {0};
    for (const char *p = gr_str_text(text); *p;) {
        const size_t between = strcspn(p, "<"), tag = strcspn(p + between, ">");
        add_words(p, between, kept, &out);
        p += between;
        const char *at = memmem(p, tag, label, strlen(label));
        if (at) {
            at += strlen(label);
            const size_t length = strcspn(at, "\"");
            gr_str_add_bytes(&out, p, (size_t)(at - p));
            add_words(at, length, kept, &out);
            gr_str_add_bytes(&out, at + length, tag - (size_t)(at + length - p));
        } else {
            gr_str_add_bytes(&out, p, tag);
        }
        p += tag;
        if (*p)
            gr_str_add_bytes(&out, p++, 1);
    }
    gr_str_free(text);
    *text = out;
}

bool gr_figure_change_words(char **text, const char *const *kept)
{
    char *changed = *text ? gr_figure_amd_words(*text, kept) : NULL;
    if (!changed)
        return !*text;
    free(*text);
    *text = changed;
    return true;
}

static void change_file(struct gr_str *text, const char *const *kept)
{
    struct gr_str out = {0};
    if (!text->length)
        return;
    add_words(gr_str_text(text), text->length, kept, &out);
    gr_str_free(text);
    *text = out;
}

void gr_figure_in_amd_words(struct gr_figure *f, const char *const *kept)
{
    const bool whole = gr_figure_change_words(&f->title, kept) &&
                       gr_figure_change_words(&f->caption, kept) &&
                       gr_figure_change_words(&f->alt, kept);
    if (f->wide.length) {
        change_markup(&f->wide, kept);
        change_markup(&f->narrow, kept);
    }
    change_file(&f->script, kept);
    change_file(&f->data, kept);
    f->failed |= !whole || f->wide.failed || f->narrow.failed || f->script.failed || f->data.failed;
}
