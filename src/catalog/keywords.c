/* keywords.c: finds the keyword of a front-matter line. SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"

#include <stdlib.h>
#include <string.h>

static const struct keyword {
    const char *name;
    int flags;
    const char *wanted;
    gr_keyword_fn *read;
} keywords[] = {
#define ROW(name, flags, wanted) {#name, flags, wanted, gr_read_##name},
    GR_KEYWORD_LIST(ROW)
#undef ROW
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static int find(const char *word, size_t length)
{
    for (int i = 0; i < KEYWORDS; i++)
        if (strlen(keywords[i].name) == length && memcmp(keywords[i].name, word, length) == 0)
            return i;
    return -1;
}

bool gr_keyword_known(const char *word, size_t length)
{
    return find(word, length) >= 0;
}

const char *gr_keyword_literal(const char *word, size_t length)
{
    int i = find(word, length);
    return i >= 0 ? keywords[i].name : "option";
}

static enum gradus_status unknown(const struct gr_cursor *c, const char *word)
{
    const char *names[KEYWORDS];
    for (int i = 0; i < KEYWORDS; i++)
        names[i] = keywords[i].name;
    const char *near = gr_nearest(word, names, KEYWORDS);
    if (near)
        return gr_cursor_fail(c, "unknown keyword '%s'; did you mean '%s'?", word, near);
    return gr_cursor_fail(c, "unknown keyword '%s', wanted one such as type, param or grid", word);
}

static bool is_misplaced(const struct gr_kernel *kernel, const struct keyword *k)
{
    const int other = kernel->language == GR_LANGUAGE_C ? GR_KEYWORD_GPU : GR_KEYWORD_CPU;
    return (k->flags & other) != 0;
}

enum gradus_status gr_keywords_check(const struct gr_kernel *k, struct gradus_error *error)
{
    if (!k->misplaced.keyword)
        return GRADUS_OK;
    const bool c = k->language == GR_LANGUAGE_C;
    return gr_fail_at(error, k->path, k->misplaced.place,
                      "found `%s`, which is for %s kernels, wanted a line of a %s kernel; leave it "
                      "out",
                      k->misplaced.keyword, c ? "GPU" : "C", c ? "C" : "GPU");
}

static enum gradus_status read_keyword(struct gr_reader *r, struct gr_cursor *c,
                                       const struct gr_cursor *at, const struct keyword *k)
{
    uint64_t bit = UINT64_C(1) << (k - keywords);
    bool in_stanza = k->flags & GR_KEYWORD_STANZA;
    uint64_t *seen = in_stanza ? &r->seen_stanza : &r->seen;
    if ((k->flags & GR_KEYWORD_ONCE) && (*seen & bit))
        return gr_cursor_fail(at, "a second `%s`, wanted one%s", k->name,
                              in_stanza ? " for each kernel" : "");
    if (in_stanza && r->stanza < 0)
        return gr_cursor_fail(at,
                              "the file has several kernels; say which with `kernel NAME` first");
    if (gr_cursor_ends(c))
        return gr_cursor_fail(c, "found the end of the line, wanted %s", k->wanted);
    if (is_misplaced(r->kernel, k) && !r->kernel->misplaced.keyword) {
        r->kernel->misplaced.keyword = k->name;
        r->kernel->misplaced.place = gr_cursor_place(at);
    }
    bool first = !(*seen & bit);
    *seen |= bit;
    return k->read(r, c, first);
}

enum gradus_status gr_keyword_read(struct gr_reader *r, struct gr_cursor *c)
{
    if (gr_cursor_ends(c))
        return GRADUS_OK;
    const struct gr_cursor at = *c;
    struct gr_text word = {0};
    enum gradus_status status = gr_cursor_name(c, "a keyword such as type, param or grid", &word);
    if (status != GRADUS_OK)
        return status;
    int i = find(word.text, strlen(word.text));
    const struct keyword *k = i < 0 ? NULL : &keywords[i];
    status = k ? read_keyword(r, c, &at, k) : unknown(&at, word.text);
    free(word.text);
    return status;
}

enum gradus_status gr_reader_no_memory(const struct gr_reader *r)
{
    return gr_fail_memory(r->error, "front matter", 0);
}

void gr_texts_clear(struct gr_texts *texts)
{
    for (int i = 0; i < texts->count; i++)
        free(texts->items[i].text);
    free(texts->items);
    *texts = (struct gr_texts){0};
}

enum gradus_status gr_reader_push(struct gr_reader *r, struct gr_cursor *c, const char *what,
                                  struct gr_texts *texts)
{
    struct gr_text *text;
    GR_PUSH(text, texts->items, texts->count);
    return text ? gr_cursor_rest(c, what, text) : gr_reader_no_memory(r);
}

enum gradus_status gr_reader_expressions(struct gr_reader *r, struct gr_cursor *c, int most,
                                         struct gr_texts *texts)
{
    gr_texts_clear(texts);
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        if (texts->count == most)
            return gr_cursor_fail(&item, "more than %d expressions", most);
        status = gr_reader_push(r, &item, "an expression", texts);
    }
    return status;
}
