/* coded_types.c: of a parameter machine code has the size alone; a number with a point, or alpha,
 * is a floating-point one, an operand or an array is a pointer, and the rest are integers.
 * SPDX-License-Identifier: MIT */
#include "launches/coded_types.h"

#include <ctype.h>
#include <string.h>

/* The i-th of the expressions that commas separate, blanks around it left out. */
static size_t expression_of(const char *args, int i, const char **text)
{
    int depth = 0;
    for (; *args && i > 0; args++) {
        depth += (*args == '(') - (*args == ')');
        i -= *args == ',' && depth == 0;
    }
    args += strspn(args, " ");
    *text = args;
    depth = 0;
    while (*args && (*args != ',' || depth > 0)) {
        depth += (*args == '(') - (*args == ')');
        args++;
    }
    while (args > *text && args[-1] == ' ')
        args--;
    return (size_t)(args - *text);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static bool is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is it the name of an array, or of a `work` buffer? Names in brackets are those of sizes. */
static bool is_array(const char *text, size_t length, const char *extra)
{
    for (const char *line = extra; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        int depth = 0;
        const bool declares = strncmp(line, "array ", 6) == 0 || strncmp(line, "work ", 5) == 0;
        for (const char *p = line; declares && *p && *p != '\n'; p++) {
            depth += (*p == '[') - (*p == ']');
            if (depth == 0 && p > line && !is_in_name(p[-1]) && strncmp(p, text, length) == 0 &&
                !is_in_name(p[length]))
                return true;
        }
    }
    return false;
}

static bool is_pointer(const char *text, size_t length, const char *extra)
{
    static const char *const words[] = {"A", "B", "C", "NULL", "nullptr"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, length, words[i]))
            return true;
    return is_array(text, length, extra);
}

static bool is_real(const char *text, size_t length)
{
    if (is_word(text, length, "alpha") || is_word(text, length, "beta"))
        return true;
    const size_t sign = length > 0 && *text == '-';
    return length > sign && isdigit((unsigned char)text[sign]) && memchr(text, '.', length);
}

static const char *by_size(const char *text, size_t length, int bytes, const char *extra)
{
    if (bytes == 8 && is_pointer(text, length, extra))
        return "void *";
    if (is_real(text, length))
        return bytes == 8 ? "double" : bytes == 4 ? "float" : "__half";
    return bytes == 8 ? "long long" : bytes == 4 ? "int" : bytes == 2 ? "short" : "bool";
}

/* Is the type one of those whose elements matrices may have? */
static bool has_known_elements(const char *type)
{
    static const char *const known[] = {
        "float ",         "double ",      "__half ",        "__nv_bfloat16 ", "__nv_fp8_e4m3 ",
        "__nv_fp8_e5m2 ", "signed char ", "unsigned char ", "char ",          "int ",
        "float4 ",        "float2 ",      "double2 ",       "__half2 ",       "__nv_bfloat162 "};
    const char *bare = strncmp(type, "const ", 6) == 0 ? type + 6 : type;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(bare, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* A parameter is called as what it is passed, if that is a name, and no other parameter is. */
static void add_name(const char *args, int count, int i, struct gr_str *out)
{
    const char *text = "", *other;
    const size_t length = args ? expression_of(args, i, &text) : 0;
    bool good = length > 0 && !isdigit((unsigned char)*text) && !is_word(text, length, "NULL");
    for (size_t j = 0; j < length && good; j++)
        good = is_in_name(text[j]);
    for (int j = 0; j < count && good; j++)
        good =
            j == i || expression_of(args, j, &other) != length || strncmp(other, text, length) != 0;
    if (good)
        gr_str_add_bytes(out, text, length);
    else
        gr_str_printf(out, "p%d", i + 1);
}

bool gr_coded_types(const struct gr_code_kernel *kernel, const struct gr_demangled *names,
                    const char *args, const char *extra, struct gr_str *out)
{
    bool all = names->typed;
    for (int i = 0; i < kernel->parameter_count; i++) {
        const char *text = "", *type = names->typed ? names->types[i] : NULL;
        const size_t length = args ? expression_of(args, i, &text) : 0;
        const char *star = type ? strchr(type, '*') : NULL;
        if (!type)
            type = by_size(text, length, kernel->parameters[i].bytes, extra);
        else if (star && !has_known_elements(type)) {
            all = false;
            type = strncmp(type, "const ", 6) == 0 ? "const void *" : "void *";
        }
        gr_str_printf(out, "%s%s%s", i ? ", " : "", type, type[strlen(type) - 1] == '*' ? "" : " ");
        add_name(args, kernel->parameter_count, i, out);
    }
    return all;
}
