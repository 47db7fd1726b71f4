/* verb_init.c: gradus init: writes front matter for a kernel file that has none.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"
#include "base/file.h"
#include "source/python.h"
#include "catalog/alternatives.h"
#include "catalog/catalog.h"
#include "launches/infer.h"
#include "measure/find_launch.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuses a file that already has front matter, because what an author wrote is better than what
 * can be inferred. */
static enum gradus_status refuse_front_matter(const char *path, const char *text,
                                              struct gradus_error *error)
{
    int line = 1;
    for (const char *p = text; p && *p; line++) {
        if (gr_starts_with(p + strspn(p, " \t"), "//@"))
            return gr_fail(
                error, GRADUS_INVALID,
                "%s:%d: has front matter already; edit it, or remove its //@ lines first", path,
                line);
        p = strchr(p, '\n');
        p = p ? p + 1 : NULL;
    }
    return GRADUS_OK;
}

/* The value of the line with this keyword, malloc'ed; null: there is none. */
static char *value_of(const char *lines, const char *keyword)
{
    char *start = gr_printf("//@ %s ", keyword);
    char *value = NULL;
    for (const char *p = lines; start && *p && !value; p += strcspn(p, "\n"), p += *p == '\n')
        if (gr_starts_with(p, start)) {
            const char *from = p + strlen(start);
            from += strspn(from, " ");
            value = gr_strndup(from, strcspn(from, "\n"));
        }
    free(start);
    return value;
}

/* Is nothing left to its author, and a GPU kernel's grid known? */
static bool is_complete(const char *path, const char *lines, const char *text)
{
    struct gradus_error ignored = {0};
    struct gr_kernel *kernel = NULL;
    char *whole = gr_printf("%s%s", lines, text), *grid = value_of(lines, "grid"),
         *block = value_of(lines, "block");
    bool complete = whole && (gr_is_c_path(path) || (grid && block)) &&
                    gr_kernel_parse(path, whole, NULL, &kernel, &ignored) == GRADUS_OK;
    gr_kernel_free(kernel);
    gradus_error_clear(&ignored);
    free(whole);
    free(grid);
    free(block);
    return complete;
}

/* Is the kernel given none of M, N and K, while no constants of its file say them? Its sizes, or
 * the macros that are missing, are found by trial. */
static bool lacks_sizes(const char *path, const char *lines, const char *text)
{
    struct gradus_error ignored = {0};
    struct gr_kernel *kernel = NULL;
    char *whole = gr_printf("%s%s", lines, text);
    bool lacks = whole && gr_kernel_parse(path, whole, NULL, &kernel, &ignored) == GRADUS_OK &&
                 kernel->language == GR_LANGUAGE_CUDA && !kernel->has_fixed_sizes &&
                 kernel->held_count == 0 && kernel->stanza_count == 1;
    for (int i = 0; lacks && i < kernel->stanzas[0].signature.count; i++) {
        const enum gr_role role = kernel->stanzas[0].signature.parameters[i].role;
        lacks = role != GR_ROLE_M && role != GR_ROLE_N && role != GR_ROLE_K;
    }
    gr_kernel_free(kernel);
    gradus_error_clear(&ignored);
    free(whole);
    return lacks;
}

/* Writes `grid cdiv(N,16), …` as a line of front matter. */
static void write_lines(const char *extra, struct gr_str *out)
{
    for (const char *p = extra; *p; p += *p == '\n') {
        const size_t length = strcspn(p, "\n"), word = strcspn(p, " \n");
        if (word < length)
            gr_str_printf(out, "//@ %-8.*s %.*s\n", (int)word, p, (int)(length - word - 1),
                          p + word + 1);
        p += length;
    }
}

/* Are the matrices, the sizes and the storage order of the two the same? */
static bool means_the_same(const struct gr_kernel *a, const struct gr_kernel *b)
{
    const struct gr_signature *s = &a->stanzas[0].signature, *t = &b->stanzas[0].signature;
    bool same = s->count == t->count && a->mirrored == b->mirrored && a->zero_c == b->zero_c &&
                a->col_major_a == b->col_major_a && a->col_major_b == b->col_major_b &&
                a->col_major_c == b->col_major_c;
    for (int i = 0; i < 4; i++)
        same &= !b->trans_declared || a->trans[i] == b->trans[i];
    for (int i = 0; same && i < s->count; i++)
        same = s->parameters[i].role == t->parameters[i].role;
    return same;
}

/* Do the lines that were written say of the file's kernel what was found by trial? A launch that
 * is not the file's own was found because its own was wrong. */
static bool says_the_same(const char *path, const char *text, const char *lines,
                          const struct gr_kernel *found)
{
    struct gradus_error ignored = {0};
    struct gr_kernel *written = NULL;
    char *whole = gr_printf("%s%s", lines, text);
    const bool same = whole && gr_starts_with(found->launch_origin, "launch taken from ") &&
                      gr_kernel_parse(path, whole, NULL, &written, &ignored) == GRADUS_OK &&
                      means_the_same(written, found);
    gr_kernel_free(written);
    gradus_error_clear(&ignored);
    free(whole);
    return same;
}

/* How much is left to a trial. */
enum trial {
    TRY_WHAT_IS_MISSING, /* something is not known */
    TRY_SIZES,           /* a size that only the build defines may be one for the simulator */
    TRY_WHAT_IS_WRITTEN, /* all is written, by names that may mean something else */
};

/* The device on which trials run: the processor for C, and the simulator for CUDA. */
static const char *trial_device(const char *path)
{
    return gr_is_c_path(path) ? "cpu" : "sim";
}

/* Appends those of the lines to `fresh` that are not there yet. The arguments are those that the
 * names say. */
static void add_new_lines(const char *found, const struct gr_str *lines, struct gr_str *fresh)
{
    for (const char *p = found; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        struct gr_str line = {0};
        char *one = gr_strndup(p, strcspn(p, "\n"));
        write_lines(one ? one : "", &line);
        if (!gr_starts_with(p, "args ") && line.length &&
            !strstr(gr_str_text(lines), gr_str_text(&line)))
            gr_str_add(fresh, gr_str_text(&line));
        gr_str_free(&line);
        free(one);
    }
}

/* A kernel in C whose parameters have the usual names may still have its matrices by columns, or
 * add to C. If small products are right in such a way only, lines say so. */
static void find_call_by_trial(const char *path, const char *text, struct gr_str *lines)
{
    struct gr_options options = gr_options_default();
    struct gradus_error ignored = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_str fresh = {0};
    char *whole = gr_printf("%s%s", gr_str_text(lines), text), *advice = NULL, *found = NULL;
    if (whole && gr_kernel_parse(path, whole, NULL, &kernel, &ignored) == GRADUS_OK &&
        gr_device_ref_parse(trial_device(path), &options.device, &ignored) == GRADUS_OK)
        advice = gr_call_advise(kernel, &options, kernel->types[0], &found);
    if (advice && found)
        add_new_lines(found, lines, &fresh);
    if (fresh.length)
        gr_str_printf(lines, "// right at small sizes with %s\n%s", advice, gr_str_text(&fresh));
    gr_str_free(&fresh);
    gr_kernel_free(kernel);
    gradus_error_clear(&ignored);
    free(advice);
    free(found);
    free(whole);
}

/* What the code does not show by itself is found as `gradus run` finds it, by small products on the
 * simulator, or for C on the processor. If these are right, *lines are written anew, unless they
 * say the same. */
static void find_by_trial(const char *path, const char *text, enum trial trial,
                          struct gr_str *lines)
{
    struct gr_options options = gr_options_default();
    struct gradus_error ignored = {0};
    struct gr_kernel *kernel = NULL;
    struct gr_str found = {0};
    char *title = value_of(lines->text, "title"), *name = value_of(lines->text, "kernel"),
         *type = value_of(lines->text, "type");
    char *extra = name ? gr_printf("kernel %s\n", name) : gr_strdup("");
    const struct gr_launch_search search = {.path = path,
                                            .extra = extra ? extra : "",
                                            .options = &options,
                                            .types = gr_types_of(GR_F32),
                                            .brief = trial == TRY_WHAT_IS_WRITTEN,
                                            .may_reduce = trial == TRY_SIZES};
    if (gr_device_ref_parse(trial_device(path), &options.device, &ignored) == GRADUS_OK &&
        gr_launch_find(&search, &kernel, &ignored) == GRADUS_OK && kernel->launch_origin &&
        !kernel->launch_guessed && strstr(kernel->launch_origin, "(right at ") && kernel->extra &&
        strcmp(kernel->path, path) == 0 &&
        !(trial == TRY_WHAT_IS_WRITTEN && says_the_same(path, text, lines->text, kernel))) {
        static const char none[] = "no launch was found"; /* in the project */
        const bool unlaunched = gr_starts_with(kernel->launch_origin, none);
        gr_str_printf(&found, "//@ title    %s\n%s%s%s// %s%s\n", title ? title : kernel->name,
                      type ? "//@ type     " : "", type ? type : "", type ? "\n" : "",
                      unlaunched ? "the project does not launch it; found by trial" : "",
                      kernel->launch_origin + (unlaunched ? strlen(none) : 0));
        write_lines(kernel->extra, &found);
        if (is_complete(path, gr_str_text(&found), text)) {
            gr_str_free(lines);
            *lines = found;
            found = (struct gr_str){0};
        }
    }
    gr_str_free(&found);
    gr_kernel_free(kernel);
    gradus_error_clear(&ignored);
    free(extra);
    free(name);
    free(title);
    free(type);
}

/* Writes the file with the inferred lines before its first line. */
static enum gradus_status infer(const char *path, const char *text, const char *kernel,
                                struct gr_str *out, struct gradus_error *error)
{
    enum gradus_status status = refuse_front_matter(path, text, error);
    if (status == GRADUS_OK)
        status = gr_kernel_infer_named(path, text, kernel, out, error);
    if (status == GRADUS_OK && !out->failed) {
        const char *lines = gr_str_text(out);
        if (lacks_sizes(path, lines, text))
            find_by_trial(path, text, TRY_SIZES, out);
        else if (!is_complete(path, lines, text) || strstr(lines, GR_INFERRED_ELSEWHERE))
            find_by_trial(path, text, TRY_WHAT_IS_MISSING, out);
        else if (gr_is_c_path(path))
            find_call_by_trial(path, text, out);
        else
            find_by_trial(path, text, TRY_WHAT_IS_WRITTEN, out);
    }
    gr_str_add(out, text);
    return status == GRADUS_OK && out->failed ? gr_fail_memory(error, path, out->length) : status;
}

/* Reads the result again, and reports what could not be inferred and must be added by the
 * author. */
static void say_what_is_missing(const char *path, const char *text)
{
    struct gradus_error error = {0};
    struct gr_kernel *kernel;
    if (gr_kernel_parse(path, text, NULL, &kernel, &error) == GRADUS_OK)
        gr_kernel_free(kernel);
    else
        gr_cli_note("written, but something is missing: %s", error.text);
    gradus_error_clear(&error);
}

/* The lines describe one kernel. If the file has others that may be a GEMM, a note says what is no
 * longer measured. */
static void say_what_is_left(const char *path, const char *text)
{
    struct gr_alternatives list = {0};
    struct gradus_error ignored = {0};
    struct gr_kernel *written = NULL;
    const char *name = NULL;
    if (gr_kernel_parse(path, text, NULL, &written, &ignored) == GRADUS_OK)
        name = written->stanzas[0].signature.name;
    gradus_error_clear(&ignored);
    if (name && gr_alternatives_read(path, "", &list, &ignored) == GRADUS_OK && list.count > 1)
        gr_cli_note(
            "the lines are for %s, one of %d kernels that may be GEMMs; gradus run measures "
            "each of them in a file without lines, and --kernel NAME chooses another one",
            name, list.count);
    gradus_error_clear(&ignored);
    gr_alternatives_free(&list);
    gr_kernel_free(written);
}

static enum gradus_status write_out(const char *path, const char *target, const struct gr_str *text,
                                    struct gradus_error *error)
{
    if (target && strcmp(target, "-") == 0) {
        fwrite(gr_str_text(text), 1, text->length, stdout);
        return GRADUS_OK;
    }
    return gr_file_write(target ? target : path, gr_str_text(text), text->length, error);
}

static enum gr_exit run(const struct gr_args *args)
{
    const char *path = args->operands[0];
    struct gradus_error error = {0};
    struct gr_str out = {0};
    char *text = NULL;
    size_t length = 0;
    enum gradus_status status = gr_path_kind_check(path, &error);
    if (status == GRADUS_OK && gr_is_python_path(path))
        status =
            gr_fail(&error, GRADUS_INVALID,
                    "%s: found a Python file, wanted C or CUDA text; `gradus run %s` names the "
                    "options that the lines would replace, and reads //@ lines in the string "
                    "with the kernel",
                    path, path);
    if (status == GRADUS_OK)
        status = gr_file_read(path, &text, &length, &error);
    if (status == GRADUS_OK && strlen(text) != length)
        status =
            gr_fail(&error, GRADUS_INVALID, "%s: found a zero byte, wanted C or CUDA text", path);
    if (status == GRADUS_OK)
        status = infer(path, text, gr_args_get(args, "kernel"), &out, &error);
    if (status == GRADUS_OK && !gr_args_get(args, "kernel"))
        say_what_is_left(path, gr_str_text(&out));
    if (status == GRADUS_OK)
        status = write_out(path, gr_args_get(args, "output"), &out, &error);
    enum gr_exit exit_status = status == GRADUS_OK ? GR_EXIT_RIGHT : gr_cli_fail(&error);
    if (status == GRADUS_OK)
        say_what_is_missing(path, gr_str_text(&out));
    free(text);
    gr_str_free(&out);
    gradus_error_clear(&error);
    return exit_status;
}

static const struct gr_option options[] = {
    {"kernel", 0, "NAME", false, "which function, where the file has several"},
    {"output", 'o', "FILE", false, "write there and leave the file as it is; - is standard output"},
    {0},
};

const struct gr_verb gr_verb_init = {
    .name = "init",
    .operands = "FILE",
    .summary = "write the front matter that a kernel file's code implies",
    .details =
        "The //@ lines come before the first line of FILE: its types, and for CUDA the grid and "
        "the block where the code shows them, and the arguments of a template. What it does not "
        "show is found by small products on the simulator, for C on the processor, as `gradus run` "
        "does it, and what is not "
        "found is reported. Read the lines, correct them, and add a title and an idea. The file "
        "is replaced as a whole or not at all, "
        "and one that has front matter is refused.\n\n"
        "  gradus init my_gemm.c\n"
        "  gradus init my_gemm.cu -o -",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};
