/* test_peer.c: the libraries measured against: their products are right in every shape, all of them
 * together in one process. SPDX-License-Identifier: MIT */
#include "peer/products.h"
#include "base/file.h"
#include "base/str.h"
#include "peer/space.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void kinds_are_found_by_name(void **state)
{
    (void)state;
    static const char *const wanted[] = {"openblas", "openblas-best", "onednn", "blis",
                                         "blis-best"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct gr_peer_kind *kind = gr_peer_find(wanted[i]);
        assert_non_null(kind);
        assert_string_equal(kind->name, wanted[i]);
    }
    assert_null(gr_peer_find("openbla"));
    assert_null(gr_peer_at(-1));
    assert_null(gr_peer_at(gr_peer_count()));
}

/* Opens every kind; those that are missing must say how to get them. */
static int open_all(int threads, struct gr_peer *peers[])
{
    int count = 0;
    for (int i = 0; i < gr_peer_count(); i++) {
        struct gradus_error error = {0};
        const struct gr_peer_kind *kind = gr_peer_at(i);
        if (kind->device) /* its operands are not the host's */
            continue;
        if (gr_peer_open(kind, threads, &peers[count], &error) == GRADUS_OK) {
            count++;
            continue;
        }
        if (threads == 2)
            print_message("skip: %s\n", error.text);
        assert_int_equal(error.status, GRADUS_UNSUPPORTED);
        assert_true(strstr(error.text, kind->remedy) || strstr(error.text, "ThreadSanitizer"));
        gradus_error_clear(&error);
    }
    return count;
}

static void products_are_right(int threads)
{
    struct gr_peer *peers[16];
    int count = open_all(threads, peers);
    for (int i = 0; i < count; i++) {
        int made;
        const struct gr_peer_result *about = gr_peer_about(peers[i]);
        assert_int_equal(run_products(peers[i], &made), 0);
        assert_true(made > 0);
        assert_true(about->version[0] != 0);
        assert_int_equal(about->threads, threads);
        assert_true(gr_file_exists(gr_peer_path(peers[i])));
    }
    for (int i = 0; i < count; i++)
        gr_peer_close(peers[i]);
}

static void products_on_one_thread(void **state)
{
    (void)state;
    products_are_right(1);
}

static void products_on_two_threads(void **state)
{
    (void)state;
    products_are_right(2);
}

static void what_no_peer_can_do_is_refused(void **state)
{
    (void)state;
    struct gr_peer *peers[16];
    int count = open_all(1, peers);
    struct gr_problem wide = gr_problem_dense(1, 1, 1, false, false, gr_types_of(GR_F32));
    struct gr_problem half = gr_problem_dense(1, 1, 1, false, false, gr_types_of(GR_BF16));
    struct gr_problem f64 = gr_problem_dense(1, 1, 1, false, false, gr_types_of(GR_F64));
    wide.ldb = (int64_t)INT_MAX + 1;
    for (int i = 0; i < count; i++) {
        struct gradus_error error = {0};
        double x = 3, y = 5, z = 7;
        const struct gr_peer_kind *kind = gr_peer_kind_of(peers[i]);
        assert_int_equal(gr_peer_run(peers[i], &wide, &x, &y, &z, &error), GRADUS_UNSUPPORTED);
        assert_int_equal(gr_peer_run(peers[i], &half, &x, &y, &z, &error), GRADUS_UNSUPPORTED);
        assert_non_null(strstr(error.text, "bf16"));
        assert_true(z == 7);
        bool has = kind->types & GR_BIT_F64;
        enum gradus_status status = gr_peer_run(peers[i], &f64, &x, &y, &z, &error);
        assert_int_equal(status, has ? GRADUS_OK : GRADUS_UNSUPPORTED);
        assert_true(z == (has ? 15 : 7));
        gradus_error_clear(&error);
        gr_peer_close(peers[i]);
    }
    struct gr_peer *none;
    assert_int_equal(gr_peer_open(gr_peer_at(0), 0, &none, NULL), GRADUS_INVALID);
    assert_null(none);
}

static void count_name(void *context, const char *name)
{
    *(int *)context += gr_starts_with(name, "lib");
}

/* Every truncation, and every header byte damaged, of a real ELF file: no crash, and never more
 * names. */
static void damaged_elf_files_are_survived(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    const char *whole = "/proc/self/exe", *damaged = "test_peer_damaged.elf";
    int needed = 0;
    gr_elf_needed(whole, count_name, &needed);
    assert_true(needed > 0);
    assert_int_equal(gr_file_read(whole, &text, &length, NULL), GRADUS_OK);
    const size_t head = 4096 < length ? 4096 : length;
    for (size_t i = 0; i < 200; i++) {
        size_t cut = i < 100 ? i * 10 : length * i / 200;
        int found = 0;
        assert_int_equal(gr_file_write(damaged, text, cut, NULL), GRADUS_OK);
        gr_elf_needed(damaged, count_name, &found);
        assert_true(found <= needed);
    }
    FILE *f = fopen(damaged, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    for (size_t i = 0; i < head; i += i < 1024 ? 1 : 61) {
        int found = 0;
        assert_int_equal(fseek(f, (long)i, SEEK_SET), 0);
        fputc(text[i] ^ 0xff, f);
        fflush(f);
        gr_elf_needed(damaged, count_name, &found);
        fseek(f, (long)i, SEEK_SET);
        fputc(text[i], f);
    }
    fclose(f);
    remove(damaged);
    free(text);
    int none = 0;
    gr_elf_needed("no such file", count_name, &none);
    gr_elf_needed("/", count_name, &none);
    assert_int_equal(none, 0);
}

int main(void)
{
    setenv("OMP_WAIT_POLICY", "passive", 1); /* no spinning beside other tests */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_by_name),
        cmocka_unit_test(products_on_one_thread),
        cmocka_unit_test(products_on_two_threads),
        cmocka_unit_test(what_no_peer_can_do_is_refused),
        cmocka_unit_test(damaged_elf_files_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
