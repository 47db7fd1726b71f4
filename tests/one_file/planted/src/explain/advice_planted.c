/* advice_planted.c: a rule of advice that is added by the test of "one file", with a kind of its
 * own. SPDX-License-Identifier: MIT */
#include "explain/advice.h"

static void look(const struct gr_analysis_input *input, const struct gr_explanation *sections,
                 struct gr_findings *findings)
{
    (void)input;
    (void)sections;
    gr_findings_add(findings, GR_FIND_PLANTED_KIND, 0, "this finding was planted");
}

const struct gr_advice gr_advice_planted = {.name = "planted",
                                            .kind = GR_FIND_PLANTED_KIND,
                                            .reports = "it was planted",
                                            .needs = "nothing",
                                            .look = look};
