/* test_demangle.c: names and parameters in the symbols of kernels. What is expected is what c++filt
 * of binutils 2.40 says of each, with const in front. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "code/demangle.h"

#include <string.h>

static void reads(const char *symbol, const char *name, const char *types)
{
    struct gr_demangled d;
    struct gr_str joined = {0};
    assert_true(gr_demangle(symbol, &d));
    for (int i = 0; i < d.count; i++)
        gr_str_printf(&joined, "%s%s", i ? ", " : "", d.types[i]);
    assert_string_equal(d.name, name);
    assert_int_equal(d.typed, types != NULL);
    assert_string_equal(gr_str_text(&joined), types ? types : "");
    gr_str_free(&joined);
    gr_demangled_free(&d);
}

static void functions_without_templates_are_read(void **state)
{
    (void)state;
    reads("_Z4gemmPKfS0_Pfiii", "gemm", "const float *, const float *, float *, int, int, int");
    reads("_ZN4deep2er4gemmEPK6__halfS3_Pfiii", "deep::er::gemm",
          "const __half *, const __half *, float *, int, int, int");
    reads("_Z1kv", "k", "");
    reads("_Z1kmxhaPVj", "k",
          "unsigned long, long long, unsigned char, signed char, volatile unsigned int *");
    reads("_Z1kPKPKfRKd", "k", "const float *const *, const double &");
    reads("_ZN12_GLOBAL__N_11kEi", "(anonymous namespace)::k", "int");
}

static void template_arguments_are_put_in(void **state)
{
    (void)state;
    reads("_Z4tileILi32EdEvPKT0_S2_PS0_iiif", "tile<32, double>",
          "const double *, const double *, double *, int, int, int, float");
    reads("_Z1kILb1ELj4ELl3ELin5EEvPf", "k<true, 4u, 3l, -5>", "float *");
    reads("_Z1kPfSt4pairIifE", "k", "float *, std::pair<int, float>");
    reads("_ZN7cutlass6KernelINS_4gemm4GemmIfEEEEvNT_6ParamsE",
          "cutlass::Kernel<cutlass::gemm::Gemm<float>>", "cutlass::gemm::Gemm<float>::Params");
    reads("_ZN5space5twiceILi64EEEvPKfPfi", "space::twice<64>", "const float *, float *, int");
}

/* The name is known where the types are not. */
static void what_few_kernels_have_is_not_read(void **state)
{
    (void)state;
    reads("plain", "plain", NULL);
    reads("_Z3fooIJifdEEvDpT_", "foo<int, float, double>", NULL);
    reads("_Z1kPA16_f", "k", NULL);
    reads("_Z6kernelIZ4mainEUlvE_EvT_", "_Z6kernelIZ4mainEUlvE_EvT_", NULL);
}

static void damaged_symbols_are_names(void **state)
{
    static const char *const symbols[] = {
        "",       "_Z",      "_Z99k", "_ZN1aE_", "_Z1kS_", "_Z1kS9_", "_Z1kT_",        "_ZN1a1bI",
        "_Z1kIJ", "_Z1kILi", "_Z0k",  "_ZE",     "_ZNE",   "_Z1kNE",  "_Z1kSZZZZZZZZ_"};
    (void)state;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        struct gr_demangled d;
        assert_true(gr_demangle(symbols[i], &d));
        assert_false(d.typed);
        assert_int_equal(d.count, 0);
        gr_demangled_free(&d);
    }
}

/* Each template argument doubles the one before: 2^40 parts, if it were not refused. */
static void texts_that_grow_without_bound_are_refused(void **state)
{
    struct gr_str symbol = {0};
    struct gr_demangled d;
    (void)state;
    gr_str_add(&symbol, "_Z1k1aIiiE");
    for (int i = 0; i < 40; i++)
        gr_str_printf(&symbol, "S_IS%d_S%d_E", i, i);
    assert_true(gr_demangle(gr_str_text(&symbol), &d));
    assert_false(d.typed);
    gr_demangled_free(&d);
    gr_str_free(&symbol);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_without_templates_are_read),
        cmocka_unit_test(template_arguments_are_put_in),
        cmocka_unit_test(what_few_kernels_have_is_not_read),
        cmocka_unit_test(damaged_symbols_are_names),
        cmocka_unit_test(texts_that_grow_without_bound_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
