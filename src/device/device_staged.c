/* device_staged.c: products of matrices in host memory. SPDX-License-Identifier: MIT
 *
 *         B, columns at a time           C is computed in panels, a row of them after
 *            +-----+-----+-----+         another. A's panel stays for a row of them;
 *            |  0  |  1  |  0  |         those of B and C have two places, 0 and 1,
 *   A        +-----+-----+-----+         with a stream each: while one place's
 *   +---+    +-----+-----+-----+         product is computed, the host copies the
 *   | A |    |  0  |  1  |  0  |  C      other's operands there, and the C of the
 *   +---+    +-----+-----+-----+         product before back.
 *
 * The way leads through page-locked buffers, two for each stream, since only from those does the
 * GPU copy while the host goes on. */
#include "device/device_staged.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_gpu.h"
#include "device/device_product.h"

#include <inttypes.h>
#include <string.h>

enum { GPUS = 64, PLACES = 2, HALVES = 2, LEAST = 128, NON_BLOCKING = 1, WITHOUT_TIMING = 2 };
static const int64_t half_least = INT64_C(8) << 20;

/* What stays with a GPU: streams, events, page-locked buffers. */
static struct staging {
    bool has_streams;
    void *streams[PLACES], *buffers[PLACES][HALVES];
    void *copied[PLACES][HALVES]; /* events: the buffer may be written again */
    void *a_is_there;
    int64_t half_bytes;
} stagings[GPUS];
static pthread_mutex_t stagings_lock =
    PTHREAD_MUTEX_INITIALIZER; /* one product has them at a time */

/* A matrix of the host's, or a panel of one: rows as they are stored. */
struct panel {
    char *host;
    int64_t ld; /* of the host's, in bytes */
    int64_t rows, row_bytes, pitch;
};

struct work {
    const struct gr_device_driver *driver;
    struct staging *staging;
    const struct gradus_gemm *g; /* row-major, in host memory, one product */
    struct gradus_error *error;
    int64_t rows, columns; /* of a panel of C */
    uint64_t memory, a, b[PLACES], c[PLACES], bias;
    int turn[PLACES];
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Memory ---- */

static int64_t rounded(int64_t bytes)
{
    enum { BOUNDARY = 256 };
    return (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

static bool reads(const struct gradus_gemm *g)
{
    return g->k > 0 && g->alpha != 0;
}

/* Bytes from one row of a panel to the next: the kernels like rows that begin at vectors. */
static int64_t pitch_of(int64_t elements, enum gradus_type type)
{
    enum { VECTOR = 16 };
    return (elements * gr_gemm_type_bytes(type) + VECTOR - 1) / VECTOR * VECTOR;
}

static int64_t bytes_of_a(const struct gradus_gemm *g, int64_t rows)
{
    return !reads(g)    ? 0
           : g->trans_a ? rounded(pitch_of(rows, g->a_type) * g->k)
                        : rounded(pitch_of(g->k, g->a_type) * rows);
}

static int64_t bytes_of_b(const struct gradus_gemm *g, int64_t columns)
{
    return !reads(g)    ? 0
           : g->trans_b ? rounded(pitch_of(g->k, g->b_type) * columns)
                        : rounded(pitch_of(columns, g->b_type) * g->k);
}

static int64_t bytes_of_c(const struct gradus_gemm *g, int64_t rows, int64_t columns)
{
    return rounded(pitch_of(columns, g->c_type) * rows);
}

static int64_t bytes_of_bias(const struct gradus_gemm *g)
{
    if (!g->epilogue || !g->epilogue->bias)
        return 0;
    return rounded((g->epilogue->bias_per_row ? g->m : g->n) * gr_gemm_type_bytes(g->sum_type));
}

static int64_t panel_bytes(const struct gradus_gemm *g, int64_t rows, int64_t columns)
{
    return bytes_of_a(g, rows) + bytes_of_bias(g) +
           PLACES * (bytes_of_b(g, columns) + bytes_of_c(g, rows, columns));
}

/* Does a panel fit, with the workspaces of two streams? -1: an error. */
static int fits(const struct gradus_gemm *g, int64_t free_bytes, int64_t rows, int64_t columns,
                struct gradus_error *error)
{
    struct gradus_gemm panel = *g;
    panel.m = rows, panel.n = columns;
    panel.lda = pitch_of(g->trans_a ? rows : g->k, g->a_type) / gr_gemm_type_bytes(g->a_type);
    panel.ldb = pitch_of(g->trans_b ? g->k : columns, g->b_type) / gr_gemm_type_bytes(g->b_type);
    panel.ldc = pitch_of(columns, g->c_type) / gr_gemm_type_bytes(g->c_type);
    panel.c = NULL;
    const int64_t bytes = panel_bytes(g, rows, columns);
    if (bytes > free_bytes)
        return 0;
    const int64_t workspace = gr_device_workspace(&panel, error);
    return workspace < 0 ? -1 : bytes + PLACES * workspace <= free_bytes;
}

static int64_t half_of(int64_t size)
{
    const int64_t half = (size / 2 + LEAST - 1) / LEAST * LEAST;
    return half > LEAST ? half : LEAST;
}

/* Rows and columns of the panels of C, as large as the GPU's free memory holds; the panels of A and
 * B have all of k. */
static enum gradus_status choose_panels(const struct gradus_gemm *g, int64_t free_bytes,
                                        int64_t *rows, int64_t *columns, struct gradus_error *error)
{
    const int64_t worth_overlap = INT64_C(64) << 20;
    *rows = g->m, *columns = g->n;
    /* With one panel nothing overlaps. */
    if (panel_bytes(g, *rows, *columns) > worth_overlap)
        *columns = smaller(g->n, half_of(half_of(g->n)));
    for (;;) {
        const int fit = fits(g, free_bytes, *rows, *columns, error);
        if (fit < 0)
            return error ? error->status : GRADUS_LAUNCH;
        if (fit)
            return GRADUS_OK;
        int64_t *larger = *rows > *columns ? rows : columns;
        if (*larger <= LEAST)
            return gr_fail(error, GRADUS_NO_MEMORY,
                           "gradus_gemm_run: k: found %" PRId64 " with operands in host memory, "
                           "and %" PRId64
                           " MB of free memory of the GPU, which do not hold %d rows "
                           "of A and columns of B: compute with GRADUS_CPU",
                           g->k, free_bytes >> 20, LEAST);
        *larger = half_of(*larger);
    }
}

/* ---- Streams and buffers ---- */

static enum gradus_status check(const struct work *w, int result, const char *what)
{
    return gr_device_check(w->driver, result, what, w->error);
}

static enum gradus_status open_streams(const struct work *w)
{
    struct staging *s = w->staging;
    int result = 0;
    if (s->has_streams)
        return GRADUS_OK;
    for (int p = 0; p < PLACES && result == 0; p++) {
        result = w->driver->stream_create(&s->streams[p], NON_BLOCKING);
        for (int h = 0; h < HALVES && result == 0; h++)
            result = w->driver->event_create(&s->copied[p][h], WITHOUT_TIMING);
    }
    if (result == 0)
        result = w->driver->event_create(&s->a_is_there, WITHOUT_TIMING);
    s->has_streams = result == 0;
    return check(w, result, "streams for operands in host memory");
}

/* Page-locked buffers that hold a row at least. */
static enum gradus_status open_buffers(const struct work *w, int64_t row_bytes)
{
    struct staging *s = w->staging;
    const int64_t bytes = row_bytes > half_least ? rounded(row_bytes) : half_least;
    int result = 0;
    if (s->half_bytes >= bytes)
        return GRADUS_OK;
    s->half_bytes = 0;
    for (int i = 0; i < PLACES * HALVES && result == 0; i++) {
        void **buffer = &s->buffers[i / HALVES][i % HALVES];
        if (*buffer)
            w->driver->host_free(*buffer);
        *buffer = NULL;
        result = w->driver->host_alloc(buffer, (size_t)bytes, 0);
    }
    s->half_bytes = result == 0 ? bytes : 0;
    return check(w, result, "page-locked memory");
}

static int64_t longest_row(const struct work *w)
{
    const struct gradus_gemm *g = w->g;
    const int64_t a = pitch_of(g->trans_a ? w->rows : g->k, g->a_type);
    const int64_t b = pitch_of(g->trans_b ? g->k : w->columns, g->b_type);
    return larger(larger(a, b), larger(pitch_of(w->columns, g->c_type), bytes_of_bias(g)));
}

static enum gradus_status reserve(struct work *w)
{
    const struct gradus_gemm *g = w->g;
    enum gradus_status status =
        check(w, w->driver->memory_alloc(&w->memory, (size_t)panel_bytes(g, w->rows, w->columns)),
              "memory for operands");
    uint64_t at = w->memory;
    w->a = at;
    at += (uint64_t)bytes_of_a(g, w->rows);
    w->bias = at;
    at += (uint64_t)bytes_of_bias(g);
    for (int p = 0; p < PLACES; p++) {
        w->b[p] = at;
        at += (uint64_t)bytes_of_b(g, w->columns);
        w->c[p] = at;
        at += (uint64_t)bytes_of_c(g, w->rows, w->columns);
    }
    return status;
}

/* ---- Copies ---- */

/* Queues the copies of a panel to the GPU, in the stream of a place. */
static enum gradus_status upload(struct work *w, int place, const struct panel *x, uint64_t to)
{
    struct staging *s = w->staging;
    const int64_t at_once = s->half_bytes / x->pitch;
    enum gradus_status status = GRADUS_OK;
    for (int64_t row = 0; row < x->rows && status == GRADUS_OK; row += at_once) {
        const int64_t count = smaller(x->rows - row, at_once);
        const int h = w->turn[place]++ % HALVES;
        char *buffer = s->buffers[place][h];
        status = check(w, w->driver->event_synchronize(s->copied[place][h]), "waiting for a copy");
        for (int64_t i = 0; i < count && status == GRADUS_OK; i++)
            memcpy(buffer + i * x->pitch, x->host + (row + i) * x->ld, (size_t)x->row_bytes);
        if (status == GRADUS_OK)
            status = check(w,
                           w->driver->copy_to_device(to + (uint64_t)(row * x->pitch), buffer,
                                                     (size_t)(count * x->pitch), s->streams[place]),
                           "copying to the GPU");
        if (status == GRADUS_OK)
            status = check(w, w->driver->event_record(s->copied[place][h], s->streams[place]),
                           "recording an event");
    }
    return status;
}

/* Copies a panel back, when what is queued in the stream of its place has ended. */
static enum gradus_status download(struct work *w, int place, const struct panel *x, uint64_t from)
{
    struct staging *s = w->staging;
    const int64_t at_once = s->half_bytes / x->pitch;
    enum gradus_status status = GRADUS_OK;
    for (int64_t row = 0; row < x->rows && status == GRADUS_OK; row += at_once) {
        const int64_t count = smaller(x->rows - row, at_once);
        const int h = w->turn[place]++ % HALVES;
        const char *buffer = s->buffers[place][h];
        status =
            check(w,
                  w->driver->copy_to_host(s->buffers[place][h], from + (uint64_t)(row * x->pitch),
                                          (size_t)(count * x->pitch), s->streams[place]),
                  "copying from the GPU");
        if (status == GRADUS_OK)
            status = check(w, w->driver->event_record(s->copied[place][h], s->streams[place]),
                           "recording an event");
        if (status == GRADUS_OK)
            status =
                check(w, w->driver->event_synchronize(s->copied[place][h]), "waiting for a copy");
        for (int64_t i = 0; i < count && status == GRADUS_OK; i++)
            memcpy(x->host + (row + i) * x->ld, buffer + i * x->pitch, (size_t)x->row_bytes);
    }
    return status;
}

static struct panel panel_of(const void *matrix, int64_t ld, enum gradus_type type, int64_t row,
                             int64_t rows, int64_t column, int64_t columns)
{
    const int64_t bytes = gr_gemm_type_bytes(type);
    return (struct panel){.host = (char *)(uintptr_t)matrix + (row * ld + column) * bytes,
                          .ld = ld * bytes,
                          .rows = rows,
                          .row_bytes = columns * bytes,
                          .pitch = pitch_of(columns, type)};
}

/* ---- The product ---- */

struct tile {
    int64_t row, rows, column, columns;
};

static struct panel c_of(const struct work *w, const struct tile *t)
{
    return panel_of(w->g->c, w->g->ldc, w->g->c_type, t->row, t->rows, t->column, t->columns);
}

static enum gradus_status upload_a(struct work *w, const struct tile *t)
{
    const struct gradus_gemm *g = w->g;
    void *const *streams = w->staging->streams;
    const struct panel a = g->trans_a ? panel_of(g->a, g->lda, g->a_type, 0, g->k, t->row, t->rows)
                                      : panel_of(g->a, g->lda, g->a_type, t->row, t->rows, 0, g->k);
    /* Products that read the panel before this one are done. */
    enum gradus_status status =
        check(w, w->driver->stream_synchronize(streams[1]), "waiting for a product");
    if (status == GRADUS_OK)
        status = check(w, w->driver->stream_synchronize(streams[0]), "waiting for a product");
    if (status == GRADUS_OK && reads(g))
        status = upload(w, 0, &a, w->a);
    if (status == GRADUS_OK)
        status = check(w, w->driver->event_record(w->staging->a_is_there, streams[0]),
                       "recording an event");
    return status == GRADUS_OK
               ? check(w, w->driver->stream_wait(streams[1], w->staging->a_is_there, 0),
                       "ordering two streams")
               : status;
}

/* Queues all of a panel of C but its way back. */
static enum gradus_status queue(struct work *w, int place, const struct tile *t)
{
    const struct gradus_gemm *g = w->g;
    const struct panel b = g->trans_b
                               ? panel_of(g->b, g->ldb, g->b_type, t->column, t->columns, 0, g->k)
                               : panel_of(g->b, g->ldb, g->b_type, 0, g->k, t->column, t->columns);
    const struct panel a_rows = panel_of(NULL, 0, g->a_type, 0, 0, 0, g->trans_a ? t->rows : g->k);
    const struct panel c = c_of(w, t);
    struct gradus_epilogue epilogue = {0};
    struct gradus_gemm panel = *g;
    enum gradus_status status = reads(g) ? upload(w, place, &b, w->b[place]) : GRADUS_OK;
    if (status == GRADUS_OK && g->beta != 0)
        status = upload(w, place, &c, w->c[place]);
    if (status != GRADUS_OK)
        return status;
    if (g->epilogue) {
        epilogue = *g->epilogue;
        const int64_t first = epilogue.bias_per_row ? t->row : t->column;
        if (epilogue.bias)
            epilogue.bias =
                (const void *)(uintptr_t)(w->bias +
                                          (uint64_t)(first * gr_gemm_type_bytes(g->sum_type)));
        panel.epilogue = &epilogue;
    }
    panel.m = t->rows, panel.n = t->columns;
    panel.a = (const void *)(uintptr_t)w->a;
    panel.b = (const void *)(uintptr_t)w->b[place];
    panel.c = (void *)(uintptr_t)w->c[place];
    panel.lda = a_rows.pitch / gr_gemm_type_bytes(g->a_type);
    panel.ldb = b.pitch / gr_gemm_type_bytes(g->b_type);
    panel.ldc = c.pitch / gr_gemm_type_bytes(g->c_type);
    panel.stream = w->staging->streams[place];
    return gr_device_gemm(&panel, w->error);
}

static enum gradus_status upload_bias(struct work *w)
{
    const struct gradus_gemm *g = w->g;
    if (!bytes_of_bias(g))
        return GRADUS_OK;
    const struct panel bias = panel_of(g->epilogue->bias, 0, g->sum_type, 0, 1, 0,
                                       g->epilogue->bias_per_row ? g->m : g->n);
    return upload(w, 0, &bias, w->bias); /* before A, so that both streams wait for it */
}

static enum gradus_status compute(struct work *w)
{
    const struct gradus_gemm *g = w->g;
    enum gradus_status status = upload_bias(w);
    for (int64_t row = 0; row < g->m && status == GRADUS_OK; row += w->rows) {
        struct tile t = {.row = row, .rows = smaller(g->m - row, w->rows)};
        struct tile before = {0};
        int place = 0;
        status = upload_a(w, &t);
        for (; t.column < g->n && status == GRADUS_OK; t.column += w->columns, place = !place) {
            t.columns = smaller(g->n - t.column, w->columns);
            status = queue(w, place, &t);
            const struct panel c = c_of(w, &before);
            if (status == GRADUS_OK && before.rows)
                status = download(w, !place, &c, w->c[!place]);
            before = t;
        }
        const struct panel c = c_of(w, &before);
        if (status == GRADUS_OK)
            status = download(w, !place, &c, w->c[!place]);
    }
    return status;
}

/* One row-major product; the GPU's context is current. */
static enum gradus_status stage(const struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                struct gradus_error *error)
{
    struct work w = {
        .driver = gpu->driver, .staging = &stagings[gpu->ordinal], .g = g, .error = error};
    size_t free_bytes = 0, total = 0;
    enum gradus_status status =
        check(&w, gpu->driver->memory_info(&free_bytes, &total), "asking for the free memory");
    if (status == GRADUS_OK)
        status =
            choose_panels(g, (int64_t)(free_bytes - free_bytes / 16), &w.rows, &w.columns, error);
    if (status == GRADUS_OK)
        status = open_streams(&w);
    if (status == GRADUS_OK)
        status = open_buffers(&w, longest_row(&w));
    if (status == GRADUS_OK)
        status = reserve(&w);
    if (status != GRADUS_OK)
        return status;
    status = compute(&w);
    /* Nothing of a product that failed is still on its way. */
    for (int p = 0; p < PLACES && status != GRADUS_OK; p++)
        (void)gpu->driver->stream_synchronize(w.staging->streams[p]);
    gpu->driver->memory_free(w.memory);
    return status;
}

static const void *matrix(const void *first, const void *const *array, int64_t i, int64_t stride,
                          enum gradus_type type)
{
    if (array)
        return array[i];
    return first ? (const char *)first + i * stride * gr_gemm_type_bytes(type) : NULL;
}

/* The i-th product of a batch, as a row-major one: of a column-major one the transposed product. */
static struct gradus_gemm product_of(const struct gradus_gemm *g, int64_t i,
                                     struct gradus_epilogue *epilogue)
{
    const bool turned = g->layout == GRADUS_COL_MAJOR;
    const void *a = matrix(g->a, g->a_array, i, g->stride_a, g->a_type);
    const void *b = matrix(g->b, g->b_array, i, g->stride_b, g->b_type);
    const void *c = matrix(g->c, (const void *const *)g->c_array, i, g->stride_c, g->c_type);
    struct gradus_gemm one = *g;
    one.layout = GRADUS_ROW_MAJOR;
    one.batch = one.stride_a = one.stride_b = one.stride_c = 0;
    one.a_array = one.b_array = NULL, one.c_array = NULL;
    one.workspace = NULL, one.workspace_bytes = 0;
    one.a = turned ? b : a, one.b = turned ? a : b, one.c = (void *)(uintptr_t)c;
    if (g->epilogue) {
        *epilogue = *g->epilogue;
        epilogue->bias_per_row = (epilogue->bias_per_row != 0) != turned;
        one.epilogue = epilogue;
    }
    if (!turned)
        return one;
    one.a_type = g->b_type, one.b_type = g->a_type;
    one.trans_a = g->trans_b, one.trans_b = g->trans_a;
    one.m = g->n, one.n = g->m;
    one.lda = g->ldb, one.ldb = g->lda;
    return one;
}

/* With C in host memory, all that is read must be there. */
static enum gradus_status check_host(const struct gr_device_driver *driver,
                                     const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct {
        const char *name;
        const void *address;
    } operands[] = {{"a", g->a_array ? g->a_array[0] : g->a},
                    {"b", g->b_array ? g->b_array[0] : g->b},
                    {"epilogue->bias", g->epilogue ? g->epilogue->bias : NULL}};
    for (size_t i = reads(g) ? 0 : 2; i < sizeof operands / sizeof *operands; i++)
        if (operands[i].address && !gr_device_on_host(driver, operands[i].address))
            return gr_fail(
                error, GRADUS_INVALID,
                "gradus_gemm_run: %s: found memory of a GPU, and c in host memory, wanted "
                "all of them in one GPU's memory, or all in the host's",
                operands[i].name);
    return GRADUS_OK;
}

enum gradus_status gr_device_run(const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    struct gr_device_gpu *gpu = NULL;
    struct gradus_error own = {0}; /* choose_panels reads its status */
    bool entered = false;
    if (!error)
        error = &own;
    if (g->m == 0 || g->n == 0 || g->packed_a || g->packed_b || g->context)
        return gr_device_gemm(g, error);
    enum gradus_status status = gr_device_driver_open(&driver, error);
    if (status != GRADUS_OK || g->arrays_on_gpu ||
        !gr_device_on_host(driver, g->c_array ? g->c_array[0] : g->c))
        return status == GRADUS_OK ? gr_device_gemm(g, error) : status;
    status = check_host(driver, g, error);
    if (status == GRADUS_OK)
        status = gr_device_gpu_open(gr_device_gpu_in_use(driver), &gpu, error);
    if (status == GRADUS_OK)
        status = gr_device_enter(gpu, &entered, error);
    if (status != GRADUS_OK)
        return status;
    /* What the stream writes to the operands. */
    status = gr_device_check(driver, driver->stream_synchronize(g->stream),
                             "waiting for the stream", error);
    pthread_mutex_lock(&stagings_lock);
    for (int64_t i = 0; i < (g->batch > 1 ? g->batch : 1) && status == GRADUS_OK; i++) {
        struct gradus_epilogue epilogue;
        const struct gradus_gemm one = product_of(g, i, &epilogue);
        status = stage(gpu, &one, error);
    }
    pthread_mutex_unlock(&stagings_lock);
    gr_device_leave(gpu, entered);
    gradus_error_clear(&own);
    return status;
}
