/* hints.c: guesses the roles of a kernel's parameters from their names and from its index
 * expressions. SPDX-License-Identifier: MIT */
#include "source/hints.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 48 };

/* Converts to lower case and removes underscores; false for a name that is too long. */
static bool fold(const char *name, char folded[MOST])
{
    size_t n = 0;
    for (; *name && n + 1 < MOST; name++)
        if (*name != '_')
            folded[n++] = (char)tolower((unsigned char)*name);
    folded[n] = 0;
    return *name == 0 && n > 0;
}

static bool is_any(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Removes known prefixes and suffixes as long as something is left. */
static void strip(char *word, const char *const *heads, const char *const *tails)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; heads[i]; i++) {
            size_t length = strlen(heads[i]);
            if (gr_starts_with(word, heads[i]) && word[length]) {
                memmove(word, word + length, strlen(word + length) + 1);
                changed = true;
            }
        }
        for (int i = 0; tails[i]; i++)
            if (gr_ends_with(word, tails[i]) && strlen(word) > strlen(tails[i])) {
                word[strlen(word) - strlen(tails[i])] = 0;
                changed = true;
            }
    }
}

char gr_hint_operand(const char *name)
{
    static const char *const heads[] = {"device", "dev",   "gpu", "matrix", "mat", "tensor", "ptr",
                                        "global", "input", "cu",  "gm",     "d",   "g",      NULL};
    static const char *const tails[] = {"device", "dev",  "gpu", "matrix", "mat",  "ptr", "data",
                                        "in",     "vals", "d",   "t",      "gmem", NULL};
    static const char *const firsts[] = {"a", "lhs", "left",   "first", "mat1",  "in1", "mata",
                                         "x", "m1",  "input1", "src1",  "input", NULL};
    static const char *const seconds[] = {"b", "rhs", "right",  "second", "mat2", "in2",    "matb",
                                          "y", "m2",  "weight", "w",      "src2", "input2", NULL};
    static const char *const results[] = {
        "c", "out", "output", "res", "result", "dst", "matc",    "prod", "ans", "o",
        "r", "p",   "target", "z",   "mat3",   "m3",  "product", "d",    NULL};
    char word[MOST];
    if (!fold(name, word))
        return 0;
    if (is_any(word, results))
        return 'C';
    if (is_any(word, firsts))
        return 'A';
    if (is_any(word, seconds))
        return 'B';
    strip(word, heads, tails);
    return is_any(word, firsts)    ? 'A'
           : is_any(word, seconds) ? 'B'
           : is_any(word, results) ? 'C'
                                   : 0;
}

bool gr_hint_batch(const char *name)
{
    static const char *const words[] = {
        "batch",    "batches",  "batchcount", "batchsize", "numbatches", "numbatch", "nbatch",
        "nbatches", "batchnum", "batchdim",   "heads",     "numheads",   "nheads",   "numhead",
        "nhead",    "groups",   "ngroups",    "numgroups", NULL};
    char word[MOST];
    return fold(name, word) && is_any(word, words);
}

bool gr_hint_parts(const char *name)
{
    static const char *const words[] = {"stream", "gpu",   "device", "dev",
                                        "chunk",  "parts", "split",  NULL};
    static const char *const heads[] = {"numberof", "num", "n", NULL}, *const none[] = {NULL};
    static const char *const tails[] = {"count", "s", NULL};
    char word[MOST], whole[MOST];
    if (!fold(name, word))
        return false;
    memcpy(whole, word, sizeof whole);
    strip(word, heads, none);
    strip(word, none, tails);
    return strcmp(whole, word) != 0 && is_any(word, words); /* more than one: `nStreams` */
}

bool gr_hint_offset(const char *name)
{
    static const char *const words[] = {"offset", "start", "begin", NULL};
    char word[MOST];
    bool found = false;
    for (int i = 0; fold(name, word) && words[i]; i++)
        found |= strstr(word, words[i]) != NULL;
    return found;
}

bool gr_hint_batch_stride(const char *name)
{
    char word[MOST];
    return fold(name, word) && strstr(word, "batch") && strstr(word, "stride");
}

char gr_hint_pitch(const char *name)
{
    static const char *const pitch[] = {"pitch", "d", "dev", NULL};
    static const char *const tails[] = {"pitch", "bytes", NULL};
    char word[MOST];
    if (!fold(name, word) || !strstr(word, "pitch"))
        return 0;
    strip(word, pitch, tails);
    return gr_hint_operand(word) ? gr_hint_operand(word) : '?';
}

bool gr_hint_flag(const char *name)
{
    static const char *const words[] = {"trans", "flag", NULL};
    static const char *const heads[] = {"is_", "use_", "has_", "with_", "do_", "enable_", NULL};
    char word[MOST];
    bool found = false;
    for (int i = 0; fold(name, word) && words[i]; i++)
        found |= strstr(word, words[i]) != NULL;
    for (int i = 0; heads[i]; i++)
        found |= gr_starts_with(name, heads[i]);
    return found;
}

const char *gr_hint_scale(const char *name)
{
    char word[MOST];
    if (!fold(name, word))
        return NULL;
    return strstr(word, "alpha") ? "alpha" : strstr(word, "beta") ? "beta" : NULL;
}

/* The matrix that `rowsA`, `a_width` or `hB` belongs to, after removing the words for rows and
 * columns. */
static char matrix_of(const char *word, const char *without)
{
    static const char *const noise[] = {"number", "num", "matrix", "mat", "size",
                                        "dim",    "of",  "in",     NULL};
    char rest[MOST] = "";
    const char *at = strstr(word, without);
    size_t head = (size_t)(at - word);
    memcpy(rest, word, head);
    strcpy(rest + head, at + strlen(without));
    strip(rest, noise, noise);
    const char *tail = rest;
    if (strcmp(tail, "umn") == 0 || strcmp(tail, "umns") == 0 || strcmp(tail, "s") == 0 || !*tail)
        return 0;
    for (const char *p = rest; *p; p++)
        if (strchr("abc", *p) && (p == rest || p[1] == 0))
            return *p;
    return 0;
}

static const char *rows_of(char matrix)
{
    return matrix == 'b' ? "K" : "M";
}

static const char *columns_of(char matrix)
{
    return matrix == 'a' ? "K" : "N";
}

const char *gr_hint_size(const char *name, bool *sure)
{
    static const char *const noise[] = {"number", "num",    "matrix", "mat", "size",   "dim",
                                        "len",    "global", "total",  "pad", "padded", NULL};
    static const char *const inner[] = {"inner",  "common",   "shared", "depth",
                                        "hidden", "innerdim", NULL};
    static const char *const row_words[] = {"height", "row", NULL};
    static const char *const column_words[] = {"width", "column", "col", NULL};
    static const char *const leading[] = {"lda", "ldb", "ldc", NULL};
    char word[MOST];
    *sure = false;
    if (!fold(name, word))
        return NULL;
    for (int i = 0; leading[i]; i++)
        if (gr_starts_with(word, leading[i]) ||
            (gr_starts_with(word, "stride") && word[6] == leading[i][2] && word[7] == 0)) {
            *sure = true;
            return leading[i];
        }
    for (int i = 0; row_words[i]; i++)
        if (strstr(word, row_words[i]))
            return rows_of(matrix_of(word, row_words[i]));
    for (int i = 0; column_words[i]; i++)
        if (strstr(word, column_words[i]))
            return columns_of(matrix_of(word, column_words[i]));
    if (word[1] && !word[2] && strchr("hw", word[0]) && strchr("abc", word[1]))
        return word[0] == 'h' ? rows_of(word[1]) : columns_of(word[1]);
    if (is_any(word, inner))
        return "K";
    if (word[1] == 0 && strchr("hw", word[0]))
        return word[0] == 'h' ? "M" : "N";
    bool plain = word[1] == 0;
    strip(word, noise, noise);
    if (word[1] || !strchr("mnk", word[0]))
        return NULL;
    *sure = plain;
    return *word == 'm' ? "M" : *word == 'n' ? "N" : "K";
}

/* ---- The function's body ---- */

static int parameter_at(const struct gr_scan *scan, int i, const struct gr_signature *s)
{
    if (scan->tokens[i].kind != GR_TOKEN_WORD || gr_token_is(scan, i - 1, "."))
        return -1;
    for (int p = 0; p < s->count && p < GR_MOST_HINTED; p++)
        if (*s->parameters[p].name && gr_token_is(scan, i, s->parameters[p].name))
            return p;
    return -1;
}

/* Records the integer parameters that are factors of a product within [begin, end), which
 * indexes array `p`. */
static void note_products(const struct gr_scan *scan, int begin, int end,
                          const struct gr_signature *s, int p, struct gr_hints *h)
{
    for (int i = begin; i < end; i++) {
        int q = parameter_at(scan, i, s);
        if (q < 0 || s->parameters[q].pointer)
            continue;
        bool product = (i > begin && gr_token_is(scan, i - 1, "*")) ||
                       (i + 1 < end && gr_token_is(scan, i + 1, "*"));
        if (product && h->times[p][q] < 255)
            h->times[p][q]++;
    }
}

static int end_of_statement(const struct gr_scan *scan, int i, int end)
{
    while (i < end && !gr_token_is(scan, i, ";") && !gr_token_is(scan, i, "{"))
        i++;
    return i;
}

static void note_use(const struct gr_scan *scan, int i, int end, const struct gr_signature *s,
                     int p, struct gr_hints *h)
{
    int past = i + 1;
    if (gr_token_is(scan, past, "[")) {
        past = gr_token_close(scan, past, end);
        note_products(scan, i + 1, past, s, p, h);
        const bool sum = gr_token_is(scan, past, "+") && gr_token_is(scan, past + 1, "=");
        const bool store = gr_token_is(scan, past, "=") && !gr_token_is(scan, past + 1, "=");
        h->adds[p] |= sum;
        h->stores[p] |= sum || store;
        h->reads[p] |= !store;
    } else if (gr_token_is(scan, past, "+")) {
        note_products(scan, past, end_of_statement(scan, past, end), s, p, h);
    }
    for (int before = i - 1; before > i - 5; before--)
        if (gr_token_is(scan, before, "atomicAdd"))
            h->adds[p] = h->stores[p] = true;
}

void gr_hints_read(const struct gr_scan *scan, const struct gr_function *function,
                   const struct gr_signature *signature, struct gr_hints *hints)
{
    memset(hints, 0, sizeof *hints);
    for (int i = function->body_begin; i < function->body_end; i++) {
        int p = parameter_at(scan, i, signature);
        if (p >= 0 && signature->parameters[p].pointer)
            note_use(scan, i, function->body_end, signature, p, hints);
    }
}
