/* test_catalog_list.c: a folder of kernels: its order, its faults, and how kernels are called.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/levels.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/gradus-list-XXXXXX";

static void put(const char *name, const char *after)
{
    struct gradus_error error = {0};
    char *path = gr_printf("%s/%s", folder, name);
    char *text = gr_printf("%s%s\nvoid f(float *A, float *B, float *C) {}\n",
                           after ? "//@ after " : "", after ? after : "");
    if (gr_file_write(path, text, strlen(text), &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    free(path);
    free(text);
}

static void drop(const char *name)
{
    char *path = gr_printf("%s/%s", folder, name);
    unlink(path);
    free(path);
}

static void load(struct gr_catalog *catalog)
{
    struct gradus_error error = {0};
    if (gr_catalog_load(folder, GR_LANGUAGE_C, catalog, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
}

/* The message, the folder's own name taken off. */
static void assert_load_fails(const char *message)
{
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    assert_int_equal(gr_catalog_load(folder, GR_LANGUAGE_C, &catalog, &error), GRADUS_INVALID);
    char *wanted = gr_printf("%s/%s", folder, message);
    assert_string_equal(error.text, wanted);
    free(wanted);
}

static void kernels_come_in_order(void **state)
{
    (void)state;
    struct gr_catalog catalog;
    load(&catalog);
    assert_int_equal(catalog.count, 3);
    assert_string_equal(catalog.kernels[0]->name, "2_second");
    assert_string_equal(catalog.kernels[1]->name, "03_third_one");
    assert_string_equal(catalog.kernels[2]->name, "10_tenth");
    assert_false(catalog.kernels[0]->built_in);
    gr_catalog_free(&catalog);
}

static void steps_follow_the_after_lines(void **state)
{
    (void)state;
    struct gr_catalog catalog;
    put("11_branch.c", "2_second");
    load(&catalog);
    const int steps[] = {0, 1, 2, 1}; /* 2_second, 03_third_one, 10_tenth, 11_branch */
    assert_int_equal(catalog.count, 4);
    for (int i = 0; i < catalog.count; i++)
        assert_int_equal(gr_catalog_steps(&catalog, catalog.kernels[i]), steps[i]);
    gr_catalog_free(&catalog);
    drop("11_branch.c");
}

static void kernels_are_found(void **state)
{
    (void)state;
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    const struct gr_kernel *k;
    load(&catalog);
    const char *const words[] = {"03_third_one", "3", "03", "003", "third_one"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(gr_catalog_find(&catalog, words[i], &k, &error), GRADUS_OK);
        assert_ptr_equal(k, catalog.kernels[1]);
    }
    assert_int_equal(gr_catalog_find(&catalog, "tird_one", &k, &error), GRADUS_NOT_FOUND);
    assert_string_equal(error.text, "no kernel 'tird_one'; did you mean 'third_one'?");
    const char *const nothing[] = {
        "", "4", "1", "_", "third", "zzzzzzzzzzz", "99999999999999999999"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        assert_int_equal(gr_catalog_find(&catalog, nothing[i], &k, &error), GRADUS_NOT_FOUND);
        assert_null(k);
    }
    gr_catalog_free(&catalog);
}

static void faults_are_told(void **state)
{
    (void)state;
    put("04_loop.c", "05_later");
    assert_load_fails("04_loop.c: `after 05_later` names no kernel here");
    put("05_later.c", NULL);
    assert_load_fails("04_loop.c: `after 05_later` names a kernel that is not before it");
    put("04_loop.c", "2_secund");
    assert_load_fails("04_loop.c: `after 2_secund` names no kernel here; did you mean '2_second'?");
    put("04_loop.c", "04_loop");
    assert_load_fails("04_loop.c: `after 04_loop` names a kernel that is not before it");
    drop("04_loop.c");
    put("5_again.c", NULL);
    char *message =
        gr_printf("5_again.c: has the number of %s/05_later.c; rename one, each rung has its "
                  "own",
                  folder);
    assert_load_fails(message);
    free(message);
    drop("5_again.c");
    drop("05_later.c");
    struct gr_catalog catalog;
    struct gradus_error error = {0};
    char *missing = gr_printf("%s/missing", folder);
    assert_int_equal(gr_catalog_load(missing, GR_LANGUAGE_C, &catalog, &error), GRADUS_NOT_FOUND);
    free(missing);
    assert_int_equal(gr_catalog_load(folder, GR_LANGUAGE_CUDA, &catalog, &error), GRADUS_OK);
    assert_int_equal(catalog.count, 0);
    gr_catalog_free(&catalog);
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    struct gr_kernel *k;
    char *path = gr_printf("%s/zero.c", folder);
    assert_int_equal(gr_file_write(path, "int x;\0int y;", 13, &error), GRADUS_OK);
    assert_int_equal(gr_kernel_read(path, NULL, &k, &error), GRADUS_INVALID);
    assert_non_null(
        strstr(error.text, "zero.c: a zero byte at offset 6, wanted the text of a kernel"));
    drop("zero.c");
    free(path);
}

static void isa_lines_choose_levels(void **state)
{
    (void)state;
    static const struct {
        const char *isa;
        bool portable, avx2, avx512, neon;
    } cases[] = {
        {"avx2, fma", false, true, true, false},    {"avx512f, avx2", false, false, true, false},
        {"avx512_bf16", false, false, true, false}, {"neon", false, false, false, true},
        {"portable", true, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_kernel *k;
        struct gradus_error error = {0};
        char *text =
            gr_printf("//@ isa %s\nvoid f(float *A, float *B, float *C) {}\n", cases[i].isa);
        if (gr_kernel_parse("k.c", text, NULL, &k, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(gr_isa_allows(k, "portable"), cases[i].portable);
        assert_int_equal(gr_isa_allows(k, "avx2"), cases[i].avx2);
        assert_int_equal(gr_isa_allows(k, "avx512"), cases[i].avx512);
        assert_int_equal(gr_isa_allows(k, "neon"), cases[i].neon);
        gr_kernel_free(k);
        free(text);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    put("10_tenth.c", "03_third_one");
    put("03_third_one.c", "2_second");
    put("2_second.c", NULL);
    put("ukr_helper.c", "nothing");
    put("12_not.cpp", NULL);
    put("x3_not.c", NULL);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        drop(e->d_name);
    closedir(dir);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_come_in_order),   cmocka_unit_test(kernels_are_found),
        cmocka_unit_test(faults_are_told),         cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(isa_lines_choose_levels), cmocka_unit_test(steps_follow_the_after_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
