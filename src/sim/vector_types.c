/* vector_types.c: clang's vector types for g++. SPDX-License-Identifier: MIT
 *
 * HIP's kernels declare the operands of matrix instructions in one of these ways:
 *
 *   typedef float name __attribute__((ext_vector_type(4)));
 *   using name = __attribute__((ext_vector_type(4))) float;
 *   float __attribute__((ext_vector_type(4))) variable;
 *
 * The elements are then used by their indices, as those of g++'s vectors. */
#include "sim/vector_types.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A part of the text, [begin, end). */
struct span {
    const char *begin, *end;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct span trimmed(struct span s)
{
    while (s.begin < s.end && isspace((unsigned char)*s.begin))
        s.begin++;
    while (s.end > s.begin && isspace((unsigned char)s.end[-1]))
        s.end--;
    return s;
}

/* Removes the word from the front. */
static bool drop_first(struct span *s, const char *word)
{
    const size_t length = strlen(word);
    *s = trimmed(*s);
    if ((size_t)(s->end - s->begin) < length || memcmp(s->begin, word, length) != 0 ||
        (s->begin + length < s->end && is_word(s->begin[length])))
        return false;
    s->begin += length;
    *s = trimmed(*s);
    return true;
}

static void drop_last_word(struct span *s)
{
    while (s->end > s->begin && is_word(s->end[-1]))
        s->end--;
    *s = trimmed(*s);
}

/* After the parenthesis that closes the one at p; null: none does. */
static const char *after_parentheses(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

/* The attribute around `at`, from its __attribute__ to its closing parenthesis. */
static bool find_attribute(const char *text, const char *at, struct span *attribute)
{
    static const char word[] = "__attribute__";
    const char *p = at;
    while (p > text && *p != ';' && *p != '{' && *p != '}' && strncmp(p, word, strlen(word)) != 0)
        p--;
    if (strncmp(p, word, strlen(word)) != 0)
        return false;
    attribute->begin = p;
    p += strlen(word);
    p += strspn(p, " \t");
    attribute->end = *p == '(' ? after_parentheses(p) : NULL;
    return attribute->end && at < attribute->end;
}

/* Where the declaration begins that holds `at`. */
static const char *declaration_of(const char *text, const char *at)
{
    while (at > text && !strchr(";{}>\n", at[-1]))
        at--;
    return at;
}

/* The type of the elements, in the declaration around the attribute. */
static struct span element_of(const char *text, struct span attribute)
{
    static const char *const specifiers[] = {"static",     "const",      "constexpr",
                                             "__device__", "__shared__", "volatile"};
    struct span before = {declaration_of(text, attribute.begin), attribute.begin};
    struct span after = {attribute.end, attribute.end + strcspn(attribute.end, ";={")};
    before = trimmed(before);
    after = trimmed(after);
    const bool is_typedef = drop_first(&before, "typedef"), is_alias = drop_first(&before, "using");
    const char *equals = is_alias && before.begin < before.end
                             ? memchr(before.begin, '=', (size_t)(before.end - before.begin))
                             : NULL;
    if (equals)
        before.begin = equals + 1;
    for (size_t i = 0; i < sizeof specifiers / sizeof *specifiers; i++)
        drop_first(&before, specifiers[i]);
    before = trimmed(before);
    if (before.begin == before.end) {
        if (!is_alias)
            drop_last_word(&after);
        return after;
    }
    if (is_typedef && after.begin == after.end)
        drop_last_word(&before);
    return before;
}

/* The attribute's name at p, of which the length is returned; 0: another word. */
static size_t name_at(const char *text, const char *p)
{
    static const char *const names[] = {"__ext_vector_type__", "ext_vector_type"};
    if (p > text && is_word(p[-1]))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(p, names[i], strlen(names[i])) == 0 && !is_word(p[strlen(names[i])]))
            return strlen(names[i]);
    return 0;
}

void gr_vector_types_rewrite(const char *text, struct gr_str *out)
{
    const char *copied = text;
    for (const char *p = text; *p; p++) {
        const size_t length = *p == 'e' || *p == '_' ? name_at(text, p) : 0;
        struct span attribute, element;
        const char *open = length ? p + length + strspn(p + length, " \t") : NULL;
        const char *end = open && *open == '(' ? after_parentheses(open) : NULL;
        if (!end || !find_attribute(text, p, &attribute))
            continue;
        element = element_of(text, attribute);
        if (element.begin == element.end)
            continue;
        gr_str_add_bytes(out, copied, (size_t)(p - copied));
        gr_str_printf(out, "vector_size(%.*s * sizeof(%.*s))", (int)(end - open), open,
                      (int)(element.end - element.begin), element.begin);
        copied = end;
        p = end - 1;
    }
    gr_str_add(out, copied);
}
