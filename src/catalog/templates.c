/* templates.c: binds the parameters of a kernel's template to arguments.
 * SPDX-License-Identifier: MIT */
#include "catalog/templates.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 32, MAX_DEPTH = 8 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* A template whose parameters are being bound. */
struct binding {
    const struct gr_kernel *kernel;
    const struct gr_scan *scan;
    const struct gr_function *function;
    struct parameter {
        char *name; /* "" if it has none */
        bool is_type, is_pack;
        char *fallback; /* the default argument; null: none */
    } parameters[MAX_PARAMETERS];
    int count;
    char *arguments[MAX_PARAMETERS];
    int argument_count;
    bool is_short; /* fewer arguments than parameters are allowed */
    bool failed;   /* out of memory */
};

static void free_binding(struct binding *b)
{
    for (int i = 0; i < b->count; i++) {
        free(b->parameters[i].name);
        free(b->parameters[i].fallback);
    }
    for (int i = 0; i < b->argument_count; i++)
        free(b->arguments[i]);
}

/* ---- The template's parameters ---- */

/* `typename T = float`, `const int BM`, `bool`, `class... Rest` */
static void read_parameter(struct binding *b, struct gr_range r)
{
    const struct gr_scan *scan = b->scan;
    if (b->count == MAX_PARAMETERS || r.begin >= r.end)
        return;
    struct parameter *p = &b->parameters[b->count++];
    int equals = r.begin, name = -1, words = 0;
    while (equals < r.end && !gr_token_is(scan, equals, "="))
        equals++;
    for (int i = r.begin; i < equals; i++) {
        p->is_pack |= gr_token_is(scan, i, ".");
        if (scan->tokens[i].kind == GR_TOKEN_WORD)
            name = i, words++;
    }
    p->is_type = gr_token_is(scan, r.begin, "typename") || gr_token_is(scan, r.begin, "class");
    p->name = words > 1 ? gr_token_text(scan, name) : gr_strdup("");
    if (equals + 1 < r.end)
        p->fallback = gr_tokens_text(scan, (struct gr_range){equals + 1, r.end});
    b->failed |= !p->name;
}

/* The end of an item in `<…>`: its comma, or `end`. */
static int end_of_item(const struct gr_scan *scan, int i, int end)
{
    for (int depth = 0; i < end; i++) {
        if (gr_token_is(scan, i, "(") || gr_token_is(scan, i, "{"))
            i = gr_token_close(scan, i, end) - 1;
        depth += gr_token_is(scan, i, "<");
        depth -= gr_token_is(scan, i, ">");
        if (depth == 0 && gr_token_is(scan, i, ","))
            return i;
    }
    return end;
}

static struct gr_range header_of(const struct gr_scan *scan, const struct gr_function *f)
{
    int i = f->head;
    while (i < f->name && !gr_token_is(scan, i, "template"))
        i++;
    return (struct gr_range){i + 2, gr_token_close_angle(scan, i + 1, f->name) - 1};
}

static void read_parameters(struct binding *b)
{
    struct gr_range header = header_of(b->scan, b->function);
    for (int i = header.begin; i < header.end;) {
        int end = end_of_item(b->scan, i, header.end);
        read_parameter(b, (struct gr_range){i, end});
        i = end + 1;
    }
}

/* ---- The arguments ---- */

static void add_argument(struct binding *b, const char *text, size_t length)
{
    while (length && strchr(" \t", *text))
        text++, length--;
    while (length && strchr(" \t", text[length - 1]))
        length--;
    if (length == 0 || b->argument_count == MAX_PARAMETERS)
        return;
    b->arguments[b->argument_count] = gr_strndup(text, length);
    b->failed |= !b->arguments[b->argument_count];
    b->argument_count += b->arguments[b->argument_count] != NULL;
}

/* "<float, 16>" */
static void read_arguments(struct binding *b, const char *text)
{
    const char *end = strrchr(text, '>'), *item = text + 1;
    int depth = 0;
    for (const char *p = item; end && p < end; p++) {
        depth += strchr("<([{", *p) != NULL;
        depth -= strchr(">)]}", *p) != NULL;
        if (*p == ',' && depth == 0) {
            add_argument(b, item, (size_t)(p - item));
            item = p + 1;
        }
    }
    if (end && item < end)
        add_argument(b, item, (size_t)(end - item));
}

/* 128U without its suffix, so that it compares equal to 128. */
static size_t length_without_suffix(const struct gr_scan *scan, const struct gr_token *t)
{
    size_t length = t->end - t->begin, digits = strspn(scan->text + t->begin, "0123456789");
    bool suffix = t->kind == GR_TOKEN_NUMBER && digits < length &&
                  strspn(scan->text + t->begin + digits, "uUlL") >= length - digits;
    return suffix ? digits : length;
}

/* Is it the last word of a parameter, which is its name, and no type? */
static bool is_last(const struct gr_scan *scan, int i)
{
    return gr_token_is(scan, i + 1, ",") || gr_token_is(scan, i + 1, ")") ||
           gr_token_is(scan, i + 1, "=") || gr_token_is(scan, i + 1, "[");
}

/* Copies the tokens with the values of the launching function's variables. False if one is a
 * parameter of that function, which may have several values. */
static bool write_tokens(const struct gr_scan *scan, struct gr_range r, int at, int depth,
                         struct gr_str *out)
{
    const struct gr_function *in = gr_function_at(scan, at);
    for (int i = r.begin; i < r.end && depth < MAX_DEPTH; i++) {
        const struct gr_token *t = &scan->tokens[i];
        struct gr_range value = {0, 0};
        bool member = gr_token_is(scan, i - 1, ":") || gr_token_is(scan, i - 1, ".");
        if (t->kind == GR_TOKEN_WORD && !member && gr_value_find(scan, i, at, &value)) {
            bool single = value.end == value.begin + 1;
            gr_str_add(out, single ? "" : "(");
            if (gr_value_is_changed(scan, i, (struct gr_range){value.end, at}) ||
                !write_tokens(scan, value, at, depth + 1, out))
                return false;
            gr_str_add(out, single ? "" : ")");
            continue;
        }
        for (int p = in ? in->head : 0; in && p < in->body_begin; p++)
            if (t->kind == GR_TOKEN_WORD && gr_tokens_same(scan, p, i) &&
                (is_last(scan, p) || (p < in->name && gr_token_is(scan, p + 1, ">"))))
                return false;
        bool spaced =
            i > r.begin && t->kind == GR_TOKEN_WORD && scan->tokens[i - 1].kind == GR_TOKEN_WORD;
        gr_str_add(out, spaced ? " " : "");
        gr_str_add_bytes(out, scan->text + t->begin, length_without_suffix(scan, t));
    }
    return depth < MAX_DEPTH;
}

char *gr_launch_arguments(const struct gr_scan *scan, const struct gr_launch_site *site)
{
    struct gr_range r = site->template_arguments;
    struct gr_str text = {0};
    bool known = r.begin < r.end;
    gr_str_add(&text, "<");
    for (int i = r.begin; known && i < r.end;) {
        int end = end_of_item(scan, i, r.end);
        gr_str_add(&text, i > r.begin ? "," : "");
        known = write_tokens(scan, (struct gr_range){i, end}, site->kernel, 0, &text);
        i = end + 1;
    }
    gr_str_add(&text, ">");
    if (known && !text.failed)
        return text.text;
    gr_str_free(&text);
    return NULL;
}

/* The template arguments of a file's launches. */
struct launches {
    char *only; /* null: none, or several different ones */
    bool differ;
    struct gr_str reported; /* for a message */
};

static void read_launches(const struct binding *b, const struct gr_scan *scan, struct launches *l)
{
    char *name = gr_token_text(b->scan, b->function->name);
    char *whole = gr_function_name(b->scan, b->function);
    struct gr_launch_site site;
    for (int from = 0; name && gr_launch_site_next(scan, name, &from, &site);) {
        char *one = gr_launch_arguments(scan, &site);
        if (one && !strstr(gr_str_text(&l->reported), one))
            gr_str_printf(&l->reported, "%s'%s%s' of line %d", l->reported.length ? " or " : "",
                          whole ? whole : name, one, scan->tokens[site.kernel].line);
        l->differ |= !one || (l->only && strcmp(l->only, one) != 0);
        if (l->only || !one)
            free(one);
        else
            l->only = one;
    }
    free(name);
    free(whole);
}

/* The launches in the kernel's file, and in the file that includes it. */
static void read_all_launches(const struct binding *b, struct launches *l)
{
    struct gr_scan scan;
    const struct gr_kernel *k = b->kernel;
    read_launches(b, b->scan, l);
    if (k->includer && gr_scan_text(k->includer, k->includer_source, &scan, NULL) == GRADUS_OK) {
        read_launches(b, &scan, l);
        gr_scan_free(&scan);
    }
    if (l->differ) {
        free(l->only);
        l->only = NULL;
    }
}

/* ---- The result ---- */

/* Returns `text`, which is freed, with `word` replaced by `value`. */
static char *with_word(char *text, const char *word, const char *value)
{
    struct gr_str out = {0};
    gr_str_add(&out, "");
    for (const char *p = text; p && *p;) {
        size_t length = strspn(p, letters);
        if (length == strlen(word) && memcmp(p, word, length) == 0)
            gr_str_add(&out, value);
        else
            gr_str_add_bytes(&out, p, length ? length : 1);
        p += length ? length : 1;
    }
    free(text);
    return out.text;
}

static bool has_word(const char *text, const char *word)
{
    while (*text) {
        size_t length = strspn(text, letters);
        if (length == strlen(word) && memcmp(text, word, length) == 0)
            return true;
        text += length ? length : 1;
    }
    return false;
}

/* Begins with the last, because a default may refer to an earlier parameter. */
static void give_types(struct binding *b, struct gr_signature *s)
{
    for (int i = b->count; i-- > 0;) {
        const struct parameter *p = &b->parameters[i];
        const char *value = i < b->argument_count ? b->arguments[i] : p->fallback;
        if (!p->is_type || !*p->name || !value)
            continue;
        for (int j = 0; j < s->count; j++) {
            s->parameters[j].type = with_word(s->parameters[j].type, p->name, value);
            b->failed |= !s->parameters[j].type;
        }
    }
}

static enum gradus_status fail_template(const struct binding *b, const char *but,
                                        const char *reported, struct gradus_error *error)
{
    const struct gr_token *at = &b->scan->tokens[b->function->name];
    char *header = gr_tokens_text(b->scan, header_of(b->scan, b->function));
    char *name = gr_function_name(b->scan, b->function);
    struct gr_str list = {0};
    for (int i = 0; i < b->count; i++)
        gr_str_printf(&list, "%s%s", i ? "," : "",
                      *b->parameters[i].name ? b->parameters[i].name : "…");
    enum gradus_status status = gr_fail_at(
        error, b->kernel->path, gr_place_in_file(at->line, at->column),
        "%s is a template <%s>%s: write --kernel '%s<%s>' with %s%s%s", name ? name : "it",
        header ? header : "", but, name ? name : "", gr_str_text(&list),
        b->count == 1 ? "its value" : "their values", *reported ? ", such as " : "", reported);
    gr_str_free(&list);
    free(header);
    free(name);
    return status;
}

static bool has_value(const struct gr_kernel *k, const char *name)
{
    for (int i = 0; i < k->param_count; i++)
        if (strcmp(k->params[i].name.text, name) == 0)
            return true;
    for (int i = 0; i < k->let_count; i++)
        if (strcmp(k->lets[i].name.text, name) == 0)
            return true;
    return false;
}

/* How many of the first parameters are given by params and lets of their names, if these give all
 * numbers that have no default; types among them are chosen as if they were not given. */
static int given_by_name(const struct binding *b)
{
    int count = 0;
    for (int i = 0; i < b->count; i++) {
        const struct parameter *p = &b->parameters[i];
        if (!p->is_type && has_value(b->kernel, p->name))
            count = i + 1;
        else if (p->is_pack || (!p->is_type && !p->fallback))
            return 0;
    }
    for (int i = 0; i < count; i++) /* a default before them cannot be left out */
        if (b->parameters[i].fallback && !has_value(b->kernel, b->parameters[i].name))
            return 0;
    return count;
}

/* Arguments for the remaining parameters: T for a type, which the variant chooses. */
static enum gradus_status complete(struct binding *b, struct gr_stanza *stanza,
                                   struct gradus_error *error)
{
    struct launches launches = {0};
    enum gradus_status status = GRADUS_OK;
    const int by_name = b->argument_count == 0 ? given_by_name(b) : 0;
    for (int i = 0; i < by_name; i++) {
        const struct parameter *p = &b->parameters[i];
        add_argument(b, p->is_type ? "T" : p->name, p->is_type ? 1 : strlen(p->name));
        stanza->signature.is_generic |= p->is_type;
    }
    if (b->argument_count == 0)
        read_all_launches(b, &launches);
    if (launches.only)
        read_arguments(b, launches.only);
    bool is_full = b->count && !b->parameters[b->count - 1].is_pack;
    if (is_full && b->argument_count > b->count)
        status = fail_template(b, " and has too many arguments", "", error);
    for (int i = b->argument_count; i < b->count && status == GRADUS_OK; i++) {
        const struct parameter *p = &b->parameters[i];
        if (p->fallback || p->is_pack)
            break;
        if (!p->is_type || stanza->signature.is_generic) {
            status = fail_template(b, b->is_short ? " and has too few arguments" : "",
                                   gr_str_text(&launches.reported), error);
        } else {
            add_argument(b, "T", 1);
            stanza->signature.is_generic = true;
        }
    }
    free(launches.only);
    gr_str_free(&launches.reported);
    return status;
}

static enum gradus_status write_name(const struct binding *b, struct gr_stanza *stanza,
                                     struct gradus_error *error)
{
    struct gr_str text = {0};
    char *name = gr_function_name(b->scan, b->function);
    gr_str_add(&text, name ? name : "");
    gr_str_add(&text, b->function->is_template ? "<" : "");
    for (int i = 0; i < b->argument_count; i++)
        gr_str_printf(&text, "%s%s", i ? "," : "", b->arguments[i]);
    gr_str_add(&text, b->function->is_template ? ">" : "");
    bool failed = !name || text.failed || b->failed;
    free(name);
    if (failed) {
        gr_str_free(&text);
        return gr_fail_memory(error, "a kernel's name", 0);
    }
    free(stanza->kernel.text);
    stanza->kernel.text = text.text;
    return GRADUS_OK;
}

char *gr_template_names(const struct gr_scan *scan, const struct gr_function *function)
{
    struct binding b = {.scan = scan, .function = function};
    struct gr_str text = {0};
    bool named = true;
    read_parameters(&b);
    gr_str_add(&text, "<");
    for (int i = 0; i < b.count; i++) {
        named &= b.parameters[i].name && *b.parameters[i].name && !b.parameters[i].is_pack;
        gr_str_printf(&text, "%s%s", i ? ", " : "", b.parameters[i].name);
    }
    gr_str_add(&text, ">");
    free_binding(&b);
    if (named && !text.failed)
        return text.text;
    gr_str_free(&text);
    return NULL;
}

enum gradus_status gr_template_bind(const struct gr_kernel *kernel, struct gr_stanza *stanza,
                                    const struct gr_scan *scan, const struct gr_function *function,
                                    struct gradus_error *error)
{
    struct binding b = {.kernel = kernel, .scan = scan, .function = function};
    const char *given = stanza->kernel.text ? strchr(stanza->kernel.text, '<') : NULL;
    enum gradus_status status = GRADUS_OK;
    if (function->is_specialization) /* its name has them */
        given = NULL;
    if (!function->is_template && given)
        return gr_fail_at(error, kernel->path, stanza->kernel.place,
                          "%s is no template, found '%s'; leave that out", stanza->signature.name,
                          given);
    if (given)
        read_arguments(&b, given);
    b.is_short = b.argument_count > 0;
    if (function->is_template) {
        read_parameters(&b);
        for (int i = 0; i < b.argument_count && i < b.count; i++)
            stanza->signature.is_generic |=
                b.parameters[i].is_type && strcmp(b.arguments[i], "T") == 0;
        status = complete(&b, stanza, error);
    }
    if (status == GRADUS_OK) {
        give_types(&b, &stanza->signature);
        status = write_name(&b, stanza, error);
    }
    free_binding(&b);
    return status;
}

enum gradus_status gr_template_check(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                     const struct gr_scan *scan, struct gradus_error *error)
{
    const struct gr_signature *s = &stanza->signature;
    int generic = 0;
    for (int i = 0; i < s->count; i++) {
        const struct gr_parameter *p = &s->parameters[i];
        bool operand = p->role == GR_ROLE_A || p->role == GR_ROLE_B || p->role == GR_ROLE_C;
        generic += operand && has_word(p->type, "T");
    }
    if (!s->is_generic || generic == 3)
        return GRADUS_OK;
    struct binding b = {.kernel = kernel, .scan = scan};
    for (int i = 0; i < scan->function_count; i++)
        if (scan->tokens[scan->functions[i].name].line == s->line)
            b.function = &scan->functions[i];
    read_parameters(&b);
    enum gradus_status status = fail_template(&b, "", "", error);
    free_binding(&b);
    return status;
}
