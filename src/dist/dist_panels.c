/* dist_panels.c: all-gather and reduce-scatter of panels. SPDX-License-Identifier: MIT
 *
 * The part of each sharer is contiguous in the buffer, and so are the parts of successive sharers,
 * so they are sent from there and received there. The sums of C are added in a fixed order: first
 * the rank's own, then those of the sharers before it in the grid, the nearest first. */
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

/* The leading dimension of a dense array of `rect`, in elements. */
static int64_t ld_of(struct gr_dist_rect rect, bool by_cols)
{
    return by_cols ? rows_of(rect) : cols_of(rect);
}

/* BLAS requires a leading dimension of at least 1, also for an empty matrix. */
static int64_t at_least_1(int64_t ld)
{
    return ld > 1 ? ld : 1;
}

/* The part of `rect` that belongs to the sharer that owns `own`. */
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

/* The rank of the sharer at `place`. */
static int64_t sharer(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                      int64_t rank, int64_t place)
{
    int64_t at[3];
    gr_dist_coordinates(plan, rank, at);
    at[missing_of(panel->operand)] = place;
    return gr_dist_rank(plan, at);
}

void gr_dist_panel_init(struct gr_dist_panel *panel, const struct gr_dist_plan *plan, int64_t rank,
                        enum gr_dist_operand operand, size_t bytes[GR_DIST_MEMORIES])
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
    /* The rows of A and C are along m, those of B along k. */
    panel->by_cols = plan->split[operand] == (operand == GR_DIST_A ? GR_DIST_K : GR_DIST_N);
    const struct gr_dist_box step =
        panel->stepped ? gr_dist_step_of(plan, &box, 0) : box; /* the first one is the largest */
    const struct gr_dist_rect largest = gr_dist_side_of(&step, operand);
    const bool shared = panel->sharers > 1;
    bytes[GR_DIST_OWNED] = bytes_of(panel->own, plan);
    bytes[GR_DIST_BUFFER] = shared ? bytes_of(largest, plan) : 0;
    bytes[GR_DIST_SECOND] = panel->stepped && plan->overlap ? bytes[GR_DIST_BUFFER] : 0;
    bytes[GR_DIST_RECEIVED] =
        shared && operand == GR_DIST_C ? bytes_of(part_of(panel, largest, &panel->own), plan) : 0;
}

char *gr_dist_panel_buffer(const struct gr_dist_panel *panel, const struct gr_dist_plan *plan,
                           int64_t step)
{
    return panel->buffer[panel->stepped && plan->overlap ? step % 2 : 0];
}

struct gr_dist_view gr_dist_panel_view(const struct gr_dist_panel *panel,
                                       const struct gr_dist_plan *plan, struct gr_dist_rect rect,
                                       int64_t step)
{
    const bool by_cols = panel->by_cols;
    if (panel->sharers > 1)
        return (struct gr_dist_view){gr_dist_panel_buffer(panel, plan, step),
                                     at_least_1(ld_of(rect, by_cols)), by_cols};
    const int64_t ld = at_least_1(ld_of(panel->own, by_cols));
    const int64_t row = rect.row - panel->own.row, col = rect.col - panel->own.col;
    const int64_t offset = by_cols ? col * ld + row : row * ld + col;
    return (struct gr_dist_view){panel->owned + offset * plan->problem.element_bytes, ld, by_cols};
}

/* The address of a part in the buffer that holds the panel. The parts before it are whole lines. */
static char *place_of(const struct gr_dist_flight *f, struct gr_dist_rect part)
{
    const bool by_cols = f->panel->by_cols;
    const int64_t lines = by_cols ? part.col - f->rect.col : part.row - f->rect.row;
    return f->buffer + lines * ld_of(f->rect, by_cols) * f->plan->problem.element_bytes;
}

/* Copies this rank's elements of `part`, one line at a time. */
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

/* Describes the parts of `count` sharers from `first` on in the buffer: up to the last sharer or,
 * if `wrapped`, those that continue with sharer 0. */
static struct gr_dist_message run_of(const struct gr_dist_flight *f, int64_t first, int64_t count,
                                     bool wrapped)
{
    const int64_t p = f->panel->sharers, end = first + count;
    const int64_t begin_part = wrapped ? 0 : first, end_part = wrapped   ? end - p
                                                               : end < p ? end
                                                                         : p;
    if (end_part <= begin_part)
        return (struct gr_dist_message){0};
    const bool by_cols = f->panel->by_cols;
    const int64_t lines = by_cols ? cols_of(f->rect) : rows_of(f->rect);
    const int64_t begin = gr_dist_begin(lines, p, begin_part),
                  stop = gr_dist_begin(lines, p, end_part);
    const int64_t line = ld_of(f->rect, by_cols) * f->plan->problem.element_bytes;
    return (struct gr_dist_message){0, f->buffer + begin * line, (size_t)((stop - begin) * line)};
}

/* The messages that a round sends and receives. */
struct round {
    struct gr_dist_message sends[2], receives[2];
    int64_t send_count, receive_count;
};

static void put(struct gr_dist_message messages[2], int64_t *count, struct gr_dist_message message,
                int64_t peer)
{
    message.peer = peer;
    if (message.bytes > 0)
        messages[(*count)++] = message;
}

/* Bruck's algorithm: a rank has the parts of `have` sharers, from its own on. It sends as many of
 * them as the other lacks to the sharer that is `have` places before it. */
static void gather_round(const struct gr_dist_flight *f, struct round *round)
{
    const int64_t p = f->panel->sharers, me = f->panel->me, have = (int64_t)1 << f->round;
    const int64_t more = have < p - have ? have : p - have, from = (me + have) % p;
    const int64_t to_rank = sharer(f->panel, f->plan, f->comm->rank, (me - have + p) % p);
    const int64_t from_rank = sharer(f->panel, f->plan, f->comm->rank, from);
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        put(round->sends, &round->send_count, run_of(f, me, more, wrapped), to_rank);
        put(round->receives, &round->receive_count, run_of(f, from, more, wrapped), from_rank);
    }
}

/* This rank's part of the panel. */
static struct gr_dist_rect mine_of(const struct gr_dist_flight *f)
{
    return part_of(f->panel, f->rect, &f->panel->own);
}

/* In each round, a rank sends another sharer's part to it and receives a summand of its own
 * part. */
static void reduce_round(const struct gr_dist_flight *f, struct round *round)
{
    const int64_t p = f->panel->sharers, me = f->panel->me, distance = f->round + 1;
    const int64_t to = sharer(f->panel, f->plan, f->comm->rank, (me + distance) % p);
    const int64_t from = sharer(f->panel, f->plan, f->comm->rank, (me - distance + p) % p);
    const struct gr_dist_rect whole = gr_dist_owned(f->plan, to, f->panel->operand);
    const struct gr_dist_rect part = part_of(f->panel, f->rect, &whole);
    const struct gr_dist_message send = {to, place_of(f, part), bytes_of(part, f->plan)};
    const struct gr_dist_message receive = {from, f->panel->received,
                                            bytes_of(mine_of(f), f->plan)};
    put(round->sends, &round->send_count, send, to);
    put(round->receives, &round->receive_count, receive, from);
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

/* owned = beta * owned + sums for this rank's part; with beta 0, `owned` is not read. */
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

static bool is_last(const struct gr_dist_flight *f)
{
    const int64_t p = f->panel->sharers;
    return f->panel->operand == GR_DIST_C ? f->round >= p - 1 : (int64_t)1 << f->round >= p;
}

/* Begins the next round, if there is one. */
static enum gradus_status begin_round(struct gr_dist_flight *f, struct gradus_error *error)
{
    struct gr_dist_comm *const comm = f->comm;
    struct round r = {0};
    f->ticket = NULL;
    if (is_last(f))
        return GRADUS_OK;
    (f->panel->operand == GR_DIST_C ? reduce_round : gather_round)(f, &r);
    for (int64_t i = 0; i < r.send_count; i++)
        f->sent_bytes += (int64_t)r.sends[i].bytes;
    for (int64_t i = 0; i < r.receive_count; i++)
        f->received_bytes += (int64_t)r.receives[i].bytes;
    if (comm->start)
        return comm->start(comm, r.sends, r.send_count, r.receives, r.receive_count, &f->ticket,
                           error);
    return comm->exchange(comm, r.sends, r.send_count, r.receives, r.receive_count, error);
}

enum gradus_status gr_dist_flight_begin(struct gr_dist_flight *flight, struct gradus_error *error)
{
    if (flight->panel->sharers == 1)
        return GRADUS_OK;
    if (flight->panel->operand != GR_DIST_C)
        copy_own(flight->panel, flight->plan, mine_of(flight), place_of(flight, mine_of(flight)));
    return begin_round(flight, error);
}

enum gradus_status gr_dist_flight_end(struct gr_dist_flight *flight, struct gradus_error *error)
{
    struct gr_dist_flight *const f = flight;
    if (f->panel->sharers == 1)
        return GRADUS_OK;
    const struct gr_dist_rect mine = mine_of(f);
    const bool reduce = f->panel->operand == GR_DIST_C;
    char *const sums = place_of(f, mine);
    for (; !is_last(f);) {
        enum gradus_status status =
            f->ticket ? f->comm->finish(f->comm, f->ticket, error) : GRADUS_OK;
        f->ticket = NULL;
        if (status != GRADUS_OK)
            return status;
        if (reduce)
            add(sums, f->panel->received, bytes_of(mine, f->plan),
                (size_t)f->plan->problem.element_bytes);
        f->round++;
        status = begin_round(f, error);
        if (status != GRADUS_OK)
            return status;
    }
    if (reduce)
        finish(f->panel, f->plan, mine, sums, f->beta);
    return GRADUS_OK;
}

void gr_dist_flight_drop(struct gr_dist_flight *flight)
{
    struct gradus_error error = {0};
    if (flight->ticket)
        flight->comm->finish(flight->comm, flight->ticket, &error);
    flight->ticket = NULL;
    gradus_error_clear(&error);
}
