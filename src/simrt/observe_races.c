/* observe_races.c: finds accesses of two threads to shared memory that nothing orders, and reads of
 * shared memory that no thread has written. SPDX-License-Identifier: MIT */
#include "simrt/shared_history.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };

static void close_shared(struct gr_tracer *t)
{
    struct gr_shared *s = t->shared;
    if (!s)
        return;
    free(s->read);
    free(s->written);
    free(s->init);
    free(s->words);
    free(s->log);
    free(s->patterns);
    gr_lane_order_close(&s->order);
    free(s);
}

static bool open_shared(struct gr_tracer *t)
{
    struct gr_shared *s = t->shared = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->granule = t->run->job->granule;
    s->granule_shift = __builtin_ctz((unsigned)s->granule);
    s->extent = gr_shared_extent();
    s->chunks = (int64_t)s->extent / s->granule / CHUNK + 2;
    s->read = calloc((size_t)s->chunks + 1, sizeof *s->read);
    s->written = calloc((size_t)s->chunks + 1, sizeof *s->written);
    s->init = calloc((size_t)s->chunks + 1, sizeof *s->init);
    s->log = malloc(GR_LOG_ROOM * sizeof *s->log);
    s->patterns = malloc(GR_LOG_ROOM * sizeof *s->patterns);
    return s->read && s->written && s->init && s->log && s->patterns &&
           gr_lane_order_open(&s->order, t->sm->threads, t->sm->warp);
}

static void forget_phase(struct gr_tracer *t)
{
    struct gr_shared *s = t->shared;
    size_t bytes = (size_t)s->chunks * sizeof *s->read;
    memset(s->read, 0, bytes);
    memset(s->written, 0, bytes);
    s->logged = s->pattern_count = 0;
}

static void begin_block(struct gr_tracer *t)
{
    forget_phase(t);
    memset(t->shared->init, 0, (size_t)t->shared->chunks * sizeof *t->shared->init);
}

void gr_shared_written(struct gr_tracer *t, uint32_t offset, uint32_t bytes)
{
    struct gr_shared *s = t->shared;
    const uint64_t granule = (uint64_t)s->granule, end = (uint64_t)offset + bytes;
    for (uint64_t g = offset / granule; g * granule < end && g < (uint64_t)s->chunks * CHUNK; g++)
        s->init[g / CHUNK] |= 1ULL << g % CHUNK;
}

/* ---- The history of each granule. ---- */

/* The shape of the last request of a site is kept for several entries of the log. */
static int pattern_of(const struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_shared *s = t->shared;
    struct gr_shape *shape = q->shape;
    if (shape->logged_in != t->phase) {
        shape->logged_in = t->phase;
        shape->pattern = s->pattern_count++;
        memcpy(s->patterns[shape->pattern], shape->offset,
               (size_t)q->lanes * sizeof *shape->offset);
    }
    return shape->pattern;
}

static void describe(const struct gr_tracer *t, const struct gr_request *q, struct gr_logged *to)
{
    to->code = q->site->code;
    to->tick = t->tick;
    to->array = q->site->array;
    to->first_thread = (uint16_t)q->first_thread;
    to->access = q->access;
    to->bytes = (uint8_t)q->bytes;
    to->lanes = q->mask;
    to->first = q->address[0];
}

/* `offset`: of each lane's address from the first one's. */
static void touch_words(struct gr_tracer *t, const struct gr_logged *q, const int64_t *offset)
{
    struct gr_shared *s = t->shared;
    struct gr_touch x = {.t = t,
                         .order = &s->order,
                         .array = q->array < 0 ? NULL : &gr_arrays[q->array],
                         .code = q->code,
                         .tick = q->tick,
                         .value = GR_VALUE_UNKNOWN,
                         .access = q->access,
                         .strong = q->access == GR_ACCESS_ATOMIC};
    for (uint64_t left = q->lanes; left; left &= left - 1, offset++) {
        x.thread = (uint16_t)(q->first_thread + __builtin_ctzll(left));
        for (int k = 0; k < q->bytes; k += s->granule) {
            x.address = q->first + (uint64_t)(*offset + k);
            gr_word_touch(&x, &s->words[x.address / (uint64_t)s->granule]);
        }
    }
}

static void meet(struct gr_tracer *t, const struct gr_logged *q)
{
    gr_lanes_meet(&t->shared->order, q->first_thread / t->sm->warp, q->lanes, q->present);
}

static void become_careful(struct gr_tracer *t)
{
    struct gr_shared *s = t->shared;
    s->words = calloc((size_t)s->chunks * CHUNK + 16, sizeof *s->words);
    if (!s->words) {
        t->run->faults_dropped = true;
        return;
    }
    s->careful = true;
    for (int i = 0; i < s->logged; i++)
        if (s->log[i].access == GR_LOGGED_MEETING)
            meet(t, &s->log[i]);
        else
            touch_words(t, &s->log[i], s->patterns[s->log[i].pattern]);
}

/* Keeps a meeting of lanes in the log, unless there has been no request since the barrier or since
 * the last meeting of the same lanes. */
static void met(struct gr_tracer *t, int warp, uint64_t mask, int present)
{
    struct gr_shared *s = t->shared;
    struct gr_logged now = {.access = GR_LOGGED_MEETING,
                            .first_thread = (uint16_t)(warp * t->sm->warp),
                            .lanes = mask,
                            .present = (uint8_t)present};
    const struct gr_logged *last = s->logged > 0 ? &s->log[s->logged - 1] : NULL;
    if (!s->careful &&
        (!last || (last->access == GR_LOGGED_MEETING && last->first_thread == now.first_thread &&
                   last->lanes == mask && last->present == now.present)))
        return;
    if (!s->careful && s->logged == GR_LOG_ROOM)
        become_careful(t);
    if (s->careful)
        meet(t, &now);
    else if (s->logged < GR_LOG_ROOM)
        s->log[s->logged++] = now;
}

static void report_uninitialised(struct gr_tracer *t, const struct gr_request *q)
{
    const struct gr_shared *s = t->shared;
    for (int i = 0; i < q->lanes; i++)
        for (int k = 0; k < q->bytes; k += s->granule) {
            uint64_t address = q->address[i] + (uint64_t)k;
            uint64_t number = address / (uint64_t)s->granule;
            bool outside = q->array && (address < q->array->lo || address >= q->array->hi);
            if (outside || s->init[number / CHUNK] >> number % CHUNK & 1)
                continue;
            const struct gr_fault_at fault = {.kind = GR_FIND_UNINITIALISED,
                                              .code = q->site->code,
                                              .thread = q->first_thread + q->lane[i],
                                              .other = -1,
                                              .array = q->array,
                                              .address = address};
            gr_fault_report(t, &fault);
        }
}

/* ---- Two bits for each granule. ---- */

/* Computes the granules that the lanes access, as bits counted from the lowest granule. */
static void find_chunks(const struct gr_request *q, int granule)
{
    struct gr_shape *shape = q->shape;
    uint64_t lowest = q->lowest / (uint64_t)granule;
    shape->chunk_count = 0;
    for (int i = 0; i < q->lanes; i++) {
        uint64_t first = q->address[i] / (uint64_t)granule - lowest;
        uint64_t last = (q->address[i] + (uint64_t)q->bytes - 1) / (uint64_t)granule - lowest;
        for (uint64_t g = first; g <= last; g++) {
            int32_t index = (int32_t)(g / CHUNK);
            int k = shape->chunk_count - 1;
            while (k >= 0 && shape->chunks[k].index != index)
                k--;
            if (k < 0 && shape->chunk_count == GR_TRACE_LANES) {
                shape->chunk_count = -1;
                return;
            }
            if (k < 0) {
                k = shape->chunk_count++;
                shape->chunks[k].index = index;
                shape->chunks[k].bits = 0;
            }
            shape->chunks[k].bits |= 1ULL << g % CHUNK;
        }
    }
}

struct hits {
    uint64_t read, written, uninitialised;
};

/* Marks the request's granules, and returns the marks that were there before. */
static struct hits mark(struct gr_shared *s, const struct gr_request *q)
{
    struct hits hits = {0};
    uint64_t first = q->lowest >> s->granule_shift;
    unsigned shift = first % CHUNK;
    bool loads = q->access == GR_ACCESS_LOAD;
    uint64_t *marks = loads ? s->read : s->written;
    for (int i = 0; i < q->shape->chunk_count; i++) {
        uint64_t at = first / CHUNK + (uint64_t)q->shape->chunks[i].index;
        uint64_t bits = q->shape->chunks[i].bits;
        uint64_t low = bits << shift, high = shift ? bits >> (CHUNK - shift) : 0;
        hits.read |= (s->read[at] & low) | (s->read[at + 1] & high);
        hits.written |= (s->written[at] & low) | (s->written[at + 1] & high);
        hits.uninitialised |= (~s->init[at] & low) | (~s->init[at + 1] & high);
        marks[at] |= low;
        marks[at + 1] |= high;
        if (!loads) {
            s->init[at] |= low;
            s->init[at + 1] |= high;
        }
    }
    return hits;
}

static void shared(struct gr_tracer *t, const struct gr_request *q)
{
    struct gr_shared *s = t->shared;
    if (t->abandoned || q->end > s->extent)
        return;
    if (q->shape->chunk_count == 0 || (q->lowest & (uint64_t)(s->granule - 1)) != 0)
        find_chunks(q, s->granule);
    struct hits hits = mark(s, q);
    bool loads = q->access == GR_ACCESS_LOAD;
    bool suspect = hits.written || (!loads && hits.read) || q->shape->chunk_count < 0;
    if (loads && hits.uninitialised)
        report_uninitialised(t, q);
    if (!s->careful && (suspect || s->logged == GR_LOG_ROOM))
        become_careful(t);
    if (s->careful) {
        struct gr_logged now;
        describe(t, q, &now);
        touch_words(t, &now, q->shape->offset);
    } else if (s->logged < GR_LOG_ROOM) {
        struct gr_logged *now = &s->log[s->logged++];
        describe(t, q, now);
        now->pattern = pattern_of(t, q);
    }
}

const struct gr_observer gr_observe_races = {.open = open_shared,
                                             .close = close_shared,
                                             .block = begin_block,
                                             .barrier = forget_phase,
                                             .met = met,
                                             .shared = shared};
