/* cublas_caller.c: calls a cuBLAS and a cuBLASLt that compute nothing (stand_in_cublas.c) on a
 * driver that runs nothing (tests/gpu/fake_driver.h), as a module of Python's does: it is loaded by
 * itself (loader.c). Under `gradus exec --gpu` it checks, from what the driver launched and what
 * the stand-in was told, who computed each call, and with which arguments. SPDX-License-Identifier:
 * MIT
 *
 *     WORD: alone, ieee, default, launch, memory, threads, fork */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv);
int cublasCreate_v2(void **handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetMathMode(void *handle, int mode);
int cublasSetSmCountTarget(void *handle, int count);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int,
                   const float *, int, const float *, float *, int);
int cublasSgemm_v2_64(void *, int, int, int64_t, int64_t, int64_t, const float *, const float *,
                      int64_t, const float *, int64_t, const float *, float *, int64_t);
int cublasDgemm_v2(void *, int, int, int, int, int, const double *, const double *, int,
                   const double *, int, const double *, double *, int);
int cublasSgemmStridedBatched(void *, int, int, int, int, int, const float *, const float *, int,
                              long long, const float *, int, long long, const float *, float *, int,
                              long long, int);
int cublasSgemmBatched(void *, int, int, int, int, int, const float *, const float *const[], int,
                       const float *const[], int, const float *, float *const[], int, int);
int cublasDgemmBatched(void *, int, int, int, int, int, const double *, const double *const[], int,
                       const double *const[], int, const double *, double *const[], int, int);
int cublasSgemmBatched_64(void *, int, int, int64_t, int64_t, int64_t, const float *,
                          const float *const[], int64_t, const float *const[], int64_t,
                          const float *, float *const[], int64_t, int64_t);
int cublasGemmBatchedEx(void *, int, int, int, int, int, const void *, const void *const[], int,
                        int, const void *const[], int, int, const void *, void *const[], int, int,
                        int, int, int);
int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int,
                 const void *, int, int, const void *, void *, int, int, int, int);
int cublasGemmStridedBatchedEx(void *, int, int, int, int, int, const void *, const void *, int,
                               int, long long, const void *, int, int, long long, const void *,
                               void *, int, int, long long, int, int, int);
int cublasLtMatmulDescCreate(void **object, int compute, int scale);
int cublasLtMatrixLayoutCreate(void **object, int type, uint64_t rows, uint64_t columns,
                               int64_t ld);
int cublasLtMatmulDescSetAttribute(void *object, int attribute, const void *value, size_t bytes);
int cublasLtMatrixLayoutSetAttribute(void *object, int attribute, const void *value, size_t bytes);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *,
                   const void *, const void *, void *, void *, void *, const void *, void *, size_t,
                   void *);

enum { ROWS = 2048, COLUMNS = 2176, DEPTH = 1024, LD_A = 1028, LD_D = 2052 };
enum { N, T, F32 = 0, BF16 = 14, COMPUTE_32F = 68, COMPUTE_TF32 = 77, LINES = 64 };

static int failures;
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("cublas_caller.c:%d: %s: ", __LINE__, #condition);                              \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static struct {
    int (*init)(unsigned);
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*alloc)(unsigned long long *pointer, size_t bytes);
    int (*stream_create)(void **stream, unsigned flags);
    int (*capture_begin)(void *stream, int mode);
    int (*capture_end)(void *stream, void **graph);
    int (*instantiate)(void **run, void *graph, unsigned long long flags);
    int (*graph_launch)(void *run, void *stream);
    int (*calls)(const char *what);
    void *(*stream)(void);
} fake;

static void open_fake(void)
{
    void *library = dlopen(getenv("GRADUS_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL), *context = NULL;
    const struct {
        const char *symbol;
        void *member;
    } symbols[] = {{"cuInit", &fake.init},
                   {"cuDevicePrimaryCtxRetain", &fake.retain},
                   {"cuCtxSetCurrent", &fake.set},
                   {"cuMemAlloc_v2", &fake.alloc},
                   {"cuStreamCreate", &fake.stream_create},
                   {"cuStreamBeginCapture_v2", &fake.capture_begin},
                   {"cuStreamEndCapture", &fake.capture_end},
                   {"cuGraphInstantiateWithFlags", &fake.instantiate},
                   {"cuGraphLaunch", &fake.graph_launch},
                   {"fake_calls", &fake.calls},
                   {"fake_stream", &fake.stream}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *(void **)symbols[i].member = library ? dlsym(library, symbols[i].symbol) : NULL;
        if (!*(void **)symbols[i].member) {
            printf("the fake driver: %s\n", dlerror());
            exit(2);
        }
    }
    fake.retain(&context, 0);
    fake.set(context);
}

static void *memory(size_t bytes)
{
    unsigned long long pointer = 0;
    CHECK(fake.alloc(&pointer, bytes) == 0, "no memory");
    return (void *)(uintptr_t)pointer;
}

/* What was written to a log since its last reading. */
struct log {
    const char *variable;
    long at;
    int count;
    char lines[LINES][2048];
};
static struct log launched = {.variable = "GRADUS_FAKE_LOG"}, told = {.variable = "STAND_IN_LOG"};

static void read_log(struct log *log)
{
    FILE *file = fopen(getenv(log->variable), "r");
    log->count = 0;
    memset(log->lines[0], 0, sizeof log->lines[0]);
    if (!file)
        return;
    fseek(file, log->at, SEEK_SET);
    while (log->count < LINES && fgets(log->lines[log->count], sizeof log->lines[0], file))
        log->count++;
    log->at = ftell(file);
    fclose(file);
}

/* The n-th argument of a launch, as the bytes of a number. */
static uint64_t argument(const char *line, int n)
{
    const char *p = strstr(line, " args ");
    for (p = p ? p + 5 : ""; n > 0 && p && *p; n--)
        p = strchr(p + 1, ' ');
    uint64_t value = 0;
    if (!p || !*p)
        return UINT64_MAX;
    p++;
    for (int i = 0; i < 8 && p[0] > ' ' && p[1] > ' '; i++, p += 2) {
        unsigned byte = 0;
        sscanf((const char[]){p[0], p[1], 0}, "%x", &byte);
        value |= (uint64_t)byte << (8 * i);
    }
    return value;
}

static uint64_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* The call that was just made was computed by gradus. */
static void computed(int line, int status)
{
    read_log(&launched);
    read_log(&told);
    if (status == 0 && launched.count > 0 && told.count == 0)
        return;
    printf(
        "cublas_caller.c:%d: status %d, %d launches, %d calls of cuBLAS (%s), wanted it computed\n",
        line, status, launched.count, told.count, told.lines[0]);
    failures++;
}

/* It went to cuBLAS, with these words, and nothing of it was launched. */
static void passed(int line, int status, int wanted_status, const char *words)
{
    read_log(&launched);
    read_log(&told);
    told.lines[0][strcspn(told.lines[0], "\n")] = 0;
    if (status == wanted_status && launched.count == 0 && strcmp(told.lines[0], words) == 0)
        return;
    printf("cublas_caller.c:%d: status %d, %d launches, cuBLAS was told '%s', wanted '%s'\n", line,
           status, launched.count, told.lines[0], words);
    failures++;
}
#define COMPUTED(call) computed(__LINE__, call)
#define PASSED(call, words) passed(__LINE__, call, 0, words)

static uint64_t wide_bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* The product that line i launched: as row-major, where A and B are exchanged. */
static void is_product(int line, int i, int64_t m, int64_t n, int64_t k, float alpha, const void *a,
                       int64_t lda, const void *b, int64_t ldb, float beta, const void *c,
                       int64_t ldc)
{
    const uint64_t wanted[] = {(uint64_t)n,  (uint64_t)m,   (uint64_t)k,  bits(alpha),
                               (uintptr_t)b, (uint64_t)ldb, (uintptr_t)a, (uint64_t)lda,
                               bits(beta),   (uintptr_t)c,  (uint64_t)ldc};
    for (int w = 0; w < 11; w++) {
        const uint64_t found = argument(launched.lines[i], w);
        /* Kernels of several types take alpha and beta in double precision. */
        const bool is_wide =
            (w == 3 && found == wide_bits(alpha)) || (w == 8 && found == wide_bits(beta));
        if (found != wanted[w] && !is_wide) {
            printf("cublas_caller.c:%d: argument %d: found %llx, wanted %llx in %s", line, w,
                   (unsigned long long)found, (unsigned long long)wanted[w], launched.lines[i]);
            failures++;
        }
    }
}
#define IS_PRODUCT(i, ...) is_product(__LINE__, i, __VA_ARGS__)

static void *handle, *stream;
static float *a, *b, *c, *d, *bias;
static const float one = 1, half = 0.5F, zero;
static const double double_one = 1;

static void prepare(void)
{
    enum { BYTES = 64 << 20 };
    open_fake();
    a = memory(BYTES), b = memory(BYTES), c = memory(BYTES), d = memory(BYTES);
    bias = memory(65536);
    fake.stream_create(&stream, 1);
    CHECK(cublasCreate_v2(&handle) == 0 && cublasSetStream_v2(handle, stream) == 0, "no handle");
}

static int sgemm(int size)
{
    return cublasSgemm_v2(handle, N, N, size, size, size, &one, a, size, b, size, &zero, c, size);
}

/* Sizes, transposes, leading dimensions, numbers, stream; with GRADUS_MATH=ieee. */
static void try_arguments(void)
{
    COMPUTED(cublasSgemm_v2(handle, N, N, 300, 200, 100, &half, a, 310, b, 120, &one, c, 320));
    IS_PRODUCT(0, 300, 200, 100, 0.5F, a, 310, b, 120, 1, c, 320);
    CHECK(fake.stream() == stream, "another stream");
    COMPUTED(cublasSgemm_v2_64(handle, T, N, 300, 200, 100, &one, a, 110, b, 120, &zero, c, 300));
    IS_PRODUCT(0, 300, 200, 100, 1, a, 110, b, 120, 0, c, 300);
    COMPUTED(cublasSgemm_v2(handle, N, 2, 300, 200, 100, &one, a, 300, b, 200, &zero, c, 300));
    IS_PRODUCT(0, 300, 200, 100, 1, a, 300, b, 200, 0, c, 300);
    COMPUTED(cublasGemmEx(handle, N, N, 64, 48, 32, &half, a, F32, 64, b, F32, 32, &zero, c, F32,
                          64, COMPUTE_32F, -1));
    IS_PRODUCT(0, 64, 48, 32, 0.5F, a, 64, b, 32, 0, c, 64);
    /* Few tiles of many steps, which are shared out among the blocks: one launch after another. */
    COMPUTED(cublasSgemmStridedBatched(handle, N, N, 256, 512, 16384, &one, a, 256, 1 << 22, b,
                                       16384, 0, &zero, c, 256, 1 << 23, 2));
    IS_PRODUCT(0, 256, 512, 16384, 1, a, 256, b, 16384, 0, c, 256);
    IS_PRODUCT(launched.count / 2, 256, 512, 16384, 1, a + (1 << 22), 256, b, 16384, 0,
               c + (1 << 23), 256);
    COMPUTED(cublasGemmStridedBatchedEx(handle, N, N, 256, 512, 16384, &one, a, F32, 256, 0, b, F32,
                                        16384, 1 << 23, &zero, c, F32, 256, 1 << 23, 2, COMPUTE_32F,
                                        -1));
    IS_PRODUCT(launched.count / 2, 256, 512, 16384, 1, a, 256, b + (1 << 23), 16384, 0,
               c + (1 << 23), 256);
    /* Addresses that are in the GPU's memory are one launch, in which they are read. */
    COMPUTED(cublasSgemmBatched(handle, N, T, 300, 200, 100, &half, (void *)a, 310, (void *)b, 220,
                                &one, (void *)c, 320, 9));
    IS_PRODUCT(0, 300, 200, 100, 0.5F, a, 310, b, 220, 1, c, 320);
    CHECK(launched.count == 1 && strstr(launched.lines[0], ",1,9 block"), "%s", launched.lines[0]);
    COMPUTED(cublasSgemmBatched_64(handle, N, N, 30, 20, 10, &one, (void *)a, 30, (void *)b, 10,
                                   &zero, (void *)c, 30, 1));
    IS_PRODUCT(0, 30, 20, 10, 1, a, 30, b, 10, 0, c, 30);
    COMPUTED(cublasGemmBatchedEx(handle, T, N, 30, 20, 10, &one, (void *)a, F32, 30, (void *)b, F32,
                                 10, &zero, (void *)c, F32, 30, 2, COMPUTE_32F, -1));
    IS_PRODUCT(0, 30, 20, 10, 1, a, 30, b, 10, 0, c, 30);
    /* Of the other types those are computed whose rows begin anywhere, as single products are. */
    COMPUTED(cublasDgemmBatched(handle, N, N, 31, 20, 11, &double_one, (void *)a, 31, (void *)b, 11,
                                &double_one, (void *)c, 31, 2));
    CHECK(launched.count == 1 && strstr(launched.lines[0], "multiply_32_1_"), "%s",
          launched.lines[0]);
    COMPUTED(cublasGemmBatchedEx(handle, T, N, 30, 20, 10, &one, (void *)a, BF16, 30, (void *)b,
                                 BF16, 10, &zero, (void *)c, BF16, 30, 2, COMPUTE_32F, -1));
    CHECK(launched.count == 1 && strstr(launched.lines[0], "tiles_false_ grid 2,1,1"), "%s",
          launched.lines[0]);
    PASSED(cublasDgemmBatched(handle, N, N, 30, 20, 10, &double_one, (void *)a, 30, (void *)b, 10,
                              &double_one, (void *)c, 30, 2),
           "cublasDgemmBatched 0 0 30 20 10 30 10 30 2");
    PASSED(cublasSgemmBatched(handle, N, N, 8, 8, 8, &one, (void *)a, 8, (void *)b, 8, &zero,
                              (void *)c, 8, 0),
           "cublasSgemmBatched 0 0 8 8 8 8 8 8 0");
    /* A mode of the program's that the user has overruled. */
    cublasSetMathMode(handle, 3);
    COMPUTED(sgemm(128));
    cublasSetMathMode(handle, 0);
    CHECK(cublasSgemm_v2(handle, N, N, 0, 5, 5, &one, a, 1, b, 5, &zero, c, 1) == 0, "m is 0");
    read_log(&launched);
    CHECK(launched.count == 0, "launched for nothing: %s", launched.lines[0]);
}

/* What goes on to cuBLAS, unchanged. */
static void try_passing(void)
{
    cublasSetPointerMode_v2(handle, 1);
    PASSED(cublasSgemm_v2(handle, N, T, 64, 64, 64, bias, a, 65, b, 66, bias, c, 67),
           "cublasSgemm_v2 0 1 64 64 64 65 66 67");
    cublasSetPointerMode_v2(handle, 0);
    cublasSetMathMode(handle, 3);
    COMPUTED(sgemm(64));
    PASSED(cublasSgemmStridedBatched(handle, N, N, 64, 72, 80, &one, a, 64, 5120, b, 80, 5760,
                                     &zero, c, 64, 4608, 3),
           "cublasSgemmStridedBatched 0 0 64 72 80 64 5120 80 5760 64 4608 3");
    cublasSetMathMode(handle, 0);
    cublasSetSmCountTarget(handle, 20);
    PASSED(sgemm(64), "cublasSgemm_v2 0 0 64 64 64 64 64 64");
    cublasSetSmCountTarget(handle, 0);
    PASSED(cublasSgemm_v2_64(handle, N, N, 64, 1, 64, &one, a, 64, b, 64, &zero, c, 64),
           "cublasSgemm_v2_64 0 0 64 1 64 64 64 64");
    PASSED(cublasSgemm_v2(handle, N, N, 2048, 128, 512, &one, a, 2048, b, 512, &zero, c, 2048),
           "cublasSgemm_v2 0 0 2048 128 512 2048 512 2048");
    passed(__LINE__, cublasSgemm_v2(handle, 7, N, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8), 7,
           "cublasSgemm_v2 7 0 8 8 8 8 8 8");
    passed(__LINE__, cublasSgemm_v2(handle, N, N, -8, 8, 8, &one, a, 8, b, 8, &zero, c, 8), 7,
           "cublasSgemm_v2 0 0 -8 8 8 8 8 8");
    PASSED(cublasSgemm_v2(handle, N, N, 8, 8, 8, &one, (float[64]){0}, 8, b, 8, &zero, c, 8),
           "cublasSgemm_v2 0 0 8 8 8 8 8 8");
    PASSED(cublasDgemm_v2(handle, N, N, 64, 64, 64, &double_one, (double *)(void *)a, 64,
                          (double *)(void *)b, 64, &double_one, (double *)(void *)c, 64),
           "cublasDgemm_v2 0 0 64 64 64 64 64 64");
    PASSED(cublasSgemmStridedBatched(handle, T, N, 64, 32, 16, &one, a, 16, 1024, b, 16, 512, &zero,
                                     c, 64, 2048, 9),
           "cublasSgemmStridedBatched 1 0 64 32 16 16 1024 16 512 64 2048 9");
    PASSED(cublasSgemmBatched(handle, N, N, 8, 8, 8, &one, NULL, 8, NULL, 8, &zero, NULL, 8, 3),
           "cublasSgemmBatched 0 0 8 8 8 8 8 8 3");
    /* Batches of floats that the tensor cores compute in one launch, but for one side of 63. */
    COMPUTED(cublasSgemmStridedBatched(handle, N, N, 64, 72, 80, &one, a, 64, 5120, b, 80, 5760,
                                       &zero, c, 64, 4608, 3));
    CHECK(launched.count == 1, "%d launches for a batch", launched.count);
    PASSED(cublasSgemmStridedBatched(handle, N, N, 64, 72, 63, &one, a, 64, 5120, b, 80, 5760,
                                     &zero, c, 64, 4608, 3),
           "cublasSgemmStridedBatched 0 0 64 72 63 64 5120 80 5760 64 4608 3");
    COMPUTED(cublasSgemmBatched(handle, N, N, 64, 72, 80, &one, (void *)a, 64, (void *)b, 80, &zero,
                                (void *)c, 64, 3));
    CHECK(launched.count == 1, "%d launches for a batch", launched.count);
    PASSED(cublasGemmEx(handle, N, N, 64, 64, 64, &one, a, BF16, 64, b, BF16, 64, &zero, c, BF16,
                        64, COMPUTE_32F, 99),
           "cublasGemmEx 0 0 64 64 64 14 64 14 64 14 64 68 99");
    CHECK(told.count == 2, "the inner call did not reach cuBLASLt: %d", told.count);
    PASSED(cublasGemmEx(handle, N, N, 64, 64, 64, &one, a, 2, 64, b, 2, 64, &zero, c, 2, 64,
                        COMPUTE_32F, -1),
           "cublasGemmEx 0 0 64 64 64 2 64 2 64 2 64 68 -1");
    COMPUTED(cublasGemmEx(handle, N, N, 64, 64, 64, &one, a, F32, 64, b, F32, 64, &zero, c, F32, 64,
                          COMPUTE_TF32, -1));
    PASSED(cublasGemmStridedBatchedEx(handle, N, N, 64, 64, 64, &one, a, F32, 64, 4096, b, F32, 64,
                                      4096, &zero, c, F32, 64, 4096, 3, COMPUTE_TF32, -1),
           "cublasGemmStridedBatchedEx 0 0 64 64 64 0 64 4096 0 64 4096 0 64 4096 3 77 -1");
}

struct operation {
    void *desc, *a, *b, *c, *d;
};

/* y = W x + bias, 2048 x 2176 by 1024, W transposed as nn.Linear has it. */
static struct operation linear(int epilogue)
{
    struct operation o;
    const int trans = 1;
    const void *of_bias = bias;
    cublasLtMatmulDescCreate(&o.desc, COMPUTE_32F, F32);
    cublasLtMatmulDescSetAttribute(o.desc, 3, &trans, sizeof trans);
    cublasLtMatmulDescSetAttribute(o.desc, 7, &epilogue, sizeof epilogue);
    if (epilogue & 4)
        cublasLtMatmulDescSetAttribute(o.desc, 8, &of_bias, sizeof of_bias);
    cublasLtMatrixLayoutCreate(&o.a, F32, DEPTH, ROWS, LD_A);
    cublasLtMatrixLayoutCreate(&o.b, F32, DEPTH, COLUMNS, DEPTH);
    cublasLtMatrixLayoutCreate(&o.c, F32, ROWS, COLUMNS, ROWS);
    cublasLtMatrixLayoutCreate(&o.d, F32, ROWS, COLUMNS, LD_D);
    return o;
}

static int matmul(const struct operation *o, const float *beta, const float *from)
{
    return cublasLtMatmul(NULL, o->desc, &one, a, o->a, b, o->b, beta, from, o->c, d, o->d, NULL,
                          NULL, 4096, stream);
}

/* The last launch: finish(M, N, C, ldc, bias, per_row, activation, across), of the row-major C. */
static void is_finish(int line, const void *of_bias, uint64_t activation)
{
    const uint64_t wanted[] = {COLUMNS, ROWS,      (uintptr_t)d, LD_D, (uintptr_t)of_bias,
                               0,       activation};
    const char *last = launched.lines[launched.count > 0 ? launched.count - 1 : 0];
    for (int w = 0; w < 7; w++)
        if (!strstr(last, "finish") || argument(last, w) != wanted[w]) {
            printf("cublas_caller.c:%d: argument %d, wanted %llx in %s", line, w,
                   (unsigned long long)wanted[w], last);
            failures++;
        }
}
#define IS_FINISH(...) is_finish(__LINE__, __VA_ARGS__)

static void try_lt(void)
{
    static const char plain[] = "cublasLtMatmul 1 2048 2176 4096";
    struct operation o = linear(1);
    COMPUTED(matmul(&o, &zero, d));
    IS_PRODUCT(0, ROWS, COLUMNS, DEPTH, 1, a, LD_A, b, DEPTH, 0, d, LD_D);
    CHECK(fake.stream() == stream, "another stream");
    COMPUTED(matmul(&o, &zero, c)); /* C is not read */
    PASSED(matmul(&o, &one, c), plain);
    PASSED(matmul(&o, &one, d), plain); /* of another ld */
    o.c = o.d;
    PASSED(matmul(&o, &one, c), plain); /* another matrix */
    COMPUTED(matmul(&o, &half, d));
    IS_PRODUCT(0, ROWS, COLUMNS, DEPTH, 1, a, LD_A, b, DEPTH, 0.5F, d, LD_D);

    o = linear(4); /* the product, then the bias */
    COMPUTED(matmul(&o, &zero, c));
    IS_PRODUCT(0, ROWS, COLUMNS, DEPTH, 1, a, LD_A, b, DEPTH, 0, d, LD_D);
    IS_FINISH(bias, 0);
    CHECK(fake.stream() == stream, "another stream");
    const int allocations = fake.calls("alloc");
    COMPUTED(matmul(&o, &zero, c));
    CHECK(fake.calls("alloc") == allocations, "allocated anew");
    fake.capture_begin(stream, 0); /* into a graph as well */
    void *graph, *run;
    CHECK(matmul(&o, &zero, c) == 0, "in a capture");
    fake.capture_end(stream, &graph);
    fake.instantiate(&run, graph, 0);
    fake.graph_launch(run, stream);
    COMPUTED(0);
    IS_FINISH(bias, 0);
    o.c = o.d; /* a bias and a C that is read */
    COMPUTED(matmul(&o, &half, d));
    IS_PRODUCT(0, ROWS, COLUMNS, DEPTH, 1, a, LD_A, b, DEPTH, 0.5F, d, LD_D);
    IS_FINISH(bias, 0);
    o = linear(6);
    COMPUTED(matmul(&o, &zero, c));
    IS_FINISH(bias, 1);
    o = linear(2);
    COMPUTED(matmul(&o, &zero, c));
    IS_FINISH(NULL, 1);
    o = linear(4);
    const int half_type = BF16;
    cublasLtMatmulDescSetAttribute(o.desc, 26, &half_type, sizeof half_type);
    PASSED(matmul(&o, &zero, c), "cublasLtMatmul 4 2048 2176 4096");
    o = linear(4);
    cublasLtMatrixLayoutCreate(&o.b, F32, DEPTH, 256, DEPTH);
    cublasLtMatrixLayoutCreate(&o.c, F32, ROWS, 256, ROWS);
    o.d = o.c;
    PASSED(matmul(&o, &zero, d), "cublasLtMatmul 4 2048 256 4096");
    o = linear(36); /* GELU by tanh, and a bias */
    COMPUTED(matmul(&o, &zero, c));
    IS_FINISH(bias, 3);
    o = linear(32);
    COMPUTED(matmul(&o, &zero, c));
    IS_FINISH(NULL, 3);
    o = linear(164); /* GELU, and what it is applied to */
    PASSED(matmul(&o, &zero, c), "cublasLtMatmul 164 2048 2176 4096");
    o = linear(130); /* ReLU, and a mask */
    PASSED(matmul(&o, &zero, c), "cublasLtMatmul 130 2048 2176 4096");
    o = linear(1);
    const int device = 1;
    cublasLtMatmulDescSetAttribute(o.desc, 2, &device, sizeof device);
    PASSED(matmul(&o, bias, d), plain);
    o = linear(1);
    cublasLtMatrixLayoutSetAttribute(o.b, 1, &device, sizeof device); /* row-major */
    PASSED(matmul(&o, &zero, d), plain);
    o = linear(1);
    const void *scale = bias;
    cublasLtMatmulDescSetAttribute(o.desc, 17, &scale, sizeof scale);
    PASSED(matmul(&o, &zero, d), plain);
}

/* Into a graph: with the handle's workspace, with memory of the graph's own. */
static void try_capture(void)
{
    enum { SIZE = 2048, BYTES = 256 << 20 };
    void *graph, *run;
    void *workspace = memory(BYTES);
    COMPUTED(sgemm(SIZE));
    const int launches = launched.count, allocations = fake.calls("alloc");
    for (int lent = 0; lent < 2; lent++) {
        if (lent)
            cublasSetWorkspace_v2(handle, workspace, BYTES);
        const int before = fake.calls("pool");
        fake.capture_begin(stream, 0);
        CHECK(sgemm(SIZE) == 0, "in a capture");
        read_log(&launched);
        CHECK(launched.count == 0, "launched, and not captured: %s", launched.lines[0]);
        fake.capture_end(stream, &graph);
        fake.instantiate(&run, graph, 0);
        fake.graph_launch(run, stream);
        COMPUTED(0);
        CHECK(launched.count == launches, "%d launches, wanted %d", launched.count, launches);
        CHECK(fake.calls("pool") == before + (lent ? 0 : 2), "lent %d: %d nodes of memory", lent,
              fake.calls("pool") - before);
        CHECK(fake.calls("alloc") == allocations, "allocated in a capture");
    }
    /* The workspace is the handle's until it gets a stream. */
    cublasSetStream_v2(handle, stream);
    const int before = fake.calls("pool");
    fake.capture_begin(stream, 0);
    sgemm(SIZE);
    fake.capture_end(stream, &graph);
    CHECK(fake.calls("pool") == before + 2, "a workspace that was taken back");
    read_log(&told);
}

/* A handle, a stream and a C of its own, as cuBLAS wants it. */
static void *multiply_often(void *my_c)
{
    void *my_handle, *my_stream, *context = NULL;
    fake.retain(&context, 0);
    fake.set(context);
    fake.stream_create(&my_stream, 1);
    cublasCreate_v2(&my_handle);
    for (int i = 0; i < 25; i++) {
        cublasSetStream_v2(my_handle, my_stream);
        if (cublasSgemm_v2(my_handle, N, N, 512, 512, 512, &one, a, 512, b, 512, &zero, my_c,
                           512) != 0)
            return my_c;
    }
    return NULL;
}

static void try_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *failed = NULL;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, multiply_often, c + (size_t)i * 512 * 512);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &failed);
        CHECK(!failed, "thread %d", i);
    }
    read_log(&told);
    CHECK(told.count == 0, "passed on: %s", told.lines[0]);
}

static void try_fork(void)
{
    COMPUTED(sgemm(64));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        PASSED(sgemm(64), "cublasSgemm_v2 0 0 64 64 64 64 64 64");
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "in the child");
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    prepare();
    if (strcmp(word, "alone") == 0) {
        PASSED(sgemm(64), "cublasSgemm_v2 0 0 64 64 64 64 64 64");
    } else if (strcmp(word, "ieee") == 0) {
        try_arguments();
        try_lt();
    } else if (strcmp(word, "default") == 0) {
        COMPUTED(cublasGemmEx(handle, N, N, 256, 256, 256, &one, a, BF16, 257, b, BF16, 256, &zero,
                              c, F32, 256, COMPUTE_32F, -1));
        COMPUTED(cublasGemmEx(handle, N, N, 256, 256, 256, &one, a, BF16, 256, b, BF16, 258, &zero,
                              c, BF16, 256, COMPUTE_32F, -1));
        COMPUTED(cublasDgemm_v2(handle, N, N, 63, 64, 64, &double_one, (double *)(void *)a, 63,
                                (double *)(void *)b, 64, &double_one, (double *)(void *)c, 64));
        try_passing();
        try_capture();
    } else if (strcmp(word, "launch") == 0) {
        /* A kernel of somebody's has faulted: CUBLAS_STATUS_EXECUTION_FAILED. */
        const int status = sgemm(64);
        CHECK(status == 13, "status %d", status);
    } else if (strcmp(word, "memory") == 0) {
        PASSED(sgemm(2048), "cublasSgemm_v2 0 0 2048 2048 2048 2048 2048 2048");
    } else if (strcmp(word, "threads") == 0) {
        try_threads();
    } else if (strcmp(word, "fork") == 0) {
        try_fork();
    } else if (strcmp(word, "nothing") != 0) {
        return 2;
    }
    return failures > 0;
}
