/* test_chosen.c: which function of a file is meant, what its template is given, and what its own
 * launch comes to. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "launches/guess.h"

#include <stdlib.h>
#include <string.h>

#define OPERANDS "(int M, int N, int K, const float *A, const float *B, float *C) {}\n"
#define OF_T "(int M, int N, int K, T const *A, T const *B, T *C, T alpha) {}\n"

static const char spaces[] = "namespace a { inline namespace v1 { namespace b::c {\n"
                             "__global__ void k" OPERANDS "void f() { if (1) {} }\n"
                             "} } namespace { __global__ void hidden" OPERANDS "} }\n"
                             "extern \"C\" { __global__ void k" OPERANDS "}\n";
static const char launched[] = "template <int BM, int BN> __global__ void k" OPERANDS
                               "void f() { const int S = 8; k<S, 2 * S><<<1, 1>>>(); }\n";
static const char twice[] = "template <int BM> __global__ void k" OPERANDS
                            "void f() { k<8><<<1, 1>>>(); k<16><<<1, 1>>>(); }\n";
static const char caller[] = "template <int BM> __global__ void k" OPERANDS
                             "template <int S> void f() { k<S><<<1, 1>>>(); }\n";

static const struct {
    const char *text, *extra;
    const char *name; /* the kernel's, completed; null: refused with `message` */
    const char *message;
    enum gr_dtype type;
} cases[] = {
    {spaces, "kernel c::k", "a::v1::b::c::k", NULL, GR_F32},
    {spaces, "kernel ::k", "k", NULL, GR_F32},
    {spaces, "kernel hidden", "a::hidden", NULL, GR_F32},
    {spaces, "kernel k", NULL,
     "m.cu: 2 functions may be the kernel (a::v1::b::c::k, k); choose one with `//@ kernel NAME` "
     "or "
     "--kernel NAME",
     0},
    {spaces, "kernel b::k", NULL, "--kernel: m.cu has no function 'b::k'; did you mean 'k'?", 0},
    {spaces, "kernel hiden", NULL,
     "--kernel: m.cu has no function 'hiden'; its kernels are "
     "a::v1::b::c::k, a::hidden, k",
     0},
    {spaces, "kernel a::", NULL, "--kernel: found the end of the line, wanted a name behind `::`",
     0},
    {"void k(int M) {}\n__global__ void k" OPERANDS, "kernel k", "k", NULL, GR_F32},
    {"__global__ void k" OPERANDS "void k(int M) {}\n", "kernel k", "k", NULL, GR_F32},
    {"__global__ void k" OPERANDS, "kernel k<3>", NULL,
     "--kernel: k is no template, found '<3>'; leave that out", 0},
    /* types */
    {"template <typename T> __global__ void k" OF_T, "kernel k<float>", "k<float>", NULL, GR_F32},
    {"template <class E, int S = 16, class U = E> __global__ void k"
     "(int M, int N, int K, const U *A, const E *B, E *C) {}\n",
     "kernel k<double>", "k<double>", NULL, GR_F64},
    {"template <class E, int S> __global__ void k"
     "(int M, int N, int K, const E *A, const E *B, E *C) {}\n",
     "kernel k<half, 32>", "k<half,32>", NULL, GR_F16},
    {"template <class E> __global__ void k(int M, int N, int K, E *A, E *B, E *C, E beta) {}\n",
     "kernel k", "k<T>", NULL, GR_F32},
    {"template <int S, class E> __global__ void k(int M, int N, int K, E *A, E *B, E *C) {}\n",
     "kernel k<8>", "k<8,T>", NULL, GR_F32},
    {"template <class E, class F> __global__ void k(int M, int N, int K, E *A, E *B, F *C) {}\n",
     "kernel k", NULL,
     "m.cu:1:45: k is a template <class E, class F>: write --kernel 'k<E,F>' with their values", 0},
    {"template <class E> __global__ void k(int M, int N, int K, float *A, float *B, E *C) {}\n",
     "kernel k", NULL, "m.cu:1:36: k is a template <class E>: write --kernel 'k<E>' with its value",
     0},
    /* values */
    {"template <int S = 4> __global__ void k" OPERANDS, "kernel k", "k<>", NULL, GR_F32},
    {"template <int S = 4> __global__ void k" OPERANDS, "", "k<>", NULL, GR_F32},
    {launched, "kernel k", "k<8,2*8>", NULL, GR_F32},
    {launched, "kernel k<1,2>", "k<1,2>", NULL, GR_F32},
    {launched, "kernel k<1>", NULL,
     "m.cu:1:43: k is a template <int BM, int BN> and has too few arguments: write --kernel "
     "'k<BM,BN>' with their values",
     0},
    {launched, "kernel k<1,2,3>", NULL,
     "m.cu:1:43: k is a template <int BM, int BN> and has too many arguments: write --kernel "
     "'k<BM,BN>' with their values",
     0},
    {twice, "kernel k", NULL,
     "m.cu:1:35: k is a template <int BM>: write --kernel 'k<BM>' with its value, such as 'k<8>' "
     "of "
     "line 2 or 'k<16>' of line 2",
     0},
    {caller, "kernel k", NULL,
     "m.cu:1:35: k is a template <int BM>: write --kernel 'k<BM>' with its value", 0},
};

static void names_are_completed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_kernel *k = NULL;
        struct gradus_error error = {0};
        enum gradus_status status =
            gr_kernel_parse("m.cu", cases[i].text, cases[i].extra, &k, &error);
        if (cases[i].message) {
            assert_int_equal(status, GRADUS_INVALID);
            assert_string_equal(error.text, cases[i].message);
        } else {
            if (status != GRADUS_OK)
                fail_msg("case %zu, %s: %s", i, cases[i].extra, error.text);
            assert_string_equal(k->stanzas[0].kernel.text, cases[i].name);
            assert_int_equal(k->types[0].a, cases[i].type);
        }
        gr_kernel_free(k);
        gradus_error_clear(&error);
    }
}

/* A type that the name does not give is one that --dtype may. */
static void a_type_is_the_variants(void **state)
{
    (void)state;
    struct gr_kernel *k = NULL;
    struct gradus_error error = {0};
    static const char text[] = "template <class E> __global__ void k" OPERANDS
                               "template <class E> __global__ void of(int M, int N, int K, E *A, "
                               "E *B, E *C) {}\n";
    assert_int_equal(gr_kernel_parse("m.cu", text, "kernel of", &k, &error), GRADUS_OK);
    assert_true(k->stanzas[0].signature.is_generic);
    assert_int_equal(k->type_count, 4);
    assert_int_equal(k->types[1].c, GR_F64);
    assert_int_equal(k->types[2].acc, GR_F32);
    gr_kernel_free(k);
}

static const char reused[] =
    "const int BK = 4;\n"
    "__global__ void k1" OPERANDS "__global__ void k2" OPERANDS "__global__ void k3" OPERANDS
    "template <int BM> __global__ void k4" OPERANDS
    "void run1(int M, int N, int K) { const int BM = 32; dim3 block(BM, BK); dim3 grid(N / BM);\n"
    "  k1<<<grid, block>>>(M, N, K, a, b, c); }\n"
    "void run2(int M, int N, int K) { const int BM = 128; dim3 block(BM); { dim3 block(7); }\n"
    "  dim3 grid(\n    (N + BM - 1) / BM,\n    ceil(M / (float)BM));\n"
    "  k2<<<grid, block, 64>>>(M, N, K, a, b, c); }\n"
    "void run3(int M, int N, int K) { dim3 grid(1); grid.x = N / 8; k3<<<grid, 8>>>(M, N, K, a, b, "
    "c); }\n"
    "template <int S> void run4(int M, int N, int K) { k4<S><<<N / S, S>>>(M, N, K, a, b, c); }\n"
    "void run5(int M, int N, int K, int BK) { k4<64><<<N / 64, BK>>>(M, N, K, a, b, c);\n"
    "  hipLaunchKernelGGL(HIP_KERNEL_NAME(k4<128>), dim3(N / 128), dim3(M, 5), 0, 0, M, N, K, a, "
    "b, c); }\n";

/* Ways to write the same. */
static const char written[] =
    "template <int S> __global__ void k(int rows, int cols, int deep, const float *A, const float "
    "*B, "
    "float *C) {}\n"
    "struct Of { static const int tile = 64; };\n"
    "void f(int cn, int cm, int ck) { const int tile = Of::tile, more = 4U; dim3 const grid{\n"
    "    std::ceil(cn / (float)(32)), (static_cast<unsigned int>(cm) + tile - 1U) / tile, 1U};\n"
    "  k<tile><<<grid, dim3((tile * more + 3) >> 2), 0, stream>>>(cm, cn, ck, a, b, c); }\n";

static void a_launch_is_read_as_it_is_written(void **state)
{
    (void)state;
    struct gr_kernel *k = NULL;
    struct gradus_error error = {0};
    struct gr_guess guess;
    if (gr_kernel_parse("m.cu", written, "kernel k<128>\nargs M,N,K,A,B,C", &k, &error) !=
        GRADUS_OK)
        fail_msg("%s", error.text);
    assert_true(gr_launch_guess(k, &k->stanzas[0], &guess));
    assert_string_equal(guess.grid, "cdiv(N, 32), ((M)+128-1)/128, 1");
    assert_string_equal(guess.block, "(128*4+3)/4");
    assert_string_equal(guess.doubt, "it is written with other template arguments");
    gr_guess_free(&guess);
    gr_kernel_free(k);
}

static const struct {
    const char *extra, *grid, *block, *smem, *doubt;
} launches[] = {
    {"kernel k1", "N/32", "32, 4", NULL, NULL},
    {"kernel k2", "(N+128-1)/128, cdiv(M, 128)", "128", "64", NULL},
    {"kernel k3", "N/8", "8", NULL, NULL},
    {"kernel k4<16>", "N/16", "16", NULL, "other launches of it differ"},
    {"kernel k4<128>", "N/128", "M, 5", "0", NULL},
};

/* What another function calls its tile says nothing of this kernel's. */
static void a_launch_is_read_in_its_function(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        struct gr_kernel *k = NULL;
        struct gradus_error error = {0};
        struct gr_guess guess;
        if (gr_kernel_parse("m.cu", reused, launches[i].extra, &k, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        assert_true(gr_launch_guess(k, &k->stanzas[0], &guess));
        assert_string_equal(guess.grid, launches[i].grid);
        assert_string_equal(guess.block, launches[i].block);
        if (launches[i].smem)
            assert_string_equal(guess.smem, launches[i].smem);
        else
            assert_null(guess.smem);
        assert_string_equal(guess.doubt ? guess.doubt : "",
                            launches[i].doubt ? launches[i].doubt : "");
        gr_guess_free(&guess);
        gr_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_completed),
        cmocka_unit_test(a_type_is_the_variants),
        cmocka_unit_test(a_launch_is_read_as_it_is_written),
        cmocka_unit_test(a_launch_is_read_in_its_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
