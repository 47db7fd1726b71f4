/* test_json_out.c: JSON written value by value: its layout, its strings and its numbers.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "io/json_out.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect(struct gr_str *out, const char *wanted)
{
    assert_false(out->failed);
    assert_string_equal(gr_str_text(out), wanted);
    gr_str_free(out);
}

static void layouts(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "{\n  \"a\": [1, 2, {\n      \"b\": null\n    }],\n  \"c\": {\"d\": true, \"e\": []},\n"
        "  \"f\": [\n    false\n  ],\n  \"g\": {}\n}",
        "{\n\t\"a\":\t[1, 2, {\n\t\t\t\"b\":\tnull\n\t\t}],\n\t\"c\":\t{\"d\":\ttrue, "
        "\"e\":\t[]},\n"
        "\t\"f\":\t[\n\t\tfalse\n\t],\n\t\"g\":\t{}\n}"};
    for (int tabs = 0; tabs < 2; tabs++) {
        struct gr_str out = {0};
        struct gr_json w = {.out = &out, .tabs = tabs};
        gr_json_open_object(&w, NULL, GR_JSON_LINES);
        gr_json_open_array(&w, "a", GR_JSON_ONE_LINE);
        gr_json_put_whole(&w, NULL, 1);
        gr_json_put_real(&w, NULL, 2);
        gr_json_open_object(&w, NULL, GR_JSON_LINES);
        gr_json_put_null(&w, "b");
        gr_json_close(&w);
        gr_json_close(&w);
        gr_json_open_object(&w, "c", GR_JSON_ONE_LINE);
        gr_json_put_bool(&w, "d", true);
        gr_json_open_array(&w, "e", GR_JSON_LINES);
        gr_json_close(&w);
        gr_json_close(&w);
        gr_json_open_array(&w, "f", GR_JSON_LINES);
        gr_json_put_bool(&w, NULL, false);
        gr_json_close(&w);
        gr_json_open_object(&w, "g", GR_JSON_LINES);
        gr_json_close(&w);
        gr_json_close(&w);
        expect(&out, wanted[tabs]);
    }
}

static void expect_text(const char *text, bool for_html, const char *wanted)
{
    struct gr_str out = {0};
    struct gr_json w = {.out = &out, .for_html = for_html};
    gr_json_put_text(&w, NULL, text);
    expect(&out, wanted);
}

static void strings(void **state)
{
    (void)state;
    expect_text(NULL, false, "null");
    expect_text("", false, "\"\"");
    expect_text("a\"b\\c/d", false, "\"a\\\"b\\\\c/d\"");
    expect_text("\b\f\n\r\t", false, "\"\\b\\f\\n\\r\\t\"");
    expect_text("\x01\x1b\x1f\x7f", false, "\"\\u0001\\u001b\\u001f\x7f\"");
    expect_text("\xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80", false,
                "\"\xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x98\x80\"");
    /* A stray byte, an overlong slash, a surrogate, a character cut short. */
    expect_text("\xFFx\xC0\xAFy\xED\xA0\x80z\xE2\x80", false,
                "\"\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBDy\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\xEF"
                "\xBF\xBD\xEF\xBF\xBD\"");
    expect_text("</script><!--", false, "\"</script><!--\"");
}

/* In a <script> element nothing may end it, and no JavaScript may see a line end within a string.
 */
static void strings_for_html(void **state)
{
    (void)state;
    expect_text("</script><!--", true, "\"\\u003c/script>\\u003c!--\"");
    expect_text("\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", true, "\"\\u2028\\u2029\xE2\x80\xAA\"");
}

static void names_are_strings(void **state)
{
    (void)state;
    struct gr_str out = {0};
    struct gr_json w = {.out = &out};
    gr_json_open_object(&w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_text(&w, "a\"\n\xFF", "b");
    gr_json_close(&w);
    expect(&out, "{\"a\\\"\\n\xEF\xBF\xBD\": \"b\"}");
}

static void expect_real(double x, const char *wanted)
{
    struct gr_str out = {0};
    struct gr_json w = {.out = &out};
    gr_json_put_real(&w, NULL, x);
    expect(&out, wanted);
}

static void reals(void **state)
{
    (void)state;
    expect_real(0, "0");
    expect_real(64, "64");
    expect_real(0.1, "0.1");
    expect_real(1.0 / 3, "0.3333333333333333");
    expect_real(0.1 + 0.2, "0.30000000000000004");
    expect_real(-2.5e-10, "-2.5e-10");
    expect_real(DBL_MAX, "1.7976931348623157e+308");
    expect_real(4.9406564584124654e-324, "4.94065645841247e-324");
    expect_real(NAN, "null");
    expect_real(INFINITY, "null");
    expect_real(-INFINITY, "null");
}

/* Any double is read back as it was, by the C library's reader. */
static void reals_come_back(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 5};
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = gr_rng_next(&rng);
        struct gr_str out = {0};
        struct gr_json w = {.out = &out};
        double x;
        memcpy(&x, &bits, sizeof x);
        gr_json_put_real(&w, NULL, x);
        if (isfinite(x))
            assert_true(strtod(gr_str_text(&out), NULL) == x);
        else
            assert_string_equal(gr_str_text(&out), "null");
        gr_str_free(&out);
    }
}

static void wholes(void **state)
{
    (void)state;
    struct gr_str out = {0};
    struct gr_json w = {.out = &out};
    gr_json_open_array(&w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_whole(&w, NULL, INT64_MAX);
    gr_json_put_whole(&w, NULL, INT64_MIN);
    gr_json_put_whole(&w, NULL, 9007199254740993);
    gr_json_close(&w);
    expect(&out, "[9223372036854775807, -9223372036854775808, 9007199254740993]");
}

/* Nested deeper than it can hold, a document fails as a whole, and nothing is written beyond. */
static void too_deep(void **state)
{
    (void)state;
    for (int levels = GR_JSON_DEEPEST; levels < GR_JSON_DEEPEST + 3; levels++) {
        struct gr_str out = {0};
        struct gr_json w = {.out = &out};
        for (int i = 0; i < levels; i++)
            gr_json_open_array(&w, NULL, GR_JSON_LINES);
        gr_json_put_null(&w, NULL);
        for (int i = 0; i < levels; i++)
            gr_json_close(&w);
        assert_int_equal(out.failed, levels > GR_JSON_DEEPEST);
        assert_int_equal(w.depth, 0);
        gr_str_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(strings),
        cmocka_unit_test(strings_for_html),
        cmocka_unit_test(names_are_strings),
        cmocka_unit_test(reals),
        cmocka_unit_test(reals_come_back),
        cmocka_unit_test(wholes),
        cmocka_unit_test(too_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
