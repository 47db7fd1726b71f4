/* test_cli_diff.c: a diff, applied, gives the other text; and it is as short as one can be.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "cli/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *diff(const char *before, const char *after, int context)
{
    struct gr_str out = {0};
    struct gradus_error error = {0};
    assert_int_equal(
        gr_diff_unified("before", before, "after", after, context, false, &out, &error), GRADUS_OK);
    if (!out.text)
        gr_str_add(&out, "");
    return out.text;
}

static const char *next_line(const char *text)
{
    return text + strcspn(text, "\n") + 1;
}

/* What `patch` does, strictly: positions and context must fit. Whole lines only. */
static char *apply(const char *text, const char *diff_text)
{
    struct gr_str out = {0};
    gr_str_add(&out, "");
    int line = 1;
    const char *p = *diff_text ? next_line(next_line(diff_text)) : "";
    while (*p) {
        int from, count = 1;
        assert_int_equal(strncmp(p, "@@ -", 4), 0);
        sscanf(p, "@@ -%d,%d", &from, &count);
        if (count == 0)
            from++;
        for (; line < from; line++, text = next_line(text))
            gr_str_add_bytes(&out, text, (size_t)(next_line(text) - text));
        assert_int_equal(line, from);
        for (p = next_line(p); *p && *p != '@'; p = next_line(p)) {
            size_t length = (size_t)(next_line(p) - p - 1);
            if (*p != '+') {
                assert_int_equal(strncmp(text, p + 1, length), 0);
                text += length;
                line++;
            }
            if (*p != '-')
                gr_str_add_bytes(&out, p + 1, length);
        }
    }
    gr_str_add(&out, text);
    return out.text;
}

static int changes(const char *diff_text)
{
    int count = 0;
    for (const char *p = *diff_text ? next_line(next_line(diff_text)) : ""; *p; p = next_line(p))
        count += *p == '+' || *p == '-';
    return count;
}

enum { MOST = 24 };

/* Up to MOST lines out of few different ones, so that many match. */
static int random_text(struct gr_rng *rng, char *text)
{
    int count = (int)(gr_rng_next(rng) % (MOST + 1));
    for (int i = 0; i < count; i++) {
        text[2 * i] = (char)('a' + gr_rng_next(rng) % 4);
        text[2 * i + 1] = '\n';
    }
    text[2 * count] = 0;
    return count;
}

static int lcs_by_table(const char *a, int a_count, const char *b, int b_count)
{
    int table[MOST + 1][MOST + 1] = {0};
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++) {
            int up = table[i][j + 1], left = table[i + 1][j];
            table[i + 1][j + 1] = a[2 * i] == b[2 * j] ? table[i][j] + 1 : (up > left ? up : left);
        }
    return table[a_count][b_count];
}

static void applied_it_gives_the_other_text(void **state)
{
    (void)state;
    struct gr_rng rng = {7};
    for (int i = 0; i < 3000; i++) {
        char a[2 * MOST + 1], b[2 * MOST + 1];
        int a_count = random_text(&rng, a), b_count = random_text(&rng, b);
        char *text = diff(a, b, i % 4), *back = apply(a, text);
        assert_string_equal(back, b);
        assert_int_equal(changes(text),
                         a_count + b_count - 2 * lcs_by_table(a, a_count, b, b_count));
        free(text);
        free(back);
    }
}

static void looks_like_diff_u(void **state)
{
    (void)state;
    char *text = diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n", 3);
    assert_string_equal(text, "--- before\n+++ after\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n"
                              " 7\n 8\n 9\n+10\n");
    free(text);
    text = diff("", "x\n", 3);
    assert_string_equal(text, "--- before\n+++ after\n@@ -0,0 +1 @@\n+x\n");
    free(text);
    text = diff("x\ny\n", "x\ny", 3);
    assert_string_equal(
        text, "--- before\n+++ after\n@@ -1,2 +1,2 @@\n x\n-y\n+y\n\\ No newline at end of file\n");
    free(text);
    text = diff("same\n", "same\n", 3);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applied_it_gives_the_other_text),
        cmocka_unit_test(looks_like_diff_u),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
