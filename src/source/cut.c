/* cut.c: replaces the host code of a kernel file by blanks and keeps its line numbers.
 * SPDX-License-Identifier: MIT */
#include "source/cut.h"

#include "core/error.h"
#include "source/declarations.h"
#include "source/host_members.h"

#include <stdlib.h>
#include <string.h>

/* A file, its functions and its other declarations. */
struct file {
    const struct gr_scan *scan;
    const struct gr_kernel *kernel; /* its functions are kept; null: all device functions */
    struct gr_scan arguments;       /* of the templates that are the kernel's functions */
    bool *cut;                      /* for each function: remove it */
    struct gr_declaration *declarations;
    int declaration_count;
};

static bool has_word(const struct gr_scan *scan, int begin, int end, const char *word)
{
    for (int i = begin; i < end; i++)
        if (gr_token_is(scan, i, word))
            return true;
    return false;
}

/* Does the function launch a kernel with `<<<`? */
static bool launches(const struct gr_scan *scan, const struct gr_function *f)
{
    for (int i = f->body_begin; i < f->body_end; i++)
        if (gr_token_is(scan, i, "<") && gr_token_is(scan, i + 1, "<") &&
            gr_token_is(scan, i + 2, "<"))
            return true;
    return false;
}

/* Does code that is kept name function f? A host function that launches a kernel is none of it,
 * although a class whose constants the kernel reads may declare it. A host function with the name
 * of a kernel is its launcher, unless it is constexpr, because a kernel may call a constexpr
 * function. */
static bool function_is_needed(const struct file *file, int f)
{
    const struct gr_scan *scan = file->scan;
    const struct gr_function *function = &scan->functions[f];
    if (!function->is_device && !function->is_global && launches(scan, function))
        return false;
    bool constant = has_word(scan, function->head, function->name, "constexpr");
    bool named = gr_tokens_mention_of(&file->arguments, 0, file->arguments.token_count, scan,
                                      function->name);
    for (int i = 0; i < scan->function_count; i++) {
        const struct gr_function *by = &scan->functions[i];
        if (file->cut[i])
            continue;
        bool on_device = function->is_device || function->is_global;
        if (!constant && !on_device &&
            gr_tokens_mention(scan, by->name, by->name + 1, function->name))
            return false;
        named |= gr_tokens_mention(scan, by->head, by->body_end, function->name);
    }
    for (int i = 0; i < file->declaration_count; i++)
        named |= file->declarations[i].needed &&
                 gr_tokens_mention(scan, file->declarations[i].begin, file->declarations[i].end,
                                   function->name);
    return named;
}

/* Is it the prototype of a launcher, such as `void gemm(std::string name);` beside a kernel
 * gemm? */
static bool declares_a_launcher(const struct gr_scan *scan, const struct gr_declaration *d)
{
    for (int f = 0; f < scan->function_count; f++)
        for (int i = d->begin; i < d->end && scan->functions[f].is_global; i++)
            if (gr_token_is(scan, i + 1, "(") &&
                gr_tokens_mention(scan, i, i + 1, scan->functions[f].name))
                return true;
    return false;
}

/* Is it the prototype of a kernel that is given structures, beside the kernel of the same name with
 * plain parameters that calls it (catalog/plain_parameters.h)? It declares another function now. */
static bool declares_one_of_structures(const struct gr_scan *scan, const struct gr_declaration *d)
{
    static const char ending[] = "_of_structures";
    if (!has_word(scan, d->begin, d->end, "__global__"))
        return false;
    for (int f = 0; f < scan->function_count; f++) {
        const struct gr_token *name = &scan->tokens[scan->functions[f].name];
        const size_t length = name->end - name->begin, rest = sizeof ending - 1;
        if (length <= rest || memcmp(scan->text + name->end - rest, ending, rest) != 0)
            continue;
        for (int i = d->begin; i < d->end; i++) {
            const struct gr_token *t = &scan->tokens[i];
            if (t->end - t->begin == length - rest && gr_token_is(scan, i + 1, "(") &&
                memcmp(scan->text + t->begin, scan->text + name->begin, length - rest) == 0)
                return true;
        }
    }
    return false;
}

static bool declaration_is_needed(const struct file *file, const struct gr_declaration *d)
{
    const struct gr_scan *scan = file->scan;
    if (!d->is_macro && declares_a_launcher(scan, d))
        return false;
    if (gr_declaration_is_named_in(scan, d, &file->arguments))
        return true;
    for (int i = 0; i < scan->function_count; i++)
        if (!file->cut[i] &&
            gr_declaration_is_named(scan, d, scan->functions[i].head, scan->functions[i].body_end))
            return true;
    for (int i = 0; i < file->declaration_count; i++) {
        const struct gr_declaration *by = &file->declarations[i];
        if (by->needed && by != d && gr_declaration_is_named(scan, d, by->begin, by->end))
            return true;
    }
    return false;
}

/* Is it the function of a stanza, or a prototype of it? */
static bool is_of_kernel(const struct file *file, const struct gr_function *f)
{
    for (int i = 0; i < file->kernel->stanza_count; i++) {
        const char *name = file->kernel->stanzas[i].signature.name;
        if (name && gr_token_is(file->scan, f->name, name))
            return true;
    }
    return false;
}

/* Is it kept without regard to who names it? The kernel's own functions are, and operators,
 * which are called without their names. Other kernels of the file are not, since they may not
 * compile here. */
static bool is_wanted(const struct file *file, const struct gr_function *f)
{
    if (!file->kernel)
        return f->is_global || f->is_device;
    if (f->is_device && has_word(file->scan, f->head, f->name + 1, "operator"))
        return true;
    return f->is_global && is_of_kernel(file, f);
}

/* Keeps device code, everything that it names, and everything that those name. */
static void keep_device_code(const struct file *file)
{
    const struct gr_scan *scan = file->scan;
    for (int i = 0; i < scan->function_count; i++)
        file->cut[i] = !is_wanted(file, &scan->functions[i]);
    for (int i = 0; i < file->declaration_count; i++) {
        struct gr_declaration *d = &file->declarations[i];
        d->needed = (d->is_device && !declares_one_of_structures(scan, d)) ||
                    (!d->is_macro && gr_declaration_is_plain(scan, d));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < scan->function_count; i++)
            if (file->cut[i] && function_is_needed(file, i)) {
                file->cut[i] = false;
                changed = true;
            }
        for (int i = 0; i < file->declaration_count; i++) {
            struct gr_declaration *d = &file->declarations[i];
            if (!d->needed && declaration_is_needed(file, d)) {
                d->needed = true;
                changed = true;
            }
        }
    }
}

/* Is token i a line of the preprocessor that stays where a function is removed? An #endif may
 * belong to an #if outside of it; but a #pragma is of the statement after it, and clang refuses one
 * that has none. */
static bool stays(const struct gr_scan *scan, int i)
{
    if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        return false;
    const char *word = scan->text + scan->tokens[i].begin + 1;
    return !gr_starts_with(word + strspn(word, " \t"), "pragma");
}

static void blank(const struct gr_scan *scan, int begin, int past, char *text)
{
    size_t at = scan->tokens[begin].begin;
    for (int i = begin; i <= past; i++) {
        bool last = i == past;
        if (!last && !stays(scan, i))
            continue;
        size_t end = last ? scan->tokens[i - 1].end : scan->tokens[i].begin;
        for (; at < end; at++)
            if (text[at] != '\n')
                text[at] = ' ';
        at = last ? end : scan->tokens[i].end;
    }
}

static void cut_functions(const struct gr_scan *scan, const bool *cut, char *text,
                          struct gr_str *names)
{
    for (int i = 0; i < scan->function_count; i++) {
        if (!cut[i])
            continue;
        const struct gr_function *f = &scan->functions[i];
        const struct gr_token *name = &scan->tokens[f->name];
        blank(scan, f->head, f->body_end, text);
        if (!names || f->is_global || f->is_device)
            continue;
        if (names->length)
            gr_str_add(names, ", ");
        gr_str_add_bytes(names, scan->text + name->begin, name->end - name->begin);
    }
}

/* Removes variables of host types, host classes and prototypes, since the run-time compiler does
 * not have the headers that declare them. Macros are kept, because they do no harm. */
static void cut_declarations(const struct file *file, char *text)
{
    for (int i = 0; i < file->declaration_count; i++) {
        const struct gr_declaration *d = &file->declarations[i];
        if (!d->needed && !d->is_macro)
            blank(file->scan, d->begin, d->end, text);
        else if (!d->is_macro)
            gr_host_members_cut(file->scan, d->begin, d->end, text);
    }
}

/* Writes the template arguments of the kernel's functions: "<float, Tile<64,64,8>>". They are in
 * the file's own lines or in an option, and no code of the file may name what they name. */
static void write_arguments(const struct gr_kernel *kernel, struct gr_str *out)
{
    for (int i = 0; kernel && i < kernel->stanza_count; i++) {
        const char *name = kernel->stanzas[i].kernel.text;
        const char *arguments = name ? strchr(name, '<') : NULL;
        gr_str_printf(out, "%s\n", arguments ? arguments : "");
    }
}

/* If `only_its` is true, what only other kernels need is removed as well. */
static enum gradus_status cut_source(const char *path, const char *text, enum gr_language language,
                                     const struct gr_kernel *kernel, bool only_its,
                                     struct gr_str *out, struct gr_str *names,
                                     struct gradus_error *error)
{
    struct gr_scan scan;
    enum gradus_status status = gr_scan_text(path, text, &scan, error);
    if (status != GRADUS_OK)
        return status;
    char *copy = gr_strdup(text);
    struct gr_str arguments = {0};
    struct file file = {.scan = &scan, .kernel = only_its ? kernel : NULL};
    file.cut = calloc((size_t)scan.function_count + 1, sizeof *file.cut);
    write_arguments(kernel, &arguments);
    bool whole = copy && file.cut && !arguments.failed;
    /* Arguments that are not C++ name nothing here, and the compiler says what is wrong in them. */
    if (gr_scan_text(path, gr_str_text(&arguments), &file.arguments, NULL) != GRADUS_OK)
        file.arguments = (struct gr_scan){0};
    if (whole && language == GR_LANGUAGE_CUDA) {
        whole = gr_declarations_find(&scan, &file.declarations, &file.declaration_count);
        keep_device_code(&file);
        cut_declarations(&file, copy);
    } else if (whole) {
        for (int i = 0; i < scan.function_count; i++)
            file.cut[i] = gr_token_is(&scan, scan.functions[i].name, "main");
    }
    if (whole) {
        cut_functions(&scan, file.cut, copy, names);
        gr_str_add(out, copy);
    }
    if (!whole || out->failed)
        status = gr_fail_memory(error, path, strlen(text));
    free(copy);
    free(file.cut);
    free(file.declarations);
    gr_scan_free(&file.arguments);
    gr_str_free(&arguments);
    gr_scan_free(&scan);
    return status;
}

enum gradus_status gr_source_cut(const char *path, const char *text, enum gr_language language,
                                 const struct gr_kernel *kernel, struct gr_str *out,
                                 struct gr_str *names, struct gradus_error *error)
{
    return cut_source(path, text, language, kernel, false, out, names, error);
}

enum gradus_status gr_source_cut_to(const struct gr_kernel *kernel, const char *text,
                                    struct gr_str *out, struct gr_str *names,
                                    struct gradus_error *error)
{
    return cut_source(kernel->path, text, kernel->language, kernel, true, out, names, error);
}
