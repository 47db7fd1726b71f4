/* library_products.c: cases of test_library: which launches with which arguments a product is, and
 * a batch. SPDX-License-Identifier: MIT */
#include "library_fake.h"

/* multiply_large(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, P, splits, depth) */
void case_arguments(void)
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
void case_types(void)
{
    static const enum gradus_type types[][2] = {
        {GRADUS_F64, GRADUS_F64}, {GRADUS_BF16, GRADUS_F32}, {GRADUS_BF16, GRADUS_BF16},
        {GRADUS_F16, GRADUS_F32}, {GRADUS_F16, GRADUS_F16},
    };
    static char lines[16][2048], again[16][2048];
    char text[512];
    struct gradus_gemm g;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        g = problem(256, 256, 1024, GRADUS_MATH_DEFAULT);
        g.a_type = g.b_type = types[i][0], g.c_type = types[i][1];
        g.sum_type = types[i][0] == GRADUS_F64 ? GRADUS_F64 : GRADUS_F32;
        g.a = memory(256 * 4096 * 8 + 8), g.b = memory(256 * 4096 * 8),
        g.c = memory(1024 * 1024 * 4);
        run_well(&g);
        const int count = launches(lines, 16);
        CHECK(count > 0, "types %zu: nothing is launched", i);
        run_well(&g);
        CHECK(launches(again, 16) == count && strcmp(lines[0], again[0]) == 0, "%s%s", lines[0],
              again[0]);
        if (types[i][0] == GRADUS_F64)
            continue;
        CHECK(strstr(lines[0], "tiles_true_") && strstr(lines[0], "block 128,1,1") &&
                  strstr(lines[0], "cluster 8,1,1"),
              "%s", lines[0]);
        /* A long k, in larger tiles and clusters. */
        g.k = g.lda = 4096;
        run_well(&g);
        launches(lines, 16);
        CHECK(strstr(lines[0], "mapped") && strstr(lines[0], "cluster 8,1,1"), "%s", lines[0]);
        /* Of many tiles: packing pays where rows begin anywhere. */
        g.m = g.n = g.ldb = g.ldc = 1024;
        run_well(&g);
        launches(lines, 16);
        CHECK(strstr(lines[0], "mapped"), "%s", lines[0]);
        g.a = (const char *)g.a + 2;
        run_well(&g);
        launches(lines, 16);
        CHECK(strstr(lines[0], "pack") && argument(lines[0], 3) == (uintptr_t)g.a, "%s", lines[0]);
    }
    /* Floats as tf32: maps of that type (11), whose first word the fake driver keeps. */
    struct gradus_gemm t = problem(256, 512, 1024, GRADUS_MATH_TF32);
    t.trans_b = 1, t.ldb = 1024;
    run_well(&t);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "mapped_"), "%s", lines[0]);
    CHECK(strstr(lines[0], " 0b00000000000000020000000000000003"), "%s", lines[0]);
    t.trans_b = 0, t.ldb = 512; /* B by registers */
    run_well(&t);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "mapped_"), "%s", lines[0]);
    t = problem(1024, 2048, 1024, GRADUS_MATH_TF32);
    t.trans_a = 1, t.lda = 1024; /* A by registers, and B is packed */
    run_well(&t);
    CHECK(launches(lines, 16) == 2 && strstr(lines[0], "pack") && strstr(lines[1], "mapped_"),
          "%s%s", lines[0], lines[1]);
    g.b_type = GRADUS_BF16;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found f16 bf16"), "%s", text);
    g.device = GRADUS_CPU, g.b_type = GRADUS_F16;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found f16 f16"), "%s", text);
}

/* 8-bit floating-point numbers: by tensor maps of bytes where they are stored along k, and packed;
 * the factors of A and B and an epilogue are arguments 16 to 20 of the kernel that multiplies. */
void case_bytes(void)
{
    enum { BIAS = 16 };
    static char lines[16][2048];
    char text[512];
    struct gradus_gemm g = problem(256, 512, 1024, GRADUS_MATH_DEFAULT);
    const struct gradus_epilogue epilogue = {.bias = memory(512 * 4), .activation = GRADUS_RELU};
    float *const scales = memory(2 * sizeof *scales), on_host = 2;
    g.a_type = g.b_type = GRADUS_E4M3, g.trans_b = 1, g.ldb = 1024;
    const struct gradus_gemm right = g;
    for (int turned = 0; turned < 2; turned++) {
        g.scale_a = scales, g.scale_b = scales + 1, g.epilogue = &epilogue;
        run_well(&g);
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "mapped_"), "%s", lines[0]);
        const uint64_t wanted[] = {(uintptr_t)epilogue.bias, (uint64_t)turned, GRADUS_RELU,
                                   (uintptr_t)(scales + turned), (uintptr_t)(scales + !turned)};
        for (int i = 0; i < 5; i++)
            CHECK(argument(lines[0], BIAS + i) == wanted[i], "argument %d of %s", BIAS + i,
                  lines[0]);
        /* Column-major: with A transposed, so that both are stored along k again. */
        g.layout = GRADUS_COL_MAJOR, g.trans_a = 1, g.trans_b = 0, g.ldc = 256;
    }
    g = right, g.alpha = 0, g.a = g.b = NULL, g.scale_a = scales; /* then no factor is read */
    run_well(&g);
    launches(lines, 16);
    CHECK(argument(lines[0], BIAS + 3) == 0, "%s", lines[0]);
    g = right, g.a_type = g.b_type = GRADUS_E5M2, g.c_type = GRADUS_BF16, g.trans_b = 0;
    g.ldb = 512; /* a packed B */
    run_well(&g);
    CHECK(launches(lines, 16) == 2 && strstr(lines[0], "pack") && strstr(lines[1], "mapped_"),
          "%s%s", lines[0], lines[1]);
    g = right, g.a_array = (const void *const[]){g.a, g.a}, g.batch = 2, g.a = NULL;
    g.stride_c = 256 * 512, g.c = memory(2 * 256 * 512 * 4);
    run_well(&g); /* one launch for each product */
    CHECK(launches(lines, 16) == 2, "%s", lines[0]);
    g = right, g.scale_b = &on_host;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, ": scale_b: found host memory"), "%s",
          text);
    g = right, g.b_type = GRADUS_E5M2;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found e4m3 e5m2 f32 f32"), "%s", text);
    g = right, g.device = GRADUS_CPU;
    CHECK(run(&g, text) == GRADUS_INVALID && strstr(text, "found e4m3 e4m3 f32 f32"), "%s", text);
}

/* A batch of five in one launch: the kernel and its grid, the arguments that the strides, `arrays`
 * and C are in, and the bytes of an element of C. */
static const struct batched {
    enum gradus_type ab, c;
    const char *kernel, *grid;
    int strides, arrays, c_at, element;
} batched[] = {
    {GRADUS_F32, GRADUS_F32, "multiply_", ",5 block", 14, 17, 9, 4},
    {GRADUS_F64, GRADUS_F64, "multiply_", "grid 60,1,1", 11, 14, 9, 8},      /* tiles of 32 x 32 */
    {GRADUS_BF16, GRADUS_F32, "tiles_false_", "grid 20,1,1", 20, 19, 13, 4}, /* of 64 x 64 */
    {GRADUS_BF16, GRADUS_BF16, "tiles_false_", "grid 20,1,1", 20, 19, 13, 2},
    {GRADUS_F16, GRADUS_F32, "tiles_false_", "grid 20,1,1", 20, 19, 13, 4},
    {GRADUS_F16, GRADUS_F16, "tiles_false_", "grid 20,1,1", 20, 19, 13, 2},
};
enum { BATCHED = sizeof batched / sizeof *batched };

static struct gradus_gemm batch_of(const struct batched *one, int m, int n, int k, int count)
{
    struct gradus_gemm g = problem(m, n, k, GRADUS_MATH_IEEE);
    g.a_type = g.b_type = one->ab, g.c_type = one->c;
    g.sum_type = one->ab == GRADUS_F64 ? GRADUS_F64 : GRADUS_F32;
    g.batch = count, g.stride_a = 7, g.stride_b = 0, g.stride_c = (int64_t)m * n;
    g.a = memory((size_t)(m * k + 7 * count) * 8), g.b = memory((size_t)(k * n) * 8);
    g.c = memory((size_t)(count * m * n) * 8);
    return g;
}

/* Of every type; an epilogue that the kernel does not apply is one launch for all. */
static void batches_of_types(void)
{
    static char lines[16][2048];
    for (int i = 0; i < BATCHED; i++) {
        const struct batched *one = &batched[i];
        struct gradus_gemm g = batch_of(one, 100, 90, 30, 5);
        for (int turned = 0; turned < 2; turned++) {
            run_well(&g);
            CHECK(launches(lines, 16) == 1 && strstr(lines[0], one->kernel), "%s", lines[0]);
            const uint64_t strides[] = {turned ? 0 : 7, turned ? 7 : 0, 100 * 90};
            for (int s = 0; s < 3; s++)
                CHECK(argument(lines[0], one->strides + s) == strides[s], "stride %d of %s", s,
                      lines[0]);
            CHECK(argument(lines[0], one->arrays) == 0, "arrays in %s", lines[0]);
            CHECK(strstr(lines[0], one->grid), "%s", lines[0]);
            CHECK(one->ab != GRADUS_F64 || argument(lines[0], 16) == 12, "%s", lines[0]);
            g.layout = GRADUS_COL_MAJOR, g.lda = 100, g.ldb = 30, g.ldc = 100;
        }
        g = batch_of(one, 100, 90, 30, 5);
        g.epilogue = &(struct gradus_epilogue){.activation = GRADUS_RELU};
        run_well(&g);
        CHECK(launches(lines, 16) == (one->ab <= GRADUS_F64 ? 2 : 1), "%s", lines[0]);
        /* Sums that are rounded after the epilogue's launch are those of one product. */
        g.epilogue = &(struct gradus_epilogue){.activation = GRADUS_GELU};
        g.beta = 1;
        run_well(&g);
        CHECK(launches(lines, 16) == (one->element == 2 ? 10 : 2), "%s", lines[0]);
        g = batch_of(one, 2048, 2048, 4096, 2); /* faster one after another */
        run_well(&g);
        const int count = launches(lines, 16);
        CHECK(one->ab == GRADUS_F32 || (count >= 2 && !strstr(lines[0], ",2 block")), "%s",
              lines[0]);
    }
}

/* Matrices of bf16 at multiples of 16 bytes: one launch, whose tensor maps describe the matrix at
 * every address (words 4 and 6 of a map are its extents). */
static void batches_by_maps(void)
{
    enum { STORED = 13, BATCH = 19, MAP_A = 27, MAP_B, MAP_C };
    static char lines[16][2048];
    const struct batched one = {GRADUS_BF16, GRADUS_BF16, "mapped_", "", 0, 0, 0, 2};
    struct gradus_gemm g = batch_of(&one, 248, 256, 200, 90);
    g.a = memory((size_t)90 * 250 * 200 * 2), g.stride_a = 250 * 200 + 8;
    for (int far = 0; far < 2; far++) {
        run_well(&g);
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "mapped_"), "%s", lines[0]);
        const uint64_t lengths[3][2] = {{200, 248}, {256, 200}, {256, 248}};
        for (int i = 0; i < 3; i++) {
            CHECK(argument_word(lines[0], MAP_A + i, 1) == 4 &&
                      argument_word(lines[0], MAP_A + i, 3) == 0,
                  "rank or address of map %d of %s", i, lines[0]);
            for (int d = 0; d < 2; d++)
                CHECK(argument_word(lines[0], MAP_A + i, 4 + 2 * d) == lengths[i][d],
                      "extent %d of map %d of %s", d, i, lines[0]);
        }
        const uint64_t apart[] = {90, far, far ? 0 : 250 * 200 + 8, 0, far ? 0 : 248 * 256};
        for (int i = 0; i < 5; i++)
            CHECK(argument(lines[0], BATCH + i) == apart[i], "argument %d of %s", BATCH + i,
                  lines[0]);
        CHECK(argument(lines[0], STORED) == 1, "C is stored by its map: %s", lines[0]);
        g.a_array = memory(90 * 8), g.b_array = memory(90 * 8), g.c_array = memory(90 * 8);
        g.a = g.b = g.c = NULL, g.stride_a = g.stride_b = g.stride_c = 0, g.arrays_on_gpu = 1;
    }
    /* A C whose rows are not at multiples of 16 bytes, and an A of which that is true. */
    g = batch_of(&one, 248, 252, 200, 90);
    g.stride_a = 200 * 248, g.ldb = 256, g.a = memory((size_t)90 * 248 * 200 * 2);
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "mapped_") &&
              argument(lines[0], STORED) == 0,
          "%s", lines[0]);
    g.stride_a++;
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && !strstr(lines[0], "mapped_"), "%s", lines[0]);
}

/* Small products are one launch, whose blockIdx.z is the product: argument 14 and those after it
 * are the strides. Batches by arrays that the host has are a launch for each product. */
void case_batch(void)
{
    static char lines[16][2048];
    struct gradus_gemm g = problem(300, 310, 30, GRADUS_MATH_IEEE);
    const size_t bytes = 300 * 310 * 4;
    g.batch = 3, g.stride_a = 7, g.stride_b = 0, g.stride_c = 300 * 310;
    g.a = memory(300 * 30 * 4 + 14 * 4), g.c = memory(3 * bytes);
    for (int turned = 0; turned < 2; turned++) {
        run_well(&g);
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "grid 30,1,3"), "%s", lines[0]);
        CHECK(argument(lines[0], 9) == (uintptr_t)g.c, "%s", lines[0]);
        const uint64_t strides[] = {turned ? 0 : 7, turned ? 7 : 0, 300 * 310};
        for (int i = 0; i < 3; i++)
            CHECK(argument(lines[0], 14 + i) == strides[i], "stride %d of %s", i, lines[0]);
        g.layout = GRADUS_COL_MAJOR, g.lda = 300, g.ldb = 30, g.ldc = 300;
    }
    g.layout = GRADUS_ROW_MAJOR, g.lda = 30, g.ldb = g.ldc = 310;
    g.math = GRADUS_MATH_ACCURATE; /* 31_fused_accurate: more tiles */
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_64 grid 75,1,1"), "%s", lines[0]);
    const uint64_t fused[] = {5, 5, 75, 1}; /* rows and columns of tiles, all, shares of k */
    for (int i = 0; i < 4; i++)
        CHECK(argument(lines[0], 4 + i) == fused[i], "argument %d of %s", 4 + i, lines[0]);
    const uint64_t apart[] = {7, 0, 300 * 310, 0};
    for (int i = 0; i < 4; i++)
        CHECK(argument(lines[0], 16 + i) == apart[i], "stride %d of %s", i, lines[0]);
    CHECK(gradus_gemm_workspace(&g, NULL) == 0, "a workspace");
    g.math = GRADUS_MATH_SCALED; /* launches and a workspace for one product after another */
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
    batches_of_types();
    batches_by_maps();
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
void case_far_arrays(void)
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
        CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_32x128") &&
                  strstr(lines[0], " grid 30,1,3"),
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
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_32x128") &&
              strstr(lines[0], " grid 30,1,1"),
          "%s", lines[0]);
    const struct gradus_gemm right = g;
    g.epilogue = &(struct gradus_epilogue){.activation = GRADUS_RELU};
    g.batch = 3, g.math = GRADUS_MATH_ACCURATE;
    run_well(&g); /* by the kernel that multiplies */
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_64 grid 75,1,1"), "%s", lines[0]);
    CHECK(argument(lines[0], 14) == (uintptr_t)cs && argument(lines[0], 22) == GRADUS_RELU, "%s",
          lines[0]);
    g.math = GRADUS_MATH_IEEE, g.beta = 0.5;
    run_well(&g); /* by a launch for all products */
    CHECK(launches(lines, 16) == 2 && strstr(lines[1], "finish") && strstr(lines[1], ",3 block"),
          "%s", lines[1]);
    CHECK(argument(lines[1], 2) == (uintptr_t)cs && argument(lines[1], 9) == 1, "%s", lines[1]);
    g.a_type = g.b_type = g.c_type = GRADUS_BF16;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": epilogue: found one with"), "%s",
          text);
    g.beta = 0;
    run_well(&g);
    CHECK(launches(lines, 16) == 1, "%s", lines[0]);
    g = right, g.math = GRADUS_MATH_ACCURATE, g.batch = 3;
    run_well(&g);
    CHECK(launches(lines, 16) == 1 && strstr(lines[0], "multiply_64 grid 75,1,1"), "%s", lines[0]);
    CHECK(argument(lines[0], 9) == (uintptr_t)bs && argument(lines[0], 11) == (uintptr_t)as &&
              argument(lines[0], 14) == (uintptr_t)cs && argument(lines[0], 19) == 1,
          "%s", lines[0]);
    g = right, g.math = GRADUS_MATH_SCALED;
    CHECK(run(&g, text) == GRADUS_UNSUPPORTED && strstr(text, ": arrays_on_gpu: "), "%s", text);
    launches(lines, 16);
    for (int i = 0; i < BATCHED; i++) {
        const struct batched *one = &batched[i];
        g = right, g.a_type = g.b_type = one->ab, g.c_type = one->c;
        g.sum_type = one->ab == GRADUS_F64 ? GRADUS_F64 : GRADUS_F32;
        for (g.batch = 1; g.batch <= 3; g.batch += 2) {
            run_well(&g);
            CHECK(launches(lines, 16) == 1 && strstr(lines[0], one->kernel), "%s", lines[0]);
            CHECK(argument(lines[0], one->arrays) == 1, "no arrays in %s", lines[0]);
            CHECK(argument(lines[0], one->c_at) == (uintptr_t)cs, "%s", lines[0]);
        }
        CHECK(one->ab != GRADUS_F64 || strstr(lines[0], "_1_"), "copies of pairs: %s", lines[0]);
    }
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
