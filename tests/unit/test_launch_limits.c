/* test_launch_limits.c: launches that a GPU takes, and what it says of the others.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "model/launch_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gr_device device(const char *name)
{
    struct gr_device d;
    char path[512], *text = NULL;
    struct gradus_error error = {0};
    snprintf(path, sizeof path, GRADUS_SOURCE_DIR "/devices/%s.txt", name);
    assert_int_equal(gr_file_read(path, &text, NULL, NULL), GRADUS_OK);
    if (gr_device_read(name, text, &d, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(text);
    return d;
}

static struct gr_plan_launch launch_of(unsigned threads, int64_t smem_bytes)
{
    return (struct gr_plan_launch){
        .grid = {4, 2, 1}, .block = {threads, 1, 1}, .smem_bytes = smem_bytes};
}

static void takes(const char *name, struct gr_plan_launch launch, struct gr_launch_code code)
{
    const struct gr_device d = device(name);
    struct gradus_error error = {0};
    if (gr_launch_admits(&d, "gemm", &launch, &code, &error) != GRADUS_OK)
        fail_msg("refused: %s", error.text);
}

/* Each of the words, parted by "|", stands in the one line. */
static void refuses(const char *name, struct gr_plan_launch launch, struct gr_launch_code code,
                    const char *words)
{
    const struct gr_device d = device(name);
    struct gradus_error error = {0};
    char copy[256];
    assert_int_equal(gr_launch_admits(&d, "gemm", &launch, &code, &error), GRADUS_LAUNCH);
    assert_ptr_equal(strstr(error.text, "gemm: "), error.text);
    assert_null(strchr(error.text, '\n'));
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(error.text, word))
            fail_msg("'%s' is not in: %s", word, error.text);
}

static void threads_are_bounded(void **state)
{
    (void)state;
    const struct gr_launch_code bound = {.max_threads = 256}, none = {0};
    takes("h200", launch_of(1024, 0), none);
    takes("h200", launch_of(256, 0), bound);
    refuses("h200", launch_of(257, 0), bound, "257 threads|at most 256|launch smaller blocks");
    refuses("h200", launch_of(1025, 0), none, "1025 threads|at most 1024");
    struct gr_plan_launch flat = launch_of(16, 0);
    flat.block[1] = flat.block[2] = 5;
    refuses("h200", flat, bound, "400 threads|at most 256");
}

/* 65536 registers: 64 a thread for 1024 threads; given in eights a thread, to whole warps, from a
 * quarter of the file. */
static void registers_of_a_block_fit_the_file(void **state)
{
    (void)state;
    takes("h200", launch_of(1024, 0), (struct gr_launch_code){.registers = 64});
    refuses("h200", launch_of(1024, 0), (struct gr_launch_code){.registers = 65},
            "65 registers|73728 for a block of 1024 threads|65536|__launch_bounds__(1024)");
    refuses("h200", launch_of(1024, 0), (struct gr_launch_code){.registers = 118}, "118 registers");
    takes("h200", launch_of(512, 0), (struct gr_launch_code){.registers = 128});
    takes("h200", launch_of(256, 0), (struct gr_launch_code){.registers = 255});
    /* 29 warps of 72 registers: the file has room for 28, seven a scheduler. */
    refuses("h200", launch_of(29 * 32, 0), (struct gr_launch_code){.registers = 72},
            "72 registers");
    takes("h200", launch_of(28 * 32, 0), (struct gr_launch_code){.registers = 72});
    takes("h200", launch_of(1024, 0), (struct gr_launch_code){.registers = 0});
    /* A compute unit has 2 SIMDs, of 1024 registers for wavefronts of 32: 16 of them on each have
     * 64; those of a workgroup processor's 4 have 128. */
    struct gr_launch_code radeon = {.registers = 64, .wave = 32};
    takes("rx6800xt", launch_of(1024, 0), radeon);
    radeon.registers = 65;
    refuses("rx6800xt", launch_of(1024, 0), radeon, "65 registers");
    radeon.wgp = true;
    takes("rx6800xt", launch_of(1024, 0), radeon);
    radeon.registers = 128;
    takes("rx6800xt", launch_of(1024, 0), radeon);
    radeon.registers = 129;
    refuses("rx6800xt", launch_of(1024, 0), radeon, "129 registers");
}

static void shared_memory_fits_the_block(void **state)
{
    (void)state;
    const int64_t most = 232448;
    const struct gr_launch_code some = {.smem_bytes = 1024}, none = {0};
    takes("h200", launch_of(32, most), none);
    refuses("h200", launch_of(32, most + 1), none, "232449 bytes|at most 232448|SMEM_MAX");
    takes("h200", launch_of(32, most - 1024), some);
    refuses("h200", launch_of(32, most - 1023), some, "1024 static|231425 dynamic");
    refuses("t4", launch_of(32, 65537), none, "at most 65536");
    takes("t4", launch_of(32, 65536), none);
    takes("h200", launch_of(32, 0), (struct gr_launch_code){.smem_bytes = 49152});
    refuses("h200", launch_of(32, 0), (struct gr_launch_code){.smem_bytes = 49153},
            "49153 bytes|declared|at most 49152|extern __shared__");
    takes("mi210", launch_of(32, 0), (struct gr_launch_code){.smem_bytes = 65536});
    refuses("h200", launch_of(32, -4), none, "-4 bytes");
}

static void clusters_are_whole(void **state)
{
    (void)state;
    const struct gr_launch_code none = {0};
    struct gr_plan_launch launch = launch_of(32, 0);
    memcpy(launch.cluster, (unsigned[]){2, 2, 1}, sizeof launch.cluster);
    takes("h200", launch, none);
    refuses("a100", launch, none, "cluster of 2x2x1|sm_90");
    launch.cluster[0] = 3;
    refuses("h200", launch, none, "4 blocks in clusters of 3 along x");
    memcpy(launch.cluster, (unsigned[]){4, 2, 1}, sizeof launch.cluster);
    launch.grid[2] = 4;
    launch.cluster[2] = 2;
    takes("h200", launch, none);
    launch.cluster[2] = 4;
    refuses("h200", launch, none, "cluster of 32 blocks|at most 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_bounded), cmocka_unit_test(registers_of_a_block_fit_the_file),
        cmocka_unit_test(shared_memory_fits_the_block), cmocka_unit_test(clusters_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
