/* test_gpus.c: products over several fake GPUs (fake_driver.h), which compute: values of all
 * schedules with copies and with a fake NCCL (fake_nccl.c), failures at every call, refusals, and
 * what is left behind. Each case is a process of its own, since the driver is opened once.
 * SPDX-License-Identifier: MIT
 *
 *     test_gpus FOLDER             the folder of libfake_driver.so, libfake_nvrtc.so,
 * libfake_nccl.so test_gpus gpu                on the GPUs of this machine, what does not need fake
 * ones test_gpus FOLDER|gpu CASE    one case, or a failure ("alloc:2"); host_time, which is run
 * only when it is named, prints what a product takes in the host
 */
#include "core/clock.h"
#include "dist/dist_threads.h"
#include "measure/gpus_bench.h"
#include "multi/multi_gpus.h"

#include <gradus/dist.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

enum { MOST_GPUS = 8 };

static struct {
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*alloc)(unsigned long long *pointer, size_t bytes);
    int (*release)(unsigned long long pointer);
    int (*up)(unsigned long long to, const void *from, size_t bytes);
    int (*down)(void *to, unsigned long long from, size_t bytes);
    int (*init)(unsigned flags);
    int (*count)(int *devices);
    int (*calls)(const char *what); /* this one and the next ones: of the fake driver only */
    void (*on_launch)(void (*hook)(const char *symbol, void **parameters));
    void (*touch)(const void *begin, size_t bytes, int writes);
    int (*races)(void);
    unsigned (*launch_rows)(void);
    const void *(*launch_stream)(void);
} fake;

static char folder[512];
static bool is_real; /* GPUs */
static int devices;

static void open_fake(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/libfake_driver.so", folder);
    void *library = dlopen(is_real ? "libcuda.so.1" : path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    const struct {
        const char *symbol;
        void **member;
    } symbols[] = {{"cuDevicePrimaryCtxRetain", (void **)(void *)&fake.retain},
                   {"cuCtxSetCurrent", (void **)(void *)&fake.set},
                   {"cuMemAlloc_v2", (void **)(void *)&fake.alloc},
                   {"cuMemFree_v2", (void **)(void *)&fake.release},
                   {"cuMemcpyHtoD_v2", (void **)(void *)&fake.up},
                   {"cuMemcpyDtoH_v2", (void **)(void *)&fake.down},
                   {"cuInit", (void **)(void *)&fake.init},
                   {"cuDeviceGetCount", (void **)(void *)&fake.count},
                   {"fake_calls", (void **)(void *)&fake.calls},
                   {"fake_on_launch", (void **)(void *)&fake.on_launch},
                   {"fake_touch", (void **)(void *)&fake.touch},
                   {"fake_races", (void **)(void *)&fake.races},
                   {"fake_launch_rows", (void **)(void *)&fake.launch_rows},
                   {"fake_launch_stream", (void **)(void *)&fake.launch_stream}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols - (is_real ? 6 : 0); i++) {
        *symbols[i].member = dlsym(library, symbols[i].symbol);
        CHECK(*symbols[i].member, "%s is missing", symbols[i].symbol);
    }
    fake.init(0);
    fake.count(&devices);
    devices = devices < MOST_GPUS ? devices : MOST_GPUS;
}

static int nccl_live(void)
{
    if (is_real)
        return 0;
    char path[600];
    snprintf(path, sizeof path, "%s/libfake_nccl.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    int (*live)(void) = NULL;
    *(void **)(void *)&live = library ? dlsym(library, "fake_nccl_live") : NULL;
    CHECK(live, "%s has no fake_nccl_live", path);
    return live ? live() : 0;
}

static void *memory_of(int gpu, size_t bytes)
{
    void *context = NULL;
    unsigned long long pointer = 0;
    fake.retain(&context, gpu);
    fake.set(context);
    CHECK(fake.alloc(&pointer, bytes) == 0, "no memory on GPU %d", gpu);
    return (void *)(uintptr_t)pointer;
}

/* ---- What the kernels of 12_best, 29_vector, 30_short and 31_fused_accurate do, of whole numbers,
 * which floats hold ---- */

static bool trans_of_a, trans_of_b; /* of the row-major product */
static atomic_int launch_count, wrong_launch;
static int whole_size, whole_streams; /* of products of all of C, which has so many elements */
static const void *whole_stream;

static void multiply(int m, int n, int k, float alpha, void **p, float beta)
{
    const float *a = *(float **)p[0], *b = *(float **)p[2];
    float *c = *(float **)p[5];
    const long lda = *(int *)p[1], ldb = *(int *)p[3], ldc = *(int *)p[6];
    if (k > 0) {
        fake.touch(a, (size_t)((trans_of_a ? k : m) - 1) * (size_t)lda * 4 + 4, 0);
        fake.touch(b, (size_t)((trans_of_b ? n : k) - 1) * (size_t)ldb * 4 + 4, 0);
    }
    for (int i = 0; i < m; i++)
        fake.touch(c + i * ldc, (size_t)n * 4, 1);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[trans_of_a ? l * lda + i : i * lda + l] *
                       b[trans_of_b ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
        }
}

/* The kernels of 31_fused_accurate, whose names begin as those of 12_best do. */
static bool is_fused(const char *symbol)
{
    const char *const name = strstr(symbol, "multiply_");
    return name && (strcmp(name, "multiply_64") == 0 || strcmp(name, "multiply_128") == 0);
}

static void do_launch(const char *symbol, void **p)
{
    const int m = *(int *)p[0], n = *(int *)p[1];
    launch_count++;
    if (m * n == whole_size && fake.launch_stream() != whole_stream) {
        whole_stream = fake.launch_stream();
        whole_streams++;
    }
    if (launch_count == wrong_launch) /* computes nothing */
        return;
    if (is_fused(symbol)) {
        multiply(m, n, *(int *)p[2], *(float *)p[8], p + 9, *(float *)p[13]);
    } else if (strstr(symbol, "multiply")) {
        multiply(m, n, *(int *)p[2], *(float *)p[3], p + 4, *(float *)p[8]);
    } else if (strstr(symbol, "_tiles")) {
        multiply(m, n, *(int *)p[2], (float)*(double *)p[3], p + 4, (float)*(double *)p[8]);
    } else if (strstr(symbol, "_by_vector")) {
        CHECK(*(int *)p[7] == *(int *)p[8], "shares of K, which this does not add up: %s", symbol);
        multiply(m, n, *(int *)p[2], (float)*(double *)p[10], p + 11, (float)*(double *)p[15]);
    } else {
        CHECK(false, "another kernel: %s", symbol);
    }
}

/* ---- Problems ---- */

static float whole(int64_t i)
{
    return (float)((i % 1000 * 7919 + i / 13) % 9 - 4);
}

/* Matrices as they are stored; rows of a column-major one are its columns. */
struct problem {
    struct gradus_gemm g;
    float *a, *b, *c, *old;
    int64_t rows[3], cols[3], ld[3];
};

enum { COLUMN_MAJOR = 1, TRANS_A = 2, TRANS_B = 4, BETA = 8, VARIANTS = 16 };

static void make(struct problem *p, int64_t m, int64_t n, int64_t k, int variant)
{
    const bool turned = variant & COLUMN_MAJOR;
    const bool ta = variant & TRANS_A, tb = variant & TRANS_B;
    const int64_t pad = 3;
    const int64_t height[3] = {ta != turned ? k : m, tb != turned ? n : k, turned ? n : m};
    const int64_t width[3] = {ta != turned ? m : k, tb != turned ? k : n, turned ? m : n};
    float **const matrices[3] = {&p->a, &p->b, &p->c};
    gradus_gemm_init(&p->g, GRADUS_F32);
    for (int x = 0; x < 3; x++) {
        p->rows[x] = height[x], p->cols[x] = width[x];
        p->ld[x] = width[x] + pad;
        *matrices[x] = malloc((size_t)(height[x] * p->ld[x] + 1) * sizeof(float));
        for (int64_t i = 0; i < height[x] * p->ld[x]; i++)
            (*matrices[x])[i] = whole(i + 5 * x);
    }
    p->old = malloc((size_t)(height[2] * p->ld[2] + 1) * sizeof(float));
    memcpy(p->old, p->c, (size_t)(height[2] * p->ld[2]) * sizeof(float));
    struct gradus_gemm *const g = &p->g;
    g->math = GRADUS_MATH_IEEE;
    g->layout = turned ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g->trans_a = ta, g->trans_b = tb, g->m = m, g->n = n, g->k = k;
    g->a = p->a, g->lda = p->ld[0], g->b = p->b, g->ldb = p->ld[1], g->c = p->c, g->ldc = p->ld[2];
    g->alpha = 2, g->beta = variant & BETA ? -1 : 0;
    trans_of_a = turned ? tb : ta, trans_of_b = turned ? ta : tb;
}

static void drop(struct problem *p)
{
    free(p->a), free(p->b), free(p->c), free(p->old);
}

/* Every element of C, and what is between its rows. */
static void compare(const struct problem *p, const char *what)
{
    const struct gradus_gemm *const g = &p->g;
    const bool turned = g->layout == GRADUS_COL_MAJOR;
    int wrong = 0;
    for (int64_t x = 0; x < p->rows[2] * p->ld[2] && wrong < 3; x++) {
        const int64_t y = x / p->ld[2], z = x % p->ld[2];
        const int64_t i = turned ? z : y, j = turned ? y : z;
        double want = (double)p->old[x];
        if (z < p->cols[2]) {
            double sum = 0;
            for (int64_t l = 0; l < g->k; l++)
                sum += (double)p->a[(g->trans_a != turned) ? l * p->ld[0] + i : i * p->ld[0] + l] *
                       (double)p->b[(g->trans_b != turned) ? j * p->ld[1] + l : l * p->ld[1] + j];
            want = 2 * sum + g->beta * want;
        }
        if ((double)p->c[x] != want) {
            printf("%s: %lldx%lldx%lld: (%lld, %lld) is %g, wanted %g\n", what, (long long)g->m,
                   (long long)g->n, (long long)g->k, (long long)i, (long long)j, (double)p->c[x],
                   want);
            wrong++;
            failures++;
        }
    }
}

static struct gradus_gpus *take(const int *numbers, int count)
{
    struct gradus_gpus *gpus = NULL;
    struct gradus_error error = {0};
    CHECK(gradus_gpus_open(numbers, count, &gpus, &error) == GRADUS_OK, "%s", error.text);
    CHECK(!gpus || count == 0 || gradus_gpus_count(gpus) == count, "another number of GPUs");
    return gpus;
}

/* Whatever was made is there no more. */
static void check_nothing_left(const char *what)
{
    if (is_real)
        return;
    CHECK(fake.races() == 0, "%s: work on two streams is %d times not ordered", what, fake.races());
    CHECK(fake.calls("streams") == fake.calls("unstream"), "%s: %d streams of %d are left", what,
          fake.calls("streams") - fake.calls("unstream"), fake.calls("streams"));
    CHECK(fake.calls("made") == fake.calls("unmade"), "%s: %d events are left", what,
          fake.calls("made") - fake.calls("unmade"));
    CHECK(fake.calls("hosts") == fake.calls("unhost"), "%s: %d page-locked buffers are left", what,
          fake.calls("hosts") - fake.calls("unhost"));
}

static void is_line(const char *text)
{
    CHECK(*text && !strchr(text, '\n'), "not a line: '%s'", text);
}

/* A refusal, with these words. */
static void refuse(enum gradus_status status, const struct gradus_error *error,
                   enum gradus_status wanted, const char *words)
{
    CHECK(status == wanted && strstr(error->text, words), "status %d: '%s', wanted %d: '%s'",
          (int)status, error->text, (int)wanted, words);
    is_line(error->text);
}

/* ---- Host operands ---- */

static const char *const link_names[] = {"copies", "nccl"};

/* By a plan of the test's, for products that are so small that the planner would share out none. */
static enum gradus_status run_planned(const struct gradus_gemm *gemm,
                                      const struct gr_multi_plan *plan, struct gradus_gpus *gpus,
                                      struct gradus_error *error)
{
    struct gr_multi_gemm gemms[MOST_GPUS] = {0};
    struct gr_dist_timeline timelines[MOST_GPUS];
    struct gr_multi_plan used;
    const struct gr_multi_told told = {&used, timelines};
    for (int i = 0; i < MOST_GPUS; i++)
        CHECK(gr_multi_gemm_turn(gemm, &gemms[i].gemm, error) == GRADUS_OK, "%s", error->text);
    const enum gradus_status status = gr_multi_gpus_run(gemms, plan, gpus, 0, &told, error);
    double received = 0;
    for (int i = 0; status == GRADUS_OK && i < gradus_gpus_count(gpus); i++) {
        received += (double)timelines[i].received_bytes;
        CHECK(timelines[i].product_s >= 0 && timelines[i].wait_s <= timelines[i].transfer_s + 1e-9,
              "a timeline of %g, %g and %g s", timelines[i].product_s, timelines[i].transfer_s,
              timelines[i].wait_s);
    }
    CHECK(status != GRADUS_OK || gemm->k == 0 || gemm->m * gemm->n < 4 ||
              (received > 0) == (plan->grid[0] * plan->grid[1] > 1),
          "%g bytes received", received);
    return status;
}

static void try_planned(struct gradus_gpus *gpus, const int64_t plan[4], int64_t m, int64_t n,
                        int64_t k, int variant)
{
    const struct gr_multi_plan planned = {
        .grid = {plan[0], plan[1]}, .steps = plan[2], .passes = plan[3]};
    struct problem p;
    struct gradus_error error = {0};
    char what[120];
    snprintf(what, sizeof what, "host, grid %lldx%lld, %lld steps, %lld passes, %s, variant %d",
             (long long)plan[0], (long long)plan[1], (long long)plan[2], (long long)plan[3],
             gradus_gpus_link(gpus), variant);
    make(&p, m, n, k, variant);
    const enum gradus_status status = run_planned(&p.g, &planned, gpus, &error);
    CHECK(status == GRADUS_OK, "%s: %s", what, error.text);
    compare(&p, what);
    drop(&p);
}

static void case_planned(void)
{
    static const int64_t plans[][4] = {{1, 2, 1, 1}, {1, 2, 4, 1}, {2, 1, 1, 5}, {1, 4, 3, 2},
                                       {2, 2, 5, 3}, {4, 1, 2, 2}, {1, 3, 7, 1}, {2, 2, 1, 2}};
    for (int link = 0; link < 2; link++) {
        setenv("GRADUS_GPUS_LINK", link_names[link], 1);
        struct gradus_gpus *g = take(NULL, 0);
        for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
            if (plans[i][0] * plans[i][1] > gradus_gpus_count(g))
                continue;
            for (int variant = 0; variant < VARIANTS; variant += 1 + (int)(i % 2) * 2)
                try_planned(g, plans[i], 41, 37, 9, variant);
            try_planned(g, plans[i], 9, 10, 3, BETA);
            try_planned(g, plans[i], 11, 40, 0, 0);
            if (is_real)
                try_planned(g, plans[i], 333, 258, 301, (int)i);
        }
        gradus_gpus_close(g);
    }
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("planned");
}

static void try_host(struct gradus_gpus *gpus, int64_t m, int64_t n, int64_t k, int variant)
{
    struct problem p;
    struct gradus_error error = {0};
    char what[80];
    snprintf(what, sizeof what, "host, %d GPUs, %s, variant %d", gradus_gpus_count(gpus),
             gradus_gpus_link(gpus), variant);
    make(&p, m, n, k, variant);
    const enum gradus_status status = gradus_gpus_gemm(&p.g, gpus, &error);
    CHECK(status == GRADUS_OK, "%s: %s", what, error.text);
    compare(&p, what);
    drop(&p);
}

static void case_host(void)
{
    static const int64_t sizes[][3] = {{61, 47, 9}, {130, 9, 5}, {3, 200, 4}, {1, 1, 1},
                                       {2, 1, 3},   {40, 50, 0}, {5, 2, 7}};
    for (int gpus = 1; gpus <= 4 && gpus <= devices; gpus++)
        for (int link = 0; link < (gpus > 1 ? 2 : 1); link++) {
            setenv("GRADUS_GPUS_LINK", link_names[link], 1);
            struct gradus_gpus *g = take(NULL, gpus);
            if (!g)
                continue;
            CHECK(strncmp(gradus_gpus_link(g),
                          gpus == 1 ? "none"
                          : link    ? "NCCL 2.28.9"
                                    : "copies",
                          4) == 0,
                  "%s", gradus_gpus_link(g));
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int variant = 0; variant < VARIANTS; variant += s == 0 ? 1 : 5)
                    try_host(g, sizes[s][0], sizes[s][1], sizes[s][2], variant);
            gradus_gpus_close(g);
        }
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("host");
}

/* Many tiles: of memory that holds little of the operands, and of numbers in any order. */
static void case_small_memory(void)
{
    static const int numbers[] = {3, 1, 2};
    for (int link = 0; link < 2; link++) {
        setenv("GRADUS_GPUS_LINK", link_names[link], 1);
        setenv("GRADUS_FAKE_MEMORY", "40000", 1);
        struct gradus_gpus *g = take(numbers, 3);
        const int before = launch_count;
        for (int variant = 0; variant < VARIANTS; variant += 3)
            try_host(g, 300, 310, 9, variant);
        CHECK(launch_count - before >= 6 * 3 * 4, "%d launches", launch_count - before);
        gradus_gpus_close(g);
        g = take(numbers, 3); /* one of them has less than the others */
        setenv("GRADUS_FAKE_MEMORY_1", "15000", 1);
        try_host(g, 300, 310, 9, BETA | TRANS_A);
        gradus_gpus_close(g);
        unsetenv("GRADUS_FAKE_MEMORY_1");
        unsetenv("GRADUS_FAKE_MEMORY");
    }
    check_nothing_left("small memory");
}

/* ---- Blocks on the GPUs ---- */

static int64_t begin_of(int64_t n, int64_t parts, int64_t part)
{
    const int64_t more = n % parts;
    return part * (n / parts) + (part < more ? part : more);
}

struct blocks {
    struct gradus_gpus_matrix matrix;
    void *at[MOST_GPUS];
    int64_t ld[MOST_GPUS];
};

/* Between a matrix and its blocks. The grid of a column-major one is that of its columns' rows. */
static void move_blocks(const struct problem *p, int x, struct blocks *b, bool to_blocks)
{
    const bool turned = p->g.layout == GRADUS_COL_MAJOR;
    const int64_t lines = turned ? b->matrix.grid_cols : b->matrix.grid_rows;
    const int64_t across = turned ? b->matrix.grid_rows : b->matrix.grid_cols;
    float *const matrix = x == 0 ? p->a : x == 1 ? p->b : p->c;
    for (int64_t i = 0; i < lines * across; i++) {
        const int64_t r = begin_of(p->rows[x], lines, i / across);
        const int64_t rows = begin_of(p->rows[x], lines, i / across + 1) - r;
        const int64_t c = begin_of(p->cols[x], across, i % across);
        const int64_t cols = begin_of(p->cols[x], across, i % across + 1) - c;
        for (int64_t y = 0; y < rows; y++) {
            float *const there = (float *)b->at[i] + y * b->ld[i];
            float *const here = matrix + (r + y) * p->ld[x] + c;
            const size_t bytes = (size_t)cols * sizeof(float);
            if (bytes > 0 && to_blocks)
                fake.up((uintptr_t)there, here, bytes);
            else if (bytes > 0)
                fake.down(here, (uintptr_t)there, bytes);
        }
    }
}

static void make_blocks(const struct problem *p, int x, int64_t rows, int64_t cols,
                        struct blocks *b)
{
    b->matrix = (struct gradus_gpus_matrix){rows, cols, b->at, b->ld};
    for (int64_t i = 0; i < rows * cols; i++) {
        b->ld[i] = p->cols[x] + i % 3;
        b->at[i] = memory_of((int)i, (size_t)(p->rows[x] * b->ld[i] + 1) * sizeof(float));
    }
    move_blocks(p, x, b, true);
}

static void try_blocks(struct gradus_gpus *gpus, const int64_t grids[3][2], int64_t m, int64_t n,
                       int64_t k, int variant)
{
    struct problem p;
    struct blocks b[3];
    struct gradus_error error = {0};
    char what[120];
    snprintf(what, sizeof what, "blocks %lldx%lld %lldx%lld %lldx%lld, %s, variant %d",
             (long long)grids[0][0], (long long)grids[0][1], (long long)grids[1][0],
             (long long)grids[1][1], (long long)grids[2][0], (long long)grids[2][1],
             gradus_gpus_link(gpus), variant);
    make(&p, m, n, k, variant);
    for (int x = 0; x < 3; x++)
        make_blocks(&p, x, grids[x][0], grids[x][1], &b[x]);
    const enum gradus_status status =
        gradus_gpus_gemm_blocks(&p.g, &b[0].matrix, &b[1].matrix, &b[2].matrix, gpus, &error);
    CHECK(status == GRADUS_OK, "%s: %s", what, error.text);
    move_blocks(&p, 2, &b[2], false);
    compare(&p, what);
    for (int x = 0; x < 3; x++)
        for (int64_t i = 0; i < grids[x][0] * grids[x][1]; i++)
            fake.release((uintptr_t)b[x].at[i]);
    drop(&p);
}

static void case_blocks(void)
{
    static const int64_t grids[][3][2] = {{{2, 1}, {1, 2}, {1, 2}}, {{1, 2}, {2, 1}, {2, 1}},
                                          {{1, 1}, {1, 2}, {2, 1}}, {{4, 1}, {1, 4}, {1, 4}},
                                          {{2, 2}, {2, 2}, {2, 2}}, {{1, 4}, {4, 1}, {2, 2}},
                                          {{3, 1}, {1, 3}, {4, 1}}, {{2, 2}, {1, 3}, {1, 4}}};
    for (int link = 0; link < 2; link++)
        for (int count = 2; count <= 4 && count <= devices; count += 2) {
            setenv("GRADUS_GPUS_LINK", link_names[link], 1);
            struct gradus_gpus *g = take(NULL, count);
            for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
                const bool one_d = (grids[i][0][0] == 1 || grids[i][0][1] == 1) &&
                                   (grids[i][1][0] == 1 || grids[i][1][1] == 1) &&
                                   (grids[i][2][0] == 1 || grids[i][2][1] == 1);
                if (grids[i][2][0] * grids[i][2][1] != count ||
                    grids[i][0][0] * grids[i][0][1] > count ||
                    grids[i][1][0] * grids[i][1][1] > count)
                    continue;
                for (int variant = 0; variant<VARIANTS; variant += count> 2 ? 3 : 1)
                    if (one_d || !(variant & COLUMN_MAJOR))
                        try_blocks(g, grids[i], 31, 37, 9, variant);
                try_blocks(g, grids[i], 3, 5, 2, BETA);
                try_blocks(g, grids[i], 2, 40, 7, TRANS_A);
            }
            gradus_gpus_close(g);
        }
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("blocks");
}

/* ---- Ranks, as those of an MPI are ---- */

struct ranks {
    struct gradus_gemm gemm;
    int disagrees; /* this rank has another k; -1: none */
};

static enum gradus_status run_rank(struct gr_dist_comm *comm, void *context,
                                   struct gradus_error *error)
{
    const struct ranks *const r = context;
    const struct gr_multi_plan plan = {
        .grid = {1, comm->size}, .steps = 2, .passes = comm->rank == r->disagrees ? 1 : 2};
    struct gr_multi_gpu gpu;
    struct gr_multi_gemm gemm = {.gemm = r->gemm};
    enum gradus_status status =
        gr_multi_gpu_open(&gpu, (int)comm->rank, false, GR_MULTI_NCCL, comm, error);
    if (status != GRADUS_OK)
        return status;
    gemm.gemm.k -= comm->rank == r->disagrees;
    status = gr_multi_gemm_run(&gemm, &plan, &gpu, NULL, comm, 0, NULL, NULL, error);
    gr_multi_gpu_close(&gpu);
    return status;
}

/* Without a choice: copies, but NCCL where a GPU does not reach another. */
static void case_auto(void)
{
    for (int reach = 0; reach < 2; reach++) {
        setenv("GRADUS_FAKE_PEERS", reach ? "1" : "0", 1);
        struct gradus_gpus *g = take(NULL, 3);
        CHECK(strncmp(gradus_gpus_link(g), reach ? "copies" : "NCCL", 4) == 0, "%s",
              gradus_gpus_link(g));
        gradus_gpus_close(g);
    }
    check_nothing_left("auto");
}

static void case_ranks(void)
{
    struct problem p;
    struct gradus_error error = {0};
    struct ranks r = {.disagrees = -1};
    make(&p, 60, 70, 9, BETA);
    CHECK(gr_multi_gemm_turn(&p.g, &r.gemm, &error) == GRADUS_OK, "%s", error.text);
    CHECK(gr_dist_threads_run(2, run_rank, &r, &error) == GRADUS_OK, "%s", error.text);
    compare(&p, "ranks");
    r.disagrees = 1;
    refuse(gr_dist_threads_run(2, run_rank, &r, &error), &error, GRADUS_INVALID,
           "ranks ask for different products");
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("ranks");
    gradus_error_clear(&error);
    drop(&p);
}

/* ---- gradus bench --device cuda:all ---- */

/* All lines are right; and a launch that leaves something out makes its line wrong. */
static void case_bench(void)
{
    const struct gr_gpus_task task = {.count = 0,
                                      .type = GRADUS_F32,
                                      .math = GRADUS_MATH_IEEE,
                                      .m = 90,
                                      .n = 70,
                                      .k = 12,
                                      .budget_ns = 1,
                                      .host = true};
    static struct gr_gpus_row row;
    struct gradus_error error = {0};
    whole_size = is_real ? 0 : (int)(task.m * task.n);
    CHECK(gr_gpus_bench(&task, &row, &error) == GRADUS_OK, "%s", error.text);
    CHECK(is_real || whole_streams == 1, "one GPU's products on %d streams, a workspace for each",
          whole_streams);
    whole_size = 0;
    CHECK(row.count == devices && strncmp(row.link, "NCCL 2", 6) == 0, "%d, %s", row.count,
          row.link);
    for (int way = 0; way < GR_GPUS_CUBLAS_XT; way++) {
        const struct gr_gpus_line *const l = &row.lines[way];
        CHECK(l->done && l->wrong_row < 0 && l->time_s.median > 0, "%s: %s", gr_gpus_way_name(way),
              l->reason);
        const bool on_all = way != GR_GPUS_ONE && way != GR_GPUS_HOST;
        CHECK((l->link_bytes_per_s > 0) == on_all, "%s: link", gr_gpus_way_name(way));
        CHECK((l->one_s.n == l->time_s.n) == on_all && l->slowest_s >= l->mean.product_s - 1e-12,
              "%s: %d samples, %d in turns with one GPU", gr_gpus_way_name(way), l->time_s.n,
              l->one_s.n);
        CHECK(is_real || way == GR_GPUS_HOST || l->same_bits, "%s: other bits than one GPU's",
              gr_gpus_way_name(way));
    }
    CHECK(row.lines[GR_GPUS_COPIES].mean.received_bytes > 0, "no panel was received");
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("bench");
    if (is_real)
        return;
    wrong_launch = launch_count + 2 + 3 + 2; /* the first of the second line */
    CHECK(gr_gpus_bench(&task, &row, &error) == GRADUS_OK, "%s", error.text);
    CHECK(row.lines[GR_GPUS_ONE].done && row.lines[GR_GPUS_COPIES].wrong_row >= 0 &&
              !row.lines[GR_GPUS_COPIES].done && row.lines[GR_GPUS_NCCL].done,
          "a wrong product is not noticed");
    check_nothing_left("wrong bench");
}

/* ---- What a product takes in the host ---- */

static void launch_nothing(const char *symbol, void **p)
{
    (void)symbol, (void)p;
}

static int by_size(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Products whose kernels take next to no time, one at once after another, or each after a pause in
 * which threads go to sleep. */
static void time_products(struct gradus_gpus *g, const char *name, int pause_us)
{
    enum { TIMES = 501, FIRST = 20, SIZE = 64 };
    static int64_t ns[TIMES];
    struct problem p;
    struct blocks b[3];
    struct gradus_error error = {0};
    const int count = gradus_gpus_count(g);
    make(&p, SIZE, SIZE, SIZE, 0);
    make_blocks(&p, 0, count, 1, &b[0]);
    make_blocks(&p, 1, 1, count, &b[1]);
    make_blocks(&p, 2, 1, count, &b[2]);
    for (int i = -FIRST; i < TIMES; i++) {
        if (pause_us)
            usleep((unsigned)pause_us);
        const int64_t begin = gr_now_ns();
        const enum gradus_status status =
            gradus_gpus_gemm_blocks(&p.g, &b[0].matrix, &b[1].matrix, &b[2].matrix, g, &error);
        CHECK(status == GRADUS_OK, "%s", error.text);
        if (i >= 0)
            ns[i] = gr_now_ns() - begin;
    }
    qsort(ns, TIMES, sizeof *ns, by_size);
    printf("%d GPUs, %-11s %s: %7.1f us, quartiles %.1f and %.1f\n", count, name,
           pause_us ? "after a pause" : "back to back ", 1e-3 * (double)ns[TIMES / 2],
           1e-3 * (double)ns[TIMES / 4], 1e-3 * (double)ns[TIMES - 1 - TIMES / 4]);
    for (int x = 0; x < 3; x++)
        for (int i = 0; i < count; i++)
            fake.release((uintptr_t)b[x].at[i]);
    drop(&p);
}

static void case_host_time(void)
{
    unsetenv("GRADUS_FAKE_ORDER"); /* which takes most of the time */
    if (!is_real)
        fake.on_launch(launch_nothing);
    for (int link = 0; link < 2; link++)
        for (int count = 2; count <= 4 && count <= devices; count += 2) {
            setenv("GRADUS_GPUS_LINK", link_names[link], 1);
            struct gradus_gpus *g = take(NULL, count);
            for (int pause_us = 0; g && pause_us <= 3000; pause_us += 3000)
                time_products(g, gradus_gpus_link(g), pause_us);
            gradus_gpus_close(g);
        }
}

/* ---- One product after another ---- */

static void run_blocks(struct gradus_gpus *g, struct problem *p, struct blocks b[3],
                       const char *what)
{
    struct gradus_error error = {0};
    CHECK(gradus_gpus_gemm_blocks(&p->g, &b[0].matrix, &b[1].matrix, &b[2].matrix, g, &error) ==
              GRADUS_OK,
          "%s: %s", what, error.text);
}

/* A second product of the same shape, of other matrices, allocates nothing and makes no event. */
static void repeat_product(struct gradus_gpus *g)
{
    struct problem p[2];
    struct blocks b[2][3];
    const int count = gradus_gpus_count(g);
    const char *const counted[] = {"alloc", "made", "streams", "hosts"};
    int before[4];
    for (int i = 0; i < 2; i++) {
        make(&p[i], 70, 50, 12, 0);
        for (int64_t j = 0; j < p[i].rows[0] * p[i].ld[0]; j++)
            p[i].a[j] = whole(j + 3 * i);
        make_blocks(&p[i], 0, count, 1, &b[i][0]);
        make_blocks(&p[i], 1, 1, count, &b[i][1]);
        make_blocks(&p[i], 2, 1, count, &b[i][2]);
    }
    run_blocks(g, &p[0], b[0], "the first");
    for (int c = 0; c < 4 && !is_real; c++)
        before[c] = fake.calls(counted[c]);
    run_blocks(g, &p[1], b[1], "the second");
    for (int c = 0; c < 4 && !is_real; c++)
        CHECK(fake.calls(counted[c]) == before[c], "%d more calls: %s",
              fake.calls(counted[c]) - before[c], counted[c]);
    for (int i = 0; i < 2; i++) {
        move_blocks(&p[i], 2, &b[i][2], false);
        compare(&p[i], "one of two alike");
        for (int x = 0; x < 3; x++)
            for (int j = 0; j < count; j++)
                fake.release((uintptr_t)b[i][x].at[j]);
        drop(&p[i]);
    }
}

struct caller {
    struct gradus_gpus *gpus;
    struct problem problem;
    pthread_t thread;
};

static void *call(void *argument)
{
    struct caller *const c = argument;
    struct gradus_error error = {0};
    for (int i = 0; i < 5; i++) {
        memcpy(c->problem.c, c->problem.old,
               (size_t)(c->problem.rows[2] * c->problem.ld[2]) * sizeof(float));
        CHECK(gradus_gpus_gemm(&c->problem.g, c->gpus, &error) == GRADUS_OK, "%s", error.text);
    }
    return NULL;
}

/* Several threads at once, each with its own product. */
static void call_at_once(struct gradus_gpus *g)
{
    enum { CALLERS = 3 };
    struct caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i].gpus = g;
        make(&callers[i].problem, 30 + 11 * i, 25 + i, 9, BETA);
    }
    for (int i = 0; i < CALLERS; i++)
        CHECK(pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0, "no thread");
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i].thread, NULL);
    for (int i = 0; i < CALLERS; i++) {
        compare(&callers[i].problem, "one of several threads'");
        drop(&callers[i].problem);
    }
}

/* In a forked process there are no threads, and the GPUs are the parent's. */
static void fork_amid(struct gradus_gpus *g)
{
    struct problem p;
    make(&p, 20, 30, 5, 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct gradus_error error = {0};
        failures = 0;
        refuse(gradus_gpus_gemm(&p.g, g, &error), &error, GRADUS_UNSUPPORTED, "forked");
        gradus_gpus_close(g);
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "the forked process ends with status %d", status);
    drop(&p);
}

/* A failure, and then the same GPUs again. */
static void fail_amid(struct gradus_gpus *g, const char *fail)
{
    const struct gr_multi_plan plan = {.grid = {1, 3}, .steps = 3, .passes = 2};
    struct gradus_error error = {0};
    struct problem p;
    make(&p, 60, 70, 9, BETA);
    setenv("GRADUS_FAKE_FAIL", fail, 1);
    CHECK(run_planned(&p.g, &plan, g, &error) != GRADUS_OK, "%s is not noticed", fail);
    is_line(error.text);
    CHECK(strncmp(error.text, "rank 0: ", 8) == 0, "another rank's failure: %s", error.text);
    unsetenv("GRADUS_FAKE_FAIL");
    gradus_error_clear(&error);
    memcpy(p.c, p.old, (size_t)(p.rows[2] * p.ld[2]) * sizeof(float));
    error = (struct gradus_error){0};
    CHECK(run_planned(&p.g, &plan, g, &error) == GRADUS_OK, "%s, and then: %s", fail, error.text);
    compare(&p, fail);
    drop(&p);
}

static void case_several(void)
{
    static const int64_t grids[][3][2] = {{{2, 1}, {1, 2}, {1, 2}}, {{1, 1}, {1, 2}, {2, 1}}};
    static const char *const fails[] = {"peer:1", "launch:1", "copy:1", "event:1", "sync:1"};
    for (int link = 0; link < 2; link++) {
        setenv("GRADUS_GPUS_LINK", link_names[link], 1);
        struct gradus_gpus *g = take(NULL, 2);
        for (int i = 0; i < 4; i++) { /* larger, smaller, alike, on the host and on the GPUs */
            try_blocks(g, grids[0], 31, 37, 9, i % 2 ? BETA : 0);
            try_blocks(g, grids[0], 31, 37, 9, i % 2 ? BETA : 0);
            try_host(g, 40 + i, 50, 7, BETA);
            try_host(g, 40 + i, 50, 7, 0);
            try_blocks(g, grids[1], 3, 37, 20, 0); /* and then more rows */
            try_blocks(g, grids[1], 36, 37, 20, 0);
            try_blocks(g, grids[1], 310, 37, 20, TRANS_B);
            try_blocks(g, grids[0], 31, 37, 9, TRANS_A | COLUMN_MAJOR);
        }
        repeat_product(g);
        call_at_once(g);
        fork_amid(g);
        try_host(g, 40, 50, 7, BETA);
        gradus_gpus_close(g);
    }
    setenv("GRADUS_GPUS_LINK", "copies", 1);
    struct gradus_gpus *g = is_real ? NULL : take(NULL, 3);
    for (size_t i = 0; i < sizeof fails / sizeof *fails && g; i++)
        fail_amid(g, fails[i]);
    gradus_gpus_close(g);
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("several");
}

/* ---- Pieces of A and B ---- */

enum { DEPTH = 96 }; /* k, which `multiply` is not told */
static atomic_int splits_of_both, splits_of_a, splits_ahead;
static _Thread_local const void *product_stream;

/* Rows of op(A), or columns of op(B), one after another in place of their pieces. */
static void copy_lines(float *to, const float *from, int lines, long between_lines,
                       long between_steps)
{
    fake.touch(from, (size_t)((lines - 1) * between_lines + (DEPTH - 1) * between_steps + 1) * 4,
               0);
    fake.touch(to, (size_t)lines * DEPTH * 4, 1);
    for (long i = 0; i < lines; i++)
        for (long l = 0; l < DEPTH; l++)
            to[i * DEPTH + l] = from[i * between_lines + l * between_steps];
}

static void split(void **p)
{
    const int m = *(int *)p[0], n = *(int *)p[1];
    const long lda = *(int *)p[4], ldb = *(int *)p[6];
    const bool of_both = fake.launch_rows() > (unsigned)*(int *)p[8];
    *(of_both ? &splits_of_both : &splits_of_a) += 1;
    splits_ahead += !of_both && fake.launch_stream() != product_stream;
    copy_lines(*(float **)p[9], *(float **)p[3], m, trans_of_a ? 1 : lda, trans_of_a ? lda : 1);
    if (of_both)
        copy_lines(*(float **)p[10], *(float **)p[5], n, trans_of_b ? ldb : 1,
                   trans_of_b ? 1 : ldb);
}

static void multiply_pieces(void **p)
{
    const int m = *(int *)p[0], n = *(int *)p[1];
    const float alpha = *(float *)p[6], beta = *(float *)p[7];
    float *c = *(float **)p[8];
    const long ldc = *(int *)p[9];
    const float *a = *(float **)p[10], *b = *(float **)p[11];
    product_stream = fake.launch_stream();
    CHECK(*(int *)p[5] == 1, "%d shares of K, which this does not add up", *(int *)p[5]);
    fake.touch(a, (size_t)m * DEPTH * 4, 0);
    fake.touch(b, (size_t)n * DEPTH * 4, 0);
    for (int i = 0; i < m; i++)
        fake.touch(c + i * ldc, (size_t)n * 4, 1);
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < DEPTH; l++)
                sum += a[i * DEPTH + l] * b[j * DEPTH + l];
            c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
        }
}

/* The kernels of 21_accurate. */
static void do_pieces(const char *symbol, void **p)
{
    if (strstr(symbol, "split"))
        split(p);
    else if (strstr(symbol, "multiply"))
        multiply_pieces(p);
    else /* `finish` may read A */
        fake.touch(*(float **)p[4], (size_t)(trans_of_a ? DEPTH : *(int *)p[0]) * 4, 0);
}

enum { TILE_ROWS = 128, TILE_COLUMNS = 256 };

/* Products of 2 GPUs that have A in rows, B and C in columns, by a plan. */
struct piece_run {
    struct gradus_gpus *gpus;
    struct gr_multi_plan plan;
    struct gr_multi_gemm gemms[2];
    struct problem p;
    struct blocks b[3];
};

static void begin_pieces(struct piece_run *r, struct gradus_gpus *g, int64_t m, int64_t n,
                         int64_t steps, int64_t passes, int variant)
{
    struct gradus_error error = {0};
    *r = (struct piece_run){.gpus = g, .plan = {.grid = {1, 2}, .steps = steps, .passes = passes}};
    make(&r->p, m, n, DEPTH, variant);
    r->p.g.math = GRADUS_MATH_ACCURATE;
    const int64_t a[2] = {variant & TRANS_A ? 1 : 2, variant & TRANS_A ? 2 : 1};
    const int64_t b[2] = {variant & TRANS_B ? 2 : 1, variant & TRANS_B ? 1 : 2};
    make_blocks(&r->p, 0, a[0], a[1], &r->b[0]);
    make_blocks(&r->p, 1, b[0], b[1], &r->b[1]);
    make_blocks(&r->p, 2, 1, 2, &r->b[2]);
    for (int i = 0; i < 2; i++) {
        struct gr_multi_gemm *const x = &r->gemms[i];
        CHECK(gr_multi_gemm_turn(&r->p.g, &x->gemm, &error) == GRADUS_OK, "%s", error.text);
        x->resident = true;
        x->a = (struct gr_multi_blocks){{a[0], a[1]}, r->b[0].at[i], r->b[0].ld[i]};
        x->b = (struct gr_multi_blocks){{b[0], b[1]}, r->b[1].at[i], r->b[1].ld[i]};
        x->c = (struct gr_multi_blocks){{1, 2}, r->b[2].at[i], r->b[2].ld[i]};
    }
}

static enum gradus_status run_pieces(struct piece_run *r, struct gradus_error *error)
{
    move_blocks(&r->p, 2, &r->b[2], true);
    return gr_multi_gpus_run(r->gemms, &r->plan, r->gpus, 0, NULL, error);
}

static void compare_pieces(struct piece_run *r, const char *what)
{
    move_blocks(&r->p, 2, &r->b[2], false);
    compare(&r->p, what);
    memcpy(r->p.c, r->p.old, (size_t)(r->p.rows[2] * r->p.ld[2]) * sizeof(float));
}

static void end_pieces(struct piece_run *r)
{
    for (int x = 0; x < 3; x++)
        for (int i = 0; i < 2; i++)
            fake.release((uintptr_t)r->b[x].at[i]);
    drop(&r->p);
}

/* Tiles of each GPU with the same B, or another one from a pass to the next. Of a float32 product
 * whose kernel splits both operands into pieces, only the first tile of a pass splits B, and the
 * others' panels of A are split on a stream of their own. */
static void try_pieces(struct gradus_gpus *g, int64_t steps, int64_t passes, int variant)
{
    enum { TIMES = 2 };
    struct piece_run r;
    struct gradus_error error = {0};
    const int tiles = (int)(TIMES * 2 * passes);
    begin_pieces(&r, g, steps * 2 * TILE_ROWS, 2 * passes * TILE_COLUMNS, steps, passes, variant);
    splits_of_both = splits_of_a = splits_ahead = 0;
    for (int i = 0; i < TIMES; i++) {
        CHECK(run_pieces(&r, &error) == GRADUS_OK, "%s", error.text);
        compare_pieces(&r, "pieces");
    }
    const int of_a = tiles * (int)(steps - 1);
    CHECK(is_real || splits_of_both == tiles, "%d split both", splits_of_both);
    CHECK(is_real || splits_of_a == of_a, "%d split A only", splits_of_a);
    CHECK(is_real || splits_ahead == of_a, "%d split A ahead", splits_ahead);
    end_pieces(&r);
}

/* Tiles of several heights, whose pieces of B have several places. */
static void try_uneven_pieces(struct gradus_gpus *g)
{
    struct piece_run r;
    struct gradus_error error = {0};
    begin_pieces(&r, g, 4 * TILE_ROWS + 2, 300, 4, 1, BETA);
    splits_ahead = 0;
    CHECK(run_pieces(&r, &error) == GRADUS_OK, "%s", error.text);
    compare_pieces(&r, "uneven pieces");
    CHECK(is_real || splits_ahead > 0, "nothing is split ahead");
    end_pieces(&r);
}

/* A call fails amid a product whose plan and memory are kept, so that each rank begins and ends by
 * itself, and then the same product is right. */
static void fail_pieces(struct gradus_gpus *g)
{
    static const struct {
        const char *what;
        int places; /* the first, the second and so on */
    } calls[] = {{"launch", 8}, {"wait", 8}, {"event", 8},
                 {"peer", 2},   {"sync", 2}, {"context", 2}};
    struct piece_run r;
    struct gradus_error error = {0};
    char fail[40];
    begin_pieces(&r, g, 3 * TILE_ROWS, 300, 3, 1, 0);
    CHECK(run_pieces(&r, &error) == GRADUS_OK, "%s", error.text);
    compare_pieces(&r, "before a failure");
    for (int i = 0; i < 6 * 8; i++) {
        if (i / 6 >= calls[i % 6].places)
            continue;
        snprintf(fail, sizeof fail, "%s:1:%d", calls[i % 6].what, i / 6);
        move_blocks(&r.p, 2, &r.b[2], true);
        setenv("GRADUS_FAKE_FAIL", fail, 1);
        CHECK(gr_multi_gpus_run(r.gemms, &r.plan, g, 0, NULL, &error) != GRADUS_OK,
              "%s is not noticed", fail);
        is_line(error.text);
        CHECK(strncmp(error.text, "rank ", 5) == 0 && !strstr(error.text + 5, "rank "),
              "%s: '%s' names no rank, or several", fail, error.text);
        unsetenv("GRADUS_FAKE_FAIL");
        gradus_error_clear(&error);
        CHECK(run_pieces(&r, &error) == GRADUS_OK, "%s, and then: %s", fail, error.text);
        compare_pieces(&r, fail);
    }
    end_pieces(&r);
}

/* The same product, but for the distance of rows of one GPU's C: this one has not kept it, so that
 * both agree as before the first. */
static void spread_rows(struct gradus_gpus *g)
{
    struct piece_run r;
    struct gradus_error error = {0};
    begin_pieces(&r, g, 3 * TILE_ROWS, 300, 3, 1, BETA);
    for (int i = 0; i < 2; i++) {
        CHECK(run_pieces(&r, &error) == GRADUS_OK, "%s", error.text);
        compare_pieces(&r, i == 0 ? "rows as before" : "rows of one GPU farther apart");
        fake.release((uintptr_t)r.b[2].at[1]);
        r.gemms[1].c.ld = r.b[2].ld[1] += 8;
        r.b[2].at[1] = memory_of(1, (size_t)(r.p.rows[2] * r.b[2].ld[1]) * sizeof(float));
        r.gemms[1].c.local = r.b[2].at[1];
    }
    end_pieces(&r);
}

static void case_pieces(void)
{
    if (!is_real) {
        setenv("GRADUS_FAKE_SMEM_MAX", "225000", 1); /* 21_accurate computes small products, too */
        fake.on_launch(do_pieces);
    }
    for (int link = 0; link < 2; link++) {
        setenv("GRADUS_GPUS_LINK", link_names[link], 1);
        struct gradus_gpus *g = take(NULL, 2);
        if (!g) /* as it was told */
            continue;
        try_pieces(g, 3, 1, 0);
        try_pieces(g, 2, 2, TRANS_A | BETA);
        try_pieces(g, 5, 1, TRANS_B);
        try_uneven_pieces(g);
        spread_rows(g);
        if (!is_real && link == 0)
            fail_pieces(g);
        gradus_gpus_close(g);
    }
    CHECK(nccl_live() == 0, "%d communicators are left", nccl_live());
    check_nothing_left("pieces");
}

/* ---- Plans of operands on the GPUs ---- */

static struct gr_multi_plan plan_of(int64_t size, int64_t ranks, bool spread,
                                    const struct gr_multi_rates *rates)
{
    struct gr_multi_gemm gemm = {.resident = true, .b = {.grid = {1, ranks}}};
    struct gr_multi_plan plan = {.steps = 0};
    struct gradus_error error = {0};
    gradus_gemm_init(&gemm.gemm, GRADUS_F32);
    gemm.gemm.m = gemm.gemm.n = gemm.gemm.k = size;
    gemm.gemm.lda = gemm.gemm.ldb = gemm.gemm.ldc = size;
    gemm.a.grid[0] = spread ? ranks : 1, gemm.a.grid[1] = 1;
    gemm.c = gemm.b;
    CHECK(gr_multi_plan(&gemm, ranks, rates, &plan, &error) == GRADUS_OK, "%s", error.text);
    return plan;
}

static bool is_near(double x, double y)
{
    return x > 0.99 * y && x < 1.01 * y;
}

static void case_plan(void)
{
    struct gr_multi_rates rates = {.flop_per_s = 1e14,
                                   .memory_bytes_per_s = 3e12,
                                   .link_bytes_per_s = 4e11,
                                   .latency_s = 1e-5};
    const double size = 16384, product = 2 * size * size * size / 1e14, a = 4 * size * size;
    /* Each begins with its own rows of A: nothing is waited for. */
    struct gr_multi_plan plan = plan_of(16384, 4, true, &rates);
    CHECK(plan.steps == 4 && plan.passes == 1, "%d x %d", (int)plan.steps, (int)plan.passes);
    CHECK(is_near(plan.model.time_s, product / 4), "%g s", plan.model.time_s);
    CHECK(is_near(plan.model.transfer_s, 0.75 * a / 4e11 + 3e-5), "%g s", plan.model.transfer_s);
    CHECK(is_near(plan.model.efficiency, 1), "%g", plan.model.efficiency);
    /* All of A is on one GPU, whose link serves the three others. */
    plan = plan_of(16384, 4, false, &rates);
    CHECK(plan.steps > 4 &&
              is_near(plan.model.transfer_s, 3 * a / 4e11 + (double)plan.steps * 1e-5),
          "%d steps, %g s", (int)plan.steps, plan.model.transfer_s);
    CHECK(plan.model.time_s > product / 4 && plan.model.time_s < product / 4 + a / 4e11, "%g s",
          plan.model.time_s);
    /* A slow link: all panels but those of the first tile, which is there, and the last product. */
    rates.link_bytes_per_s = 1e9;
    plan = plan_of(4096, 2, true, &rates);
    CHECK(is_near(plan.model.time_s, 4.0 * 4096 * 2048 / 1e9 + 2.0 * 4096 * 4096 * 1024 / 1e14),
          "%g s", plan.model.time_s);
    if (is_real)
        return;
    /* Tiles of a GPU: products of few tiles, which leave most multiprocessors idle, are not cut
     * into more of them than the transfers are worth; of a measured product all are in proportion.
     */
    struct gr_device_gpu *gpu = NULL;
    struct gradus_error error = {0};
    CHECK(gr_device_gpu_open(0, &gpu, &error) == GRADUS_OK, "%s", error.text);
    rates.gpu = gpu;
    rates.link_bytes_per_s = 4e12;
    plan = plan_of(1024, 8, true, &rates);
    CHECK(plan.steps == 1, "%d steps of a small product", (int)plan.steps);
    rates.whole_s = 1;
    plan = plan_of(16384, 2, true, &rates);
    CHECK(plan.model.time_s > 0.5 && plan.model.time_s < 0.54, "%g s", plan.model.time_s);
    rates.whole_s = 2;
    const struct gr_multi_plan slower = plan_of(16384, 2, true, &rates);
    CHECK(slower.steps == plan.steps && is_near(slower.model.time_s, 2 * plan.model.time_s), "%g s",
          slower.model.time_s);
}

/* ---- What goes wrong ---- */

/* FAIL is one of GRADUS_FAKE_FAIL, or "nccl:" and one of GRADUS_FAKE_NCCL_FAIL. */
static void case_failure(void)
{
    const char *const fail = getenv("FAIL");
    const struct gr_multi_plan plan = {.grid = {1, 2}, .steps = 3, .passes = 2};
    const bool nccl = strncmp(fail, "nccl:", 5) == 0;
    const char *const colon = strchr(fail, ':');
    const bool stays = !nccl && atoi(colon + 1) >= 700; /* a context that is broken */
    struct gradus_error error = {0};
    struct gradus_gpus *g = NULL;
    struct problem p;
    setenv("GRADUS_GPUS_LINK", nccl ? "nccl" : "copies", 1);
    setenv("GRADUS_FAKE_MEMORY", "60000", 1);
    make(&p, 60, 70, 9, BETA);
    setenv(nccl ? "GRADUS_FAKE_NCCL_FAIL" : "GRADUS_FAKE_FAIL", nccl ? fail + 5 : fail, 1);
    enum gradus_status status = gradus_gpus_open(NULL, 2, &g, &error);
    CHECK((status == GRADUS_OK) == (g != NULL), "%s", error.text);
    if (status == GRADUS_OK)
        status = run_planned(&p.g, &plan, g, &error);
    CHECK(status != GRADUS_OK, "%s is not noticed", fail);
    is_line(error.text);
    unsetenv("GRADUS_FAKE_FAIL");
    unsetenv("GRADUS_FAKE_NCCL_FAIL");
    gradus_gpus_close(g);
    gradus_error_clear(&error);
    if (!stays) {
        check_nothing_left(fail);
        g = take(NULL, 2);
        memcpy(p.c, p.old, (size_t)(p.rows[2] * p.ld[2]) * sizeof(float));
        CHECK(run_planned(&p.g, &plan, g, &error) == GRADUS_OK, "%s, and then: %s", fail,
              error.text);
        compare(&p, fail);
        gradus_gpus_close(g);
        check_nothing_left(fail);
    }
    if (nccl)
        CHECK(nccl_live() == 0, "%s: %d communicators are left", fail, nccl_live());
    drop(&p);
}

static void case_refusals(void)
{
    static const int twice[] = {0, 1, 0}, far[] = {0, 9};
    struct gradus_error error = {0};
    struct gradus_gpus *g = NULL;
    struct problem p;
    make(&p, 10, 11, 12, 0);
    refuse(gradus_gpus_open(twice, 3, &g, &error), &error, GRADUS_INVALID, "found GPU 0 twice");
    refuse(gradus_gpus_open(far, 2, &g, &error), &error, GRADUS_UNSUPPORTED,
           "found GPU 9, wanted one of the 4 here");
    refuse(gradus_gpus_open(NULL, 65, &g, &error), &error, GRADUS_INVALID, "found 65");
    setenv("GRADUS_GPUS_LINK", "wire", 1);
    refuse(gradus_gpus_open(NULL, 2, &g, &error), &error, GRADUS_INVALID, "wanted nccl or copies");
    setenv("GRADUS_GPUS_LINK", "copies", 1);
    setenv("GRADUS_FAKE_PEERS", "0", 1); /* through the host */
    g = take(NULL, 0);
    CHECK(gradus_gpus_count(g) == 4, "%d GPUs", gradus_gpus_count(g));
    try_host(g, 20, 30, 5, 0);
    refuse(gradus_gpus_gemm(NULL, g, &error), &error, GRADUS_INVALID, "null pointer");
    p.g.batch = 2, p.g.stride_c = 10000;
    refuse(gradus_gpus_gemm(&p.g, g, &error), &error, GRADUS_UNSUPPORTED, "batch");
    p.g.batch = 0, p.g.lda = 3;
    refuse(gradus_gpus_gemm(&p.g, g, &error), &error, GRADUS_INVALID, "lda");
    p.g.lda = p.ld[0], p.g.c = p.a;
    refuse(gradus_gpus_gemm(&p.g, g, &error), &error, GRADUS_INVALID, "c");
    p.g.c = p.c;
    struct gradus_gpus_matrix none = {1, 4, NULL, NULL};
    refuse(gradus_gpus_gemm_blocks(&p.g, &none, &none, &none, g, &error), &error, GRADUS_INVALID,
           ": A: ");
    const struct gr_multi_plan plan = {.grid = {2, 2}, .steps = 1, .passes = 1};
    setenv("GRADUS_FAKE_MEMORY_2", "300", 1); /* out of memory on one */
    p.g.batch = 0;
    refuse(run_planned(&p.g, &plan, g, &error), &error, GRADUS_NO_MEMORY, "GPU 2: ");
    gradus_gpus_close(g);
    drop(&p);
    gradus_error_clear(&error);
    check_nothing_left("refusals");
}

/* NCCL is asked for and is not there; without being asked for, copies do. */
static void case_no_nccl(void)
{
    struct gradus_error error = {0};
    struct gradus_gpus *g = NULL;
    setenv("GRADUS_NCCL", "/none/libnccl.so.2", 1);
    setenv("GRADUS_GPUS_LINK", "nccl", 1);
    refuse(gradus_gpus_open(NULL, 2, &g, &error), &error, GRADUS_UNSUPPORTED, "found no NCCL");
    unsetenv("GRADUS_GPUS_LINK");
    g = take(NULL, 2);
    CHECK(strcmp(gradus_gpus_link(g), "copies") == 0, "%s", gradus_gpus_link(g));
    try_host(g, 50, 60, 7, TRANS_B);
    gradus_gpus_close(g);
    setenv("GRADUS_FAKE_PEERS", "0", 1);
    g = take(NULL, 2); /* nor do these reach each other: through the host */
    CHECK(is_real || strcmp(gradus_gpus_link(g), "copies") == 0, "%s", gradus_gpus_link(g));
    gradus_gpus_close(g);
    check_nothing_left("no NCCL");
}

static const struct a_case {
    const char *name;
    void (*body)(void);
    bool on_real; /* GPUs, too */
    bool if_named;
} cases[] = {{"host", case_host, true, false},
             {"planned", case_planned, true, false},
             {"small_memory", case_small_memory, false, false},
             {"blocks", case_blocks, true, false},
             {"refusals", case_refusals, false, false},
             {"no_nccl", case_no_nccl, true, false},
             {"auto", case_auto, false, false},
             {"ranks", case_ranks, true, false},
             {"bench", case_bench, true, false},
             {"several", case_several, true, false},
             {"pieces", case_pieces, true, false},
             {"plan", case_plan, true, false},
             {"host_time", case_host_time, true, true}};

static const char *const fails[] = {
    "alloc:2",     "alloc:2:1",      "copy:1",        "copy:1:5",    "copy:719:7", "peer:1",
    "peer:1:3",    "peer:719:2",     "access:1",      "stream:2",    "stream:2:3", "host:2:1",
    "event:1:1",   "event:1:20",     "sync:1",        "sync:719:3",  "launch:1",   "launch:1:3",
    "launch:719",  "context:201",    "context:201:5", "pointer:999", "load:2",     "nccl:id:0",
    "nccl:send:1", "nccl:receive:3", "nccl:group:0",  "nccl:group:3"};

static void run_case(const struct a_case *c, const char *scratch, const char *fail)
{
    char path[700];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        failures = 0;
        alarm(is_real ? 0 : 400); /* ranks that wait for each other */
        if (is_real) {
            open_fake();
            c->body();
            fflush(stdout);
            _exit(failures > 0);
        }
        snprintf(path, sizeof path, "%s/cache", scratch);
        setenv("XDG_CACHE_HOME", path, 1);
        setenv("GRADUS_FAKE_DEVICES", "4", 1);
        setenv("GRADUS_FAKE_ORDER", "1", 1);
        snprintf(path, sizeof path, "%s/libfake_driver.so", folder);
        setenv("GRADUS_CUDA_DRIVER", path, 1);
        snprintf(path, sizeof path, "%s/libfake_nvrtc.so", folder);
        setenv("GRADUS_NVRTC", path, 1);
        snprintf(path, sizeof path, "%s/libfake_nccl.so", folder);
        setenv("GRADUS_NCCL", path, 1);
        setenv("GRADUS_CUBLAS_XT", "/none/libcublas.so", 1); /* a real one needs a real driver */
        if (fail)
            setenv("FAIL", fail, 1);
        open_fake();
        fake.on_launch(do_launch);
        c->body();
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) {
        printf("case %s %s: status %d\n", c->name, fail ? fail : "", status);
        failures++;
    }
}

int main(int argc, char **argv)
{
    char scratch[] = "/tmp/gradus-gpus.XXXXXX", command[128];
    if (argc < 2 || !mkdtemp(scratch))
        return 2;
    snprintf(folder, sizeof folder, "%s", argv[1]);
    is_real = strcmp(folder, "gpu") == 0;
    if (is_real && !dlopen("libcuda.so.1", RTLD_LAZY)) {
        printf("skip: %s\n", dlerror());
        rmdir(scratch);
        return 77;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((argc < 3 ? !cases[i].if_named : strcmp(argv[2], cases[i].name) == 0) &&
            (cases[i].on_real || !is_real))
            run_case(&cases[i], scratch, NULL);
    const struct a_case failing = {"failure", case_failure, false, false};
    for (size_t i = 0; i < sizeof fails / sizeof *fails && !is_real; i++)
        if (argc < 3 || strcmp(argv[2], fails[i]) == 0)
            run_case(&failing, scratch, fails[i]);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0)
        failures++;
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures > 0;
}
