/* test_catalog_edges.c: what kernel files say at the edges of the language: what is nearly dense,
 * nearly a value, nearly front matter. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/levels.h"
#include "emit/stub.h"
#include "source/cut.h"
#include "catalog/variant.h"

#include <stdlib.h>
#include <string.h>

static struct gr_kernel *parse(const char *path, const char *text)
{
    struct gr_kernel *kernel;
    struct gradus_error error = {0};
    if (gr_kernel_parse(path, text, NULL, &kernel, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return kernel;
}

static struct gr_variant variant_of(const struct gr_kernel *k)
{
    struct gr_variant v;
    struct gradus_error error = {0};
    if (gr_variant_make(k, gr_types_of(GR_F32), false, false, &v, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return v;
}

/* A null `text`: the problem is admitted. */
static void expect(const struct gr_kernel *k, const struct gr_problem *p, const char *text)
{
    struct gr_variant v = variant_of(k);
    struct gradus_error error = {0};
    enum gradus_status status = gr_variant_admits(&v, p, NULL, &error);
    assert_int_equal(status, text ? GRADUS_UNSUPPORTED : GRADUS_OK);
    if (text)
        assert_string_equal(error.text, text);
    gradus_error_clear(&error);
}

static void one_longer_is_not_dense(void **state)
{
    (void)state;
    struct gr_kernel *k = parse("f.c", "void f(int m, int n, int k, const float *a, const float *b,"
                                       " float *c) {}\n");
    struct gr_problem p = gr_problem_dense(3, 4, 5, false, false, gr_types_of(GR_F32));
    expect(k, &p, NULL);
    p.lda++;
    expect(k, &p, "f refuses 3x4x5: lda==5 is implied, since f has no parameter lda; it is 6");
    p.lda--, p.ldc++;
    expect(k, &p, "f refuses 3x4x5: ldc==4 is implied, since f has no parameter ldc; it is 5");
    gr_kernel_free(k);
}

static void without_beta_it_is_zero(void **state)
{
    (void)state;
    struct gr_kernel *k =
        parse("f.c", "void f(int m, int n, int k, float alpha, const float *a, const float *b,"
                     " float *c) {}\n");
    struct gr_problem p = gr_problem_dense(3, 4, 5, false, false, gr_types_of(GR_F32));
    p.alpha = -2;
    expect(k, &p, NULL);
    static const double betas[] = {1, -1, 0.5};
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
        p.beta = betas[i];
        expect(k, &p, "f refuses 3x4x5: beta==0: implied, since its signature has no beta");
    }
    gr_kernel_free(k);
}

static int64_t value_of(const struct gr_kernel *k, const struct gr_problem *p, char *name)
{
    const struct gr_variant v = variant_of(k);
    const struct gr_text expression = {.text = name, .place = {NULL, 1, 1}};
    int64_t value;
    struct gradus_error error = {0};
    if (gr_variant_eval(&v, p, NULL, &expression, &value, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    return value;
}

/* A kernel whose C lies by columns is run for the transposed product; its own expressions have the
 * sizes that it knows. */
static void columns_keep_their_own_sizes(void **state)
{
    (void)state;
    static const char text[] =
        "//@ layout A col, B col, C col\n"
        "//@ require lda%2==0\n"
        "void f(int m, int n, int k, const float *a, int lda, const float *b,"
        " int ldb, float *c, int ldc) {}\n";
    struct gr_kernel *k = parse("f.c", text);
    struct gr_problem p = gr_problem_dense(3, 4, 5, false, false, gr_types_of(GR_F32));
    p.lda = 21, p.ldb = 32, p.ldc = 43;
    assert_true(k->mirrored);
    assert_int_equal(value_of(k, &p, "M"), 4);
    assert_int_equal(value_of(k, &p, "N"), 3);
    assert_int_equal(value_of(k, &p, "K"), 5);
    assert_int_equal(value_of(k, &p, "lda"), 32);
    assert_int_equal(value_of(k, &p, "ldb"), 21);
    assert_int_equal(value_of(k, &p, "ldc"), 43);
    expect(k, &p, NULL);
    p.ldb = 33;
    expect(k, &p, "f refuses 4x3x5: lda%2==0");
    gr_kernel_free(k);
}

static void work_is_not_negative(void **state)
{
    (void)state;
    struct gr_kernel *k = parse("f.cu", "//@ work P = f32[M-9]\n//@ grid 1\n//@ block 1\n"
                                        "__global__ void f(int M, int N, int K, const float *A,"
                                        " const float *B, float *C, float *P) {}\n");
    struct gr_variant v = variant_of(k);
    int64_t args[GR_MAX_ARGS], bytes[GR_MAX_WORKS];
    struct gradus_error error = {0};
    const struct gr_device_values device_values = {.sms = 1};
    struct gr_problem p = gr_problem_dense(9, 4, 5, false, false, gr_types_of(GR_F32));
    assert_int_equal(gr_variant_args(&v, &p, &device_values, args, bytes, &error), GRADUS_OK);
    assert_int_equal(bytes[0], 0);
    p.m = 8;
    assert_int_equal(gr_variant_args(&v, &p, &device_values, args, bytes, &error), GRADUS_INVALID);
    assert_non_null(strstr(error.text, "work 'P' has -1 elements, wanted 0 or more"));
    gradus_error_clear(&error);
    gr_kernel_free(k);
}

/* && is cut into parts for the message, where no || binds weaker. */
static void or_binds_weaker_than_and(void **state)
{
    (void)state;
    struct gr_kernel *k =
        parse("f.c", "//@ require M%4==0 && N%4==0 || K==1\n"
                     "void f(int m, int n, int k, const float *a, const float *b, float *c) {}\n");
    struct gr_problem p = gr_problem_dense(3, 5, 1, false, false, gr_types_of(GR_F32));
    expect(k, &p, NULL);
    p = gr_problem_dense(8, 4, 7, false, false, gr_types_of(GR_F32));
    expect(k, &p, NULL);
    p = gr_problem_dense(8, 5, 7, false, false, gr_types_of(GR_F32));
    expect(k, &p, "f refuses 8x5x7: M%4==0 && N%4==0 || K==1");
    gr_kernel_free(k);
}

static void comments_and_macros_are_no_front_matter(void **state)
{
    (void)state;
    struct gr_kernel *k =
        parse("f.c", "/* An example:\n//@ type f64\n//@ isa avx2\n*/\n"
                     "#define TWICE(x) \\\n    do_it(x); \\\n    do_it(x)\n"
                     "//@ type f32\n"
                     "void f(int m, int n, int k, const float *a, const float *b, float *c) {}\n");
    assert_int_equal(k->type_count, 1);
    assert_int_equal(k->types[0].a, GR_F32);
    assert_int_equal(k->isa.count, 0);
    gr_kernel_free(k);
}

static void values_are_whole_numbers(void **state)
{
    (void)state;
    struct gr_kernel *k =
        parse("f.c", "//@ param BM 64 {8, 64, 128}\n"
                     "void f(int m, int n, int k, const float *a, const float *b, float *c) {}\n");
    struct gr_variant v = variant_of(k);
    static const char *const bad[] = {"BM=6",  "BM=1",  "BM=",   "BM=640",
                                      "BM=+8", "BM=08", "BM= 8", "BM=8 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(gr_variant_set(&v, bad[i], NULL), GRADUS_INVALID);
    assert_int_equal(gr_variant_set(&v, "BM=8", NULL), GRADUS_OK);
    assert_int_equal(v.params[0], 8);
    gr_kernel_free(k);
}

static void levels_allow_what_they_have(void **state)
{
    (void)state;
    static const struct {
        const char *isa, *level;
        bool allowed;
    } cases[] = {
        {"avx512f", "avx512", true},  {"avx512f", "avx2", false}, {"avx512f", "portable", false},
        {"avx2", "avx512", true},     {"avx2", "avx2", true},     {"avx2", "portable", false},
        {"avx2", "neon", false},      {"sve", "neon", true},      {"sve", "avx512", false},
        {"portable", "avx512", true}, {"portable", "neon", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = gr_printf("//@ isa %s\nvoid f(int m, int n, int k, const float *a,"
                               " const float *b, float *c) {}\n",
                               cases[i].isa);
        struct gr_kernel *k = parse("f.c", text);
        if (gr_isa_allows(k, cases[i].level) != cases[i].allowed)
            fail_msg("isa %s at level %s", cases[i].isa, cases[i].level);
        gr_kernel_free(k);
        free(text);
    }
}

/* What stands in the stub of this kernel, whose file is at `path`. */
static char *stub_of(const char *text, const char *path)
{
    struct gr_kernel *k = parse("f.c", text);
    const struct gr_variant v = variant_of(k);
    struct gr_str out = {0};
    struct gradus_error error = {0};
    if (gr_stub_write(&v, "entry", path, &out, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    gr_kernel_free(k);
    return out.text;
}

static void stubs_quote_and_cast(void **state)
{
    (void)state;
    char *stub = stub_of("void f(int const m, const long n, int k, const float *const a,"
                         " const float *b, float *restrict c) {}\n",
                         "odd \\ and \" folder/f.c");
    assert_non_null(strstr(stub, "#line 1 \"odd \\\\ and \\\" folder/f.c\"\n"));
    assert_non_null(strstr(stub, "(int)launch->m"));
    assert_non_null(strstr(stub, "(long)launch->n"));
    const char *call = strstr(stub, "entry_kernel(");
    assert_non_null(call);
    assert_null(strstr(strrchr(stub, '{'), "const)"));
    free(stub);
}

static void cut_text_keeps_its_lines(void **state)
{
    (void)state;
    static const char text[] = "#include <vector>\n"
                               "constexpr int f(int x)\n{\n    return 2 * x;\n}\n"
                               "__global__ void f(float *A, float *B, float *C)\n{\n"
                               "    C[0] = f(3);\n}\n"
                               "void f(std::vector<float> &a)\n{\n    launch();\n}\n"
                               "int main()\n{\n    f(a);\n}\n"
                               "__global__ void g(float *A, float *B, float *C) {}\n";
    struct gr_str out = {0}, names = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_source_cut("f.cu", text, GR_LANGUAGE_CUDA, NULL, &out, &names, &error),
                     GRADUS_OK);
    assert_non_null(strstr(out.text, "constexpr int f(int x)\n{\n    return 2 * x;\n}\n"));
    assert_null(strstr(out.text, "launch"));
    assert_null(strstr(out.text, "main"));
    assert_int_equal(out.length, strlen(text));
    for (size_t i = 0; text[i]; i++)
        assert_int_equal(out.text[i] == '\n', text[i] == '\n');
    assert_non_null(strstr(names.text, "main"));
    gr_str_free(&out);
    gr_str_free(&names);
}

/* A #pragma goes with the loop that it is of, while an #if stays: clang refuses the one without a
 * statement, and the #endif may belong to another. */
static void pragmas_go_with_their_loops(void **state)
{
    (void)state;
    static const char text[] = "void host(int *x)\n{\n#if 1\n    # pragma unroll\n"
                               "    for (int i = 0; i < 4; i++)\n        x[i] = 0;\n#endif\n}\n"
                               "__global__ void g(float *A, float *B, float *C)\n{\n"
                               "    #pragma unroll 2\n    for (;;) ;\n}\n";
    struct gr_str out = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_source_cut("f.cu", text, GR_LANGUAGE_CUDA, NULL, &out, NULL, &error),
                     GRADUS_OK);
    assert_null(strstr(out.text, "# pragma"));
    assert_non_null(strstr(out.text, "#pragma unroll 2"));
    assert_non_null(strstr(out.text, "#if 1\n"));
    assert_non_null(strstr(out.text, "#endif\n"));
    gr_str_free(&out);
}

/* A type whose name is followed by an attribute, as AMD's vectors are written, is one that the
 * kernel needs; one that nothing names is removed. */
static void types_with_attributes_are_kept(void **state)
{
    (void)state;
    static const char text[] = "typedef float vec __attribute__((vector_size(16)));\n"
                               "typedef host_type other __attribute__((vector_size(16)));\n"
                               "__global__ void f(const float *A, const float *B, float *C)\n{\n"
                               "    *(vec *)C = *(const vec *)A;\n}\n";
    struct gr_kernel *k = parse("f.cu", text);
    struct gr_str out = {0}, names = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_source_cut_to(k, text, &out, &names, &error), GRADUS_OK);
    assert_non_null(strstr(out.text, "typedef float vec __attribute__((vector_size(16)));"));
    assert_null(strstr(out.text, "host_type"));
    gr_str_free(&out);
    gr_str_free(&names);
    gr_kernel_free(k);
}

/* What the arguments of the kernel's template name is needed, though no code of the file names it:
 * a type with what it is made of, an alias, a functor, a function; a host class is not. */
static void arguments_of_templates_are_kept(void **state)
{
    (void)state;
    static const char text[] =
        "//@ kernel ns::f<T, Small, ns::Op, twice>\n"
        "#include <vector>\n"
        "namespace ns {\ntemplate <int S> struct Base { static constexpr int side = S; };\n"
        "template <int S, int K> struct Tile : Base<S> { static constexpr int depth = K; };\n"
        "template <int S> struct Unused { static constexpr int depth = S; };\n"
        "struct Op { float operator()(float x) const { return x; } };\n"
        "template <class T, class Tl, class O, float (*F)(float)> __global__ void f(const T *A, "
        "const T *B, T *C)\n{\n    C[0] = O{}(A[0]) + Tl::side;\n}\n}\n"
        "using Small = ns::Tile<16, 4>;\n"
        "float twice(float x) { return 2 * x; }\n"
        "void f(std::vector<float> &a) { launch(); }\n"
        "struct Host { std::vector<float> a; };\n";
    struct gr_kernel *k = parse("f.cu", text);
    for (int only_its = 0; only_its < 2; only_its++) {
        struct gr_str out = {0};
        struct gradus_error error = {0};
        assert_int_equal(only_its ? gr_source_cut_to(k, text, &out, NULL, &error)
                                  : gr_source_cut("f.cu", text, k->language, k, &out, NULL, &error),
                         GRADUS_OK);
        static const char *const kept[] = {"struct Tile : Base<S>", "struct Base {", "struct Op {",
                                           "using Small =", "float twice(float x)"};
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (!strstr(out.text, kept[i]))
                fail_msg("removed: %s", kept[i]);
        assert_null(strstr(out.text, "struct Unused"));
        assert_null(strstr(out.text, "struct Host"));
        assert_null(strstr(out.text, "launch()"));
        gr_str_free(&out);
    }
    gr_kernel_free(k);
}

/* WARP is known when a kernel is compiled, and is that of the device which the variant is for. */
static void lets_know_the_warp(void **state)
{
    (void)state;
    struct gr_kernel *k =
        parse("f.cu", "//@ let NT = 2*WARP\n//@ block NT\n"
                      "__global__ void f(int M, int N, int K, const float *A, const float *B, "
                      "float *C) {}\n");
    struct gr_variant v = variant_of(k);
    struct gradus_error error = {0};
    int64_t threads;
    const struct gr_text *block = &k->stanzas[0].block.items[0];
    assert_int_equal(gr_variant_eval(&v, NULL, NULL, block, &threads, &error), GRADUS_OK);
    assert_int_equal(threads, 64);
    v.warp = 64;
    assert_int_equal(gr_variant_eval(&v, NULL, NULL, block, &threads, &error), GRADUS_OK);
    assert_int_equal(threads, 128);
    gr_kernel_free(k);
}

/* A tuned value is the default on its architecture, and gives way to one that the user sets. */
static void params_are_tuned(void **state)
{
    (void)state;
    struct gr_kernel *k = parse(
        "f.cu",
        "//@ param BK 8 {8,16}, BM 64 {64,128}\n//@ tuned BK 16 @gfx9, BM 128 @gfx90a\n"
        "__global__ void f(int M, int N, int K, const float *A, const float *B, float *C) {}\n");
    struct gr_variant v = variant_of(k);
    char name[80];
    gr_variant_suit(&v, "gfx942", 64);
    gr_variant_name(&v, name, sizeof name);
    assert_string_equal(name, "BK=16 BM=64");
    assert_int_equal(v.warp, 64);
    gr_variant_suit(&v, "gfx90a", 64);
    assert_int_equal(gr_variant_set(&v, "BK=8", NULL), GRADUS_OK);
    gr_variant_name(&v, name, sizeof name);
    assert_string_equal(name, "BK=8 BM=128");
    v = variant_of(k);
    gr_variant_suit(&v, "sm_90a", 32);
    assert_true(gr_variant_is_default(&v));
    gr_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_longer_is_not_dense),
        cmocka_unit_test(without_beta_it_is_zero),
        cmocka_unit_test(columns_keep_their_own_sizes),
        cmocka_unit_test(work_is_not_negative),
        cmocka_unit_test(or_binds_weaker_than_and),
        cmocka_unit_test(comments_and_macros_are_no_front_matter),
        cmocka_unit_test(values_are_whole_numbers),
        cmocka_unit_test(levels_allow_what_they_have),
        cmocka_unit_test(stubs_quote_and_cast),
        cmocka_unit_test(cut_text_keeps_its_lines),
        cmocka_unit_test(pragmas_go_with_their_loops),
        cmocka_unit_test(types_with_attributes_are_kept),
        cmocka_unit_test(arguments_of_templates_are_kept),
        cmocka_unit_test(lets_know_the_warp),
        cmocka_unit_test(params_are_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
