/* format_planted.c: a format that is added by the test of "one file". SPDX-License-Identifier: MIT
 */
#include "report/explained.h"
#include "report/report.h"

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    (void)style;
    (void)error;
    gr_str_printf(out, "planted: %d rows\n", run->row_count);
    return GRADUS_OK;
}

static void explain(const struct gr_explained_head *heads,
                    const struct gr_explained *const *explained, int count,
                    const struct gr_style *style, struct gr_str *out)
{
    (void)heads;
    (void)explained;
    (void)style;
    gr_str_printf(out, "planted: %d kernels\n", count);
}

const struct gr_format gr_format_planted = {
    .name = "planted", .render = render, .explain = explain};
