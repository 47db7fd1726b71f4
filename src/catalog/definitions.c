/* definitions.c: reads the keywords that define names and conditions: param, let, arg, work,
 * map, require, expect. SPDX-License-Identifier: MIT */
#include "catalog/keywords.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the rest of {64, 128, 256}, after the bracket. */
static enum gradus_status read_list(struct gr_reader *r, struct gr_cursor *c, int64_t **values,
                                    int *count)
{
    do {
        const struct gr_cursor at = *c;
        int64_t value, *slot;
        enum gradus_status status = gr_cursor_integer(c, "an allowed value", &value);
        if (status != GRADUS_OK)
            return status;
        for (int i = 0; i < *count; i++)
            if ((*values)[i] == value)
                return gr_cursor_fail(&at, "%" PRId64 " a second time", value);
        GR_PUSH(slot, *values, *count);
        if (!slot)
            return gr_reader_no_memory(r);
        *slot = value;
    } while (gr_cursor_accept(c, ','));
    char text[200];
    if (!gr_cursor_accept(c, '}'))
        return gr_cursor_fail(c, "found %s, wanted ',' or '}'",
                              gr_cursor_found(c, text, sizeof text));
    return GRADUS_OK;
}

static enum gradus_status read_values(struct gr_reader *r, struct gr_cursor *c, struct gr_param *p)
{
    const struct gr_cursor open = *c;
    if (!gr_cursor_accept(c, '{')) {
        int64_t *only;
        GR_PUSH(only, p->allowed, p->allowed_count);
        if (!only)
            return gr_reader_no_memory(r);
        *only = p->value;
        char text[200];
        return gr_cursor_ends(c)
                   ? GRADUS_OK
                   : gr_cursor_fail(c, "found %s, wanted {VALUES} or the end of the line",
                                    gr_cursor_found(c, text, sizeof text));
    }
    enum gradus_status status = read_list(r, c, &p->allowed, &p->allowed_count);
    if (status != GRADUS_OK)
        return status;
    bool has_default = false;
    for (int i = 0; i < p->allowed_count; i++)
        has_default |= p->allowed[i] == p->value;
    if (!has_default)
        return gr_cursor_fail(&open, "the default %" PRId64 " is not among the allowed values",
                              p->value);
    return gr_cursor_done(c, "'}'");
}

/* Reads one of the values that are allowed for the param. */
static enum gradus_status read_allowed(struct gr_cursor *c, const struct gr_param *p,
                                       int64_t *value)
{
    gr_cursor_ends(c);
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_integer(c, "a value", value);
    if (status != GRADUS_OK)
        return status;
    for (int i = 0; i < p->allowed_count; i++)
        if (p->allowed[i] == *value)
            return GRADUS_OK;
    return gr_cursor_fail(&at, "%s may not be %" PRId64 "; its `param` line lists what it may be",
                          p->name.text, *value);
}

/* `param BM 64` on the command line changes the default of the file's BM. */
static enum gradus_status override_param(struct gr_kernel *k, struct gr_cursor *c, int index)
{
    int64_t value;
    enum gradus_status status = read_allowed(c, &k->params[index], &value);
    if (status != GRADUS_OK)
        return status;
    k->params[index].value = value;
    for (int i = 0; i < k->tuned_count; i++)
        if (k->tuned[i].param == index)
            k->tuned[i].value = value;
    return gr_cursor_done(c, "the value");
}

static enum gradus_status read_param(struct gr_reader *r, struct gr_cursor *c)
{
    struct gr_kernel *k = r->kernel;
    struct gr_text name = {0};
    enum gradus_status status = gr_cursor_name(c, "a parameter's name", &name);
    if (status != GRADUS_OK)
        return status;
    struct gr_name known = gr_name_find(k, name.text);
    if (r->extra && known.kind == GR_NAME_PARAM) {
        free(name.text);
        return override_param(k, c, known.index);
    }
    status = gr_name_free(k, &name, r->error);
    if (status == GRADUS_OK && k->param_count == GR_MAX_PARAMS)
        status = gr_cursor_fail(c, "more than %d params", GR_MAX_PARAMS);
    struct gr_param *p = NULL;
    if (status == GRADUS_OK) {
        GR_PUSH(p, k->params, k->param_count);
        if (!p)
            status = gr_reader_no_memory(r);
    }
    if (status != GRADUS_OK) {
        free(name.text);
        return status;
    }
    p->name = name;
    status = gr_cursor_integer(c, "the default value", &p->value);
    return status == GRADUS_OK ? read_values(r, c, p) : status;
}

enum gradus_status gr_read_param(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_param(r, &item);
    return status;
}

/* Reads "NAME ="; the name must be new. */
static enum gradus_status read_new_name(struct gr_reader *r, struct gr_cursor *c,
                                        struct gr_text *name)
{
    char text[200];
    enum gradus_status status = gr_cursor_name(c, "a new name", name);
    if (status == GRADUS_OK && !gr_cursor_accept(c, '='))
        status = gr_cursor_fail(c, "found %s, wanted '=' after '%s'",
                                gr_cursor_found(c, text, sizeof text), name->text);
    if (status == GRADUS_OK)
        status = gr_name_free(r->kernel, name, r->error);
    return status;
}

/* Appends NAME = EXPRESSION, … to a list of lets or args. */
static enum gradus_status read_lets(struct gr_reader *r, struct gr_cursor *c, const char *keyword,
                                    int most, struct gr_let **lets, int *count)
{
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        if (*count == most)
            return gr_cursor_fail(&item, "more than %d `%s` names", most, keyword);
        struct gr_let let = {0}, *slot;
        status = read_new_name(r, &item, &let.name);
        if (status == GRADUS_OK)
            status = gr_cursor_rest(&item, "an expression", &let.value);
        if (status == GRADUS_OK) {
            GR_PUSH(slot, *lets, *count);
            if (slot) {
                *slot = let;
                continue;
            }
            status = gr_reader_no_memory(r);
        }
        gr_let_clear(&let);
    }
    return status;
}

enum gradus_status gr_read_let(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_lets(r, c, "let", GR_MAX_LETS, &r->kernel->lets, &r->kernel->let_count);
}

enum gradus_status gr_read_arg(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    return read_lets(r, c, "arg", GR_MAX_ARGS, &r->kernel->args, &r->kernel->arg_count);
}

/* Reads NAME {VALUES} and appends it to the args; its expression is the first value. */
static enum gradus_status read_choice(struct gr_reader *r, struct gr_cursor *c)
{
    struct gr_kernel *k = r->kernel;
    struct gr_let choice = {0}, *slot = NULL;
    char text[200];
    enum gradus_status status = gr_cursor_name(c, "a new name", &choice.name);
    if (status == GRADUS_OK)
        status = gr_name_free(k, &choice.name, r->error);
    if (status == GRADUS_OK && k->arg_count == GR_MAX_ARGS)
        status = gr_cursor_fail(c, "more than %d `arg` names", GR_MAX_ARGS);
    if (status == GRADUS_OK && !gr_cursor_accept(c, '{'))
        status = gr_cursor_fail(c, "found %s, wanted {VALUES} after '%s'",
                                gr_cursor_found(c, text, sizeof text), choice.name.text);
    if (status == GRADUS_OK)
        status = read_list(r, c, &choice.choices, &choice.choice_count);
    if (status == GRADUS_OK)
        status = gr_cursor_done(c, "'}'");
    if (status == GRADUS_OK) {
        snprintf(text, sizeof text, "%" PRId64, choice.choices[0]);
        choice.value = (struct gr_text){strdup(text), choice.name.place};
        GR_PUSH(slot, k->args, k->arg_count);
        if (!slot || !choice.value.text)
            status = gr_reader_no_memory(r);
    }
    if (slot)
        *slot = choice;
    else
        gr_let_clear(&choice);
    return status;
}

enum gradus_status gr_read_choose(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_choice(r, &item);
    return status;
}

enum gradus_status gr_read_least(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    free(r->kernel->least.text);
    r->kernel->least.text = NULL;
    return gr_cursor_rest(c, "an expression", &r->kernel->least);
}

enum gradus_status gr_reader_brackets(struct gr_cursor *c, const char *what,
                                      struct gr_cursor *inside)
{
    char text[200];
    if (!gr_cursor_accept(c, '['))
        return gr_cursor_fail(c, "found %s, wanted '[' and %s",
                              gr_cursor_found(c, text, sizeof text), what);
    *inside = *c;
    int depth = 1;
    for (; c->p < c->end; c->p++) {
        depth += (*c->p == '[') - (*c->p == ']');
        if (depth == 0)
            break;
    }
    inside->end = c->p;
    if (!gr_cursor_accept(c, ']'))
        return gr_cursor_fail(c, "found the end of the line, wanted ']'");
    return GRADUS_OK;
}

enum gradus_status gr_reader_element(struct gr_cursor *c, bool *is_t, enum gr_dtype *type)
{
    struct gr_text word = {0};
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_name(c, "an element type such as f32, or T", &word);
    *is_t = status == GRADUS_OK && strcmp(word.text, "T") == 0;
    if (status == GRADUS_OK && !*is_t && !gr_dtype_parse(word.text, type))
        status = gr_cursor_fail(&at, "unknown element type '%s', wanted T or one such as f32",
                                word.text);
    free(word.text);
    return status;
}

static enum gradus_status read_work_fields(struct gr_cursor *c, struct gr_work *w)
{
    struct gr_text word = {0};
    enum gradus_status status = gr_reader_element(c, &w->element_is_t, &w->type);
    struct gr_cursor inside;
    if (status == GRADUS_OK)
        status = gr_reader_brackets(c, "a count of elements", &inside);
    if (status == GRADUS_OK)
        status = gr_cursor_rest(&inside, "a count of elements", &w->count);
    if (status == GRADUS_OK && !gr_cursor_ends(c)) {
        const struct gr_cursor zero_at = *c;
        status = gr_cursor_name(c, "`zero` or the end of the line", &word);
        w->zero = status == GRADUS_OK && strcmp(word.text, "zero") == 0;
        if (status == GRADUS_OK && !w->zero)
            status = gr_cursor_fail(&zero_at, "found '%s', wanted `zero` or the end of the line",
                                    word.text);
        else if (status == GRADUS_OK)
            status = gr_cursor_done(c, "zero");
    }
    free(word.text);
    return status;
}

enum gradus_status gr_read_work(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_kernel *k = r->kernel;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        if (k->work_count == GR_MAX_WORKS)
            return gr_cursor_fail(&item, "more than %d `work` buffers", GR_MAX_WORKS);
        struct gr_work work = {0}, *slot;
        status = read_new_name(r, &item, &work.name);
        if (status == GRADUS_OK)
            status = read_work_fields(&item, &work);
        if (status == GRADUS_OK) {
            GR_PUSH(slot, k->works, k->work_count);
            if (slot) {
                *slot = work;
                continue;
            }
            status = gr_reader_no_memory(r);
        }
        free(work.name.text);
        free(work.count.text);
    }
    return status;
}

/* A word that follows a map's box. */
static enum gradus_status read_map_word(struct gr_cursor *c, struct gr_map *m)
{
    static const struct {
        const char *name;
        int bytes;
    } swizzles[] = {{"swizzle32", 32}, {"swizzle64", 64}, {"swizzle128", 128}};
    struct gr_text word = {0};
    const struct gr_cursor at = *c;
    enum gradus_status status =
        gr_cursor_name(c, "swizzle32, swizzle64, swizzle128, optional or by_address", &word);
    if (status != GRADUS_OK)
        return status;
    int swizzle = 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(swizzles[i].name, word.text) == 0)
            swizzle = swizzles[i].bytes;
    if (swizzle && !m->swizzle_bytes)
        m->swizzle_bytes = swizzle;
    else if (strcmp(word.text, "optional") == 0 && !m->optional)
        m->optional = true;
    else if (strcmp(word.text, "by_address") == 0 && !m->by_address)
        m->by_address = true;
    else
        status = gr_cursor_fail(&at,
                                "found '%s', wanted swizzle32, swizzle64, swizzle128, optional or "
                                "by_address, each once",
                                word.text);
    free(word.text);
    return status;
}

/* Reads A[BM,BK] swizzle128 optional. */
static enum gradus_status read_map_fields(struct gr_reader *r, struct gr_cursor *c,
                                          struct gr_map *m)
{
    char text[200];
    gr_cursor_ends(c);
    if (c->p == c->end || !strchr("ABC", *c->p))
        return gr_cursor_fail(c, "found %s, wanted the operand A, B or C",
                              gr_cursor_found(c, text, sizeof text));
    m->operand = *c->p++;
    struct gr_cursor inside;
    enum gradus_status status = gr_reader_brackets(c, "the box, rows and columns", &inside);
    if (status == GRADUS_OK)
        status = gr_reader_expressions(r, &inside, 5, &m->box);
    if (status == GRADUS_OK && m->box.count == 0)
        status = gr_cursor_fail(&inside, "an empty box, wanted rows and columns");
    while (status == GRADUS_OK && !gr_cursor_ends(c))
        status = read_map_word(c, m);
    return status;
}

enum gradus_status gr_read_map(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_kernel *k = r->kernel;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item)) {
        if (k->map_count == GR_MAX_MAPS)
            return gr_cursor_fail(&item, "more than %d `map` lines", GR_MAX_MAPS);
        struct gr_map map = {0}, *slot;
        status = read_new_name(r, &item, &map.name);
        if (status == GRADUS_OK)
            status = read_map_fields(r, &item, &map);
        if (status == GRADUS_OK) {
            GR_PUSH(slot, k->maps, k->map_count);
            if (slot) {
                *slot = map;
                continue;
            }
            status = gr_reader_no_memory(r);
        }
        free(map.name.text);
        gr_texts_clear(&map.box);
    }
    return status;
}

/* Reads EXPRESSION "why". */
static enum gradus_status read_require(struct gr_reader *r, struct gr_cursor *c)
{
    struct gr_require *require;
    GR_PUSH(require, r->kernel->requires, r->kernel->require_count);
    if (!require)
        return gr_reader_no_memory(r);
    const char *quote = memchr(c->p, '"', (size_t)(c->end - c->p));
    struct gr_cursor why = *c;
    if (quote) {
        why.p = quote + 1;
        c->end = quote;
        const char *close = memchr(why.p, '"', (size_t)(why.end - why.p));
        if (!close) {
            why.p = quote;
            return gr_cursor_fail(&why, "a reason that is not closed, wanted \"…\"");
        }
        require->why = gr_strndup(why.p, (size_t)(close - why.p));
        if (!require->why)
            return gr_reader_no_memory(r);
        why.p = close + 1;
        enum gradus_status status = gr_cursor_done(&why, "the reason");
        if (status != GRADUS_OK)
            return status;
    }
    return gr_cursor_rest(c, "an expression", &require->expression);
}

enum gradus_status gr_read_require(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_require(r, &item);
    return status;
}

/* Reads ARCHITECTURE, after the @. */
static enum gradus_status read_arch_after(struct gr_cursor *c, char **arch)
{
    struct gr_text name = {0};
    enum gradus_status status = gr_cursor_name(c, "an architecture such as sm_90", &name);
    *arch = name.text;
    return status == GRADUS_OK ? gr_cursor_done(c, "the architecture") : status;
}

/* Reads NAME VALUE @arch. */
static enum gradus_status read_tuned(struct gr_reader *r, struct gr_cursor *c)
{
    struct gr_kernel *k = r->kernel;
    struct gr_text name = {0};
    gr_cursor_ends(c);
    const struct gr_cursor at = *c;
    enum gradus_status status = gr_cursor_name(c, "a param's name", &name);
    if (status != GRADUS_OK)
        return status;
    const struct gr_name known = gr_name_find(k, name.text);
    if (known.kind != GR_NAME_PARAM)
        status = gr_cursor_fail(&at, "found '%s', wanted a param of a line above", name.text);
    free(name.text);
    if (status != GRADUS_OK)
        return status;
    struct gr_tuned *t;
    GR_PUSH(t, k->tuned, k->tuned_count);
    if (!t)
        return gr_reader_no_memory(r);
    t->param = known.index;
    status = read_allowed(c, &k->params[known.index], &t->value);
    if (status == GRADUS_OK && !gr_cursor_accept(c, '@'))
        status = gr_cursor_fail(c, "wanted '@' and an architecture after the value");
    return status == GRADUS_OK ? read_arch_after(c, &t->arch) : status;
}

enum gradus_status gr_read_tuned(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_tuned(r, &item);
    return status;
}

/* Reads EXPRESSION @arch. */
static enum gradus_status read_expect(struct gr_reader *r, struct gr_cursor *c)
{
    struct gr_expect *e;
    GR_PUSH(e, r->kernel->expects, r->kernel->expect_count);
    if (!e)
        return gr_reader_no_memory(r);
    const char *at = memchr(c->p, '@', (size_t)(c->end - c->p));
    struct gr_cursor arch = *c;
    if (at) {
        arch.p = at + 1;
        c->end = at;
        enum gradus_status status = read_arch_after(&arch, &e->arch);
        if (status != GRADUS_OK)
            return status;
    }
    return gr_cursor_rest(c, "an expression", &e->expression);
}

enum gradus_status gr_read_expect(struct gr_reader *r, struct gr_cursor *c, bool first)
{
    (void)first;
    struct gr_cursor item;
    enum gradus_status status = GRADUS_OK;
    while (status == GRADUS_OK && gr_cursor_item(c, &item))
        status = read_expect(r, &item);
    return status;
}
