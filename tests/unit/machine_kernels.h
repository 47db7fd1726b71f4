/* machine_kernels.h: what tests of kernels in cubins share: their memory, and how they are run.
 * SPDX-License-Identifier: MIT */
#ifndef UNIT_MACHINE_KERNELS_H
#define UNIT_MACHINE_KERNELS_H

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

static unsigned char kernel_image[64 * 1024];
static size_t kernel_image_bytes;
static struct gr_machine_memory kernel_memory;
static char kernel_text[256]; /* why the last one failed */

/* Reads the cubin of tests/unit/data. */
static inline int kernel_prepare(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, GRADUS_SOURCE_DIR "/tests/unit/data/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    kernel_image_bytes = fread(kernel_image, 1, sizeof kernel_image, file);
    fclose(file);
    return kernel_image_bytes == 0 || kernel_image_bytes == sizeof kernel_image;
}

static inline void *kernel_array(size_t bytes)
{
    void *at = aligned_alloc(512, (bytes + 511) / 512 * 512);
    assert_non_null(at);
    memset(at, 0, bytes);
    assert_true(gr_memory_add(&kernel_memory, (uintptr_t)at, bytes));
    return at;
}

static inline void kernel_release(void *at)
{
    gr_memory_remove(&kernel_memory, (uintptr_t)at);
    free(at);
}

static inline enum gr_block_status kernel_run(const char *symbol,
                                              const struct gr_program_launch *launch)
{
    struct gradus_error error = {0};
    struct gr_program program;
    struct gr_cluster cluster;
    const struct gr_block *failed = NULL;
    const unsigned gx = launch->grid[0], gy = launch->grid[1], gz = launch->grid[2];
    enum gradus_status status =
        gr_program_load(kernel_image, kernel_image_bytes, symbol, launch, NULL, &program, &error);
    if (status != GRADUS_OK)
        print_error("%s\n", error.text);
    assert_int_equal(status, GRADUS_OK);
    assert_true(gr_cluster_open(&cluster, &program, launch, &kernel_memory, NULL));
    for (unsigned i = 0; i < gx * gy * gz && !failed; i++)
        if (gr_cluster_rank(&program, i % gx, i / gx % gy, i / gx / gy) == 0)
            failed = gr_cluster_run(&cluster, i % gx, i / gx % gy, i / gx / gy);
    memcpy(kernel_text, failed ? failed->text : "", failed ? sizeof kernel_text : 1);
    enum gr_block_status result = failed ? failed->status : GR_BLOCK_DONE;
    gr_cluster_close(&cluster);
    gr_program_free(&program);
    return result;
}

static inline void kernel_is_done(enum gr_block_status status)
{
    if (status != GR_BLOCK_DONE)
        print_error("%s\n", kernel_text);
    assert_int_equal(status, GR_BLOCK_DONE);
}

static inline void kernel_fails(enum gr_block_status status, const char *with)
{
    assert_int_equal(status, GR_BLOCK_FAILED);
    if (!strstr(kernel_text, with))
        print_error("%s\n", kernel_text);
    assert_non_null(strstr(kernel_text, with));
}

#endif
