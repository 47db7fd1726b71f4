/* test_machine_cluster.c: kernels whose blocks run in clusters, executed
 * (data/cluster_blocks.cubin, of data/cluster_kernels.cu). SPDX-License-Identifier: MIT */
#include "machine_kernels.h"

static int prepare(void **state)
{
    (void)state;
    return kernel_prepare("cluster_blocks.cubin");
}

static int finish(void **state)
{
    (void)state;
    gr_memory_free(&kernel_memory);
    return 0;
}

static enum gr_block_status run(const char *symbol, unsigned gx, unsigned gy, unsigned threads,
                                const void *const *parameters)
{
    const struct gr_program_launch launch = {
        .grid = {gx, gy, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    return kernel_run(symbol, &launch);
}

/* ---- Which block is where. ---- */

static void check_registers(const char *symbol, const unsigned cluster[3], const unsigned grid[3])
{
    enum { WORDS = 14, THREADS = 2 };
    const unsigned blocks = grid[0] * grid[1] * grid[2];
    unsigned *out = kernel_array(blocks * THREADS * WORDS * sizeof *out), *at = out;
    const void *parameters[] = {&out};
    const struct gr_program_launch launch = {
        .grid = {grid[0], grid[1], grid[2]}, .block = {THREADS, 1, 1}, .parameters = parameters};
    kernel_is_done(kernel_run(symbol, &launch));
    for (unsigned i = 0; i < blocks * THREADS; i++, at += WORDS) {
        const unsigned b = i / THREADS;
        const unsigned is[3] = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(at[k], is[k] % cluster[k]);
            assert_int_equal(at[3 + k], cluster[k]);
            assert_int_equal(at[8 + k], is[k] / cluster[k]);
            assert_int_equal(at[11 + k], grid[k] / cluster[k]);
        }
        assert_int_equal(at[6], at[0] + cluster[0] * (at[1] + cluster[1] * at[2]));
        assert_int_equal(at[7], cluster[0] * cluster[1] * cluster[2]);
    }
    kernel_release(out);
}

static void registers(void **state)
{
    (void)state;
    check_registers("alone", (unsigned[]){1, 1, 1}, (unsigned[]){3, 2, 2});
    check_registers("six", (unsigned[]){3, 2, 1}, (unsigned[]){333, 4, 3});
}

/* A cluster that the kernel does not say, and grids and clusters that a GPU refuses. */
static void launches(void **state)
{
    (void)state;
    static const struct {
        const char *symbol;
        unsigned grid[3], cluster[3];
        const char *why;
    } wrong[] = {{"neighbours", {6, 1, 1}, {0, 0, 0}, "a grid of 6"},
                 {"square", {2, 3, 1}, {0, 0, 0}, "2 blocks along y"},
                 {"as_launched", {5, 5, 1}, {5, 5, 1}, "clusters of 5 x 5 x 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct gr_program_launch launch = {.block = {64, 1, 1}};
        struct gradus_error error = {0};
        struct gr_program program;
        memcpy(launch.grid, wrong[i].grid, sizeof launch.grid);
        memcpy(launch.cluster, wrong[i].cluster, sizeof launch.cluster);
        assert_int_equal(gr_program_load(kernel_image, kernel_image_bytes, wrong[i].symbol, &launch,
                                         NULL, &program, &error),
                         GRADUS_UNSUPPORTED);
        assert_non_null(strstr(error.text, wrong[i].why));
        gradus_error_clear(&error);
        gr_program_free(&program);
    }
}

/* ---- Shared memory of other blocks. ---- */

/* The rank of a block, and the block of a rank in the same cluster. */
static unsigned next_of(unsigned x, unsigned y, unsigned cx, unsigned cy, unsigned gx)
{
    const unsigned rank = (x % cx + cx * (y % cy) + 1) % (cx * cy);
    return (x / cx * cx + rank % cx) + gx * (y / cy * cy + rank / cx);
}

static void check_exchange(const char *symbol, unsigned gx, unsigned gy, unsigned cx, unsigned cy,
                           bool by_launch)
{
    const unsigned threads = 64, blocks = gx * gy;
    int *in = kernel_array(blocks * threads * sizeof *in);
    int *out = kernel_array(blocks * threads * sizeof *out), forgets = 0;
    const void *parameters[] = {&in, &out, &forgets};
    struct gr_program_launch launch = {
        .grid = {gx, gy, 1}, .block = {threads, 1, 1}, .parameters = parameters};
    if (by_launch)
        memcpy(launch.cluster, (unsigned[]){cx, cy, 1}, sizeof launch.cluster);
    for (unsigned i = 0; i < blocks * threads; i++)
        in[i] = (int)(i * i % 1009);
    kernel_is_done(kernel_run(symbol, &launch));
    for (unsigned i = 0; i < blocks * threads; i++) {
        const unsigned b = i / threads, next = next_of(b % gx, b / gx, cx, cy, gx);
        assert_int_equal(out[i], in[next * threads + (i % threads ^ 3)]);
    }
    forgets = 1; /* the numbers of the next block are not there yet */
    kernel_is_done(kernel_run(symbol, &launch));
    assert_int_equal(out[0], -1);
    forgets = 2; /* a block reads of one that has exited */
    kernel_fails(kernel_run(symbol, &launch), "which has exited");
    kernel_release(in);
    kernel_release(out);
}

static void exchanges(void **state)
{
    (void)state;
    check_exchange("neighbours", 12, 3, 4, 1, false);
    check_exchange("square", 4, 6, 2, 2, false);
    check_exchange("as_launched", 6, 4, 3, 4, true);
    check_exchange("as_launched", 16, 1, 16, 1, true);
}

static void histogram(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    int *in = kernel_array(COUNT * sizeof *in), *out = kernel_array(256 * sizeof *out);
    int bins[256] = {0};
    const int count = COUNT;
    const void *parameters[] = {&in, &out, &count};
    for (int i = 0; i < COUNT; i++)
        bins[in[i] = rand() % 256 & rand() % 256]++;
    kernel_is_done(run("histogram", 8, 1, 96, parameters));
    assert_memory_equal(out, bins, sizeof bins);
    kernel_release(in);
    kernel_release(out);
}

static void window(void **state)
{
    (void)state;
    unsigned *out = kernel_array(64 * 6 * sizeof *out);
    const void *parameters[] = {&out};
    kernel_is_done(run("window", 2, 1, 32, parameters));
    for (unsigned i = 0; i < 64; i++) {
        const unsigned r = i / 32, t = i % 32, *at = out + i * 6, sum = 110 - 10 * (1 - r) + t;
        const unsigned least = 115 + 1 - r; /* of the other's red.max */
        assert_int_equal(at[0], 1 - r);
        assert_int_equal(at[1], 10 * (1 - r) + t);
        assert_int_equal(at[2], sum > least ? sum : least);
        assert_int_equal(at[3], (7 + 1 - r) << 16); /* byte 130 - 128 of the next word */
        assert_int_equal(at[4], t);
        assert_int_equal(at[5], r);
    }
    kernel_release(out);
}

/* ---- What is asynchronous. ---- */

static void messages(void **state)
{
    (void)state;
    int *out = kernel_array(4 * 128 * sizeof *out);
    const void *parameters[] = {&out};
    kernel_is_done(run("messages", 4, 1, 32, parameters));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], -5);
    for (int r = 1; r < 4; r++)
        for (int t = 0; t < 32; t++) {
            const int *at = out + (r * 32 + t) * 4;
            assert_int_equal(at[0], 77);
            assert_int_equal(at[1], t);
            assert_int_equal(at[2], t == 0 ? 31 * 32 / 2 : 0);
            assert_int_equal(at[3], t * 10 + r);
        }
    kernel_release(out);
}

static void multicast(void **state)
{
    (void)state;
    int *in = kernel_array(1024), *out = kernel_array(4096);
    int mask, from, early = 0;
    const void *parameters[] = {&in, &out, &mask, &from, &early};
    for (int i = 0; i < 256; i++)
        in[i] = 3 * i + 1;
    for (mask = 0; mask < 16; mask++)
        for (from = 0; from < 4; from++) {
            kernel_is_done(run("multicast", 4, 1, 256, parameters));
            for (int i = 0; i < 1024; i++)
                assert_int_equal(out[i], mask >> i / 256 & 1 ? in[i % 256] : -9);
        }
    early = 1, mask = 15; /* without a wait nothing has arrived */
    kernel_is_done(run("multicast", 4, 1, 256, parameters));
    for (int i = 0; i < 1024; i++)
        assert_int_equal(out[i], -9);
    early = 0, mask = 17, from = 1; /* a block that the cluster does not have */
    kernel_fails(run("multicast", 4, 1, 256, parameters), "does not exist");
    kernel_release(in);
    kernel_release(out);
}

static void tiles(void **state)
{
    (void)state;
    enum { ROWS = 70, COLUMNS = 80 };
    static _Alignas(64) uint8_t bytes[GR_TENSOR_MAP_BYTES];
    int *in = kernel_array(ROWS * COLUMNS * sizeof *in), *out = kernel_array(6 * 8192);
    struct gr_tensor_map map = {
        .address = (uintptr_t)in, .type = GR_TENSOR_MAP_S32, .rank = 2, .span = 0};
    const char *why;
    const void *parameters[] = {bytes, &out};
    map.size[0] = COLUMNS;
    map.size[1] = ROWS;
    map.stride[1] = COLUMNS * sizeof *in;
    map.box[0] = map.box[1] = 32;
    map.step[0] = map.step[1] = 1;
    assert_true(gr_tensor_map_write(&map, bytes, &why));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        in[i] = i + 1;
    kernel_is_done(run("tiles", 6, 1, 64, parameters));
    for (int i = 0; i < 6 * 2048; i++) {
        const int column = i / 4096 * 32 + i % 32, row = i % 2048 / 32;
        assert_int_equal(out[i], column < COLUMNS && row < ROWS ? in[row * COLUMNS + column] : 0);
    }
    kernel_release(in);
    kernel_release(out);
}

static void pass(void **state)
{
    (void)state;
    int *in = kernel_array(8 * 256), *out = kernel_array(8 * 256);
    const void *parameters[] = {&in, &out};
    for (int i = 0; i < 512; i++)
        in[i] = 5 * i;
    kernel_is_done(run("pass", 8, 1, 64, parameters));
    for (int i = 0; i < 512; i++)
        assert_int_equal(out[i], in[i / 256 * 256 + (i / 64 + 3) % 4 * 64 + i % 64]);
    kernel_release(in);
    kernel_release(out);
}

static void flag(void **state)
{
    (void)state;
    int *out = kernel_array(64 * sizeof *out);
    const void *parameters[] = {&out};
    kernel_is_done(run("flag", 2, 1, 32, parameters));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], i < 32 ? 5 : 0);
    kernel_release(out);
}

static void wrong(void **state)
{
    (void)state;
    static const char *const words[] = {
        "deadlock in block (1,0,0): 32 threads wait for an mbarrier",
        "outside of the shared memory of block 1", "block 5 of the cluster, which does not exist",
        "32 threads wait at the barrier of the cluster without having arrived",
        "in the shared memory of another block"};
    int *out = kernel_array(256), what;
    const void *parameters[] = {&out, &what};
    for (what = 0; what < 5; what++)
        kernel_fails(run("wrong", 2, 1, 32, parameters), words[what]);
    kernel_release(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers), cmocka_unit_test(launches), cmocka_unit_test(exchanges),
        cmocka_unit_test(histogram), cmocka_unit_test(window),   cmocka_unit_test(messages),
        cmocka_unit_test(multicast), cmocka_unit_test(tiles),    cmocka_unit_test(pass),
        cmocka_unit_test(flag),      cmocka_unit_test(wrong),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
