/* analysis_planted.c: an analysis that is added by the test of "one file". SPDX-License-Identifier:
 * MIT */
#include "explain/analysis.h"

static bool applies(const struct gr_analysis_input *input)
{
    (void)input;
    return true;
}

static void explain(const struct gr_analysis_input *input, struct gr_section *section)
{
    (void)input;
    gr_section_printf(section, "This section was planted.");
}

const struct gr_analysis gr_analysis_planted = {
    .order = 999, .title = "Planted", .applies = applies, .explain = explain};
