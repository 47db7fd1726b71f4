/* advice.h: the interface of a rule of advice: it looks for one performance problem in a kernel
 * and reports where it is and what to do. Each rule is one file: advice_<name>.c defines `const
 * struct gr_advice gr_advice_<name>`, and the build finds it by its name.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVICE_H
#define EXPLAIN_ADVICE_H

#include "explain/analysis.h"

struct gr_advice {
    const char *name;          /* "coalescing" */
    enum gr_finding_kind kind; /* the kind of its findings */
    const char *reports;       /* after "reports that", for docs/advice.md */
    const char *needs;         /* "trace", "code, launch": without them it reports nothing */
    /* Appends a finding for each place that has the problem. It appends none if what the rule needs
     * is missing (no trace, no compiler). `sections` has the facts that the analyses found. */
    void (*look)(const struct gr_analysis_input *input, const struct gr_explanation *sections,
                 struct gr_findings *findings);
};

/* All rules; null-terminated. */
extern const struct gr_advice *const gr_advice_all[];

#endif
