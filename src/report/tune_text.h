/* tune_text.h: the result of a tuning, as text and as rows. SPDX-License-Identifier: MIT */
#ifndef REPORT_TUNE_TEXT_H
#define REPORT_TUNE_TEXT_H

#include "measure/tune.h"
#include "report/report.h"

/* The request for a tuning. */
struct gr_tune_asked {
    const struct gr_kernel *kernel;
    const bool *fixed; /* for each parameter */
    const char *device;
    int threads; /* 0: on a GPU */
    /* The command of a row without parameters, such as "gradus run 05_simd --size 512 …". */
    const char *command;
};

/* Appends the text: what was left out and why, the ranking in the final round, and the values to
 * use. */
void gr_tune_format(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                    const struct gr_style *style, struct gr_str *out);
/* Appends a row for each candidate of the final round, the chosen one last, and for each candidate
 * that is wrong. For a simulated GPU, appends a row for each candidate that was counted. The
 * default variant is the peer of the others. */
void gr_tune_add_rows(const struct gr_tune *tune, const struct gr_tune_asked *asked,
                      struct gr_run *run);

#endif
