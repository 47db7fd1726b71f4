/* dist_pipeline.c: the steps of a product on one rank. SPDX-License-Identifier: MIT
 *
 * An example with four overlapped steps along a dimension that A and C have:
 *
 *   product           0     1     2     3
 *   A         0  |  1     2     3
 *   B (whole) *  |
 *   C            |        0     1     2  |  3
 *
 * A product and the communication of A and C in the same columns run at the same time. */
#include "dist/dist_pipeline.h"

#include "core/clock.h"
#include "core/error.h"
#include "dist/dist_courier.h"

static double seconds_since(int64_t begin)
{
    return (double)(gr_now_ns() - begin) * 1e-9;
}

/* Computes the local product of a step, with all matrices taken in C's row- or column-major
 * order. */
static enum gradus_status multiply(struct gr_dist_pipeline *p, const struct gr_dist_box *box,
                                   int64_t step, struct gradus_error *error)
{
    const int64_t begin = gr_now_ns();
    const struct gr_dist_panel *const panel = &p->panels[GR_DIST_C];
    struct gr_dist_view view[3];
    for (int x = 0; x < 3; x++)
        view[x] = gr_dist_panel_view(&p->panels[x], p->plan,
                                     gr_dist_side_of(box, (enum gr_dist_operand)x), step);
    struct gradus_gemm g;
    gradus_gemm_init(&g, p->type);
    const bool by_cols = view[GR_DIST_C].by_cols;
    g.layout = by_cols ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.m = box->end[GR_DIST_M] - box->begin[GR_DIST_M];
    g.n = box->end[GR_DIST_N] - box->begin[GR_DIST_N];
    g.k = box->end[GR_DIST_K] - box->begin[GR_DIST_K];
    g.trans_a = view[GR_DIST_A].by_cols != by_cols;
    g.trans_b = view[GR_DIST_B].by_cols != by_cols;
    g.alpha = p->alpha;
    g.beta = !panel->stepped && step > 0 ? 1 : panel->sharers > 1 ? 0 : p->beta;
    g.a = view[GR_DIST_A].data, g.lda = view[GR_DIST_A].ld;
    g.b = view[GR_DIST_B].data, g.ldb = view[GR_DIST_B].ld;
    g.c = view[GR_DIST_C].data, g.ldc = view[GR_DIST_C].ld;
    g.threads = p->threads;
    const enum gradus_status status = g.m == 0 || g.n == 0 ? GRADUS_OK : gradus_gemm_run(&g, error);
    if (status != GRADUS_OK) /* the other ranks must not wait for what this rank will not send */
        p->comm->abort(p->comm, error->text[0] ? error->text : "dist: a rank failed");
    p->timeline.product_s += seconds_since(begin);
    return status;
}

static struct gr_dist_box box_of(const struct gr_dist_pipeline *p, int64_t step)
{
    const struct gr_dist_box box = gr_dist_box_of(p->plan, p->comm->rank);
    return gr_dist_step_of(p->plan, &box, step);
}

static void add_flight(const struct gr_dist_pipeline *p, struct gr_dist_batch *batch, int operand,
                       int64_t step)
{
    const struct gr_dist_panel *const panel = &p->panels[operand];
    const struct gr_dist_box box = box_of(p, step);
    if (panel->sharers > 1)
        batch->flights[batch->count++] =
            (struct gr_dist_flight){.comm = p->comm,
                                    .panel = panel,
                                    .plan = p->plan,
                                    .rect = gr_dist_side_of(&box, (enum gr_dist_operand)operand),
                                    .buffer = gr_dist_panel_buffer(panel, p->plan, step),
                                    .beta = p->beta};
}

/* Adds what a step's product needs and what has not been gathered yet. */
static void add_gathers(const struct gr_dist_pipeline *p, struct gr_dist_batch *batch, int64_t step)
{
    for (int x = GR_DIST_A; x <= GR_DIST_B; x++)
        if (step < p->plan->steps && (p->panels[x].stepped || step == 0))
            add_flight(p, batch, x, step);
}

/* Adds the part of C that is complete after a step's product. */
static void add_reduction(const struct gr_dist_pipeline *p, struct gr_dist_batch *batch,
                          int64_t step)
{
    if (step >= 0 && (p->panels[GR_DIST_C].stepped || step == p->plan->steps - 1))
        add_flight(p, batch, GR_DIST_C, step);
}

/* Adds an ended batch to the timeline, and returns its status. `waited` is the time in which
 * nothing was multiplied. */
static enum gradus_status account(struct gr_dist_pipeline *p, struct gr_dist_batch *batch,
                                  double waited, struct gradus_error *error)
{
    struct gr_dist_timeline *const t = &p->timeline;
    const enum gradus_status status = batch->status;
    for (int i = 0; i < batch->count; i++) {
        t->sent_bytes += batch->flights[i].sent_bytes;
        t->received_bytes += batch->flights[i].received_bytes;
    }
    t->transfer_s += batch->seconds;
    t->wait_s += waited;
    if (status != GRADUS_OK)
        gr_fail(error, status, "%s", batch->error.text);
    gradus_error_clear(&batch->error);
    return status;
}

/* Communicates a batch while nothing is multiplied. */
static enum gradus_status carry(struct gr_dist_pipeline *p, struct gr_dist_batch *batch,
                                struct gradus_error *error)
{
    gr_dist_batch_begin(batch);
    gr_dist_batch_end(batch);
    return account(p, batch, batch->seconds, error);
}

static enum gradus_status step_alone(struct gr_dist_pipeline *p, int64_t step,
                                     struct gradus_error *error)
{
    struct gr_dist_batch before = {0}, after = {0};
    const struct gr_dist_box box = box_of(p, step);
    add_gathers(p, &before, step);
    enum gradus_status status = carry(p, &before, error);
    if (status == GRADUS_OK)
        status = multiply(p, &box, step, error);
    if (status != GRADUS_OK)
        return status;
    add_reduction(p, &after, step);
    return carry(p, &after, error);
}

/* Computes a step's product while a batch is communicated. If this rank's product fails, it has
 * aborted the other ranks, so that the courier does not wait for ever. */
static enum gradus_status step_overlapped(struct gr_dist_pipeline *p,
                                          struct gr_dist_courier *courier, int64_t step,
                                          struct gradus_error *error)
{
    struct gr_dist_batch meanwhile = {0};
    const struct gr_dist_box box = box_of(p, step);
    add_gathers(p, &meanwhile, step + 1);
    if (p->panels[GR_DIST_C].stepped)
        add_reduction(p, &meanwhile, step - 1);
    gr_dist_courier_send(courier, &meanwhile);
    enum gradus_status status = multiply(p, &box, step, error);
    const int64_t begin = gr_now_ns();
    gr_dist_courier_wait(courier, &meanwhile);
    struct gradus_error lost = {0}; /* a consequence of the product's failure, if it failed */
    const enum gradus_status carried =
        account(p, &meanwhile, seconds_since(begin), status == GRADUS_OK ? error : &lost);
    gradus_error_clear(&lost);
    return status == GRADUS_OK ? carried : status;
}

static enum gradus_status run_overlapped(struct gr_dist_pipeline *p, struct gradus_error *error)
{
    struct gr_dist_courier courier;
    struct gr_dist_batch first = {0}, last = {0};
    add_gathers(p, &first, 0);
    enum gradus_status status = carry(p, &first, error);
    if (status != GRADUS_OK)
        return status;
    gr_dist_courier_start(&courier, p->comm);
    for (int64_t step = 0; step < p->plan->steps && status == GRADUS_OK; step++)
        status = step_overlapped(p, &courier, step, error);
    gr_dist_courier_stop(&courier);
    if (status != GRADUS_OK)
        return status;
    add_reduction(p, &last, p->plan->steps - 1);
    return carry(p, &last, error);
}

enum gradus_status gr_dist_pipeline_run(struct gr_dist_pipeline *pipeline,
                                        struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    if (pipeline->plan->overlap)
        return run_overlapped(pipeline, error);
    for (int64_t step = 0; step < pipeline->plan->steps && status == GRADUS_OK; step++)
        status = step_alone(pipeline, step, error);
    return status;
}
