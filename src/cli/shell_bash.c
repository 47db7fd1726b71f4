/* shell_bash.c: the completion script for bash. SPDX-License-Identifier: MIT */
#include "cli/metavar.h"
#include "cli/shells.h"

static const char head[] =
    "# bash completion for gradus; made by `gradus completion bash`.\n"
    "_gradus() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local verb=${COMP_WORDS[1]} options= operand=\n"
    "    COMPREPLY=()\n"
    "    # Bash parts --name=value into three words.\n"
    "    if [[ $word == = ]]; then\n"
    "        word=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n";

/* The list of GPUs is inserted between these two strings. */
static const char colon[] =
    "    # And sim:t4.\n"
    "    if [[ $before == sim && $word == : ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$gpus\"))\n"
    "        return\n"
    "    elif [[ $before == : && ${COMP_WORDS[COMP_CWORD-2]} == sim ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$gpus\" -- \"$word\"))\n"
    "        return\n"
    "    fi\n";

static const char tail[] =
    "    if [[ $word == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
    "    else\n"
    "        _gradus_value \"$operand\"\n"
    "    fi\n"
    "}\n"
    "_gradus_value() {\n"
    "    case $1 in\n"
    "    FILE) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
    "    DIR) COMPREPLY=($(compgen -d -- \"$word\")) ;;\n"
    "    RUNG)\n"
    "        local last=${word##*,}\n"
    "        COMPREPLY=($(compgen -P \"${word%\"$last\"}\" -W \"$(" GR_RUNGS_COMMAND
    ")\" -- \"$last\")) ;;\n"
    "    KERNEL) COMPREPLY=($(compgen -f -W \"$(" GR_GPU_RUNGS_COMMAND ")\" -- \"$word\")) ;;\n"
    "    PROGRAM) COMPREPLY=($(compgen -c -f -- \"$word\")) ;;\n"
    "    *) COMPREPLY=($(compgen -W \"$1\" -- \"$word\")) ;;\n"
    "    esac\n"
    "}\n"
    "complete -o filenames -F _gradus gradus\n";

/* Appends the argument of _gradus_value: FILE, DIR, RUNG, KERNEL, PROGRAM, or the words
 * themselves. */
static void add_value(struct gr_str *out, const char *metavar)
{
    switch (gr_value_kind(metavar)) {
    case GR_VALUE_WORDS:
        gr_shell_words(out, metavar, "");
        break;
    case GR_VALUE_FILE:
        gr_str_add(out, "FILE");
        break;
    case GR_VALUE_DIR:
        gr_str_add(out, "DIR");
        break;
    case GR_VALUE_RUNG:
        gr_str_add(out, "RUNG");
        break;
    case GR_VALUE_KERNEL:
        gr_str_add(out, "KERNEL");
        break;
    case GR_VALUE_PROGRAM:
        gr_str_add(out, "PROGRAM");
        break;
    case GR_VALUE_OTHER:
        break;
    }
}

static void add_option_value(struct gr_str *out, const struct gr_verb *verb,
                             const struct gr_option *option)
{
    gr_str_printf(out, "    %s:--%s", verb->name, option->name);
    if (option->letter)
        gr_str_printf(out, "|%s:-%c", verb->name, option->letter);
    gr_str_add(out, ") _gradus_value '");
    add_value(out, gr_metavar(option));
    gr_str_add(out, "'; return ;;\n");
}

static void add_verb(struct gr_str *out, const struct gr_verb *verb)
{
    gr_str_printf(out, "    %s)\n        options='", verb->name);
    for (int i = 0; verb->options && verb->options[i].name; i++)
        gr_str_printf(out, "--%s ", verb->options[i].name);
    gr_str_add(out, "--help'\n");
    char operand[64];
    gr_shell_operand(verb, operand, sizeof operand);
    if (operand[0]) {
        gr_str_add(out, "        operand='");
        add_value(out, operand);
        gr_str_add(out, "'\n");
    }
    gr_str_add(out, "        ;;\n");
}

void gr_shell_bash(struct gr_str *out)
{
    gr_str_add(out, head);
    gr_str_add(out, "    local gpus='");
    gr_shell_words(out, "GPU", "");
    gr_str_add(out, "'\n");
    gr_str_add(out, colon);
    gr_str_add(out, "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
                    "        COMPREPLY=($(compgen -W '");
    gr_shell_verbs(out);
    gr_str_add(out, " --help --version' -- \"$word\"))\n        return\n    fi\n");
    gr_str_add(out, "    case $verb:$before in\n");
    for (int i = 0; gr_verb_all[i]; i++) {
        const struct gr_verb *verb = gr_verb_all[i];
        for (int j = 0; !verb->hidden && verb->options && verb->options[j].name; j++)
            if (verb->options[j].metavar)
                add_option_value(out, verb, &verb->options[j]);
    }
    gr_str_add(out, "    esac\n    case $verb in\n");
    for (int i = 0; gr_verb_all[i]; i++)
        if (!gr_verb_all[i]->hidden)
            add_verb(out, gr_verb_all[i]);
    gr_str_add(out, "    esac\n");
    gr_str_add(out, tail);
}
