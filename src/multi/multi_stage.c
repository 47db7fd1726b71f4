/* multi_stage.c: copies between the host's memory and one of several GPUs through page-locked
 * buffers, so that the GPU copies asynchronously. SPDX-License-Identifier: MIT */
#include "multi/multi_run.h"

#include "core/clock.h"
#include "cpu/gemm.h"

#include <string.h>

enum { UP, DOWN };

/* Rows of bytes in the memory of the host and of the GPU. */
struct rows {
    char *host;
    int64_t ld; /* distance between the host's rows, in bytes */
    uint64_t device;
    int64_t pitch, row_bytes, count;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum gradus_status check(const struct gr_multi_run *r, int result, const char *what)
{
    return gr_multi_check(r->gpu, result, what, r->error);
}

static double seconds_since(int64_t begin_ns)
{
    return (double)(gr_now_ns() - begin_ns) * 1e-9;
}

static void copy_rows(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                      int64_t row_bytes, int64_t rows)
{
    if (to_pitch == from_pitch && row_bytes == to_pitch) {
        memcpy(to, from, (size_t)(row_bytes * rows));
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        memcpy(to + i * to_pitch, from + i * from_pitch, (size_t)row_bytes);
}

static enum gradus_status up(struct gr_multi_run *r, const struct rows *x)
{
    struct gr_multi_gpu *const g = r->gpu;
    void *const stream = g->streams[GR_MULTI_UP];
    enum gradus_status status = GRADUS_OK;
    const int64_t at_once = x->count > 0 ? g->half_bytes / x->pitch : 1;
    for (int64_t row = 0; row < x->count && status == GRADUS_OK; row += at_once) {
        const int64_t count = smaller(x->count - row, at_once);
        const int h = g->turn[UP]++ % GR_MULTI_HALVES;
        status = check(r, g->driver->event_synchronize(g->half_free[UP][h]), "waiting for a copy");
        if (status != GRADUS_OK)
            break;
        copy_rows(g->halves[UP][h], x->pitch, x->host + row * x->ld, x->ld, x->row_bytes, count);
        status =
            check(r,
                  g->driver->copy_to_device(x->device + (uint64_t)(row * x->pitch),
                                            g->halves[UP][h], (size_t)(count * x->pitch), stream),
                  "copying to the GPU");
        if (status == GRADUS_OK)
            status = check(r, g->driver->event_record(g->half_free[UP][h], stream),
                           "recording an event");
    }
    return status;
}

/* Two buffers: while the host empties one, the GPU fills the other. */
static enum gradus_status down(struct gr_multi_run *r, const struct rows *x)
{
    struct gr_multi_gpu *const g = r->gpu;
    void *const stream = g->streams[GR_MULTI_DOWN];
    enum gradus_status status = GRADUS_OK;
    const int64_t at_once = x->count > 0 ? g->half_bytes / x->pitch : 1;
    int64_t queued = 0, emptied = 0;
    while (emptied < x->count && status == GRADUS_OK) {
        while (queued < x->count && queued - emptied < GR_MULTI_HALVES * at_once &&
               status == GRADUS_OK) {
            const int h = (int)(queued / at_once % GR_MULTI_HALVES);
            const int64_t count = smaller(x->count - queued, at_once);
            status = check(r,
                           g->driver->copy_to_host(g->halves[DOWN][h],
                                                   x->device + (uint64_t)(queued * x->pitch),
                                                   (size_t)(count * x->pitch), stream),
                           "copying from the GPU");
            if (status == GRADUS_OK)
                status = check(r, g->driver->event_record(g->half_free[DOWN][h], stream),
                               "recording an event");
            queued += count;
        }
        if (status != GRADUS_OK)
            break;
        const int h = (int)(emptied / at_once % GR_MULTI_HALVES);
        const int64_t count = smaller(x->count - emptied, at_once);
        status =
            check(r, g->driver->event_synchronize(g->half_free[DOWN][h]), "waiting for a copy");
        if (status == GRADUS_OK)
            copy_rows(x->host + emptied * x->ld, x->ld, g->halves[DOWN][h], x->pitch, x->row_bytes,
                      count);
        emptied += count;
    }
    return status;
}

static struct rows rows_of(const void *matrix, int64_t ld, int64_t element,
                           const struct gr_multi_rect *part, uint64_t device, int64_t pitch)
{
    return (struct rows){
        .host = (char *)((uintptr_t)matrix + (uintptr_t)((part->row * ld + part->col) * element)),
        .ld = ld * element,
        .device = device,
        .pitch = pitch,
        .row_bytes = part->cols * element,
        .count = part->rows};
}

/* Uploads this rank's share of a panel. */
static enum gradus_status up_operand(struct gr_multi_run *r, int operand, int64_t tile)
{
    const struct gradus_gemm *const g = &r->gemm->gemm;
    const int64_t me = r->comm->rank, element = gr_multi_element(r->gemm, operand);
    const struct gr_multi_rect panel = gr_multi_needed(r->gemm, &r->plan, operand, me, tile);
    const int64_t pitch = gr_multi_pitch(panel.cols, element);
    struct gr_multi_rect part;
    if (!gr_multi_part(r->gemm, &r->plan, operand, me, me, tile, &part))
        return GRADUS_OK;
    const uint64_t place = r->all[me].places[operand][gr_multi_place(&r->plan, operand, tile)];
    const struct rows rows =
        rows_of(operand == GR_MULTI_A ? g->a : g->b, operand == GR_MULTI_A ? g->lda : g->ldb,
                element, &part, place + (uint64_t)((part.row - panel.row) * pitch), pitch);
    return up(r, &rows);
}

static struct rows rows_of_c(const struct gr_multi_run *r, const struct gr_multi_rect *t,
                             int64_t tile)
{
    const struct gradus_gemm *const g = &r->gemm->gemm;
    const int64_t element = gr_gemm_type_bytes(g->c_type);
    return rows_of(g->c, g->ldc, element, t, r->c[tile % GR_MULTI_PLACES],
                   gr_multi_pitch(t->cols, element));
}

enum gradus_status gr_multi_upload(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_device_driver *const d = r->gpu->driver;
    void *const stream = r->gpu->streams[GR_MULTI_UP];
    const int place = (int)(tile % GR_MULTI_PLACES);
    const struct gr_multi_rect t = gr_multi_tile(r->gemm, &r->plan, r->comm->rank, tile);
    const int64_t begin = gr_now_ns();
    enum gradus_status status = GRADUS_OK;
    if (tile >= GR_MULTI_PLACES) { /* the old contents of these places have been used and fetched */
        int result = d->stream_wait(stream, r->gpu->done[place], 0);
        for (int64_t peer = 0; peer < r->comm->size && result == 0; peer++)
            if (peer == r->comm->rank || !r->gpu->nccl)
                result = d->stream_wait(stream, r->all[peer].arrived[place], 0);
        status = check(r, result, "ordering two streams");
    }
    for (int x = 0; x < GR_MULTI_OPERANDS && status == GRADUS_OK; x++)
        status = up_operand(r, x, tile);
    if (status == GRADUS_OK && r->gemm->gemm.beta != 0 && t.rows > 0 && t.cols > 0) {
        const struct rows c = rows_of_c(r, &t, tile);
        status = up(r, &c);
    }
    if (status == GRADUS_OK)
        status = check(r, d->event_record(r->gpu->uploaded[place], stream), "recording an event");
    r->up_s += seconds_since(begin);
    return status;
}

enum gradus_status gr_multi_download(struct gr_multi_run *r, int64_t tile)
{
    const struct gr_multi_rect t = gr_multi_tile(r->gemm, &r->plan, r->comm->rank, tile);
    const int64_t begin = gr_now_ns();
    if (t.rows == 0 || t.cols == 0)
        return GRADUS_OK;
    enum gradus_status status =
        check(r,
              r->gpu->driver->stream_wait(r->gpu->streams[GR_MULTI_DOWN],
                                          r->gpu->done[tile % GR_MULTI_PLACES], 0),
              "ordering two streams");
    const struct rows c = rows_of_c(r, &t, tile);
    if (status == GRADUS_OK)
        status = down(r, &c);
    r->down_s += seconds_since(begin);
    return status;
}
