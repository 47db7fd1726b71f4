/* facts.c: reads the keywords that describe a kernel: title, after, idea, source, type, math,
 * layout, trans, arch, isa, flags. SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/arch.h"
#include "catalog/levels.h"

#include <stdlib.h>
#include <string.h>

static enum gradus_status read_line(struct gr_cursor *c, const char *what, char **slot)
{
    struct gr_text text = {0};
    enum gradus_status status = gr_cursor_rest(c, what, &text);
    if (status == GRADUS_OK) {
        free(*slot);
        *slot = text.text;
    }
    return status;
}

enum gradus_status gr_read_title(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_line(c, "a title", &r->kernel->title);
}

enum gradus_status gr_read_source(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_line(c, "where the idea comes from", &r->kernel->origin);
}

enum gradus_status gr_read_after(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_text word = {0};
    gr_cursor_ends(c); /* to the name, for its place */
    const struct gr_place place = gr_cursor_place(c);
    enum gradus_status status = gr_cursor_word(c, "a kernel's name such as 06_tile1d", &word);
    if (status != GRADUS_OK)
        return status;
    free(r->kernel->after);
    r->kernel->after = word.text;
    r->kernel->after_place = place;
    return gr_cursor_done(c, "the kernel's name");
}

enum gradus_status gr_read_idea(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    if (first && r->extra)
        gr_texts_clear(&r->kernel->ideas);
    return gr_reader_push(r, c, "a sentence", &r->kernel->ideas);
}

static enum gradus_status read_dtype(struct gr_cursor *c, enum gr_dtype *type)
{
    struct gr_text name = {0};
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_name(c, "an element type such as f32", &name);
    if (status != GRADUS_OK)
        return status;
    if (!gr_dtype_parse(name.text, type)) {
        const char *names[GR_DTYPE_COUNT];
        for (int i = 0; i < GR_DTYPE_COUNT; i++)
            names[i] = gr_dtype_name((enum gr_dtype)i);
        const char *near = gr_nearest(name.text, names, GR_DTYPE_COUNT);
        status = gr_cursor_fail(&at, "unknown element type '%s'%s%s%s", name.text,
                                near ? "; did you mean '" : ", wanted one such as f32 or f64",
                                near ? near : "", near ? "'?" : "");
    }
    free(name.text);
    return status;
}

/* Reads A=bf16 B=bf16 C=bf16 ACC=f32; ACC may be omitted and is then that of C. */
static enum gradus_status read_mixed_types(struct gr_cursor *c, struct gr_types *types)
{
    static const char *const operands[] = {"A", "B", "C", "ACC"};
    enum gr_dtype *const slots[] = {&types->a, &types->b, &types->c, &types->acc};
    unsigned given = 0;
    const struct gr_cursor start = *c;
    while (!gr_cursor_ends(c)) {
        struct gr_text name = {0};
        const struct gr_cursor at = *c;
        enum gradus_status status = gr_cursor_name(c, "A=, B=, C= or ACC=", &name);
        if (status != GRADUS_OK)
            return status;
        int i = 0;
        while (i < 4 && strcmp(operands[i], name.text) != 0)
            i++;
        if (i == 4 || (given & 1u << i))
            status = gr_cursor_fail(&at, "%s '%s', wanted each of A=, B=, C= and ACC= once",
                                    i == 4 ? "found" : "second", name.text);
        else if (!gr_cursor_accept(c, '='))
            status = gr_cursor_fail(c, "wanted '=' and a type after '%s'", name.text);
        else
            status = read_dtype(c, slots[i]);
        free(name.text);
        if (status != GRADUS_OK)
            return status;
        given |= 1u << i;
    }
    if ((given & 7) != 7)
        return gr_cursor_fail(&start, "wanted all of A=, B= and C=");
    if (!(given & 8))
        types->acc = types->c;
    return GRADUS_OK;
}

enum gradus_status gr_read_type(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    struct gr_kernel *k = r->kernel;
    if (first)
        k->type_count = 0;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        const struct gr_cursor at = item;
        struct gr_types types;
        if (memchr(item.p, '=', (size_t)(item.end - item.p))) {
            status = read_mixed_types(&item, &types);
        } else {
            enum gr_dtype one = GR_F32;
            status = read_dtype(&item, &one);
            types = gr_types_of(one);
            if (status == GRADUS_OK)
                status = gr_cursor_done(&item, "the type");
        }
        if (status != GRADUS_OK)
            return status;
        for (int i = 0; i < k->type_count; i++)
            if (gr_types_equal(k->types[i], types))
                return gr_cursor_fail(&at, "the same type a second time");
        struct gr_types *slot;
        GR_PUSH(slot, k->types, k->type_count);
        if (!slot)
            return gr_reader_no_memory(r);
        *slot = types;
    }
    return status;
}

enum gradus_status gr_read_math(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    enum gr_dtype type;
    enum gradus_status status = read_dtype(c, &type);
    if (status == GRADUS_OK)
        status = gr_cursor_done(c, "the type");
    if (status != GRADUS_OK)
        return status;
    free(r->kernel->math);
    r->kernel->math = gr_strdup(gr_dtype_name(type));
    return r->kernel->math ? GRADUS_OK : gr_reader_no_memory(r);
}

/* Reads one item of "layout A row, B col". */
static enum gradus_status read_layout_item(struct gr_kernel *k, struct gr_cursor *c)
{
    gr_cursor_ends(c);
    bool *const slots[] = {&k->col_major_a, &k->col_major_b, &k->col_major_c};
    int operand = c->p < c->end && *c->p >= 'A' && *c->p <= 'C' ? *c->p++ - 'A' : -1;
    if (operand < 0)
        return gr_cursor_fail(c, "wanted A, B or C, then row or col");
    struct gr_text word = {0};
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_name(c, "row or col", &word);
    if (status != GRADUS_OK)
        return status;
    bool col = strcmp(word.text, "col") == 0;
    if (!col && strcmp(word.text, "row") != 0)
        status = gr_cursor_fail(&at, "found '%s', wanted row or col", word.text);
    *slots[operand] = col;
    free(word.text);
    return status == GRADUS_OK ? gr_cursor_done(c, "row or col") : status;
}

enum gradus_status gr_read_layout(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    struct gr_kernel *k = r->kernel;
    if (first)
        k->col_major_a = k->col_major_b = k->col_major_c = false;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_layout_item(k, &item);
    return status;
}

enum gradus_status gr_read_trans(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    bool *trans = r->kernel->trans;
    r->kernel->trans_declared = true;
    if (first)
        memset(trans, 0, sizeof r->kernel->trans);
    enum gradus_status status = GRADUS_OK;
    struct gr_cursor item;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        const struct gr_cursor at = item;
        struct gr_text word = {0};
        status = gr_cursor_name(&item, "nn, nt, tn or tt", &word);
        if (status != GRADUS_OK)
            break;
        int i = 0;
        while (i < 4 && strcmp(names[i], word.text) != 0)
            i++;
        if (i == 4)
            status = gr_cursor_fail(&at, "found '%s', wanted nn, nt, tn or tt", word.text);
        else if (trans[i])
            status = gr_cursor_fail(&at, "'%s' a second time", word.text);
        else
            trans[i] = true;
        free(word.text);
        if (status == GRADUS_OK)
            status = gr_cursor_done(&item, "the transposes");
    }
    return status;
}

/* Reads "zero C". */
enum gradus_status gr_read_zero(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    gr_cursor_ends(c);
    if (c->p >= c->end || *c->p != 'C')
        return gr_cursor_fail(c, "wanted C: what a kernel adds to may be zeroed before it");
    c->p++;
    r->kernel->zero_c = true;
    return gr_cursor_done(c, "C");
}

/* Appends one item of an `arch` line to `line`: ">= sm_80", "sm_90a", "gfx90a", or "gfx11" for all
 * architectures of that major version. */
static enum gradus_status read_arch_item(struct gr_cursor *c, struct gr_str *line)
{
    bool at_least = gr_cursor_accept(c, '>');
    if (at_least && !gr_cursor_accept(c, '='))
        return gr_cursor_fail(c, "wanted '>=' or nothing before the architecture");
    struct gr_text name = {0};
    gr_cursor_ends(c);
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_name(c, "an architecture such as sm_90a", &name);
    if (status != GRADUS_OK)
        return status;
    if (!gr_arch_is_name(name.text))
        status = gr_cursor_fail(&at, "found '%s', wanted an architecture such as sm_90a or gfx1100",
                                name.text);
    else if (at_least && (line->length || !gr_starts_with(name.text, "sm_")))
        status = gr_cursor_fail(&at,
                                "'>=' before '%s', wanted one of NVIDIA's architectures alone "
                                "(>= sm_80), or a list of names",
                                name.text);
    else
        gr_str_printf(line, "%s%s%s", line->length ? ", " : "", at_least ? ">= " : "", name.text);
    free(name.text);
    return status == GRADUS_OK ? gr_cursor_done(c, "the architecture") : status;
}

/* Reads ">= sm_80" or a list such as "gfx90a, gfx942". */
enum gradus_status gr_read_arch(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_str line = {0};
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        if (gr_starts_with(gr_str_text(&line), ">="))
            status = gr_cursor_fail(&item, "an item after '%s', wanted nothing", line.text);
        else
            status = read_arch_item(&item, &line);
    }
    if (status == GRADUS_OK && line.failed)
        status = gr_reader_no_memory(r);
    if (status != GRADUS_OK) {
        gr_str_free(&line);
        return status;
    }
    free(r->kernel->arch);
    r->kernel->arch = line.text;
    return GRADUS_OK;
}

enum gradus_status gr_read_isa(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    struct gr_texts *isa = &r->kernel->isa;
    if (first)
        gr_texts_clear(isa);
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        const struct gr_cursor at = item;
        struct gr_text *name;
        GR_PUSH(name, isa->items, isa->count);
        if (!name)
            return gr_reader_no_memory(r);
        status = gr_cursor_name(&item, "an ISA feature such as avx512f", name);
        if (status != GRADUS_OK)
            return status;
        if (!gr_isa_level_of(name->text)) {
            const char *near = gr_isa_nearest(name->text);
            return gr_cursor_fail(&at, "unknown ISA feature '%s'%s%s%s", name->text,
                                  near ? "; did you mean '" : ", wanted one such as avx512f",
                                  near ? near : "", near ? "'?" : "");
        }
        status = gr_cursor_done(&item, "the feature");
    }
    return status;
}

enum gradus_status gr_read_flags(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    struct gr_texts *flags = &r->kernel->flags;
    if (first)
        gr_texts_clear(flags);
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && !gr_cursor_ends(c)) {
        struct gr_text *word;
        const struct gr_cursor at = *c;
        GR_PUSH(word, flags->items, flags->count);
        if (!word)
            return gr_reader_no_memory(r);
        status = gr_cursor_word(c, "a compiler flag", word);
        if (status == GRADUS_OK && word->text[0] != '-')
            status = gr_cursor_fail(&at, "found '%s', wanted a compiler flag that begins with '-'",
                                    word->text);
    }
    return status;
}
