/* test_expr.c: the expressions of the front matter. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"M", "BM", "alpha", "big", "regs"};

static bool value_of(void *context, const char *name, double *value)
{
    (void)context;
    const double values[] = {100, 64, 1.5, 0x1p62, 168};
    for (int i = 0; i < 5; i++) {
        if (strcmp(names[i], name) == 0) {
            *value = values[i];
            return true;
        }
    }
    if (strcmp(name, "global.loads.sectors_per_request[A]") == 0) {
        *value = 4.5;
        return true;
    }
    return false;
}

static bool address_of(void *context, const char *name, uint64_t *address)
{
    (void)context;
    *address = *name == 'A' ? 4096 + 32 : 4096 + 4;
    return true;
}

static const struct gr_scope scope = {value_of, address_of, NULL, names, 5};

static void check_value(const char *text, int64_t wanted)
{
    struct gr_text expression = {(char *)(uintptr_t)text, {NULL, 7, 11}};
    struct gradus_error error = {0};
    int64_t value;
    if (gr_expr_integer("k.cu", &expression, &scope, &value, &error) != GRADUS_OK)
        fail_msg("%s: %s", text, error.text);
    if (value != wanted)
        fail_msg("%s is %" PRId64 ", wanted %" PRId64, text, value, wanted);
}

static void check_error(const char *text, const char *wanted)
{
    struct gr_text expression = {(char *)(uintptr_t)text, {NULL, 7, 11}};
    struct gradus_error error = {0};
    int64_t value;
    assert_int_equal(gr_expr_integer("k.cu", &expression, &scope, &value, &error), GRADUS_INVALID);
    assert_string_equal(error.text, wanted);
    gradus_error_clear(&error);
}

static void integers(void **state)
{
    (void)state;
    check_value("1", 1);
    check_value(" 0x1F ", 31);
    check_value("1+2*3", 7);
    check_value("(1+2)*3", 9);
    check_value("10-3-2", 5);
    check_value("100/7/2", 7);
    check_value("-7/2", -3);
    check_value("-7%3", -1);
    check_value("- -3", 3);
    check_value("2*-3", -6);
    check_value("M%BM==0", 0);
    check_value("M % BM", 36);
    check_value("9 + 7 % 4", 12);
    check_value("1<2 == 1", 1);
    check_value("3 > 2 > 1", 0);
    check_value("!0 && !(1==2)", 1);
    check_value("1 || 0 && 0", 1);
    check_value("!M", 0);
    check_value("1 != 1", 0);
    check_value("7 >= 7", 1);
    check_value("7 <= 6", 0);
    check_value("9223372036854775807", INT64_MAX);
    check_value("-9223372036854775807-1", INT64_MIN);
}

static void functions(void **state)
{
    (void)state;
    check_value("cdiv(M, BM)", 2);
    check_value("cdiv(128,64)", 2);
    check_value("cdiv(0,64)", 0);
    check_value("cdiv(-7,2)", -3);
    check_value("cdiv(-7,-2)", 4);
    check_value("min(3,M) + max(3,M)", 103);
    check_value("clamp(5,1,32)", 5);
    check_value("clamp(0,1,32)", 1);
    check_value("clamp(99,1,32)", 32);
    check_value("aligned(A,32)", 1);
    check_value("aligned(A, 64)", 0);
    check_value("aligned(B,4) && !aligned(B,8)", 1);
    check_value("max(min(1,2),cdiv(9,min(2,3)))", 5);
}

static void real_names_in_integers(void **state)
{
    (void)state;
    check_value("alpha == 1", 0);
    check_value("alpha == 1.5", 1);
    check_value("alpha*2", 3);
    check_value("alpha > 1 && M > 99.5", 1);
    check_error("alpha", "k.cu:7:11: 'alpha' is 1.5, wanted an integer");
}

static void what_is_not_needed_is_not_evaluated(void **state)
{
    (void)state;
    check_value("M == 0 || 10/M == 0", 1);
    check_value("0 && 1/0", 0);
    check_value("1 || 1/0 || 1%0", 1);
    check_error("0 && 1/",
                "k.cu:7:18: found the end of the expression, wanted a number, a name or '('");
    check_value("0 && nothing", 0);
}

static void errors_point(void **state)
{
    (void)state;
    check_error("", "k.cu:7:11: found the end of the expression, wanted a number, a name or '('");
    check_error("1+", "k.cu:7:13: found the end of the expression, wanted a number, a name or '('");
    check_error("1 2", "k.cu:7:13: found '2', wanted an operator or the end");
    check_error("(1", "k.cu:7:13: found the end of the expression, wanted ')'");
    check_error("1)", "k.cu:7:12: found ')', wanted an operator or the end");
    check_error("M = 3", "k.cu:7:13: found '=', wanted an operator or the end");
    check_error("M & 3", "k.cu:7:13: found '&', wanted an operator or the end");
    check_error("BN*2", "k.cu:7:11: unknown name 'BN'; did you mean 'BM'?");
    check_error("2*quantity", "k.cu:7:13: unknown name 'quantity'");
    check_error("cdiv(1)", "k.cu:7:17: found ')', wanted ','");
    check_error("cdiv(1,2,3)", "k.cu:7:19: found ',', wanted ')'");
    check_error("ceil(1)",
                "k.cu:7:11: unknown function 'ceil', wanted cdiv, min, max, clamp or aligned");
    check_error("aligned(D,16)", "k.cu:7:19: found 'D', wanted the operand A, B or C");
    check_error("aligned(A,0)", "k.cu:7:21: alignment to 0 bytes, wanted 1 or more");
    check_error("1/0", "k.cu:7:12: division by zero");
    check_error("M%(BM-64)", "k.cu:7:12: division by zero");
    check_error("cdiv(M,0)", "k.cu:7:11: division by zero");
    check_error("big*2", "k.cu:7:14: the result does not fit 64 bits");
    check_error("big+big", "k.cu:7:14: the result does not fit 64 bits");
    check_error("(-9223372036854775807-1)/-1", "k.cu:7:35: the result does not fit 64 bits");
    check_error("-(-9223372036854775807-1)", "k.cu:7:11: the result does not fit 64 bits");
    check_error("9223372036854775808", "k.cu:7:11: the number does not fit 64 bits");
    check_error("12x", "k.cu:7:13: 'x' after a number");
    check_error("010",
                "k.cu:7:11: a number with a leading zero reads as octal in C; write it without");
    check_error("M\001", "k.cu:7:12: found byte 0x01, wanted an operator or the end");
    check_error("1 ? 2 : 3", "k.cu:7:13: found '?', wanted an operator or the end");
    check_error("x[", "k.cu:7:13: found the end of the expression, wanted an operand and ']'");
}

static void deep_nesting_ends(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 2);
    assert_non_null(text);
    for (const char *c = "(!-"; *c; c++) {
        memset(text, *c, DEPTH);
        strcpy(text + DEPTH, "1");
        check_error(text, "k.cu:7:75: nested more than 64 deep");
    }
    free(text);
    check_value("((((((((((((((((((((1))))))))))))))))))))", 1);
}

static void reals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double wanted;
    } cases[] = {{"1/2", 0.5},
                 {"7%4", 3},
                 {"cdiv(7,2)", 4},
                 {"regs <= 168", 1},
                 {"global.loads.sectors_per_request[A] == 4.5", 1},
                 {"BM*8/(2*(BM+8)) + 1e1", 64 * 8 / 144.0 + 10},
                 {"max(0.5, 1/4)", 0.5},
                 {"9223372036854775807*2 > 1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_text expression = {(char *)(uintptr_t)cases[i].text, {NULL, 1, 1}};
        struct gradus_error error = {0};
        double value;
        if (gr_expr_real("k.cu", &expression, &scope, &value, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        assert_true(value == cases[i].wanted);
    }
}

static bool join(void *context, const char *name, int column)
{
    char *text = context;
    sprintf(text + strlen(text), "%s@%d ", name, column);
    return strcmp(name, "stop") != 0;
}

static void names_are_walked(void **state)
{
    (void)state;
    char text[100] = "";
    struct gr_text expression = {(char *)(uintptr_t) "0 && x/y + aligned(A,n) < a.b[C]",
                                 {NULL, 1, 1}};
    struct gradus_error error = {0};
    assert_int_equal(gr_expr_check("k.cu", &expression, join, text, &error), GRADUS_OK);
    assert_string_equal(text, "x@6 y@8 n@22 a.b[C]@27 ");
    *text = 0;
    expression.text = (char *)(uintptr_t) "a+stop+b";
    assert_int_equal(gr_expr_check("k.cu", &expression, join, text, &error), GRADUS_INVALID);
    assert_string_equal(text, "a@1 stop@3 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(functions),
        cmocka_unit_test(real_names_in_integers),
        cmocka_unit_test(what_is_not_needed_is_not_evaluated),
        cmocka_unit_test(errors_point),
        cmocka_unit_test(deep_nesting_ends),
        cmocka_unit_test(reals),
        cmocka_unit_test(names_are_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
