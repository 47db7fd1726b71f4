/* shell_fish.c: the completion script for fish. SPDX-License-Identifier: MIT */
#include "cli/metavar.h"
#include "cli/shells.h"

#include <string.h>

/* Appends the beginning of a line that applies only after this verb. */
static void add_condition(struct gr_str *out, const struct gr_verb *verb)
{
    gr_str_printf(out, "complete -c gradus -n '__fish_seen_subcommand_from %s'", verb->name);
}

static void add_value(struct gr_str *out, const char *metavar)
{
    switch (gr_value_kind(metavar)) {
    case GR_VALUE_WORDS:
        gr_str_add(out, " -a '");
        gr_shell_words(out, metavar, "");
        gr_str_add(out, "'");
        break;
    case GR_VALUE_FILE:
        gr_str_add(out, " -F");
        break;
    case GR_VALUE_DIR:
        gr_str_add(out, " -a '(__fish_complete_directories)'");
        break;
    case GR_VALUE_RUNG:
        gr_str_add(out, strchr(metavar, ',') ? " -a '(__fish_complete_list , \"" GR_RUNGS_COMMAND
                                               "\")'"
                                             : " -a '(" GR_RUNGS_COMMAND ")'");
        break;
    case GR_VALUE_KERNEL:
        gr_str_add(out, " -F -a '(" GR_GPU_RUNGS_COMMAND ")'");
        break;
    case GR_VALUE_PROGRAM:
        gr_str_add(out, " -F -a '(__fish_complete_command)'");
        break;
    case GR_VALUE_OTHER:
        break;
    }
}

static void add_text(struct gr_str *out, const char *text)
{
    gr_str_add(out, " -d '");
    for (const char *p = text; *p; p++) { /* in fish, only \' and \\ are escapes inside '…' */
        if (*p == '\'' || *p == '\\')
            gr_str_add(out, "\\");
        gr_str_add_bytes(out, p, 1);
    }
    gr_str_add(out, "'\n");
}

static bool takes_files(const char *metavar)
{
    enum gr_value_kind kind = gr_value_kind(metavar);
    return kind == GR_VALUE_FILE || kind == GR_VALUE_KERNEL || kind == GR_VALUE_PROGRAM;
}

static void add_option(struct gr_str *out, const struct gr_verb *verb,
                       const struct gr_option *option)
{
    add_condition(out, verb);
    gr_str_printf(out, " -l %s", option->name);
    if (option->letter)
        gr_str_printf(out, " -s %c", option->letter);
    if (gr_metavar(option)) {
        gr_str_add(out, takes_files(gr_metavar(option)) ? " -r" : " -x");
        add_value(out, gr_metavar(option));
    }
    add_text(out, option->help);
}

static void add_verb(struct gr_str *out, const struct gr_verb *verb)
{
    gr_str_printf(out, "complete -c gradus -n __fish_use_subcommand -a %s", verb->name);
    add_text(out, verb->summary);
    for (int i = 0; verb->options && verb->options[i].name; i++)
        add_option(out, verb, &verb->options[i]);
    char operand[64];
    gr_shell_operand(verb, operand, sizeof operand);
    if (operand[0] && gr_value_kind(operand) != GR_VALUE_OTHER) {
        add_condition(out, verb);
        add_value(out, operand);
        gr_str_add(out, "\n");
    }
}

void gr_shell_fish(struct gr_str *out)
{
    gr_str_add(out, "# fish completion for gradus; made by `gradus completion fish`.\n"
                    "complete -c gradus -f\n"
                    "complete -c gradus -s h -l help -d 'say what the verb does'\n"
                    "complete -c gradus -n __fish_use_subcommand -l version -d 'say which Gradus "
                    "this is'\n");
    for (int i = 0; gr_verb_all[i]; i++)
        if (!gr_verb_all[i]->hidden)
            add_verb(out, gr_verb_all[i]);
}
