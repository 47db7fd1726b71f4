/* main.c: finds the verb, parses its options, runs it. SPDX-License-Identifier: MIT */
#include "base/temporary.h"
#include "cli/args.h"
#include "cli/help.h"
#include "cli/signals.h"
#include "base/text.h"
#include "cli/verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* If the disk is full, `gradus list > file` must not end with status 0. A reader that has closed
 * the pipe is not an error. */
static enum gr_exit close_stdout(enum gr_exit status)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (failed && errno != EPIPE)
        return gr_cli_refuse("standard output: %s", errno ? strerror(errno) : "write error");
    return status;
}

static enum gr_exit run_verb(const struct gr_verb *verb, int count, char **words,
                             const char *command)
{
    if (gr_args_requests_help(verb, count, words))
        return gr_verb_find("help")->run(
            &(struct gr_args){.operands = (char *[]){(char *)verb->name}, .operand_count = 1});
    struct gr_args args;
    struct gradus_error error = {0};
    enum gr_exit status = gr_args_parse(verb, count, words, command, &args, &error) == GRADUS_OK
                              ? verb->run(&args)
                              : gr_cli_fail(&error);
    gr_args_free(&args);
    gradus_error_clear(&error);
    return status;
}

/* `gradus` alone, --help and --version are other names of verbs. */
static const char *verb_name(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return "help";
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return "version";
    return argv[1];
}

int main(int argc, char **argv)
{
    gr_signals_install();
    const char *name = verb_name(argc, argv);
    const struct gr_verb *verb = gr_verb_find(name);
    if (!verb) {
        char hint[96];
        gr_verb_suggest(name, hint, sizeof hint);
        return gr_cli_refuse("unknown %s '%.80s'%s (see gradus help)",
                             name[0] == '-' ? "option" : "verb", name, hint);
    }
    struct gr_str command = {0};
    gr_text_quote(&command, argc, argv);
    int skip = argc < 2 ? 1 : 2;
    enum gr_exit status = run_verb(verb, argc - skip, argv + skip, gr_str_text(&command));
    gr_str_free(&command);
    if (gr_temporary_note())
        gr_cli_note("%s", gr_temporary_note());
    status = close_stdout(status);
    if (status == GR_EXIT_INTERRUPTED)
        gr_signals_die();
    return (int)status;
}
