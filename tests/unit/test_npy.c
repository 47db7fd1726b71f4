/* test_npy.c: NumPy's own files, hostile ones, and what is written. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/rng.h"
#include "check/check.h"
#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA GRADUS_SOURCE_DIR "/tests/unit/data/"

/* Element i of an array, its bytes put in order. */
static double element(const struct gr_npy *array, int64_t i)
{
    size_t bytes = gr_dtype_bytes(array->type);
    unsigned char in[8], out[8];
    memcpy(in, (const char *)array->elements + (size_t)i * bytes, bytes);
    bool turn = array->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    for (size_t b = 0; b < bytes; b++)
        out[b] = in[turn ? bytes - 1 - b : b];
    double aligned;
    memcpy(&aligned, out, 8);
    return gr_element(array->type, &aligned, 0);
}

static void expect_matrix(const char *file, enum gr_dtype type, bool big_endian, bool fortran)
{
    struct gr_npy array;
    struct gradus_error error = {0};
    char path[512];
    snprintf(path, sizeof path, DATA "%s.npy", file);
    assert_int_equal(gr_npy_open(path, &array, &error), GRADUS_OK);
    assert_true(array.type == type && array.big_endian == big_endian && array.fortran == fortran);
    assert_true(array.rank == 2 && array.rows == 3 && array.cols == 5);
    for (int64_t i = 0; i < 3; i++)
        for (int64_t j = 0; j < 5; j++)
            assert_true(element(&array, fortran ? j * 3 + i : i * 5 + j) ==
                        (double)i - (double)j / 4);
    gr_npy_close(&array);
}

static void numpys_own_files(void **state)
{
    (void)state;
    const enum gr_dtype types[] = {GR_F16, GR_F32, GR_F64};
    for (int t = 0; t < 3; t++)
        for (int big = 0; big < 2; big++)
            for (int fortran = 0; fortran < 2; fortran++) {
                char name[32];
                snprintf(name, sizeof name, "%s_f%d_%c", big ? "be" : "le", 2 << t,
                         fortran ? 'f' : 'c');
                expect_matrix(name, types[t], big, fortran);
            }
    expect_matrix("version2", GR_F32, false, false);
    expect_matrix("version3", GR_F64, false, false);
}

static void ranks_and_empty_shapes(void **state)
{
    (void)state;
    const struct {
        const char *file;
        int rank;
        int64_t rows, cols;
    } wanted[] = {{"vector", 1, 5, 1},
                  {"scalar", 0, 1, 1},
                  {"empty_0x5", 2, 0, 5},
                  {"empty_5x0", 2, 5, 0},
                  {"empty_vector", 1, 0, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct gr_npy array;
        char path[512];
        snprintf(path, sizeof path, DATA "%s.npy", wanted[i].file);
        assert_int_equal(gr_npy_open(path, &array, NULL), GRADUS_OK);
        assert_int_equal(array.rank, wanted[i].rank);
        assert_true(array.rows == wanted[i].rows && array.cols == wanted[i].cols);
        gr_npy_close(&array);
    }
}

static void expect_refused(const char *name, enum gradus_status status,
                           const struct gradus_error *error, const char *field)
{
    if (status != GRADUS_INVALID || !strstr(error->text, name) || !strstr(error->text, field) ||
        !strstr(error->text, "found") || !strstr(error->text, "wanted") ||
        strchr(error->text, '\n'))
        print_error("%s: status %d, '%s', wanted '%s'\n", name, status, error->text, field);
    assert_int_equal(status, GRADUS_INVALID);
    assert_non_null(strstr(error->text, name));
    assert_non_null(strstr(error->text, field));
    assert_non_null(strstr(error->text, "found"));
    assert_non_null(strstr(error->text, "wanted"));
    assert_null(strchr(error->text, '\n'));
}

static void other_types_are_refused(void **state)
{
    (void)state;
    const char *const wanted[][2] = {{"cube", "shape: found (2, 3, 4)"},
                                     {"integers", "descr: found '<i8' (integers)"},
                                     {"booleans", "descr: found '|b1' (booleans)"},
                                     {"complex", "descr: found '<c8' (complex numbers)"},
                                     {"structured", "descr: found a structured type"},
                                     {"text", "descr: found '<U3' (text)"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct gr_npy array;
        struct gradus_error error = {0};
        char path[512];
        snprintf(path, sizeof path, DATA "%s.npy", wanted[i][0]);
        enum gradus_status status = gr_npy_open(path, &array, &error);
        expect_refused(wanted[i][0], status, &error, wanted[i][1]);
    }
}

/* A version-1 file in memory: prefix, header, `data` bytes of zeros. */
static uint64_t compose(unsigned char *bytes, const char *header, uint64_t data)
{
    uint64_t length = strlen(header);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (unsigned char)length;
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, header, length);
    memset(bytes + 10 + length, 0, data);
    return 10 + length + data;
}

static void headers_python_would_accept(void **state)
{
    (void)state;
    const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n",
        "{'shape': (3, 4), 'fortran_order': False, 'descr': '<f4'}",
        "  {\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(3,4,)} \t\r\n",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (3L, 4L)}",
        "{'descr': '|f4', 'fortran_order': False, 'shape': ( 3 , 4 ) , }",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (3, 4)}",
    };
    unsigned char bytes[512];
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct gr_npy array;
        struct gradus_error error = {0};
        uint64_t count = compose(bytes, headers[i], 48);
        assert_int_equal(gr_npy_parse("x", bytes, count, &array, &error), GRADUS_OK);
        assert_true(array.rows == 3 && array.cols == 4 && array.type == GR_F32 &&
                    !array.big_endian);
        assert_ptr_equal(array.elements, bytes + count - 48);
        assert_int_equal(gr_npy_parse("x", bytes, count - 1, &array, &error), GRADUS_INVALID);
    }
}

static void hostile_headers(void **state)
{
    (void)state;
#define SHAPE(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }"
    const char *const wanted[][2] = {
        {SHAPE("(1000000, 1000000)"), "data: found 64 bytes, wanted 8000000000000"},
        {SHAPE("(4294967296, 4294967296)"),
         "shape: found (4294967296, 4294967296), more than 2^63"},
        {SHAPE("(2305843009213693952,)"), "more than 2^63"},
        {SHAPE("(9223372036854775808,)"), "shape, at byte"},
        {SHAPE("(99999999999999999999999999, 0)"), "a size below 2^63"},
        {SHAPE("(-3, -4)"), "a size, 0 or more"},
        {SHAPE("(3, -4)"), "found \"-4)"},
        {SHAPE("(3.0, 4)"), "',' or ')'"},
        {SHAPE("(3)"), "wanted a tuple such as (3,)"},
        {SHAPE("3"), "a tuple such as (3, 4)"},
        {SHAPE("[3, 4]"), "a tuple"},
        {SHAPE("(3, 4"), "shape"},
        {SHAPE("(0x3, 4)"), "',' or ')'"},
        {SHAPE("(,)"), "a size"},
        {SHAPE("(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"),
         "rank 26"},
        {SHAPE("(3, None)"), "a size"},
        {"", "found the end of the header, wanted '{'"},
        {"{", "the end of the header"},
        {"{}", "descr: found nothing"},
        {"[]", "wanted '{'"},
        {"{'descr': '<f8'}", "fortran_order: found nothing"},
        {"{'descr': '<f8', 'fortran_order': False}", "shape: found nothing"},
        {"{'descr': '<f8', 'descr': '<f8'}", "descr: found twice"},
        {"{'descr': '<f8', 'extra': 1}", "found the key 'extra'"},
        {"{'descr' '<f8'}", "wanted ':'"},
        {"{'descr': '<f8' 'shape': (1,)}", "',' or '}'"},
        {"{descr: '<f8'}", "a quoted key"},
        {"{'descr: '<f8'}", "found the key 'descr: '"},
        {"{'descr': '<f8", "a string that ends"},
        {"{'descr': '\\x3cf8'}", "a string that ends"},
        {"{'descr': None}", "descr, at byte"},
        {"{'descr': 8}", "descr, at byte"},
        {"{'descr': '<f8', 'fortran_order': 0}", "True or False"},
        {"{'descr': '<f8', 'fortran_order': false}", "True or False"},
        {"{'descr': '<f8', 'fortran_order': TrueFalse}", "True or False"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} __import__", "nothing after '}'"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "'<f16' (another float)"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "descr: found ''"},
        {"{'descr': '<f8\x01\x1b[31m', 'fortran_order': False, 'shape': (1,)}", "'<f8??[31m'"},
        {"{'descr': '<f8aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'fortran_order': False, 'shape': (1,)}",
         "descr: found"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects"},
    };
#undef SHAPE
    unsigned char bytes[512];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct gr_npy array;
        struct gradus_error error = {0};
        uint64_t count = compose(bytes, wanted[i][0], 64);
        expect_refused("bad.npy", gr_npy_parse("bad.npy", bytes, count, &array, &error), &error,
                       wanted[i][1]);
    }
}

static void hostile_prefixes(void **state)
{
    (void)state;
    unsigned char bytes[256];
    uint64_t count =
        compose(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16);
    struct gr_npy array;
    struct gradus_error error = {0};
    assert_int_equal(gr_npy_parse("x", bytes, count, &array, &error), GRADUS_OK);
    for (uint64_t cut = 0; cut < count;
         cut++) /* cut short anywhere; exactly sized, so that ASan sees */
    {
        unsigned char *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, cut);
        const char *what = cut < 6            ? "magic: "
                           : cut < 8          ? "version: "
                           : cut < count - 16 ? "header length: "
                                              : "data: ";
        expect_refused("x", gr_npy_parse("x", copy, cut, &array, &error), &error, what);
        free(copy);
    }
    const struct {
        int at;
        unsigned char value;
        const char *text;
    } wanted[] = {{0, 'x', "magic: found other bytes"},
                  {6, 0, "version: found 0.0"},
                  {6, 4, "version: found 4.0"},
                  {7, 1, "version: found 1.1"},
                  {9, 0xff, "header length: found 65"},
                  {6, 2, "header length"},
                  {8, 10, "header"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        unsigned char keep = bytes[wanted[i].at];
        bytes[wanted[i].at] = wanted[i].value;
        expect_refused("x", gr_npy_parse("x", bytes, count, &array, &error), &error,
                       wanted[i].text);
        bytes[wanted[i].at] = keep;
    }
}

/* Random bytes over a good file: whatever comes out is refused, or lies within the file. */
static void mutations(void **state)
{
    (void)state;
    unsigned char good[256];
    uint64_t count =
        compose(good, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48);
    struct gr_rng rng = {3};
    int accepted = 0;
    for (int round = 0; round < 20000; round++) {
        unsigned char *bytes = malloc(count);
        assert_non_null(bytes);
        memcpy(bytes, good, count);
        for (uint64_t n = gr_rng_next(&rng) % 4 + 1; n-- > 0;)
            bytes[gr_rng_next(&rng) % count] = "\0\xff'(){},:L0129 fTrue"[gr_rng_next(&rng) % 20];
        struct gr_npy array;
        struct gradus_error error = {0};
        if (gr_npy_parse("x", bytes, count, &array, &error) == GRADUS_OK) {
            accepted++;
            const unsigned char *first = array.elements;
            uint64_t size = (uint64_t)(array.rows * array.cols) * gr_dtype_bytes(array.type);
            assert_true(first >= bytes && size <= (uint64_t)(bytes + count - first));
        } else {
            assert_null(strchr(error.text, '\n'));
        }
        free(bytes);
    }
    assert_true(accepted > 100 && accepted < 19000);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char path[] = "/tmp/gradus-npy-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    const int64_t shapes[][3] = {{2, 3, 4}, {1, 5, 1}, {0, 1, 1}, {2, 0, 7}, {2, 100000, 2}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int64_t rows = shapes[i][1], cols = shapes[i][2];
        double *elements = calloc((size_t)(rows * cols) + 1, sizeof *elements);
        assert_non_null(elements);
        gr_fill_matrix(GR_FILL_UNIFORM, 1, GR_F64, rows, cols, cols, elements);
        FILE *f = fopen(path, "wb");
        assert_int_equal(gr_npy_write(f, GR_F64, (int)shapes[i][0], rows, cols, elements, NULL),
                         GRADUS_OK);
        fclose(f);
        struct gr_npy array;
        assert_int_equal(gr_npy_open(path, &array, NULL), GRADUS_OK);
        assert_true(array.rank == shapes[i][0] && array.rows == rows && array.cols == cols);
        assert_true(((const char *)array.elements - (const char *)array.mapping) % 64 == 0);
        assert_memory_equal(array.elements, elements, (size_t)(rows * cols) * 8);
        gr_npy_close(&array);
        free(elements);
    }
    unlink(path);
    FILE *full = fopen("/dev/full", "wb");
    if (full) {
        static const double big[20000];
        struct gradus_error error = {0};
        assert_int_equal(gr_npy_write(full, GR_F64, 1, 20000, 1, big, &error), GRADUS_IO);
        assert_non_null(strstr(error.text, "No space left"));
        fclose(full);
    }
    assert_int_equal(gr_npy_write(stdout, GR_S8, 2, 1, 1, "", NULL), GRADUS_INVALID);
}

static void what_is_no_file(void **state)
{
    (void)state;
    struct gr_npy array;
    struct gradus_error error = {0};
    assert_int_equal(gr_npy_open("/nonexistent.npy", &array, &error), GRADUS_NOT_FOUND);
    expect_refused("/tmp", gr_npy_open("/tmp", &array, &error), &error, "found a directory");
    expect_refused("/dev/zero", gr_npy_open("/dev/zero", &array, &error), &error, "found a device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpys_own_files),
        cmocka_unit_test(ranks_and_empty_shapes),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(headers_python_would_accept),
        cmocka_unit_test(hostile_headers),
        cmocka_unit_test(hostile_prefixes),
        cmocka_unit_test(mutations),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
