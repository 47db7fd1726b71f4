/* gpus_operands.c: matrices in the memory of several GPUs.
 * SPDX-License-Identifier: MIT
 *
 * Each row is a part of a table of random numbers, which begins at a position that depends on the
 * index of the row. So rows are filled by copying, and the reference does not need the matrices. */
#include "measure/gpus_operands.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "dist/dist_threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 24, CHUNK = 32 << 20, UNITS = 64 };

static int64_t begin_of(int64_t n, int parts, int part)
{
    return gr_dist_begin(n, parts, part);
}

static int64_t width_of(int64_t n, int parts, int part)
{
    return begin_of(n, parts, part + 1) - begin_of(n, parts, part);
}

static int64_t element_of(const struct gr_gpus_operands *o)
{
    return gr_gemm_type_bytes(o->gemm.a_type);
}

/* Returns the position in the table at which a row of A or B begins. */
static int64_t start_of(const struct gr_gpus_operands *o, int which, int64_t row)
{
    const int64_t length = which == GR_MULTI_A ? o->gemm.k : o->gemm.n;
    return (row * 40503 + (which == GR_MULTI_A ? 0 : 7654321)) % (TABLE - length);
}

static enum gradus_status make_table(struct gr_gpus_operands *o, struct gradus_error *error)
{
    uint64_t state = 88172645463325252;
    o->table = malloc((size_t)(TABLE * element_of(o)));
    o->values = malloc(TABLE * sizeof *o->values);
    if (!o->table || !o->values)
        return gr_fail_memory(error, "random numbers", (uint64_t)(TABLE * element_of(o)));
    for (int64_t i = 0; i < TABLE; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const float x = (float)((double)(int64_t)state * 0x1p-63);
        o->values[i] = x;
    }
    if (o->gemm.a_type == GRADUS_BF16) {
        gradus_bf16_from_f32(o->values, (uint16_t *)(void *)o->table, TABLE);
        gradus_bf16_to_f32((const uint16_t *)(const void *)o->table, o->values, TABLE);
    } else {
        memcpy(o->table, o->values, TABLE * sizeof *o->values);
    }
    return GRADUS_OK;
}

/* ---- The reference. ---- */

/* Returns the index of sampled row i. They are the rows at the edges of C, and some between. */
static int64_t sampled(const struct gr_gpus_operands *o, int i)
{
    return i * (o->gemm.m - 1) / (GR_GPUS_ROWS - 1);
}

/* Computes columns [first, first + cols) of all sampled rows, in blocks that fit into a cache. */
static void add_up(struct gr_gpus_operands *o, int64_t first, int64_t cols)
{
    const int64_t n = o->gemm.n;
    for (int64_t l = 0; l < o->gemm.k; l++) {
        const float *const b = o->values + start_of(o, GR_MULTI_B, l) + first;
        for (int s = 0; s < GR_GPUS_ROWS; s++) {
            const double a = (double)o->values[start_of(o, GR_MULTI_A, sampled(o, s)) + l];
            double *const want = o->want + s * n + first;
            double *const size = want + GR_GPUS_ROWS * n;
            for (int64_t j = 0; j < cols; j++) {
                const double product = a * (double)b[j];
                want[j] += product;
                size[j] += fabs(product);
            }
        }
    }
}

static void make_reference(struct gr_gpus_operands *o, int part)
{
    enum { AT_ONCE = 1024 };
    const int64_t end = begin_of(o->gemm.n, o->count, part + 1);
    for (int64_t j = begin_of(o->gemm.n, o->count, part); j < end; j += AT_ONCE)
        add_up(o, j, end - j < AT_ONCE ? end - j : AT_ONCE);
}

/* ---- On the GPUs. ---- */

struct filling {
    struct gradus_gpus *gpus;
    struct gr_gpus_operands *operands;
};

static enum gradus_status up(const struct gr_multi_gpu *g, uint64_t to, const void *from,
                             int64_t bytes, struct gradus_error *error)
{
    int result = g->driver->copy_to_device(to, from, (size_t)bytes, g->streams[GR_MULTI_UP]);
    if (result == 0)
        result = g->driver->stream_synchronize(g->streams[GR_MULTI_UP]);
    return gr_multi_check(g, result, "copying to the GPU", error);
}

/* Fills rows [row, row + rows) and columns [col, col + cols) of A or B. */
static enum gradus_status fill(const struct gr_multi_gpu *g, const struct gr_gpus_operands *o,
                               int which, const struct gr_multi_rect *part, uint64_t to,
                               struct gradus_error *error)
{
    const int64_t element = element_of(o), bytes = part->cols * element;
    const int64_t at_once = CHUNK / (bytes > 0 ? bytes : 1) + 1;
    char *const chunk = malloc((size_t)(at_once * bytes + 1));
    enum gradus_status status = chunk ? GRADUS_OK : gr_fail_memory(error, "a chunk", CHUNK);
    for (int64_t row = 0; row < part->rows && status == GRADUS_OK; row += at_once) {
        const int64_t count = part->rows - row < at_once ? part->rows - row : at_once;
        for (int64_t i = 0; i < count; i++)
            memcpy(chunk + i * bytes,
                   o->table + (start_of(o, which, part->row + row + i) + part->col) * element,
                   (size_t)bytes);
        status = up(g, to + (uint64_t)(row * bytes), chunk, count * bytes, error);
    }
    free(chunk);
    return status;
}

static enum gradus_status allocate(const struct gr_multi_gpu *g, int64_t elements, int64_t element,
                                   uint64_t *address, struct gradus_error *error)
{
    return gr_multi_check(
        g,
        g->driver->memory_alloc(address, (size_t)(elements * element > 0 ? elements * element : 1)),
        "memory for matrices", error);
}

static enum gradus_status make_part(struct gr_dist_comm *comm, void *context,
                                    struct gradus_error *error)
{
    const struct filling *const f = context;
    struct gr_gpus_operands *const o = f->operands;
    const int i = (int)comm->rank;
    const struct gr_multi_gpu *const g = &f->gpus->gpus[i];
    const int64_t m = o->gemm.m, n = o->gemm.n, k = o->gemm.k, e = element_of(o);
    const bool all = i == 0;
    const struct gr_multi_rect a = {begin_of(m, o->count, i), all ? m : width_of(m, o->count, i), 0,
                                    k};
    const struct gr_multi_rect b = {0, k, begin_of(n, o->count, i),
                                    all ? n : width_of(n, o->count, i)};
    bool entered = false;
    enum gradus_status status = gr_device_enter(g->gpu, &entered, error);
    if (status == GRADUS_OK)
        status = allocate(g, a.rows * a.cols, e, &o->a[i], error);
    if (status == GRADUS_OK)
        status = allocate(g, b.rows * b.cols, e, &o->b[i], error);
    if (status == GRADUS_OK)
        status = allocate(g, m * b.cols, gr_gemm_type_bytes(o->gemm.c_type), &o->c[i], error);
    o->ldb[i] = o->ldc[i] = b.cols > 0 ? b.cols : 1;
    if (status == GRADUS_OK)
        status = fill(g, o, GR_MULTI_A, &a, o->a[i], error);
    if (status == GRADUS_OK)
        status = fill(g, o, GR_MULTI_B, &b, o->b[i], error);
    gr_device_leave(g->gpu, entered);
    if (status == GRADUS_OK)
        make_reference(o, i);
    return status;
}

enum gradus_status gr_gpus_operands_make(struct gradus_gpus *gpus, const struct gradus_gemm *sizes,
                                         struct gr_gpus_operands *o, struct gradus_error *error)
{
    struct filling f = {gpus, o};
    o->gemm = *sizes;
    o->count = gpus->count;
    if (sizes->k >= TABLE / 2 || sizes->n >= TABLE / 2)
        return gr_fail(error, GRADUS_UNSUPPORTED, "bench: found rows of more than %d elements",
                       TABLE / 2);
    enum gradus_status status = make_table(o, error);
    o->want = calloc((size_t)(2 * GR_GPUS_ROWS * sizes->n), sizeof *o->want);
    o->found = malloc((size_t)(GR_GPUS_ROWS * sizes->n) * sizeof *o->found);
    if (status == GRADUS_OK && !(o->want && o->found))
        status = gr_fail_memory(error, "a reference", (uint64_t)(2 * GR_GPUS_ROWS * sizes->n) * 8);
    if (status == GRADUS_OK)
        status = gr_dist_threads_run(gpus->count, make_part, &f, error);
    o->gemm.a = (const void *)(uintptr_t)o->a[0], o->gemm.lda = sizes->k;
    o->gemm.b = (const void *)(uintptr_t)o->b[0], o->gemm.ldb = sizes->n;
    o->gemm.c = (void *)(uintptr_t)o->c[0], o->gemm.ldc = sizes->n;
    o->gemm.device = GRADUS_GPU;
    return status;
}

void gr_gpus_operands_free(struct gradus_gpus *gpus, struct gr_gpus_operands *o)
{
    for (int i = 0; i < o->count; i++) {
        const struct gr_multi_gpu *const g = &gpus->gpus[i];
        const uint64_t all[] = {o->a[i], o->b[i], o->c[i]};
        bool entered = false;
        if (gr_device_enter(g->gpu, &entered, NULL) != GRADUS_OK)
            continue;
        for (int x = 0; x < 3; x++)
            if (all[x])
                g->driver->memory_free(all[x]);
        gr_device_leave(g->gpu, entered);
    }
    free(o->table), free(o->values), free(o->want), free(o->found);
    *o = (struct gr_gpus_operands){.count = 0};
}

enum gradus_status gr_gpus_operands_clear(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *o,
                                          struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < o->count && status == GRADUS_OK; i++) {
        const struct gr_multi_gpu *const g = &gpus->gpus[i];
        const int64_t bytes = o->gemm.m * (i == 0 ? o->gemm.n : width_of(o->gemm.n, o->count, i)) *
                              gr_gemm_type_bytes(o->gemm.c_type);
        bool entered = false;
        status = gr_device_enter(g->gpu, &entered, error);
        if (status != GRADUS_OK)
            return status;
        int result =
            bytes > 0 ? g->driver->set_bytes(o->c[i], 0xFF, (size_t)bytes, g->streams[GR_MULTI_UP])
                      : 0;
        if (result == 0)
            result = g->driver->stream_synchronize(g->streams[GR_MULTI_UP]);
        status = gr_multi_check(g, result, "clearing C", error);
        gr_device_leave(g->gpu, entered);
    }
    return status;
}

void gr_gpus_operands_problem(const struct gr_gpus_operands *o, struct gr_multi_gemm *gemms)
{
    for (int i = 0; i < o->count; i++) {
        gemms[i] =
            (struct gr_multi_gemm){.gemm = o->gemm,
                                   .resident = true,
                                   .a = {{o->count, 1}, (void *)(uintptr_t)o->a[i], o->gemm.k},
                                   .b = {{1, o->count}, (void *)(uintptr_t)o->b[i], o->ldb[i]},
                                   .c = {{1, o->count}, (void *)(uintptr_t)o->c[i], o->ldc[i]}};
        gemms[i].gemm.a = gemms[i].gemm.b = NULL;
        gemms[i].gemm.c = NULL;
    }
}

/* ---- The check. ---- */

/* Checks columns of a sampled row. */
static bool is_right(const struct gr_gpus_operands *o, int sample, int64_t first, int64_t cols,
                     const float *c)
{
    const double *const want = o->want + sample * o->gemm.n + first;
    const double *const size = want + GR_GPUS_ROWS * o->gemm.n;
    for (int64_t j = 0; j < cols; j++)
        if (!(fabs((double)c[j] - want[j]) <= UNITS * 0x1p-23 * size[j]))
            return false;
    return true;
}

struct checking {
    struct gradus_gpus *gpus;
    const struct gr_gpus_operands *operands;
    bool whole;
    int64_t wrong[GR_MULTI_GPUS]; /* the first wrong row; -1: none */
};

static enum gradus_status check_part(struct gr_dist_comm *comm, void *context,
                                     struct gradus_error *error)
{
    struct checking *const x = context;
    const struct gr_gpus_operands *const o = x->operands;
    const int i = (int)comm->rank;
    /* If GPU 0 has the whole C, each thread checks some of its columns through GPU 0. */
    const struct gr_multi_gpu *const holder = &x->gpus->gpus[x->whole ? 0 : i];
    const int64_t first = begin_of(o->gemm.n, o->count, i), cols = width_of(o->gemm.n, o->count, i);
    const uint64_t c = x->whole ? o->c[0] + (uint64_t)first * sizeof(float) : o->c[i];
    const int64_t ld = o->ldc[x->whole ? 0 : i];
    bool entered = false;
    enum gradus_status status = gr_device_enter(holder->gpu, &entered, error);
    x->wrong[i] = -1;
    for (int s = 0; s < GR_GPUS_ROWS && status == GRADUS_OK && cols > 0 && x->wrong[i] < 0; s++) {
        void *const stream = holder->streams[GR_MULTI_DOWN];
        float *const found = o->found + s * o->gemm.n + first;
        int result =
            holder->driver->copy_to_host(found, c + (uint64_t)(sampled(o, s) * ld) * sizeof(float),
                                         (size_t)cols * sizeof(float), stream);
        if (result == 0)
            result = holder->driver->stream_synchronize(stream);
        status = gr_multi_check(holder, result, "copying from the GPU", error);
        if (status == GRADUS_OK && !is_right(o, s, first, cols, found))
            x->wrong[i] = sampled(o, s);
    }
    if (entered)
        gr_device_leave(holder->gpu, entered);
    return status;
}

enum gradus_status gr_gpus_operands_check(struct gradus_gpus *gpus,
                                          const struct gr_gpus_operands *operands, bool whole,
                                          int64_t *wrong_row, struct gradus_error *error)
{
    struct checking x = {gpus, operands, whole, {0}};
    const enum gradus_status status = gr_dist_threads_run(gpus->count, check_part, &x, error);
    *wrong_row = -1;
    for (int i = 0; i < gpus->count && *wrong_row < 0; i++)
        *wrong_row = x.wrong[i];
    return status;
}

void gr_gpus_operands_copy(const struct gr_gpus_operands *o, int which, void *to)
{
    const int64_t rows = which == GR_MULTI_A ? o->gemm.m : o->gemm.k;
    const int64_t bytes = (which == GR_MULTI_A ? o->gemm.k : o->gemm.n) * element_of(o);
    for (int64_t i = 0; i < rows; i++)
        memcpy((char *)to + i * bytes, o->table + start_of(o, which, i) * element_of(o),
               (size_t)bytes);
}

int64_t gr_gpus_operands_check_host(const struct gr_gpus_operands *o, const float *c)
{
    for (int s = 0; s < GR_GPUS_ROWS; s++)
        if (!is_right(o, s, 0, o->gemm.n, c + sampled(o, s) * o->gemm.n))
            return sampled(o, s);
    return -1;
}
