/* explanation.h: what can be told of a kernel: facts that have names, and sentences that put them
 * into words, in sections. SPDX-License-Identifier: MIT */
#ifndef RECORDS_EXPLANATION_H
#define RECORDS_EXPLANATION_H

#include "base/str.h"
#include "records/row.h"

#include <stdbool.h>

/* A number or a word under the name by which `expect` lines and JSON know it. */
struct gr_fact {
    char *key; /* "regs", "loop.ffma"; with several stanzas "multiply.regs" */
    double value;
    char *word;       /* instead of the number; may be null */
    const char *unit; /* "bytes", ""; not owned */
};

struct gr_section {
    char *title;
    char *prefix; /* of its facts' keys: "multiply."; "" where the kernel has one stanza */
    /* A paragraph a line, to be wrapped when it is shown; lines that start with a blank are a
     * table's and are kept as they are. */
    struct gr_str text;
    struct gr_fact *facts;
    int fact_count;
    bool failed; /* memory ran out: something is missing */
};

/* What came of an `expect` line. */
enum gr_expectation_verdict {
    GR_EXPECT_HOLDS,
    GR_EXPECT_FALSE,
    GR_EXPECT_UNKNOWN,  /* it speaks of what was not found out */
    GR_EXPECT_ELSEWHERE /* it speaks of another architecture */
};

struct gr_expectation {
    char *expression;
    int line; /* in the kernel's file; 0: from the command line */
    enum gr_expectation_verdict verdict;
    char *found; /* "regs is 80", or why it is not judged */
};

struct gr_explanation {
    struct gr_section *sections;
    int section_count;
    struct gr_expectation *expectations;
    int expectation_count;
    struct gr_findings findings; /* faults first, then advice, the costliest first */
};

/* Appends an empty section and returns it (null: out of memory). Earlier section pointers become
 * invalid. */
struct gr_section *gr_explanation_add(struct gr_explanation *explanation, const char *title,
                                      const char *prefix);
void gr_explanation_free(struct gr_explanation *explanation);
/* By its whole key, or null. */
const struct gr_fact *gr_explanation_find(const struct gr_explanation *explanation,
                                          const char *key);
/* True when memory ran out for a part of it. */
bool gr_explanation_failed(const struct gr_explanation *explanation);

/* Appends a line. */
void gr_section_say(struct gr_section *section, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The section's prefix is put before the key. */
void gr_section_number(struct gr_section *section, const char *key, double value, const char *unit);
void gr_section_word(struct gr_section *section, const char *key, const char *word);

/* "holds", "false", "unknown", "elsewhere". */
const char *gr_expectation_name(enum gr_expectation_verdict verdict);

#endif
