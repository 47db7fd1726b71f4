/* verb.h: a verb of the command line. Each verb is one file: verb_<name>.c defines `const struct
 * gr_verb gr_verb_<name>`, and the build finds it by name. Help, the man page and the shell
 * completions are made from these tables. SPDX-License-Identifier: MIT */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include <gradus/gradus.h>
#include <stdbool.h>

/* The exit statuses of all verbs. INTERRUPTED: finished results have been shown; if the reason was
 * a signal, the program then dies of it, and a shell sees 130 for SIGINT and 143 for SIGTERM. */
enum gr_exit {
    GR_EXIT_RIGHT = 0,
    GR_EXIT_WRONG = 1,
    GR_EXIT_USAGE = 2,
    GR_EXIT_NOTHING = 3,
    GR_EXIT_INTERRUPTED = 130
};

/* The group in which `gradus help` lists a verb. */
enum gr_verb_group {
    GR_GROUP_MEASURE,
    GR_GROUP_KERNELS,
    GR_GROUP_MATRICES,
    GR_GROUP_OTHER,
    GR_GROUP_COUNT
};

/* One option of a verb: `--name VALUE`, `--name=VALUE`, `-l VALUE`, `-lVALUE`; a flag has no
 * metavar. The metavar also determines the permitted values:
 *  - "yes|no": one of these words; the parser refuses all others and suggests the nearest. Lists of
 *    formats and devices are in metavar.h.
 *  - "FILE…", "DIR…", "RUNG…", "KERNEL", "GPU", "sm_NN…", "PEER", "PROGRAM", "COMPILER", or a name
 *    with an extension ("A.npy"): shells complete the value.
 *  - anything else: the verb itself checks the value. */
struct gr_option {
    const char *name;    /* "size" */
    char letter;         /* 'o', or 0 */
    const char *metavar; /* null: a flag */
    bool repeatable;     /* otherwise the last value counts */
    const char *help;    /* one line */
};

/* The result of parsing: for each option its values, in order. */
struct gr_args {
    const struct gr_verb *verb;
    char **operands; /* the words that are not options */
    int operand_count;
    struct {
        const char *value; /* "" for a flag */
        int option;        /* index into verb->options */
    } * given;
    int given_count;
    const char *command; /* the whole command line, quoted for a shell */
};

/* Returns the last value of an option, or null if it was not given; "" for a flag that was
 * given. */
const char *gr_args_get(const struct gr_args *args, const char *name);
/* Returns the i-th value of a repeatable option, or null. */
const char *gr_args_get_at(const struct gr_args *args, const char *name, int i);

struct gr_verb {
    const char *name;
    /* The operands, such as "FILE.c [FILE2.c …]": a word in brackets is optional, and "…" means any
     * number of further words. The parser derives the permitted number of operands from it. Null or
     * "": none. */
    const char *operands;
    const char *summary; /* one line, for `gradus help` */
    /* Text for `gradus help VERB`; may be null. Its paragraphs are wrapped to the terminal and
     * separated by blank lines; lines that start with a blank (examples, tables) are kept
     * unchanged, with at most 78 columns. */
    const char *details;
    const struct gr_option *options; /* ends with a null name; null: none */
    enum gr_verb_group group;
    bool hidden;
    bool passes_on; /* the operands are the command line of a program: options after its first word
                       are not ours */
    bool judges_nothing; /* there are no verdicts: status 0 means done, and 1 does not occur */
    enum gr_exit (*run)(const struct gr_args *args);
};

/* Prints an error (and its log) to stderr as "gradus: text", and returns the exit status for it:
 * USAGE for INVALID, NOT_FOUND, NO_MEMORY and IO, NOTHING for UNSUPPORTED, WRONG for all others.
 * Does not free it. */
enum gr_exit gr_cli_fail(const struct gradus_error *error);
/* Prints a one-line message of the verb itself, such as gr_cli_refuse("no such preset '%s'; …", …),
 * and returns USAGE. */
enum gr_exit gr_cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a note to stderr that does not change the exit status. */
void gr_cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

extern const struct gr_verb *const gr_verb_all[];
/* Finds a verb by its full name (including hidden verbs); null if there is none. */
const struct gr_verb *gr_verb_find(const char *name);
/* Writes a suggestion such as "; did you mean 'ladder'?" for a word that is not a verb, or "" if no
 * verb is similar. */
void gr_verb_suggest(const char *word, char *text, int size);

#endif
