/* list.c: loads the catalog: all kernels of a language, in order. SPDX-License-Identifier: MIT */
#include "catalog/catalog.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/cursor.h"
#include "source/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Does the name have the form NN_name with an extension of the language? */
static bool is_rung(const char *file, enum gr_language language)
{
    size_t digits = strspn(file, "0123456789");
    const char *dot = strchr(file, '.');
    if (digits == 0 || digits > 4 || file[digits] != '_' || !dot)
        return false;
    if (language == GR_LANGUAGE_C)
        return strcmp(dot, ".c") == 0;
    return strcmp(dot, ".cu") == 0 || strcmp(dot, ".hip") == 0 || strcmp(dot, ".hip.cpp") == 0;
}

static enum gradus_status add(struct gr_catalog *catalog, struct gr_kernel *kernel,
                              struct gradus_error *error)
{
    struct gr_kernel **slot;
    GR_PUSH(slot, catalog->kernels, catalog->count);
    if (!slot) {
        gr_kernel_free(kernel);
        return gr_fail_memory(error, "a catalog", sizeof *slot);
    }
    *slot = kernel;
    return GRADUS_OK;
}

static enum gradus_status load_directory(const char *directory, enum gr_language language,
                                         struct gr_catalog *catalog, struct gradus_error *error)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return gr_fail(error, errno == ENOENT ? GRADUS_NOT_FOUND : GRADUS_IO, "%s: %s", directory,
                       strerror(errno));
    enum gradus_status status = GRADUS_OK;
    const struct dirent *entry;
    while (status == GRADUS_OK && (entry = readdir(dir))) {
        if (!is_rung(entry->d_name, language))
            continue;
        struct gr_kernel *kernel = NULL;
        char *path = gr_printf("%s/%s", directory, entry->d_name);
        status =
            path ? gr_kernel_read(path, NULL, &kernel, error) : gr_fail_memory(error, "a path", 0);
        free(path);
        if (status == GRADUS_OK)
            status = add(catalog, kernel, error);
    }
    closedir(dir);
    return status;
}

static enum gradus_status load_embedded(enum gr_language language, struct gr_catalog *catalog,
                                        struct gradus_error *error)
{
    const char *prefix = language == GR_LANGUAGE_C ? "kernels/cpu/" : "kernels/gpu/";
    enum gradus_status status = GRADUS_OK;
    const struct gr_embedded *file;
    for (int i = 0; status == GRADUS_OK && (file = gr_embedded_at(i)); i++) {
        if (!gr_starts_with(file->path, prefix) || !is_rung(file->path + strlen(prefix), language))
            continue;
        struct gr_kernel *kernel;
        status = gr_kernel_parse(file->path, file->text, NULL, &kernel, error);
        if (status != GRADUS_OK)
            break;
        kernel->built_in = true;
        status = add(catalog, kernel, error);
    }
    return status;
}

static int by_number(const void *x, const void *y)
{
    const struct gr_kernel *a = *(struct gr_kernel *const *)x, *b = *(struct gr_kernel *const *)y;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->name, b->name);
}

static enum gradus_status fail_after(const struct gr_catalog *catalog, const struct gr_kernel *k,
                                     struct gradus_error *error)
{
    const char **names = calloc((size_t)catalog->count, sizeof *names);
    size_t count = 0;
    for (int i = 0; names && i < catalog->count && catalog->kernels[i] != k; i++)
        names[count++] = catalog->kernels[i]->name; /* the kernels before it */
    const char *near = names ? gr_nearest(k->after, names, count) : NULL;
    enum gradus_status status =
        gr_fail(error, GRADUS_INVALID, "%s: `after %s` names no kernel here%s%s%s", k->path,
                k->after, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return status;
}

/* Is there a kernel of that name beside the file? */
static bool is_beside(const struct gr_kernel *k, const char *name)
{
    static const char *const kinds[] = {".c", ".cu", ".hip", ".hip.cpp"};
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++) {
        char *path =
            gr_printf("%.*s%s%s", (int)(gr_path_base(k->path) - k->path), k->path, name, kinds[i]);
        found = path && gr_file_exists(path);
        free(path);
    }
    return found;
}

enum gradus_status gr_after_check(const struct gr_kernel *k, struct gradus_error *error)
{
    struct gr_catalog rungs = {0};
    bool found = !k->after || is_beside(k, k->after);
    if (found)
        return GRADUS_OK;
    enum gradus_status status = load_embedded(k->language, &rungs, error);
    const char **names = calloc((size_t)rungs.count + 1, sizeof *names);
    for (int i = 0; names && i < rungs.count; i++) {
        names[i] = rungs.kernels[i]->name;
        found |= strcmp(names[i], k->after) == 0;
    }
    const char *near = names && !found ? gr_nearest(k->after, names, (size_t)rungs.count) : NULL;
    if (status == GRADUS_OK && !found)
        status =
            gr_fail_at(error, k->path, k->after_place,
                       "`after`: found '%s', wanted the name of a rung (`gradus list`) or of a "
                       "kernel beside this file%s%s%s",
                       k->after, near ? "; did you mean '" : "; correct it, or leave it out",
                       near ? near : "", near ? "'?" : "");
    free(names);
    gr_catalog_free(&rungs);
    return status;
}

enum gradus_status gr_catalog_order(struct gr_catalog *catalog, struct gradus_error *error)
{
    if (catalog->count)
        qsort(catalog->kernels, (size_t)catalog->count, sizeof *catalog->kernels, by_number);
    for (int i = 0; i < catalog->count; i++) {
        const struct gr_kernel *k = catalog->kernels[i], *before = NULL;
        if (i > 0 && catalog->kernels[i - 1]->number == k->number)
            return gr_fail(error, GRADUS_INVALID,
                           "%s: has the number of %s; rename one, each rung has its own", k->path,
                           catalog->kernels[i - 1]->path);
        for (int j = 0; k->after && j < catalog->count; j++)
            if (strcmp(catalog->kernels[j]->name, k->after) == 0)
                before = catalog->kernels[j];
        if (k->after && !before)
            return fail_after(catalog, k, error);
        if (before && before->number >= k->number)
            return gr_fail(error, GRADUS_INVALID,
                           "%s: `after %s` names a kernel that is not before it", k->path,
                           k->after);
    }
    return GRADUS_OK;
}

enum gradus_status gr_catalog_load(const char *directory, enum gr_language language,
                                   struct gr_catalog *catalog, struct gradus_error *error)
{
    *catalog = (struct gr_catalog){0};
    enum gradus_status status = directory ? load_directory(directory, language, catalog, error)
                                          : load_embedded(language, catalog, error);
    if (status == GRADUS_OK)
        status = gr_catalog_order(catalog, error);
    if (status != GRADUS_OK)
        gr_catalog_free(catalog);
    return status;
}

void gr_catalog_free(struct gr_catalog *catalog)
{
    for (int i = 0; i < catalog->count; i++)
        gr_kernel_free(catalog->kernels[i]);
    free(catalog->kernels);
    *catalog = (struct gr_catalog){0};
}

int gr_catalog_steps(const struct gr_catalog *catalog, const struct gr_kernel *kernel)
{
    int steps = 0;
    /* One pass suffices, because each kernel comes before those that refer to it. */
    for (int i = catalog->count; i-- > 0;) {
        if (kernel->after && strcmp(catalog->kernels[i]->name, kernel->after) == 0) {
            kernel = catalog->kernels[i];
            steps++;
        }
    }
    return steps;
}

/* The name without the number: "cache_tile" for "03_cache_tile". */
static const char *short_name(const struct gr_kernel *k)
{
    const char *rest = k->name + strspn(k->name, "0123456789");
    return rest > k->name && *rest == '_' ? rest + 1 : k->name;
}

/* Matches "03_cache_tile", "3", "03" or "cache_tile". */
static bool is_called(const struct gr_kernel *k, const char *word)
{
    if (strcmp(k->name, word) == 0)
        return true;
    size_t digits = strspn(word, "0123456789");
    if (digits && !word[digits] && digits <= 4)
        return atoi(word) == k->number;
    return strcmp(short_name(k), word) == 0;
}

/* The command that lists this catalog: `gradus list --device cuda --kernel-dir mine`. */
static void name_listing(const struct gr_catalog *catalog, struct gr_str *out)
{
    const struct gr_kernel *k = catalog->count ? catalog->kernels[0] : NULL;
    gr_str_add(out, "gradus list");
    if (k && k->language == GR_LANGUAGE_CUDA)
        gr_str_add(out, " --device cuda");
    if (k && !k->built_in)
        gr_str_printf(out, " --kernel-dir %.*s", (int)(gr_path_base(k->path) - k->path - 1),
                      k->path);
}

static enum gradus_status fail_unknown(const struct gr_catalog *catalog, const char *word,
                                       struct gradus_error *error)
{
    struct gr_str listing = {0};
    name_listing(catalog, &listing);
    gr_fail(error, GRADUS_NOT_FOUND, "no kernel '%s'; `%s` shows all %d", word,
            gr_str_text(&listing), catalog->count);
    gr_str_free(&listing);
    return GRADUS_NOT_FOUND;
}

enum gradus_status gr_catalog_find(const struct gr_catalog *catalog, const char *word,
                                   const struct gr_kernel **kernel, struct gradus_error *error)
{
    *kernel = NULL;
    for (int i = 0; i < catalog->count; i++) {
        if (is_called(catalog->kernels[i], word)) {
            *kernel = catalog->kernels[i];
            return GRADUS_OK;
        }
    }
    size_t count = 2 * (size_t)catalog->count;
    const char **names = calloc(count + 1, sizeof *names);
    for (int i = 0; names && i < catalog->count; i++) {
        names[2 * i] = catalog->kernels[i]->name;
        names[2 * i + 1] = short_name(catalog->kernels[i]);
    }
    const char *near = names ? gr_nearest(word, names, count) : NULL;
    enum gradus_status status =
        near ? gr_fail(error, GRADUS_NOT_FOUND, "no kernel '%s'; did you mean '%s'?", word, near)
             : fail_unknown(catalog, word, error);
    free(names);
    return status;
}
