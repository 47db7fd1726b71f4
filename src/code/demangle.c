/* demangle.c: reads the encoding of a function by recursive descent. What is read becomes text at
 * once, and the texts are kept to which later parts of the symbol refer: substitutions (S_, S0_ …)
 * and template arguments (T_, T0_ …). SPDX-License-Identifier: MIT */
#include "code/demangle.h"

#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A symbol may refer to earlier parts again and again, so that its text could grow without a bound;
 * no kernel's does. */
enum { MOST_PARTS = 128, MOST_DEPTH = 64, MOST_BYTES = 1 << 16 };

struct list {
    char *items[MOST_PARTS];
    int count;
};

struct demangler {
    const char *at;
    struct list substitutions, arguments;
    int depth;
    size_t bytes; /* of all texts that were made */
    bool failed;
};

static bool read_type(struct demangler *d, struct gr_str *out);
static bool read_name(struct demangler *d, struct gr_str *out, bool *is_template);

static bool fail(struct demangler *d)
{
    d->failed = true;
    return false;
}

static bool keep(struct demangler *d, struct list *list, const char *text)
{
    d->bytes += strlen(text);
    if (list->count == MOST_PARTS || d->bytes > MOST_BYTES)
        return fail(d);
    list->items[list->count] = gr_strdup(text);
    return list->items[list->count++] ? true : fail(d);
}

static void forget(struct list *list)
{
    while (list->count > 0)
        free(list->items[--list->count]);
}

static bool take(struct demangler *d, const char *text)
{
    if (!gr_starts_with(d->at, text))
        return false;
    d->at += strlen(text);
    return true;
}

/* "_" is 0, "0_" is 1, "Z_" is 36 and "10_" is 37; template parameters have decimal numbers. */
static int read_index(struct demangler *d, int base)
{
    int value = 0;
    if (take(d, "_"))
        return 0;
    for (; *d->at && *d->at != '_'; d->at++) {
        const int digit = *d->at >= '0' && *d->at <= '9'   ? *d->at - '0'
                          : *d->at >= 'A' && *d->at <= 'Z' ? *d->at - 'A' + 10
                                                           : base;
        if (digit >= base || value > MOST_PARTS)
            return -1;
        value = value * base + digit;
    }
    return take(d, "_") ? value + 1 : -1;
}

static bool add_item(struct demangler *d, const struct list *list, int index, struct gr_str *out)
{
    if (index < 0 || index >= list->count)
        return fail(d);
    gr_str_add(out, list->items[index]);
    return true;
}

/* "6__half" */
static bool read_source_name(struct demangler *d, struct gr_str *out)
{
    char *text;
    const long length = *d->at >= '1' && *d->at <= '9' ? strtol(d->at, &text, 10) : 0;
    if (length <= 0 || (size_t)length > strlen(text))
        return fail(d);
    if (gr_starts_with(text, "_GLOBAL__N_"))
        gr_str_add(out, "(anonymous namespace)");
    else
        gr_str_add_bytes(out, text, (size_t)length);
    d->at = text + length;
    return true;
}

/* ---- Types. ---- */

static const char *builtin(struct demangler *d)
{
    static const struct {
        const char *code, *name;
    } known[] = {{"v", "void"},         {"w", "wchar_t"},
                 {"b", "bool"},         {"c", "char"},
                 {"a", "signed char"},  {"h", "unsigned char"},
                 {"s", "short"},        {"t", "unsigned short"},
                 {"i", "int"},          {"j", "unsigned int"},
                 {"l", "long"},         {"m", "unsigned long"},
                 {"x", "long long"},    {"y", "unsigned long long"},
                 {"n", "__int128"},     {"o", "unsigned __int128"},
                 {"f", "float"},        {"d", "double"},
                 {"e", "long double"},  {"z", "..."},
                 {"Di", "char32_t"},    {"Ds", "char16_t"},
                 {"Du", "char8_t"},     {"Dn", "std::nullptr_t"},
                 {"DF16_", "_Float16"}, {"DF16b", "__bf16"},
                 {"Dh", "decimal16"},   {"St9nullptr_t", "std::nullptr_t"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (take(d, known[i].code))
            return known[i].name;
    return NULL;
}

/* const and volatile of a pointer are behind it, those of another type in front of it. */
static bool read_qualified(struct demangler *d, struct gr_str *out)
{
    struct gr_str inner = {0};
    const bool is_restrict = take(d, "r"), is_volatile = take(d, "V"), is_const = take(d, "K");
    bool whole = read_type(d, &inner);
    const char *text = gr_str_text(&inner);
    const bool behind = gr_ends_with(text, "*") || gr_ends_with(text, "&");
    if (!behind)
        gr_str_printf(out, "%s%s%s", is_const ? "const " : "", is_volatile ? "volatile " : "",
                      text);
    else
        gr_str_printf(out, "%s%s%s%s", text, is_const ? "const" : "",
                      is_volatile ? " volatile" : "", is_restrict ? " __restrict__" : "");
    gr_str_free(&inner);
    return whole;
}

static bool read_pointer(struct demangler *d, struct gr_str *out)
{
    const char *mark = *d->at == 'P' ? "*" : *d->at == 'R' ? "&" : "&&";
    d->at++;
    bool whole = read_type(d, out);
    const char *text = gr_str_text(out);
    gr_str_printf(out, "%s%s", gr_ends_with(text, "*") ? "" : " ", mark);
    return whole;
}

/* The types of the standard library that have codes of their own. */
static const char *standard(struct demangler *d)
{
    static const char *const known[][2] = {{"Sa", "std::allocator"}, {"Sb", "std::basic_string"},
                                           {"Ss", "std::string"},    {"Si", "std::istream"},
                                           {"So", "std::ostream"},   {"Sd", "std::iostream"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (take(d, known[i][0]))
            return known[i][1];
    return NULL;
}

/* What is read was written out in the symbol, and not referred to: it can be referred to later. */
static bool read_new_type(struct demangler *d, struct gr_str *out)
{
    bool is_template;
    if (strchr("rVK", *d->at))
        return read_qualified(d, out);
    if (strchr("PRO", *d->at))
        return read_pointer(d, out);
    if (take(d, "T"))
        return add_item(d, &d->arguments, read_index(d, 10), out);
    return read_name(d, out, &is_template);
}

static bool read_type(struct demangler *d, struct gr_str *out)
{
    struct gr_str text = {0};
    const bool reference = *d->at == 'S' && d->at[1] != 't';
    const char *plain = *d->at ? builtin(d) : NULL;
    bool whole = plain || *d->at, fresh = !plain;
    if (++d->depth > MOST_DEPTH || !whole) {
        d->depth--;
        return fail(d);
    }
    if (plain) {
        gr_str_add(&text, plain);
    } else if (reference) {
        whole = read_name(d, &text, &fresh); /* new only with arguments of its own */
    } else {
        whole = read_new_type(d, &text);
    }
    if (whole && fresh)
        whole = keep(d, &d->substitutions, gr_str_text(&text));
    gr_str_add(out, gr_str_text(&text));
    gr_str_free(&text);
    d->depth--;
    return whole && !d->failed;
}

/* ---- Template arguments. ---- */

/* How a number of that type is written: "4u"; null: with the type in front of it. */
static const char *suffix_of(const char *type)
{
    static const char *const known[][2] = {{"int", ""},         {"unsigned int", "u"},
                                           {"long", "l"},       {"unsigned long", "ul"},
                                           {"long long", "ll"}, {"unsigned long long", "ull"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], type) == 0)
            return known[i][1];
    return NULL;
}

/* "Li32E", "Lb1E", "LN2ns4modeE1E" */
static bool read_literal(struct demangler *d, struct gr_str *out)
{
    struct gr_str type = {0};
    bool whole = *d->at != '_' && read_type(d, &type);
    const char *name = gr_str_text(&type), *suffix = suffix_of(name);
    const bool minus = *d->at == 'n';
    const int length = (int)strcspn(d->at, "E") - minus;
    if (!whole || length <= 0 || !d->at[length + minus]) {
        gr_str_free(&type);
        return fail(d);
    }
    if (strcmp(name, "bool") == 0) {
        gr_str_add(out, *d->at == '0' ? "false" : "true");
    } else {
        if (!suffix)
            gr_str_printf(out, "(%s)", name);
        gr_str_printf(out, "%s%.*s%s", minus ? "-" : "", length, d->at + minus,
                      suffix ? suffix : "");
    }
    d->at += length + minus + 1;
    gr_str_free(&type);
    return true;
}

static bool read_argument(struct demangler *d, struct gr_str *out)
{
    bool whole = true;
    if (take(d, "L"))
        return read_literal(d, out);
    if (!take(d, "J"))
        return read_type(d, out);
    for (int i = 0; whole && !take(d, "E"); i++) {
        gr_str_add(out, i ? ", " : "");
        whole = read_argument(d, out);
    }
    return whole;
}

/* "I…E" behind a name. Those of the function itself, the last ones, are what T_ refers to. */
static bool read_arguments(struct demangler *d, struct gr_str *out)
{
    struct list own = {.count = 0};
    bool whole = ++d->depth <= MOST_DEPTH;
    d->at++;
    gr_str_add(out, "<");
    for (int i = 0; whole && !take(d, "E"); i++) {
        struct gr_str one = {0};
        whole = *d->at && read_argument(d, &one) && keep(d, &own, gr_str_text(&one));
        gr_str_printf(out, "%s%s", i ? ", " : "", gr_str_text(&one));
        gr_str_free(&one);
    }
    gr_str_add(out, ">");
    d->depth--;
    if (d->depth == 0) {
        forget(&d->arguments);
        d->arguments = own;
    } else {
        forget(&own);
    }
    return whole || fail(d);
}

/* ---- Names. ---- */

static bool read_substitution(struct demangler *d, struct gr_str *out)
{
    const char *name = standard(d);
    if (name)
        gr_str_add(out, name);
    return name || (take(d, "S") && add_item(d, &d->substitutions, read_index(d, 36), out));
}

/* "N4deep2er4gemmE": each beginning of it can be referred to, the whole of a function's name not.
 */
static bool read_nested(struct demangler *d, struct gr_str *out, bool *is_template)
{
    bool whole = true;
    *is_template = false;
    d->at += strspn(d->at, "rVK");
    for (int i = 0; whole && !take(d, "E"); i++) {
        const bool is_new = *d->at != 'S' || d->at[1] == 't';
        *is_template = *d->at == 'I' && i > 0;
        if (*is_template) {
            whole = read_arguments(d, out);
        } else {
            gr_str_add(out, i > 0 ? "::" : take(d, "St") ? "std::" : "");
            whole = *d->at == 'S'   ? read_substitution(d, out)
                    : *d->at == 'T' ? (d->at++, add_item(d, &d->arguments, read_index(d, 10), out))
                                    : read_source_name(d, out);
        }
        if (whole && is_new && *d->at != 'E')
            whole = keep(d, &d->substitutions, gr_str_text(out));
    }
    return whole && *gr_str_text(out) ? true : fail(d);
}

/* A name, with its template arguments. */
static bool read_name(struct demangler *d, struct gr_str *out, bool *is_template)
{
    *is_template = false;
    if (take(d, "N"))
        return read_nested(d, out, is_template);
    const bool refers = *d->at == 'S' && d->at[1] != 't';
    if (take(d, "St"))
        gr_str_add(out, "std::");
    if (!(refers ? read_substitution(d, out) : read_source_name(d, out)))
        return fail(d);
    if (*d->at != 'I')
        return true;
    *is_template = true;
    return (refers || keep(d, &d->substitutions, gr_str_text(out))) && read_arguments(d, out);
}

/* ---- The function. ---- */

static bool read_function(struct demangler *d, struct gr_demangled *out)
{
    struct gr_str name = {0}, ignored = {0};
    bool is_template = false, whole = read_name(d, &name, &is_template);
    out->name = whole ? gr_strdup(gr_str_text(&name)) : NULL;
    if (whole && is_template) /* a template's type begins with what it returns */
        whole = read_type(d, &ignored);
    gr_str_free(&name);
    gr_str_free(&ignored);
    if (whole && strcmp(d->at, "v") == 0)
        return true;
    while (whole && *d->at) {
        struct gr_str type = {0};
        whole = out->count < GR_DEMANGLED_TYPES && read_type(d, &type);
        if (whole)
            whole = (out->types[out->count++] = gr_strdup(gr_str_text(&type))) != NULL;
        gr_str_free(&type);
    }
    return whole && out->count > 0;
}

static void forget_types(struct gr_demangled *out)
{
    while (out->count > 0)
        free(out->types[--out->count]);
}

bool gr_demangle(const char *symbol, struct gr_demangled *out)
{
    *out = (struct gr_demangled){0};
    struct demangler *d = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->at = symbol;
    out->typed = take(d, "_Z") && read_function(d, out);
    if (!out->typed)
        forget_types(out);
    if (!out->name)
        out->name = gr_strdup(symbol);
    forget(&d->substitutions);
    forget(&d->arguments);
    free(d);
    return out->name != NULL;
}

void gr_demangled_free(struct gr_demangled *demangled)
{
    free(demangled->name);
    forget_types(demangled);
    *demangled = (struct gr_demangled){0};
}
