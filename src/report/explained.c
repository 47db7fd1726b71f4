/* explained.c: properties of an explained kernel that several formats need.
 * SPDX-License-Identifier: MIT */
#include "report/explained.h"

#include "explain/analysis.h"

#include <stdlib.h>

const char *gr_explained_verdict(const struct gr_explained *e)
{
    const struct gr_findings *findings = &e->explanation.findings;
    if (gr_findings_matter(findings, GR_SEVERITY_FAULT))
        return "faults";
    if (gr_findings_matter(findings, GR_SEVERITY_WARNING))
        return "warnings";
    if (gr_findings_matter(findings, GR_SEVERITY_ADVICE))
        return "advice";
    return e->trace_count > 0 ? "clean" : NULL;
}

const struct gr_fact *gr_explained_fact(const struct gr_explained_head *head,
                                        const struct gr_explained *e, int stanza, const char *key)
{
    const struct gr_kernel *kernel = head->kernel;
    if (kernel->stanza_count <= 1)
        return gr_explanation_find(&e->explanation, key);
    char *whole = gr_printf("%s.%s", kernel->stanzas[stanza].signature.name, key);
    const struct gr_fact *fact = whole ? gr_explanation_find(&e->explanation, whole) : NULL;
    free(whole);
    return fact;
}

int gr_explained_stanza(const struct gr_explained_head *head, const struct gr_explained *e)
{
    int found = -1;
    for (int i = 0; i < head->kernel->stanza_count; i++) {
        const struct gr_analysis_input input = {.stanza = &head->kernel->stanzas[i]};
        if (!gr_input_multiplies(&input))
            continue;
        if (gr_explained_fact(head, e, i, "grid.blocks"))
            return i;
        found = found < 0 ? i : found;
    }
    return found < 0 ? 0 : found;
}
