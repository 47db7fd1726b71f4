/* explained_csv.c: the facts of an explained kernel as CSV. SPDX-License-Identifier: MIT */
#include "report/explained.h"

static void add_facts(const struct gr_explained_head *head, const struct gr_explained *e,
                      struct gr_str *out)
{
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

void gr_explained_csv(const struct gr_explained_head *heads,
                      const struct gr_explained *const *explained, int count,
                      const struct gr_style *style, struct gr_str *out)
{
    (void)style;
    gr_str_add(out, "kernel,arch,name,value,unit\n");
    for (int i = 0; i < count; i++)
        add_facts(&heads[i], explained[i], out);
}
