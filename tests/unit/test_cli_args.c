/* test_cli_args.c: the parser of the command line, quoting and wrapping. SPDX-License-Identifier:
 * MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/args.h"
#include "base/text.h"
#include "io/json_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gr_option options[] = {
    {"size", 's', "N", true, "a size"},
    {"output", 'o', "FILE", false, "where to"},
    {"format", 0, "table|json|md", false, "how"},
    {"verbose", 'v', NULL, false, "say more"},
    {0},
};
static const struct gr_verb verb = {.name = "try", .operands = "FILE [FILE…]", .options = options};

static struct gr_args args;
static struct gradus_error error;

/* Parses a line of words separated by blanks; the words live until the next call. */
static enum gradus_status parse_by(const struct gr_verb *by, const char *line)
{
    static char *words[32];
    static char copy[256];
    int count = 0;
    gr_args_free(&args);
    strcpy(copy, line);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));)
        if (*word || (rest && *line))
            words[count++] = word;
    return gr_args_parse(by, count, words, line, &args, &error);
}

static enum gradus_status parse(const char *line)
{
    return parse_by(&verb, line);
}

static void values_in_every_spelling(void **state)
{
    (void)state;
    assert_int_equal(parse("a --size 3 -s4 -s 5 --size=6 -vo x b --output=y"), GRADUS_OK);
    assert_int_equal(args.operand_count, 2);
    assert_string_equal(args.operands[1], "b");
    for (int i = 0; i < 4; i++) {
        const char digit[2] = {(char)('3' + i), 0};
        assert_string_equal(gr_args_get_at(&args, "size", i), digit);
    }
    assert_null(gr_args_get_at(&args, "size", 4));
    assert_string_equal(gr_args_get(&args, "size"), "6");
    assert_string_equal(gr_args_get(&args, "output"), "y");
    assert_string_equal(gr_args_get(&args, "verbose"), "");
    assert_null(gr_args_get(&args, "format"));
}

static void odd_words(void **state)
{
    (void)state;
    assert_int_equal(parse("- --size -1.5 -o- --output= -- --size -v"), GRADUS_OK);
    assert_int_equal(args.operand_count, 3);
    assert_string_equal(args.operands[0], "-");
    assert_string_equal(args.operands[1], "--size");
    assert_string_equal(gr_args_get(&args, "size"), "-1.5");
    assert_string_equal(gr_args_get_at(&args, "output", 0), "-");
    assert_string_equal(gr_args_get(&args, "output"), "");
    assert_null(gr_args_get(&args, "verbose"));
    assert_int_equal(parse("a -vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"), GRADUS_OK);
    assert_int_equal(args.given_count, 36);
}

static void refusals_name_the_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *line, *found, *wanted;
    } bad[] = {
        {"a --siz 3", "'--siz'", "'--size'"},
        {"a --siz=3", "'--siz'", "'--size'"},
        {"a -x", "'-x'", "--help"},
        {"a --verbose=yes", "'yes'", "takes no value"},
        {"a --size", "--size", "--size N"},
        {"a -vs", "--size", "--size N"},
        {"a --format jsn", "'jsn'", "did you mean 'json'?"},
        {"a --format=", "''", "table|json|md"},
        {"--size 3", "0 operands", "gradus try FILE [FILE…]"},
        {"a --", "", ""},
    };
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse(bad[i].line), GRADUS_INVALID);
        assert_non_null(strstr(error.text, bad[i].found));
        assert_non_null(strstr(error.text, bad[i].wanted));
        assert_null(strchr(error.text, '\n'));
    }
    assert_int_equal(parse("a --"), GRADUS_OK);
}

static void operands_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *operands;
        int least, most;
    } cases[] = {{NULL, 0, 0},
                 {"", 0, 0},
                 {"FILE", 1, 1},
                 {"[VERB]", 0, 1},
                 {"A.npy B.npy", 2, 2},
                 {"A [B [C]]", 1, 3},
                 {"[FILE…]", 0, 9},
                 {"FILE...", 1, 9},
                 {"FILE.c [FILE2.c …]", 1, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_verb counted = {.name = "count", .operands = cases[i].operands};
        const char *words = "a b c d e f g h i";
        for (int count = 0; count <= 9; count++) {
            char line[32];
            snprintf(line, sizeof line, "%.*s", count ? 2 * count - 1 : 0, words);
            bool right = count >= cases[i].least && count <= cases[i].most;
            assert_int_equal(parse_by(&counted, line), right ? GRADUS_OK : GRADUS_INVALID);
        }
    }
}

static void help_is_asked_for(void **state)
{
    (void)state;
    char *before[] = {"a", "-h"}, *after[] = {"--", "--help"};
    assert_true(gr_args_requests_help(&verb, 2, before));
    assert_false(gr_args_requests_help(&verb, 2, after));
}

/* Behind a program's name, every word is the program's. */
static void words_passed_on(void **state)
{
    (void)state;
    struct gr_verb runner = verb;
    runner.passes_on = true;
    assert_int_equal(parse_by(&runner, "-v --size 3 prog --size 4 -x -- --help"), GRADUS_OK);
    assert_int_equal(args.operand_count, 6);
    assert_string_equal(args.operands[0], "prog");
    assert_string_equal(args.operands[3], "-x");
    assert_string_equal(args.operands[4], "--");
    assert_null(gr_args_get_at(&args, "size", 1));
    assert_int_equal(parse_by(&runner, "-v -- -prog -v"), GRADUS_OK);
    assert_int_equal(args.operand_count, 2);
    char *ours[] = {"-v", "--help", "prog"}, *theirs[] = {"-v", "prog", "--help"};
    assert_true(gr_args_requests_help(&runner, 3, ours));
    assert_false(gr_args_requests_help(&runner, 3, theirs));
}

static void words_quoted_for_a_shell(void **state)
{
    (void)state;
    char *words[] = {"gradus", "a b", "it's", "", "$HOME", "--grid=cdiv(N,32)", "8x8"};
    struct gr_str out = {0};
    gr_text_quote(&out, 7, words);
    assert_string_equal(out.text, "gradus 'a b' 'it'\\''s' '' '$HOME' '--grid=cdiv(N,32)' 8x8");
    gr_str_free(&out);
}

static void lines_wrap(void **state)
{
    (void)state;
    struct gr_str out = {0};
    gr_text_paragraphs(&out, "one two three\nfour … five\n\n  kept   as it is, however long\nsix\n",
                       10);
    assert_string_equal(out.text,
                        "one two\nthree four\n… five\n\n  kept   as it is, however long\nsix\n");
    gr_str_free(&out);
    gr_text_wrap(&out, "aaa bbb ccc", 11, 4, 11);
    assert_string_equal(out.text, "aaa bbb\n    ccc\n");
    gr_str_free(&out);
    gr_json_add_text(&out, "\"a\\\n\t\x01é");
    assert_string_equal(out.text, "\"\\\"a\\\\\\n\\t\\u0001é\"");
    gr_str_free(&out);
}

static int release(void **state)
{
    (void)state;
    gr_args_free(&args);
    gradus_error_clear(&error);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_in_every_spelling),  cmocka_unit_test(odd_words),
        cmocka_unit_test(refusals_name_the_nearest), cmocka_unit_test(operands_are_counted),
        cmocka_unit_test(help_is_asked_for),         cmocka_unit_test(words_passed_on),
        cmocka_unit_test(words_quoted_for_a_shell),  cmocka_unit_test(lines_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
