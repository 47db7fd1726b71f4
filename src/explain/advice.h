/* advice.h: the interface of a rule of advice: it looks for one performance problem in a kernel
 * and reports where it is and what to do. Each rule is one file: advice_<name>.c defines `const
 * struct gr_advice gr_advice_<name>`, and the build finds it by its name.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVICE_H
#define EXPLAIN_ADVICE_H

#include "explain/analysis.h"

struct gr_advice {
    const char *name; /* "coalescing" */
    /* Appends a finding for each place with the problem; none if the data that the rule needs is
     * missing (no trace, no compiler). `sections` has the facts from the analyses. */
    void (*look)(const struct gr_specimen *specimen, const struct gr_explanation *sections,
                 struct gr_findings *findings);
};

#endif
