/* dist_panels.c: all-gather and reduce-scatter of panels. SPDX-License-Identifier: MIT
 *
 * The part of each sharer is contiguous in the buffer, and so are those of successive sharers, so
 * that they are sent from there and received there. The sums of C are added in the order of the
 * grid, beginning with the rank's own. */
#include "dist/dist_panels.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* The dimension in which the sharers of an operand differ. */
static enum gr_dist_dim missing_of(enum gr_dist_operand operand)
{
    static const enum gr_dist_dim missing[] = {GR_DIST_N, GR_DIST_M, GR_DIST_K};
    return missing[operand];
}

static int64_t rows_of(struct gr_dist_rect r)
{
    return r.row_end - r.row;
}

static int64_t cols_of(struct gr_dist_rect r)
{
    return r.col_end - r.col;
}

static size_t bytes_of(struct gr_dist_rect r, const struct gr_dist_plan *plan)
{
    return (size_t)rows_of(r) * (size_t)cols_of(r) * (size_t)plan->problem.element_bytes;
}

/* Elements between two lines, if only `rect` is stored. */
static int64_t ld_of(struct gr_dist_rect rect, bool by_cols)
{
    return by_cols ? rows_of(rect) : cols_of(rect);
}

/* As BLAS wants it, also of an empty matrix. */
static int64_t at_least_1(int64_t ld)
{
    return ld > 1 ? ld : 1;
}

/* The part of `rect` that the sharer at `place` owns. */
static struct gr_dist_rect part_of(const struct gr_dist_panel *panel, struct gr_dist_rect rect,
                                   const struct gr_dist_rect *own)
{
    struct gr_dist_rect part = rect;
    if (panel->by_cols)
        part.col = own->col, part.col_end = own->col_end;
    else
        part.row = own->row, part.row_end = own->row_end;
    return part;
}

/* A sharer's rank. */
static int64_t sharer(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                      int64_t rank, int64_t place)
{
    int64_t at[3];
    gr_dist_coordinates(plan, rank, at);
    at[missing_of(panel->operand)] = place;
    return gr_dist_rank(plan, at);
}

void gr_dist_panel_init(struct gr_dist_panel *panel, const struct gr_dist_plan *plan, int64_t rank,
                        enum gr_dist_operand operand, size_t bytes[3])
{
    const struct gr_dist_box box = gr_dist_box_of(plan, rank);
    const enum gr_dist_dim missing = missing_of(operand);
    const bool used = rank < plan->ranks;
    int64_t at[3];
    gr_dist_coordinates(plan, used ? rank : 0, at);
    *panel = (struct gr_dist_panel){.operand = operand,
                                    .own = gr_dist_owned(plan, rank, operand),
                                    .sharers = used ? plan->grid[missing] : 1,
                                    .me = at[missing],
                                    .stepped = plan->step_dim != missing};
    /* A's and C's rows are along m, B's along k. */
    panel->by_cols = plan->split[operand] == (operand == GR_DIST_A ? GR_DIST_K : GR_DIST_N);
    const struct gr_dist_box step =
        panel->stepped ? gr_dist_step_of(plan, &box, 0) : box; /* the first one is the largest */
    const struct gr_dist_rect largest = gr_dist_side_of(&step, operand);
    bytes[0] = bytes_of(panel->own, plan);
    bytes[1] = panel->sharers > 1 ? bytes_of(largest, plan) : 0;
    bytes[2] = panel->sharers > 1 && operand == GR_DIST_C
                   ? bytes_of(part_of(panel, largest, &panel->own), plan)
                   : 0;
}

struct gr_dist_view gr_dist_panel_view(const struct gr_dist_panel *panel,
                                       const struct gr_dist_plan *plan, struct gr_dist_rect rect)
{
    const bool by_cols = panel->by_cols;
    if (panel->sharers > 1)
        return (struct gr_dist_view){panel->buffer, at_least_1(ld_of(rect, by_cols)), by_cols};
    const int64_t ld = at_least_1(ld_of(panel->own, by_cols));
    const int64_t row = rect.row - panel->own.row, col = rect.col - panel->own.col;
    const int64_t offset = by_cols ? col * ld + row : row * ld + col;
    return (struct gr_dist_view){panel->owned + offset * plan->problem.element_bytes, ld, by_cols};
}

/* A part's place in the buffer that holds `rect`: the parts before it are whole lines. */
static char *place_of(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                      struct gr_dist_rect rect, struct gr_dist_rect part)
{
    const int64_t lines = panel->by_cols ? part.col - rect.col : part.row - rect.row;
    return panel->buffer + lines * ld_of(rect, panel->by_cols) * plan->problem.element_bytes;
}

/* This rank's elements of `part`, a line at a time. */
static void copy_own(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                     struct gr_dist_rect part, char *to)
{
    const struct gr_dist_rect own = panel->own;
    const int64_t line = ld_of(part, panel->by_cols), ld = ld_of(own, panel->by_cols);
    const int64_t first = panel->by_cols ? part.row - own.row : part.col - own.col;
    const int64_t lines = panel->by_cols ? cols_of(part) : rows_of(part);
    const size_t element = (size_t)plan->problem.element_bytes;
    for (int64_t i = 0; i < lines && line > 0; i++)
        memcpy(to + element * (size_t)(i * line), panel->owned + element * (size_t)(i * ld + first),
               element * (size_t)line);
}

/* The parts of `count` sharers from `first` on, in the buffer: as far as the last sharer, or,
 * wrapped, what of them begins with sharer 0 again. */
static struct gr_dist_message run_of(const struct gr_dist_panel *panel,
                                     const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                     int64_t first, int64_t count, bool wrapped)
{
    const int64_t p = panel->sharers, end = first + count;
    const int64_t begin_part = wrapped ? 0 : first, end_part = wrapped   ? end - p
                                                               : end < p ? end
                                                                         : p;
    if (end_part <= begin_part)
        return (struct gr_dist_message){0};
    const int64_t lines = panel->by_cols ? cols_of(rect) : rows_of(rect);
    const int64_t begin = gr_dist_begin(lines, p, begin_part),
                  stop = gr_dist_begin(lines, p, end_part);
    const int64_t line = ld_of(rect, panel->by_cols) * plan->problem.element_bytes;
    return (struct gr_dist_message){0, panel->buffer + begin * line,
                                    (size_t)((stop - begin) * line)};
}

enum gradus_status gr_dist_panel_gather(struct gr_dist_comm *comm,
                                        const struct gr_dist_panel *panel,
                                        const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                        struct gradus_error *error)
{
    const int64_t p = panel->sharers;
    if (p == 1)
        return GRADUS_OK;
    const struct gr_dist_rect mine = part_of(panel, rect, &panel->own);
    copy_own(panel, plan, mine, place_of(panel, plan, rect, mine));
    /* Bruck's algorithm: a rank that has the parts of `have` sharers from its own on sends as many
     * of them as the other lacks to the one that is `have` places before it. */
    enum gradus_status status = GRADUS_OK;
    for (int64_t have = 1; have < p && status == GRADUS_OK; have *= 2) {
        const int64_t more = have < p - have ? have : p - have;
        const int64_t to = (panel->me - have + p) % p, from = (panel->me + have) % p;
        for (int wrapped = 0; wrapped < 2 && status == GRADUS_OK; wrapped++) {
            struct gr_dist_message send = run_of(panel, plan, rect, panel->me, more, wrapped);
            struct gr_dist_message receive = run_of(panel, plan, rect, from, more, wrapped);
            send.peer = sharer(panel, plan, comm->rank, to);
            receive.peer = sharer(panel, plan, comm->rank, from);
            status =
                comm->exchange(comm, &send, send.bytes > 0, &receive, receive.bytes > 0, error);
        }
    }
    return status;
}

static void add(char *sum, const char *x, size_t bytes, size_t element)
{
    if (element == sizeof(float))
        for (size_t i = 0; i < bytes / element; i++)
            ((float *)(void *)sum)[i] += ((const float *)(const void *)x)[i];
    else
        for (size_t i = 0; i < bytes / element; i++)
            ((double *)(void *)sum)[i] += ((const double *)(const void *)x)[i];
}

/* owned = beta * owned + sums, of this rank's part; with beta 0, `owned` is not read. */
static void finish(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                   struct gr_dist_rect part, const char *sums, double beta)
{
    const int64_t line = ld_of(part, panel->by_cols), ld = ld_of(panel->own, panel->by_cols);
    const int64_t first = panel->by_cols ? part.row - panel->own.row : part.col - panel->own.col;
    const int64_t lines = panel->by_cols ? cols_of(part) : rows_of(part);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < line; j++) {
            const int64_t to = i * ld + first + j, from = i * line + j;
            if (plan->problem.element_bytes == sizeof(float)) {
                float *const c = (float *)(void *)panel->owned + to;
                const float sum = ((const float *)(const void *)sums)[from];
                *c = beta == 0 ? sum : (float)beta * *c + sum;
            } else {
                double *const c = (double *)(void *)panel->owned + to;
                const double sum = ((const double *)(const void *)sums)[from];
                *c = beta == 0 ? sum : beta * *c + sum;
            }
        }
}

enum gradus_status gr_dist_panel_reduce(struct gr_dist_comm *comm,
                                        const struct gr_dist_panel *panel,
                                        const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                        double beta, struct gradus_error *error)
{
    const int64_t p = panel->sharers;
    if (p == 1)
        return GRADUS_OK;
    const struct gr_dist_rect mine = part_of(panel, rect, &panel->own);
    char *const sums = place_of(panel, plan, rect, mine);
    const size_t bytes = bytes_of(mine, plan);
    for (int64_t round = 1; round < p; round++) {
        const int64_t to = sharer(panel, plan, comm->rank, (panel->me + round) % p);
        const int64_t from = sharer(panel, plan, comm->rank, (panel->me - round + p) % p);
        const struct gr_dist_rect whole = gr_dist_owned(plan, to, panel->operand);
        const struct gr_dist_rect part = part_of(panel, rect, &whole);
        const struct gr_dist_message send = {to, place_of(panel, plan, rect, part),
                                             bytes_of(part, plan)};
        const struct gr_dist_message receive = {from, panel->received, bytes};
        const enum gradus_status status =
            comm->exchange(comm, &send, send.bytes > 0, &receive, receive.bytes > 0, error);
        if (status != GRADUS_OK)
            return status;
        add(sums, panel->received, bytes, (size_t)plan->problem.element_bytes);
    }
    finish(panel, plan, mine, sums, beta);
    return GRADUS_OK;
}
