/* verb_help.c: gradus help: lists the verbs, or describes one of them.
 * SPDX-License-Identifier: MIT */
#include "cli/help.h"
#include "cli/style.h"

#include <stdio.h>
#include <unistd.h>

static enum gr_exit run(const struct gr_args *args)
{
    struct gr_str text = {0};
    int columns = gr_cli_style(STDOUT_FILENO).columns;
    if (args->operand_count == 0) {
        gr_help_overview(&text, columns);
    } else {
        const struct gr_verb *verb = gr_verb_find(args->operands[0]);
        if (!verb) {
            char hint[96];
            gr_verb_suggest(args->operands[0], hint, sizeof hint);
            return gr_cli_refuse("help: no verb '%.80s'%s", args->operands[0], hint);
        }
        gr_help_verb(&text, verb, columns);
    }
    fputs(gr_str_text(&text), stdout);
    gr_str_free(&text);
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_help = {
    .name = "help",
    .operands = "[VERB]",
    .summary = "list the verbs, or describe one of them",
    .group = GR_GROUP_OTHER,
    .judges_nothing = true,
    .run = run,
};
