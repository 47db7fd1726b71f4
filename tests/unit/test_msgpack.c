/* test_msgpack.c: MessagePack of every kind, cut short at every byte, and made to mislead.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "code/msgpack.h"

#include <stdlib.h>
#include <string.h>

/* The first item of some bytes, all of which it takes. */
static struct gr_msgpack_item only(const char *bytes, size_t count)
{
    struct gr_msgpack m = {(const unsigned char *)bytes, (const unsigned char *)bytes + count};
    struct gr_msgpack_item item;
    assert_true(gr_msgpack_next(&m, &item));
    assert_ptr_equal(m.at, m.end);
    /* Cut short, it is refused. */
    for (size_t cut = 0; cut < count; cut++) {
        struct gr_msgpack_item part;
        struct gr_msgpack less = {(const unsigned char *)bytes, (const unsigned char *)bytes + cut};
        assert_false(gr_msgpack_next(&less, &part));
    }
    return item;
}

#define ONLY(bytes) only(bytes, sizeof bytes - 1)

static void numbers_of_every_size(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t count;
        int64_t value;
    } rows[] = {{"\x00", 1, 0},
                {"\x7f", 1, 127},
                {"\xff", 1, -1},
                {"\xe0", 1, -32},
                {"\xcc\xff", 2, 255},
                {"\xcd\x01\x02", 3, 258},
                {"\xce\xff\xff\xff\xff", 5, 4294967295},
                {"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9, 4294967296},
                {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, INT64_MAX},
                {"\xd0\x80", 2, -128},
                {"\xd1\xff\xfe", 3, -2},
                {"\xd2\x80\x00\x00\x00", 5, -2147483648LL},
                {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9, INT64_MIN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gr_msgpack_item item = only(rows[i].bytes, rows[i].count);
        assert_int_equal(item.kind, GR_MSGPACK_INTEGER);
        assert_true(item.number == rows[i].value);
    }
}

static void other_kinds(void **state)
{
    (void)state;
    assert_int_equal(ONLY("\xc0").kind, GR_MSGPACK_NIL);
    assert_int_equal(ONLY("\xc2").number, 0);
    assert_int_equal(ONLY("\xc3").number, 1);
    assert_int_equal(ONLY("\xca\x3f\x80\x00\x00").kind, GR_MSGPACK_FLOAT);
    assert_int_equal(ONLY("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00").kind, GR_MSGPACK_FLOAT);
    struct gr_msgpack_item item = ONLY("\xa3"
                                       "abc");
    assert_true(gr_msgpack_is(&item, "abc") && !gr_msgpack_is(&item, "abcd"));
    item = ONLY("\xd9\x02hi");
    assert_true(gr_msgpack_is(&item, "hi"));
    item = ONLY("\xda\x00\x02hi");
    assert_true(gr_msgpack_is(&item, "hi"));
    item = ONLY("\xdb\x00\x00\x00\x02hi");
    assert_true(gr_msgpack_is(&item, "hi"));
    item = ONLY("\xc4\x02hi");
    assert_true(item.kind == GR_MSGPACK_BYTES && item.length == 2);
    item = ONLY("\xd5\x01hi");
    assert_true(item.kind == GR_MSGPACK_BYTES && item.length == 3);
    item = ONLY("\xc7\x02\x01hi");
    assert_true(item.kind == GR_MSGPACK_BYTES && item.length == 3);
    assert_int_equal(ONLY("\x92").count, 2);
    assert_int_equal(ONLY("\xdc\x01\x00").count, 256);
    assert_int_equal(ONLY("\xdd\x00\x01\x00\x00").count, 65536);
    item = ONLY("\x83");
    assert_true(item.kind == GR_MSGPACK_MAP && item.count == 3);
    assert_int_equal(ONLY("\xde\x01\x00").count, 256);
    item = ONLY("\xdf\x00\x01\x00\x00");
    assert_true(item.kind == GR_MSGPACK_MAP && item.count == 65536);
    struct gr_msgpack never = {(const unsigned char *)"\xc1", (const unsigned char *)"\xc1" + 1};
    assert_false(gr_msgpack_next(&never, &item));
}

static bool skips(const char *bytes, size_t count, size_t wanted)
{
    struct gr_msgpack m = {(const unsigned char *)bytes, (const unsigned char *)bytes + count};
    return gr_msgpack_skip(&m) && (size_t)(m.at - (const unsigned char *)bytes) == wanted;
}

static void values_are_skipped_whole(void **state)
{
    (void)state;
    static const char value[] = "\x82\xa1"
                                "a\x93\x01\x02\x03\xa1"
                                "b\x81\xc0\x90\x07";
    const size_t count = sizeof value - 1;
    assert_true(skips(value, count, count - 1)); /* the 7 is the next value */
    for (size_t cut = 0; cut < count - 1; cut++)
        assert_false(skips(value, cut, cut));
}

/* Lists within lists take no stack, and a count beyond the bytes is refused at once. */
static void hostile_ones(void **state)
{
    (void)state;
    enum { DEEP = 1 << 20 };
    char *deep = malloc(DEEP);
    assert_non_null(deep);
    memset(deep, '\x91', DEEP);
    assert_false(skips(deep, DEEP, DEEP));
    deep[DEEP - 1] = 0;
    assert_true(skips(deep, DEEP, DEEP));
    free(deep);
    static const char many[] = "\xdd\xff\xff\xff\xff\x00\x00";
    assert_false(skips(many, sizeof many - 1, sizeof many - 1));
    static const char pairs[] = "\xdf\xff\xff\xff\xff\x00\x00";
    assert_false(skips(pairs, sizeof pairs - 1, sizeof pairs - 1));
    static const char text[] = "\xdb\xff\xff\xff\xffhi";
    assert_false(skips(text, sizeof text - 1, sizeof text - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_size),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(values_are_skipped_whole),
        cmocka_unit_test(hostile_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
