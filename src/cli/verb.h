/* verb.h: one verb of the command line, one file: verb_<name>.c defines `const struct gr_verb gr_verb_<name>` and
 * the build finds it by name. SPDX-License-Identifier: MIT */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* Exit statuses of every verb. */
enum gr_exit { GR_EXIT_RIGHT = 0, GR_EXIT_WRONG = 1, GR_EXIT_USAGE = 2, GR_EXIT_NOTHING = 3 };

/* One option of a verb. `--name VALUE` or `--name=VALUE`; a flag has no metavar. Help, usage errors and the shell
 * completion are made from this. */
struct gr_option {
    const char *name;    /* "size" */
    char letter;         /* 'o', or 0 */
    const char *metavar; /* "FILE"; null: a flag */
    bool repeatable;
    const char *help;    /* one line */
};

/* What the parser found: for each option its values in order. */
struct gr_args {
    const struct gr_verb *verb;
    char **operands; /* the words that are no options */
    int operand_count;
    struct {
        const char *value; /* "" for a flag */
        int option;        /* index into verb->options */
    } *given;
    int given_count;
    const char *command; /* the whole line, quoted for a shell */
};

/* The last value of an option, or null; "" for a flag that was given. */
const char *gr_args_get(const struct gr_args *args, const char *name);
/* The i-th value of a repeatable option, or null. */
const char *gr_args_get_at(const struct gr_args *args, const char *name, int i);

struct gr_verb {
    const char *name;
    const char *operands; /* "FILE.c [FILE2.c …]" */
    const char *summary;  /* one line, for `gradus --help` */
    const char *details;  /* paragraphs and examples, for `gradus VERB --help`; may be null */
    const struct gr_option *options; /* ends with a null name */
    bool hidden;
    enum gr_exit (*run)(const struct gr_args *args);
};

/* Prints an error's line (and log) to stderr as "gradus: text", and returns the exit status that fits it:
 * USAGE for INVALID, NOT_FOUND, NO_MEMORY and IO, NOTHING for UNSUPPORTED, WRONG for the rest. */
enum gr_exit gr_cli_fail(const struct gradus_error *error);

extern const struct gr_verb *const gr_verb_all[];

#endif
