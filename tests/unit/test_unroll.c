/* test_unroll.c: which loops of a source are marked for the host's compiler.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/unroll.h"

static void becomes(const char *text, const char *wanted)
{
    struct gr_str out = {0};
    gr_sim_unroll_mark(text, &out);
    assert_string_equal(gr_str_text(&out), wanted);
    gr_str_free(&out);
}

static void stays(const char *text)
{
    becomes(text, text);
}

static void loops_with_a_condition_are_marked(void **state)
{
    (void)state;
    becomes("for (int i = 0; i < 4; i++) x();", GR_SIM_LOOP " (int i = 0; i < 4; i++) x();");
    becomes("for\n  (; f(a, (b; c)) ;)\n;", GR_SIM_LOOP "\n  (; f(a, (b; c)) ;)\n;");
    becomes("for(;a;)for(;b;);", GR_SIM_LOOP "(;a;)" GR_SIM_LOOP "(;b;);");
    becomes("f(\"\\\"\"); for (; a;) g('\\'');", "f(\"\\\"\"); " GR_SIM_LOOP " (; a;) g('\\'');");
    becomes("for (; /* ; */ a < 1'000; )", GR_SIM_LOOP " (; /* ; */ a < 1'000; )");
}

static void loops_that_cannot_be_unrolled_are_not(void **state)
{
    (void)state;
    stays("for (;;) x();");
    stays("for (int i = 0;; i++) x();");
    stays("for (; /* always */ ; i++) x();");
    stays("for (float x : xs) y(x);");
    stays("for (auto f = [] { return 1; }; auto x : xs)");
}

static void loops_that_shall_not_be_unrolled_are_not(void **state)
{
    (void)state;
    stays("#pragma unroll 1\n  // why\n  for (; a;) x();");
    stays("# pragma unroll(1)\nfor (; a;) x();");
    becomes("#pragma unroll 1\nfor (; a;)for (; b;)",
            "#pragma unroll 1\nfor (; a;)" GR_SIM_LOOP " (; b;)");
    becomes("#pragma unroll 16\nfor (; a;)", "#pragma unroll 16\n" GR_SIM_LOOP " (; a;)");
    becomes("#pragma unroll\nfor (; a;)", "#pragma unroll\n" GR_SIM_LOOP " (; a;)");
}

static void what_is_no_loop_is_left_alone(void **state)
{
    (void)state;
    stays("before(; a;) forward(; a;) for_each(; a;) x.for_(; a;)");
    stays("// for (; a;)\n/* for (; a;) */ \"for (; a;)\" 'f'");
    stays("#define EACH(i, n) \\\n    for (int i = 0; i < n; i++)\n");
    stays("  # define EACH for (; a;)\n");
    stays("for");
    stays("for (");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_with_a_condition_are_marked),
        cmocka_unit_test(loops_that_cannot_be_unrolled_are_not),
        cmocka_unit_test(loops_that_shall_not_be_unrolled_are_not),
        cmocka_unit_test(what_is_no_loop_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
