/* help.h: help texts, made from the verbs' tables. SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/str.h"
#include "cli/verb.h"

/* Appends the output of `gradus` without arguments: what it is, three examples, and the verbs with
 * one line each. */
void gr_help_overview(struct gr_str *out, int columns);
/* Appends the output of `gradus VERB --help`: usage, details, options, exit statuses. */
void gr_help_verb(struct gr_str *out, const struct gr_verb *verb, int columns);

/* Appends the paragraph that describes Gradus. */
void gr_help_about(struct gr_str *out, int columns);
/* Appends an option such as "-o, --output FILE". */
void gr_help_option_name(struct gr_str *out, const struct gr_option *option);

/* Returns verb i of a group in the order of `gradus help`; null after the last. */
const struct gr_verb *gr_help_verb_at(enum gr_verb_group group, int i);
/* Returns the description of an exit status in one line; null after the last. */
const char *gr_help_exit_status(int status);
/* Returns example i of the overview: a command, and in *meaning what it does; null after the
 * last. */
const char *gr_help_example(int i, const char **meaning);

/* The option --help, which every verb has. */
extern const struct gr_option gr_help_option;

#endif
