/* file_kernels.c: finds the launches of a file's kernels, and tells which of them are not measured.
 * SPDX-License-Identifier: MIT */
#include "cli/file_kernels.h"

#include "core/error.h"
#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/chosen.h"
#include "cli/verb.h"
#include "launches/product_steps.h"

#include <stdlib.h>
#include <string.h>

/* With more kernels, less time is spent on each that is right with no launch. */
enum { FEW = 4 };
static const int64_t all_limit_ns = 40LL * 1000000000; /* for the trials of all of them */

/* Separates the `kernel` line from the others; null: there is none. */
static char *take_names(const char *extra, struct gr_str *lines)
{
    char *names = NULL;
    for (const char *p = extra; p && *p;) {
        const size_t length = strcspn(p, "\n");
        if (!names && gr_starts_with(p, "kernel "))
            names = gr_strndup(p + strlen("kernel "), length - strlen("kernel "));
        else
            gr_str_printf(lines, "%.*s\n", (int)length, p);
        p += length + (p[length] == '\n');
    }
    return names;
}

/* Checks that the file has the functions that --kernel names, before time is spent on the first. */
static enum gradus_status check_names(const struct gr_several *several, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < several->list.count && status == GRADUS_OK; i++) {
        struct gr_kernel *kernel = NULL;
        char *lines = gr_several_lines(several, i);
        gradus_error_clear(error);
        if (!lines)
            status = gr_fail_memory(error, "a kernel", 0);
        else if (gr_kernel_read(several->path, lines, &kernel, error) == GRADUS_INVALID &&
                 strstr(error->text, GR_NO_FUNCTION))
            status = GRADUS_INVALID;
        gr_kernel_free(kernel);
        free(lines);
    }
    if (status == GRADUS_OK)
        gradus_error_clear(error);
    return status;
}

enum gradus_status gr_several_find(const char *path, const char *extra, struct gr_several *several,
                                   struct gradus_error *error)
{
    struct gr_str lines = {0};
    char *names = take_names(extra, &lines);
    *several = (struct gr_several){.chosen = names != NULL, .path = gr_strdup(path)};
    several->lines = lines.text ? lines.text : gr_strdup("");
    enum gradus_status status = !several->path || !several->lines
                                    ? gr_fail_memory(error, path, lines.length)
                                : names ? gr_alternatives_named(names, &several->list, error)
                                        : gr_alternatives_read(path, extra, &several->list, error);
    free(names);
    if (status == GRADUS_OK && several->chosen && several->list.count > 1)
        status = check_names(several, error);
    return status;
}

void gr_several_note(const struct gr_several *several)
{
    const char *others = several->list.others;
    if (!several->chosen && others)
        gr_cli_note("%s: %s cannot be a GEMM and %s left out", several->path, others,
                    strchr(others, ',') ? "are" : "is");
}

bool gr_several_is_one(const struct gr_several *several)
{
    const struct gr_alternatives *list = &several->list;
    const bool is_chosen = list->included || gr_is_c_path(several->path);
    return list->count == 1 && (several->chosen || (list->others && is_chosen));
}

const char *gr_several_no_gemm(const struct gr_several *several)
{
    const struct gr_alternatives *list = &several->list;
    const bool one = list->count == 0 && list->others && !strchr(list->others, ',');
    return one && !several->chosen && !gr_is_c_path(several->path) ? list->others : NULL;
}

enum gradus_status gr_several_refuse_only(const char *path, const char *name,
                                          const struct gr_kernel *k, struct gradus_error *error)
{
    const bool given = k->stanzas[0].grid.count && !k->launch_origin;
    if (given || (k->launch_origin && strstr(k->launch_origin, "(right at ")))
        return GRADUS_OK;
    return gr_fail(error, GRADUS_INVALID,
                   "%s:%d: %s adds no products in a loop, and no way to launch it gave a product "
                   "of two matrices: it is no GEMM; --kernel %s measures it all the same, and for "
                   "any other kernel name sizes and arrays, gradus explain --size N=1024 --array "
                   "'in x f32[N,N], …'",
                   path, k->stanzas[0].signature.line, name, name);
}

char *gr_several_lines(const struct gr_several *several, int i)
{
    return gr_printf("kernel %s\n%s", several->list.items[i].name, several->lines);
}

/* The row has the name of the file and of its function. */
static bool name_row(const struct gr_several *several, int i, struct gr_kernel *k)
{
    const char *base = gr_path_base(several->path), *dot = strchr(base, '.');
    char *word = gr_alternative_word(&several->list, i);
    char *name =
        word ? gr_printf("%.*s.%s", (int)(dot && dot > base ? dot - base : (long)strlen(base)),
                         base, word)
             : NULL;
    free(word);
    if (!name)
        return false;
    free(k->name);
    k->name = name;
    if (!k->title)
        k->title = gr_strdup(several->list.items[i].name);
    return k->title != NULL;
}

/* Is the kernel a step of a product of several, as host code launches it? *excuse says so. */
static bool is_step(const struct gr_several *several, int i, const struct gr_kernel *k,
                    char **excuse)
{
    const char *name = several->list.items[i].name;
    struct gr_str why = {0};
    const bool is =
        k->language == GR_LANGUAGE_CUDA &&
        (gr_step_of_product(k->path, k->source, name, &why) ||
         (k->includer && gr_step_of_product(k->includer, k->includer_source, name, &why)));
    if (is)
        *excuse = gr_printf("it seems to be a step of a product: %s; describe the steps by `//@ "
                            "kernel` lines, or measure it all the same with --kernel %s",
                            gr_str_text(&why), name);
    gr_str_free(&why);
    return is;
}

/* Why a kernel that is right with no launch is not blamed for it; null: its verdict is the result.
 */
static char *doubt(const struct gr_several *several, int i, const struct gr_kernel *k)
{
    const char *name = several->list.items[i].name;
    if (!k->launch_origin || strstr(k->launch_origin, "(right at "))
        return NULL;
    if (!several->list.items[i].named_gemm)
        return gr_printf("it seems to be no GEMM: no way to launch it gave a product of two "
                         "matrices; --kernel %s measures it all the same",
                         name);
    if (k->launch_guessed && !strstr(k->launch_origin, "no launch was found"))
        return gr_strdup(k->launch_origin);
    if (k->launch_guessed)
        return gr_printf("its launch was not found, and no guess of one is right; give it, as "
                         "--kernel %s --grid 'cdiv(N,16),cdiv(M,16)' --block 16,16",
                         name);
    return NULL;
}

/* Says why the kernel is not run, or not blamed, unless --kernel names it. A step of a product may
 * be right at small sizes, as a launch for the edge is, and is run if it was. */
static void excuse(const struct gr_several *several, int i, const struct gr_kernel *k,
                   struct gr_omission *omission)
{
    if (several->chosen)
        return;
    if (!is_step(several, i, k, &omission->excuse))
        omission->refused = doubt(several, i, k);
    else if (k->launch_origin && !strstr(k->launch_origin, "(right at ")) {
        omission->refused = omission->excuse;
        omission->excuse = NULL;
    }
}

/* The first line of a message about the file, with "line 7: " in place of "my.cu:7:12: ",
 * malloc'ed. */
static char *without_path(const char *path, const char *message)
{
    const size_t length = strlen(path);
    const char *text = message;
    char *end;
    if (strncmp(message, path, length) != 0 || message[length] != ':')
        return gr_strndup(text, strcspn(text, "\n"));
    text += length + 1;
    const long line = strtol(text, &end, 10);
    if (end == text || *end != ':')
        return gr_strndup(text + strspn(text, " "), strcspn(text + strspn(text, " "), "\n"));
    text = end + 1 + strspn(end + 1, "0123456789:");
    text += strspn(text, " ");
    return gr_printf("line %ld: %.*s", line, (int)strcspn(text, "\n"), text);
}

/* Reads what is known of a kernel that cannot be launched. The first line of *error is why. */
static enum gradus_status take_refused(const struct gr_several *several, const char *extra,
                                       struct gr_kernel **kernel, char **refused,
                                       struct gradus_error *error)
{
    *refused = without_path(several->path, error->text);
    gradus_error_clear(error);
    if (!*refused)
        return gr_fail_memory(error, "a reason", 0);
    return gr_kernel_open_alone(several->path, extra, kernel, error);
}

enum gradus_status gr_several_settle(const struct gr_several *several, int i,
                                     const struct gr_launch_search *wanted,
                                     struct gr_kernel **kernel, struct gr_omission *omission,
                                     struct gradus_error *error)
{
    struct gr_launch_search search = *wanted;
    char *extra = gr_several_lines(several, i);
    *kernel = NULL;
    *omission = (struct gr_omission){0};
    if (!extra)
        return gr_fail_memory(error, "a kernel", 0);
    search.path = several->path;
    search.extra = extra;
    if (several->list.count > FEW) {
        search.brief = true;
        search.limit_ns = all_limit_ns / several->list.count;
    }
    enum gradus_status status = gr_launch_find(&search, kernel, error);
    if (status == GRADUS_OK)
        excuse(several, i, *kernel, omission);
    else if (status == GRADUS_INVALID)
        status = take_refused(several, extra, kernel, &omission->refused, error);
    if (status == GRADUS_OK && !name_row(several, i, *kernel))
        status = gr_fail_memory(error, "a name", 0);
    free(extra);
    return status;
}

void gr_several_free(struct gr_several *several)
{
    gr_alternatives_free(&several->list);
    free(several->path);
    free(several->lines);
    *several = (struct gr_several){0};
}
