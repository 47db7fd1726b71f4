/* shells.h: completion scripts made from the verbs' tables. SPDX-License-Identifier: MIT */
#ifndef CLI_SHELLS_H
#define CLI_SHELLS_H

#include "base/str.h"
#include "cli/verb.h"

/* The kind of value of an option or operand, as far as a shell can complete it. */
enum gr_value_kind {
    GR_VALUE_OTHER,
    GR_VALUE_WORDS,   /* one of a few words: gr_shell_words */
    GR_VALUE_FILE,    /* starts with FILE, or has an extension: "A.npy" */
    GR_VALUE_DIR,     /* starts with DIR */
    GR_VALUE_RUNG,    /* starts with RUNG */
    GR_VALUE_KERNEL,  /* KERNEL or RUNG|FILE.cu: a rung of the GPU's ladder, or a file */
    GR_VALUE_PROGRAM, /* PROGRAM or COMPILER: a command, or any file */
};
enum gr_value_kind gr_value_kind(const char *metavar);

/* The commands that print the rungs' names, one per line. */
#define GR_RUNGS_COMMAND "gradus list --format names 2>/dev/null"
#define GR_GPU_RUNGS_COMMAND "gradus list --device cuda --format names 2>/dev/null"

/* Appends the permitted values of a metavar of the kind WORDS, separated by blanks: "table json md"
 * for "table|json|md", with each GPU after a colon for "sim[:GPU]"; the GPUs for GPU, their
 * architectures for sm_NN, the libraries for PEER, the verbs for VERB. `colon` is put before each
 * colon. */
void gr_shell_words(struct gr_str *out, const char *metavar, const char *colon);
/* Appends the names of the visible verbs, separated by blanks. */
void gr_shell_verbs(struct gr_str *out);
/* Appends text for the inside of '…', with each quote as '\''. The characters of `special` are
 * preceded by a backslash. */
void gr_shell_inside_quotes(struct gr_str *out, const char *text, const char *special);
/* Writes the first operand of a verb without its brackets, or "" if there is none. */
void gr_shell_operand(const struct gr_verb *verb, char *text, size_t size);

/* Append whole scripts. */
void gr_shell_bash(struct gr_str *out);
void gr_shell_zsh(struct gr_str *out);
void gr_shell_fish(struct gr_str *out);

#endif
