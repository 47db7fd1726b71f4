/* test_library.c: the library's path to a GPU over the fake driver (fake_driver.h): which launches
 * with which arguments on which stream and device, what is allocated and when, captures, failures
 * at every call of the driver, refusals, where code comes from. Each case is a process of its own,
 * since the driver is opened once. SPDX-License-Identifier: MIT
 *
 *     test_library FOLDER       the folder of libfake_driver.so and libfake_nvrtc.so */
#include <gradus/gradus.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set)(void *context);
    int (*current)(void **context);
    int (*alloc)(unsigned long long *pointer, size_t bytes);
    int (*stream_create)(void **stream, unsigned flags);
    int (*capture_begin)(void *stream, int mode);
    int (*capture_end)(void *stream, void **graph);
    int (*instantiate)(void **run, void *graph, unsigned long long flags);
    int (*graph_launch)(void *run, void *stream);
    int (*calls)(const char *what);
    void *(*stream)(void);
    int (*device)(void);
    void (*on_launch)(void (*hook)(const char *symbol, void **parameters));
} fake;

static char folder[512], log_path[600], nvrtc_log[600];

/* A program that uses the driver itself, as any has that has memory of a GPU. */
static void open_fake(void)
{
    char path[600];
    void *context = NULL;
    snprintf(path, sizeof path, "%s/libfake_driver.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    const struct {
        const char *symbol;
        void **member;
    } symbols[] = {{"cuInit", (void **)(void *)&fake.init},
                   {"cuDevicePrimaryCtxRetain", (void **)(void *)&fake.retain},
                   {"cuCtxSetCurrent", (void **)(void *)&fake.set},
                   {"cuCtxGetCurrent", (void **)(void *)&fake.current},
                   {"cuMemAlloc_v2", (void **)(void *)&fake.alloc},
                   {"cuStreamCreate", (void **)(void *)&fake.stream_create},
                   {"cuStreamBeginCapture_v2", (void **)(void *)&fake.capture_begin},
                   {"cuStreamEndCapture", (void **)(void *)&fake.capture_end},
                   {"cuGraphInstantiateWithFlags", (void **)(void *)&fake.instantiate},
                   {"cuGraphLaunch", (void **)(void *)&fake.graph_launch},
                   {"fake_calls", (void **)(void *)&fake.calls},
                   {"fake_stream", (void **)(void *)&fake.stream},
                   {"fake_device", (void **)(void *)&fake.device},
                   {"fake_on_launch", (void **)(void *)&fake.on_launch}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *symbols[i].member = dlsym(library, symbols[i].symbol);
        CHECK(*symbols[i].member, "%s is missing", symbols[i].symbol);
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

static struct gradus_gemm problem(int64_t m, int64_t n, int64_t k, enum gradus_math math)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = m, g.n = n, g.k = k;
    g.a = memory((size_t)(m * k) * 4 + 4), g.lda = k ? k : 1;
    g.b = memory((size_t)(k * n) * 4 + 4), g.ldb = n;
    g.c = memory((size_t)(m * n) * 4), g.ldc = n;
    g.device = GRADUS_GPU;
    g.math = math;
    return g;
}

static enum gradus_status run(const struct gradus_gemm *g, char text[512])
{
    struct gradus_error error = {0};
    const enum gradus_status status = gradus_gemm_run(g, &error);
    snprintf(text, 512, "%s", error.text);
    CHECK((status == GRADUS_OK) == !*text, "status %d with '%s'", (int)status, text);
    CHECK(!strchr(text, '\n'), "more than a line: %s", text);
    gradus_error_clear(&error);
    return status;
}

static void run_well(const struct gradus_gemm *g)
{
    char text[512];
    CHECK(run(g, text) == GRADUS_OK, "%s", text);
}

/* The lines of the launches since the last call. */
static int launches(char lines[][2048], int most)
{
    static long at;
    int count = 0;
    FILE *file = fopen(log_path, "r");
    if (!file)
        return 0;
    fseek(file, at, SEEK_SET);
    while (count < most && fgets(lines[count], 2048, file))
        count++;
    at = ftell(file);
    fclose(file);
    return count;
}

/* The n-th argument of a line, as the bytes of a number. */
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

/* ---- Cases ---- */

/* multiply_large(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth) */
static void case_arguments(void)
{
    static char lines[16][2048];
    struct gradus_gemm g = problem(4096, 4096, 72, GRADUS_MATH_IEEE);
    g.alpha = 2.5, g.beta = -1;
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    CHECK(launches(lines, 16) == 1 || strstr(lines[0], "multiply_shares"), "%s", lines[0]);
    const uint64_t wanted[] = {4096, 4096,           72,   bits(2.5F), (uintptr_t)g.a,
                               72,   (uintptr_t)g.b, 4096, bits(-1),   (uintptr_t)g.c,
                               4096};
    for (int i = 0; i < 11; i++)
        CHECK(argument(lines[0], i) == wanted[i], "argument %d is %llx in %s", i,
              (unsigned long long)argument(lines[0], i), lines[0]);
    CHECK(strstr(lines[0], "block 256,1,1 smem 75264") || strstr(lines[0], "smem"), "%s", lines[0]);
    CHECK(fake.stream() == g.stream, "another stream");

    /* Column-major: the transposed product. m and n, a and b are exchanged. */
    g.layout = GRADUS_COL_MAJOR;
    g.m = 3000, g.n = 4096, g.lda = 4096, g.ldb = 72, g.ldc = 4100;
    g.c = memory(4100 * 4096 * 4);
    run_well(&g);
    launches(lines, 16);
    const uint64_t turned[] = {4096, 3000,           72,   bits(2.5F), (uintptr_t)g.b,
                               72,   (uintptr_t)g.a, 4096, bits(-1),   (uintptr_t)g.c,
                               4100};
    for (int i = 0; i < 11; i++)
        CHECK(argument(lines[0], i) == turned[i], "argument %d of %s", i, lines[0]);

    /* Without A and B, k and alpha are 0. */
    g.alpha = 0, g.a = g.b = NULL;
    run_well(&g);
    launches(lines, 16);
    CHECK(argument(lines[0], 2) == 0 && argument(lines[0], 3) == 0, "%s", lines[0]);

    /* Nothing to do: no launch. */
    g.m = 0;
    run_well(&g);
    CHECK(launches(lines, 16) == 0, "%s", lines[0]);
}

/* Types other than float; kernels that choose how a product is cut, by clusters. What was chosen
 * for a shape is kept, but for the same alignment only. */
static void case_types(void)
{
    static const enum gradus_type types[][2] = {
        {GRADUS_F64, GRADUS_F64}, {GRADUS_BF16, GRADUS_F32}, {GRADUS_BF16, GRADUS_BF16},
        {GRADUS_F16, GRADUS_F32}, {GRADUS_F16, GRADUS_F16},
    };
    static char lines[16][2048], again[16][2048];
    char text[512];
    struct gradus_gemm g;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        g = problem(256, 256, 4096, GRADUS_MATH_DEFAULT);
        g.a_type = g.b_type = types[i][0], g.c_type = types[i][1];
        g.sum_type = types[i][0] == GRADUS_F64 ? GRADUS_F64 : GRADUS_F32;
        g.a = memory(256 * 4096 * 8 + 8), g.b = memory(256 * 4096 * 8), g.c = memory(256 * 256 * 8);
        run_well(&g);
        const int count = launches(lines, 16);
        CHECK(count > 0, "types %zu: nothing is launched", i);
        run_well(&g);
        CHECK(launches(again, 16) == count && strcmp(lines[0], again[0]) == 0, "%s%s", lines[0],
              again[0]);
        if (types[i][0] == GRADUS_F64)
            continue;
        CHECK(strstr(lines[0], "multiply_whole") && strstr(lines[0], "block 128,1,1") &&
                  strstr(lines[0], "cluster 8,1,1"),
              "%s", lines[0]);
        g.a = (const char *)g.a + 2;
        run_well(&g);
        launches(lines, 16);
        CHECK(strstr(lines[0], "pack") && argument(lines[0], 3) == (uintptr_t)g.a, "%s", lines[0]);
    }
    /* Floats as tf32: maps of that type (11), whose first word the fake driver keeps. */
    struct gradus_gemm t = problem(256, 512, 1024, GRADUS_MATH_TF32);
    t.trans_b = 1, t.ldb = 1024;
    run_well(&t);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_mapped"), "%s", lines[0]);
    CHECK(strstr(lines[0], " 0b00000000000000020000000000000003"), "%s", lines[0]);
    t.trans_b = 0, t.ldb = 512;
    run_well(&t);
    CHECK(launches(lines, 16) == 2 && strstr(lines[0], "pack_b") &&
              strstr(lines[1], "multiply_packed_b"),
          "%s%s", lines[0], lines[1]);
    g.b_type = GRADUS_BF16;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found f16 bf16"), "%s", text);
    g.device = GRADUS_CPU, g.b_type = GRADUS_F16;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found f16 f16"), "%s", text);
}

/* Small products of floats are one launch, whose blockIdx.z is the product: argument 14 and those
 * after it are the strides. Other batches are a launch for each product. */
static void case_batch(void)
{
    static char lines[16][2048];
    struct gradus_gemm g = problem(300, 310, 30, GRADUS_MATH_IEEE);
    const size_t bytes = 300 * 310 * 4;
    g.batch = 3, g.stride_a = 7, g.stride_b = 0, g.stride_c = 300 * 310;
    g.a = memory(300 * 30 * 4 + 14 * 4), g.c = memory(3 * bytes);
    for (int turned = 0; turned < 2; turned++) {
        run_well(&g);
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "grid 25,1,3"), "%s", lines[0]);
        CHECK(argument(lines[0], 9) == (uintptr_t)g.c, "%s", lines[0]);
        const uint64_t strides[] = {turned ? 0 : 7, turned ? 7 : 0, 300 * 310};
        for (int i = 0; i < 3; i++)
            CHECK(argument(lines[0], 14 + i) == strides[i], "stride %d of %s", i, lines[0]);
        g.layout = GRADUS_COL_MAJOR, g.lda = 300, g.ldb = 30, g.ldc = 300;
    }
    g.layout = GRADUS_ROW_MAJOR, g.lda = 30, g.ldb = g.ldc = 310;
    g.math =
        GRADUS_MATH_ACCURATE; /* three launches and a workspace, for one product after another */
    run_well(&g);
    const int count = launches(lines, 16);
    CHECK(count % 3 == 0 && count > 3 && !strstr(lines[0], ",3 block"), "%s", lines[0]);
    g.math = GRADUS_MATH_IEEE;
    g.batch = 70000, g.m = g.n = g.ldb = g.ldc = 2, g.k = g.lda = 1; /* more than blocks along z */
    g.stride_a = g.stride_b = 0, g.stride_c = 4, g.c = memory(70000 * 16);
    run_well(&g);
    CHECK(launches(lines, 16) == 2 && strstr(lines[0], "grid 1,1,35000") &&
              strstr(lines[1], "grid 1,1,35000"),
          "%s%s", lines[0], lines[1]);
    CHECK(argument(lines[1], 9) == (uintptr_t)g.c + 35000 * 16, "%s", lines[1]);
    g = problem(300, 300, 30, GRADUS_MATH_IEEE);
    g.a_type = g.b_type = GRADUS_BF16;
    g.batch = 3, g.stride_c = 300 * 300, g.c = memory(3 * bytes);
    run_well(&g);
    CHECK(launches(lines, 16) % 3 == 0, "%s", lines[0]);
    g = problem(300, 300, 30, GRADUS_MATH_IEEE);
    void *cs[] = {memory(bytes), memory(bytes)};
    const void *as[] = {g.a, g.a};
    g.batch = 2, g.c_array = cs, g.a_array = as, g.c = NULL, g.a = NULL;
    run_well(&g);
    CHECK(launches(lines, 16) == 2, "%s", lines[0]);
    for (int i = 0; i < 2; i++)
        CHECK(argument(lines[i], 9) == (uintptr_t)cs[i], "%s", lines[i]);
}

/* Arrays of addresses that the host does not read are one launch; those of problems whose A and B
 * are not read may be null. */
static void case_far_arrays(void)
{
    static char lines[16][2048];
    char text[512];
    struct gradus_gemm g = problem(300, 310, 30, GRADUS_MATH_DEFAULT);
    const void *const *as = memory(3 * 8), *const *bs = memory(3 * 8);
    void *const *cs = memory(70000 * 8);
    g.batch = 3, g.a_array = as, g.b_array = bs, g.c_array = cs, g.arrays_on_gpu = 1;
    g.a = g.b = g.c = NULL;
    const int copies = fake.calls("copy"), waits = fake.calls("sync");
    for (int turned = 0; turned < 2; turned++) {
        run_well(&g);
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_small") &&
                  strstr(lines[0], " grid 25,1,3"),
              "%s", lines[0]);
        CHECK(argument(lines[0], 4) == (uintptr_t)(turned ? bs : as), "%s", lines[0]);
        CHECK(argument(lines[0], 6) == (uintptr_t)(turned ? as : bs), "%s", lines[0]);
        CHECK(argument(lines[0], 9) == (uintptr_t)cs && argument(lines[0], 17) == 1, "%s",
              lines[0]);
        g.layout = GRADUS_COL_MAJOR, g.lda = 300, g.ldb = 30, g.ldc = 300;
    }
    CHECK(gradus_gemm_workspace(&g, NULL) == 0, "a workspace");
    g.batch = 1;
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_small") &&
              strstr(lines[0], " grid 25,1,1"),
          "%s", lines[0]);
    const struct gradus_gemm right = g;
    g.epilogue = &(struct gradus_epilogue){.activation = GRADUS_RELU};
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": epilogue: "), "%s", text);
    g = right, g.math = GRADUS_MATH_ACCURATE;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": arrays_on_gpu: "), "%s", text);
    g = right, g.a_type = g.b_type = GRADUS_BF16;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": arrays_on_gpu: "), "%s", text);
    g = right, g.arrays_on_gpu = 2;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": arrays_on_gpu: "), "%s", text);
    g = right, g.b_array = NULL;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": arrays_on_gpu: "), "%s", text);
    g = right, g.device = GRADUS_CPU;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": arrays_on_gpu: "), "%s", text);
    const void *const host[3] = {0};
    g = right, g.a_array = host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": a_array: found host memory"), "%s",
          text);
    g = right, g.c_array = (void *const *)(uintptr_t)host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": c: found host memory"), "%s", text);
    launches(lines, 16);
    g = right, g.k = 0, g.alpha = 1, g.lda = 300, g.ldb = 1;
    g.batch = 70000, g.m = g.n = g.ldc = 2;
    run_well(&g);
    CHECK(launches(lines, 16) == 2 && strstr(lines[0], "grid 1,1,65535") &&
              strstr(lines[1], "grid 1,1,4465"),
          "%s%s", lines[0], lines[1]);
    CHECK(argument(lines[1], 9) == (uintptr_t)(cs + 65535), "%s", lines[1]);
    CHECK(argument(lines[1], 4) == argument(lines[1], 9), "A's array is not readable");
    CHECK(fake.calls("copy") == copies && fake.calls("sync") == waits, "copied or waited");
}

/* The last launch is the epilogue's: finish(M, N, C, ldc, bias, per_row, activation, across). */
static void is_finish(int line, const char *last, int64_t m, int64_t n, const struct gradus_gemm *g,
                      uint64_t per_row)
{
    const struct gradus_epilogue *e = g->epilogue;
    const uint64_t wanted[] = {(uint64_t)m,        (uint64_t)n, (uintptr_t)g->c, (uint64_t)g->ldc,
                               (uintptr_t)e->bias, per_row,     e->activation};
    CHECK(strstr(last, "finish") && strstr(last, "block 256,1,1"), "%d: %s", line, last);
    for (int i = 0; i < 7; i++)
        CHECK(argument(last, i) == wanted[i], "%d: argument %d of %s", line, i, last);
}
#define IS_FINISH(...) is_finish(__LINE__, __VA_ARGS__)

/* An epilogue is one launch after those of the product, on the same stream. */
static void case_epilogue(void)
{
    static char lines[32][2048];
    char text[512];
    float host[300];
    struct gradus_gemm g = problem(300, 200, 30, GRADUS_MATH_IEEE);
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    const int product = launches(lines, 32);
    struct gradus_epilogue e = {.bias = memory(300 * 4), .activation = GRADUS_GELU};
    g.epilogue = &e;
    const int loads = fake.calls("load"), allocations = fake.calls("alloc");
    run_well(&g);
    CHECK(launches(lines, 32) == product + 1, "%s", lines[0]);
    CHECK(fake.calls("load") == loads + 1 && fake.calls("alloc") == allocations, "loads, memory");
    IS_FINISH(lines[product], 300, 200, &g, 0);
    CHECK(argument(lines[product], 7) == 64 && strstr(lines[product], "grid 1,19,1"), "%s",
          lines[product]);
    CHECK(fake.stream() == g.stream, "another stream");
    /* Column-major: the transposed C. */
    g.layout = GRADUS_COL_MAJOR, g.lda = 300, g.ldb = 30, g.ldc = 301, g.c = memory(301 * 200 * 4);
    e.bias_per_row = 1, e.activation = GRADUS_RELU;
    run_well(&g);
    launches(lines, 32);
    IS_FINISH(lines[product], 200, 300, &g, 0);
    e.bias_per_row = 0;
    g.k = 0; /* C is scaled, and finished */
    run_well(&g);
    CHECK(launches(lines, 32) == product + 1, "%s", lines[0]);
    IS_FINISH(lines[product], 200, 300, &g, 1);
    g.k = 30, e.bias = NULL;
    run_well(&g);
    launches(lines, 32);
    IS_FINISH(lines[product], 200, 300, &g, 1);
    g.batch = 3, g.stride_c = 301 * 200, g.c = memory(3 * 301 * 200 * 4); /* a launch of all */
    run_well(&g);
    CHECK(launches(lines, 32) == product + 1, "%s", lines[0]);
    IS_FINISH(lines[product], 200, 300, &g, 1);
    CHECK(strstr(lines[product], ",3 block") && argument(lines[product], 8) == 301 * 200, "%s",
          lines[product]);
    void *cs[] = {memory(301 * 200 * 4), memory(301 * 200 * 4)}; /* and after each product */
    g.batch = 2, g.c_array = cs;
    run_well(&g);
    CHECK(launches(lines, 32) == 2 * (product + 1), "%s", lines[0]);
    for (int i = 0; i < 2; i++)
        CHECK(argument(lines[i * (product + 1) + product], 2) == (uintptr_t)cs[i], "%s",
              lines[i * (product + 1) + product]);
    g.batch = 0, g.c_array = NULL;
    e.activation = GRADUS_LINEAR; /* nothing to do */
    run_well(&g);
    CHECK(launches(lines, 32) == product, "%s", lines[0]);
    e.bias = host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "epilogue->bias: found host memory"),
          "%s", text);
    CHECK(launches(lines, 32) == 0, "launched before it was refused: %s", lines[0]);
    e.bias = (char *)g.c + 4;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "in common"), "%s", text);
}

/* A C of 16 bits is rounded once, after the epilogue: the product's sums are in a workspace. */
static void case_rounded(void)
{
    static char lines[16][2048];
    void *graph, *executable;
    for (int is_f16 = 0; is_f16 < 2; is_f16++) {
        struct gradus_gemm g = problem(256, 250, 4096, GRADUS_MATH_DEFAULT);
        struct gradus_epilogue e = {.bias = memory(250 * 4), .activation = GRADUS_RELU};
        struct gradus_error error = {0};
        g.a_type = g.b_type = g.c_type = is_f16 ? GRADUS_F16 : GRADUS_BF16;
        g.beta = 0.5;
        fake.stream_create(&g.stream, 1);
        const int64_t without = gradus_gemm_workspace(&g, &error);
        g.epilogue = &e;
        const int64_t bytes = gradus_gemm_workspace(&g, &error);
        CHECK(bytes >= without + 256 * 252 * 4, "%lld and %lld bytes: %s", (long long)without,
              (long long)bytes, error.text);
        int before = fake.calls("alloc");
        run_well(&g);
        CHECK(fake.calls("alloc") == before + 1, "%d allocations", fake.calls("alloc") - before);
        run_well(&g);
        CHECK(fake.calls("alloc") == before + 1, "another allocation");
        launches(lines, 16);
        /* finish(M, N, sums, lds, beta, C, ldc, bias, per_row, activation, across) */
        g.workspace = memory((size_t)bytes), g.workspace_bytes = bytes;
        run_well(&g);
        const int count = launches(lines, 16);
        const char *last = lines[count - 1];
        const uint64_t wanted[] = {256,
                                   250,
                                   (uintptr_t)g.workspace,
                                   252,
                                   bits(0.5F),
                                   (uintptr_t)g.c,
                                   250,
                                   (uintptr_t)e.bias,
                                   0,
                                   GRADUS_RELU,
                                   64};
        for (int i = 0; i < 11; i++)
            CHECK(argument(last, i) == wanted[i], "argument %d of %s", i, last);
        for (int i = 0; i + 1 < count; i++)
            for (int j = 0; j < 20; j++)
                CHECK(argument(lines[i], j) != (uintptr_t)g.c &&
                          argument(lines[i], j) != bits(0.5F),
                      "the product has C or beta: %s", lines[i]);
        before = fake.calls("alloc");
        fake.capture_begin(g.stream, 0);
        run_well(&g);
        fake.capture_end(g.stream, &graph);
        CHECK(launches(lines, 16) == 0 && fake.calls("alloc") == before, "in a capture");
        fake.instantiate(&executable, graph, 0);
        fake.graph_launch(executable, g.stream);
        CHECK(launches(lines, 16) == count, "%s", lines[0]);
        /* Rows that begin anywhere are packed, behind the sums. */
        g.a = (const char *)g.a + 2, g.workspace = NULL;
        g.workspace_bytes = gradus_gemm_workspace(&g, &error);
        g.workspace = memory((size_t)g.workspace_bytes);
        run_well(&g);
        launches(lines, 16);
        CHECK(strstr(lines[0], "pack") && argument(lines[0], 3) == (uintptr_t)g.a, "%s", lines[0]);
        for (int j = 0; j < 20; j++)
            CHECK(argument(lines[0], j) != (uintptr_t)g.workspace, "over the sums: %s", lines[0]);
    }
}

/* ---- Operands in host memory: the fake GPU computes, in its memory ---- */

static int trans_of_a, trans_of_b;

/* The arguments of a kernel from A on: A, lda, B, ldb, beta, C, ldc. */
static void multiply(int m, int n, int k, float alpha, void **p, float beta)
{
    const float *a = *(float **)p[0], *b = *(float **)p[2];
    float *c = *(float **)p[5];
    const int lda = *(int *)p[1], ldb = *(int *)p[3], ldc = *(int *)p[6];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[trans_of_a ? l * lda + i : i * lda + l] *
                       b[trans_of_b ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
        }
}

/* What the kernels of 12_best, 29_vector, 30_short and finish.cu do, of integers, which floats
 * hold. */
static void do_launch(const char *symbol, void **p)
{
    const int m = *(int *)p[0], n = *(int *)p[1];
    if (strstr(symbol, "multiply")) {
        multiply(m, n, *(int *)p[2], *(float *)p[3], p + 4, *(float *)p[8]);
    } else if (strstr(symbol, "_tiles")) {
        multiply(m, n, *(int *)p[2], (float)*(double *)p[3], p + 4, (float)*(double *)p[8]);
    } else if (strstr(symbol, "_by_vector")) {
        CHECK(*(int *)p[7] == *(int *)p[8], "shares of K, which this does not add up: %s", symbol);
        multiply(m, n, *(int *)p[2], (float)*(double *)p[10], p + 11, (float)*(double *)p[15]);
    } else if (strstr(symbol, "finish")) {
        float *c = *(float **)p[2];
        const float *bias = *(float **)p[4];
        const int ldc = *(int *)p[3], per_row = *(int *)p[5], activation = *(int *)p[6];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float *x = &c[i * ldc + j];
                *x += bias ? bias[per_row ? i : j] : 0;
                *x = activation == GRADUS_RELU && *x < 0 ? 0 : *x;
            }
    }
}

static float whole(int i)
{
    return (float)((i % 1000 * 7919 + i / 13) % 9 - 4);
}

/* A product of matrices in host memory is right, and does not touch what lies between C's rows. */
static void try_host(int64_t m, int64_t n, int64_t k, int variant)
{
    const bool column_major = variant & 1, ta = variant & 2, tb = variant & 4, finish = variant & 8;
    const int batch = variant & 16 ? 2 : 1;
    const int64_t pad = 3, lda = (ta != column_major ? m : k) + pad,
                  ldb = (tb != column_major ? k : n) + pad, ldc = (column_major ? m : n) + pad;
    const int64_t count_a = (ta != column_major ? k : m) * lda,
                  count_b = (tb != column_major ? n : k) * ldb,
                  count_c = (column_major ? n : m) * ldc;
    float *a = malloc((size_t)count_a * 4), *b = malloc((size_t)(batch * count_b) * 4);
    float *c = malloc((size_t)(batch * count_c) * 4), *bias = malloc((size_t)m * 4);
    struct gradus_epilogue e = {.bias = bias, .bias_per_row = 1, .activation = GRADUS_RELU};
    struct gradus_gemm g;
    int wrong = 0;
    gradus_gemm_init(&g, GRADUS_F32);
    g.math = GRADUS_MATH_IEEE, g.device = GRADUS_GPU;
    g.layout = column_major ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.trans_a = ta, g.trans_b = tb, g.m = m, g.n = n, g.k = k;
    g.a = a, g.lda = lda, g.b = b, g.ldb = ldb, g.c = c, g.ldc = ldc;
    g.alpha = 2, g.beta = variant & 2 ? -1 : 0;
    g.batch = batch, g.stride_b = count_b, g.stride_c = count_c;
    g.epilogue = finish ? &e : NULL;
    for (int64_t i = 0; i < count_a; i++)
        a[i] = whole((int)i);
    for (int64_t i = 0; i < batch * count_b; i++)
        b[i] = whole((int)i + 5);
    for (int64_t i = 0; i < batch * count_c; i++)
        c[i] = whole((int)i + 11);
    for (int64_t i = 0; i < m; i++)
        bias[i] = whole((int)i + 3);
    trans_of_a = column_major ? tb : ta, trans_of_b = column_major ? ta : tb;
    CHECK(gradus_gemm_workspace(&g, NULL) == 0, "a workspace of the host's");
    run_well(&g);
    for (int64_t x = 0; x < batch * count_c && wrong < 3; x++) {
        const int64_t p = x / count_c, y = x % count_c / ldc, z = x % ldc;
        const int64_t i = column_major ? z : y, j = column_major ? y : z;
        float want = whole((int)x + 11);
        if (i < m && j < n) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[(ta != column_major) ? l * lda + i : i * lda + l] *
                       (double)b[p * count_b + ((tb != column_major) ? j * ldb + l : l * ldb + j)];
            want = (float)(2 * sum) + (variant & 2 ? -want : 0) + (finish ? bias[i] : 0);
            want = finish && want < 0 ? 0 : want;
        }
        if (c[x] != want) {
            printf("%lldx%lldx%lld variant %d: (%lld, %lld) of product %lld is %g, wanted %g\n",
                   (long long)m, (long long)n, (long long)k, variant, (long long)i, (long long)j,
                   (long long)p, (double)c[x], (double)want);
            failures++, wrong++;
        }
    }
    free(a), free(b), free(c), free(bias);
}

static void case_host(void)
{
    static char lines[64][2048];
    char text[512];
    fake.on_launch(do_launch);
    setenv("GRADUS_FAKE_MEMORY", "600000", 1); /* of which a C of 300x500 is all */
    for (int variant = 0; variant < 32; variant++)
        try_host(300, 500, 9, variant);
    while (launches(lines, 64) > 0)
        ;
    try_host(300, 500, 9, 0);
    CHECK(launches(lines, 64) >= 4, "not in panels: %s", lines[0]);
    try_host(1, 3, 2, 9);
    try_host(140, 130, 0, 2); /* no A and B */
    setenv("GRADUS_FAKE_MEMORY", "100000000000", 1);
    try_host(1500, 1600, 3, 2); /* a C of more than a page-locked buffer */
    while (launches(lines, 64) > 0)
        ;
    try_host(300, 500, 9, 0); /* and one that is small enough for one panel */
    CHECK(launches(lines, 64) == 1, "%s", lines[0]);
    const int before = fake.calls("alloc");
    try_host(300, 500, 9, 0);
    CHECK(fake.calls("alloc") == before + 1, "%d allocations", fake.calls("alloc") - before);
    setenv("GRADUS_FAKE_MEMORY", "100000", 1);
    struct gradus_gemm g;
    static float x[300 * 300];
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = 128, g.k = 300, g.lda = g.ldb = 300, g.ldc = 128, g.device = GRADUS_GPU;
    g.a = x, g.b = x, g.c = memory(4); /* C on the GPU, and A not */
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": a: found host memory"), "%s", text);
    g.c = calloc(128 * 128, 4);
    CHECK(run(&g, text) == GRADUS_NO_MEMORY && strstr(text, "compute with GRADUS_CPU"), "%s", text);
    free(g.c);
}

/* As case_failure, with operands in host memory. */
static void case_host_failure(void)
{
    char text[512], what[32] = "";
    int code = 0;
    static float a[300 * 300], c[300 * 300];
    struct gradus_gemm g;
    sscanf(getenv("FAIL"), "%31[a-z]:%d", what, &code);
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 300, g.device = GRADUS_GPU, g.beta = 1;
    g.a = g.b = a, g.c = c;
    fake.on_launch(do_launch);
    setenv("GRADUS_FAKE_MEMORY", "1500000", 1);
    setenv("GRADUS_FAKE_FAIL", getenv("FAIL"), 1);
    const enum gradus_status status = run(&g, text);
    CHECK(status == (code == 2     ? GRADUS_NO_MEMORY
                     : code >= 700 ? GRADUS_CRASHED
                                   : GRADUS_LAUNCH),
          "%s gives status %d: %s", getenv("FAIL"), (int)status, text);
    unsetenv("GRADUS_FAKE_FAIL");
    const enum gradus_status after = run(&g, text);
    CHECK(after == (code >= 700 ? GRADUS_CRASHED : GRADUS_OK), "%s, and then: %s", getenv("FAIL"),
          text);
}

static void case_allocations(void)
{
    static char lines[16][2048];
    struct gradus_gemm g = problem(1000, 900, 800, GRADUS_MATH_ACCURATE);
    fake.stream_create(&g.stream, 1);
    int before = fake.calls("alloc");
    run_well(&g);
    CHECK(fake.calls("alloc") == before + 1, "%d allocations", fake.calls("alloc") - before);
    CHECK(launches(lines, 16) == 3, "%s", lines[0]);
    const uint64_t pieces = argument(lines[0], 9);
    before = fake.calls("alloc");
    const int syncs = fake.calls("sync"), loads = fake.calls("load"), sets = fake.calls("smem");
    for (int i = 0; i < 10; i++)
        run_well(&g);
    CHECK(fake.calls("alloc") == before, "%d allocations", fake.calls("alloc") - before);
    CHECK(fake.calls("sync") == syncs && fake.calls("load") == loads && fake.calls("smem") == sets,
          "a later call waits, loads or sets something");
    launches(lines, 16);

    /* A smaller product needs no more, another stream has its own, a lent one is used. */
    g.m = 100;
    run_well(&g);
    CHECK(fake.calls("alloc") == before, "a smaller product allocates");
    g.m = 1000;
    launches(lines, 16);
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    CHECK(fake.calls("alloc") == before + 1, "another stream has no buffer of its own");
    launches(lines, 16);
    CHECK(argument(lines[0], 9) != pieces, "streams share a buffer");
    struct gradus_error error = {0};
    const int64_t wanted = gradus_gemm_workspace(&g, &error);
    CHECK(wanted > 2 * 3 * (1000 * 800 + 900 * 800), "%lld: %s", (long long)wanted, error.text);
    g.workspace = memory((size_t)wanted);
    g.workspace_bytes = wanted;
    before = fake.calls("alloc");
    run_well(&g);
    launches(lines, 16);
    CHECK(argument(lines[0], 9) == (uintptr_t)g.workspace, "%s", lines[0]);
    CHECK(fake.calls("alloc") == before, "a lent workspace is not used");

    char text[512];
    g.workspace_bytes--;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "workspace_bytes"), "%s", text);
    g.workspace_bytes += 17, g.workspace = (char *)g.workspace + 16;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "boundary"), "%s", text);
}

static void case_zeroed(void)
{
    struct gradus_gemm g = problem(500, 500, 500, GRADUS_MATH_SCALED);
    const int before = fake.calls("fill");
    run_well(&g);
    run_well(&g);
    CHECK(fake.calls("fill") == before + 2, "22_scaled's counters are not set to zero");
}

static void case_capture(void)
{
    static char lines[16][2048];
    char text[512];
    void *graph, *executable;
    struct gradus_gemm g = problem(512, 512, 512, GRADUS_MATH_ACCURATE);
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    CHECK(launches(lines, 16) == 3, "%s", lines[0]);
    fake.capture_begin(g.stream, 0);
    CHECK(run(&g, text) == GRADUS_LAUNCH && strstr(text, "captured"), "%s", text);
    struct gradus_error error = {0};
    g.workspace_bytes = gradus_gemm_workspace(&g, &error);
    g.workspace = memory((size_t)g.workspace_bytes);
    const int before = fake.calls("alloc");
    run_well(&g);
    CHECK(launches(lines, 16) == 0, "launched, and not captured: %s", lines[0]);
    CHECK(fake.calls("alloc") == before, "allocated during a capture");
    fake.capture_end(g.stream, &graph);
    fake.instantiate(&executable, graph, 0);
    fake.graph_launch(executable, g.stream);
    CHECK(launches(lines, 16) == 3, "%s", lines[0]);
}

static void case_devices(void)
{
    char text[512];
    void *context, *first, *now = NULL;
    struct gradus_gemm g = problem(64, 64, 64, GRADUS_MATH_DEFAULT);
    run_well(&g);
    CHECK(fake.device() == 0, "GPU %d", fake.device());
    fake.retain(&first, 0);
    fake.retain(&context, 1);
    fake.set(context);
    struct gradus_gemm h = problem(64, 64, 64, GRADUS_MATH_DEFAULT);
    fake.set(first); /* c says where */
    run_well(&h);
    CHECK(fake.device() == 1, "GPU %d", fake.device());
    fake.current(&now);
    CHECK(now == first, "the caller's context is not restored");
    h.a = g.a;
    CHECK(run(&h, text) == GRADUS_INVALID && strstr(text, ": a: "), "%s", text);
}

static void case_refusals(void)
{
    char text[512];
    float host[64] = {0};
    struct gradus_gemm g = problem(8, 8, 8, GRADUS_MATH_DEFAULT);
    const struct gradus_gemm right = g;
    g.b = host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": b: found host memory"), "%s", text);
    g = right, g.c = host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": a: found memory of a GPU"), "%s",
          text);
    g = right, g.math = (enum gradus_math)9;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": math: "), "%s", text);
    g = right, g.device = (enum gradus_device)2;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": device: "), "%s", text);
    g = right, g.reserved[4] = 1;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": reserved: "), "%s", text);
    g = right, g.lda = 3;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": lda: "), "%s", text);
    g = right, g.epilogue = &(struct gradus_epilogue){.activation = (enum gradus_activation)9};
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": epilogue->activation: "), "%s", text);
    struct gradus_context *context;
    gradus_context_create(1, &context, NULL);
    g = right, g.context = context;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": context: "), "%s", text);
    gradus_context_free(context);
    g = right, g.m = 1, g.ldc = INT64_C(1) << 31;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": ldc: "), "%s", text);
    g = right, g.c = (void *)(uintptr_t)g.a;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "in common"), "%s", text);
    gradus_gemm_init(&g, GRADUS_S8);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 2, g.device = GRADUS_GPU;
    g.a = right.a, g.b = right.b, g.c = right.c;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "types"), "%s", text);
    run_well(&right);
    const pid_t child = fork();
    if (child == 0) {
        CHECK(run(&right, text) == GRADUS_UNSUPPORTED && strstr(text, "fork"), "%s", text);
        struct gradus_gemm cpu;
        float a[4] = {1, 2, 3, 4}, c[4];
        gradus_gemm_init(&cpu, GRADUS_F32);
        cpu.m = cpu.n = cpu.k = cpu.lda = cpu.ldb = cpu.ldc = 2;
        cpu.a = cpu.b = a, cpu.c = c;
        run_well(&cpu);
        CHECK(c[0] == 7, "the CPU's product is %g", (double)c[0]);
        fflush(stdout);
        _exit(failures > 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "in a forked process");
    run_well(&right);
}

/* A GPU without the tensor cores of sm_90a. */
static void case_ampere(void)
{
    char text[512];
    struct gradus_gemm g = problem(1000, 1000, 1000, GRADUS_MATH_DEFAULT);
    run_well(&g);
    g.math = GRADUS_MATH_ACCURATE;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "sm_87"), "%s", text);
}

static void case_turing(void)
{
    char text[512];
    struct gradus_gemm g = problem(8, 8, 8, GRADUS_MATH_DEFAULT);
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "sm_75"), "%s", text);
}

/* An architecture whose code is in no library: NVRTC, once; then the cache. */
static void case_compiled(void)
{
    struct gradus_gemm g = problem(1000, 1000, 1000, GRADUS_MATH_IEEE);
    run_well(&g);
    run_well(&g);
    g.trans_a = 1;
    run_well(&g);
}

static int lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0, c;
    while (file && (c = fgetc(file)) != EOF)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

static void case_cached(void)
{
    case_compiled();
    CHECK(lines_of(nvrtc_log) == 2, "NVRTC has compiled %d times", lines_of(nvrtc_log));
}

/* There is no compiler, and what is in the cache was damaged. */
static void case_no_compiler(void)
{
    char text[512];
    struct gradus_gemm g = problem(8, 8, 8, GRADUS_MATH_DEFAULT);
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "pip install"), "%s", text);
}

static void case_no_driver(void)
{
    char text[512];
    struct gradus_gemm g;
    float x[4] = {0}, y[4];
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 2;
    g.a = g.b = x, g.c = y, g.device = GRADUS_GPU;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, "driver"), "%s", text);
    CHECK(gradus_gemm_workspace(&g, NULL) == -1, "a workspace without a driver");
}

/* One call of the driver fails. A fault stays; after anything else the next product is computed. */
static void case_failure(void)
{
    char text[512], what[32] = "";
    int code = 0;
    sscanf(getenv("FAIL"), "%31[a-z]:%d", what, &code);
    struct gradus_gemm g = problem(1000, 900, 800, GRADUS_MATH_SCALED);
    const struct gradus_epilogue e = {.activation = GRADUS_RELU};
    g.epilogue = &e;
    fake.stream_create(&g.stream, 1);
    setenv("GRADUS_FAKE_FAIL", getenv("FAIL"), 1);
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < 3 && status == GRADUS_OK; i++)
        status = run(&g, text);
    CHECK(status == (code == 2                  ? GRADUS_NO_MEMORY
                     : code >= 900              ? GRADUS_LAUNCH
                     : code >= 700              ? GRADUS_CRASHED
                     : status == GRADUS_INVALID ? GRADUS_INVALID
                                                : GRADUS_LAUNCH),
          "%s gives status %d: %s", getenv("FAIL"), (int)status, text);
    CHECK(strstr(text, "gradus_gemm_run: ") == text, "%s", text);
    unsetenv("GRADUS_FAKE_FAIL");
    status = run(&g, text);
    if (code >= 700 && code < 900)
        CHECK(status == GRADUS_CRASHED && strstr(text, "start the process anew"), "%s", text);
    else if (code < 700)
        CHECK(status == GRADUS_OK, "%s, and then: %s", getenv("FAIL"), text);
}

static void *work(void *stream)
{
    struct gradus_gemm g = problem(300, 300, 300, GRADUS_MATH_ACCURATE);
    g.stream = stream;
    for (int i = 0; i < 50; i++) {
        g.trans_a = i % 2;
        run_well(&g);
    }
    return NULL;
}

static void case_threads(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    static char lines[THREADS * 200][2048];
    void *streams[3];
    for (int i = 0; i < 3; i++)
        fake.stream_create(&streams[i], 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, streams[i % 3]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const int count = launches(lines, THREADS * 200);
    CHECK(count == THREADS * 50 * 3, "%d launches", count);
    CHECK(fake.calls("load") == 2, "%d modules", fake.calls("load"));
}

/* ---- */

static const struct a_case {
    const char *name;
    void (*body)(void);
    const char *cc, *devices;
    bool no_driver, no_compiler, keeps_cache;
} cases[] = {
    {"arguments", case_arguments, "90", "1", false, false, false},
    {"batch", case_batch, "90", "1", false, false, false},
    {"far arrays", case_far_arrays, "90", "1", false, false, false},
    {"epilogue", case_epilogue, "90", "1", false, false, false},
    {"rounded", case_rounded, "90", "1", false, false, false},
    {"host", case_host, "90", "1", false, false, false},
    {"allocations", case_allocations, "90", "1", false, false, false},
    {"types", case_types, "90", "1", false, false, false},
    {"zeroed", case_zeroed, "90", "1", false, false, false},
    {"capture", case_capture, "90", "1", false, false, false},
    {"devices", case_devices, "90", "2", false, false, false},
    {"refusals", case_refusals, "90", "1", false, false, false},
    {"threads", case_threads, "90", "1", false, false, false},
    {"ampere", case_ampere, "87", "1", false, false, false},
    {"turing", case_turing, "75", "1", false, false, false},
    {"no_compiler", case_no_compiler, "110", "1", false, true, false},
    {"compiled", case_compiled, "110", "1", false, false, false},
    {"cached", case_cached, "110", "1", false, false, true},
    {"cached_alone", case_compiled, "110", "1", false, true, true},
    {"no_driver", case_no_driver, "90", "1", true, false, false},
};

/* Code 1 is an invalid value, 2 no memory, 719 a fault, 900 a capture. */
static const char *const fails[] = {
    "pointer:999", "pointer:719:1", "context:201", "context:719:2", "load:1",     "load:2",
    "load:719",    "function:500",  "smem:1",      "alloc:2",       "alloc:719",  "capture:900",
    "capture:719", "fill:1",        "fill:719",    "launch:1",      "launch:1:1", "launch:1:3",
    "launch:719",  "launch:719:2",  "load:1:1",    "launch:1:4",    "launch:1:5"};

static const char *const host_fails[] = {"copy:1",     "copy:1:1",   "copy:719:2", "sync:1",
                                         "sync:719:3", "event:1",    "event:1:2",  "alloc:2",
                                         "launch:1",   "launch:1:1", "launch:719", "context:201"};

static void run_case(const struct a_case *c, const char *scratch, const char *fail)
{
    char path[700];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        failures = 0;
        snprintf(log_path, sizeof log_path, "%s/log", scratch);
        snprintf(nvrtc_log, sizeof nvrtc_log, "%s/nvrtc%d", scratch, strcmp(c->cc, "110") == 0);
        unlink(log_path);
        snprintf(path, sizeof path, "%s/cache%s", scratch, c->keeps_cache ? "" : c->name);
        if (strcmp(c->name, "compiled") == 0)
            snprintf(path, sizeof path, "%s/cache", scratch);
        setenv("XDG_CACHE_HOME", path, 1);
        setenv("GRADUS_FAKE_LOG", log_path, 1);
        setenv("GRADUS_FAKE_NVRTC_LOG", nvrtc_log, 1);
        setenv("GRADUS_FAKE_NVRTC_ARCHS", "80,87,90,110", 1);
        setenv("GRADUS_FAKE_CC", c->cc, 1);
        setenv("GRADUS_FAKE_DEVICES", c->devices, 1);
        snprintf(path, sizeof path, "%s/lib%s.so", folder, c->no_driver ? "no" : "fake_driver");
        setenv("GRADUS_CUDA_DRIVER", path, 1);
        snprintf(path, sizeof path, "%s/lib%s.so", folder, c->no_compiler ? "no" : "fake_nvrtc");
        setenv("GRADUS_NVRTC", path, 1);
        if (fail)
            setenv("FAIL", fail, 1);
        if (!c->no_driver)
            open_fake();
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
    char scratch[] = "/tmp/gradus-library.XXXXXX", command[128];
    if (argc < 2 || !mkdtemp(scratch))
        return 2;
    snprintf(folder, sizeof folder, "%s", argv[1]);
    unsetenv("GRADUS_CACHE_LIMIT");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], scratch, NULL);
    const struct a_case failing = {"failure", case_failure, "90", "1", false, false, false};
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++)
        run_case(&failing, scratch, fails[i]);
    const struct a_case of_host = {"host_failure", case_host_failure, "90", "1", false, false,
                                   false};
    for (size_t i = 0; i < sizeof host_fails / sizeof *host_fails; i++)
        run_case(&of_host, scratch, host_fails[i]);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    if (system(command) != 0)
        failures++;
    printf("%s\n", failures ? "FAILED" : "all right");
    return failures > 0;
}
