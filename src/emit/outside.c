/* outside.c: finds includes and options that read other files. SPDX-License-Identifier: MIT */
#include "emit/outside.h"

#include "base/file.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static bool is_in_folder(const char *folder, int folder_length, const char *name, int length)
{
    char *path = gr_printf("%.*s/%.*s", folder_length ? folder_length : 1,
                           folder_length ? folder : ".", length, name);
    const bool there = !path || gr_file_exists(path);
    free(path);
    return there;
}

/* The include folder that an option adds, possibly in the next word; null: none. */
static const char *folder_of(const struct gr_outside *about, int i)
{
    static const char *const options[] = {"-isystem", "-iquote", "-idirafter",
                                          "--include-path=", "-I"};
    const char *next = i + 1 < about->word_count ? about->words[i + 1] : NULL;
    for (size_t j = 0; j < sizeof options / sizeof *options; j++)
        if (gr_starts_with(about->words[i], options[j])) {
            const char *rest = about->words[i] + strlen(options[j]);
            return *rest ? rest : next;
        }
    return NULL;
}

static bool is_in_list(const char *list, const char *name, int length)
{
    for (const char *at = list; at && *at; at += *at == ':') {
        const int folder = (int)strcspn(at, ":");
        if (is_in_folder(at, folder, name, length))
            return true;
        at += folder;
    }
    return false;
}

static bool is_found(const struct gr_outside *about, const char *name, int length)
{
    const size_t ours = strlen(about->ours);
    if (is_in_folder(about->kernel_folder, (int)strlen(about->kernel_folder), name, length) ||
        is_in_list(getenv("CPATH"), name, length) ||
        is_in_list(getenv("CPLUS_INCLUDE_PATH"), name, length))
        return true;
    for (int i = 0; i < about->word_count; i++) {
        const char *folder = folder_of(about, i);
        if (folder && !(ours && strncmp(folder, about->ours, ours) == 0) &&
            is_in_folder(folder, (int)strlen(folder), name, length))
            return true;
    }
    return false;
}

static bool is_outside(const struct gr_outside *about, const char *include)
{
    const char *quote = include + strspn(include, " \t");
    if (*quote != '"' && *quote != '<')
        return true;
    const int length = (int)strcspn(quote + 1, "\">\n");
    if (about->is_given(quote + 1, length, about->with))
        return false;
    return *quote == '"' || is_found(about, quote + 1, length);
}

/* "@FILE", "-include FILE", "-imacros FILE", and NVRTC's names for them. */
static bool reads_in(const char *word)
{
    static const char *const options[] = {"@", "-include", "-imacros", "--pre-include"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (gr_starts_with(word, options[i]))
            return !gr_starts_with(word, "-include-path");
    return false;
}

bool gr_reads_outside(const struct gr_outside *about)
{
    static const char directive[] = "include";
    for (int i = 0; i < about->word_count; i++)
        if (reads_in(about->words[i]))
            return true;
    for (const char *at = strchr(about->text, '#'); at; at = strchr(at, '#')) {
        at++;
        at += strspn(at, " \t");
        if (gr_starts_with(at, directive) && is_outside(about, at + strlen(directive)))
            return true;
    }
    return false;
}
