/* explained_csv.c: the facts of an explained kernel as CSV. SPDX-License-Identifier: MIT */
#include "cli/explained.h"

void gr_explanation_csv(const struct gr_explained_head *head, const struct gr_explained *e,
                        bool headed, struct gr_str *out)
{
    gr_str_add(out, headed ? "kernel,arch,name,value,unit\n" : "");
    for (int s = 0; s < e->explanation.section_count; s++) {
        for (int i = 0; i < e->explanation.sections[s].fact_count; i++) {
            const struct gr_fact *fact = &e->explanation.sections[s].facts[i];
            gr_str_printf(out, "%s,%s,%s,", head->kernel->name, head->arch, fact->key);
            if (fact->word)
                gr_str_printf(out, "%s,\n", fact->word);
            else
                gr_str_printf(out, "%.10g,%s\n", fact->value, fact->unit);
        }
    }
}
