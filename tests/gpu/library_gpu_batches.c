/* library_gpu_batches.c: batches in one launch, by strides and by arrays of addresses in the GPU's
 * memory: values, graphs, and times beside cuBLAS's. SPDX-License-Identifier: MIT */
#include "library_gpu.h"

#include <stdlib.h>

/* A dense row-major batch of floats, and the addresses of its matrices on the GPU. */
struct batch {
    struct problem p;
    address arrays[3];
};

static struct batch make_batch(int64_t m, int64_t n, int64_t k, int64_t count)
{
    struct batch b = {0};
    struct gradus_gemm *g = &b.p.g;
    gradus_gemm_init(g, GRADUS_F32);
    g->m = m, g->n = n, g->k = k, g->batch = count;
    b.p.a = make(GRADUS_F32, m, k, 0, count);
    b.p.b = make(GRADUS_F32, k, n, 0, count);
    b.p.c = make(GRADUS_F32, m, n, 0, count);
    g->a = pointer(b.p.a.device), g->lda = k, g->stride_a = m * k;
    g->b = pointer(b.p.b.device), g->ldb = n, g->stride_b = k * n;
    g->c = pointer(b.p.c.device), g->ldc = n, g->stride_c = m * n;
    g->device = GRADUS_GPU, g->math = GRADUS_MATH_IEEE;
    b.p.got = malloc((size_t)b.p.c.elements * sizeof *b.p.got);
    const address first[] = {b.p.a.device, b.p.b.device, b.p.c.device};
    const int64_t strides[] = {m * k, k * n, m * n};
    const size_t bytes = (size_t)count * sizeof(address);
    address *list = malloc(bytes);
    for (int i = 0; i < 3; i++) {
        for (int64_t x = 0; x < count; x++)
            list[x] = first[i] + (address)(x * strides[i]) * sizeof(float);
        must(cu.alloc(&b.arrays[i], bytes), "memory");
        must(cu.to_device(b.arrays[i], list, bytes), "a copy");
    }
    free(list);
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

static void check_one(int64_t m, int64_t n, int64_t k, int64_t count)
{
    struct batch b = make_batch(m, n, k, count);
    bool wrong = false;
    double *first = malloc((size_t)b.p.c.elements * sizeof *first);
    run(&b.p.g);
    must(cu.synchronize(), "a batch");
    get_matrix(&b.p.c, first);
    error_of(&b.p, first, bound_of(&b.p.g), &wrong);
    CHECK(!wrong, "%lldx%lldx%lld: a batch of %lld by strides is wrong", (long long)m, (long long)n,
          (long long)k, (long long)count);
    put_matrix(&b.p.c);
    const struct gradus_gemm g = by_arrays(&b);
    run(&g);
    must(cu.synchronize(), "a batch by arrays");
    get_matrix(&b.p.c, b.p.got);
    wrong = false;
    error_of(&b.p, b.p.got, bound_of(&b.p.g), &wrong);
    CHECK(!wrong, "%lldx%lldx%lld: a batch of %lld by arrays is wrong", (long long)m, (long long)n,
          (long long)k, (long long)count);
    free(first);
    free_batch(&b);
}

/* A graph reads the addresses when it is launched. */
static void check_graph_of_arrays(void)
{
    struct batch b = make_batch(70, 65, 33, 9);
    struct gradus_gemm g = by_arrays(&b);
    void *graph, *played;
    bool wrong = false;
    must(cu.stream_create(&g.stream, 1), "a stream");
    run(&g);
    must(cu.stream_wait(g.stream), "a batch");
    put_matrix(&b.p.c);
    must(cu.capture_begin(g.stream, 0), "a capture");
    run(&g);
    must(cu.capture_end(g.stream, &graph), "a capture");
    must(cu.instantiate(&played, graph, 0), "a graph");
    must(cu.graph_launch(played, g.stream), "a graph");
    must(cu.stream_wait(g.stream), "a graph");
    get_matrix(&b.p.c, b.p.got);
    error_of(&b.p, b.p.got, bound_of(&b.p.g), &wrong);
    CHECK(!wrong, "a batch by arrays in a graph is wrong");
    free_batch(&b);
}

void check_batches(void)
{
    check_one(64, 64, 64, 100);
    check_one(1, 1, 1, 3);
    check_one(37, 129, 55, 17);
    check_one(200, 3, 300, 5);
    check_one(2, 2, 1, 70000);
    check_graph_of_arrays();
    printf("batches: by strides and by arrays of addresses, in a graph as well\n");
}

/* ---- Times ---- */

enum way { STRIDES, ARRAYS, BLAS_STRIDES, BLAS_ARRAYS, WAYS };

static void run_way(const struct batch *b, enum way way)
{
    const struct gradus_gemm *g = &b->p.g;
    const struct gradus_gemm far = by_arrays(b);
    const float one = 1, zero = 0;
    const int m = (int)g->n, n = (int)g->m, k = (int)g->k, count = (int)g->batch;
    int result = 0;
    if (way <= ARRAYS)
        run(way == ARRAYS ? &far : g);
    else if (way == BLAS_STRIDES)
        result = blas.strided(blas.handle, 0, 0, m, n, k, &one, g->b, m, g->stride_b, g->a, k,
                              g->stride_a, &zero, g->c, m, g->stride_c, count);
    else
        result = blas.arrays(blas.handle, 0, 0, m, n, k, &one, (const void *const *)far.b_array, m,
                             (const void *const *)far.a_array, k, &zero, far.c_array, m, count);
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

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void batch_rates(void)
{
    enum { ROUNDS = 7, CALLS = 20 };
    static const int sizes[][4] = {
        {16, 16, 16, 1000},  {32, 32, 32, 1000},   {64, 64, 64, 100},    {64, 64, 64, 1000},
        {64, 64, 512, 1000}, {100, 100, 100, 500}, {128, 128, 128, 256}, {128, 128, 1024, 64},
        {256, 256, 256, 64}, {512, 512, 64, 64},   {512, 512, 512, 32},  {1024, 1024, 1024, 8},
        {128, 2048, 64, 32}};
    if (blas.handle)
        blas.set_stream(blas.handle, NULL);
    printf("\nbatches of floats (ieee), us a batch back to back, medians of %d:\n%-22s %9s %9s %9s "
           "%9s  strides/cublas arrays/cublas\n",
           ROUNDS, "m x n x k, batch", "strides", "arrays", "cublas-st", "cublas-ar");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct batch b = make_batch(sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
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
        char name[64];
        snprintf(name, sizeof name, "%dx%dx%d, %d", sizes[s][0], sizes[s][1], sizes[s][2],
                 sizes[s][3]);
        printf("%-22s %9.1f %9.1f %9.1f %9.1f  %.2f           %.2f\n", name, median[STRIDES],
               median[ARRAYS], median[BLAS_STRIDES], median[BLAS_ARRAYS],
               median[BLAS_STRIDES] / median[STRIDES], median[BLAS_ARRAYS] / median[ARRAYS]);
        free_batch(&b);
    }
    printf("(the ratios are speeds: above 1, gradus is faster)\n");
}
