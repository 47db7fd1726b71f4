/* staged_copy.c: copies between host memory and a GPU by way of page-locked buffers.
 * SPDX-License-Identifier: MIT */
#include "device/staged_copy.h"

#include "cpu/gemm.h"
#include "ukr.h"

#include <string.h>

enum { NON_BLOCKING = 1, WITHOUT_TIMING = 2 };
static const int64_t half_least = INT64_C(8) << 20;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct gr_staged_panel gr_staged_panel_of(const void *matrix, int64_t ld, enum gradus_type type,
                                          int64_t row, int64_t rows, int64_t column,
                                          int64_t columns)
{
    const int64_t bytes = gr_gemm_type_bytes(type);
    return (struct gr_staged_panel){.host = (char *)(uintptr_t)matrix + (row * ld + column) * bytes,
                                    .ld = ld * bytes,
                                    .rows = rows,
                                    .row_bytes = columns * bytes,
                                    .pitch = gr_staged_pitch(columns, type)};
}

enum gradus_status gr_staged_check(const struct gr_staged_copies *w, int result, const char *what)
{
    return gr_device_check(w->driver, result, what, w->error);
}

/* ---- Streams and buffers ---- */

static enum gradus_status open_streams(const struct gr_staged_copies *w)
{
    struct gr_staging *s = w->staging;
    int result = 0;
    if (s->has_streams)
        return GRADUS_OK;
    for (int p = 0; p < GR_STAGED_PLACES && result == 0; p++) {
        result = w->driver->stream_create(&s->streams[p], NON_BLOCKING);
        for (int h = 0; h < GR_STAGED_HALVES && result == 0; h++)
            result = w->driver->event_create(&s->copied[p][h], WITHOUT_TIMING);
    }
    if (result == 0)
        result = w->driver->event_create(&s->a_is_there, WITHOUT_TIMING);
    s->has_streams = result == 0;
    return gr_staged_check(w, result, "streams for operands in host memory");
}

/* Allocates page-locked buffers that hold at least one row. */
static enum gradus_status open_buffers(const struct gr_staged_copies *w, int64_t row_bytes)
{
    struct gr_staging *s = w->staging;
    const int64_t bytes = row_bytes > half_least ? gr_staged_rounded(row_bytes) : half_least;
    int result = 0;
    if (s->half_bytes >= bytes)
        return GRADUS_OK;
    s->half_bytes = 0;
    for (int i = 0; i < GR_STAGED_PLACES * GR_STAGED_HALVES && result == 0; i++) {
        void **buffer = &s->buffers[i / GR_STAGED_HALVES][i % GR_STAGED_HALVES];
        if (*buffer)
            w->driver->host_free(*buffer);
        *buffer = NULL;
        result = w->driver->host_alloc(buffer, (size_t)bytes, 0);
    }
    s->half_bytes = result == 0 ? bytes : 0;
    return gr_staged_check(w, result, "page-locked memory");
}

enum gradus_status gr_staged_open(const struct gr_staged_copies *w, int64_t row_bytes)
{
    const enum gradus_status status = open_streams(w);
    return status == GRADUS_OK ? open_buffers(w, row_bytes) : status;
}

/* ---- Rows ---- */

/* A copy of rows between the host's matrix and a buffer. */
struct rows {
    char *to;
    const char *from;
    int64_t to_pitch, from_pitch, row_bytes, count;
    int64_t each; /* rows that a thread copies at a time */
};

static void copy_some(void *context, int64_t tile, int thread)
{
    const struct rows *r = context;
    const int64_t end = smaller(r->count, (tile + 1) * r->each);
    (void)thread;
    for (int64_t i = tile * r->each; i < end; i++)
        memcpy(r->to + i * r->to_pitch, r->from + i * r->from_pitch, (size_t)r->row_bytes);
}

/* The rows are shared among threads, since one thread copies a few GB per second, and the bus
 * carries ten times as much. */
static void copy_rows(const struct gr_staged_copies *w, struct rows *r)
{
    const int64_t worth_a_tile = INT64_C(256) << 10;
    r->each =
        r->row_bytes < worth_a_tile ? worth_a_tile / (r->row_bytes > 0 ? r->row_bytes : 1) : 1;
    const int64_t tiles = (r->count + r->each - 1) / r->each;
    if (w->team && tiles > 1)
        w->team->run(w->team, tiles, copy_some, r);
    else
        for (int64_t tile = 0; tile < tiles; tile++)
            copy_some(r, tile, 0);
}

/* ---- Copies ---- */

enum gradus_status gr_staged_upload(struct gr_staged_copies *w, int place,
                                    const struct gr_staged_panel *x, uint64_t to)
{
    struct gr_staging *s = w->staging;
    const int64_t at_once = s->half_bytes / x->pitch;
    enum gradus_status status = GRADUS_OK;
    for (int64_t row = 0; row < x->rows && status == GRADUS_OK; row += at_once) {
        const int64_t count = smaller(x->rows - row, at_once);
        const int h = w->turn[place]++ % GR_STAGED_HALVES;
        char *buffer = s->buffers[place][h];
        struct rows rows = {.to = buffer,
                            .to_pitch = x->pitch,
                            .from = x->host + row * x->ld,
                            .from_pitch = x->ld,
                            .row_bytes = x->row_bytes,
                            .count = count};
        status = gr_staged_check(w, w->driver->event_synchronize(s->copied[place][h]),
                                 "waiting for a copy");
        if (status == GRADUS_OK)
            copy_rows(w, &rows);
        if (status == GRADUS_OK)
            status = gr_staged_check(w,
                                     w->driver->copy_to_device(to + (uint64_t)(row * x->pitch),
                                                               buffer, (size_t)(count * x->pitch),
                                                               s->streams[place]),
                                     "copying to the GPU");
        if (status == GRADUS_OK)
            status =
                gr_staged_check(w, w->driver->event_record(s->copied[place][h], s->streams[place]),
                                "recording an event");
    }
    return status;
}

/* Queues the copy of `count` rows, from row `row` on, to buffer h. */
static enum gradus_status fetch(struct gr_staged_copies *w, int place,
                                const struct gr_staged_panel *x, uint64_t from, int64_t row,
                                int64_t count, int h)
{
    struct gr_staging *s = w->staging;
    const enum gradus_status status = gr_staged_check(
        w,
        w->driver->copy_to_host(s->buffers[place][h], from + (uint64_t)(row * x->pitch),
                                (size_t)(count * x->pitch), s->streams[place]),
        "copying from the GPU");
    return status == GRADUS_OK
               ? gr_staged_check(w, w->driver->event_record(s->copied[place][h], s->streams[place]),
                                 "recording an event")
               : status;
}

enum gradus_status gr_staged_download(struct gr_staged_copies *w, int place,
                                      const struct gr_staged_panel *x, uint64_t from)
{
    struct gr_staging *s = w->staging;
    const int64_t at_once = s->half_bytes / x->pitch;
    enum gradus_status status = x->rows > 0 ? fetch(w, place, x, from, 0, smaller(x->rows, at_once),
                                                    w->turn[place] % GR_STAGED_HALVES)
                                            : GRADUS_OK;
    for (int64_t row = 0; row < x->rows && status == GRADUS_OK; row += at_once) {
        const int64_t next = row + at_once;
        const int h = w->turn[place]++ % GR_STAGED_HALVES;
        struct rows rows = {.to = x->host + row * x->ld,
                            .to_pitch = x->ld,
                            .from = s->buffers[place][h],
                            .from_pitch = x->pitch,
                            .row_bytes = x->row_bytes,
                            .count = smaller(x->rows - row, at_once)};
        if (next < x->rows) /* they arrive while the current rows are copied */
            status = fetch(w, place, x, from, next, smaller(x->rows - next, at_once),
                           w->turn[place] % GR_STAGED_HALVES);
        if (status == GRADUS_OK)
            status = gr_staged_check(w, w->driver->event_synchronize(s->copied[place][h]),
                                     "waiting for a copy");
        if (status == GRADUS_OK)
            copy_rows(w, &rows);
    }
    return status;
}
