/* args.h: the command line, parsed with the tables of a verb. SPDX-License-Identifier: MIT */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli/verb.h"

/* Parses the words after the verb. INVALID, with the nearest valid name if there is one, for an
 * unknown option, a missing or superfluous value, a word that is not among an option's choices, or
 * a wrong number of operands. The words must outlive *args; gr_args_free frees it, also after a
 * failure. `command` is not owned. */
enum gradus_status gr_args_parse(const struct gr_verb *verb, int count, char **words,
                                 const char *command, struct gr_args *args,
                                 struct gradus_error *error);
void gr_args_free(struct gr_args *args);

/* Is the metavar a list of literal words, such as "table|json|md"? */
bool gr_metavar_is_choice(const char *metavar);

/* Is --help or -h among the words before a `--`, or before the program of a verb that passes them
 * on? */
bool gr_args_requests_help(const struct gr_verb *verb, int count, char **words);

#endif
