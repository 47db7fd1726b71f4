/* tune_model.c: a lower bound of the time of a candidate, from the simulator's counts.
 * SPDX-License-Identifier: MIT */
#include "measure/tune_model.h"

#include "core/clock.h"
#include "core/error.h"
#include "base/stop.h"
#include "explain/device_file.h"
#include "measure/measure.h"
#include "model/floors.h"
#include "model/roofs.h"

#include <math.h>
#include <stdio.h>

static double part_ns(double bytes, double gbps)
{
    return gbps > 0 ? bytes / gbps : 0;
}

/* The model is the longest of the times that each part of the GPU needs by itself. The arithmetic
 * of tensor cores is not included, because device files do not have its rate, and it is the same
 * for all candidates. */
static void set_model(const struct gr_device *device, struct gr_tune_candidate *c)
{
    const struct gr_row *row = &c->row;
    const struct gr_roofs roofs = gr_roofs_of(device);
    const struct gr_row_traffic *t = &row->traffic;
    const enum gr_dtype type = row->problem.types.a;
    const bool plain = (type == GR_F32 || type == GR_F64) && !c->variant.kernel->math;
    const double times[] = {
        plain ? gr_floors_of(gr_problem_flops(&row->problem), 0, type, device).compute_ns : 0,
        part_ns(t->dram, roofs.dram_gbps), part_ns(t->l2, roofs.l2_gbps),
        part_ns(t->l1, roofs.l1_gbps), part_ns(t->shared, roofs.shared_gbps)};
    c->model_ns = c->model_first = 0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        c->model_ns = fmax(c->model_ns, times[i]);
        c->model_first += times[i];
    }
}

/* Moves the last row of the run to the candidate. */
static void take_row(struct gr_run *run, struct gr_tune_candidate *c)
{
    struct gr_row *row = &run->rows[run->row_count - 1];
    c->row = *row;
    *row = (struct gr_row){0};
    gr_run_drop(run);
    c->verdict = c->row.verdict;
    const bool refused = c->verdict == GR_SKIP || c->verdict == GR_REFUSED;
    const char *reason = c->row.reason;
    c->fate = refused                  ? GR_TUNE_REFUSED
              : c->verdict != GR_RIGHT ? GR_TUNE_WRONG
              : !c->row.counts.known   ? GR_TUNE_UNTRIED
                                       : GR_TUNE_READY;
    if (c->verdict == GR_RIGHT && !c->row.counts.known)
        reason = "it cannot be counted";
    snprintf(c->reason, sizeof c->reason, "%s", reason ? reason : "");
}

static bool is_ahead(const struct gr_tune_candidate *x, const struct gr_tune_candidate *y)
{
    return x->model_ns < y->model_ns ||
           (x->model_ns == y->model_ns && x->model_first < y->model_first);
}

static void rank(struct gr_tune *tune)
{
    for (int i = 0; i < tune->count; i++)
        if (tune->candidates[i].fate == GR_TUNE_READY &&
            (tune->winner < 0 || is_ahead(&tune->candidates[i], &tune->candidates[tune->winner])))
            tune->winner = i;
    tune->chosen = tune->winner;
    for (int i = 0; i < tune->count; i++) {
        struct gr_tune_candidate *c = &tune->candidates[i];
        if (c->fate != GR_TUNE_READY)
            continue;
        const bool behind = is_ahead(&tune->candidates[tune->winner], c);
        c->fate = i == tune->winner ? GR_TUNE_WINNER : behind ? GR_TUNE_BEHIND : GR_TUNE_TIE;
        if (c->is_default && !behind)
            tune->chosen = i;
    }
}

enum gradus_status gr_tune_by_model(struct gr_session *s, const struct gr_tune_params *params,
                                    struct gr_tune *tune, struct gradus_error *error)
{
    struct gr_run run = {0};
    struct gr_device device = {0};
    const int64_t start_ns = gr_now_ns();
    enum gradus_status status =
        gr_device_file_find(&s->options.device, s->about.name, &device, error);
    for (int i = 0; i < tune->count && status == GRADUS_OK; i++) {
        struct gr_tune_candidate *c = &tune->candidates[i];
        const struct gr_measure_params one = {
            .variant = &c->variant, .problem = params->problem, .peer = -1, .command = ""};
        if (i > 0 && gr_now_ns() - start_ns > params->limit_ns)
            break;
        gr_session_report(s, "counting %d of %d", i + 1, tune->count);
        status = gr_measure_kernel(s, &one, &run, error);
        if (gr_stop_requested())
            status = gr_fail(error, GRADUS_INTERRUPTED, "interrupted");
        if (status == GRADUS_OK) {
            take_row(&run, c);
            set_model(&device, c);
        }
    }
    tune->interrupted = status == GRADUS_INTERRUPTED;
    rank(tune);
    gr_run_free(&run);
    return status;
}
