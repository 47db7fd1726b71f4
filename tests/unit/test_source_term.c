/* test_source_term.c: the sum that an operator belongs to. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explain/source_term.h"

#include <string.h>

/* The term of the operator behind `before` in `line`, which is the source's second. */
static void has_term(const char *line, const char *before, char operation, const char *wanted)
{
    char source[512] = "int first;\n", term[GR_TERM_SIZE] = "";
    int begin = 0;
    strcat(source, line);
    const char *at = strstr(line, before);
    assert_non_null(at);
    int column = (int)(at - line) + (int)strlen(before) + 1;
    bool found = gr_source_term(source, 2, column, operation, &begin, term);
    assert_string_equal(found ? term : "", wanted);
    if (found)
        assert_memory_equal(line + begin - 1, wanted, strlen(wanted));
}

static void a_sum_is_whole(void **state)
{
    (void)state;
    const char *line = "    sum += A[i * K + k] * B[k * N + j];\n";
    has_term(line, "A[i ", '*', "i * K + k");
    has_term(line, "A[i * K ", '+', "i * K + k");
    has_term(line, "B[k ", '*', "k * N + j");
    has_term("C[(row+ty)*ldc+col] = v;", "(row", '+', "row+ty");
    has_term("C[(row+ty)*ldc+col] = v;", "ty)", '*', "(row+ty)*ldc+col");
    has_term("p = base + f(a, b)[2] * q->ld - 1;", "[2] ", '*', "base + f(a, b)[2] * q->ld - 1");
    has_term("x = blockIdx.x * 128;", "x ", '=', "");
    has_term("x = blockIdx.x * 128;", "Idx.x ", '*', "blockIdx.x * 128");
}

static void a_step_is_whole(void **state)
{
    (void)state;
    has_term("    offset += N;", "offset ", '+', "offset += N");
    has_term("for (int k = 0; k < K; k += 8 * N)", "k < K; k ", '+', "k += 8 * N");
}

static void a_macro_is_its_call(void **state)
{
    (void)state;
    has_term("sum += A[IDX(i, k, K)];", "A[", '*', "IDX(i, k, K)");
    has_term("sum += A[IDX(i, k, K)];", "sum += A[IDX(i, k, K)", '*', "");
}

static void what_is_not_there_is_not_found(void **state)
{
    char term[GR_TERM_SIZE];
    int begin;
    (void)state;
    assert_false(gr_source_term("a * b", 2, 3, '*', &begin, term));
    assert_false(gr_source_term("a * b", 1, 30, '*', &begin, term));
    assert_false(gr_source_term("a * b", 1, 0, '*', &begin, term));
    assert_false(gr_source_term("", 1, 1, '*', &begin, term));
    char source[400];
    memset(source, 'a', sizeof source);
    memcpy(source + 200, " * ", 3);
    source[399] = 0;
    assert_false(gr_source_term(source, 1, 202, '*', &begin, term)); /* no room */
}

static void widens(const char *text, const char *wanted)
{
    char term[GR_TERM_SIZE], wide[2 * GR_TERM_SIZE + 8] = "";
    strcpy(term, text);
    bool can = gr_source_widened(term, wide);
    assert_string_equal(can ? wide : "", wanted);
}

static void the_first_product_is_widened(void **state)
{
    (void)state;
    widens("i * K + k", "(size_t)i * K + k");
    widens("k + i * K", "k + (size_t)i * K");
    widens("(row + ty) * ld + c", "(size_t)(row + ty) * ld + c");
    widens("a + b", "");
    widens("f(a * b) + c", "");
    widens("offset += N * 4", "offset += (size_t)N * 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_whole), cmocka_unit_test(a_step_is_whole),
        cmocka_unit_test(a_macro_is_its_call), cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(the_first_product_is_widened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
