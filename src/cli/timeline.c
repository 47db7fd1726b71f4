/* timeline.c: prints what each rank did during a product. SPDX-License-Identifier: MIT */
#include "cli/timeline.h"

#include "base/str.h"
#include "io/json_out.h"

#include <inttypes.h>
#include <stdio.h>

static void add_line(struct gr_str *out, const char *name, const struct gr_dist_timeline *t)
{
    gr_str_printf(out, "%8s %11.3f %11.3f %11.3f %11.3f %11.3f %11.3f %11.3f\n", name,
                  1e3 * t->product_s, 1e3 * t->transfer_s, 1e3 * t->wait_s, 1e3 * t->bring_s,
                  1e3 * t->all_s, (double)t->sent_bytes * 1e-6, (double)t->received_bytes * 1e-6);
}

static void render_table(const struct gr_dist_plan *plan, const struct gr_dist_timeline *timelines,
                         struct gr_str *out)
{
    gr_str_printf(
        out, "%" PRId64 " x %" PRId64 " x %" PRId64 " ranks, %" PRId64 " step%s of %c%s\n",
        plan->grid[0], plan->grid[1], plan->grid[2], plan->steps, plan->steps == 1 ? "" : "s",
        "mnk"[plan->step_dim], plan -> overlap ? ", overlapped" : "");
    gr_str_printf(out, "%8s %11s %11s %11s %11s %11s %11s %11s\n", "rank", "product ms",
                  "transfer ms", "waiting ms", "bringing ms", "all ms", "sent MB", "received MB");
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        char name[32];
        snprintf(name, sizeof name, "%" PRId64, rank);
        add_line(out, name, &timelines[rank]);
    }
    gr_str_printf(out, "%8s %11.3f %11.3f %11.3f %11s %11.3f %35.3f at most\n", "plan",
                  1e3 * plan->compute_s, 1e3 * plan->transfer_s,
                  1e3 * (plan->time_s - plan->compute_s), "", 1e3 * plan->time_s,
                  (double)(plan->words * plan->problem.element_bytes) * 1e-6);
}

static void put_times(struct gr_json *w, double product, double transfer, double wait, double all)
{
    gr_json_put_real(w, "product_s", product);
    gr_json_put_real(w, "transfer_s", transfer);
    gr_json_put_real(w, "wait_s", wait);
    gr_json_put_real(w, "all_s", all);
}

static void render_json(const struct gr_dist_plan *plan, const struct gr_dist_timeline *timelines,
                        struct gr_str *out)
{
    struct gr_json w = {.out = out};
    gr_json_open_object(&w, NULL, GR_JSON_LINES);
    gr_json_open_object(&w, "plan", GR_JSON_ONE_LINE);
    gr_json_open_array(&w, "grid", GR_JSON_ONE_LINE);
    for (int d = 0; d < 3; d++)
        gr_json_put_whole(&w, NULL, plan->grid[d]);
    gr_json_close(&w);
    gr_json_put_whole(&w, "steps", plan->steps);
    gr_json_put_bool(&w, "overlap", plan->overlap);
    put_times(&w, plan->compute_s, plan->transfer_s, plan->time_s - plan->compute_s, plan->time_s);
    gr_json_put_whole(&w, "moved_bytes", plan->words * plan->problem.element_bytes);
    gr_json_close(&w);
    gr_json_open_array(&w, "ranks", GR_JSON_LINES);
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        const struct gr_dist_timeline *const t = &timelines[rank];
        gr_json_open_object(&w, NULL, GR_JSON_ONE_LINE);
        put_times(&w, t->product_s, t->transfer_s, t->wait_s, t->all_s);
        gr_json_put_real(&w, "bring_s", t->bring_s);
        gr_json_put_whole(&w, "sent_bytes", t->sent_bytes);
        gr_json_put_whole(&w, "received_bytes", t->received_bytes);
        gr_json_close(&w);
    }
    gr_json_close(&w);
    gr_json_close(&w);
    gr_str_add(out, "\n");
}

void gr_timeline_print(const struct gr_dist_plan *plan, const struct gr_dist_timeline *timelines,
                       bool json)
{
    struct gr_str out = {0};
    (json ? render_json : render_table)(plan, timelines, &out);
    fputs(gr_str_text(&out), stdout);
    gr_str_free(&out);
}
