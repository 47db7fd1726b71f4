/* parameters.c: a function's parameters and their types. SPDX-License-Identifier: MIT */
#include "catalog/parameters.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/cursor.h"
#include "source/defines.h"
#include "source/place.h"
#include "catalog/void_arrays.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Words that do not change the type. */
static bool is_qualifier(const char *word, size_t length)
{
    static const char *const words[] = {
        "const",  "volatile", "restrict", "__restrict__",      "__restrict", "register",
        "struct", "unsigned", "signed",   "__grid_constant__", "static",     "__const"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

static bool token_in(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* The end of one parameter [begin, end) without its default argument. */
static int end_of_declarator(const struct gr_scan *scan, int begin, int end)
{
    for (int i = begin; i < end; i++)
        if (gr_token_is(scan, i, "="))
            return i;
    return end;
}

/* The token of the parameter's name: the last word outside brackets that follows a type; -1: it
 * has no name. */
static int find_name(const struct gr_scan *scan, int begin, int end)
{
    int name = -1, words = 0;
    for (int i = begin; i < end; i++) {
        if (gr_token_is(scan, i, "[") || gr_token_is(scan, i, "<")) {
            if (gr_token_is(scan, i, "["))
                i = gr_token_close(scan, i, end) - 1;
            else
                while (i + 1 < end && !gr_token_is(scan, i, ">"))
                    i++;
        } else if (scan->tokens[i].kind == GR_TOKEN_WORD) {
            words++;
            name = i;
        }
    }
    if (name < 0 || words < 2)
        return -1;
    const struct gr_token *t = &scan->tokens[name];
    static const char *const types[] = {"int", "long", "float", "double", "char", "short", NULL};
    bool is_type =
        is_qualifier(scan->text + t->begin, t->end - t->begin) || token_in(scan, name, types);
    return is_type ? -1 : name;
}

/* The type as written, with blanks collapsed and without the name and `restrict`; an array
 * becomes a pointer. */
static void write_type(const struct gr_scan *scan, int begin, int end, int name,
                       struct gr_str *type, struct gr_parameter *p)
{
    static const char *const silent[] = {"restrict", "__restrict__",      "__restrict",
                                         "register", "__grid_constant__", NULL};
    int arrays = 0;
    for (int i = begin; i < end; i++) {
        const struct gr_token *t = &scan->tokens[i];
        if (gr_token_is(scan, i, "[")) {
            arrays++;
            i = gr_token_close(scan, i, end) - 1;
            continue;
        }
        if (i == name || t->kind == GR_TOKEN_DIRECTIVE || token_in(scan, i, silent))
            continue;
        bool star = gr_token_is(scan, i, "*");
        p->pointee_const |= !p->pointer && gr_token_is(scan, i, "const");
        p->pointer |= star;
        bool word = t->kind == GR_TOKEN_WORD || star;
        char last = type->length ? type->text[type->length - 1] : ' ';
        if (word && last != ' ' && last != '*' && last != '<' && last != ':')
            gr_str_add(type, " ");
        gr_str_add_bytes(type, scan->text + t->begin, t->end - t->begin);
    }
    if (arrays) {
        p->pointer = true;
        gr_str_add(type, arrays == 1 ? " *" : " (*)[]");
    }
    p->pointee_const &= p->pointer;
}

static enum gradus_status parse_parameter(const struct gr_scan *scan, int begin, int end,
                                          struct gr_signature *signature)
{
    end = end_of_declarator(scan, begin, end);
    int name = find_name(scan, begin, end);
    struct gr_parameter *p;
    GR_PUSH(p, signature->parameters, signature->count);
    if (!p)
        return GRADUS_NO_MEMORY;
    const struct gr_token *at = &scan->tokens[name >= 0 ? name : begin];
    p->line = at->line;
    p->column = at->column;
    struct gr_str type = {0};
    gr_str_add(&type, "");
    write_type(scan, begin, end, name, &type, p);
    p->type = type.text;
    p->name = name >= 0 ? gr_token_text(scan, name) : gr_strdup("");
    return p->type && p->name && !type.failed ? GRADUS_OK : GRADUS_NO_MEMORY;
}

enum gradus_status gr_signature_parse(const char *path, const struct gr_scan *scan,
                                      const struct gr_function *f, struct gr_signature *signature,
                                      struct gradus_error *error)
{
    (void)path;
    signature->name = gr_token_text(scan, f->name);
    signature->line = scan->tokens[f->name].line;
    int begin = f->parameters_begin, end = f->parameters_end, angles = 0;
    bool none = begin >= end || (end == begin + 1 && gr_token_is(scan, begin, "void"));
    enum gradus_status status = signature->name ? GRADUS_OK : GRADUS_NO_MEMORY;
    for (int i = begin, first = begin; !none && i <= end && status == GRADUS_OK; i++) {
        if (i < end && (gr_token_is(scan, i, "(") || gr_token_is(scan, i, "["))) {
            i = gr_token_close(scan, i, end) - 1;
            continue;
        }
        angles += i < end && gr_token_is(scan, i, "<");
        angles -= i < end && gr_token_is(scan, i, ">");
        if (i == end || (angles <= 0 && gr_token_is(scan, i, ","))) {
            if (first < i)
                status = parse_parameter(scan, first, i, signature);
            first = i + 1;
        }
    }
    if (status == GRADUS_OK && !gr_void_arrays_name(scan, f, signature))
        status = GRADUS_NO_MEMORY;
    return status == GRADUS_OK ? status : gr_fail_memory(error, "a signature", 0);
}

void gr_signature_free(struct gr_signature *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->parameters[i].type);
        free(s->parameters[i].name);
    }
    free(s->parameters);
    free(s->name);
    *s = (struct gr_signature){0};
}

/* The words of a type without qualifiers: "float" for "const float *", "long long" for "unsigned
 * long long". */
static void bare_type(const char *type, char bare[64])
{
    size_t n = 0;
    for (const char *p = type; *p;) {
        size_t length =
            strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (length == 0) {
            p++;
            continue;
        }
        bool space = length == 3 && memcmp(p, "std", 3) == 0; /* std::size_t */
        if (!is_qualifier(p, length) && !space && n + length + 2 < 64) {
            if (n)
                bare[n++] = ' ';
            memcpy(bare + n, p, length);
            n += length;
        }
        p += length;
    }
    bare[n] = 0;
}

/* Resolves `typedef float real;`, `using real = float;` or `#define real float` once. */
static bool resolve_once(const struct gr_scan *scan, char word[64])
{
    int i = *word ? gr_define_find(scan, word) : -1;
    if (i < 0)
        return false;
    size_t length = 0;
    const char *body = gr_define_body(scan, i, word, &length);
    if (!body) { /* in the order "typedef BODY word;" or "using word = BODY;" */
        const bool is_using = gr_token_is(scan, i, "using");
        int end = i;
        while (end < scan->token_count && !gr_token_is(scan, end, ";"))
            end++;
        const struct gr_token *last = &scan->tokens[end - 1];
        body = scan->text + scan->tokens[is_using ? i + 2 : i].end;
        length = (size_t)(scan->text + (is_using ? last->end : last->begin) - body);
    }
    char *text = gr_strndup(body, length), bare[64] = "";
    if (text)
        bare_type(text, bare);
    free(text);
    bool changed = *bare && strcmp(bare, word) != 0;
    if (changed)
        memcpy(word, bare, sizeof bare);
    return changed;
}

static const struct {
    const char *name;
    int bits; /* value bits of the signed type; the extra bit of an unsigned one is not needed */
} integers[] = {
    {"int", 31},           {"long", 63},      {"long long", 63}, {"long int", 63},
    {"long long int", 63}, {"short", 15},     {"int16_t", 15},   {"int32_t", 31},
    {"int64_t", 63},       {"uint32_t", 32},  {"uint64_t", 63},  {"uint16_t", 16},
    {"size_t", 63},        {"ptrdiff_t", 63}, {"ssize_t", 63},   {"intptr_t", 63},
    {"uintptr_t", 63},     {"uint", 32},      {"blasint", 31},   {"", 31}, /* plain `unsigned` */
    {"short int", 15},     {"bool", 8},       {"uchar", 8},      {"ushort", 16},
    {"ulong", 63},
};

static const struct {
    const char *name;
    enum gr_dtype type;
} reals[] = {
    {"float", GR_F32},          {"double", GR_F64},           {"float2", GR_F32},
    {"float4", GR_F32},         {"double2", GR_F64},          {"__half", GR_F16},
    {"half", GR_F16},           {"__half2", GR_F16},          {"half2", GR_F16},
    {"_Float16", GR_F16},       {"__fp16", GR_F16},           {"__nv_bfloat16", GR_BF16},
    {"nv_bfloat16", GR_BF16},   {"__nv_bfloat162", GR_BF16},  {"__bf16", GR_BF16},
    {"__nv_fp8_e4m3", GR_E4M3}, {"__nv_fp8_e5m2", GR_E5M2},   {"__hip_bfloat16", GR_BF16},
    {"hip_bfloat16", GR_BF16},  {"__hip_bfloat162", GR_BF16}, {"float16_t", GR_F16},
    {"half_t", GR_F16},         {"bfloat16_t", GR_BF16},
};

static const struct {
    const char *name;
    enum gr_dtype type;
} whole_numbers[] = {
    {"char", GR_S8}, {"int8_t", GR_S8},   {"uint8_t", GR_U8}, {"__nv_fp8_storage_t", GR_U8},
    {"int", GR_S32}, {"int32_t", GR_S32},
};

int gr_integer_bits(const char *type)
{
    char bare[64];
    bare_type(type, bare);
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(integers[i].name, bare) == 0)
            return *bare || strstr(type, "unsigned") || strstr(type, "signed")
                       ? integers[i].bits + (strstr(type, "unsigned") && integers[i].bits < 63)
                       : 0;
    return 0;
}

void gr_type_resolved(const struct gr_scan *scan, const char *type, char bare[64])
{
    bare_type(type, bare);
    for (int i = 0; i < 4 && gr_integer_bits(bare) == 0; i++)
        if (!resolve_once(scan, bare))
            break;
}

int gr_parameter_bits(const struct gr_scan *scan, const struct gr_parameter *p)
{
    char bare[64];
    gr_type_resolved(scan, p->type, bare);
    int bits = gr_integer_bits(p->type);
    return bits ? bits : gr_integer_bits(bare);
}

/* The 8-bit floating-point type that bytes of the file hold: e4m3, or e5m2 if it converts to no
 * other. False: it uses none. */
static bool holds_fp8(const struct gr_scan *scan, enum gr_dtype *type)
{
    if (!scan->text || !strstr(scan->text, "fp8"))
        return false;
    const bool e4m3 = strstr(scan->text, "e4m3") || strstr(scan->text, "E4M3");
    const bool e5m2 = strstr(scan->text, "e5m2") || strstr(scan->text, "E5M2");
    *type = e4m3 ? GR_E4M3 : GR_E5M2;
    return e4m3 || e5m2;
}

bool gr_parameter_dtype(const struct gr_scan *scan, const struct gr_parameter *p,
                        enum gr_dtype *type)
{
    char bare[64];
    gr_type_resolved(scan, p->type, bare);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        if (strcmp(reals[i].name, bare) == 0) {
            *type = reals[i].type;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof whole_numbers / sizeof *whole_numbers; i++) {
        if (strcmp(whole_numbers[i].name, bare) == 0) {
            bool is_unsigned = strstr(p->type, "unsigned") && whole_numbers[i].type == GR_S8;
            *type = is_unsigned ? GR_U8 : whole_numbers[i].type;
            if (*type == GR_U8)
                holds_fp8(scan, type);
            return true;
        }
    }
    return false;
}

enum gr_type_class gr_parameter_class(const struct gr_scan *scan, const struct gr_parameter *p)
{
    if (p->pointer)
        return GR_TYPE_POINTER;
    char bare[64];
    gr_type_resolved(scan, p->type, bare);
    if (gr_parameter_bits(scan, p))
        return GR_TYPE_INTEGER;
    enum gr_dtype type;
    bool real = strcmp(bare, "T") == 0 || gr_parameter_dtype(scan, p, &type);
    return real ? GR_TYPE_REAL : GR_TYPE_OTHER;
}

enum gr_type_class gr_parameter_pointee(const struct gr_scan *scan, const struct gr_parameter *p,
                                        int *bits)
{
    const char *star = strchr(p->type, '*');
    *bits = 0;
    if (!p->pointer || !star || strchr(star + 1, '*') || strchr(p->type, '('))
        return GR_TYPE_OTHER;
    struct gr_parameter pointee = {.type = gr_strndup(p->type, (size_t)(star - p->type))};
    if (!pointee.type)
        return GR_TYPE_OTHER;
    size_t length = strlen(pointee.type);
    while (length && pointee.type[length - 1] == ' ')
        pointee.type[--length] = 0;
    const enum gr_type_class class = gr_parameter_class(scan, &pointee);
    *bits = gr_parameter_bits(scan, &pointee);
    free(pointee.type);
    return class;
}
