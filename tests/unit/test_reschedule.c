/* test_reschedule.c: cubins whose FFMAs are reordered: a rung's loop loses fewer cycles and is
 * proven; code of other architectures and damaged files are left alone. SPDX-License-Identifier:
 * MIT */
#include "base/file.h"
#include "base/rng.h"
#include "code/code.h"
#include "core/error.h"
#include "sass/data_flow_proof.h"
#include "sass/reschedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char tile2d[] = GRADUS_SOURCE_DIR "/tests/machine/launches/07_tile2d.cubin";
static const char of_sm80[] = GRADUS_SOURCE_DIR "/tests/unit/data/coded_sm80.cubin";

struct image {
    char *bytes, *original;
    size_t length;
};

static void open_image(const char *path, struct image *image)
{
    struct gradus_error error = {0};
    assert_int_equal(gr_file_read(path, &image->bytes, &image->length, &error), GRADUS_OK);
    image->original = malloc(image->length);
    assert_non_null(image->original);
    memcpy(image->original, image->bytes, image->length);
}

static void close_image(struct image *image)
{
    free(image->bytes);
    free(image->original);
}

static void a_loop(void **state)
{
    (void)state;
    struct image image;
    struct gradus_error error = {0};
    struct gr_rescheduled report, again;
    struct gr_code before, after;
    char why[128];
    open_image(tile2d, &image);
    assert_int_equal(gr_reschedule(image.bytes, image.length, &report, &error), GRADUS_OK);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.kernels[0].block_count, 1);
    const struct gr_rescheduled_block *block = &report.kernels[0].blocks[0];
    assert_int_equal(block->ffmas, 1024);
    assert_string_equal(block->why, "");
    assert_true(block->lost_after < block->lost_before * 2 / 3);

    /* Nothing but the block has changed, and it is proven here once more. */
    assert_int_equal(gr_code_read(image.original, image.length, &before, &error), GRADUS_OK);
    assert_int_equal(gr_code_read(image.bytes, image.length, &after, &error), GRADUS_OK);
    const unsigned char *text = before.kernels[0].text;
    const size_t start = (size_t)(text - (const unsigned char *)image.original) +
                         (size_t)block->first * 16,
                 end = start + (size_t)block->count * 16;
    assert_memory_equal(image.original, image.bytes, start);
    assert_memory_not_equal(image.original + start, image.bytes + start, end - start);
    assert_memory_equal(image.original + end, image.bytes + end, image.length - end);
    assert_true(gr_data_flow_proof(90, text, after.kernels[0].text,
                                   (int)(before.kernels[0].text_bytes / 16), why, sizeof why));

    /* What was expected of the new order is what is counted in it. */
    assert_int_equal(gr_reschedule(image.bytes, image.length, &again, &error), GRADUS_OK);
    assert_int_equal(gr_rescheduled_sum(&again).lost_before, block->lost_after);
    gr_rescheduled_free(&again);
    gr_rescheduled_free(&report);
    gr_code_free(&before);
    gr_code_free(&after);
    close_image(&image);
}

static void another_architecture(void **state)
{
    (void)state;
    struct image image;
    struct gradus_error error = {0};
    struct gr_rescheduled report;
    open_image(of_sm80, &image);
    assert_int_equal(gr_reschedule(image.bytes, image.length, &report, &error), GRADUS_OK);
    assert_true(report.count > 0);
    assert_string_equal(report.kernels[0].why, "register banks were measured on sm_90 only");
    assert_memory_equal(image.bytes, image.original, image.length);
    gr_rescheduled_free(&report);
    close_image(&image);
}

static void no_cubin(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    struct gr_rescheduled report;
    char text[] = "a text that is no cubin, and longer than the header of an ELF file would be, 64";
    assert_int_equal(gr_reschedule(text, sizeof text, &report, &error), GRADUS_INVALID);
    gr_rescheduled_free(&report);
    gradus_error_clear(&error);
}

/* Whatever the instructions are, the call returns, and what it has changed is proven. */
static void damaged(void **state)
{
    (void)state;
    struct image image;
    struct gr_rng rng = {7};
    open_image(tile2d, &image);
    char *const damaged = malloc(image.length);
    assert_non_null(damaged);
    for (int round = 0; round < 40; round++) {
        struct gradus_error error = {0};
        struct gr_rescheduled report;
        memcpy(image.bytes, image.original, image.length);
        for (int i = 0; i <= round; i++)
            image.bytes[gr_rng_next(&rng) % image.length] ^= (char)(1 << gr_rng_next(&rng) % 8);
        memcpy(damaged, image.bytes, image.length);
        struct gr_code before = {0}, after = {0};
        const enum gradus_status status = gr_reschedule(image.bytes, image.length, &report, &error);
        if (status == GRADUS_OK && report.count == 1 &&
            gr_code_read(damaged, image.length, &before, &error) == GRADUS_OK &&
            gr_code_read(image.bytes, image.length, &after, &error) == GRADUS_OK) {
            char why[128] = "";
            const int count = (int)(before.kernels[0].text_bytes / 16);
            const bool same = memcmp(damaged, image.bytes, image.length) == 0;
            assert_true(same || gr_data_flow_proof(90, before.kernels[0].text,
                                                   after.kernels[0].text, count, why, sizeof why));
        }
        gr_code_free(&before);
        gr_code_free(&after);
        gr_rescheduled_free(&report);
        gradus_error_clear(&error);
    }
    free(damaged);
    close_image(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop),
        cmocka_unit_test(another_architecture),
        cmocka_unit_test(no_cubin),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
