/* test_machine_async.c: kernels with Hopper's asynchronous instructions, executed
 * (data/async_*.cubin, of data/async_kernels.cu). SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "machine/cluster_blocks.h"
#include "machine/tensor_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 3 };
static unsigned char images[IMAGES][32 * 1024];
static size_t image_bytes[IMAGES];
static struct gr_machine_memory memory;
static char text[256];

static int prepare(void **state)
{
    (void)state;
    static const char *const paths[IMAGES] = {
        GRADUS_SOURCE_DIR "/tests/unit/data/async_barriers.cubin",
        GRADUS_SOURCE_DIR "/tests/unit/data/async_copies.cubin",
        GRADUS_SOURCE_DIR "/tests/unit/data/async_others.cubin"};
    for (int i = 0; i < IMAGES; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (!file)
            return 1;
        image_bytes[i] = fread(images[i], 1, sizeof images[i], file);
        fclose(file);
    }
    return image_bytes[0] == 0 || image_bytes[1] == 0 || image_bytes[2] == 0;
}

static int finish(void **state)
{
    (void)state;
    gr_memory_free(&memory);
    return 0;
}

static void *array(size_t bytes)
{
    void *at = aligned_alloc(512, (bytes + 511) / 512 * 512);
    assert_non_null(at);
    assert_true(gr_memory_add(&memory, (uintptr_t)at, bytes));
    return at;
}

static void release(void *at)
{
    gr_memory_remove(&memory, (uintptr_t)at);
    free(at);
}

/* Loads the kernel from the image that has it. */
static enum gradus_status load(const char *symbol, const struct gr_program_launch *launch,
                               struct gr_program *program, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_INVALID;
    for (int i = 0; i < IMAGES && status == GRADUS_INVALID; i++) {
        if (i > 0) {
            gr_program_free(program);
            gradus_error_clear(error);
        }
        status = gr_program_load(images[i], image_bytes[i], symbol, launch, NULL, program, error);
    }
    return status;
}

/* Runs the kernel; `text` is why it failed. */
static enum gr_block_status run(const char *symbol, unsigned gx, unsigned gy, unsigned threads,
                                const void *const *parameters)
{
    const struct gr_program_launch launch = {
        .grid = {gx, gy, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    struct gradus_error error = {0};
    struct gr_program program;
    struct gr_cluster cluster;
    const struct gr_block *failed = NULL;
    enum gradus_status status = load(symbol, &launch, &program, &error);
    if (status != GRADUS_OK)
        print_error("%s\n", error.text);
    assert_int_equal(status, GRADUS_OK);
    assert_true(gr_cluster_open(&cluster, &program, &launch, &memory, NULL));
    for (unsigned i = 0; i < gx * gy && !failed; i++)
        if (gr_cluster_rank(&program, i % gx, i / gx, 0) == 0)
            failed = gr_cluster_run(&cluster, i % gx, i / gx, 0);
    text[0] = 0;
    if (failed)
        memcpy(text, failed->text, sizeof text);
    enum gr_block_status result = failed ? failed->status : GR_BLOCK_DONE;
    gr_cluster_close(&cluster);
    gr_program_free(&program);
    return result;
}

static void is_done(enum gr_block_status status)
{
    if (status != GR_BLOCK_DONE)
        print_error("%s\n", text);
    assert_int_equal(status, GR_BLOCK_DONE);
}

/* ---- mbarriers. ---- */

static void ring(void **state)
{
    (void)state;
    enum { ROUNDS = 37, WARPS = 5 };
    int *in = array(ROUNDS * 32 * sizeof *in), *out = array(2 * WARPS * 32 * sizeof *out);
    const int rounds = ROUNDS;
    const void *parameters[] = {&in, &out, &rounds};
    for (int i = 0; i < ROUNDS * 32; i++)
        in[i] = i * i + 3;
    is_done(run("ring", 2, 1, 32 * WARPS, parameters));
    for (int t = 0; t < 2 * WARPS * 32; t++) {
        int sum = 0;
        for (int r = 0; r < ROUNDS; r++)
            sum += in[r * 32 + t % 32] * (t / 32 % WARPS);
        assert_int_equal(out[t], sum);
    }
    release(in);
    release(out);
}

/* A barrier for which an arrival is missing is a deadlock, and the text says where. */
static void stuck(void **state)
{
    (void)state;
    int *out = array(256);
    const void *parameters[] = {&out};
    assert_int_equal(run("stuck", 1, 1, 64, parameters), GR_BLOCK_FAILED);
    assert_non_null(strstr(text, "64 threads wait for an mbarrier"));
    assert_int_equal(run("spinning", 1, 1, 64, parameters), GR_BLOCK_FAILED);
    assert_non_null(strstr(text, "tested again and again"));
    release(out);
}

static void states(void **state)
{
    (void)state;
    int *out = array(96 * sizeof *out);
    const void *parameters[] = {&out};
    is_done(run("states", 1, 1, 96, parameters));
    for (int i = 0; i < 96; i++)
        assert_int_equal(out[i], 77);
    release(out);
}

static void many(void **state)
{
    (void)state;
    int *out = array(64 * sizeof *out);
    const void *parameters[] = {&out};
    is_done(run("many", 1, 1, 64, parameters));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], i % 32 + 1);
    is_done(run("alone", 1, 1, 64, parameters));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 100 + (i ^ 33));
    release(out);
}

/* A grid that clusters do not divide is refused before anything runs. */
static void clusters(void **state)
{
    (void)state;
    const struct gr_program_launch launch = {.grid = {3, 1, 1}, .block = {32, 1, 1}};
    struct gradus_error error = {0};
    struct gr_program program;
    assert_int_equal(load("pairs", &launch, &program, &error), GRADUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "a grid of 3"));
    gradus_error_clear(&error);
    gr_program_free(&program);
}

static void misuse(void **state)
{
    (void)state;
    int *out = array(256);
    int what = 0;
    const void *parameters[] = {&out, &what};
    static const char *const words[] = {"is not initialised", "more arrivals", "no multiple of 8",
                                        "is not initialised"};
    for (what = 0; what < 4; what++) {
        assert_int_equal(run("misuse", 1, 1, 32, parameters), GR_BLOCK_FAILED);
        assert_non_null(strstr(text, words[what]));
    }
    release(out);
}

static void copies(void **state)
{
    (void)state;
    int *in = array(512), *out = array(512);
    const void *parameters[] = {&in, &out};
    for (int i = 0; i < 128; i++)
        in[i] = 1000 + i;
    is_done(run("copies", 1, 1, 128, parameters));
    assert_memory_equal(in, out, 512);
    release(in);
    release(out);
}

/* ---- Bulk copies. ---- */

static void bulk(void **state)
{
    (void)state;
    enum { BLOCKS = 3 };
    int *in = array(BLOCKS * 1024), *out = array(BLOCKS * 1024);
    int early = 0;
    const void *parameters[] = {&in, &out, &early};
    for (int i = 0; i < BLOCKS * 256; i++)
        in[i] = i - 50;
    is_done(run("bulk", BLOCKS, 1, 256, parameters));
    for (int i = 0; i < BLOCKS * 256; i++)
        assert_int_equal(out[i], 2 * in[i]);
    early = 1; /* without the wait nothing has arrived */
    is_done(run("bulk", BLOCKS, 1, 256, parameters));
    for (int i = 0; i < BLOCKS * 256; i++)
        assert_int_equal(out[i], -2);
    early = 0;
    in += 2 * 256; /* the second block's is outside */
    assert_int_equal(run("bulk", BLOCKS, 1, 256, parameters), GR_BLOCK_FAILED);
    assert_non_null(strstr(text, "outside of global memory"));
    in -= 2 * 256;
    in++;
    assert_int_equal(run("bulk", BLOCKS, 1, 256, parameters), GR_BLOCK_FAILED);
    assert_non_null(strstr(text, "is no multiple of 16"));
    release(in - 1);
    release(out);
}

/* ---- Products of a group of warps, by tensor maps. ---- */

static uint16_t bfloat(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return (uint16_t)(bits >> 16);
}

static void encode(void *at, enum gr_tensor_map_type type, int rows, int columns, uint32_t span,
                   uint8_t bytes[GR_TENSOR_MAP_BYTES])
{
    struct gr_tensor_map map = {.address = (uintptr_t)at, .type = type, .rank = 2, .span = span};
    const char *why = NULL;
    map.size[0] = (uint64_t)columns;
    map.size[1] = (uint64_t)rows;
    map.stride[1] = (uint64_t)columns * (uint64_t)gr_tensor_map_element(type);
    map.box[0] = map.box[1] = 64;
    map.step[0] = map.step[1] = 1;
    assert_true(gr_tensor_map_write(&map, bytes, &why));
}

static void gemm(void **state)
{
    (void)state;
    enum { M = 100, N = 72, MOST_K = 320 };
    static float a[M][MOST_K], b[N][MOST_K];
    static _Alignas(64) uint8_t maps[3][GR_TENSOR_MAP_BYTES];
    float *c = array(M * N * sizeof *c);
    for (int k = 64; k <= MOST_K; k += 64) {
        uint16_t *left = array(sizeof *left * M * (size_t)k);
        uint16_t *right = array(sizeof *right * N * (size_t)k);
        for (int i = 0; i < M * k; i++) {
            a[i / k][i % k] = (float)(rand() % 255 - 127) / 32;
            left[i] = bfloat(a[i / k][i % k]);
        }
        for (int i = 0; i < N * k; i++) {
            b[i / k][i % k] = (float)(rand() % 255 - 127) / 16;
            right[i] = bfloat(b[i / k][i % k]);
        }
        memset(c, 0xff, M * N * sizeof *c);
        encode(left, GR_TENSOR_MAP_BF16, M, k, 128, maps[0]);
        encode(right, GR_TENSOR_MAP_BF16, N, k, 128, maps[1]);
        encode(c, GR_TENSOR_MAP_F32, M, N, 0, maps[2]);
        const void *parameters[] = {maps[0], maps[1], maps[2], &k};
        is_done(run("gemm", 2, 2, 256, parameters));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0; /* which fp32 has exactly */
                for (int l = 0; l < k; l++)
                    sum += (double)a[i][l] * b[j][l];
                assert_true(c[i * N + j] == (float)sum);
            }
        release(left);
        release(right);
    }
    release(c);
}

static void integers(void **state)
{
    (void)state;
    int8_t *a = array(64 * 32), *b = array(8 * 32);
    int32_t *out = array(64 * 8 * sizeof *out);
    const void *parameters[] = {&a, &b, &out};
    for (int i = 0; i < 64 * 32; i++)
        a[i] = (int8_t)rand();
    for (int i = 0; i < 8 * 32; i++)
        b[i] = (int8_t)rand();
    is_done(run("integers", 1, 1, 128, parameters));
    for (int i = 0; i < 64 * 8; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 32; k++)
            sum += a[i / 8 * 32 + k] * b[i % 8 * 32 + k];
        assert_int_equal(out[i], 2 * sum);
    }
    assert_int_equal(run("integers", 1, 1, 96, parameters), GR_BLOCK_FAILED); /* three warps */
    release(a);
    release(b);
    release(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring),     cmocka_unit_test(stuck), cmocka_unit_test(states),
        cmocka_unit_test(misuse),   cmocka_unit_test(many),  cmocka_unit_test(clusters),
        cmocka_unit_test(copies),   cmocka_unit_test(bulk),  cmocka_unit_test(gemm),
        cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
