/* test_given_constants.c: numbers of `define` lines in a file's text. SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/given_constants.h"

#include <stdlib.h>

static void gives(const char *text, const char *extra, const char *wanted)
{
    char *found = gr_given_constants("a.cu", text, extra);
    if (wanted)
        assert_string_equal(found, wanted);
    else
        assert_null(found);
    free(found);
}

static void test_numbers_of_the_file(void **state)
{
    (void)state;
    gives("#define N 4096 // side\nint x = N;\n", "define N=512\n",
          "#define N 512 // side\nint x = N;\n");
    gives("const int N = 64 * 64, M = 8;\n", "kernel k\ndefine N=512, M=4\n",
          "const int N = 512, M = 4;\n");
    gives("#define N 4096\n#define MORE (N + 1)\nint x = MORE;\n", "define N = 16\n",
          "#define N 16\n#define MORE (N + 1)\nint x = MORE;\n");
}

static void test_names_that_nothing_defines(void **state)
{
    (void)state;
    gives("#include <a.h>\n__global__ void k(float *A) {}\n", "define SIDE=32\n",
          "#include <a.h>\nconstexpr int SIDE = 32; __global__ void k(float *A) {}\n");
}

static void test_lines_of_the_file(void **state)
{
    (void)state;
    gives("//@ define   N=8\nint x[N];\n", NULL,
          "//@ define   N=8\nconstexpr int N = 8; int x[N];\n");
    /* The options' number counts. */
    gives("//@ define N=8\nint x[N];\n", "define N=4\n",
          "//@ define N=8\nconstexpr int N = 4; int x[N];\n");
    assert_true(gr_is_given_constant("//@ define N=8\n", NULL, "N"));
    assert_false(gr_is_given_constant("//@ define N=8\n", "define NN=8\n", "M"));
}

static void test_nothing_to_give(void **state)
{
    (void)state;
    gives("#define N 4096\n", NULL, NULL);
    gives("#define N 4096\n", "kernel k\ngrid N\n", NULL);
    gives("/* not closed", "define N=8\n", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_the_file),
        cmocka_unit_test(test_names_that_nothing_defines),
        cmocka_unit_test(test_lines_of_the_file),
        cmocka_unit_test(test_nothing_to_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
