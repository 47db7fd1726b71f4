/* format_json.c: a run, or explained kernels, as JSON, as described in docs/json.md.
 * SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "io/json.h"
#include "report/explained.h"

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    (void)style;
    return gr_json_write_run(run, out, error);
}

const struct gr_format gr_format_json = {
    .name = "json", .render = render, .explain = gr_explained_json, .joins = true};
