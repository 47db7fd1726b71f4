/* hostexpr.c: translates host expressions by operator precedence. SPDX-License-Identifier: MIT */
#include "launches/hostexpr.h"

#include "catalog/expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct gr_host_reader *r, const char *text)
{
    return r->i < r->end && gr_token_is(r->scan, r->i, text);
}

static bool accept(struct gr_host_reader *r, const char *text)
{
    bool found = is(r, text);
    r->i += found;
    return found;
}

static bool is_type_word(const struct gr_scan *scan, int i, bool *real)
{
    static const char *const types[] = {"int",     "unsigned", "long",     "size_t",   "uint",
                                        "int32_t", "int64_t",  "uint32_t", "uint64_t", "const",
                                        "short",   "signed",   "auto",     NULL};
    static const char *const reals[] = {"float", "double", NULL};
    for (int t = 0; types[t]; t++)
        if (gr_token_is(scan, i, types[t]))
            return true;
    for (int t = 0; reals[t]; t++)
        if (gr_token_is(scan, i, reals[t]))
            return *real = true;
    return false;
}

/* The token after the type names from i on; i if there are none. */
static int after_types(const struct gr_scan *scan, int i, int end, bool *real)
{
    for (;;) {
        if (i + 2 < end && gr_token_is(scan, i, "std") && gr_token_is(scan, i + 1, ":") &&
            is_type_word(scan, i + 3, real))
            i += 4;
        else if (i < end && is_type_word(scan, i, real))
            i++;
        else
            return i;
    }
}

/* Skips `(int)`, `static_cast<unsigned int>`, and the type in `unsigned(x)`. */
static bool pass_cast(struct gr_host_reader *r)
{
    bool opens = is(r, "("), named = is(r, "static_cast");
    int begin = r->i + (opens ? 1 : named ? 2 : 0);
    bool real = false;
    int past = after_types(r->scan, begin, r->end, &real);
    if (past == begin || past >= r->end)
        return false;
    const char *close = opens ? ")" : named ? ">" : NULL;
    bool fits = close ? gr_token_is(r->scan, past, close)
                      : gr_token_is(r->scan, past, "(") || gr_token_is(r->scan, past, "{");
    if (fits) {
        r->real |= real;
        r->i = past + (close != NULL);
    }
    return fits;
}

/* Reads 16, 16u, 0x10, and also 16.0f and 1.0, which are integers. */
static bool read_number(struct gr_host_reader *r, struct gr_str *out)
{
    const struct gr_token *t = &r->scan->tokens[r->i];
    char *text = gr_strndup(r->scan->text + t->begin, t->end - t->begin), *end = NULL;
    if (!text)
        return false;
    for (char *from = text, *to = text;; from++) { /* digit separators: 1'000 */
        if (*from != '\'')
            *to++ = *from;
        if (!*from)
            break;
    }
    bool hexadecimal = gr_starts_with(text, "0x") || gr_starts_with(text, "0X");
    bool real = !hexadecimal && strpbrk(text, ".eEfF");
    double value = real ? strtod(text, &end) : (double)strtoll(text, &end, 0);
    bool whole = value == (double)(int64_t)value && end > text;
    r->real |= real;
    r->i++;
    if (whole)
        gr_str_printf(out, "%" PRId64, (int64_t)value);
    free(text);
    return whole;
}

static bool read_primary(struct gr_host_reader *r, struct gr_str *out)
{
    if (r->i >= r->end)
        return false;
    if (r->scan->tokens[r->i].kind == GR_TOKEN_NUMBER)
        return gr_host_read_size(r, out) || read_number(r, out);
    if (is(r, "(") && gr_host_read_size(r, out))
        return true;
    if (is(r, "(") || is(r, "{")) {
        struct gr_host_reader inner = *r;
        int past = gr_token_close(r->scan, r->i, r->end);
        inner.i = r->i + 1;
        inner.end = past - 1;
        gr_str_add(out, "(");
        bool ok = gr_host_read(&inner, out) && inner.i == inner.end;
        gr_str_add(out, ")");
        r->real |= inner.real;
        r->i = past;
        return ok;
    }
    return r->scan->tokens[r->i].kind == GR_TOKEN_WORD && gr_host_read_name(r, out);
}

static bool read_unary(struct gr_host_reader *r, struct gr_str *out)
{
    if (accept(r, "+"))
        return read_unary(r, out);
    if (accept(r, "-")) {
        gr_str_add(out, "-");
        return read_unary(r, out);
    }
    if (accept(r, "*") || pass_cast(r)) /* `*n`: a size that the function is given by address */
        return read_unary(r, out);
    return read_primary(r, out);
}

static bool read_product(struct gr_host_reader *r, struct gr_str *out)
{
    if (!read_unary(r, out))
        return false;
    for (;;) {
        const char *sign = is(r, "*") ? "*" : is(r, "/") ? "/" : is(r, "%") ? "%" : NULL;
        if (!sign)
            return true;
        r->i++;
        gr_str_add(out, sign);
        if (!read_unary(r, out))
            return false;
    }
}

static bool read_sum(struct gr_host_reader *r, struct gr_str *out)
{
    if (!read_product(r, out))
        return false;
    for (;;) {
        const char *sign = is(r, "+") ? "+" : is(r, "-") ? "-" : NULL;
        if (!sign)
            return true;
        r->i++;
        gr_str_add(out, sign);
        if (!read_product(r, out))
            return false;
    }
}

static bool is_shift(const struct gr_host_reader *r, const char *bracket)
{
    return r->i + 2 < r->end && is(r, bracket) && gr_token_is(r->scan, r->i + 1, bracket);
}

/* x >> 5 becomes x/32, and x << 5 becomes x*32. */
static bool read_shifts(struct gr_host_reader *r, struct gr_str *out)
{
    struct gr_str left = {0};
    bool ok = read_sum(r, &left);
    while (ok && (is_shift(r, ">") || is_shift(r, "<"))) {
        bool down = is(r, ">");
        r->i += 2;
        int bits = r->scan->tokens[r->i].kind == GR_TOKEN_NUMBER
                       ? atoi(r->scan->text + r->scan->tokens[r->i].begin)
                       : -1;
        ok = bits >= 0 && bits < 24;
        char *whole =
            gr_printf("((%s)%c%d)", gr_str_text(&left), down ? '/' : '*', 1 << (bits & 31));
        gr_str_free(&left);
        gr_str_add(&left, whole ? whole : "");
        free(whole);
        r->i++;
    }
    gr_str_add(out, gr_str_text(&left));
    gr_str_free(&left);
    return ok;
}

/* A comparison, which is 0 or 1 here as in C. */
static bool read_comparison(struct gr_host_reader *r, struct gr_str *out)
{
    struct gr_str left = {0}, right = {0};
    char operator[3] = "";
    bool ok = read_shifts(r, &left);
    const bool opens = ok && (is(r, "<") || is(r, ">"));
    if (opens || (ok && (is(r, "=") || is(r, "!")))) {
        operator[0] = r->scan->text[r->scan->tokens[r->i++].begin];
        operator[1] = accept(r, "=") ? '=' : 0;
        ok = (opens || operator[1]) && read_shifts(r, &right);
        gr_str_printf(out, "((%s)%s(%s))", gr_str_text(&left), operator, gr_str_text(&right));
    } else {
        gr_str_add(out, gr_str_text(&left));
    }
    gr_str_free(&left);
    gr_str_free(&right);
    return ok;
}

/* The value of an expression without names: of a choice by it, one is left. */
static bool is_constant(const char *text, int64_t *value)
{
    const struct gr_text expression = {.text = (char *)text};
    const struct gr_scope none = {0};
    struct gradus_error ignored = {0};
    bool is = true;
    for (const char *p = text; *p; p++)
        is &= !isalpha((unsigned char)*p) && *p != '_';
    is = is && gr_expr_integer("", &expression, &none, value, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    return is;
}

void gr_host_add_choice(const char *condition, const char *one, const char *other,
                        struct gr_str *out)
{
    int64_t value;
    if (strcmp(one, other) == 0)
        gr_str_printf(out, "(%s)", one);
    else if (is_constant(condition, &value))
        gr_str_printf(out, "(%s)", value ? one : other);
    else if (strcmp(one, "1") == 0 && strcmp(other, "0") == 0)
        gr_str_printf(out, "((%s)!=0)", condition);
    else
        gr_str_printf(out, "(((%s)!=0)*(%s)+((%s)==0)*(%s))", condition, one, condition, other);
}

/* `x`, or `x ? y : z`. */
bool gr_host_read(struct gr_host_reader *r, struct gr_str *out)
{
    struct gr_str condition = {0}, one = {0}, other = {0};
    bool ok = read_comparison(r, &condition);
    if (ok && accept(r, "?")) {
        ok = gr_host_read(r, &one) && accept(r, ":") && gr_host_read(r, &other);
        if (ok)
            gr_host_add_choice(gr_str_text(&condition), gr_str_text(&one), gr_str_text(&other),
                               out);
    } else {
        gr_str_add(out, gr_str_text(&condition));
    }
    gr_str_free(&condition);
    gr_str_free(&one);
    gr_str_free(&other);
    return ok;
}

bool gr_host_expression(struct gr_host *host, struct gr_range range, int at, struct gr_str *out)
{
    struct gr_host_reader r = {
        .host = host, .scan = host->file, .i = range.begin, .end = range.end, .at = at};
    if (host->depth >= GR_MOST_HOST_DEPTH)
        return false;
    host->depth++;
    bool ok = gr_host_read(&r, out) && r.i == r.end;
    host->depth--;
    return ok;
}

/* Is it `dim3(…)`, `dim3 {…}` or `{…}`? *inside is the range between the brackets. */
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

/* The token after the operator of an assignment at i, `=` or `*=`; i if there is none. */
static int after_assignment(const struct gr_scan *scan, int i)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<", ">", "&", "|", "^"};
    int at = i;
    for (size_t o = 0; o < sizeof operators / sizeof *operators && at < i + 2; o++)
        while (gr_token_is(scan, at, operators[o]) && at < i + 2)
            at++;
    return gr_token_is(scan, at, "=") && !gr_token_is(scan, at + 1, "=") ? at + 1 : i;
}

bool gr_host_member(const struct gr_scan *scan, const char *name, const char *member, int at,
                    struct gr_range *value)
{
    for (int i = at - 1; i > 0; i--) {
        if (!gr_token_is(scan, i, name))
            continue;
        if (gr_is_declared(scan, i))
            return false;
        if (!gr_token_is(scan, i + 1, ".") || !gr_token_is(scan, i + 2, member))
            continue;
        const int begin = after_assignment(scan, i + 3);
        int end = begin; /* also that of the first of `block.x = 16, block.y = 16;` */
        while (end < at && !gr_token_is(scan, end, ";") && !gr_token_is(scan, end, ","))
            end = gr_token_is(scan, end, "(") ? gr_token_close(scan, end, at) : end + 1;
        if (begin == i + 3 || end >= at)
            continue; /* it is read, perhaps in the assignment that `at` is in */
        *value = begin == i + 4 ? (struct gr_range){begin, end} : (struct gr_range){i + 3, i + 4};
        return true;
    }
    return false;
}

/* The extents of a variable of which members are assigned; the others have their initial values, 1
 * without one. False if none is assigned, or, with *understood false, one is not understood. */
static bool read_members(struct gr_host *host, const char *name, int at, struct gr_str *out,
                         bool *understood)
{
    static const char *const members[] = {"x", "y", "z"};
    struct gr_host_reader r = {.host = host, .scan = host->file, .at = at};
    struct gr_range values[3];
    bool set[3], any = false, ok = true;
    for (int m = 0; m < 3; m++)
        any |= set[m] = gr_host_member(host->file, name, members[m], at, &values[m]);
    for (int m = 0; m < 3 && any && ok; m++) {
        gr_str_add(out, m ? ", " : "");
        if (set[m])
            ok = gr_host_expression(host, values[m], values[m].begin, out);
        else if (!gr_host_read_initial(&r, name, *members[m], out))
            gr_str_add(out, "1");
    }
    *understood = ok;
    return any && ok;
}

static bool read_items(struct gr_host *host, struct gr_range inside, int at, struct gr_str *out)
{
    for (int i = inside.begin; i < inside.end;) {
        int end = gr_item_end(host->file, i, inside.end);
        if (i > inside.begin)
            gr_str_add(out, ", ");
        if (!gr_host_expression(host, (struct gr_range){i, end}, at, out))
            return false;
        i = end + 1;
    }
    return inside.end > inside.begin;
}

static bool read_variable(struct gr_host *host, struct gr_range range, int at, struct gr_str *out)
{
    char *name = gr_token_text(host->file, range.begin);
    struct gr_range value;
    struct gr_str members = {0};
    int from = at;
    bool ok = false, understood = true;
    if (name && read_members(host, name, at, &members, &understood)) {
        gr_str_add(out, gr_str_text(&members));
        ok = true;
    } else if (!understood) {
        ok = false; /* the initial value is not that of the launch */
    } else if (name && gr_host_branches(host, name, at, out)) {
        ok = true;
    } else if (name && gr_value_of(host->file, name, at, &value)) {
        ok = gr_host_extents(host, value, value.begin, out);
    } else if (name && gr_host_passed(host, name, &from, &value)) {
        ok = gr_host_extents(host, value, from, out);
    } else {
        ok = gr_host_expression(host, range, at, out);
        if (!ok) /* a dim3 or a number; no values are tried for it */
            *host->missing = 0;
    }
    gr_str_free(&members);
    free(name);
    return ok;
}

bool gr_host_extents(struct gr_host *host, struct gr_range range, int at, struct gr_str *out)
{
    struct gr_range inside;
    if (host->depth >= GR_MOST_HOST_DEPTH || range.begin >= range.end)
        return false;
    host->depth++;
    bool ok;
    if (is_dim3(host->file, range, &inside))
        ok = read_items(host, inside, at, out);
    else if (range.end == range.begin + 1 && host->file->tokens[range.begin].kind == GR_TOKEN_WORD)
        ok = read_variable(host, range, at, out);
    else
        ok = read_items(host, range, at, out);
    host->depth--;
    return ok;
}

bool gr_host_number(struct gr_host *host, struct gr_range range, int at, int64_t *value)
{
    struct gr_str text = {0};
    struct gradus_error ignored = {0};
    bool ok = gr_host_expression(host, range, at, &text);
    struct gr_text expression = {.text = text.text};
    const struct gr_scope none = {0};
    ok = ok && text.text && !strstr(text.text, GR_HOST_SIZE) &&
         gr_expr_integer("", &expression, &none, value, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    gr_str_free(&text);
    return ok;
}

static size_t close_of(const char *text, size_t open)
{
    int depth = 0;
    for (size_t i = open; text[i]; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0)
            return i;
    }
    return open;
}

/* Are the brackets at `open`, which are not those of a call, superfluous, because they enclose a
 * number, a name, other brackets, or a whole item of a list? */
static bool is_needless(const char *text, size_t open, size_t close)
{
    static const char atom[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (open > 0 && strchr(atom, text[open - 1]))
        return false;
    size_t length = close - open - 1, first = strspn(text + open + 1, atom);
    if (first == length || (text[open + 1] == '(' && close_of(text, open + 1) == close - 1))
        return true;
    if (first && text[open + 1 + first] == '(' && close_of(text, open + 1 + first) == close - 1)
        return true; /* a call: cdiv(…) */
    const char *before = text + open;
    while (before > text && before[-1] == ' ')
        before--;
    bool begins = before == text || before[-1] == ',' || before[-1] == '(';
    return begins && (text[close + 1] == 0 || strchr(",)", text[close + 1]));
}

static void drop_needless(char *text)
{
    for (size_t i = 0; text[i];) {
        size_t close = text[i] == '(' ? close_of(text, i) : i;
        if (close > i && is_needless(text, i, close)) {
            memmove(text + close, text + close + 1, strlen(text + close));
            memmove(text + i, text + i + 1, strlen(text + i));
            i = 0;
        } else {
            i++;
        }
    }
}

char *gr_host_plain(const char *text)
{
    struct gr_str out = {0};
    const size_t length = strlen(GR_HOST_SIZE);
    gr_str_add(&out, "");
    for (const char *next; (next = strstr(text, GR_HOST_SIZE)); text = next + length)
        gr_str_add_bytes(&out, text, (size_t)(next - text));
    gr_str_add(&out, text);
    if (out.text)
        drop_needless(out.text);
    return out.text;
}
