/* verb_rules.c: gradus rules: prints the table of docs/advice.md from the rules themselves.
 * SPDX-License-Identifier: MIT */
#include "cli/verb.h"
#include "explain/advice.h"

#include <stdio.h>

static enum gr_exit run(const struct gr_args *args)
{
    (void)args;
    puts("| rule | kind | reports that | needs |\n|---|---|---|---|");
    for (int i = 0; gr_advice_all[i]; i++) {
        const struct gr_advice *rule = gr_advice_all[i];
        printf("| `%s` | `%s` | %s | %s |\n", rule->name, gr_finding_name(rule->kind),
               rule->reports, rule->needs);
    }
    return GR_EXIT_RIGHT;
}

const struct gr_verb gr_verb_rules = {
    .name = "rules",
    .summary = "print the table of docs/advice.md",
    .group = GR_GROUP_OTHER,
    .hidden = true,
    .run = run,
};
