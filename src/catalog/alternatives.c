/* alternatives.c: lists the kernels of a file that may each be a GEMM. SPDX-License-Identifier: MIT
 */
#include "catalog/alternatives.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/chosen.h"
#include "catalog/included.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 64 };

/* What a list is made from. */
struct listing {
    const struct gr_kernel *kernel;
    struct gr_alternatives *list;
    struct gr_str others;
    bool failed;
};

static bool is_listed(const struct gr_alternatives *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

/* Takes ownership of the name. */
static bool add(struct gr_alternatives *list, char *name, bool named_gemm)
{
    struct gr_alternative *grown =
        name ? realloc(list->items, ((size_t)list->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(name);
        return false;
    }
    list->items = grown;
    grown[list->count++] = (struct gr_alternative){.name = name, .named_gemm = named_gemm};
    return true;
}

static bool is_among(const int *functions, int count, int function)
{
    for (int i = 0; i < count; i++)
        if (functions[i] == function)
            return true;
    return false;
}

/* Adds the kernels of one file. */
static void add_file(void *context, const char *path, const char *text)
{
    struct listing *l = context;
    struct gr_scan scan;
    int all[MAX_CANDIDATES], likely[MAX_CANDIDATES];
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return;
    const int count = gr_kernel_candidates(path, &scan, l->kernel->language, all, MAX_CANDIDATES);
    memcpy(likely, all, sizeof likely);
    const int likely_count = gr_kernel_likely(path, &scan, l->kernel->language, likely, count);
    for (int i = 0; i < count; i++) {
        const struct gr_function *f = &scan.functions[all[i]];
        const bool named = gr_kernel_is_named_gemm(path, &scan, f);
        char *name = gr_function_name(&scan, f);
        /* A C function of any name may be a part of a program that multiplies nothing. */
        const bool may = is_among(likely, likely_count, all[i]) &&
                         (named || l->kernel->language == GR_LANGUAGE_CUDA);
        if (!name || is_listed(l->list, name)) {
            free(name);
        } else if (may) {
            l->failed |= !add(l->list, name, named);
        } else {
            gr_str_printf(&l->others, "%s%s", l->others.length ? ", " : "", name);
            free(name);
        }
    }
    gr_scan_free(&scan);
}

enum gradus_status gr_alternatives_read(const char *path, const char *extra,
                                        struct gr_alternatives *list, struct gradus_error *error)
{
    struct gr_kernel *kernel = NULL;
    struct gradus_error ignored = {0};
    struct listing l = {.list = list};
    *list = (struct gr_alternatives){0};
    const bool opened = gr_kernel_open_alone(path, extra, &kernel, &ignored) == GRADUS_OK;
    gradus_error_clear(&ignored);
    if (!opened || kernel->stanza_count != 1 || kernel->stanzas[0].kernel.text ||
        gr_kernel_has_workload(kernel)) {
        gr_kernel_free(kernel);
        return GRADUS_OK;
    }
    l.kernel = kernel;
    add_file(&l, kernel->path, kernel->source);
    list->included = list->count == 0 && !l.others.length && kernel->language == GR_LANGUAGE_CUDA;
    if (list->included)
        l.failed |= gr_included_each(kernel, add_file, &l, error) != GRADUS_OK;
    list->others = l.others.text;
    gr_kernel_free(kernel);
    return l.failed ? gr_fail_memory(error, path, 0) : GRADUS_OK;
}

/* The end of the first name of a list: its comma outside of brackets. */
static size_t name_length(const char *names)
{
    int angles = 0, brackets = 0;
    size_t i = 0;
    for (; names[i] && (angles > 0 || brackets > 0 || names[i] != ','); i++) {
        brackets += (names[i] == '(') - (names[i] == ')');
        angles += brackets == 0 ? (names[i] == '<') - (names[i] == '>') : 0;
    }
    return i;
}

bool gr_names_several(const char *names)
{
    return names[name_length(names)] == ',';
}

enum gradus_status gr_alternatives_named(const char *names, struct gr_alternatives *list,
                                         struct gradus_error *error)
{
    *list = (struct gr_alternatives){0};
    for (const char *p = names;; p++) {
        p += strspn(p, " ");
        size_t length = name_length(p), kept = length;
        while (kept > 0 && p[kept - 1] == ' ')
            kept--;
        if (kept == 0)
            return gr_fail(error, GRADUS_INVALID,
                           "--kernel '%.200s': found an empty name, wanted one or several, as "
                           "naive,tiled",
                           names);
        char *name = gr_strndup(p, kept);
        if (name && is_listed(list, name))
            free(name);
        else if (!add(list, name, true))
            return gr_fail_memory(error, "a name", kept);
        p += length;
        if (!*p)
            return GRADUS_OK;
    }
}

/* The last component, "tiled<16,8>" of "space::tiled<16,8>", or the whole name, with one underscore
 * for each run of other signs. */
static char *word_of(const char *name, bool whole)
{
    const char *from = name, *end = name + strcspn(name, "<");
    for (const char *p = name; !whole && p < end; p++)
        from = *p == ':' ? p + 1 : from;
    struct gr_str word = {0};
    for (const char *p = from; *p; p++)
        if (isalnum((unsigned char)*p) || *p == '_')
            gr_str_add_bytes(&word, p, 1);
        else if (p[strcspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] &&
                 word.length && word.text[word.length - 1] != '_')
            gr_str_add(&word, "_");
    return word.text;
}

char *gr_alternative_word(const struct gr_alternatives *list, int i)
{
    char *word = word_of(list->items[i].name, false);
    bool unique = word != NULL;
    for (int j = 0; j < list->count && unique; j++) {
        char *other = j == i ? NULL : word_of(list->items[j].name, false);
        unique = !other || strcmp(word, other) != 0;
        free(other);
    }
    if (unique)
        return word;
    free(word);
    return word_of(list->items[i].name, true);
}

void gr_alternatives_free(struct gr_alternatives *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i].name);
    free(list->items);
    free(list->others);
    *list = (struct gr_alternatives){0};
}
