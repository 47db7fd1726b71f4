/* test_vector_types.c: clang's vector types as g++ knows them. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/vector_types.h"

static void becomes(const char *text, const char *wanted)
{
    struct gr_str out = {0};
    gr_vector_types_rewrite(text, &out);
    assert_string_equal(gr_str_text(&out), wanted);
    gr_str_free(&out);
}

static void the_element_is_found(void **state)
{
    (void)state;
    becomes("typedef float f4 __attribute__((ext_vector_type(4)));",
            "typedef float f4 __attribute__((vector_size((4) * sizeof(float))));");
    becomes("typedef unsigned short s8 __attribute__((__ext_vector_type__(8), aligned(4)));",
            "typedef unsigned short s8 __attribute__((vector_size((8) * sizeof(unsigned short)), "
            "aligned(4)));");
    becomes("typedef _Float16 __attribute__((ext_vector_type(2 * N))) h;",
            "typedef _Float16 __attribute__((vector_size((2 * N) * sizeof(_Float16)))) h;");
    becomes("typedef __attribute__((ext_vector_type(4))) float f4;",
            "typedef __attribute__((vector_size((4) * sizeof(float)))) float f4;");
    becomes("int x;\nusing h4 = __attribute__((ext_vector_type(4)))\n    _Float16;\nint y;",
            "int x;\nusing h4 = __attribute__((vector_size((4) * sizeof(_Float16))))\n    "
            "_Float16;\nint y;");
    becomes("template <class T> struct v { typedef T type __attribute__((ext_vector_type(4))); };",
            "template <class T> struct v { typedef T type __attribute__((vector_size((4) * "
            "sizeof(T)))); };");
    becomes("using i2 = int __attribute__((ext_vector_type(2)));",
            "using i2 = int __attribute__((vector_size((2) * sizeof(int))));");
    becomes(
        "void f() {\n  static const float __attribute__((ext_vector_type(4))) v = {1};\n}",
        "void f() {\n  static const float __attribute__((vector_size((4) * sizeof(float)))) v = "
        "{1};\n}");
}

static void other_text_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "int ext_vector_type;",
                                        "int my_ext_vector_type(4);",
                                        "f(ext_vector_type(4));",
                                        "typedef float f4 __attribute__((ext_vector_type(4",
                                        "__attribute__((ext_vector_type(4)));",
                                        "typedef float f4 __attribute__((vector_size(16)));"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        becomes(texts[i], texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_element_is_found),
        cmocka_unit_test(other_text_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
