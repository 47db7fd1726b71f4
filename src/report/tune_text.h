/* tune_text.h: what a tuning has found, as text and as rows. SPDX-License-Identifier: MIT */
#ifndef REPORT_TUNE_TEXT_H
#define REPORT_TUNE_TEXT_H

#include "measure/tune.h"
#include "report/report.h"

/* How a tuning was asked for. */
struct gr_tune_asked {
    const struct gr_kernel *kernel;
    const bool *fixed; /* by parameter */
    const char *device;
    int threads; /* 0: a GPU */
    /* What a row's command repeats: "gradus run 05_simd --size 512 …", without parameters. */
    const char *command;
};

/* Appends the text: what was left out and why, the places of the final, and what to use. */
void gr_tune_format(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                    const struct gr_style *style, struct gr_str *out);
/* Appends a row for each candidate of the final, the chosen one last, and for each that is wrong;
 * of a simulated GPU, one for each that was counted. The default is the peer of the others. */
void gr_tune_add_rows(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                      struct gr_run *run);

#endif
