/* multiplies.c: looks for sums of products in the code of a function. SPDX-License-Identifier: MIT
 */
#include "catalog/multiplies.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEEP = 6, MOST_LETTERS = 64 };

/* Multiply-adds have these letters in their names: fmaf, __hfma2, mma_sync, __dp4a, dot, asm; and
 * so have the steps of one in 16 bits, __hadd(sum, __hmul(a, b)), and of single bits, __popc(a ^
 * b). What atomicAdd adds may be a product. */
static const char *const adding[] = {"fma",  "mma",  "dp4a", "dp2a",      "dot", "gemm",
                                     "hadd", "hmul", "popc", "atomicadd", "asm", NULL};

/* What is called without a product: keywords, casts, and functions of CUDA and C. Names with two
 * underscores in front are CUDA's. */
static const char *const harmless[] = {"if",          "for",         "while",
                                       "switch",      "return",      "sizeof",
                                       "defined",     "static_cast", "reinterpret_cast",
                                       "const_cast",  "float",       "double",
                                       "half",        "int",         "unsigned",
                                       "size_t",      "min",         "max",
                                       "fminf",       "fmaxf",       "fabs",
                                       "fabsf",       "abs",         "exp",
                                       "expf",        "log",         "logf",
                                       "sqrt",        "sqrtf",       "rsqrtf",
                                       "tanh",        "tanhf",       "pow",
                                       "powf",        "floor",       "ceil",
                                       "printf",      "assert",      "atomicMax",
                                       "atomicMin",   "atomicExch",  "atomicCAS",
                                       "make_float2", "make_float4", "make_int4",
                                       NULL};

static bool is_one_of(const struct gr_scan *scan, int i, const char *const *words)
{
    for (; *words; words++)
        if (gr_token_is(scan, i, *words))
            return true;
    return false;
}

/* Does the word at token i have the letters of a multiply-add in it? */
static bool names_adding(const struct gr_scan *scan, int i)
{
    char word[MOST_LETTERS];
    const struct gr_token *t = &scan->tokens[i];
    size_t length = t->end - t->begin;
    if (t->kind != GR_TOKEN_WORD || length >= sizeof word)
        return false;
    for (size_t c = 0; c < length; c++)
        word[c] = (char)tolower((unsigned char)scan->text[t->begin + c]);
    word[length] = 0;
    for (const char *const *letters = adding; *letters; letters++)
        if (strstr(word, *letters))
            return true;
    return false;
}

/* The end of the expression at token i: its semicolon, or a bracket that closes what is around. */
static int expression_end(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ";") && !gr_token_is(scan, i, ")") &&
           !gr_token_is(scan, i, "}"))
        i = gr_token_is(scan, i, "(") || gr_token_is(scan, i, "[") || gr_token_is(scan, i, "{")
                ? gr_token_close(scan, i, end)
                : i + 1;
    return i;
}

/* Is this text among the tokens, outside of square brackets, in which indices are computed? */
static bool has_outside(const struct gr_scan *scan, struct gr_range r, const char *text)
{
    for (int i = r.begin; i < r.end;)
        if (gr_token_is(scan, i, text))
            return true;
        else
            i = gr_token_is(scan, i, "[") ? gr_token_close(scan, i, r.end) : i + 1;
    return false;
}

static bool has_word_of(const struct gr_scan *scan, struct gr_range r, int word)
{
    for (int i = r.begin; i < r.end; i++)
        if (scan->tokens[i].kind == GR_TOKEN_WORD && gr_tokens_same(scan, i, word))
            return true;
    return false;
}

static bool is_called(const struct gr_scan *scan, int i)
{
    if (scan->tokens[i].kind != GR_TOKEN_WORD)
        return false;
    if (gr_token_is(scan, i + 1, "("))
        return true;
    return gr_token_is(scan, i + 1, "<") &&
           gr_token_is(scan, gr_token_close_angle(scan, i + 1, scan->token_count), "(");
}

/* Was a variable of the sum assigned a product before: `float t = a[i] * b[j]; sum += t`? */
static bool adds_variable(const struct gr_scan *scan, const struct gr_function *f,
                          struct gr_range added)
{
    for (int i = f->body_begin; i + 1 < f->body_end; i++) {
        if (!gr_token_is(scan, i + 1, "=") || gr_token_is(scan, i + 2, "=") ||
            scan->tokens[i].kind != GR_TOKEN_WORD || !has_word_of(scan, added, i))
            continue;
        const struct gr_range value = {i + 2, expression_end(scan, i + 2, f->body_end)};
        if (has_outside(scan, value, "*"))
            return true;
    }
    return false;
}

/* Is a product added at the `=` of token i: `sum += a * b`, `sum = sum + a * b`? Steps of a thread
 * through the grid are sums of products, too, and are left out. */
static bool adds_product(const struct gr_scan *scan, const struct gr_function *f, int i)
{
    const struct gr_range value = {i + 1, expression_end(scan, i + 1, f->body_end)};
    if (has_outside(scan, value, "blockDim") || has_outside(scan, value, "gridDim"))
        return false;
    if (gr_token_is(scan, i - 1, "+")) {
        for (int j = value.begin; j < value.end; j++)
            if (is_called(scan, j) && !is_one_of(scan, j, harmless))
                return true;
        return has_outside(scan, value, "*") || adds_variable(scan, f, value);
    }
    int word = i - 1; /* the last of what is assigned to, before its indices */
    while (word > f->body_begin && gr_token_is(scan, word, "]")) {
        int depth = 0;
        for (; word > f->body_begin; word--) {
            depth += gr_token_is(scan, word, "]");
            if (gr_token_is(scan, word, "[") && --depth == 0)
                break;
        }
        word--;
    }
    return scan->tokens[word].kind == GR_TOKEN_WORD && has_outside(scan, value, "+") &&
           has_outside(scan, value, "*") && has_word_of(scan, value, word);
}

static bool multiplies(const struct gr_scan *scan, const struct gr_function *f, int depth);

/* May the function that is called at token i add up products? */
static bool callee_multiplies(const struct gr_scan *scan, int i, int depth)
{
    bool is_here = false;
    for (int g = 0; g < scan->function_count; g++) {
        if (!gr_tokens_same(scan, i, scan->functions[g].name))
            continue;
        is_here = true;
        if (depth >= MOST_DEEP || multiplies(scan, &scan->functions[g], depth + 1))
            return true;
    }
    const struct gr_token *t = &scan->tokens[i];
    return !is_here && !is_one_of(scan, i, harmless) &&
           strncmp(scan->text + t->begin, "__", 2) != 0;
}

static bool multiplies(const struct gr_scan *scan, const struct gr_function *f, int depth)
{
    for (int i = f->body_begin; i < f->body_end; i++) {
        if (gr_token_is(scan, i, "for") && gr_token_is(scan, i + 1, "(")) {
            i = gr_token_close(scan, i + 1, f->body_end) - 1;
            continue;
        }
        if (names_adding(scan, i))
            return true;
        if (gr_token_is(scan, i, "=") && !gr_token_is(scan, i + 1, "=") &&
            !gr_token_is(scan, i - 1, "=") && adds_product(scan, f, i))
            return true;
        /* A word before the name is the type of a variable: `dim3 grid(2)`. */
        if (is_called(scan, i) &&
            (scan->tokens[i - 1].kind != GR_TOKEN_WORD || gr_token_is(scan, i - 1, "return")) &&
            callee_multiplies(scan, i, depth))
            return true;
    }
    return false;
}

bool gr_function_multiplies(const struct gr_scan *scan, const struct gr_function *function)
{
    return multiplies(scan, function, 0);
}
