/* test_lineprogram.c: every operation of a line number program, and what is said of a program that
 * cannot be, with objects made here. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/lines.h"

#include <string.h>

static void put(unsigned char *at, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

enum { TEXT_AT = 0x1000, TEXT_BYTES = 0x1000 };

/* A linked object: its code from 0x1000 to 0x2000, and one unit of version 2, whose program is
 * given; line base -5, range 14, operations up to 13, of which the last takes two numbers. */
struct object {
    unsigned char bytes[2048];
    size_t length, unit;
};

static void make(struct object *object, const void *program, size_t count)
{
    static const char names[] = "\0.names\0.text\0.debug_line";
    static const unsigned char head[] = {4,   1, 0xfb, 14, 14, 0,   1,   1,   1, 1, 0,   0,   0,
                                         1,   0, 0,    1,  2,  'd', 'i', 'r', 0, 0, 'a', '.', 'c',
                                         'u', 0, 1,    0,  0,  'b', 0,   0,   0, 0, 0};
    unsigned char *b = object->bytes;
    memset(object, 0, sizeof *object);
    memcpy(b, "\177ELF\2\1\1", 7);
    put(b + 18, 62, 2);
    memcpy(b + 64, names, sizeof names);
    object->unit = 64 + sizeof names;
    unsigned char *unit = b + object->unit;
    put(unit, 6 + sizeof head + count, 4);
    put(unit + 4, 2, 2);
    put(unit + 6, sizeof head, 4);
    memcpy(unit + 10, head, sizeof head);
    memcpy(unit + 10 + sizeof head, program, count);
    size_t size = 10 + sizeof head + count, table = object->unit + size;
    unsigned char *h = b + table;
    put(b + 40, table, 8);
    put(b + 58, 64, 2);
    put(b + 60, 4, 2);
    put(b + 62, 1, 2);
    put(h + 64, 1, 4);
    put(h + 64 + 24, 64, 8);
    put(h + 64 + 32, sizeof names, 8);
    put(h + 128, 8, 4);
    put(h + 128 + 4, 8, 4); /* without bytes */
    put(h + 128 + 8, 4, 8);
    put(h + 128 + 16, TEXT_AT, 8);
    put(h + 128 + 32, TEXT_BYTES, 8);
    put(h + 192, 14, 4);
    put(h + 192 + 24, object->unit, 8);
    put(h + 192 + 32, size, 8);
    object->length = table + 256;
}

#define SET_ADDRESS(low, high) 0, 9, 2, low, high, 0, 0, 0, 0, 0, 0
#define END 0, 1, 1

static void every_operation(void **state)
{
    (void)state;
    static const unsigned char program[] = {
        SET_ADDRESS(0, 0x14),
        3,
        9,
        1,
        END, /* one row without code: nothing */
        SET_ADDRESS(0, 0x12),
        1, /* 0x1200: line 1 of dir/a.cu */
        1,
        3,
        0xe3,
        0,
        1, /* the same place again: line 100 */
        5,
        7,
        4,
        2,
        14 + 14 + 7, /* 0x1204: line 102, column 7, b */
        8,
        3,
        0x7e,
        6,
        7,
        10,
        11,
        1, /* 17 * 4 on: 0x1248, line 100 */
        9,
        0x34,
        0x12,
        1, /* 0x247c: beyond the code, but so it is told */
        0,
        3,
        4,
        1,
        2, /* a discriminator */
        0,
        7,
        3,
        '/',
        'c',
        0,
        0,
        0,
        0, /* a file: 3 */
        4,
        3,
        2,
        0x81,
        1,
        1, /* 129 * 4 on: 0x2680 */
        13,
        0x80,
        1,
        5, /* nobody's operation: two numbers */
        4,
        9,
        2,
        1,
        1, /* no such file: 0x2684 */
        0,
        4,
        0x80,
        1,
        2,
        3, /* nobody's long operation */
        2,
        1,
        END, /* 0x2688 */
        SET_ADDRESS(0, 0),
        1,
        2,
        9,
        END, /* what the linker left out */
        SET_ADDRESS(0, 0x10),
        1,
        2,
        0x80,
        1,
        END, /* ends where the first begins */
    };
    struct object object;
    struct gr_line_table lines;
    make(&object, program, sizeof program);
    assert_int_equal(gr_line_table_read(object.bytes, object.length, &lines, NULL), GRADUS_OK);
    static const struct gr_line_row wanted[] = {
        {.address = 0x1000, .line = 1},
        {.address = 0x1200, .line = 1, .end = true},
        {.address = 0x1200, .line = 100},
        {.address = 0x1204, .line = 102, .column = 7, .file = 1},
        {.address = 0x1248, .line = 100, .column = 7, .file = 1},
        {.address = 0x247c, .line = 100, .column = 7, .file = 1},
        {.address = 0x2680, .line = 100, .column = 7, .file = 2},
        {.address = 0x2684, .line = 100, .column = 7, .file = -1},
        {.address = 0x2688, .line = 100, .column = 7, .file = -1, .end = true},
    };
    assert_int_equal(lines.count, sizeof wanted / sizeof *wanted);
    for (int i = 0; i < (int)lines.count; i++) {
        const struct gr_line_row *row = &lines.rows[i];
        if (row->address != wanted[i].address || row->line != wanted[i].line ||
            row->file != wanted[i].file || row->column != wanted[i].column ||
            row->end != wanted[i].end || row->section != 0 || row->call_line != 0)
            fail_msg("row %d: 0x%llx line %d column %d file %d", i,
                     (unsigned long long)row->address, row->line, row->column, row->file);
    }
    assert_int_equal(lines.file_count, 3);
    assert_string_equal(lines.files[0], "dir/a.cu");
    assert_string_equal(lines.files[1], "b");
    assert_string_equal(lines.files[2], "/c");
    assert_null(gr_line_table_find(&lines, 0, 0xfff));
    assert_int_equal(gr_line_table_find(&lines, 0, 0x11ff)->line, 1);
    assert_int_equal(gr_line_table_find(&lines, 0, 0x1200)->line, 100);
    assert_null(gr_line_table_find(&lines, 0, 0x2688));
    gr_line_table_free(&lines);
}

static void expect_refusal(const struct object *object, const char *wanted)
{
    struct gr_line_table lines;
    struct gradus_error error = {0};
    assert_int_equal(gr_line_table_read(object->bytes, object->length, &lines, &error),
                     GRADUS_INVALID);
    if (!strstr(error.text, wanted))
        fail_msg("'%s' is not in: %s", wanted, error.text);
    assert_null(lines.rows);
}

/* The unit's bytes at `at` replaced. */
static void expect_damage(size_t at, uint64_t value, int count, const char *wanted)
{
    static const unsigned char program[] = {SET_ADDRESS(0, 0x10), 1, 2, 1, END};
    struct object object;
    make(&object, program, sizeof program);
    put(object.bytes + object.unit + at, value, count);
    expect_refusal(&object, wanted);
}

static void damage_is_named(void **state)
{
    (void)state;
    static const unsigned char open_ended[] = {SET_ADDRESS(0, 0x10), 1}, cut[] = {3, 0x80},
                               cut_long[] = {0, 9, 2};
    struct object object;
    expect_damage(0, 9999, 4, "ends after the end at byte 4 ");
    expect_damage(4, 1, 2, "version that is not 2 to 5");
    expect_damage(4, 6, 2, "version that is not 2 to 5");
    expect_damage(6, 9999, 4, "header that ends after the end");
    expect_damage(6, 20, 4, "a cut");
    expect_damage(13, 0, 1, "header that cannot be");
    expect_damage(14, 0, 1, "header that cannot be");
    make(&object, open_ended, sizeof open_ended);
    expect_refusal(&object, "code without an end");
    make(&object, cut, sizeof cut);
    expect_refusal(&object, "a cut operation");
    make(&object, cut_long, sizeof cut_long);
    expect_refusal(&object, "a cut operation");
    make(&object, "", 0);
    object.bytes[0] = 'x';
    expect_refusal(&object, "line table: not a 64-bit little-endian ELF file");
    make(&object, "", 0);
    put(object.bytes + object.length - 64 + 8, 0x800, 8);
    expect_refusal(&object, "compressed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(damage_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
