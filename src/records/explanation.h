/* explanation.h: the explanation of a kernel: sections of named facts and of sentences about
 * them, which every output format renders. Facts have names so that `expect` lines and JSON can
 * refer to them. SPDX-License-Identifier: MIT */
#ifndef RECORDS_EXPLANATION_H
#define RECORDS_EXPLANATION_H

#include "base/str.h"
#include "records/row.h"

#include <stdbool.h>

/* A number or a word, under the name by which `expect` lines and JSON refer to it. */
struct gr_fact {
    char *key; /* "regs", "loop.ffma"; with several stanzas "multiply.regs" */
    double value;
    char *word;       /* the value, if it is not a number; may be null */
    const char *unit; /* "bytes", ""; not owned */
};

struct gr_section {
    char *title;
    /* Put before the keys of its facts: "multiply."; "" if the kernel has one stanza. */
    char *prefix;
    /* One paragraph per line, wrapped when it is shown; lines that begin with a blank belong to
     * a table and are kept as they are. */
    struct gr_str text;
    struct gr_fact *facts;
    int fact_count;
    bool quotes_source; /* its table has lines of the kernel's file */
    bool failed;        /* memory ran out, so the section is incomplete */
};

/* The result of checking an `expect` line. */
enum gr_expectation_verdict {
    GR_EXPECT_HOLDS,
    GR_EXPECT_FALSE,
    GR_EXPECT_UNKNOWN,  /* the fact was not determined */
    GR_EXPECT_ELSEWHERE /* it is about another architecture */
};

struct gr_expectation {
    char *expression;
    int line; /* in the kernel's file; 0: on the command line */
    enum gr_expectation_verdict verdict;
    char *found; /* "regs is 80", or why it was not checked */
};

struct gr_explanation {
    struct gr_section *sections;
    int section_count;
    struct gr_expectation *expectations;
    int expectation_count;
    struct gr_findings findings; /* faults first, then advice by falling cost */
};

/* Appends an empty section and returns it (null: out of memory). Earlier section pointers become
 * invalid. */
struct gr_section *gr_explanation_add(struct gr_explanation *explanation, const char *title,
                                      const char *prefix);
void gr_explanation_free(struct gr_explanation *explanation);
/* The fact with this complete key (the prefix included), or null. */
const struct gr_fact *gr_explanation_find(const struct gr_explanation *explanation,
                                          const char *key);
/* True if memory ran out for a part of it. */
bool gr_explanation_failed(const struct gr_explanation *explanation);

/* Appends a line of text. */
void gr_section_printf(struct gr_section *section, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a fact; the section's prefix is put before the key. */
void gr_section_number(struct gr_section *section, const char *key, double value, const char *unit);
void gr_section_word(struct gr_section *section, const char *key, const char *word);

/* "holds", "false", "unknown", "elsewhere". */
const char *gr_expectation_name(enum gr_expectation_verdict verdict);

#endif
