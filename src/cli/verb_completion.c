/* verb_completion.c: gradus completion: prints a script with which a shell completes verbs, options
 * and rungs. SPDX-License-Identifier: MIT */
#include "cli/shells.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*add)(struct gr_str *out);
} shells[] = {{"bash", gr_shell_bash}, {"zsh", gr_shell_zsh}, {"fish", gr_shell_fish}};

enum { SHELLS = sizeof shells / sizeof *shells };

static enum gr_exit run(const struct gr_args *args)
{
    const char *name = args->operands[0], *names[SHELLS];
    for (int i = 0; i < SHELLS; i++) {
        names[i] = shells[i].name;
        if (strcmp(name, names[i]) != 0)
            continue;
        struct gr_str script = {0};
        shells[i].add(&script);
        fputs(gr_str_text(&script), stdout);
        gr_str_free(&script);
        return GR_EXIT_RIGHT;
    }
    const char *nearest = gr_nearest(name, names, SHELLS);
    return gr_cli_refuse("completion: found '%.80s', wanted bash, zsh or fish%s%s%s", name,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
}

const struct gr_verb gr_verb_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .details =
        "The script completes verbs, options, their values and the names of rungs. To use it now, "
        "and in every shell to come:\n\n"
        "  . <(gradus completion bash)       in ~/.bashrc\n"
        "  . <(gradus completion zsh)        in ~/.zshrc, after compinit\n"
        "  gradus completion fish | source   in ~/.config/fish/config.fish\n\n"
        "An installed Gradus has put these scripts where the shells look for them.",
    .group = GR_GROUP_OTHER,
    .judges_nothing = true,
    .run = run,
};
