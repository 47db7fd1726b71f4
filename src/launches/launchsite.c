/* launchsite.c: translates the expressions of a launch to front matter.
 * SPDX-License-Identifier: MIT */
#include "launches/launchsite.h"

#include "launches/hostexpr.h"
#include "source/defines.h"
#include "source/hints.h"
#include "catalog/parameters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_DEPTH = 8 };

static const struct {
    const char *name;
    enum gr_role role;
} sizes[] = {{"M", GR_ROLE_M},     {"N", GR_ROLE_N},     {"K", GR_ROLE_K},
             {"lda", GR_ROLE_LDA}, {"ldb", GR_ROLE_LDB}, {"ldc", GR_ROLE_LDC}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The size that a parameter receives, by its `args` role or else by its name. */
static const char *size_of(const struct gr_parameter *p)
{
    for (int n = 0; n < SIZES; n++)
        if (p->role == sizes[n].role ||
            (p->role == GR_ROLE_NONE && strcasecmp(sizes[n].name, p->name) == 0))
            return sizes[n].name;
    return NULL;
}

/* "M" for a variable that the launch passes for the parameter M, or that has such a name itself.
 * Null: it is not a size. */
static const char *size_name(const struct gr_site_reader *t, int word)
{
    char *text = gr_token_text(t->scan, word);
    const char *found = NULL;
    int at = t->site ? t->site->arguments.begin : 0, end = t->site ? t->site->arguments.end : 0;
    const struct gr_scan *file = t->file;
    /* In k(N, N, N), the parameter with the variable's own name is the most likely one. */
    bool own = false;
    for (int p = 0; text && at < end && p < t->signature->count && !own; p++) {
        int item = gr_item_end(file, at, end);
        const char *size = size_of(&t->signature->parameters[p]);
        if (item == at + 1 && size && gr_token_is(file, at, text)) {
            own = strcasecmp(size, text) == 0;
            found = own || !found ? size : found;
        }
        at = item + 1;
    }
    for (int n = 0; text && n < SIZES && !found; n++)
        if (strcasecmp(sizes[n].name, text) == 0)
            found = sizes[n].name;
    free(text);
    return found;
}

static bool is_dim3(const struct gr_scan *scan, struct gr_range r, struct gr_range *inside)
{
    int begin = r.begin + gr_token_is(scan, r.begin, "dim3");
    bool opens =
        gr_token_is(scan, begin, "{") || (begin > r.begin && gr_token_is(scan, begin, "("));
    if (!opens || gr_token_close(scan, begin, r.end) != r.end)
        return false;
    *inside = (struct gr_range){begin + 1, r.end - 1};
    return true;
}

static bool translate(struct gr_site_reader *t, struct gr_range r, struct gr_str *out, int *where);

static bool has_let(const struct gr_site_reader *t, const char *name)
{
    char *lets = gr_printf(", %s", gr_str_text(&t->lets));
    char *known = gr_printf(", %s = ", name);
    bool has = lets && known && strstr(lets, known);
    free(lets);
    free(known);
    return has;
}

/* Translates a macro's body; the macros that it uses become lets before it. */
static bool translate_body(struct gr_site_reader *t, const char *body, size_t length,
                           struct gr_str *out)
{
    char *text = gr_strndup(body, length);
    struct gr_scan scan;
    bool ok = text && gr_scan_text("", text, &scan, NULL) == GRADUS_OK;
    if (ok) {
        struct gr_site_reader inner = *t;
        int where;
        inner.scan = &scan;
        inner.depth++;
        ok = translate(&inner, (struct gr_range){0, scan.token_count}, out, &where);
        t->lets = inner.lets;
        gr_scan_free(&scan);
    }
    free(text);
    return ok;
}

/* A macro with an integer expression becomes a let of the same name; one guarded by #ifndef is a
 * param. */
static bool add_let(struct gr_site_reader *t, const char *name)
{
    int define = gr_define_find(t->file, name);
    size_t length = 0;
    const char *body = define < 0 ? NULL : gr_define_body(t->file, define, name, &length);
    if (!body || length == 0 || t->depth >= MAX_DEPTH)
        return false;
    if (has_let(t, name) || gr_define_guarded(t->file, define, name))
        return true;
    struct gr_str value = {0};
    bool ok = translate_body(t, body, length, &value);
    if (ok)
        gr_str_printf(&t->lets, "%s%s = %s", t->lets.length ? ", " : "", name, gr_str_text(&value));
    gr_str_free(&value);
    return ok;
}

/* Item `index` of "<64, 8>" if it is a number; otherwise its length is 0. */
static const char *number_at(const char *arguments, int index, size_t *length)
{
    const char *p = arguments + (*arguments == '<');
    for (; index > 0 && *p; p++)
        index -= *p == ',';
    p += strspn(p, " ");
    *length = index == 0 ? strspn(p, "0123456789") : 0;
    *length *= strchr(",> ", p[*length]) != NULL;
    return p;
}

/* A word among the launch's template arguments is replaced by its value for the kernel. */
static bool translate_argument(const struct gr_site_reader *t, int word, struct gr_str *out)
{
    if (!t->template_arguments || !t->site || t->scan != t->file)
        return false;
    struct gr_range r = t->site->template_arguments;
    for (int i = r.begin, index = 0; i < r.end; index++) {
        int end = gr_item_end(t->scan, i, r.end);
        size_t length = 0;
        const char *number = number_at(t->template_arguments, index, &length);
        if (end == i + 1 && length && gr_tokens_same(t->scan, i, word)) {
            gr_str_add_bytes(out, number, length);
            return true;
        }
        i = end + 1;
    }
    return false;
}

static bool translate_word(struct gr_site_reader *t, int i, struct gr_str *out, int *where)
{
    *where = i;
    const char *size = size_name(t, i);
    if (size) {
        gr_str_add(out, size);
        return true;
    }
    struct gr_range value;
    int before = t->site ? t->site->kernel : t->scan->token_count;
    if (translate_argument(t, i, out))
        return true;
    char *batch = gr_token_text(t->scan, i);
    const bool is_batch = batch && (gr_hint_batch(batch) || gr_hint_parts(batch));
    free(batch);
    if (is_batch) { /* one product is launched */
        gr_str_add(out, "1");
        return true;
    }
    bool set = t->scan == t->file && gr_value_find(t->scan, i, before, &value);
    char *name = gr_token_text(t->scan, i);
    if (!name)
        return false;
    bool ok = add_let(t, name);
    if (ok)
        gr_str_add(out, name);
    free(name);
    if (ok || t->depth >= MAX_DEPTH || !set)
        return ok;
    t->uncertain |= gr_value_is_changed(t->scan, i, (struct gr_range){value.end, before});
    bool single = value.end == value.begin + 1;
    gr_str_add(out, single ? "" : "(");
    t->depth++;
    ok = translate(t, value, out, where);
    t->depth--;
    gr_str_add(out, single ? "" : ")");
    return ok;
}

static const char *const axes[] = {"x", "y", "z", NULL};

/* What the member `axis` of the variable `name` is where token `at` reads it: what was assigned to
 * it last, else the item of its initial value. False: neither is there. *is_set: it was assigned.
 */
static bool find_axis(struct gr_site_reader *t, const char *name, int axis, int at,
                      struct gr_range *value, bool *is_set)
{
    struct gr_range inside, other;
    *is_set = gr_host_member(t->file, name, axes[axis], at, value);
    if (*is_set) {
        t->uncertain |= gr_host_member(t->file, name, axes[axis], value->begin - 4, &other);
        return true;
    }
    if (!gr_value_of(t->file, name, at, value))
        return false;
    inside = *value;
    is_dim3(t->file, *value, &inside);
    for (int m = 0; m < axis && inside.begin < inside.end; m++)
        inside.begin = gr_item_end(t->file, inside.begin, inside.end) + 1;
    *value = (struct gr_range){inside.begin, gr_item_end(t->file, inside.begin, inside.end)};
    return inside.begin < inside.end;
}

/* A member's value. That of `block.x *= 2` is an operator. */
static bool translate_value(struct gr_site_reader *t, struct gr_range value, struct gr_str *out,
                            int *where)
{
    *where = value.begin;
    const bool is_operator =
        value.end == value.begin + 1 && t->file->tokens[value.begin].kind == GR_TOKEN_PUNCTUATION;
    return !is_operator && translate(t, value, out, where);
}

/* `block.x` at i in an expression. */
static bool translate_member(struct gr_site_reader *t, int i, struct gr_str *out, int *where)
{
    char *name = gr_token_text(t->scan, i);
    struct gr_range value;
    bool is_set, ok = name && t->depth < MAX_DEPTH;
    int axis = 0;
    while (ok && !gr_token_is(t->scan, i + 2, axes[axis]))
        axis++;
    if (ok && find_axis(t, name, axis, i, &value, &is_set)) {
        const bool single = value.end == value.begin + 1;
        t->depth++;
        gr_str_add(out, single ? "" : "(");
        ok = translate_value(t, value, out, where);
        gr_str_add(out, single ? "" : ")");
        t->depth--;
    } else if (ok) { /* dim3 block(64): its y is 1 */
        ok = axis > 0 && gr_value_of(t->file, name, i, &value);
        gr_str_add(out, "1");
    }
    free(name);
    return ok;
}

/* A variable of which members are assigned before the launch: "x, y", and z unless it is 1. *any is
 * false if there are none; then nothing is written. */
static bool translate_members(struct gr_site_reader *t, int word, int before, struct gr_str *out,
                              int *where, bool *any)
{
    char *name = gr_token_text(t->scan, word);
    struct gr_range values[3];
    bool set[3] = {false}, known[3] = {false}, ok = true;
    int count = 0;
    *any = false;
    for (int m = 0; name && m < 3; m++) {
        known[m] = find_axis(t, name, m, before, &values[m], &set[m]);
        *any |= set[m];
        count = known[m] ? m + 1 : count;
    }
    for (int m = 0; m < count && *any && ok; m++) {
        gr_str_add(out, m ? ", " : "");
        if (known[m])
            ok = translate_value(t, values[m], out, where);
        else
            gr_str_add(out, "1");
    }
    free(name);
    return *any && ok;
}

/* The size that the member at i is, as in `A.height` and `p->N`: what the launch passes for a size,
 * or what its name says. *next is the token after it. */
static const char *size_of_member(const struct gr_site_reader *t, int i, int end, int *next)
{
    const bool arrow = gr_token_is(t->scan, i + 1, "-") && gr_token_is(t->scan, i + 2, ">");
    const int member = arrow ? i + 3 : i + 2;
    bool sure = false;
    if (!(arrow || gr_token_is(t->scan, i + 1, ".")) || member >= end ||
        t->scan->tokens[member].kind != GR_TOKEN_WORD)
        return NULL;
    if (gr_token_is(t->scan, member + 1, ".") && member + 2 < end) /* p.c.cols: c.cols */
        return size_of_member(t, member, end, next);
    char *name = gr_token_text(t->scan, i), *own = gr_token_text(t->scan, member);
    char *both = name && own ? gr_printf("%s_%s", name, own) : NULL;
    const char *size = own ? gr_hint_size(own, &sure) : NULL;
    if (both && !sure)
        size = gr_hint_size(both, &sure);
    free(name);
    free(own);
    free(both);
    *next = member + 1;
    return size;
}

static bool is_one_of(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

static int after_types(const struct gr_scan *scan, int at, bool *real)
{
    static const char *const types[] = {"int",      "unsigned", "long", "size_t", "uint", "int64_t",
                                        "uint32_t", "const",    "std",  ":",      NULL};
    static const char *const reals[] = {"float", "double", NULL};
    while (is_one_of(scan, at, types) || is_one_of(scan, at, reals))
        *real |= is_one_of(scan, at++, reals);
    return at;
}

/* The token after a cast at i, such as (int), static_cast<unsigned int> or float; or i. */
static int after_cast(const struct gr_scan *scan, int i, bool *real)
{
    bool opens = gr_token_is(scan, i, "("), named = gr_token_is(scan, i, "static_cast");
    int begin = opens ? i + 1 : named ? i + 2 : i, at = after_types(scan, begin, real);
    if (opens)
        return at > begin && gr_token_is(scan, at, ")") ? at + 1 : i;
    if (named)
        return at > begin && gr_token_is(scan, at, ">") ? at + 1 : i;
    return at > begin && gr_token_is(scan, at, "(") ? at : i;
}

/* The token after a cast, or after `1.0 *`, which also converts to real numbers. */
static int after_one(const struct gr_scan *scan, int i, bool *real)
{
    const struct gr_token *t = &scan->tokens[i];
    if (t->kind == GR_TOKEN_NUMBER && gr_starts_with(scan->text + t->begin, "1.") &&
        gr_token_is(scan, i + 1, "*")) {
        *real = true;
        return i + 2;
    }
    return after_cast(scan, i, real);
}

/* Removes enclosing brackets: (32) becomes 32. */
static struct gr_range without_brackets(const struct gr_scan *scan, struct gr_range r)
{
    while (gr_token_is(scan, r.begin, "(") && gr_token_close(scan, r.begin, r.end) == r.end)
        r = (struct gr_range){r.begin + 1, r.end - 1};
    return r;
}

/* ceil(x / 32.0) becomes cdiv(x, 32). ceil(x / 32) in integers becomes x / 32, which is rounded
 * down, and a flag records that. */
static bool translate_ceil(struct gr_site_reader *t, struct gr_range r, struct gr_str *out,
                           int *where)
{
    int slash = r.begin;
    while (slash < r.end && !gr_token_is(t->scan, slash, "/")) {
        bool open = gr_token_is(t->scan, slash, "(");
        slash = open ? gr_token_close(t->scan, slash, r.end) : slash + 1;
    }
    *where = r.begin;
    if (slash >= r.end)
        return false;
    bool real = false;
    int x = after_one(t->scan, r.begin, &real), y = after_cast(t->scan, slash + 1, &real);
    struct gr_range right = without_brackets(t->scan, (struct gr_range){y, r.end});
    const struct gr_token *divisor = &t->scan->tokens[right.begin];
    char *number = NULL;
    if (divisor->kind == GR_TOKEN_NUMBER && right.begin + 1 == right.end) {
        number = gr_token_text(t->scan, right.begin);
        real |= number && strpbrk(number, ".f") && !gr_starts_with(number, "0x");
        if (number)
            number[strspn(number, "0123456789")] = 0;
    }
    t->ceil_of_integers |= !real;
    gr_str_add(out, real ? "cdiv(" : "(");
    bool ok = translate(t, (struct gr_range){x, slash}, out, where);
    gr_str_add(out, real ? ", " : ")/");
    if (number)
        gr_str_add(out, number);
    else
        ok = ok && translate(t, right, out, where);
    gr_str_add(out, real ? ")" : "");
    free(number);
    return ok;
}

/* Translates NAME(…) at i; *next is the token after it. */
static bool translate_call(struct gr_site_reader *t, int i, int end, struct gr_str *out, int *where,
                           int *next)
{
    static const char *const divisions[] = {"CEIL_DIV", "ceil_div", "cdiv",    "CDIV",    "div_up",
                                            "divUp",    "DIVUP",    "DIV_UP",  "iDivUp",  "ceildiv",
                                            "CEILDIV",  "div_ceil", "divCeil", "ceilDiv", NULL};
    static const char *const ceils[] = {"ceil", "ceilf", NULL};
    static const char *const same[] = {"min", "max", NULL};
    *next = gr_token_close(t->scan, i + 1, end);
    struct gr_range inside = {i + 2, *next - 1};
    *where = i;
    if (is_one_of(t->scan, i, ceils))
        return translate_ceil(t, inside, out, where);
    if (gr_token_is(t->scan, i, "sizeof")) {
        bool is_double = gr_token_is(t->scan, i + 2, "double");
        gr_str_add(out, is_double ? "8" : "4");
        return is_double || gr_token_is(t->scan, i + 2, "float") ||
               gr_token_is(t->scan, i + 2, "int");
    }
    bool division = is_one_of(t->scan, i, divisions);
    if (!division && !is_one_of(t->scan, i, same))
        return false;
    gr_str_add(out, division ? "cdiv(" : gr_token_is(t->scan, i, "min") ? "min(" : "max(");
    bool ok = translate(t, inside, out, where);
    gr_str_add(out, ")");
    return ok;
}

static bool translate_number(const struct gr_site_reader *t, int i, struct gr_str *out)
{
    const struct gr_token *token = &t->scan->tokens[i];
    const char *text = t->scan->text + token->begin;
    size_t length = token->end - token->begin;
    while (length && strchr("uUlL", text[length - 1]))
        length--;
    for (size_t c = 0; c < length; c++)
        if (!isdigit((unsigned char)text[c]))
            return false;
    gr_str_add_bytes(out, text, length);
    return length > 0;
}

/* For `(…) >> 5` at the first `>`: writes "/32" and returns the token after it; i if it is not
 * such a shift. */
static int translate_shift(const struct gr_site_reader *t, int i, int end, struct gr_str *out)
{
    bool shift = gr_token_is(t->scan, i, ">") && gr_token_is(t->scan, i + 1, ">") && i + 2 < end &&
                 gr_token_is(t->scan, i - 1, ")");
    int bits = shift && t->scan->tokens[i + 2].kind == GR_TOKEN_NUMBER
                   ? atoi(t->scan->text + t->scan->tokens[i + 2].begin)
                   : 0;
    if (bits < 1 || bits > 16)
        return i;
    gr_str_printf(out, "/%d", 1 << bits);
    return i + 3;
}

static bool translate(struct gr_site_reader *t, struct gr_range r, struct gr_str *out, int *where)
{
    for (int i = r.begin; i < r.end;) {
        const struct gr_token *token = &t->scan->tokens[i];
        bool real = false, ok = false;
        int next = after_cast(t->scan, i, &real);
        *where = i;
        bool of_std = gr_token_is(t->scan, i, "std") && gr_token_is(t->scan, i + 1, ":");
        if (of_std || (next > i && !real)) {
            i = of_std ? i + 3 : next;
            continue;
        }
        next = i + 1;
        int past = next;
        const char *size = token->kind == GR_TOKEN_WORD ? size_of_member(t, i, r.end, &past) : NULL;
        if (size) {
            gr_str_add(out, size);
            next = past;
            ok = true;
        } else if (token->kind == GR_TOKEN_NUMBER) {
            ok = translate_number(t, i, out);
        } else if (token->kind == GR_TOKEN_WORD && gr_token_is(t->scan, next, "(") &&
                   next < r.end) {
            ok = translate_call(t, i, r.end, out, where, &next);
        } else if (token->kind == GR_TOKEN_WORD && t->scan == t->file &&
                   gr_token_is(t->scan, next, ".") && is_one_of(t->scan, next + 1, axes)) {
            ok = translate_member(t, i, out, where);
            next = i + 3;
        } else if (token->kind == GR_TOKEN_WORD) {
            ok = translate_word(t, i, out, where);
        } else if (translate_shift(t, i, r.end, out) > i) {
            next = i + 3;
            ok = true;
        } else if (token->kind == GR_TOKEN_PUNCTUATION &&
                   strchr("+-*/%(),", t->scan->text[token->begin])) {
            gr_str_add_bytes(out, t->scan->text + token->begin, 1);
            gr_str_add(out, gr_token_is(t->scan, i, ",") ? " " : "");
            ok = true;
        }
        if (!ok)
            return false;
        i = next;
    }
    return r.end > r.begin;
}

bool gr_translate(struct gr_site_reader *t, struct gr_range r, struct gr_str *out, int *where)
{
    struct gr_range inside, value;
    *where = r.begin;
    bool variable = r.end == r.begin + 1 && t->scan->tokens[r.begin].kind == GR_TOKEN_WORD &&
                    !size_name(t, r.begin);
    int before = t->site ? t->site->kernel : t->scan->token_count;
    bool any = false;
    if (variable && t->scan == t->file) {
        bool ok = translate_members(t, r.begin, before, out, where, &any);
        if (any)
            return ok;
    }
    if (variable && gr_value_find(t->scan, r.begin, before, &value)) {
        t->uncertain |= gr_value_is_changed(t->scan, r.begin, (struct gr_range){value.end, before});
        r = value;
    }
    if (is_dim3(t->scan, r, &inside))
        r = inside;
    return translate(t, r, out, where);
}

void gr_site_reader_free(struct gr_site_reader *t)
{
    gr_str_free(&t->lets);
}
