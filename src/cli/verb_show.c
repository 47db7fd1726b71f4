/* verb_show.c: gradus show: one rung: what it claims and its source, or what it changes.
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cli/choose.h"
#include "cli/diff.h"
#include "cli/style.h"
#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL = 10, USUAL_COLUMNS = 80, WIDEST_COLUMNS = 100, CONTEXT = 3 };

/* "label     text", wrapped below itself; nothing for an empty text. Takes the text. */
static void add_fact(struct gr_str *out, int columns, const char *label, struct gr_str *text)
{
    if (text->length) {
        gr_text_pad(out, label, LABEL);
        gr_text_wrap(out, text->text, text->length, LABEL, columns);
    }
    gr_str_free(text);
}

static void add_plain_fact(struct gr_str *out, int columns, const char *label, const char *text)
{
    struct gr_str copy = {0};
    gr_str_add(&copy, text ? text : "");
    add_fact(out, columns, label, &copy);
}

static void add_list_fact(struct gr_str *out, int columns, const char *label,
                          const struct gr_texts *texts)
{
    struct gr_str joined = {0};
    for (int i = 0; i < texts->count; i++)
        gr_str_printf(&joined, "%s%s", i ? ", " : "", texts->items[i].text);
    add_fact(out, columns, label, &joined);
}

static void add_params(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->param_count; i++) {
        const struct gr_param *param = &kernel->params[i];
        gr_str_printf(&text, "%s%s = %" PRId64, i ? ", " : "", param->name.text, param->value);
        for (int j = 0; j < param->allowed_count && param->allowed_count > 1; j++)
            gr_str_printf(&text, "%s%" PRId64, j ? "," : " {", param->allowed[j]);
        gr_str_add(&text, param->allowed_count > 1 ? "}" : "");
    }
    add_fact(out, columns, "params", &text);
}

static void add_let_lines(struct gr_str *out, int columns, const char *label,
                          const struct gr_let *lets, int count)
{
    struct gr_str text = {0};
    for (int i = 0; i < count; i++)
        gr_str_printf(&text, "%s%s = %s", i ? ", " : "", lets[i].name.text, lets[i].value.text);
    add_fact(out, columns, label, &text);
}

static void add_requires(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    for (int i = 0; i < kernel->require_count; i++) {
        const struct gr_require *require = &kernel->requires[i];
        struct gr_str text = {0};
        gr_str_add(&text, require->expression.text);
        if (require->why)
            gr_str_printf(&text, ": %s", require->why);
        add_fact(out, columns, "requires", &text);
    }
    if (kernel->implied_alpha1_beta0)
        add_plain_fact(out, columns, "requires",
                       "alpha==1 && beta==0: implied, it has no such arguments");
}

static void add_works(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->work_count; i++) {
        const struct gr_work *work = &kernel->works[i];
        gr_str_printf(&text, "%s%s = %s[%s]%s", i ? ", " : "", work->name.text,
                      work->element_is_t ? "T" : gr_dtype_name(work->type), work->count.text,
                      work->zero ? " zero" : "");
    }
    add_fact(out, columns, "work", &text);
}

static void add_stanza(struct gr_str *out, int columns, const struct gr_stanza *stanza)
{
    struct gr_str text = {0};
    if (stanza->kernel.text)
        gr_str_printf(&text, "%s%s", stanza->kernel.text,
                      stanza->once ? " (once, when it is planned)" : "");
    add_fact(out, columns, "kernel", &text);
    add_list_fact(out, columns, "grid", &stanza->grid);
    add_list_fact(out, columns, "block", &stanza->block);
    add_list_fact(out, columns, "cluster", &stanza->cluster);
    add_plain_fact(out, columns, "smem", stanza->smem.text);
}

static void add_expects(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str text = {0};
    for (int i = 0; i < kernel->expect_count; i++) {
        const struct gr_expect *expect = &kernel->expects[i];
        gr_str_printf(&text, "%s%s", i ? ", " : "", expect->expression.text);
        if (expect->arch)
            gr_str_printf(&text, " @%s", expect->arch);
    }
    add_fact(out, columns, "expects", &text);
}

static void add_trans(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    struct gr_str text = {0};
    for (int i = 0; i < 4; i++)
        if (kernel->trans[i])
            gr_str_printf(&text, "%s%s", text.length ? ", " : "", names[i]);
    add_fact(out, columns, "trans", &text);
}

static void add_facts(struct gr_str *out, int columns, const struct gr_kernel *kernel)
{
    struct gr_str types = {0};
    for (int i = 0; i < kernel->ideas.count; i++)
        add_plain_fact(out, columns, "idea", kernel->ideas.items[i].text);
    add_plain_fact(out, columns, "after", kernel->after);
    gr_choose_types(kernel, &types);
    add_fact(out, columns, "types", &types);
    add_plain_fact(out, columns, "math", kernel->math);
    add_trans(out, columns, kernel);
    add_plain_fact(out, columns, "arch", kernel->arch);
    add_list_fact(out, columns, "isa", &kernel->isa);
    add_list_fact(out, columns, "flags", &kernel->flags);
    add_params(out, columns, kernel);
    add_let_lines(out, columns, "let", kernel->lets, kernel->let_count);
    add_requires(out, columns, kernel);
    add_let_lines(out, columns, "arg", kernel->args, kernel->arg_count);
    add_works(out, columns, kernel);
    for (int i = 0; i < kernel->stanza_count; i++)
        add_stanza(out, columns, &kernel->stanzas[i]);
    add_expects(out, columns, kernel);
    add_plain_fact(out, columns, "source", kernel->origin);
    add_plain_fact(out, columns, "file", kernel->path);
}

/* The file without its front matter, which the facts have said. Its comments hold the picture. */
static void add_source(struct gr_str *out, const char *source)
{
    while (*source) {
        const char *end = gr_text_line_end(source);
        end += *end == '\n';
        if (!gr_starts_with(source, "//@"))
            gr_str_add_bytes(out, source, (size_t)(end - source));
        source = end;
    }
}

static void show(const struct gr_kernel *kernel, struct gr_str *out)
{
    struct gr_style style = gr_cli_style(STDOUT_FILENO);
    int columns = style.columns ? style.columns : USUAL_COLUMNS;
    columns = columns < WIDEST_COLUMNS ? columns : WIDEST_COLUMNS;
    gr_str_printf(out, "%s%s%s%s%s\n", style.colour ? "\033[1m" : "", kernel->name,
                  kernel->title ? ": " : "", kernel->title ? kernel->title : "",
                  style.colour ? "\033[m" : "");
    add_facts(out, columns, kernel);
    gr_str_add(out, "\n");
    add_source(out, kernel->source);
}

/* The first rung has none before it: all of it is new. */
static enum gradus_status show_diff(const struct gr_catalog *catalog,
                                    const struct gr_kernel *kernel, struct gr_str *out,
                                    struct gradus_error *error)
{
    const struct gr_kernel *before = NULL;
    bool colour = gr_cli_style(STDOUT_FILENO).colour;
    if (kernel->after) {
        enum gradus_status status = gr_catalog_find(catalog, kernel->after, &before, error);
        if (status != GRADUS_OK)
            return status;
    }
    return gr_diff_unified(before ? before->path : "/dev/null", before ? before->source : "",
                           kernel->path, kernel->source, CONTEXT, colour, out, error);
}

static enum gradus_status show_as_asked(const struct gr_args *args,
                                        const struct gr_catalog *catalog, struct gr_str *out,
                                        struct gradus_error *error)
{
    const struct gr_kernel *kernel;
    enum gradus_status status = gr_catalog_find(catalog, args->operands[0], &kernel, error);
    if (status != GRADUS_OK)
        return status;
    if (gr_args_get(args, "diff"))
        return show_diff(catalog, kernel, out, error);
    if (gr_args_get(args, "source"))
        gr_str_add(out, kernel->source);
    else
        show(kernel, out);
    return GRADUS_OK;
}

static enum gr_exit run(const struct gr_args *args)
{
    if (gr_args_get(args, "diff") && gr_args_get(args, "source"))
        return gr_cli_refuse("show: found --diff and --source, wanted one of them");
    struct gr_catalog catalog = {0};
    struct gr_str out = {0};
    struct gradus_error error = {0};
    enum gr_exit exit_status = GR_EXIT_RIGHT;
    if (gr_choose_catalog(args, &catalog, &error) != GRADUS_OK ||
        show_as_asked(args, &catalog, &out, &error) != GRADUS_OK)
        exit_status = gr_cli_fail(&error);
    else
        fputs(gr_str_text(&out), stdout);
    gradus_error_clear(&error);
    gr_str_free(&out);
    gr_catalog_free(&catalog);
    return exit_status;
}

static const struct gr_option options[] = {
    {"diff", 'd', NULL, false, "what it changes in the rung it comes after"},
    {"source", 's', NULL, false, "the file as it is, to start one of your own"},
    GR_OPTION_DEVICE,
    GR_OPTION_KERNEL_DIR,
    {0},
};

const struct gr_verb gr_verb_show = {
    .name = "show",
    .operands = "RUNG",
    .summary = "show a rung: its idea, its facts, its source; or what it changes",
    .details = "A rung is named as `gradus list` does (03_cache_tile), by its number (3) or by the "
               "name after the number (cache_tile).\n\n"
               "  gradus show 3\n"
               "  gradus show 3 --diff\n"
               "  gradus show 3 --source >mine.c",
    .options = options,
    .group = GR_GROUP_KERNELS,
    .run = run,
};
