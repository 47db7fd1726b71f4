/* unmodelled.c: finds inline PTX and intrinsics that the simulator does not support.
 * SPDX-License-Identifier: MIT */
#include "emit/unmodelled.h"

#include "base/str.h"
#include "source/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

/* Whether the conditional directives around a place exclude it. */
struct conditions {
    bool left_out[MAX_DEPTH]; /* by the directive at that depth itself */
    bool taken[MAX_DEPTH];    /* one branch certainly applies, so the others are excluded */
    int depth;
};

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

/* Evaluates a condition that does not depend on other macros. */
static enum truth truth_of(const char *keyword, const char *condition)
{
    bool positive = strcmp(keyword, "ifndef") != 0;
    char word[64];
    if (gr_starts_with(keyword, "ifdef") || gr_starts_with(keyword, "ifndef")) {
        if (sscanf(condition, "%63[A-Za-z0-9_]", word) != 1 || strcmp(word, "GRADUS_SIM") != 0)
            return TRUTH_UNKNOWN;
        return positive ? TRUTH_YES : TRUTH_NO;
    }
    if (strchr(condition, '|') || strchr(condition, '&') || strchr(condition, '='))
        return TRUTH_UNKNOWN;
    if (strstr(condition, "defined") && strstr(condition, "GRADUS_SIM"))
        return strchr(condition, '!') ? TRUTH_NO : TRUTH_YES;
    char *end;
    long value = strtol(condition, &end, 0);
    if (end == condition || end[strspn(end, " \t\r\n")])
        return TRUTH_UNKNOWN;
    return value ? TRUTH_YES : TRUTH_NO;
}

static void enter(struct conditions *c, enum truth truth)
{
    if (c->depth < MAX_DEPTH) {
        c->left_out[c->depth] = truth == TRUTH_NO;
        c->taken[c->depth] = truth == TRUTH_YES;
    }
    c->depth++;
}

static void follow(struct conditions *c, const char *directive)
{
    char keyword[16] = "";
    int read = 0;
    if (sscanf(directive, " # %15[a-z]%n", keyword, &read) != 1)
        return;
    const char *condition = directive + read + strspn(directive + read, " \t");
    int top = c->depth - 1;
    if (gr_starts_with(keyword, "if")) {
        enter(c, truth_of(keyword, condition));
    } else if (strcmp(keyword, "endif") == 0) {
        if (c->depth > 0)
            c->depth--;
    } else if (gr_starts_with(keyword, "el") && top >= 0 && top < MAX_DEPTH) {
        enum truth truth = strcmp(keyword, "else") == 0 ? TRUTH_UNKNOWN : truth_of("if", condition);
        c->left_out[top] = c->taken[top] || truth == TRUTH_NO;
        c->taken[top] |= truth == TRUTH_YES;
    }
}

static bool is_left_out(const struct conditions *c)
{
    for (int i = 0; i < c->depth && i < MAX_DEPTH; i++)
        if (c->left_out[i])
            return true;
    return false;
}

/* The first instruction in a string literal of assembly, after the quote, blanks, braces,
 * escapes, labels, predicates and register declarations. Null: there is none. */
static const char *instruction_in(const char *p, const char *end)
{
    while (p < end) {
        p += strspn(p, " \t\"{}();");
        if (p >= end)
            return NULL;
        if (*p == '\\') {
            p += 2;
        } else if (*p == '.' || *p == '@' || *p == '/') {
            const char stop = *p == '.' ? ';' : *p == '@' ? ' ' : '\\';
            while (p < end && *p != stop)
                p++;
        } else if (isalpha((unsigned char)*p)) {
            const char *after =
                p + strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                              "0123456789");
            if (after >= end || *after != ':')
                return p;
            p = after + 1;
        } else {
            p++;
        }
    }
    return NULL;
}

/* `opcode` is the beginning of the instruction; longer ones come before their prefixes. */
static const char *family_of(const char *instruction)
{
    static const char *const families[] = {"wgmma",         "tcgen05",
                                           "mma.sync",      "mma",
                                           "wmma",          "ldmatrix",
                                           "stmatrix",      "movmatrix",
                                           "cp.async.bulk", "cp.reduce.async.bulk",
                                           "cp.async",      "mbarrier",
                                           "setmaxnreg",    "griddepcontrol",
                                           "cluster",       "barrier.cluster",
                                           "mapa",          "fence",
                                           "elect",         "redux",
                                           "multimem",      "prefetch",
                                           "createpolicy",  "bar"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char next =
            gr_starts_with(instruction, families[i]) ? instruction[strlen(families[i])] : 'x';
        if (!isalnum((unsigned char)next))
            return families[i];
    }
    return NULL;
}

/* Is it an `asm` with text at token i? */
static bool is_assembly(const struct gr_scan *scan, int i, char *what)
{
    if (!gr_token_is(scan, i, "asm") && !gr_token_is(scan, i, "__asm") &&
        !gr_token_is(scan, i, "__asm__"))
        return false;
    int open = i + 1;
    while (open < scan->token_count && scan->tokens[open].kind == GR_TOKEN_WORD)
        open++;
    if (!gr_token_is(scan, open, "("))
        return false;
    bool text = false;
    for (int t = open + 1; t < scan->token_count && scan->tokens[t].kind == GR_TOKEN_STRING; t++) {
        const char *from = scan->text + scan->tokens[t].begin,
                   *end = scan->text + scan->tokens[t].end;
        const char *first = instruction_in(from, end);
        const char *family = first ? family_of(first) : NULL;
        text |= first != NULL;
        if (family)
            snprintf(what, GR_UNMODELLED_SIZE, "inline PTX (%s)", family);
        else if (first)
            snprintf(what, GR_UNMODELLED_SIZE, "inline PTX (%.*s)", (int)strcspn(first, " \t\\;\""),
                     first);
        if (first)
            return true;
    }
    /* The text is made by a macro. */
    if (scan->tokens[open + 1 < scan->token_count ? open + 1 : open].kind == GR_TOKEN_WORD) {
        snprintf(what, GR_UNMODELLED_SIZE, "inline PTX");
        return true;
    }
    return text;
}

/* Is the macro's name used anywhere after its definition? */
static bool is_used(const struct gr_scan *scan, int definition, const char *name, size_t length)
{
    for (int i = definition + 1; i < scan->token_count; i++) {
        const struct gr_token *token = &scan->tokens[i];
        if (token->kind == GR_TOKEN_WORD && token->end - token->begin == length &&
            memcmp(scan->text + token->begin, name, length) == 0)
            return true;
    }
    return false;
}

/* Is it `#define NAME(...) asm volatile("...")`, with NAME used later? */
static bool is_assembly_macro(const struct gr_scan *scan, int i, const char *path, char *what,
                              int *line)
{
    const char *text = scan->text + scan->tokens[i].begin;
    int head = 0;
    char word[8] = "";
    if (sscanf(text, " # %6[a-z] %n", word, &head) != 1 || strcmp(word, "define") != 0)
        return false;
    size_t length = 0;
    while (isalnum((unsigned char)text[head + (int)length]) || text[head + (int)length] == '_')
        length++;
    /* Scans the macro's body separately. The backslashes of its continuation lines become
     * punctuation there. */
    char *body =
        gr_strndup(text + head, scan->tokens[i].end - scan->tokens[i].begin - (size_t)head);
    struct gr_scan inner;
    struct gradus_error error = {0};
    bool found = false;
    if (body && gr_scan_text(path, body, &inner, &error) == GRADUS_OK) {
        for (int t = 0; t < inner.token_count && !found; t++)
            if (inner.tokens[t].kind == GR_TOKEN_WORD && is_assembly(&inner, t, what)) {
                found = is_used(scan, i, text + head, length);
                *line = scan->tokens[i].line + inner.tokens[t].line - 1;
            }
        gr_scan_free(&inner);
    }
    gradus_error_clear(&error);
    free(body);
    return found;
}

/* X(prefix of the name, what it is) */
#define INTRINSICS(X)                                                                              \
    X("__nvvm_", "an NVVM intrinsic")                                                              \
    X("__nv_ptx_builtin", "a PTX intrinsic")                                                       \
    X("__hmma_", "tensor core intrinsics")                                                         \
    X("__imma_", "tensor core intrinsics")                                                         \
    X("__bmma_", "tensor core intrinsics")                                                         \
    X("__dmma_", "tensor core intrinsics")                                                         \
    X("__mma_", "tensor core intrinsics")                                                          \
    X("__wgmma", "wgmma")                                                                          \
    X("__cluster", "thread block clusters")                                                        \
    X("__tensormap", "TMA")                                                                        \
    X("cp_async_bulk", "TMA")                                                                      \
    X("this_cluster", "thread block clusters")                                                     \
    X("__builtin_amdgcn_mfma_scale", "MFMA with scales")                                           \
    X("__builtin_amdgcn_smfmac", "sparse MFMA")                                                    \
    X("__builtin_amdgcn_swmmac", "sparse WMMA")

/* Is it a matrix instruction of AMD's GPUs that the architecture does not have? A file may have one
 * for each architecture, in branches of a condition that only the compiler evaluates. */
static bool is_elsewhere(const struct gr_scan *scan, int i, const char *arch, char *what)
{
    const char *word = scan->text + scan->tokens[i].begin;
    const bool mfma = gr_starts_with(word, "__builtin_amdgcn_mfma_");
    const bool wmma = gr_starts_with(word, "__builtin_amdgcn_wmma_");
    const bool has_mfma = gr_starts_with(arch, "gfx9") && strcmp(arch, "gfx908") >= 0;
    const bool has_wmma = gr_starts_with(arch, "gfx11") || gr_starts_with(arch, "gfx12");
    if (mfma && !has_mfma)
        snprintf(what, GR_UNMODELLED_SIZE, "MFMA on %.12s: try --device sim:mi210", arch);
    else if (wmma && !has_wmma)
        snprintf(what, GR_UNMODELLED_SIZE, "AMD's WMMA on %.12s: try --device sim:rx7900xtx", arch);
    return (mfma && !has_mfma) || (wmma && !has_wmma);
}

static bool is_intrinsic(const struct gr_scan *scan, int i, char *what)
{
    const char *word = scan->text + scan->tokens[i].begin;
    const char *found = NULL;
#define INTRINSIC(head, text)                                                                      \
    if (!found && gr_starts_with(word, head))                                                      \
        found = text;
    INTRINSICS(INTRINSIC)
#undef INTRINSIC
    if (gr_token_is(scan, i, "ptx") && gr_token_is(scan, i - 1, ":") &&
        gr_token_is(scan, i - 3, "cuda"))
        found = "cuda::ptx";
    if (gr_token_is(scan, i, "wmma") &&
        (gr_token_is(scan, i - 1, ":") || gr_token_is(scan, i + 1, ":")))
        found = "wmma";
    if (found)
        snprintf(what, GR_UNMODELLED_SIZE, "%s", found);
    return found;
}

bool gr_unmodelled_find(const char *path, const char *source, enum gr_language language,
                        const char *arch, char *what, int *line)
{
    struct gr_scan scan;
    struct gradus_error error = {0};
    struct conditions conditions = {.depth = 0};
    bool found = false;
    if (language != GR_LANGUAGE_CUDA || gr_scan_text(path, source, &scan, &error) != GRADUS_OK) {
        gradus_error_clear(&error);
        return false;
    }
    for (int i = 0; i < scan.token_count && !found; i++) {
        const struct gr_token *token = &scan.tokens[i];
        if (token->kind == GR_TOKEN_DIRECTIVE) {
            follow(&conditions, scan.text + token->begin);
            if (!is_left_out(&conditions) && is_assembly_macro(&scan, i, path, what, line)) {
                found = true;
                break;
            }
        } else if (token->kind == GR_TOKEN_WORD && !is_left_out(&conditions))
            found = is_assembly(&scan, i, what) || is_intrinsic(&scan, i, what) ||
                    (conditions.depth == 0 && is_elsewhere(&scan, i, arch, what));
        if (found)
            *line = token->line;
    }
    gr_scan_free(&scan);
    return found;
}
