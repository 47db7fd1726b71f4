/* library_calls.c: cases of test_library: what a call allocates, captures and refuses, on which
 * GPU, from many threads, and what becomes of failures of the driver. SPDX-License-Identifier: MIT
 */
#include "library_fake.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void case_allocations(void)
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

/* The workspace that the library asks for is enough for operands that begin anywhere: of some of
 * these products another kernel is taken where B alone does not begin at a vector. */
void case_workspace(void)
{
    static const int64_t sizes[] = {8, 48, 112, 800, 2048, 4096};
    enum { SIZES = 6, TRIPLES = SIZES * SIZES * SIZES, MOST = 4096 };
    struct gradus_gemm g = problem(MOST, MOST, MOST, GRADUS_MATH_DEFAULT);
    g.workspace = memory(64 << 20);
    for (int i = 0; i < TRIPLES * 8; i++) {
        const bool twice = i / TRIPLES & 4;
        g.a_type = g.b_type = g.c_type = twice ? GRADUS_F32 : GRADUS_BF16;
        g.m = sizes[i % SIZES], g.n = sizes[i / SIZES % SIZES],
        g.k = sizes[i / SIZES / SIZES % SIZES];
        g.trans_a = i / TRIPLES >> 1 & 1, g.trans_b = i / TRIPLES & 1;
        g.lda = g.trans_a ? g.m : g.k, g.ldb = g.trans_b ? g.k : g.n, g.ldc = g.n;
        g.workspace_bytes = gradus_gemm_workspace(&g, NULL);
        if (g.workspace_bytes > 64 << 20)
            continue;
        for (int odd = 0; odd < 8; odd++) {
            struct gradus_gemm one = g;
            const int64_t by = twice ? 4 : 2;
            one.a = (const char *)g.a + (odd & 1) * by;
            one.b = (const char *)g.b + (odd >> 1 & 1) * by;
            one.c = (char *)g.c + (odd >> 2) * by;
            run_well(&one);
        }
    }
}

/* Each kernel of a product may be launched before the one ahead of it has ended. */
void case_early(void)
{
    struct gradus_gemm g = problem(256, 256, 256, GRADUS_MATH_ACCURATE);
    run_well(&g);
    CHECK(fake.calls("early") == 3, "%d launches of 3", fake.calls("early"));
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    CHECK(fake.stream() == g.stream, "another stream");
    g.math = GRADUS_MATH_IEEE;
    run_well(&g);
    CHECK(fake.calls("early") > 3, "none of GRADUS_MATH_IEEE");
    const int before = fake.calls("early");
    g = problem(3000, 3000, 3000, GRADUS_MATH_IEEE);
    run_well(&g);
    CHECK(fake.calls("early") == before, "one of a product that takes a millisecond");
}

/* The number after `word` in a line of a launch. */
static long long number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? strtoll(at + strlen(word), NULL, 10) : -1;
}

/* Blocks that begin early have so much shared memory that no multiprocessor has two of them, if
 * there are fewer than multiprocessors. */
void case_spread(void)
{
    enum { HALF_OF_SMEM = (233472 - 2 * 1024) / 2, SMS = 132 };
    static char lines[16][2048];
    struct gradus_gemm g = problem(200, 200, 60, GRADUS_MATH_IEEE);
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && fake.calls("early") == 1, "%s", lines[0]);
    CHECK(number_after(lines[0], "grid ") < SMS && number_after(lines[0], "smem ") > HALF_OF_SMEM &&
              number_after(lines[0], "smem ") < HALF_OF_SMEM + 1024,
          "%s", lines[0]);
}

/* Not on a driver whose graphs do not know such launches. */
void case_early_older(void)
{
    setenv("GRADUS_FAKE_VERSION", "12020", 1);
    struct gradus_gemm g = problem(1000, 900, 800, GRADUS_MATH_ACCURATE);
    fake.stream_create(&g.stream, 1);
    run_well(&g);
    CHECK(fake.calls("early") == 0, "%d launches", fake.calls("early"));
    CHECK(fake.stream() == g.stream, "another stream");
}

void case_zeroed(void)
{
    struct gradus_gemm g = problem(500, 500, 500, GRADUS_MATH_SCALED);
    const int before = fake.calls("fill");
    run_well(&g);
    run_well(&g);
    CHECK(fake.calls("fill") == before + 2, "22_scaled's counters are not set to zero");
}

void case_capture(void)
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

void case_devices(void)
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

void case_refusals(void)
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
    g = right, g.reserved[2] = 1;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": reserved[2]: "), "%s", text);
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

/* One call of the driver fails. A fault stays; after anything else the next product is computed. */
void case_failure(void)
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

void case_threads(void)
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
