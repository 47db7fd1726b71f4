/* clangtypes.c: writes clang's vectors and 16-bit numbers as classes.
 * SPDX-License-Identifier: MIT */
#include "emit/clangtypes.h"

#include "base/str.h"
#include "catalog/catalog.h"
#include "source/scan.h"

#include <stdlib.h>
#include <string.h>

static const char *const headers[GR_CLANG_TYPES_HEADERS] = {"src/emit/rtc/gr_lanes.hpp",
                                                            "src/emit/rtc/gr_float16.hpp"};

const char *gr_clang_types_header(int i, const char **text)
{
    const struct gr_embedded *e = gr_embedded_find(headers[i]);
    *text = e ? e->text : "";
    return strrchr(headers[i], '/') + 1;
}

/* The tokens of `typedef T name __attribute__((ext_vector_type(4)));`, without its end. */
struct vector {
    int attribute, attribute_end;
    int count, count_end; /* the attribute's argument */
    int type, type_end;
    bool bytes; /* vector_size: the argument is a size */
};

/* Is `__attribute__((word(argument)))` at token i? */
static bool read_attribute(const struct gr_scan *scan, int i, struct vector *v)
{
    if (!gr_token_is(scan, i, "__attribute__") || !gr_token_is(scan, i + 1, "(") ||
        !gr_token_is(scan, i + 2, "(") || !gr_token_is(scan, i + 4, "("))
        return false;
    v->bytes =
        gr_token_is(scan, i + 3, "vector_size") || gr_token_is(scan, i + 3, "__vector_size__");
    v->attribute = i;
    v->count = i + 5;
    v->count_end = gr_token_close(scan, i + 4, scan->token_count) - 1;
    v->attribute_end = v->count_end + 3;
    return (v->bytes || gr_token_is(scan, i + 3, "ext_vector_type") ||
            gr_token_is(scan, i + 3, "__ext_vector_type__")) &&
           gr_token_is(scan, v->count_end + 1, ")") && gr_token_is(scan, v->count_end + 2, ")");
}

/* The type's tokens: of a typedef all but the last, of an alias those after `=`; the attribute is
 * before them, after them or behind the name. */
static bool read_type(const struct gr_scan *scan, struct vector *v)
{
    int begin = v->attribute, end = v->attribute_end;
    while (begin > 0 && !gr_token_is(scan, begin, "typedef") &&
           !gr_token_is(scan, begin, "using") && !gr_token_is(scan, begin, ";") &&
           !gr_token_is(scan, begin, "{") && !gr_token_is(scan, begin, "}"))
        begin--;
    while (end < scan->token_count && !gr_token_is(scan, end, ";") &&
           !gr_token_is(scan, end, ",") && !gr_token_is(scan, end, "{"))
        end++;
    if (!gr_token_is(scan, end, ";"))
        return false;
    v->type = begin + 1;
    v->type_end = end;
    if (gr_token_is(scan, begin, "using")) {
        while (v->type < end && !gr_token_is(scan, v->type - 1, "="))
            v->type++;
    } else if (!gr_token_is(scan, begin, "typedef")) {
        return false;
    } else {
        v->type_end = v->attribute_end == end ? v->attribute - 1 : end - 1; /* without the name */
    }
    if (v->attribute == v->type)
        v->type = v->attribute_end;
    if (v->attribute_end == v->type_end)
        v->type_end = v->attribute;
    return v->type < v->type_end && (v->attribute_end <= v->type || v->attribute >= v->type_end);
}

static void add_tokens(const struct gr_scan *scan, int begin, int end, struct gr_str *out)
{
    const size_t from = scan->tokens[begin].begin;
    gr_str_add_bytes(out, scan->text + from, scan->tokens[end - 1].end - from);
}

static void write_type(const struct gr_scan *scan, const struct vector *v, struct gr_str *out)
{
    gr_str_add(out, v->bytes ? "gr_lanes_of_bytes<" : "gr_lanes<");
    add_tokens(scan, v->type, v->type_end, out);
    gr_str_add(out, ", (");
    add_tokens(scan, v->count, v->count_end, out);
    gr_str_add(out, ")>");
}

static const char *word_for(const struct gr_scan *scan, int i)
{
    if (gr_token_is(scan, i, "_Float16") || gr_token_is(scan, i, "__fp16"))
        return "gr_float16";
    return gr_token_is(scan, i, "__bf16") ? "__nv_bfloat16" : NULL;
}

/* The names of types are replaced first, so that they are also replaced inside a vector's type. */
static char *with_words(const struct gr_scan *scan, bool *halves, bool *bfloats)
{
    struct gr_str out = {0};
    size_t at = 0;
    for (int i = 0; i < scan->token_count; i++) {
        const char *word = scan->tokens[i].kind == GR_TOKEN_WORD ? word_for(scan, i) : NULL;
        if (!word)
            continue;
        *halves |= *word == 'g';
        *bfloats |= *word == '_';
        gr_str_add_bytes(&out, scan->text + at, scan->tokens[i].begin - at);
        gr_str_add(&out, word);
        at = scan->tokens[i].end;
    }
    gr_str_add(&out, scan->text + at);
    return out.text;
}

/* Lines keep their numbers: adds the line ends of the replaced text that its replacement lacks. */
static void keep_lines(const char *text, size_t begin, size_t end, size_t from, struct gr_str *out)
{
    int lines = 0;
    for (size_t i = begin; i < end; i++)
        lines += text[i] == '\n';
    for (size_t i = from; i < out->length; i++)
        lines -= out->text[i] == '\n';
    for (; lines > 0; lines--)
        gr_str_add(out, "\n");
}

/* Copies the text and writes each vector in the place of its type; null: there is none. */
static char *with_vectors(const struct gr_scan *scan)
{
    struct gr_str out = {0};
    size_t at = 0;
    for (int i = 0; i < scan->token_count; i++) {
        struct vector v;
        if (!read_attribute(scan, i, &v) || !read_type(scan, &v) ||
            scan->tokens[v.type < v.attribute ? v.type : v.attribute].begin < at)
            continue;
        const bool first = v.attribute < v.type;
        const int begin = first ? v.attribute : v.type, end = first ? v.type_end : v.attribute_end;
        gr_str_add_bytes(&out, scan->text + at, scan->tokens[begin].begin - at);
        const size_t from = out.length;
        if (first && v.type > v.attribute_end) /* using name __attribute__ = T */
            gr_str_add(&out, "= ");
        write_type(scan, &v, &out);
        if (!first && v.attribute > v.type_end) { /* typedef T name __attribute__ */
            gr_str_add(&out, " ");
            add_tokens(scan, v.type_end, v.attribute, &out);
        }
        at = scan->tokens[end - 1].end;
        keep_lines(scan->text, scan->tokens[begin].begin, at, from, &out);
    }
    if (out.length)
        gr_str_add(&out, scan->text + at);
    return out.text;
}

bool gr_clang_types_rewrite(const char *path, char **text)
{
    struct gr_scan scan;
    bool halves = false, bfloats = false;
    if (!strstr(*text, "_Float16") && !strstr(*text, "__fp16") && !strstr(*text, "__bf16") &&
        !strstr(*text, "vector_"))
        return true;
    if (gr_scan_text(path, *text, &scan, NULL) != GRADUS_OK)
        return true; /* the compiler reports what is wrong with it */
    char *worded = with_words(&scan, &halves, &bfloats), *vectors = NULL;
    gr_scan_free(&scan);
    if (worded && gr_scan_text(path, worded, &scan, NULL) == GRADUS_OK) {
        vectors = with_vectors(&scan);
        gr_scan_free(&scan);
    }
    if (worded && (halves || bfloats || vectors)) {
        free(*text);
        *text = gr_printf("%s%s%s%s", vectors ? "#include <gr_lanes.hpp>\n" : "",
                          halves ? "#include <gr_float16.hpp>\n" : "",
                          bfloats ? "#include <cuda_bf16.h>\n" : "", vectors ? vectors : worded);
    }
    free(vectors);
    const bool whole = worded && *text;
    free(worded);
    return whole;
}
