/* chosen.c: decides which of a file's functions is the kernel. SPDX-License-Identifier: MIT */
#include "catalog/chosen.h"

#include "core/error.h"
#include "base/str.h"
#include "source/place.h"
#include "catalog/multiplies.h"
#include "catalog/parameters.h"
#include "catalog/roles.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 64 };

static bool takes_operands(const char *path, const struct gr_scan *scan,
                           const struct gr_function *f)
{
    struct gr_signature s = {0};
    unsigned found = 0;
    if (gr_signature_parse(path, scan, f, &s, NULL) == GRADUS_OK)
        for (int i = 0; i < s.count; i++) {
            enum gr_role role = gr_role_of_name(s.parameters[i].name);
            if (s.parameters[i].pointer && role >= GR_ROLE_A && role <= GR_ROLE_C)
                found |= 1u << (role - GR_ROLE_A);
        }
    gr_signature_free(&s);
    return found == 7;
}

/* Does it have three pointers, at least one of them not const, and an integer, like a GEMM whose
 * parameters have other names? */
static bool is_shaped_like_one(const char *path, const struct gr_scan *scan,
                               const struct gr_function *f)
{
    struct gr_signature s = {0};
    int pointers = 0, written = 0, integers = 0;
    if (gr_signature_parse(path, scan, f, &s, NULL) == GRADUS_OK)
        for (int i = 0; i < s.count; i++) {
            const struct gr_parameter *p = &s.parameters[i];
            pointers += p->pointer;
            written += p->pointer && !p->pointee_const;
            integers += gr_parameter_class(scan, p) == GR_TYPE_INTEGER;
        }
    gr_signature_free(&s);
    return pointers >= 3 && written > 0 && integers > 0;
}

/* Functions with the same name may be in different branches of an #if; the compiler sees only
 * one. */
static bool is_listed(const struct gr_scan *scan, int function, const int *list, int count)
{
    bool listed = false;
    char *name = gr_token_text(scan, scan->functions[function].name);
    for (int i = 0; i < count && name && !listed; i++)
        listed = gr_token_is(scan, scan->functions[list[i]].name, name);
    free(name);
    return listed;
}

/* How likely a C function is to be the kernel; those of a file with the highest value are its
 * candidates. 0: it cannot be. A function that returns a status, or that is static above a
 * `main`, may still be a kernel. */
static int likelihood(const char *path, const struct gr_scan *scan, const struct gr_function *f)
{
    if (gr_token_is(scan, f->name, "main"))
        return 0;
    if (!takes_operands(path, scan, f) && f->is_static)
        return 0;
    if (!takes_operands(path, scan, f))
        return is_shaped_like_one(path, scan, f) ? 3 : f->is_void;
    return f->is_static ? 2 : f->is_void ? 5 : 4;
}

int gr_kernel_candidates(const char *path, const struct gr_scan *scan, enum gr_language language,
                         int *list, int most)
{
    int count = 0, best = 1;
    for (int i = 0; i < scan->function_count; i++) {
        const struct gr_function *f = &scan->functions[i];
        int rank = language == GR_LANGUAGE_C ? likelihood(path, scan, f) : f->is_global;
        if (rank > best) {
            best = rank;
            count = 0;
        }
        if (rank == best && count < most &&
            !(language == GR_LANGUAGE_C && is_listed(scan, i, list, count)))
            list[count++] = i;
    }
    return count;
}

/* Is a static member of a class, or a function of another file's namespace, called at token i? */
static bool is_qualified_call(const struct gr_scan *scan, int i)
{
    return i >= 3 && scan->tokens[i].kind == GR_TOKEN_WORD && gr_token_is(scan, i + 1, "(") &&
           gr_token_is(scan, i - 1, ":") && gr_token_is(scan, i - 2, ":") &&
           !gr_token_is(scan, i - 3, "std");
}

static bool loops(const struct gr_scan *scan, const struct gr_function *f)
{
    static const char *const words[] = {"for", "while", "do", "goto", NULL};
    bool found = false;
    for (int i = f->body_begin; i < f->body_end && !found; i++) {
        for (int w = 0; words[w] && !found; w++)
            found = gr_token_is(scan, i, words[w]);
        found |= is_qualified_call(scan, i);
        for (int g = 0; g < scan->function_count && !found; g++) /* the loop may be in there */
            found = gr_token_is(scan, i + 1, "(") || gr_token_is(scan, i + 1, "<")
                        ? gr_tokens_same(scan, i, scan->functions[g].name)
                        : false;
    }
    return found;
}

/* Can a __global__ function not be a GEMM: has it no loop, no sum of products, or one or two
 * pointers, as a kernel that converts or fills a matrix? One without any may find its matrices in
 * structures and variables. */
static bool cannot_multiply(const char *path, const struct gr_scan *scan,
                            const struct gr_function *f)
{
    struct gr_signature s = {0};
    int pointers = 0, flags = 0, others = 0;
    const bool read = gr_signature_parse(path, scan, f, &s, NULL) == GRADUS_OK;
    for (int i = 0; read && i < s.count; i++) {
        const struct gr_parameter *p = &s.parameters[i];
        const bool flag = p->pointer && strstr(p->type, "bool");
        flags += flag;
        pointers += p->pointer && !flag;
        others += !p->pointer && gr_parameter_class(scan, p) == GR_TYPE_OTHER;
    }
    gr_signature_free(&s);
    return read && others == 0 &&
           (pointers == 1 || pointers == 2 || (pointers == 0 && flags) || !loops(scan, f) ||
            !gr_function_multiplies(scan, f));
}

/* Does another function of the list call it, as a GEMM its inner part? */
static bool is_part(const struct gr_scan *scan, int function, const int *list, int count)
{
    for (int i = 0; i < count; i++) {
        const struct gr_function *f = &scan->functions[list[i]];
        for (int t = f->body_begin; t < f->body_end && list[i] != function; t++)
            if (gr_token_is(scan, t + 1, "(") &&
                gr_tokens_same(scan, t, scan->functions[function].name))
                return true;
    }
    return false;
}

int gr_kernel_likely(const char *path, const struct gr_scan *scan, enum gr_language language,
                     int *list, int count)
{
    int likely = 0;
    bool cannot[MAX_CANDIDATES];
    for (int i = 0; i < count && i < MAX_CANDIDATES; i++) {
        cannot[i] = language == GR_LANGUAGE_CUDA
                        ? cannot_multiply(path, scan, &scan->functions[list[i]])
                        : is_part(scan, list[i], list, count);
        likely += !cannot[i];
    }
    if (count > MAX_CANDIDATES)
        return count;
    for (int i = 0, to = 0; i < count && likely > 0; i++)
        if (!cannot[i])
            list[to++] = list[i];
    return likely;
}

bool gr_kernel_is_named_gemm(const char *path, const struct gr_scan *scan,
                             const struct gr_function *function)
{
    static const char *const words[] = {"gemm",       "matmul", "mat_mul", "matrixmul",
                                        "matrix_mul", "mmult",  "multiply"};
    if (takes_operands(path, scan, function))
        return true;
    char *name = gr_token_text(scan, function->name);
    bool named = false;
    for (char *p = name; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (size_t i = 0; i < sizeof words / sizeof *words && name; i++)
        named |= strstr(name, words[i]) != NULL;
    free(name);
    return named;
}

static void list_names(const struct gr_scan *scan, const int *functions, int count,
                       struct gr_str *out)
{
    for (int i = 0; i < count; i++) {
        char *name = gr_function_name(scan, &scan->functions[functions[i]]);
        gr_str_printf(out, "%s%s", i ? ", " : "", name ? name : "?");
        free(name);
    }
}

static enum gradus_status several(const struct gr_kernel *k, const struct gr_scan *scan,
                                  const int *list, int count, struct gradus_error *error)
{
    struct gr_str names = {0};
    list_names(scan, list, count, &names);
    enum gradus_status status =
        gr_fail(error, GRADUS_INVALID,
                "%s: %d functions may be the kernel (%.300s); choose one with `//@ kernel NAME` or "
                "--kernel NAME",
                k->path, count, gr_str_text(&names));
    gr_str_free(&names);
    return status;
}

static enum gradus_status none_may(const struct gr_kernel *k, const struct gr_scan *scan,
                                   const int *list, int count, struct gradus_error *error)
{
    struct gr_str names = {0};
    list_names(scan, list, count, &names);
    enum gradus_status status = gr_fail(
        error, GRADUS_INVALID,
        "%s: none of its %d kernels (%.300s) can be a GEMM, which takes three arrays and adds "
        "products in a loop; --kernel NAME takes one all the same",
        k->path, count, gr_str_text(&names));
    gr_str_free(&names);
    return status;
}

/* The file's kernels are declared in it, as a header does, and defined elsewhere. */
static bool only_declares(const struct gr_scan *scan, enum gr_language language)
{
    for (int i = 0; i < scan->token_count && language == GR_LANGUAGE_CUDA; i++)
        if (gr_token_is(scan, i, "__global__"))
            return true;
    return false;
}

/* The name of a kernel that has a body and is none of the file's functions, since it is a member of
 * a class; -1: there is none. */
static int member_kernel(const struct gr_scan *scan)
{
    for (int i = 0; i < scan->token_count; i++) {
        if (!gr_token_is(scan, i, "__global__"))
            continue;
        for (int t = i; t < scan->token_count && !gr_token_is(scan, t, ";"); t++) {
            if (!gr_token_is(scan, t, "("))
                continue;
            const int close = gr_token_close(scan, t, scan->token_count);
            if (close < scan->token_count && gr_token_is(scan, close, "{"))
                return t - 1;
            t = close - 1;
        }
    }
    return -1;
}

enum gradus_status gr_kernel_none(const char *path, const struct gr_scan *scan,
                                  enum gr_language language, struct gradus_error *error)
{
    const int member = language == GR_LANGUAGE_CUDA ? member_kernel(scan) : -1;
    if (member >= 0) {
        const struct gr_token *at = &scan->tokens[member];
        return gr_fail_at(error, path, gr_place_in_file(at->line, at->column),
                          "the kernel %.*s is a member of a class, wanted a __global__ function "
                          "outside of classes: move it, or its body, there",
                          (int)(at->end - at->begin), scan->text + at->begin);
    }
    if (only_declares(scan, language))
        return gr_fail(error, GRADUS_INVALID,
                       "%s " GR_ONLY_DECLARED ", wanted a __global__ function with its body: give "
                       "the file that defines it",
                       path);
    return gr_fail(error, GRADUS_INVALID, "%s: found no kernel, wanted %s", path,
                   language == GR_LANGUAGE_C
                       ? "a function `void NAME(…)` that is not static and takes A, B and C"
                   : strstr(scan->text, "__global__")
                       ? "a __global__ function: the file has this word in strings or comments "
                         "only; write the text that it makes at run time to a file of its own"
                       : "a __global__ function");
}

static enum gradus_status choose_only(const struct gr_kernel *k, const struct gr_scan *scan,
                                      int *function, struct gradus_error *error)
{
    int list[MAX_CANDIDATES];
    int count = gr_kernel_candidates(k->path, scan, k->language, list, MAX_CANDIDATES);
    if (count > 1 && k->language == GR_LANGUAGE_CUDA && !gr_kernel_has_workload(k)) {
        const int likely = gr_kernel_likely(k->path, scan, k->language, list, count);
        if (likely == 0)
            return none_may(k, scan, list, count, error);
        count = likely;
    }
    if (count > 1)
        return several(k, scan, list, count, error);
    if (count == 1) {
        *function = list[0];
        return GRADUS_OK;
    }
    return gr_kernel_none(k->path, scan, k->language, error);
}

static bool same_but_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b || *a == 0)
            return *a == *b;
    }
}

/* "k" and "inner::k" also match outer::inner::k, but "::k" matches only a k outside of
 * namespaces. Template arguments choose a specialization that has the same. */
static bool is_called(const struct gr_scan *scan, const struct gr_function *f, const char *wanted,
                      const char *arguments)
{
    char *name = gr_function_name(scan, f);
    char *own = name ? strchr(name, '<') : NULL;
    if (own && *arguments && !same_but_blanks(own, arguments)) {
        free(name);
        return false;
    }
    if (own)
        *own = 0;
    size_t all = name ? strlen(name) : 0, length = strlen(wanted);
    bool is = name &&
              (gr_starts_with(wanted, "::") ? strcmp(name, wanted + 2) == 0
                                            : gr_ends_with(name, wanted) &&
                                                  (length == all || name[all - length - 1] == ':'));
    free(name);
    return is;
}

/* The functions of this name that are most likely to be meant: in CUDA the kernels, because a
 * launcher may have the same name. Of several with different parameters, or in branches of an
 * #if, the last. */
static int called(const struct gr_kernel *k, const struct gr_scan *scan, const char *wanted,
                  const char *arguments, int *list, int most)
{
    int count = 0;
    bool global = false;
    for (int i = 0; i < scan->function_count; i++) {
        const struct gr_function *f = &scan->functions[i];
        bool is_global = k->language == GR_LANGUAGE_CUDA && f->is_global;
        if (!is_called(scan, f, wanted, arguments) || (global && !is_global))
            continue;
        if (is_global && !global)
            count = 0;
        global |= is_global;
        bool same = false;
        for (int j = 0; j < count && !same; j++) {
            char *one = gr_function_name(scan, f),
                 *other = gr_function_name(scan, &scan->functions[list[j]]);
            same = one && other && strcmp(one, other) == 0;
            if (same)
                list[j] = i;
            free(one);
            free(other);
        }
        if (!same && count < most)
            list[count++] = i;
    }
    return count;
}

/* In CUDA the suggested names are those of kernels, if the file has any. */
static enum gradus_status no_such(const struct gr_kernel *k, const struct gr_text *wanted,
                                  const char *name, const struct gr_scan *scan,
                                  struct gradus_error *error)
{
    const char *names[MAX_CANDIDATES];
    char *owned[MAX_CANDIDATES];
    int count = 0, kernels = 0, all[MAX_CANDIDATES];
    if (k->language == GR_LANGUAGE_CUDA)
        kernels = gr_kernel_candidates(k->path, scan, k->language, all, MAX_CANDIDATES);
    for (int i = 0; i < scan->function_count && count < MAX_CANDIDATES; i++) {
        const struct gr_function *f = &scan->functions[i];
        if ((kernels == 0 || f->is_global) && (owned[count] = gr_function_name(scan, f)))
            names[count] = owned[count], count++;
    }
    const char *near = k->included_kernels ? NULL : gr_nearest(name, names, (size_t)count);
    struct gr_str list = {0};
    gr_str_add(&list, k->included_kernels ? k->included_kernels : "");
    if (!near && kernels)
        list_names(scan, all, kernels, &list);
    enum gradus_status status =
        gr_fail_at(error, k->path, wanted->place, "%s " GR_NO_FUNCTION "%s'%s%s%s%s%.300s",
                   wanted->place.option ? k->path : "the file", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                   list.length ? "; its kernels are " : "", gr_str_text(&list));
    while (count > 0)
        free(owned[--count]);
    gr_str_free(&list);
    return status;
}

static enum gradus_status choose_named(const struct gr_kernel *k, const struct gr_text *wanted,
                                       const struct gr_scan *scan, int *function,
                                       struct gradus_error *error)
{
    int list[MAX_CANDIDATES];
    char *name = gr_strndup(wanted->text, strcspn(wanted->text, "< \t"));
    if (!name)
        return gr_fail_memory(error, "a name", 0);
    int count =
        called(k, scan, name, wanted->text + strcspn(wanted->text, "<"), list, MAX_CANDIDATES);
    enum gradus_status status = count == 1  ? GRADUS_OK
                                : count > 1 ? several(k, scan, list, count, error)
                                            : no_such(k, wanted, name, scan, error);
    if (count == 1)
        *function = list[0];
    free(name);
    return status;
}

enum gradus_status gr_kernel_choose(const struct gr_kernel *k, const struct gr_stanza *stanza,
                                    const struct gr_scan *scan, int *function,
                                    struct gradus_error *error)
{
    *function = -1;
    return stanza->kernel.text ? choose_named(k, &stanza->kernel, scan, function, error)
                               : choose_only(k, scan, function, error);
}

/* The functions that the stanza may refer to. */
static int meant(const struct gr_kernel *k, const struct gr_stanza *stanza,
                 const struct gr_scan *scan, int *list, int most)
{
    const char *wanted = stanza->kernel.text;
    if (!wanted)
        return gr_kernel_candidates(k->path, scan, k->language, list, most);
    char *name = gr_strndup(wanted, strcspn(wanted, "< \t"));
    int count = name ? called(k, scan, name, wanted + strcspn(wanted, "<"), list, most) : 0;
    free(name);
    return count;
}

bool gr_kernel_is_there(const struct gr_kernel *k, const struct gr_stanza *stanza,
                        const struct gr_scan *scan)
{
    int list[MAX_CANDIDATES], kernels = 0;
    int count = meant(k, stanza, scan, list, MAX_CANDIDATES);
    for (int i = 0; i < count; i++)
        kernels += scan->functions[list[i]].is_global;
    return kernels > 0;
}

int gr_kernel_names(const struct gr_kernel *k, const char *text, struct gr_str *names)
{
    struct gr_scan scan;
    int list[MAX_CANDIDATES];
    if (gr_scan_text(k->path, text, &scan, NULL) != GRADUS_OK)
        return 0;
    int count = meant(k, &k->stanzas[0], &scan, list, MAX_CANDIDATES);
    gr_str_add(names, names->length && count ? ", " : "");
    list_names(&scan, list, count, names);
    gr_scan_free(&scan);
    return count;
}
