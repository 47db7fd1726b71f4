/* help.h: help made from the verbs' tables. SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/str.h"
#include "cli/verb.h"

/* What `gradus` alone says: what it is, three examples, the verbs with one line each. */
void gr_help_overview(struct gr_str *out, int columns);
/* What `gradus VERB --help` says: usage, details, options, exit statuses. */
void gr_help_verb(struct gr_str *out, const struct gr_verb *verb, int columns);

/* The paragraph that says what Gradus is. */
void gr_help_about(struct gr_str *out, int columns);
/* "-o, --output FILE" */
void gr_help_option_name(struct gr_str *out, const struct gr_option *option);

/* The verbs of a group as `gradus help` lists them; null past the end. */
const struct gr_verb *gr_help_verb_at(enum gr_verb_group group, int i);
/* The exit statuses, one line each; null past the end. */
const char *gr_help_exit_status(int status);
/* The examples of the overview: a command and what it does; null past the end. */
const char *gr_help_example(int i, const char **meaning);

/* The option that every verb has, --help. */
extern const struct gr_option gr_help_option;

#endif
