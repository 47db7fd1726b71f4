/* library_epilogue.c: cases of test_library: the epilogue, as a launch and in a product's kernel,
 * and a C of 16 bits. SPDX-License-Identifier: MIT */
#include "library_fake.h"

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
void case_epilogue(void)
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
void case_rounded(void)
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
        /* Of many tiles, rows that begin anywhere are packed, behind the sums. */
        struct gradus_gemm p = problem(1024, 1000, 4096, GRADUS_MATH_DEFAULT);
        p.a_type = p.b_type = p.c_type = g.c_type;
        p.beta = 0.5, p.stream = g.stream, p.epilogue = &e, e.bias = memory(1000 * 4);
        p.a = (const char *)p.a + 2;
        p.workspace_bytes = gradus_gemm_workspace(&p, &error);
        p.workspace = memory((size_t)p.workspace_bytes);
        run_well(&p);
        launches(lines, 16);
        CHECK(strstr(lines[0], "pack") && argument(lines[0], 3) == (uintptr_t)p.a, "%s", lines[0]);
        for (int j = 0; j < 20; j++)
            CHECK(argument(lines[0], j) != (uintptr_t)p.workspace, "over the sums: %s", lines[0]);
    }
}

/* The addresses of a bias, and the activation, in the arguments of a launch, which are its last
 * ones: bias, per_row, activation. They may be followed by tensor maps. */
static bool has_epilogue(const char *line, const struct gradus_epilogue *e, uint64_t per_row)
{
    for (int i = 0; i < 40; i++)
        if (argument(line, i) == (uintptr_t)e->bias && argument(line, i + 1) == per_row &&
            argument(line, i + 2) == e->activation)
            return true;
    return false;
}

/* A bias and ReLU are applied to the sums: there is no further launch, nor memory. */
void case_fused(void)
{
    static char lines[16][2048];
    static const struct {
        enum gradus_type ab, c;
        int64_t m, n, k;
    } cases[] = {{GRADUS_F32, GRADUS_F32, 2048, 2040, 1000}, /* 21_accurate */
                 {GRADUS_F32, GRADUS_F32, 512, 500, 400},    /* 31_fused_accurate */
                 {GRADUS_BF16, GRADUS_BF16, 1024, 1000, 520},
                 {GRADUS_F16, GRADUS_F32, 1024, 1000, 520}, /* 27_any_shape */
                 {GRADUS_BF16, GRADUS_BF16, 70, 60, 50}};   /* 28_small */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gradus_error error = {0};
        struct gradus_gemm g = problem(cases[i].m, cases[i].n, cases[i].k, GRADUS_MATH_DEFAULT);
        g.a_type = g.b_type = cases[i].ab, g.c_type = cases[i].c;
        g.beta = 0;
        run_well(&g);
        const int product = launches(lines, 16);
        const int64_t bytes = gradus_gemm_workspace(&g, &error);
        struct gradus_epilogue e = {.bias = memory(2048 * 4), .activation = GRADUS_RELU};
        g.epilogue = &e;
        CHECK(gradus_gemm_workspace(&g, &error) == bytes, "%s", error.text);
        const int allocations = fake.calls("alloc");
        run_well(&g);
        CHECK(launches(lines, 16) == product, "%zu: %s", i, lines[product]);
        CHECK(fake.calls("alloc") == allocations, "%zu: another allocation", i);
        CHECK(has_epilogue(lines[product - 1], &e, 0), "%zu: %s", i, lines[product - 1]);
        g.layout = GRADUS_COL_MAJOR, g.lda = g.ldc = g.m, g.ldb = g.k;
        run_well(&g);
        CHECK(has_epilogue(lines[launches(lines, 16) - 1], &e, 1), "%zu: %s", i, lines[0]);
        e.bias_per_row = 1;
        run_well(&g);
        CHECK(has_epilogue(lines[launches(lines, 16) - 1], &e, 0), "%zu: %s", i, lines[0]);
        e.activation = GRADUS_GELU;
        run_well(&g);
        CHECK(has_epilogue(lines[launches(lines, 16) - 1], &e, 0), "%zu: %s", i, lines[0]);
        g.beta = 1; /* C is read: the epilogue is a launch of its own */
        run_well(&g);
        const int count = launches(lines, 16);
        CHECK(strstr(lines[count - 1], "finish"), "%zu: %s", i, lines[count - 1]);
        for (int l = 0; l + 1 < count; l++)
            CHECK(!has_epilogue(lines[l], &e, 0), "%zu: twice: %s", i, lines[l]);
    }
    struct gradus_gemm g = problem(512, 500, 400, GRADUS_MATH_IEEE); /* by a kernel that has none */
    struct gradus_epilogue e = {.bias = memory(2048 * 4), .activation = GRADUS_RELU};
    g.beta = 0, g.epilogue = &e;
    run_well(&g);
    CHECK(strstr(lines[launches(lines, 16) - 1], "finish"), "%s", lines[0]);
}
