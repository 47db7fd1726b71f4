/* shell_zsh.c: the completion script for zsh. SPDX-License-Identifier: MIT */
#include "cli/metavar.h"
#include "cli/shells.h"

static const char tail[] = "    esac\n"
                           "}\n"
                           "_gradus_rungs() {\n"
                           "    local -a rungs\n"
                           "    rungs=(${(f)\"$(" GR_RUNGS_COMMAND ")\"})\n"
                           "    compset -P '*,'\n"
                           "    compadd -a rungs\n"
                           "}\n"
                           "_gradus_kernels() {\n"
                           "    local -a rungs\n"
                           "    rungs=(${(f)\"$(" GR_GPU_RUNGS_COMMAND ")\"})\n"
                           "    compadd -a rungs\n"
                           "    _files\n"
                           "}\n"
                           "if [[ $funcstack[1] == _gradus ]]; then\n"
                           "    _gradus \"$@\"\n"
                           "else\n"
                           "    compdef _gradus gradus\n"
                           "fi\n";

/* Appends a message and an action of _arguments, such as ":FORMAT:(table json md)". */
static void add_value(struct gr_str *out, const char *metavar)
{
    enum gr_value_kind kind = gr_value_kind(metavar);
    gr_str_add(out, ":");
    gr_shell_inside_quotes(out, kind == GR_VALUE_WORDS ? "one of" : metavar, ":\\");
    gr_str_add(out, ":");
    switch (kind) {
    case GR_VALUE_WORDS:
        gr_str_add(out, "(");
        gr_shell_words(out, metavar, "\\");
        gr_str_add(out, ")");
        break;
    case GR_VALUE_FILE:
        gr_str_add(out, "_files");
        break;
    case GR_VALUE_DIR:
        gr_str_add(out, "_files -/");
        break;
    case GR_VALUE_RUNG:
        gr_str_add(out, "_gradus_rungs");
        break;
    case GR_VALUE_KERNEL:
        gr_str_add(out, "_gradus_kernels");
        break;
    case GR_VALUE_PROGRAM:
        gr_str_add(out, "{ _command_names -e; _files }");
        break;
    case GR_VALUE_OTHER:
        break;
    }
}

/* Appends a specification of _arguments, for the long name or the letter: '*--size=[help]:N:'. */
static void add_option(struct gr_str *out, const struct gr_option *option, bool letter)
{
    gr_str_printf(out, " \\\n            '%s", option->repeatable ? "*" : "");
    if (letter)
        gr_str_printf(out, "-%c%s[", option->letter, gr_metavar(option) ? "+" : "");
    else
        gr_str_printf(out, "--%s%s[", option->name, gr_metavar(option) ? "=" : "");
    gr_shell_inside_quotes(out, option->help, "[]\\");
    gr_str_add(out, "]");
    if (gr_metavar(option))
        add_value(out, gr_metavar(option));
    gr_str_add(out, "'");
}

static void add_verb(struct gr_str *out, const struct gr_verb *verb)
{
    gr_str_printf(out, "    %s)\n        _arguments -s", verb->name);
    for (int i = 0; verb->options && verb->options[i].name; i++) {
        add_option(out, &verb->options[i], false);
        if (verb->options[i].letter)
            add_option(out, &verb->options[i], true);
    }
    gr_str_add(out, " \\\n            '--help[say what the verb does]'");
    char operand[64];
    gr_shell_operand(verb, operand, sizeof operand);
    if (operand[0]) {
        gr_str_add(out, " \\\n            '*");
        add_value(out, operand);
        gr_str_add(out, "'");
    }
    gr_str_add(out, "\n        ;;\n");
}

void gr_shell_zsh(struct gr_str *out)
{
    gr_str_add(out, "#compdef gradus\n"
                    "# zsh completion for gradus; made by `gradus completion zsh`.\n"
                    "_gradus() {\n"
                    "    local -a verbs\n"
                    "    verbs=(\n");
    for (int i = 0; gr_verb_all[i]; i++) {
        if (gr_verb_all[i]->hidden)
            continue;
        gr_str_printf(out, "        '%s:", gr_verb_all[i]->name);
        gr_shell_inside_quotes(out, gr_verb_all[i]->summary, "\\");
        gr_str_add(out, "'\n");
    }
    gr_str_add(out, "    )\n"
                    "    if (( CURRENT == 2 )); then\n"
                    "        _describe verb verbs\n"
                    "        return\n"
                    "    fi\n"
                    "    local verb=$words[2]\n"
                    "    shift words\n"
                    "    (( CURRENT-- ))\n"
                    "    case $verb in\n");
    for (int i = 0; gr_verb_all[i]; i++)
        if (!gr_verb_all[i]->hidden)
            add_verb(out, gr_verb_all[i]);
    gr_str_add(out, tail);
}
