/* library_gpu_batches.c: batches in one launch, by strides and by arrays of addresses in the GPU's
 * memory: values, graphs, and times beside cuBLAS's. SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <stdlib.h>

/* A row-major batch, and the addresses of its matrices on the GPU. */
struct batch {
    struct problem p;
    address arrays[3];
};

static size_t bytes_of(enum gradus_type type)
{
    return type == GRADUS_F64 ? 8 : type == GRADUS_F32 ? 4 : 2;
}

/* Where the matrices are that p's a, b and c have: one after another. */
static void point_at(struct batch *b)
{
    struct gradus_gemm *g = &b->p.g;
    const struct matrix *const matrices[] = {&b->p.a, &b->p.b, &b->p.c};
    int64_t *const lds[] = {&g->lda, &g->ldb, &g->ldc};
    int64_t *const strides[] = {&g->stride_a, &g->stride_b, &g->stride_c};
    const size_t bytes = (size_t)g->batch * sizeof(address);
    address *list = malloc(bytes);
    g->a = pointer(b->p.a.device), g->b = pointer(b->p.b.device), g->c = pointer(b->p.c.device);
    for (int i = 0; i < 3; i++) {
        const struct matrix *x = matrices[i];
        *lds[i] = x->ld;
        *strides[i] = x->rows * x->ld;
        for (int64_t p = 0; p < g->batch; p++)
            list[p] = x->device + (address)(p * *strides[i]) * bytes_of(x->type);
        must(cu.alloc(&b->arrays[i], bytes), "memory");
        must(cu.to_device(b->arrays[i], list, bytes), "a copy");
    }
    free(list);
}

static void describe_batch(struct batch *b, const struct kind *kind, enum gradus_math math,
                           int64_t m, int64_t n, int64_t k, int64_t count)
{
    struct gradus_gemm *g = &b->p.g;
    gradus_gemm_init(g, kind->ab);
    g->c_type = kind->c;
    g->m = m, g->n = n, g->k = k, g->batch = count;
    g->device = GRADUS_GPU, g->math = math;
}

/* Rows that are `pad` elements longer than the matrix has columns. */
static struct batch make_batch(const struct kind *kind, enum gradus_math math, int64_t m, int64_t n,
                               int64_t k, int64_t count, int64_t pad, int trans)
{
    struct batch b = {0};
    const bool ta = trans & 2, tb = trans & 1;
    describe_batch(&b, kind, math, m, n, k, count);
    b.p.g.trans_a = ta, b.p.g.trans_b = tb;
    b.p.a = make(kind->ab, ta ? k : m, ta ? m : k, pad, count);
    b.p.b = make(kind->ab, tb ? n : k, tb ? k : n, pad, count);
    b.p.c = make(kind->c, m, n, pad, count);
    b.p.got = malloc((size_t)b.p.c.elements * sizeof *b.p.got);
    point_at(&b);
    return b;
}

static void free_batch(struct batch *b)
{
    for (int i = 0; i < 3; i++)
        cu.release(b->arrays[i]);
    free_problem(&b->p);
}

/* The same batch by the addresses. */
static struct gradus_gemm by_arrays(const struct batch *b)
{
    struct gradus_gemm g = b->p.g;
    g.a_array = pointer(b->arrays[0]), g.b_array = pointer(b->arrays[1]);
    g.c_array = pointer(b->arrays[2]), g.arrays_on_gpu = 1;
    g.a = g.b = g.c = NULL;
    return g;
}

static void check_values(struct batch *b, const struct kind *kind, const char *way)
{
    const struct gradus_gemm *g = &b->p.g;
    bool wrong = false;
    get_matrix(&b->p.c, b->p.got);
    error_of(&b->p, b->p.got, bound_of(g), &wrong);
    CHECK(!wrong, "%s %lldx%lldx%lld %s%s, rows %lld apart: a batch of %lld %s is wrong",
          kind->name, (long long)g->m, (long long)g->n, (long long)g->k, g->trans_a ? "t" : "n",
          g->trans_b ? "t" : "n", (long long)g->lda, (long long)g->batch, way);
    put_matrix(&b->p.c);
}

/* By strides, by arrays, and by both in a graph, which reads the addresses when it is launched. */
static void check_one(const struct kind *kind, enum gradus_math math, int64_t m, int64_t n,
                      int64_t k, int64_t count, int64_t pad, int trans, double beta)
{
    struct batch b = make_batch(kind, math, m, n, k, count, pad, trans);
    void *graph, *played, *stream;
    b.p.g.alpha = 0.5, b.p.g.beta = beta;
    for (int far = 0; far < 2; far++) {
        const struct gradus_gemm g = far ? by_arrays(&b) : b.p.g;
        run(&g);
        must(cu.synchronize(), "a batch");
        check_values(&b, kind, far ? "by arrays" : "by strides");
    }
    must(cu.stream_create(&stream, 1), "a stream");
    for (int far = 0; far < 2; far++) {
        struct gradus_gemm g = far ? by_arrays(&b) : b.p.g;
        g.stream = stream;
        g.workspace_bytes = gradus_gemm_workspace(&g, NULL); /* if it is many launches */
        address workspace = 0;
        if (g.workspace_bytes > 0)
            must(cu.alloc(&workspace, (size_t)g.workspace_bytes), "memory");
        g.workspace = pointer(workspace);
        must(cu.capture_begin(stream, 0), "a capture");
        run(&g);
        must(cu.capture_end(stream, &graph), "a capture");
        must(cu.instantiate(&played, graph, 0), "a graph");
        must(cu.graph_launch(played, stream), "a graph");
        must(cu.stream_wait(stream), "a graph");
        check_values(&b, kind, far ? "by arrays in a graph" : "by strides in a graph");
        if (workspace)
            cu.release(workspace);
    }
    free_batch(&b);
}

static void check_batches_of(const struct kind *kind, enum gradus_math math)
{
    check_one(kind, math, 64, 64, 64, 100, 0, 0, 0);
    check_one(kind, math, 1, 1, 1, 3, 0, 0, -1);
    check_one(kind, math, 37, 129, 55, 17, 0, 1, 2);
    check_one(kind, math, 200, 3, 300, 5, 1, 2, 0);
    check_one(kind, math, 70, 65, 33, 9, 2, 3, 1);
    check_one(kind, math, 128, 128, 128, 300, 0, 0, 1); /* each tile of float64's */
    check_one(kind, math, 128, 64, 512, 140, 0, 1, 0);
    check_one(kind, math, 256, 256, 72, 40, 8, 2, 0);
    check_one(kind, math, 100, 100, 100, 50, 0, 3, -1);
    check_one(kind, math, 96, 160, 0, 4, 3, 0, 2);
}

void check_batches(void)
{
    for (int i = 0; i < OF_CUBLAS; i++)
        if (kinds[i].is_there)
            check_batches_of(&kinds[i], GRADUS_MATH_IEEE);
    if (has_math[GRADUS_MATH_ACCURATE])
        check_batches_of(&kinds[0], GRADUS_MATH_ACCURATE);
    check_one(&kinds[0], GRADUS_MATH_IEEE, 2, 2, 1, 70000, 0, 0, 0);
    check_one(&kinds[3], GRADUS_MATH_IEEE, 2, 2, 1, 70000, 0, 0, 0);
    printf("batches: by strides and by arrays of addresses, in a graph as well\n");
}

/* ---- Times ---- */

enum way { STRIDES, ARRAYS, BLAS_STRIDES, BLAS_ARRAYS, WAYS };

/* Random numbers on the GPU alone, the same ones again and again: a batch may have gigabytes. */
static struct matrix make_there(enum gradus_type type, int64_t rows, int64_t columns, int64_t count)
{
    enum { BLOCK = 1 << 20 };
    static char block[BLOCK * 8];
    struct matrix x = {rows, columns, columns, rows * columns * count, type, NULL, 0};
    const size_t bytes = bytes_of(type), all = (size_t)x.elements * bytes;
    for (int64_t i = 0; i < BLOCK; i++) {
        const float value = (float)(2 * uniform() - 1);
        if (type == GRADUS_F64)
            ((double *)(void *)block)[i] = value;
        else if (type == GRADUS_F32)
            ((float *)(void *)block)[i] = value;
        else
            gradus_bf16_from_f32(&value, (uint16_t *)(void *)block + i, 1);
    }
    must(cu.alloc(&x.device, all), "memory");
    for (size_t at = 0; at < all; at += BLOCK * bytes)
        must(
            cu.to_device(x.device + at, block, all - at < BLOCK * bytes ? all - at : BLOCK * bytes),
            "a copy");
    return x;
}

static struct batch make_batch_there(const struct kind *kind, enum gradus_math math, int64_t m,
                                     int64_t n, int64_t k, int64_t count)
{
    struct batch b = {0};
    describe_batch(&b, kind, math, m, n, k, count);
    b.p.a = make_there(kind->ab, m, k, count);
    b.p.b = make_there(kind->ab, k, n, count);
    b.p.c = make_there(kind->c, m, n, count);
    point_at(&b);
    return b;
}

/* Row-major, as the library has it: cuBLAS computes the transposed product. */
static int blas_batch(const struct batch *b, enum way way)
{
    static const int types[] = {
        [GRADUS_F32] = 0, [GRADUS_F64] = 1, [GRADUS_F16] = 2, [GRADUS_BF16] = 14};
    const struct gradus_gemm *g = &b->p.g;
    const struct gradus_gemm far = by_arrays(b);
    const float one = 1, zero = 0;
    const double one_f64 = 1, zero_f64 = 0;
    const int m = (int)g->n, n = (int)g->m, k = (int)g->k, count = (int)g->batch;
    const void *const *const as = (const void *const *)far.a_array;
    const void *const *const bs = (const void *const *)far.b_array;
    const int t = types[g->a_type], tc = types[g->c_type];
    if (g->a_type == GRADUS_F32)
        return way == BLAS_STRIDES
                   ? blas.strided(blas.handle, 0, 0, m, n, k, &one, g->b, m, g->stride_b, g->a, k,
                                  g->stride_a, &zero, g->c, m, g->stride_c, count)
                   : blas.arrays(blas.handle, 0, 0, m, n, k, &one, bs, m, as, k, &zero, far.c_array,
                                 m, count);
    if (g->a_type == GRADUS_F64)
        return way == BLAS_STRIDES
                   ? blas.strided_f64(blas.handle, 0, 0, m, n, k, &one_f64, g->b, m, g->stride_b,
                                      g->a, k, g->stride_a, &zero_f64, g->c, m, g->stride_c, count)
                   : blas.arrays_f64(blas.handle, 0, 0, m, n, k, &one_f64, bs, m, as, k, &zero_f64,
                                     far.c_array, m, count);
    return way == BLAS_STRIDES
               ? blas.strided_ex(blas.handle, 0, 0, m, n, k, &one, g->b, t, m, g->stride_b, g->a, t,
                                 k, g->stride_a, &zero, g->c, tc, m, g->stride_c, count, 68, -1)
               : blas.arrays_ex(blas.handle, 0, 0, m, n, k, &one, bs, t, m, as, t, k, &zero,
                                far.c_array, tc, m, count, 68, -1);
}

static void run_way(const struct batch *b, enum way way)
{
    const struct gradus_gemm far = by_arrays(b);
    if (way <= ARRAYS) {
        run(way == ARRAYS ? &far : &b->p.g);
        return;
    }
    const int result = blas_batch(b, way);
    CHECK(result == 0, "cuBLAS returns %d", result);
}

static double us_of(const struct batch *b, enum way way, int calls)
{
    void *start, *stop;
    float ms = 0;
    must(cu.event_create(&start, 0), "an event");
    must(cu.event_create(&stop, 0), "an event");
    must(cu.event_record(start, NULL), "an event");
    for (int i = 0; i < calls; i++)
        run_way(b, way);
    must(cu.event_record(stop, NULL), "an event");
    must(cu.event_wait(stop), "an event");
    must(cu.event_elapsed(&ms, start, stop), "an event");
    return ms * 1e3 / calls;
}

static void rates_of(const struct kind *kind, enum gradus_math math, const char *name)
{
    enum { ROUNDS = 7, CALLS = 20 };
    static const int sizes[][4] = {
        {16, 16, 16, 1000},   {32, 32, 32, 1000},   {64, 64, 64, 100},     {64, 64, 64, 1000},
        {64, 64, 512, 1000},  {100, 100, 100, 500}, {128, 128, 128, 256},  {128, 128, 128, 1000},
        {128, 128, 1024, 64}, {256, 256, 256, 64},  {256, 256, 256, 1000}, {512, 512, 64, 64},
        {512, 512, 512, 32},  {1000, 1000, 40, 64}, {1024, 1024, 1024, 8}, {128, 2048, 64, 32}};
    printf("\nbatches of %s, us a batch back to back, medians of %d:\n%-22s %9s %9s %9s "
           "%9s  strides/cublas arrays/cublas\n",
           name, ROUNDS, "m x n x k, batch", "strides", "arrays", "cublas-st", "cublas-ar");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int *of = sizes[s];
        struct batch b = make_batch_there(kind, math, of[0], of[1], of[2], of[3]);
        double us[WAYS][ROUNDS], median[WAYS] = {0};
        for (int r = -1; r < ROUNDS; r++)
            for (int way = 0; way < WAYS; way++) {
                if (way >= BLAS_STRIDES && !(blas.handle && blas.strided && blas.arrays))
                    continue;
                const double one = us_of(&b, (enum way)way, CALLS);
                if (r >= 0)
                    us[way][r] = one;
                if (r == ROUNDS - 1) {
                    qsort(us[way], ROUNDS, sizeof *us[way], by_value);
                    median[way] = us[way][ROUNDS / 2];
                }
            }
        char text[64];
        snprintf(text, sizeof text, "%dx%dx%d, %d", of[0], of[1], of[2], of[3]);
        printf("%-22s %9.1f %9.1f %9.1f %9.1f  %.2f           %.2f\n", text, median[STRIDES],
               median[ARRAYS], median[BLAS_STRIDES], median[BLAS_ARRAYS],
               median[BLAS_STRIDES] / median[STRIDES], median[BLAS_ARRAYS] / median[ARRAYS]);
        free_batch(&b);
    }
}

void batch_rates(void)
{
    if (blas.handle)
        blas.set_stream(blas.handle, NULL);
    rates_of(&kinds[0], GRADUS_MATH_IEEE, "f32 (ieee)");
    rates_of(&kinds[0], GRADUS_MATH_DEFAULT, "f32 (default)");
    rates_of(&kinds[3], GRADUS_MATH_DEFAULT, "bf16, C bf16");
    rates_of(&kinds[1], GRADUS_MATH_DEFAULT, "f64");
    printf("(the ratios are speeds: above 1, gradus is faster)\n");
}
