/* library_gpu.c: the library on a real GPU: right values, the same bits from run to run, streams,
 * threads, graphs, refusals, the host's time, and rates beside cuBLAS. Ends with 1 if anything is
 * wrong, and with 77 where there is no GPU. No header of CUDA is needed, and cuBLAS may be missing.
 *
 *     library_gpu [PROBLEMS [SEED]]        (400 problems, seed 1; 0 problems: the rest alone)
 *
 * GRADUS_CUBLAS=FILE names the cuBLAS, where the loader does not find libcublas.so.13 or 12.
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long address;

/* X(name, symbol, parameters): of the driver. */
#define DRIVER(X)                                                                                  \
    X(init, cuInit, (unsigned flags))                                                              \
    X(device_get, cuDeviceGet, (int *device, int ordinal))                                         \
    X(device_name, cuDeviceGetName, (char *name, int length, int device))                          \
    X(retain, cuDevicePrimaryCtxRetain, (void **context, int device))                              \
    X(set, cuCtxSetCurrent, (void *context))                                                       \
    X(synchronize, cuCtxSynchronize, (void))                                                       \
    X(alloc, cuMemAlloc_v2, (address * pointer, size_t bytes))                                     \
    X(release, cuMemFree_v2, (address pointer))                                                    \
    X(info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * all))                                  \
    X(to_device, cuMemcpyHtoD_v2, (address to, const void *from, size_t bytes))                    \
    X(to_host, cuMemcpyDtoH_v2, (void *to, address from, size_t bytes))                            \
    X(whose, cuPointerGetAttribute, (void *value, int attribute, address pointer))                 \
    X(current, cuCtxGetCurrent, (void **context))                                                  \
    X(stream_create, cuStreamCreate, (void **stream, unsigned flags))                              \
    X(stream_wait, cuStreamSynchronize, (void *stream))                                            \
    X(event_create, cuEventCreate, (void **event, unsigned flags))                                 \
    X(event_record, cuEventRecord, (void *event, void *stream))                                    \
    X(event_wait, cuEventSynchronize, (void *event))                                               \
    X(event_elapsed, cuEventElapsedTime, (float *ms, void *start, void *stop))                     \
    X(capture_begin, cuStreamBeginCapture_v2, (void *stream, int mode))                            \
    X(capture_end, cuStreamEndCapture, (void *stream, void **graph))                               \
    X(instantiate, cuGraphInstantiateWithFlags, (void **run, void *graph, unsigned long long f))   \
    X(graph_launch, cuGraphLaunch, (void *run, void *stream))

#define MEMBER(name, symbol, parameters) int(*name) parameters;
static struct {
    DRIVER(MEMBER)
} cu;

static struct {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, void *stream);
    int (*sgemm)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
    int (*gemm_ex)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                   const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                   const float *beta, void *c, int c_type, int ldc, int compute, int algorithm);
    void *handle;
} blas;

static int failures;
static const char *const math_names[] = {"default", "ieee", "accurate", "scaled"};
static bool has_math[4], has_bf16;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("FAIL %s:%d: ", "library_gpu.c", __LINE__);                                     \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void must(int result, const char *what)
{
    if (result != 0) {
        printf("FAIL: %s: the driver returns %d\n", what, result);
        exit(1);
    }
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- Opening ---- */

static bool open_driver(void)
{
    const char *path = getenv("GRADUS_CUDA_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *context;
    int device;
    char name[96];
    if (!library)
        return false;
#define BIND(member, symbol, parameters) *(void **)(void *)&cu.member = dlsym(library, #symbol);
    DRIVER(BIND)
    if (!cu.init || cu.init(0) != 0 || cu.device_get(&device, 0) != 0)
        return false;
    must(cu.device_name(name, sizeof name, device), "the device's name");
    must(cu.retain(&context, device), "the context");
    must(cu.set(context), "the context");
    printf("%s, libgradus %s\n", name, gradus_version());
    return true;
}

static void *open_blas_library(void)
{
    static const char *const names[] = {
        "libcublas.so.13",
        "libcublas.so.12",
        "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.1*",
        "/usr/lib/python3*/*-packages/nvidia/*/lib/libcublas.so.1*",
        "/opt/*/lib/python3*/site-packages/nvidia/*/lib/libcublas.so.1*",
        "/usr/local/cuda*/lib64/libcublas.so.1*"};
    const char *given = getenv("GRADUS_CUBLAS");
    void *library = given ? dlopen(given, RTLD_NOW) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
        glob_t found = {0};
        if (*names[i] != '/')
            library = dlopen(names[i], RTLD_NOW);
        else if (glob(names[i], 0, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc && !library; j++) {
                char *lt = strdup(found.gl_pathv[j]), *base = strstr(lt, "libcublas.so");
                char other[4096]; /* it needs libcublasLt, which lies beside it */
                snprintf(other, sizeof other, "%.*slibcublasLt.so%s", (int)(base - lt), lt,
                         base + strlen("libcublas.so"));
                (void)dlopen(other, RTLD_NOW | RTLD_GLOBAL);
                library = dlopen(lt, RTLD_NOW);
                free(lt);
            }
        globfree(&found);
    }
    return library;
}

static void open_blas(void)
{
    void *library = open_blas_library();
    if (!library) {
        printf("no cuBLAS here: %s\n", dlerror());
        return;
    }
    *(void **)(void *)&blas.create = dlsym(library, "cublasCreate_v2");
    *(void **)(void *)&blas.set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)(void *)&blas.sgemm = dlsym(library, "cublasSgemm_v2");
    *(void **)(void *)&blas.gemm_ex = dlsym(library, "cublasGemmEx");
    if (blas.create(&blas.handle) != 0) {
        printf("no cuBLAS here: cublasCreate fails\n");
        blas.handle = NULL;
    }
}

/* Row-major, as the library has it. */
static void blas_run(const struct gradus_gemm *g)
{
    const float alpha = (float)g->alpha, beta = (float)g->beta;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const void *a = col ? g->a : g->b, *b = col ? g->b : g->a;
    const int64_t lda = col ? g->lda : g->ldb, ldb = col ? g->ldb : g->lda;
    const int ta = col ? g->trans_a : g->trans_b, tb = col ? g->trans_b : g->trans_a;
    blas.set_stream(blas.handle, g->stream);
    const int m = (int)(col ? g->m : g->n), n = (int)(col ? g->n : g->m), k = (int)g->k;
    const int result =
        g->a_type == GRADUS_BF16
            ? blas.gemm_ex(blas.handle, ta, tb, m, n, k, &alpha, a, 14, (int)lda, b, 14, (int)ldb,
                           &beta, g->c, 0, (int)g->ldc, 68, -1) /* CUDA_R_16BF, 32F, COMPUTE_32F */
            : blas.sgemm(blas.handle, ta, tb, m, n, k, &alpha, a, (int)lda, b, (int)ldb, &beta,
                         g->c, (int)g->ldc);
    if (result != 0) {
        printf("FAIL: cublasSgemm returns %d\n", result);
        failures++;
    }
}

/* ---- Problems ---- */

static uint64_t state;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static double uniform(void)
{
    return (double)draw() / 2147483648.0;
}

/* Log-uniform in 1..most. */
static int64_t size(double most)
{
    return (int64_t)exp(uniform() * log(most + 0.99));
}

struct matrix {
    int64_t rows, cols, ld, elements; /* stored, row-major; of all, with what is beyond */
    bool bf16;
    float *host;
    address device;
};

enum { BEYOND = 64 };
static const float untouched = 1234.5f;

static struct matrix make(bool bf16, int64_t rows, int64_t cols, int64_t pad, int64_t copies)
{
    struct matrix x = {rows, cols, cols + pad, 0, bf16, NULL, 0};
    x.elements = rows * x.ld * copies + BEYOND;
    x.host = malloc((size_t)x.elements * sizeof *x.host);
    for (int64_t i = 0; i < x.elements; i++)
        x.host[i] =
            i % x.ld < cols && i < x.elements - BEYOND ? (float)(2 * uniform() - 1) : untouched;
    must(cu.alloc(&x.device, (size_t)x.elements * sizeof *x.host), "memory");
    if (bf16) {
        uint16_t *narrow = malloc((size_t)x.elements * sizeof *narrow);
        gradus_bf16_from_f32(x.host, narrow, x.elements);
        gradus_bf16_to_f32(narrow, x.host, x.elements);
        must(cu.to_device(x.device, narrow, (size_t)x.elements * sizeof *narrow), "a copy");
        free(narrow);
    } else {
        must(cu.to_device(x.device, x.host, (size_t)x.elements * sizeof *x.host), "a copy");
    }
    return x;
}

static void unmake(struct matrix *x)
{
    cu.release(x->device);
    free(x->host);
}

static void *pointer(address a)
{
    return (void *)(uintptr_t)a;
}

struct problem {
    struct gradus_gemm g;
    struct matrix a, b, c;
    float *got;
};

static struct problem draw_problem(void)
{
    struct problem p;
    const bool bf16 = has_bf16 && draw() % 4 == 0;
    gradus_gemm_init(&p.g, bf16 ? GRADUS_BF16 : GRADUS_F32);
    const double most = 3e7;
    do {
        p.g.m = size(1200), p.g.n = size(1200), p.g.k = draw() % 12 ? size(4000) : 0;
    } while ((double)p.g.m * (double)p.g.n * (double)p.g.k > most);
    static const double scales[] = {1, 0, -0.5, 2.25, 1, 1};
    p.g.alpha = scales[draw() % 6];
    p.g.beta = scales[(draw() % 6 + 1) % 6];
    p.g.trans_a = (int)(draw() % 2), p.g.trans_b = (int)(draw() % 2);
    p.g.layout = draw() % 2 ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    p.g.batch = draw() % 8 ? 1 : 1 + (int64_t)(draw() % 3);
    p.g.device = GRADUS_GPU;
    const bool col = p.g.layout == GRADUS_COL_MAJOR;
    static const int64_t pads[] = {0, 0, 1, 3, 8, 32};
    const bool ta = col != !!p.g.trans_a, tb = col != !!p.g.trans_b;
    p.a = make(bf16, ta ? p.g.k : p.g.m, ta ? p.g.m : p.g.k, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.b = make(bf16, tb ? p.g.n : p.g.k, tb ? p.g.k : p.g.n, pads[draw() % 6] + (p.g.k == 0),
               p.g.batch);
    p.c = make(false, col ? p.g.n : p.g.m, col ? p.g.m : p.g.n, pads[draw() % 6], p.g.batch);
    p.g.a = pointer(p.a.device), p.g.lda = p.a.ld, p.g.stride_a = p.a.rows * p.a.ld;
    p.g.b = pointer(p.b.device), p.g.ldb = p.b.ld, p.g.stride_b = p.b.rows * p.b.ld;
    p.g.c = pointer(p.c.device), p.g.ldc = p.c.ld, p.g.stride_c = p.c.rows * p.c.ld;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    return p;
}

static void free_problem(struct problem *p)
{
    unmake(&p->a);
    unmake(&p->b);
    unmake(&p->c);
    free(p->got);
}

static void describe(const struct problem *p, char *text, size_t length)
{
    const struct gradus_gemm *g = &p->g;
    snprintf(text, length,
             "%s %lldx%lldx%lld %s %s%s %s lda %lld ldb %lld ldc %lld alpha %g beta %g batch %lld",
             g->a_type == GRADUS_BF16 ? "bf16" : "f32", (long long)g->m, (long long)g->n,
             (long long)g->k, g->layout ? "col" : "row", g->trans_a ? "t" : "n",
             g->trans_b ? "t" : "n", math_names[g->math], (long long)g->lda, (long long)g->ldb,
             (long long)g->ldc, g->alpha, g->beta, (long long)g->batch);
}

/* Runs it on a fresh C, and reads C back. */
static bool compute(struct problem *p, float *got, bool by_blas)
{
    struct gradus_error error = {0};
    const size_t bytes = (size_t)p->c.elements * sizeof *got;
    enum gradus_status status = GRADUS_OK;
    char text[256];
    must(cu.to_device(p->c.device, p->c.host, bytes), "a copy");
    if (by_blas)
        for (int64_t i = 0; i < p->g.batch; i++) {
            struct gradus_gemm one = p->g;
            const int64_t bytes_ab = one.a_type == GRADUS_BF16 ? 2 : 4;
            one.a = (const char *)one.a + i * one.stride_a * bytes_ab;
            one.b = (const char *)one.b + i * one.stride_b * bytes_ab;
            one.c = (float *)one.c + i * one.stride_c;
            blas_run(&one);
        }
    else
        status = gradus_gemm_run(&p->g, &error);
    describe(p, text, sizeof text);
    CHECK(status == GRADUS_OK, "%s: %s", text, error.text);
    const int result = cu.synchronize();
    CHECK(result == 0, "%s: the GPU returns %d", text, result);
    if (result == 0)
        must(cu.to_host(got, p->c.device, bytes), "a copy");
    gradus_error_clear(&error);
    return status == GRADUS_OK && result == 0;
}

/* Tensor cores cut off what they do not keep: 5.25 units in 16 of k. */
static double bound_of(const struct gradus_gemm *g)
{
    const enum gradus_math math = g->math;
    const int64_t k = g->k;
    if (g->a_type == GRADUS_BF16)
        return 8 + (double)k * 5.25 / 16;
    const double ieee = (double)k / 2, accurate = 14 + (double)k / 64;
    return math == GRADUS_MATH_IEEE       ? ieee
           : math == GRADUS_MATH_ACCURATE ? accurate
           : math == GRADUS_MATH_SCALED   ? accurate + 2
                                          : (ieee > accurate ? ieee : accurate);
}

/* The largest error in units of eps * sum|a||b|, less what alpha and beta add; -1: an element is
 * wrong that no product writes. */
static double error_of(const struct problem *p, const float *got, double limit, bool *wrong)
{
    const double eps = 0x1p-23;
    const struct gradus_gemm *g = &p->g;
    const bool col = g->layout == GRADUS_COL_MAJOR, ta = col != !!g->trans_a,
               tb = col != !!g->trans_b;
    double worst = 0;
    double *sum = malloc((size_t)g->n * sizeof *sum), *all = malloc((size_t)g->n * sizeof *all);
    for (int64_t x = 0; x < g->batch; x++) {
        const float *a = p->a.host + x * g->stride_a, *b = p->b.host + x * g->stride_b;
        for (int64_t i = 0; i < g->m; i++) {
            memset(sum, 0, (size_t)g->n * sizeof *sum);
            memset(all, 0, (size_t)g->n * sizeof *all);
            for (int64_t k = 0; k < g->k && g->alpha != 0; k++) {
                const double f = ta ? a[k * g->lda + i] : a[i * g->lda + k];
                for (int64_t j = 0; j < g->n; j++) {
                    const double t = f * (tb ? b[j * g->ldb + k] : b[k * g->ldb + j]);
                    sum[j] += t;
                    all[j] += fabs(t);
                }
            }
            for (int64_t j = 0; j < g->n; j++) {
                const int64_t at = x * g->stride_c + (col ? j * g->ldc + i : i * g->ldc + j);
                const double old = g->beta != 0 ? g->beta * p->c.host[at] : 0;
                const double want = g->alpha * sum[j] + old, scale = fabs(g->alpha) * all[j];
                const double error = fabs(got[at] - want);
                const double extra = 1.5 * eps * (fabs(g->alpha * sum[j]) + fabs(old));
                if (!(error <= limit * eps * scale + extra))
                    *wrong = true;
                if (scale > 0 && (error - extra) / (eps * scale) > worst)
                    worst = (error - extra) / (eps * scale);
            }
        }
    }
    for (int64_t at = 0; at < p->c.elements; at++)
        if ((at % g->ldc >= p->c.cols || at >= p->c.elements - BEYOND) &&
            memcmp(&got[at], &untouched, sizeof untouched) != 0)
            *wrong = true;
    free(sum);
    free(all);
    return worst;
}

static void check_problems(int count)
{
    double worst[5] = {0}, worst_blas = 0, narrow_blas = 0;
    int done[5] = {0};
    for (int i = 0; i < count; i++) {
        struct problem p = draw_problem();
        const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
        float *again = malloc(bytes);
        char text[256];
        p.g.math = (enum gradus_math)(draw() % 4);
        if (!has_math[p.g.math])
            p.g.math = GRADUS_MATH_DEFAULT;
        describe(&p, text, sizeof text);
        if (compute(&p, p.got, false)) {
            bool wrong = false;
            const double e = error_of(&p, p.got, bound_of(&p.g), &wrong);
            CHECK(!wrong, "%s: wrong, the largest error is %.3g", text, e);
            const int kind = p.g.a_type == GRADUS_BF16 ? 4 : (int)p.g.math;
            worst[kind] = fmax(worst[kind], e);
            done[kind]++;
            CHECK(compute(&p, again, false) && memcmp(again, p.got, bytes) == 0,
                  "%s: other bits in a second run", text);
        }
        if (blas.handle && i % 2 == 0 && compute(&p, again, true)) {
            bool wrong = false;
            const double e = error_of(&p, again, 1e9, &wrong);
            if (p.g.a_type == GRADUS_F32)
                worst_blas = fmax(worst_blas, e);
            else
                narrow_blas = fmax(narrow_blas, e);
        }
        free(again);
        free_problem(&p);
    }
    printf("%d problems, each twice; the largest errors in units of eps*sum|a||b|:\n ", count);
    for (int i = 0; i < 4; i++)
        if (done[i])
            printf(" %s %.2f (%d),", math_names[i], worst[i], done[i]);
    printf(" cublas %.2f; bf16 %.2f (%d), cublas %.2f\n", worst_blas, worst[4], done[4],
           narrow_blas);
}

/* ---- Square products ---- */

static struct problem typed(enum gradus_type type, int64_t m, int64_t n, int64_t k,
                            enum gradus_math math)
{
    struct problem p;
    const bool bf16 = type == GRADUS_BF16;
    gradus_gemm_init(&p.g, type);
    p.g.m = m, p.g.n = n, p.g.k = k;
    p.g.batch = 1;
    p.g.device = GRADUS_GPU;
    p.g.math = math;
    p.a = make(bf16, m, k, 0, 1), p.b = make(bf16, k, n, 0, 1), p.c = make(false, m, n, 0, 1);
    p.g.a = pointer(p.a.device), p.g.lda = k;
    p.g.b = pointer(p.b.device), p.g.ldb = n;
    p.g.c = pointer(p.c.device), p.g.ldc = n;
    p.got = malloc((size_t)p.c.elements * sizeof *p.got);
    return p;
}

static struct problem square(int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    return typed(GRADUS_F32, m, n, k, math);
}

static void run(const struct gradus_gemm *g)
{
    struct gradus_error error = {0};
    CHECK(gradus_gemm_run(g, &error) == GRADUS_OK, "%s", error.text);
    gradus_error_clear(&error);
}

static void first_calls(void)
{
    static const char *const what[] = {"the first call of all", "the first of its transposes",
                                       "the second of it"};
    struct problem p = square(1000, 1000, 1000, GRADUS_MATH_DEFAULT);
    for (int i = 0; i < 3; i++) {
        p.g.trans_a = i > 0;
        const double start = now_us();
        run(&p.g);
        printf("%s%s %.0f us", i ? ", " : "host time of ", what[i], now_us() - start);
        must(cu.synchronize(), "a product");
    }
    printf(" (default math)\n");
    free_problem(&p);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a call's host time, the queue never full. */
static double host_us(const struct gradus_gemm *g, bool by_blas)
{
    enum { ROUNDS = 31, CALLS = 60 };
    double times[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now_us();
        for (int i = 0; i < CALLS; i++)
            if (by_blas)
                blas_run(g);
            else
                run(g);
        times[r] = (now_us() - start) / CALLS;
        must(cu.synchronize(), "products");
    }
    qsort(times, ROUNDS, sizeof *times, by_value);
    return times[ROUNDS / 2];
}

/* What of it is the driver's. */
static void driver_times(void)
{
    enum { CALLS = 20000, ORDINAL = 9 };
    struct problem p = square(64, 64, 64, GRADUS_MATH_IEEE);
    int ordinal;
    void *context;
    double start = now_us();
    for (int i = 0; i < CALLS; i++)
        cu.whose(&ordinal, ORDINAL, p.c.device);
    const double whose = (now_us() - start) / CALLS;
    start = now_us();
    for (int i = 0; i < CALLS; i++)
        cu.current(&context);
    printf("the driver's own: whose memory it is %.3f (3 a call), the context %.3f; ", whose,
           (now_us() - start) / CALLS);
    struct gradus_gemm none = p.g;
    none.m = 0;
    start = now_us();
    for (int i = 0; i < CALLS; i++)
        run(&none);
    printf("an empty product %.3f\n", (now_us() - start) / CALLS);
    free_problem(&p);
}

static void host_times(void)
{
    static const int sizes[] = {64, 512, 1024};
    printf("host time of a call, us:       ");
    for (int s = 0; s < 3; s++) {
        struct problem p = square(sizes[s], sizes[s], sizes[s], GRADUS_MATH_DEFAULT);
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        printf("%s%d:", s ? ";  " : "", sizes[s]);
        for (int math = 1; math < 4; math++) {
            p.g.math = (enum gradus_math)math;
            if (has_math[math])
                printf(" %s %.2f", math_names[math], host_us(&p.g, false));
        }
        if (blas.handle)
            printf(" cublas %.2f", host_us(&p.g, true));
        free_problem(&p);
    }
    printf("\n");
}

/* ---- Streams, threads, graphs ---- */

struct worker {
    int number;
    enum gradus_math math;
    bool same;
};

static void *work(void *argument)
{
    enum { CALLS = 40 };
    static void *context;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int sizes[] = {130, 257, 511, 640};
    struct worker *w = argument;
    int device;
    pthread_mutex_lock(&lock); /* of the random numbers, too */
    if (!context) {
        must(cu.device_get(&device, 0), "a device");
        must(cu.retain(&context, device), "the context");
    }
    must(cu.set(context), "the context");
    const int s = sizes[w->number % 4];
    struct problem p = square(s, s + 7, 2 * s, w->math);
    pthread_mutex_unlock(&lock);
    const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
    float *again = malloc(bytes);
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.stream_wait(p.g.stream), "a stream");
    must(cu.to_host(p.got, p.c.device, bytes), "a copy");
    w->same = true;
    for (int i = 0; i < CALLS; i++) {
        run(&p.g);
        if (i % 8 != 7)
            continue;
        must(cu.stream_wait(p.g.stream), "a stream");
        must(cu.to_host(again, p.c.device, bytes), "a copy");
        w->same = w->same && memcmp(again, p.got, bytes) == 0;
    }
    bool wrong = false;
    error_of(&p, p.got, bound_of(&p.g), &wrong);
    w->same = w->same && !wrong;
    free(again);
    free_problem(&p);
    return NULL;
}

static void check_threads(void)
{
    enum { THREADS = 12 };
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){
            i, has_math[i % 4] ? (enum gradus_math)(i % 4) : GRADUS_MATH_DEFAULT, false};
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].same, "thread %d, %s: wrong, or other bits beside other threads", i,
              math_names[workers[i].math]);
    }
    printf("%d threads, a stream each: done\n", THREADS);
}

/* One stream for several threads: their launches must not mix. */
static void *share(void *problem)
{
    struct problem *p = problem;
    void *context;
    int device;
    must(cu.device_get(&device, 0), "a device");
    must(cu.retain(&context, device), "the context");
    must(cu.set(context), "the context");
    for (int i = 0; i < 50; i++)
        run(&p->g);
    return NULL;
}

static void check_shared_stream(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct problem p[THREADS];
    void *stream;
    must(cu.stream_create(&stream, 1), "a stream");
    for (int i = 0; i < THREADS; i++) {
        p[i] = square(200 + 60 * i, 300, 900, GRADUS_MATH_DEFAULT);
        if (has_math[GRADUS_MATH_ACCURATE])
            p[i].g.math = i % 2 ? GRADUS_MATH_SCALED : GRADUS_MATH_ACCURATE;
        p[i].g.stream = stream;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, share, &p[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    must(cu.stream_wait(stream), "a stream");
    for (int i = 0; i < THREADS; i++) {
        bool wrong = false;
        must(cu.to_host(p[i].got, p[i].c.device, (size_t)p[i].c.elements * sizeof(float)),
             "a copy");
        const double e = error_of(&p[i], p[i].got, bound_of(&p[i].g), &wrong);
        CHECK(!wrong, "thread %d on a stream that is shared: the error is %.3g", i, e);
        free_problem(&p[i]);
    }
    printf("%d threads, one stream: done\n", THREADS);
}

static void check_graph(enum gradus_math math)
{
    struct problem p = square(700, 500, 900, math);
    const size_t bytes = (size_t)p.c.elements * sizeof *p.got;
    struct gradus_error error = {0};
    float *again = malloc(bytes);
    void *graph = NULL, *executable = NULL;
    address workspace = 0;
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.stream_wait(p.g.stream), "a stream");
    must(cu.to_host(p.got, p.c.device, bytes), "a copy");
    const int64_t wanted = gradus_gemm_workspace(&p.g, &error);
    CHECK(wanted >= 0, "%s", error.text);
    if (wanted > 0) { /* without a workspace it is refused, and the capture goes on */
        must(cu.capture_begin(p.g.stream, 0), "a capture");
        CHECK(gradus_gemm_run(&p.g, &error) == GRADUS_LAUNCH, "captured without a workspace");
        must(cu.capture_end(p.g.stream, &graph), "a capture");
        must(cu.alloc(&workspace, (size_t)wanted), "a workspace");
        p.g.workspace = pointer(workspace);
        p.g.workspace_bytes = wanted;
    }
    must(cu.capture_begin(p.g.stream, 0), "a capture");
    run(&p.g);
    run(&p.g);
    must(cu.capture_end(p.g.stream, &graph), "a capture");
    must(cu.instantiate(&executable, graph, 0), "a graph");
    for (int i = 0; i < 3; i++) {
        must(cu.to_device(p.c.device, p.c.host, bytes), "a copy");
        must(cu.graph_launch(executable, p.g.stream), "a graph");
        must(cu.stream_wait(p.g.stream), "a stream");
        must(cu.to_host(again, p.c.device, bytes), "a copy");
        CHECK(memcmp(again, p.got, bytes) == 0, "a graph gives other bits, %s", math_names[math]);
    }
    printf("graph, %s: workspace %lld bytes: done\n", math_names[math], (long long)wanted);
    if (workspace)
        cu.release(workspace);
    free(again);
    free_problem(&p);
    gradus_error_clear(&error);
}

static void check_memory(void)
{
    struct problem p = square(900, 900, 900, GRADUS_MATH_DEFAULT);
    size_t before = 0, after = 0, all;
    must(cu.stream_create(&p.g.stream, 1), "a stream");
    run(&p.g);
    must(cu.synchronize(), "a product");
    must(cu.info(&before, &all), "memory");
    for (int i = 0; i < 500; i++)
        run(&p.g);
    must(cu.synchronize(), "products");
    must(cu.info(&after, &all), "memory");
    CHECK(before == after, "500 calls took %lld bytes", (long long)before - (long long)after);
    free_problem(&p);
}

static void check_refusals(void)
{
    struct problem p = square(64, 64, 64, GRADUS_MATH_DEFAULT);
    struct gradus_error error = {0};
    struct gradus_gemm g = p.g;
    g.a = p.a.host;
    CHECK(gradus_gemm_run(&g, &error) == GRADUS_INVALID && strstr(error.text, ": a: "),
          "host memory: %s", error.text);
    printf("refused: %s\n", error.text);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const enum gradus_status status = gradus_gemm_run(&p.g, &error);
        printf("refused: %s\n", error.text);
        fflush(stdout);
        _exit(status == GRADUS_UNSUPPORTED && strstr(error.text, "fork") ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "a forked process is not refused");
    run(&p.g);
    must(cu.synchronize(), "a product after a fork");
    free_problem(&p);
    gradus_error_clear(&error);
}

/* ---- Rates ---- */

static double seconds(const struct gradus_gemm *g, bool by_blas, int calls)
{
    static void *start, *stop;
    float ms = 0;
    if (!start) {
        must(cu.event_create(&start, 0), "an event");
        must(cu.event_create(&stop, 0), "an event");
    }
    must(cu.event_record(start, g->stream), "an event");
    for (int i = 0; i < calls; i++)
        if (by_blas)
            blas_run(g);
        else
            run(g);
    must(cu.event_record(stop, g->stream), "an event");
    must(cu.event_wait(stop), "an event");
    must(cu.event_elapsed(&ms, start, stop), "an event");
    return ms * 1e-3 / calls;
}

static void rates(void)
{
    enum { ROUNDS = 9 };
    static const int sizes[][3] = {
        {256, 256, 256},    {512, 512, 512},    {768, 768, 768},    {1000, 1000, 1000},
        {1024, 1024, 1024}, {1536, 1536, 1536}, {2048, 2048, 2048}, {3072, 3072, 3072},
        {4095, 4095, 4095}, {4096, 4096, 4096}, {8192, 8192, 8192}, {16, 4096, 4096},
        {128, 4096, 4096},  {4096, 4096, 128},  {4096, 4096, 32},   {64, 64, 65536},
        {512, 512, 8192},   {300, 5000, 700},   {16384, 256, 512},  {2048, 64, 2048}};
    printf("\nTFLOP/s, back to back, the same operands (in L2 where they fit), medians of %d:\n"
           "%-18s %9s %9s %9s %9s %9s  default/cublas\n",
           ROUNDS, "m x n x k", "cublas", "ieee", "accurate", "scaled", "default");
    double log_ratio = 0;
    int counted = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p = square(sizes[s][0], sizes[s][1], sizes[s][2], GRADUS_MATH_DEFAULT);
        double times[5][ROUNDS], rate[5] = {0};
        const double flop = 2.0 * sizes[s][0] * sizes[s][1] * sizes[s][2];
        int calls = (int)(1.5e11 / flop);
        calls = calls < 2 ? 2 : calls > 300 ? 300 : calls;
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        for (int r = -1; r < ROUNDS; r++)
            for (int w = 0; w < 5; w++) { /* cublas, ieee, accurate, scaled, default */
                if (w == 0 ? !blas.handle : !has_math[w % 4])
                    continue;
                p.g.math = (enum gradus_math)(w % 4);
                const double t = seconds(&p.g, w == 0, r < 0 ? 1 : calls);
                if (r >= 0)
                    times[w][r] = t;
                if (r == ROUNDS - 1) {
                    qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
                    rate[w] = flop / times[w][ROUNDS / 2] * 1e-12;
                }
            }
        char name[64];
        snprintf(name, sizeof name, "%dx%dx%d", sizes[s][0], sizes[s][1], sizes[s][2]);
        printf("%-18s %9.2f %9.2f %9.2f %9.2f %9.2f  %6.2f\n", name, rate[0], rate[1], rate[2],
               rate[3], rate[4], rate[0] > 0 ? rate[4] / rate[0] : 0);
        fflush(stdout);
        if (rate[0] > 0) {
            log_ratio += log(rate[4] / rate[0]);
            counted++;
        }
        free_problem(&p);
    }
    if (counted)
        printf("geometric mean of default/cublas: %.3f\n", exp(log_ratio / counted));
}

/* The medians of interleaved rounds, in seconds: cublas, ieee, accurate, default. */
static void time_four(struct problem *p, double seconds_of[4])
{
    enum { ROUNDS = 5 };
    static const enum gradus_math maths[] = {GRADUS_MATH_DEFAULT, GRADUS_MATH_IEEE,
                                             GRADUS_MATH_ACCURATE, GRADUS_MATH_DEFAULT};
    double times[4][ROUNDS];
    const double flop = 2.0 * (double)p->g.m * (double)p->g.n * (double)p->g.k;
    int calls = (int)(4e10 / flop);
    calls = calls < 2 ? 2 : calls > 100 ? 100 : calls;
    for (int r = -1; r < ROUNDS; r++)
        for (int w = 0; w < 4; w++) {
            if (w == 2 && !has_math[GRADUS_MATH_ACCURATE])
                continue;
            p->g.math = maths[w];
            const double t = seconds(&p->g, w == 0, r < 0 ? 1 : calls);
            if (r >= 0)
                times[w][r] = t;
        }
    for (int w = 0; w < 4; w++) {
        if (w == 2 && !has_math[GRADUS_MATH_ACCURATE])
            continue;
        qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
        seconds_of[w] = times[w][ROUNDS / 2];
    }
}

struct drawn {
    char name[64];
    double t[4];
};

static int by_default(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    const double p = x->t[0] / x->t[3], q = y->t[0] / y->t[3];
    return (p > q) - (p < q);
}

static int by_ieee(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    const double p = x->t[0] / x->t[1], q = y->t[0] / y->t[1];
    return (p > q) - (p < q);
}

/* Products whose sizes are log-uniform in 1..8192, at most 16 GFLOP, in all transposes. */
static void random_rates(int count)
{
    struct drawn *all = calloc((size_t)count, sizeof *all);
    double ieee = 0, usual = 0, loss = 1, losses = 0;
    for (int i = 0; i < count; i++) {
        int64_t m, n, k;
        do
            m = size(8192), n = size(8192), k = size(8192);
        while (2.0 * (double)m * (double)n * (double)k > 16e9);
        struct problem p = square(m, n, k, GRADUS_MATH_DEFAULT);
        p.g.trans_a = (int)(draw() % 2), p.g.trans_b = (int)(draw() % 2);
        p.g.lda = p.g.trans_a ? m : k, p.g.ldb = p.g.trans_b ? k : n;
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        time_four(&p, all[i].t);
        snprintf(all[i].name, sizeof all[i].name, "%lldx%lldx%lld %s%s", (long long)m, (long long)n,
                 (long long)k, p.g.trans_a ? "t" : "n", p.g.trans_b ? "t" : "n");
        const double *t = all[i].t, best = t[2] > 0 && t[2] < t[1] && k >= 32 ? t[2] : t[1];
        ieee += log(t[0] / t[1]), usual += log(t[0] / t[3]);
        losses += t[3] / best - 1;
        loss = fmax(loss, t[3] / best);
        free_problem(&p);
    }
    printf("\n%d random products beside cublas: ieee %.3f in the mean", count, exp(ieee / count));
    qsort(all, (size_t)count, sizeof *all, by_ieee);
    printf(", 5th percentile %.3f; default %.3f", all[count / 20].t[0] / all[count / 20].t[1],
           exp(usual / count));
    qsort(all, (size_t)count, sizeof *all, by_default);
    printf(", 5th percentile %.3f\nthe choice costs %.1f %% of the better one's time in the mean, "
           "%.1f %% at most\nthe slowest, in us (cublas, ieee, accurate, default):\n",
           all[count / 20].t[0] / all[count / 20].t[3], 100 * losses / count, 100 * (loss - 1));
    for (int i = 0; i < count && i < 14; i++)
        printf("  %-22s %8.1f %8.1f %8.1f %8.1f  %.2f\n", all[i].name, all[i].t[0] * 1e6,
               all[i].t[1] * 1e6, all[i].t[2] * 1e6, all[i].t[3] * 1e6, all[i].t[0] / all[i].t[3]);
    free(all);
}

static void narrow_rates(void)
{
    enum { ROUNDS = 9 };
    static const int sizes[][3] = {{512, 512, 512},    {1024, 1024, 1024}, {2048, 2048, 2048},
                                   {4095, 4095, 4095}, {4096, 4096, 4096}, {8192, 8192, 8192},
                                   {128, 4096, 4096},  {16, 4096, 4096}};
    printf("\n%-16s %9s %9s %7s\n", "bf16, C in f32", "cublas", "gradus", "ratio");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p =
            typed(GRADUS_BF16, sizes[s][0], sizes[s][1], sizes[s][2], GRADUS_MATH_DEFAULT);
        double times[2][ROUNDS] = {{0}};
        const double flop = 2.0 * sizes[s][0] * sizes[s][1] * sizes[s][2];
        int calls = (int)(1e12 / flop);
        calls = calls < 2 ? 2 : calls > 300 ? 300 : calls;
        must(cu.stream_create(&p.g.stream, 1), "a stream");
        for (int r = -1; r < ROUNDS; r++)
            for (int w = blas.handle ? 0 : 1; w < 2; w++) {
                const double t = seconds(&p.g, w == 0, r < 0 ? 1 : calls);
                if (r >= 0)
                    times[w][r] = t;
            }
        for (int w = 0; w < 2; w++)
            qsort(times[w], ROUNDS, sizeof times[w][0], by_value);
        const double theirs = times[0][ROUNDS / 2], ours = times[1][ROUNDS / 2];
        char name[64];
        snprintf(name, sizeof name, "%dx%dx%d", sizes[s][0], sizes[s][1], sizes[s][2]);
        printf("%-16s %9.1f %9.1f %7.2f\n", name, theirs > 0 ? flop / theirs * 1e-12 : 0,
               flop / ours * 1e-12, theirs / ours);
        fflush(stdout);
        free_problem(&p);
    }
}

int main(int argc, char **argv)
{
    const int problems = argc > 1 ? atoi(argv[1]) : 400;
    state = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    if (!open_driver()) {
        printf("skip: no GPU here\n");
        return 77;
    }
    open_blas();
    first_calls();
    for (int math = 0; math < 4; math++) {
        struct problem p = square(40, 40, 40, (enum gradus_math)math);
        struct gradus_error error = {0};
        has_math[math] = gradus_gemm_run(&p.g, &error) == GRADUS_OK;
        if (!has_math[math])
            printf("without %s: %s\n", math_names[math], error.text);
        must(cu.synchronize(), "a product");
        free_problem(&p);
    }
    struct problem narrow = typed(GRADUS_BF16, 40, 40, 40, GRADUS_MATH_DEFAULT);
    has_bf16 = gradus_gemm_run(&narrow.g, NULL) == GRADUS_OK;
    must(cu.synchronize(), "a product");
    CHECK(has_bf16, "no kernel for bf16");
    free_problem(&narrow);
    CHECK(has_math[GRADUS_MATH_DEFAULT] && has_math[GRADUS_MATH_IEEE], "no kernel for floats");
    check_problems(problems);
    check_threads();
    check_shared_stream();
    for (int math = 0; math < 4; math++)
        if (has_math[math])
            check_graph((enum gradus_math)math);
    check_memory();
    check_refusals();
    host_times();
    driver_times();
    rates();
    if (blas.handle)
        random_rates(120);
    if (has_bf16)
        narrow_rates();
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures ? 1 : 0;
}
