/* help.c: the output of `gradus help` and `gradus VERB --help`. SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include "cli/metavar.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

enum { WIDEST = 80, NARROWEST = 40, LEFT = 24 };

const struct gr_option gr_help_option = {"help", 'h', NULL, false,
                                         "print this and do nothing else"};

static const char *const group_titles[GR_GROUP_COUNT] = {
    [GR_GROUP_MEASURE] = "Verify and measure",
    [GR_GROUP_KERNELS] = "Read and write kernels",
    [GR_GROUP_MATRICES] = "Multiply matrices of your own",
    [GR_GROUP_OTHER] = "Gradus itself",
};

static const char *const exit_statuses[] = {
    [GR_EXIT_RIGHT] = "every verdict is right",
    [GR_EXIT_WRONG] = "a verdict is wrong: a wrong result, a crash, a time-out, a compile error",
    [GR_EXIT_USAGE] = "bad usage or input",
    [GR_EXIT_NOTHING] = "nothing of what was requested can run here",
};

static const struct {
    const char *command, *meaning;
} examples[] = {
    {"gradus ladder", "climb the built-in kernels, compared with the vendor's library"},
    {"gradus show 3 --diff", "see what the third rung changes"},
    {"gradus run my_gemm.c", "verify and time a kernel of your own"},
};

const char *gr_help_exit_status(int status)
{
    return status <= GR_EXIT_NOTHING ? exit_statuses[status] : NULL;
}

const char *gr_help_example(int i, const char **meaning)
{
    if (i >= (int)(sizeof examples / sizeof *examples))
        return NULL;
    *meaning = examples[i].meaning;
    return examples[i].command;
}

const struct gr_verb *gr_help_verb_at(enum gr_verb_group group, int i)
{
    for (int j = 0; gr_verb_all[j]; j++)
        if (!gr_verb_all[j]->hidden && gr_verb_all[j]->group == group && i-- == 0)
            return gr_verb_all[j];
    return NULL;
}

static int text_width(int columns)
{
    if (columns <= 0 || columns > WIDEST)
        return WIDEST;
    return columns < NARROWEST ? NARROWEST : columns;
}

/* Appends a left and a right part, with the right part wrapped. If the left part is long, the right
 * part begins in a new line. */
static void add_entry(struct gr_str *out, const char *left, int left_columns, const char *right,
                      int columns)
{
    gr_str_add(out, "  ");
    gr_text_pad(out, left, left_columns);
    int indent = left_columns + 4;
    if (gr_text_columns(left, strlen(left)) > left_columns) {
        gr_str_add(out, "\n");
        for (int i = 0; i < indent; i++)
            gr_str_add(out, " ");
    } else {
        gr_str_add(out, "  ");
    }
    gr_text_wrap(out, right, strlen(right), indent, columns);
}

void gr_help_about(struct gr_str *out, int columns)
{
    gr_text_paragraphs(
        out,
        "Gradus climbs a ladder of matrix-multiplication (GEMM) kernels, from naive to the fastest "
        "it has. Each kernel is verified first, then timed against the vendor's library in the "
        "same run. Your own kernels are verified and timed in the same way.\n",
        columns);
}

void gr_help_overview(struct gr_str *out, int columns)
{
    columns = text_width(columns);
    gr_help_about(out, columns);
    gr_str_add(out, "\nUsage: gradus VERB [OPTIONS] [OPERANDS]\n\nTry:\n");
    const char *meaning;
    for (int i = 0; gr_help_example(i, &meaning); i++)
        add_entry(out, gr_help_example(i, &meaning), LEFT - 2, meaning, columns);
    for (int group = 0; group < GR_GROUP_COUNT; group++) {
        if (!gr_help_verb_at((enum gr_verb_group)group, 0))
            continue;
        gr_str_printf(out, "\n%s:\n", group_titles[group]);
        const struct gr_verb *verb;
        for (int i = 0; (verb = gr_help_verb_at((enum gr_verb_group)group, i)); i++)
            add_entry(out, verb->name, 12, verb->summary, columns);
    }
    gr_str_add(out, "\n`gradus VERB --help` says more about a verb.\n");
}

void gr_help_option_name(struct gr_str *out, const struct gr_option *option)
{
    if (option->letter)
        gr_str_printf(out, "-%c, ", option->letter);
    gr_str_printf(out, "--%s", option->name);
    if (gr_metavar(option))
        gr_str_printf(out, " %s", gr_metavar(option));
}

static void add_option(struct gr_str *out, const struct gr_option *option, int columns)
{
    struct gr_str left = {0}, right = {0};
    gr_help_option_name(&left, option);
    gr_str_printf(&right, "%s%s", option->help, option->repeatable ? " (repeatable)" : "");
    add_entry(out, gr_str_text(&left), LEFT, gr_str_text(&right), columns);
    gr_str_free(&left);
    gr_str_free(&right);
}

/* If the verb runs a program, the exit status is that of the program. If it verifies nothing, there
 * are no verdicts. */
static void add_statuses(struct gr_str *out, const struct gr_verb *verb, int columns)
{
    gr_str_add(out, "\nExit status:\n");
    if (verb->passes_on)
        gr_str_add(out, "  the program's; before it has started:\n");
    for (int status = verb->passes_on ? GR_EXIT_USAGE : 0; status <= GR_EXIT_NOTHING; status++) {
        char digit[2] = {(char)('0' + status), 0};
        if (!verb->judges_nothing)
            add_entry(out, digit, 1, exit_statuses[status], columns);
        else if (status != GR_EXIT_WRONG)
            add_entry(out, digit, 1, status ? exit_statuses[status] : "done", columns);
    }
}

void gr_help_verb(struct gr_str *out, const struct gr_verb *verb, int columns)
{
    columns = text_width(columns);
    bool operands = verb->operands && verb->operands[0];
    struct gr_str title = {0};
    gr_str_printf(&title, "gradus %s: %s", verb->name, verb->summary);
    gr_text_paragraphs(out, gr_str_text(&title), columns);
    gr_str_free(&title);
    gr_str_printf(out, "\nUsage: gradus %s [OPTIONS]%s%s\n", verb->name, operands ? " " : "",
                  operands ? verb->operands : "");
    if (verb->details) {
        gr_str_add(out, "\n");
        gr_text_paragraphs(out, verb->details, columns);
    }
    gr_str_add(out, "\nOptions:\n");
    for (int i = 0; verb->options && verb->options[i].name; i++)
        add_option(out, &verb->options[i], columns);
    add_option(out, &gr_help_option, columns);
    add_statuses(out, verb, columns);
}
