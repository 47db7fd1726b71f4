/* constants.c: evaluates a file's constant expressions. SPDX-License-Identifier: MIT */
#include "catalog/constants.h"

#include "base/str.h"
#include "source/defines.h"
#include "source/launchfind.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 };

struct reader {
    const struct gr_scan *file; /* where names are defined */
    const struct gr_scan *scan; /* of the expression, such as a macro's body */
    int i, end, depth;
};

static bool read_sum(struct reader *r, int64_t *value);

static bool read_all(const struct gr_scan *file, const struct gr_scan *scan, struct gr_range tokens,
                     int depth, int64_t *value)
{
    struct reader r = {file, scan, tokens.begin, tokens.end, depth};
    return depth < DEEPEST && tokens.begin < tokens.end && read_sum(&r, value) && r.i == r.end;
}

static bool read_name(const struct gr_scan *file, const char *name, int depth, int64_t *value)
{
    size_t length = 0;
    struct gr_range range;
    struct gr_scan scan;
    const int at = gr_define_find(file, name);
    const char *body = at >= 0 ? gr_define_body(file, at, name, &length) : NULL;
    if (!body)
        return gr_constant_find(file, name, &range) && read_all(file, file, range, depth, value);
    char *text = gr_strndup(body, length);
    bool ok = text && gr_scan_text("", text, &scan, NULL) == GRADUS_OK;
    if (ok) {
        ok = read_all(file, &scan, (struct gr_range){0, scan.token_count}, depth, value);
        gr_scan_free(&scan);
    }
    free(text);
    return ok;
}

static bool read_number(const struct reader *r, int64_t *value)
{
    char *text = gr_token_text(r->scan, r->i), *end = text;
    const long long number = text ? strtoll(text, &end, 0) : 0;
    const bool ok = text && end > text && !end[strspn(end, "uUlL")];
    free(text);
    *value = number;
    return ok;
}

static bool read_primary(struct reader *r, int64_t *value)
{
    const int i = r->i;
    if (i >= r->end)
        return false;
    if (gr_token_is(r->scan, i, "(")) {
        const int past = gr_token_close(r->scan, i, r->end);
        r->i = past;
        return read_all(r->file, r->scan, (struct gr_range){i + 1, past - 1}, r->depth + 1, value);
    }
    if (gr_token_is(r->scan, i, "-") || gr_token_is(r->scan, i, "+")) {
        r->i++;
        const bool ok = read_primary(r, value);
        return ok && (gr_token_is(r->scan, i, "+") || !__builtin_sub_overflow(0, *value, value));
    }
    if (r->scan->tokens[i].kind == GR_TOKEN_NUMBER) {
        const bool ok = read_number(r, value);
        r->i++;
        return ok;
    }
    if (r->scan->tokens[i].kind != GR_TOKEN_WORD)
        return false;
    char *name = gr_token_text(r->scan, i);
    const bool ok = name && read_name(r->file, name, r->depth + 1, value);
    free(name);
    r->i++;
    return ok;
}

static bool read_product(struct reader *r, int64_t *value)
{
    bool ok = read_primary(r, value);
    while (ok && r->i < r->end) {
        const char sign = r->scan->text[r->scan->tokens[r->i].begin];
        int64_t other;
        if (sign != '*' && sign != '/' && sign != '%')
            break;
        r->i++;
        ok = read_primary(r, &other) &&
             (sign == '*' ? !__builtin_mul_overflow(*value, other, value) : other > 0);
        if (ok && sign != '*')
            *value = sign == '/' ? *value / other : *value % other;
    }
    return ok;
}

static bool read_terms(struct reader *r, int64_t *value)
{
    bool ok = read_product(r, value);
    while (ok && (gr_token_is(r->scan, r->i, "+") || gr_token_is(r->scan, r->i, "-")) &&
           r->i < r->end) {
        const bool plus = gr_token_is(r->scan, r->i++, "+");
        int64_t other;
        ok = read_product(r, &other) && (plus ? !__builtin_add_overflow(*value, other, value)
                                              : !__builtin_sub_overflow(*value, other, value));
    }
    return ok;
}

/* Sums, and shifts to the left of them, as in `1 << 10`. */
static bool read_sum(struct reader *r, int64_t *value)
{
    enum { MOST_SHIFT = 40 };
    bool ok = read_terms(r, value);
    while (ok && r->i + 1 < r->end && gr_token_is(r->scan, r->i, "<") &&
           gr_token_is(r->scan, r->i + 1, "<")) {
        int64_t other;
        r->i += 2;
        ok = read_terms(r, &other) && other >= 0 && other <= MOST_SHIFT &&
             !__builtin_mul_overflow(*value, INT64_C(1) << other, value);
    }
    return ok;
}

bool gr_constant_value(const struct gr_scan *scan, struct gr_range tokens, int64_t *value)
{
    return read_all(scan, scan, tokens, 0, value);
}

bool gr_constant_named(const struct gr_scan *scan, const char *name, int64_t *value)
{
    return read_name(scan, name, 0, value);
}
