/* observe_walks.c: keeps the requests of each warp of a few blocks, in their order, so that the
 * report can step through them. SPDX-License-Identifier: MIT
 *
 * A kernel's loops make runs of requests that are a stride apart, and nested loops repeat such runs
 * at shifted addresses. So what a warp does at one site is kept as a list of runs (a tape). When
 * the tape is full and its runs repeat, only one period of them is kept, and each later request is
 * merely compared with the predicted one. */
#include "simrt/walks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TAPES = 4096, FIRST_RUNS = 4, MOST_TAPE_RUNS = 512 };

/* The requests of one warp at one site. Addresses count from the array's start. */
struct tape {
    int site, warp;
    struct gr_trace_run *runs;
    int count, room;
    int64_t base, last, total, kept, shift;
    bool rolled, over; /* over: further requests are only counted */
    /* If rolled: the next request is predicted as number `at` of the run `next`, in that
     * repetition. */
    int next;
    int64_t at, repetition;
};

struct gr_walking {
    int block; /* -1: this block's requests are not kept */
    int16_t
        same[GR_SITES]; /* the first site of the same access of the source, + 1; 0: not known yet */
    int tape_of[GR_SITES][GR_THREADS / 32]; /* + 1; 0: none */
    struct tape tapes[MOST_TAPES];
    int tape_count;
};

static bool open(struct gr_tracer *t)
{
    t->walking = calloc(1, sizeof *t->walking);
    if (t->walking)
        t->walking->block = -1;
    return t->walking != NULL;
}

static void forget(struct gr_walking *w)
{
    for (int i = 0; i < w->tape_count; i++) {
        w->tape_of[w->tapes[i].site][w->tapes[i].warp] = 0;
        free(w->tapes[i].runs);
    }
    w->tape_count = 0;
}

static void close(struct gr_tracer *t)
{
    if (!t->walking)
        return;
    forget(t->walking);
    free(t->walking);
}

static void block(struct gr_tracer *t)
{
    struct gr_walking *w = t->walking;
    forget(w); /* left from a block that did not end */
    w->block = -1;
    if (!gr_walks_want(&t->sm->block, t->sm->launch->grid))
        return;
    pthread_mutex_lock(&t->run->lock);
    w->block = gr_walks_block(&t->run->walks, &t->sm->block);
    pthread_mutex_unlock(&t->run->lock);
}

/* ---- A request's shape. ---- */

/* The number of the request's shape among those that the launch keeps; -1: there is no room. */
static int shape_of(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_shape *s = q->shape;
    gr_request_cost(q, t->sm->warp);
    struct gr_trace_shape shape = {.lanes = q->mask,
                                   .bytes = q->bytes,
                                   .sectors_ideal = s->ideal,
                                   .wavefronts = s->wavefronts,
                                   .wavefronts_ideal = s->wavefronts_ideal};
    for (int i = 0; i < q->lanes; i++)
        shape.offset[q->lane[i]] = (int64_t)(q->address[i] - q->lowest);
    uint64_t lead = q->address[0] - q->lowest;
    for (uint64_t k = 0; k < gr_sector_bytes; k++)
        shape.sectors[k] = s->sectors[gr_in_sector(k + lead)];
    pthread_mutex_lock(&t->run->lock);
    int number = gr_walks_shape(&t->run->walks, &shape);
    pthread_mutex_unlock(&t->run->lock);
    return number;
}

static int known_shape_of(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_shape *s = q->shape;
    uint64_t place = gr_in_sector(q->lowest), *costs = &s->walked_costs[place / 64];
    uint64_t cost = 1ULL << place % 64;
    if (s->walked == 0 || s->walked_lanes != q->mask || !(*costs & cost)) {
        if (s->walked_lanes != q->mask)
            memset(s->walked_costs, 0, sizeof s->walked_costs);
        *costs |= cost;
        s->walked = shape_of(t, q) + 1;
        s->walked_lanes = q->mask;
    }
    return s->walked - 1;
}

/* ---- The tape. ---- */

static bool same_access(const struct gr_site *a, const struct gr_site *b)
{
    return a->line && a->line == b->line && a->column == b->column && a->file == b->file &&
           a->access == b->access && a->space == b->space && a->array == b->array &&
           a->bytes == b->bytes;
}

static int site_of(struct gr_tracer *t, const struct gr_request *q)
{
    int16_t *same = &t->walking->same[q->index];
    for (int i = 0; *same == 0 && i <= q->index; i++)
        if (i == q->index || same_access(&t->run->sites[i], q->site))
            *same = (int16_t)(i + 1);
    return *same - 1;
}

static struct tape *tape_of(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_walking *w = t->walking;
    int site = site_of(t, q), warp = q->first_thread / t->sm->warp;
    int *number = &w->tape_of[site][warp % (GR_THREADS / 32)];
    if (*number == 0 && w->tape_count < MOST_TAPES) {
        w->tapes[w->tape_count++] = (struct tape){.site = site, .warp = warp};
        *number = w->tape_count;
    }
    return *number ? &w->tapes[*number - 1] : NULL;
}

/* The number of runs after which the tape repeats itself, shifted; the last run may be incomplete.
 * 0: it does not repeat. */
static int period_of(const struct tape *p)
{
    for (int period = 1; period <= p->count / 2; period++) {
        const int64_t shift = p->runs[period].start - p->runs[0].start;
        bool again = true;
        for (int i = period; i < p->count && again; i++) {
            const struct gr_trace_run *a = &p->runs[i - period], *b = &p->runs[i];
            bool last = i + 1 == p->count;
            again = b->shape == a->shape && b->start - a->start == shift &&
                    (b->count == a->count || (last && b->count < a->count)) &&
                    (b->stride == a->stride || (last && b->count == 1));
        }
        if (again)
            return period;
    }
    return 0;
}

/* Keeps one period of the runs, and sets up the prediction of the next request. False: the runs do
 * not repeat. */
static bool roll_up(struct tape *p)
{
    int period = period_of(p);
    if (period == 0)
        return false;
    const struct gr_trace_run last = p->runs[p->count - 1];
    p->shift = p->runs[period].start - p->runs[0].start;
    p->repetition = (p->count - 1) / period;
    p->next = (p->count - 1) % period;
    p->at = last.count;
    p->count = period;
    p->rolled = true;
    return true;
}

static void expect(struct tape *p, int shape, int64_t place)
{
    if (p->at == p->runs[p->next].count) {
        p->at = 0;
        p->next++;
    }
    if (p->next == p->count) {
        p->next = 0;
        p->repetition++;
    }
    const struct gr_trace_run *r = &p->runs[p->next];
    int64_t wanted = p->base + p->repetition * p->shift + r->start + p->at * r->stride;
    p->over = shape != r->shape || place != wanted;
    p->at++;
}

/* Continues the last run, or begins a new one. */
static void append(struct tape *p, int shape, int64_t place)
{
    struct gr_trace_run *r = p->count ? &p->runs[p->count - 1] : NULL;
    if (r && r->shape == shape && (r->count == 1 || place - p->last == r->stride)) {
        r->stride = place - p->last;
        r->count++;
        return;
    }
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : FIRST_RUNS;
        struct gr_trace_run *grown = realloc(p->runs, (size_t)room * sizeof *grown);
        p->over = !grown;
        if (!grown)
            return;
        p->runs = grown;
        p->room = room;
    }
    p->runs[p->count++] =
        (struct gr_trace_run){.count = 1, .start = place - p->base, .shape = shape};
}

static void put(struct tape *p, int shape, int64_t place)
{
    p->base = p->total == 0 ? place : p->base;
    p->total++;
    if (!p->over && !p->rolled && p->count == MOST_TAPE_RUNS)
        p->over = !roll_up(p);
    if (p->over || shape < 0) {
        p->over = true;
        return;
    }
    if (p->rolled)
        expect(p, shape, place);
    else
        append(p, shape, place);
    p->last = place;
    p->kept += !p->over;
}

static void request(struct gr_tracer *t, const struct gr_request *q)
{
    if (t->walking->block < 0 || !q->array || q->access == GR_TRACE_ARRIVES)
        return;
    struct tape *p = tape_of(t, q);
    if (p)
        put(p, p->over ? -1 : known_shape_of(t, q), (int64_t)(q->lowest - q->array->lo));
}

/* ---- The end of the block. ---- */

static void hand_over(struct gr_trace_walks *walks, struct tape *p, int number)
{
    if (!p->rolled)
        roll_up(p);
    const struct gr_trace_walk walk = {
        .run_count = p->count, .shift = p->shift, .kept = p->kept, .total = p->total};
    struct gr_trace_trail trail = {
        .site = p->site, .block = number, .warp = p->warp, .base = p->base};
    trail.walk = p->kept > 0 ? gr_walks_walk(walks, &walk, p->runs) : -1;
    if (trail.walk >= 0)
        gr_walks_trail(walks, &trail);
}

static void block_ends(struct gr_tracer *t)
{
    struct gr_walking *w = t->walking;
    if (w->block < 0)
        return;
    pthread_mutex_lock(&t->run->lock);
    for (int i = 0; i < w->tape_count; i++)
        hand_over(&t->run->walks, &w->tapes[i], w->block);
    t->run->walks.dropped |= w->tape_count == MOST_TAPES;
    pthread_mutex_unlock(&t->run->lock);
    forget(w);
    w->block = -1;
}

const struct gr_observer gr_observe_walks = {.open = open,
                                             .close = close,
                                             .block = block,
                                             .global = request,
                                             .shared = request,
                                             .block_ends = block_ends};
