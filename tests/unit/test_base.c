/* test_base.c: strings, files and numbers. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "records/problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void strings_grow(void **state)
{
    (void)state;
    struct gr_str s = {0};
    for (int i = 0; i < 1000; i++)
        gr_str_printf(&s, "%d,", i);
    assert_int_equal(s.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_true(gr_ends_with(s.text, "998,999,"));
    gr_str_free(&s);
    assert_string_equal(gr_str_text(&s), "");
}

static void nearest_name(void **state)
{
    (void)state;
    const char *verbs[] = {"ladder", "run", "bench", "devices"};
    assert_string_equal(gr_nearest("laddr", verbs, 4), "ladder");
    assert_string_equal(gr_nearest("device", verbs, 4), "devices");
    assert_null(gr_nearest("xyzzyplugh", verbs, 4));
}

static void file_appears_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/gradus-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct gradus_error error = {0};
    assert_int_equal(gr_file_write(path, "old", 3, &error), GRADUS_OK);
    struct gr_file_out out;
    assert_int_equal(gr_file_out_open(&out, path, &error), GRADUS_OK);
    fputs("half", out.stream);
    gr_file_out_abandon(&out);
    char *text;
    size_t length;
    assert_int_equal(gr_file_read(path, &text, &length, &error), GRADUS_OK);
    assert_string_equal(text, "old");
    free(text);
    unlink(path);
    assert_int_equal(gr_file_read(path, &text, &length, &error), GRADUS_NOT_FOUND);
    gradus_error_clear(&error);
}

static void hash_sees_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[100] = {0};
    for (uint64_t count = 0; count <= sizeof bytes; count++) {
        uint64_t before = gr_hash(bytes, count, 1);
        assert_true(count == 0 || before != gr_hash(bytes, count - 1, 1));
        for (uint64_t i = 0; i < count; i++) {
            bytes[i] ^= 0x40;
            assert_true(gr_hash(bytes, count, 1) != before);
            bytes[i] ^= 0x40;
        }
    }
}

static void sizes(void **state)
{
    (void)state;
    int64_t m, n, k;
    struct gradus_error error = {0};
    assert_int_equal(gr_size_parse("12x3x045", &m, &n, &k, &error), GRADUS_OK);
    assert_true(m == 12 && n == 3 && k == 45);
    const char *bad[] = {"", "x", "12x", "12x3", "12x3x4x5", "-1", "1e3", "99999999999", "12 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gr_size_parse(bad[i], &m, &n, &k, &error), GRADUS_INVALID);
    struct gr_problem p = gr_problem_dense(3, 5, 7, true, false, gr_types_of(GR_F32));
    assert_int_equal(p.lda, 3);
    p.ldc = 9;
    assert_int_equal(gr_problem_span(&p, 'C'), 2 * 9 + 5);
    assert_int_equal(gr_problem_span(&p, 'A'), 21);
    gradus_error_clear(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_grow),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(file_appears_whole),
        cmocka_unit_test(hash_sees_every_byte),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
