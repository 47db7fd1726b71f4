/* size_macros.c: finds the sizes that a kernel's file leaves to its build.
 * SPDX-License-Identifier: MIT */
#include "launches/size_macros.h"

#include "base/file.h"
#include "catalog/catalog.h"
#include "catalog/chosen.h"
#include "catalog/constants.h"
#include "catalog/header_texts.h"
#include "catalog/parameters.h"
#include "catalog/signature.h"
#include "catalog/size_names.h"
#include "source/defines.h"
#include "source/launchfind.h"
#include "source/project.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The usual number of a size and of a tile's side, and the sizes above which a product is not
 * simulated whole. */
enum { USUAL_SIZE = 1024, USUAL_TILE = 16, MOST_SIMULATED = 512, SIMULATED_SIZE = 256 };

struct looking {
    const struct gr_kernel *kernel;
    const struct gr_function *function;
    struct gr_scan scan, headers;
    const char *const *defines;
    bool is_simulated;
    struct gr_size_macros *found;
};

static bool is_listed(const struct looking *l, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = gr_str_text(&l->found->lines); (p = strstr(p, name)); p += length)
        if (p[-1] == ' ' && p[length] == '=')
            return true;
    return false;
}

static void add(struct looking *l, const char *name, int64_t value)
{
    gr_str_printf(&l->found->lines, "define %s=%" PRId64 "\n", name, value);
}

/* The numbers of --define. */
static void add_defines(struct looking *l)
{
    for (int i = 0; l->defines && l->defines[i]; i++) {
        const char *equals = strchr(l->defines[i], '=');
        char *end,
            *name = equals ? gr_strndup(l->defines[i], (size_t)(equals - l->defines[i])) : NULL;
        const long long value = name ? strtoll(equals + 1, &end, 10) : 0;
        if (name && value > 0 && !*end)
            add(l, name, value);
        free(name);
    }
}

/* Is it written as macros are: capitals, digits and underscores? */
static bool is_macro_name(const char *name)
{
    bool capital = false;
    for (const char *p = name; *p; p++) {
        capital |= isupper((unsigned char)*p) != 0;
        if (!isupper((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
            return false;
    }
    return capital;
}

/* Is a word of this name declared, as a variable, a parameter, an enumerator or a macro? */
static bool is_declared(const struct gr_scan *scan, const char *name)
{
    if (gr_define_find(scan, name) >= 0)
        return true;
    for (int i = 1; i < scan->token_count; i++) {
        if (!gr_token_is(scan, i, name))
            continue;
        const bool item = gr_token_is(scan, i + 1, ",") || gr_token_is(scan, i + 1, "}") ||
                          gr_token_is(scan, i + 1, "=");
        if (gr_is_declared(scan, i) || scan->tokens[i - 1].kind == GR_TOKEN_WORD ||
            (item && (gr_token_is(scan, i - 1, "{") || gr_token_is(scan, i + 1, "="))))
            return true;
    }
    return false;
}

/* The number after `-DNAME=` in the text; 0: there is none. */
static int64_t built_with(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = text; (p = strstr(p, "-D")); p++) {
        const char *word = p + 2 + strspn(p + 2, " \t");
        if (strncmp(word, name, length) == 0 && word[length] == '=' &&
            isdigit((unsigned char)word[length + 1]))
            return strtoll(word + length + 1, NULL, 10);
    }
    return 0;
}

/* The number that a build gives the name: by a line in the file, or in a build file beside it. */
static int64_t build_number(const struct looking *l, const char *name)
{
    static const char *const files[] = {
        "Makefile", "makefile", "CMakeLists.txt", "build.sh", "run.sh", "compile.sh", NULL};
    int64_t number = built_with(l->kernel->source, name);
    for (int i = 0; files[i] && !number; i++) {
        char *path = gr_project_beside(l->kernel->path, files[i]), *text = NULL;
        size_t size;
        if (path && gr_file_read(path, &text, &size, NULL) == GRADUS_OK)
            number = built_with(text, name);
        free(text);
        free(path);
    }
    return number;
}

/* Is it the name of a parameter of the kernel, also of a pointer, `float *M`? */
static bool is_parameter(const struct looking *l, const char *name)
{
    const int end = l->function->parameters_end;
    for (int i = l->function->parameters_begin; i < end; i++)
        if (gr_token_is(&l->scan, i, name) && (i + 1 == end || gr_token_is(&l->scan, i + 1, ",") ||
                                               gr_token_is(&l->scan, i + 1, "[")))
            return true;
    return false;
}

static void add_undefined(struct looking *l, const char *name)
{
    const bool tile = gr_is_tile_name(name);
    if (is_parameter(l, name) || !is_macro_name(name) || (!tile && gr_size_of_name(name) < 0) ||
        is_listed(l, name) || is_declared(&l->scan, name) || is_declared(&l->headers, name))
        return;
    const int64_t built = build_number(l, name), usual = tile              ? USUAL_TILE
                                                         : l->is_simulated ? SIMULATED_SIZE
                                                                           : USUAL_SIZE;
    const bool fits = built > 0 && (!l->is_simulated || built <= MOST_SIMULATED);
    add(l, name, fits ? built : usual);
    gr_str_printf(&l->found->note,
                  "%snothing defines %s, which is taken as %" PRId64
                  "%s; another is --define %s=NUMBER",
                  l->found->note.length ? "; " : "", name, fits ? built : usual,
                  fits ? " by a build line" : "", name);
}

/* The words of the kernel's body and parameters that nothing defines. */
static void find_undefined(struct looking *l)
{
    for (int i = l->function->parameters_begin; i < l->function->body_end; i++) {
        if (l->scan.tokens[i].kind != GR_TOKEN_WORD || gr_token_is(&l->scan, i - 1, ".") ||
            gr_token_is(&l->scan, i - 1, ":") || gr_token_is(&l->scan, i - 1, ">") ||
            gr_token_is(&l->scan, i + 1, "("))
            continue;
        char *name = gr_token_text(&l->scan, i);
        if (name)
            add_undefined(l, name);
        free(name);
    }
}

/* The macro of `#ifdef NAME` and `#if defined(NAME)`, malloc'ed; null: it is another condition. */
static char *wanted_macro(const char *directive)
{
    const char *p = directive + 1 + strspn(directive + 1, " \t");
    if (gr_starts_with(p, "ifdef"))
        p += strlen("ifdef");
    else if (gr_starts_with(p, "if defined"))
        p += strlen("if defined");
    else
        return NULL;
    p += strspn(p, " \t(");
    size_t length = 0;
    while (isalnum((unsigned char)p[length]) || p[length] == '_')
        length++;
    const char *rest = p + length + strspn(p + length, " \t)");
    return length && (*rest == '\n' || *rest == '\r' || *rest == 0 || *rest == '/')
               ? gr_strndup(p, length)
               : NULL;
}

/* Defines the macros without which the kernel is not compiled, as `nvcc -DNAME` does. */
static void find_conditions(struct looking *l)
{
    enum { MOST_DEEP = 32 };
    char *names[MOST_DEEP] = {NULL};
    int depth = 0;
    for (int i = 0; i < l->function->head; i++) {
        const char *text = l->scan.text + l->scan.tokens[i].begin;
        if (l->scan.tokens[i].kind != GR_TOKEN_DIRECTIVE)
            continue;
        const char *word = text + 1 + strspn(text + 1, " \t");
        if (gr_starts_with(word, "if") && depth < MOST_DEEP) {
            names[depth++] = wanted_macro(text);
        } else if (depth && (gr_starts_with(word, "el") || gr_starts_with(word, "endif"))) {
            free(names[depth - 1]);
            names[depth - 1] = NULL;
            depth -= gr_starts_with(word, "endif");
        }
    }
    for (int d = 0; d < depth; d++) {
        if (names[d] && !gr_starts_with(names[d], "_") && !is_listed(l, names[d]) &&
            !is_declared(&l->scan, names[d]) && !is_declared(&l->headers, names[d])) {
            add(l, names[d], 1);
            gr_str_printf(&l->found->note,
                          "%s%s is defined, without which the kernel is not compiled",
                          l->found->note.length ? "; " : "", names[d]);
        }
        free(names[d]);
    }
}

static bool is_large_size(const struct looking *l, int i, const char *name, int64_t value)
{
    const bool factor = gr_token_is(&l->scan, i - 1, "*") || gr_token_is(&l->scan, i + 1, "*");
    return value > MOST_SIMULATED && !gr_is_tile_name(name) &&
           (gr_size_of_name(name) >= 0 || factor);
}

/* The constants of the file and of its headers that are sizes of a product too large to be
 * simulated. */
static void find_large(struct looking *l)
{
    for (int i = l->function->body_begin; i < l->function->body_end; i++) {
        int64_t value = 0;
        char *name = l->scan.tokens[i].kind == GR_TOKEN_WORD ? gr_token_text(&l->scan, i) : NULL;
        if (name && !is_listed(l, name) &&
            (gr_constant_named(&l->scan, name, &value) ||
             (!gr_is_declared(&l->scan, i) && gr_constant_named(&l->headers, name, &value))) &&
            is_large_size(l, i, name, value)) {
            add(l, name, SIMULATED_SIZE);
            l->found->is_reduced = true;
            gr_str_printf(
                &l->found->note,
                "%s%s is %d in place of %" PRId64
                ", with which there is too much to simulate; --define %s=%" PRId64 " keeps it",
                l->found->note.length ? "; " : "", name, SIMULATED_SIZE, value, name, value);
        }
        free(name);
    }
}

/* Is the kernel given a number of any kind? */
static bool has_integers(const struct looking *l, const struct gr_signature *s)
{
    bool has = false;
    for (int i = 0; i < s->count; i++)
        has |= !s->parameters[i].pointer &&
               gr_parameter_class(&l->scan, &s->parameters[i]) == GR_TYPE_INTEGER;
    return has;
}

static void look(struct looking *l)
{
    struct gr_signature signature = {0};
    int function = -1;
    add_defines(l);
    if (gr_kernel_choose(l->kernel, &l->kernel->stanzas[0], &l->scan, &function, NULL) != GRADUS_OK)
        return;
    l->function = &l->scan.functions[function];
    find_undefined(l);
    find_conditions(l);
    if (l->is_simulated &&
        gr_signature_parse(l->kernel->path, &l->scan, l->function, &signature, NULL) == GRADUS_OK &&
        !has_integers(l, &signature))
        find_large(l);
    gr_signature_free(&signature);
}

void gr_size_macros_find(const char *path, const char *extra, const char *const *defines,
                         bool is_simulated, struct gr_size_macros *found)
{
    struct gr_kernel *kernel = NULL;
    struct gr_str headers = {0};
    *found = (struct gr_size_macros){0};
    if (gr_kernel_open(path, extra, &kernel, NULL) != GRADUS_OK)
        return;
    struct looking l = {
        .kernel = kernel, .defines = defines, .is_simulated = is_simulated, .found = found};
    const bool wanted = kernel->language == GR_LANGUAGE_CUDA && !kernel->has_front_matter &&
                        kernel->stanza_count == 1;
    if (wanted && gr_scan_text(path, kernel->source, &l.scan, NULL) == GRADUS_OK) {
        gr_header_texts(kernel->path, kernel->source, &headers);
        if (gr_scan_text(path, gr_str_text(&headers), &l.headers, NULL) != GRADUS_OK)
            l.headers = (struct gr_scan){0};
        look(&l);
        gr_scan_free(&l.headers);
        gr_scan_free(&l.scan);
    }
    gr_str_free(&headers);
    gr_kernel_free(kernel);
}

void gr_size_macros_free(struct gr_size_macros *found)
{
    gr_str_free(&found->lines);
    gr_str_free(&found->note);
}
