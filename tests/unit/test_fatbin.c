/* test_fatbin.c: containers of nvcc (data/coded_*.fatbin, of data/coded_kernels.cu), the same in a
 * file of the host, damaged ones, and blocks of LZ4. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "code/code.h"
#include "code/fatbin.h"
#include "code/lz4.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

#define DATA GRADUS_SOURCE_DIR "/tests/unit/data/"

static char *read_data(const char *path, size_t *length)
{
    char *text = NULL;
    struct gradus_error error = {0};
    if (gr_file_read(path, &text, length, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return text;
}

/* Lists the entries, and looks into those that can be expanded here. Returns the kernels of the
 * cubins, and the number that a missing library leaves out. */
static int kernels_of(const char *path, int cubins, int ptx, int *left_out)
{
    size_t length;
    char *image = read_data(path, &length);
    struct gradus_error error = {0};
    struct gr_fatbin list;
    int kernels = 0;
    assert_int_equal(gr_fatbin_read(image, length, path, &list, &error), GRADUS_OK);
    for (int i = 0; i < list.count; i++) {
        const struct gr_fatbin_entry *e = &list.entries[i];
        void *expanded = NULL;
        struct gr_code code;
        ptx -= e->is_ptx;
        cubins -= !e->is_ptx;
        assert_true(e->cc == 80 || e->cc == 90);
        enum gradus_status status = gr_fatbin_expand(e, path, &expanded, &error);
        *left_out += status == GRADUS_UNSUPPORTED;
        if (status == GRADUS_OK && e->is_ptx) {
            assert_non_null(memchr(expanded, '.', e->whole));
        } else if (status == GRADUS_OK) {
            assert_int_equal(gr_code_read(expanded, e->whole, &code, &error), GRADUS_OK);
            assert_int_equal(code.cc, e->cc);
            kernels += code.count;
            gr_code_free(&code);
        } else {
            assert_int_equal(status, GRADUS_UNSUPPORTED);
            assert_non_null(strstr(error.text, "cuobjdump -xelf all"));
        }
        free(expanded);
        gradus_error_clear(&error);
    }
    assert_int_equal(cubins, 0);
    assert_int_equal(ptx, 0);
    gr_fatbin_free(&list);
    free(image);
    return kernels;
}

static void containers_are_read(void **state)
{
    int left_out = 0;
    (void)state;
    assert_int_equal(kernels_of(DATA "coded_plain.fatbin", 1, 0, &left_out), 3);
    assert_int_equal(kernels_of(DATA "coded_lz4.fatbin", 2, 1, &left_out), 6);
    assert_int_equal(left_out, 0);
}

/* Without the library each entry is refused in a line that says what to do. */
static void zstandard_is_read_where_its_library_is(void **state)
{
    int left_out = 0;
    (void)state;
    const int kernels = kernels_of(DATA "coded_zstd.fatbin", 2, 1, &left_out);
    assert_true((kernels == 6 && left_out == 0) || (kernels == 0 && left_out == 3));
}

static void a_cubin_tells_parameters_and_block(void **state)
{
    size_t length;
    char *image = read_data(DATA "coded_sm80.cubin", &length);
    struct gr_code code;
    struct gradus_error error = {0};
    (void)state;
    assert_int_equal(gr_code_read(image, length, &code, &error), GRADUS_OK);
    const struct gr_code_kernel *k = gr_code_find(&code, "plain");
    const int bytes[] = {8, 8, 8, 4, 4, 4, 4};
    assert_non_null(k);
    assert_int_equal(k->parameter_count, 7);
    for (int i = 0, at = 0; i < 7; at += bytes[i++]) {
        assert_int_equal(k->parameters[i].bytes, bytes[i]);
        assert_int_equal(k->parameters[i].offset, at);
    }
    assert_int_equal(k->block[0], 0);
    gr_code_free(&code);
    free(image);
}

/* Two containers with zeros between them, as a linker aligns those of two objects. */
static void several_containers_are_one_list(void **state)
{
    size_t length;
    char *image = read_data(DATA "coded_plain.fatbin", &length);
    char *twice = calloc(2, length + 8);
    struct gr_fatbin list;
    struct gradus_error error = {0};
    (void)state;
    memcpy(twice, image, length);
    memcpy(twice + length + 8, image, length);
    assert_int_equal(gr_fatbin_read(twice, 2 * length + 8, "two", &list, &error), GRADUS_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.entries[0].whole, list.entries[1].whole);
    gr_fatbin_free(&list);
    free(twice);
    free(image);
}

/* Cut off anywhere, a container is refused in one line, or ends with whole entries. */
static void cut_off_containers_are_refused(void **state)
{
    size_t length;
    char *image = read_data(DATA "coded_lz4.fatbin", &length);
    (void)state;
    for (size_t cut = 1; cut < length; cut += 7) {
        char *part = malloc(cut);
        struct gr_fatbin list;
        struct gradus_error error = {0};
        memcpy(part, image, cut);
        assert_int_equal(gr_fatbin_read(part, cut, "part", &list, &error), GRADUS_INVALID);
        assert_true(strncmp(error.text, "part: ", 6) == 0 && !strchr(error.text, '\n'));
        gradus_error_clear(&error);
        gr_fatbin_free(&list);
        free(part);
    }
    free(image);
}

static void files_without_code_are_refused(void **state)
{
    size_t length;
    char *image = read_data("/proc/self/exe", &length);
    struct gr_fatbin list;
    struct gradus_error error = {0};
    (void)state;
    assert_int_equal(gr_fatbin_read(image, length, "self", &list, &error), GRADUS_INVALID);
    assert_non_null(strstr(error.text, "without a section .nv_fatbin, wanted a cubin"));
    gradus_error_clear(&error);
    gr_fatbin_free(&list);
    free(image);
}

static void blocks_of_lz4_are_expanded(void **state)
{
    /* Three literals, a copy of nine from three before, and the last literal. */
    static const unsigned char block[] = {0x35, 'a', 'b', 'c', 3, 0, 0x10, 'd'};
    unsigned char long_block[40] = {0xf0, 255, 3}, out[300];
    (void)state;
    assert_true(gr_lz4_expand(block, sizeof block, out, 13));
    assert_memory_equal(out, "abcabcabcabcd", 13);
    assert_false(gr_lz4_expand(block, sizeof block, out, 12));
    assert_false(gr_lz4_expand(block, sizeof block, out, 14));
    for (size_t cut = 1; cut < sizeof block; cut++)
        assert_false(gr_lz4_expand(block, cut, out, 13));
    /* 15 + 255 + 3 literals, and they are not there. */
    assert_false(gr_lz4_expand(long_block, sizeof long_block, out, sizeof out));
    /* Copies from before the beginning. */
    assert_false(gr_lz4_expand((const unsigned char *)"\x10"
                                                      "a\2\0\0",
                               5, out, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_are_read),
        cmocka_unit_test(zstandard_is_read_where_its_library_is),
        cmocka_unit_test(a_cubin_tells_parameters_and_block),
        cmocka_unit_test(several_containers_are_one_list),
        cmocka_unit_test(cut_off_containers_are_refused),
        cmocka_unit_test(files_without_code_are_refused),
        cmocka_unit_test(blocks_of_lz4_are_expanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
