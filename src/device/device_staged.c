/* device_staged.c: products of matrices in host memory. SPDX-License-Identifier: MIT
 *
 *         B in panels of columns         C is computed in panels, one row of panels
 *            +-----+-----+-----+         after another. The panel of A stays on the GPU
 *            |  0  |  1  |  0  |         for a row of them. Those of B and C have two
 *   A        +-----+-----+-----+         places, 0 and 1, each with its own stream: while
 *   +---+    +-----+-----+-----+         the product of one place is computed, the host
 *   | A |    |  0  |  1  |  0  |  C      copies the next operands to the other place and
 *   +---+    +-----+-----+-----+         the C of the product before back.
 *
 * staged_panels.c chooses their sizes, and staged_copy.c copies them. */
#include "device/device_staged.h"

#include "core/error.h"
#include "cpu/call_resources.h"
#include "cpu/gemm.h"
#include "cpu/workspace.h"
#include "device/device_gpu.h"
#include "device/device_product.h"
#include "device/staged_copy.h"
#include "device/staged_panels.h"

enum { GPUS = 64 };
static struct gr_staging stagings[GPUS];
static pthread_mutex_t stagings_lock =
    PTHREAD_MUTEX_INITIALIZER; /* held by the product that uses them */

struct work {
    struct gr_staged_copies copies;
    const struct gradus_gemm *g; /* one row-major product in host memory */
    int64_t rows, columns;       /* the size of a panel of C */
    uint64_t memory, a, b[GR_STAGED_PLACES], c[GR_STAGED_PLACES], bias;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t longest_row(const struct work *w)
{
    const struct gradus_gemm *g = w->g;
    const int64_t a = gr_staged_pitch(g->trans_a ? w->rows : g->k, g->a_type);
    const int64_t b = gr_staged_pitch(g->trans_b ? g->k : w->columns, g->b_type);
    return larger(larger(a, b),
                  larger(gr_staged_pitch(w->columns, g->c_type), gr_staged_bias_bytes(g)));
}

static enum gradus_status reserve(struct work *w)
{
    const struct gradus_gemm *g = w->g;
    enum gradus_status status = gr_staged_check(
        &w->copies,
        w->copies.driver->memory_alloc(&w->memory, (size_t)gr_staged_bytes(g, w->rows, w->columns)),
        "memory for operands");
    uint64_t at = w->memory;
    w->a = at;
    at += (uint64_t)gr_staged_a_bytes(g, w->rows);
    w->bias = at;
    at += (uint64_t)gr_staged_bias_bytes(g);
    for (int p = 0; p < GR_STAGED_PLACES; p++) {
        w->b[p] = at;
        at += (uint64_t)gr_staged_b_bytes(g, w->columns);
        w->c[p] = at;
        at += (uint64_t)gr_staged_c_bytes(g, w->rows, w->columns);
    }
    return status;
}

/* ---- The product ---- */

struct tile {
    int64_t row, rows, column, columns;
};

static struct gr_staged_panel c_of(const struct work *w, const struct tile *t)
{
    return gr_staged_panel_of(w->g->c, w->g->ldc, w->g->c_type, t->row, t->rows, t->column,
                              t->columns);
}

static enum gradus_status upload_a(struct work *w, const struct tile *t)
{
    const struct gradus_gemm *g = w->g;
    void *const *streams = w->copies.staging->streams;
    const struct gr_staged_panel a =
        g->trans_a ? gr_staged_panel_of(g->a, g->lda, g->a_type, 0, g->k, t->row, t->rows)
                   : gr_staged_panel_of(g->a, g->lda, g->a_type, t->row, t->rows, 0, g->k);
    /* Wait until the products that read the panel before this one have ended. */
    enum gradus_status status = gr_staged_check(
        &w->copies, w->copies.driver->stream_synchronize(streams[1]), "waiting for a product");
    if (status == GRADUS_OK)
        status = gr_staged_check(&w->copies, w->copies.driver->stream_synchronize(streams[0]),
                                 "waiting for a product");
    if (status == GRADUS_OK && gr_staged_reads(g))
        status = gr_staged_upload(&w->copies, 0, &a, w->a);
    if (status == GRADUS_OK)
        status = gr_staged_check(
            &w->copies, w->copies.driver->event_record(w->copies.staging->a_is_there, streams[0]),
            "recording an event");
    return status == GRADUS_OK ? gr_staged_check(&w->copies,
                                                 w->copies.driver->stream_wait(
                                                     streams[1], w->copies.staging->a_is_there, 0),
                                                 "ordering two streams")
                               : status;
}

/* Queues everything for one panel of C except the copy back to the host. */
static enum gradus_status queue(struct work *w, int place, const struct tile *t)
{
    const struct gradus_gemm *g = w->g;
    const struct gr_staged_panel b =
        g->trans_b ? gr_staged_panel_of(g->b, g->ldb, g->b_type, t->column, t->columns, 0, g->k)
                   : gr_staged_panel_of(g->b, g->ldb, g->b_type, 0, g->k, t->column, t->columns);
    const struct gr_staged_panel a_rows =
        gr_staged_panel_of(NULL, 0, g->a_type, 0, 0, 0, g->trans_a ? t->rows : g->k);
    const struct gr_staged_panel c = c_of(w, t);
    struct gradus_epilogue epilogue = {0};
    struct gradus_gemm panel = *g;
    enum gradus_status status =
        gr_staged_reads(g) ? gr_staged_upload(&w->copies, place, &b, w->b[place]) : GRADUS_OK;
    if (status == GRADUS_OK && g->beta != 0)
        status = gr_staged_upload(&w->copies, place, &c, w->c[place]);
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
    panel.stream = w->copies.staging->streams[place];
    return gr_device_gemm(&panel, w->copies.error);
}

static enum gradus_status upload_bias(struct work *w)
{
    const struct gradus_gemm *g = w->g;
    if (!gr_staged_bias_bytes(g))
        return GRADUS_OK;
    const struct gr_staged_panel bias = gr_staged_panel_of(
        g->epilogue->bias, 0, g->sum_type, 0, 1, 0, g->epilogue->bias_per_row ? g->m : g->n);
    return gr_staged_upload(&w->copies, 0, &bias,
                            w->bias); /* before A, whose event both streams wait for */
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
            const struct gr_staged_panel c = c_of(w, &before);
            if (status == GRADUS_OK && before.rows)
                status = gr_staged_download(&w->copies, !place, &c, w->c[!place]);
            before = t;
        }
        const struct gr_staged_panel c = c_of(w, &before);
        if (status == GRADUS_OK)
            status = gr_staged_download(&w->copies, !place, &c, w->c[!place]);
    }
    return status;
}

/* Computes one row-major product. The GPU's context must be current. */
static enum gradus_status stage(const struct gr_device_gpu *gpu, struct gr_team *team,
                                const struct gradus_gemm *g, struct gradus_error *error)
{
    struct work w = {.copies = {.driver = gpu->driver,
                                .staging = &stagings[gpu->ordinal],
                                .team = team,
                                .error = error},
                     .g = g};
    size_t free_bytes = 0, total = 0;
    enum gradus_status status = gr_staged_check(
        &w.copies, gpu->driver->memory_info(&free_bytes, &total), "asking for the free memory");
    if (status == GRADUS_OK)
        status = gr_staged_choose(g, (int64_t)(free_bytes - free_bytes / 16), &w.rows, &w.columns,
                                  error);
    if (status == GRADUS_OK)
        status = gr_staged_open(&w.copies, longest_row(&w));
    if (status == GRADUS_OK)
        status = reserve(&w);
    if (status != GRADUS_OK)
        return status;
    status = compute(&w);
    /* After a failure, wait until no copy or kernel of the product is still running. */
    for (int p = 0; p < GR_STAGED_PLACES && status != GRADUS_OK; p++)
        (void)gpu->driver->stream_synchronize(w.copies.staging->streams[p]);
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

/* The i-th product of a batch, as a row-major one; a column-major product becomes its transpose. */
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
    if (gr_staged_reads(g)) /* the scales are in host memory, too */
        one.alpha *= (double)(g->scale_a ? *g->scale_a : 1) * (g->scale_b ? *g->scale_b : 1);
    one.scale_a = one.scale_b = NULL;
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

/* If C is in host memory, all matrices that are read must be there, too. */
static enum gradus_status check_host(const struct gr_device_driver *driver,
                                     const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct {
        const char *name;
        const void *address;
    } operands[] = {{"a", g->a_array ? g->a_array[0] : g->a},
                    {"b", g->b_array ? g->b_array[0] : g->b},
                    {"scale_a", g->scale_a},
                    {"scale_b", g->scale_b},
                    {"epilogue->bias", g->epilogue ? g->epilogue->bias : NULL}};
    for (size_t i = gr_staged_reads(g) ? 0 : 4; i < sizeof operands / sizeof *operands; i++)
        if (operands[i].address && !gr_device_on_host(driver, operands[i].address))
            return gr_fail(
                error, GRADUS_INVALID,
                "gradus_gemm_run: %s: found memory of a GPU, and c in host memory, wanted "
                "all of them in one GPU's memory, or all in the host's",
                operands[i].name);
    return GRADUS_OK;
}

/* Takes the threads that fill and empty the page-locked buffers: of those that products on the CPU
 * may use, as many as saturate the memory. Returns null if the caller's thread alone is to do
 * it. */
static struct gr_workspace *take_threads(const struct gradus_gemm *g)
{
    enum { MOST = 8 };
    const int64_t worth_threads = INT64_C(4) << 20;
    if (gr_staged_bytes(g, g->m, g->n) < worth_threads)
        return NULL;
    const int threads = gr_call_threads(g, MOST);
    return threads > 1 ? gr_workspace_take(threads) : NULL;
}

enum gradus_status gr_device_run(const struct gradus_gemm *g, struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    struct gr_device_gpu *gpu = NULL;
    struct gradus_error own = {0}; /* gr_staged_choose reads its status */
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
    /* Earlier work of the stream may still write to the operands. */
    status = gr_device_check(driver, driver->stream_synchronize(g->stream),
                             "waiting for the stream", error);
    pthread_mutex_lock(&stagings_lock);
    struct gr_workspace *threads = status == GRADUS_OK ? take_threads(g) : NULL;
    for (int64_t i = 0; i < (g->batch > 1 ? g->batch : 1) && status == GRADUS_OK; i++) {
        struct gradus_epilogue epilogue;
        const struct gradus_gemm one = product_of(g, i, &epilogue);
        status = stage(gpu, threads ? threads->team : NULL, &one, error);
    }
    if (threads)
        gr_workspace_give(threads);
    pthread_mutex_unlock(&stagings_lock);
    gr_device_leave(gpu, entered);
    gradus_error_clear(&own);
    return status;
}
