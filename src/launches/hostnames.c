/* hostnames.c: translates the names in host expressions. SPDX-License-Identifier: MIT */
#include "launches/hostexpr.h"

#include "source/defines.h"
#include "source/hints.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const size_names[] = {"M", "N", "K", "lda", "ldb", "ldc", NULL};

static bool is_size(const char *role)
{
    for (int i = 0; role && size_names[i]; i++)
        if (strcmp(size_names[i], role) == 0)
            return true;
    return false;
}

/* Does an argument that begins at token i name something, `N`, `A.width`, `3 * D`, `(to - from) /
 * 2`? A number alone may stand for anything. */
static bool is_named(const struct gr_scan *file, int i, int end)
{
    bool is = file->tokens[i].kind == GR_TOKEN_WORD;
    const bool may = file->tokens[i].kind == GR_TOKEN_NUMBER || gr_token_is(file, i, "(");
    for (int t = i + 1; may && t < end; t++)
        is |= file->tokens[t].kind == GR_TOKEN_WORD;
    return is;
}

/* The size whose argument in the launch begins at r->i: `N`, `A.width`, `h * w`, `*n`, of which the
 * reader has passed the `*`. If several parameters' arguments match, the longest wins, then the
 * first. */
static const char *size_at(const struct gr_host_reader *r, int *length)
{
    const struct gr_scan *file = r->host->file;
    const char *found = NULL;
    struct gr_range args = r->host->site->arguments;
    *length = 0;
    for (int p = 0, i = args.begin; i < args.end && p < r->host->role_count; p++) {
        const int end = gr_item_end(file, i, args.end);
        for (int t = i; t < end - 1; t++)
            if (gr_token_is(file, t, "&") || (t == i && gr_token_is(file, t, "*")))
                i = t + 1; /* `*n`, `&n`, `(void *)&n` */
        int count = end - i, same = 0;
        while (same < count && r->i + same < r->end) {
            const struct gr_token *a = &file->tokens[i + same], *b = &r->scan->tokens[r->i + same];
            if (a->end - a->begin != b->end - b->begin ||
                memcmp(file->text + a->begin, r->scan->text + b->begin, a->end - a->begin) != 0)
                break;
            same++;
        }
        bool word = count && is_named(file, i, end);
        if (word && same == count && count > *length && is_size(r->host->roles[p])) {
            found = r->host->roles[p];
            *length = count;
        }
        i = end + 1;
    }
    return found;
}

/* ---- Parameters of host functions ---- */

/* The index of the parameter `name` in the list [begin, end), or -1; with its default, if it has
 * one. */
static int place_among(const struct gr_scan *scan, int begin, int end, const char *name,
                       struct gr_range *fallback)
{
    int place = 0;
    for (int i = begin; i < end; place++) {
        int past = i, angles = 0;
        for (; past < end; past++) {
            if (gr_token_is(scan, past, "("))
                past = gr_token_close(scan, past, end) - 1;
            angles += gr_token_is(scan, past, "<");
            angles -= gr_token_is(scan, past, ">");
            if (angles == 0 && gr_token_is(scan, past, ","))
                break;
        }
        int equals = i;
        while (equals < past && !gr_token_is(scan, equals, "="))
            equals++;
        for (int w = i; w < equals; w++)
            if (gr_token_is(scan, w, name) && (w + 1 == equals || gr_token_is(scan, w + 1, "["))) {
                *fallback = (struct gr_range){equals + (equals < past), past};
                return place;
            }
        i = past + 1;
    }
    return -1;
}

/* Item `place` of the list. */
static bool item_at(const struct gr_scan *scan, int begin, int end, int place,
                    struct gr_range *value)
{
    for (int i = begin; i < end; place--) {
        int past = gr_item_end(scan, i, end);
        if (place == 0) {
            *value = (struct gr_range){i, past};
            return past > i;
        }
        i = past + 1;
    }
    return false;
}

/* The `<…>` of the function's template; empty if there is none. */
static struct gr_range template_of(const struct gr_scan *scan, const struct gr_function *f)
{
    for (int i = f->head; i < f->name; i++)
        if (gr_token_is(scan, i, "template"))
            return (struct gr_range){i + 2, gr_token_close_angle(scan, i + 1, f->name) - 1};
    return (struct gr_range){0, 0};
}

bool gr_host_passed(const struct gr_host *host, const char *name, int *at, struct gr_range *value)
{
    const struct gr_scan *scan = host->file;
    const struct gr_function *f = gr_function_at(scan, *at);
    struct gr_range fallback = {0, 0}, header = {0, 0};
    if (!f)
        return false;
    int place = place_among(scan, f->parameters_begin, f->parameters_end, name, &fallback);
    bool of_template = place < 0;
    if (of_template) {
        header = template_of(scan, f);
        place = place_among(scan, header.begin, header.end, name, &fallback);
    }
    for (int i = 0; place >= 0 && i < scan->token_count; i++) {
        if ((i >= f->head && i < f->body_end) || !gr_tokens_same(scan, i, f->name) ||
            !gr_function_at(scan, i))
            continue;
        int open = i + 1, begin = 0, end = 0;
        if (gr_token_is(scan, open, "<")) {
            end = gr_token_close_angle(scan, open, scan->token_count);
            if (of_template && item_at(scan, open + 1, end - 1, place, value)) {
                *at = i;
                return true;
            }
            open = end;
        }
        if (of_template || !gr_token_is(scan, open, "("))
            continue;
        begin = open + 1;
        end = gr_token_close(scan, open, scan->token_count) - 1;
        if (item_at(scan, begin, end, place, value)) {
            *at = i;
            return true;
        }
    }
    *value = fallback;
    return place >= 0 && fallback.end > fallback.begin;
}

/* ---- Names ---- */

static bool read_range(struct gr_host_reader *r, struct gr_range value, int at, struct gr_str *out)
{
    gr_str_add(out, "(");
    bool ok = gr_host_expression(r->host, value, at, out);
    gr_str_add(out, ")");
    return ok;
}

bool gr_host_read_initial(struct gr_host_reader *r, const char *name, char axis, struct gr_str *out)
{
    struct gr_host *host = r->host;
    struct gr_str all = {0};
    struct gr_scan scan;
    struct gr_range value;
    int from = r->at;
    bool ok = host->depth < GR_MOST_HOST_DEPTH;
    host->depth++;
    if (ok && gr_value_of(host->file, name, r->at, &value))
        ok = gr_host_extents(host, value, value.begin, &all);
    else if (ok && gr_host_passed(host, name, &from, &value))
        ok = gr_host_extents(host, value, from, &all);
    else
        ok = false;
    host->depth--;
    if (ok && gr_scan_text("", gr_str_text(&all), &scan, NULL) == GRADUS_OK) {
        int i = 0, item = axis - 'x';
        for (; item > 0 && i < scan.token_count; item--)
            i = gr_item_end(&scan, i, scan.token_count) + 1;
        char *part = i < scan.token_count
                         ? gr_tokens_text(
                               &scan, (struct gr_range){i, gr_item_end(&scan, i, scan.token_count)})
                         : gr_strdup("1");
        gr_str_printf(out, "(%s)", part ? part : "1");
        free(part);
        gr_scan_free(&scan);
    }
    gr_str_free(&all);
    return ok;
}

/* A component of a dim3, by the last assignment to it or else by its initial value. */
static bool read_member(struct gr_host_reader *r, const char *name, char axis, struct gr_str *out)
{
    const char member[] = {axis, 0};
    struct gr_range value;
    if (!gr_host_member(r->host->file, name, member, r->at, &value))
        return gr_host_read_initial(r, name, axis, out);
    return read_range(r, value, value.begin, out);
}

static const char *given_value(const struct gr_host *host, const char *name)
{
    for (int i = 0; i < host->given_count; i++)
        if (strcmp(host->given[i].name, name) == 0)
            return host->given[i].value;
    return NULL;
}

/* A member whose name is a size: A.height, dims.M. */
static bool read_part(struct gr_host_reader *r, const char *name, int member, struct gr_str *out)
{
    char *own = gr_token_text(r->scan, member);
    char *both = own ? gr_printf("%s_%s", name, own) : NULL;
    char *path = own ? gr_printf("%s.%s", name, own) : NULL;
    const char *given = path ? given_value(r->host, path) : NULL;
    bool sure = false;
    const char *size = both ? gr_hint_size(own, &sure) : NULL;
    if (both && !sure)
        size = gr_hint_size(both, &sure);
    if (given)
        gr_str_printf(out, "(%s)", given);
    else if (size)
        gr_str_printf(out, GR_HOST_SIZE "%s", size);
    else if (path && !*r->host->missing)
        snprintf(r->host->missing, sizeof r->host->missing, "%s", path);
    free(own);
    free(both);
    free(path);
    return given || size;
}

static bool read_macro(struct gr_host_reader *r, const char *name, struct gr_str *out)
{
    size_t length = 0;
    int define = gr_define_find(r->host->file, name);
    const char *body = define < 0 ? NULL : gr_define_body(r->host->file, define, name, &length);
    return body && length && gr_host_read_body(r, body, length, NULL, NULL, 0, out);
}

/* A variable whose value cannot be read, as one of the command line or of a member, is unknown. */
static bool read_value(struct gr_host_reader *r, const char *name, struct gr_range value, int at,
                       struct gr_str *out)
{
    const bool ok = read_range(r, value, at, out);
    const char *inner = r->host->missing;
    if (!ok &&
        (!*inner || strchr(inner, '.') || strcmp(inner, "argv") == 0 || strcmp(inner, "argc") == 0))
        snprintf(r->host->missing, sizeof r->host->missing, "%s", name);
    return ok;
}

/* The size that a variable named like one is, if its number is that of another variable which the
 * launch passes for a size: `int N = 3, M = 3;` with `k<<<1, dim3(N, M)>>>(a, b, c, N)`. */
static const char *same_number(const struct gr_host_reader *r, const char *name,
                               struct gr_range value)
{
    const struct gr_scan *file = r->host->file;
    const struct gr_range args = r->host->site->arguments;
    bool sure;
    if (value.end != value.begin + 1 || file->tokens[value.begin].kind != GR_TOKEN_NUMBER ||
        !gr_hint_size(name, &sure))
        return NULL;
    for (int p = 0, i = args.begin; i < args.end && p < r->host->role_count; p++) {
        const int end = gr_item_end(file, i, args.end);
        struct gr_range other;
        if (end == i + 1 && is_size(r->host->roles[p]) && gr_value_find(file, i, r->at, &other) &&
            other.end == other.begin + 1 && gr_tokens_same(file, other.begin, value.begin))
            return r->host->roles[p];
        i = end + 1;
    }
    return NULL;
}

static bool read_word(struct gr_host_reader *r, const char *name, struct gr_str *out)
{
    struct gr_host *host = r->host;
    struct gr_range value;
    int from = r->at;
    const char *given = given_value(host, name);
    size_t before = out->length;
    if (given)
        gr_str_printf(out, "(%s)", given);
    else if (strcmp(name, "warpSize") == 0)
        gr_str_add(out, "32");
    else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        gr_str_add(out, *name == 't' ? "1" : "0");
    else if (gr_hint_batch(name) || gr_hint_parts(name))
        /* One product is launched as a whole; a size of this name has been found. */
        gr_str_add(out, "1");
    else if (gr_host_branches(host, name, r->at, out))
        return true;
    else if (gr_value_of(host->file, name, r->at, &value) && same_number(r, name, value))
        gr_str_printf(out, GR_HOST_SIZE "%s", same_number(r, name, value));
    else if (gr_value_of(host->file, name, r->at, &value))
        return read_value(r, name, value, value.begin, out);
    else if (gr_host_passed(host, name, &from, &value))
        return read_value(r, name, value, from, out);
    else if (gr_define_find(host->file, name) >= 0)
        return read_macro(r, name, out);
    else if (gr_constant_find(host->file, name, &value))
        return read_value(r, name, value, value.begin, out);
    else
        for (int n = 0; n < 3; n++)
            if (strcasecmp(size_names[n], name) == 0)
                gr_str_printf(out, GR_HOST_SIZE "%s", size_names[n]);
    if (out->length == before && !*host->missing)
        snprintf(host->missing, sizeof host->missing, "%s", name);
    return out->length > before;
}

/* The members of `struct NAME { … }`, for the type that token `word` names, also as a parameter of
 * the launching function's template. Empty: the file defines none. */
static struct gr_range members_of(const struct gr_host *host, int at, const char *name)
{
    const struct gr_scan *scan = host->file;
    char *type = gr_strdup(name);
    struct gr_range value, none = {0, 0};
    for (int depth = 0; type && depth < GR_MOST_HOST_DEPTH &&
                        gr_host_passed(host, type, &at, &value) && value.end > value.begin;
         depth++) {
        free(type);
        type = gr_token_text(scan, value.begin);
    }
    for (int i = 1; type && i + 1 < scan->token_count; i++)
        if (gr_token_is(scan, i, type) && gr_token_is(scan, i + 1, "{") &&
            (gr_token_is(scan, i - 1, "struct") || gr_token_is(scan, i - 1, "class"))) {
            none = (struct gr_range){i + 1, gr_token_close(scan, i + 1, scan->token_count)};
            break;
        }
    free(type);
    return none;
}

/* The value of the constant `Policy::BM`, of the structure that Policy is. False: it has none. */
static bool read_constant_of(struct gr_host_reader *r, const char *type, const char *name,
                             struct gr_str *out)
{
    const struct gr_scan *scan = r->host->file;
    const struct gr_range members = members_of(r->host, r->host->site->kernel, type);
    for (int i = members.begin; i + 1 < members.end; i++) {
        if (!gr_token_is(scan, i, name) || !gr_token_is(scan, i + 1, "="))
            continue;
        int end = i + 2;
        while (end < members.end && !gr_token_is(scan, end, ";") && !gr_token_is(scan, end, ",") &&
               !gr_token_is(scan, end, "}"))
            end = gr_token_is(scan, end, "(") ? gr_token_close(scan, end, members.end) : end + 1;
        struct gr_str text = {0};
        const bool ok = read_range(r, (struct gr_range){i + 2, end}, i, &text);
        gr_str_add(out, ok ? gr_str_text(&text) : "");
        gr_str_free(&text);
        return ok;
    }
    return false;
}

/* The member of what is at token i, as in `A.height` and `p->M`; -1: none. */
static int member_after(const struct gr_host_reader *r, int i)
{
    const bool arrow = gr_token_is(r->scan, i + 1, "-") && gr_token_is(r->scan, i + 2, ">");
    const int member = arrow ? i + 3 : i + 2;
    return (arrow || gr_token_is(r->scan, i + 1, ".")) && member < r->end &&
                   r->scan->tokens[member].kind == GR_TOKEN_WORD
               ? member
               : -1;
}

bool gr_host_read_size(struct gr_host_reader *r, struct gr_str *out)
{
    int length;
    const char *size = size_at(r, &length);
    if (!size)
        return false;
    gr_str_printf(out, GR_HOST_SIZE "%s", size);
    r->i += length;
    return true;
}

bool gr_host_read_name(struct gr_host_reader *r, struct gr_str *out)
{
    if (gr_host_read_size(r, out))
        return true;
    if (gr_starts_with(r->scan->text + r->scan->tokens[r->i].begin, GR_HOST_SIZE)) {
        const struct gr_token *t = &r->scan->tokens[r->i++]; /* it was read before */
        gr_str_add_bytes(out, r->scan->text + t->begin, t->end - t->begin);
        return true;
    }
    char *qualifier = NULL;
    while (r->i + 3 < r->end && gr_token_is(r->scan, r->i + 1, ":") &&
           gr_token_is(r->scan, r->i + 2, ":")) {
        free(qualifier);
        qualifier = gr_token_text(r->scan, r->i);
        r->i += 3; /* std::, Config:: */
    }
    char *name = gr_token_text(r->scan, r->i);
    bool ok = name && qualifier && read_constant_of(r, qualifier, name, out);
    free(qualifier);
    if (ok) {
        r->i++;
    } else if (name && gr_token_is(r->scan, r->i + 1, "(") && r->i + 1 < r->end) {
        ok = gr_host_read_call(r, name, out);
    } else if (name && member_after(r, r->i) >= 0) {
        int member = member_after(r, r->i);
        while (member_after(r, member) >= 0) { /* p.c.cols: c.cols */
            free(name);
            name = gr_token_text(r->scan, member);
            member = member_after(r, member);
        }
        const struct gr_token *t = &r->scan->tokens[member];
        const char *text = r->scan->text + t->begin;
        bool axis = t->end == t->begin + 1 && strchr("xyz", *text);
        ok = name && (axis ? read_member(r, name, *text, out) : read_part(r, name, member, out));
        r->i = member + 1;
        if (ok && gr_token_is(r->scan, r->i, "(") && r->i < r->end)
            r->i = gr_token_close(r->scan, r->i, r->end); /* an accessor: C.height() */
    } else if (name) {
        r->host->depth++;
        ok = r->host->depth < GR_MOST_HOST_DEPTH && read_word(r, name, out);
        r->host->depth--;
        r->i++;
    }
    free(name);
    return ok;
}
