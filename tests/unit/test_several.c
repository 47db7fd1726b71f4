/* test_several.c: which kernels of a file may each be a GEMM, what a list of names means, and which
 * are steps of a product by the launches of host code. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/alternatives.h"
#include "catalog/multiplies.h"
#include "launches/product_steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sums of products. ---- */

static const struct {
    const char *body;
    bool multiplies;
} bodies[] = {
    {"for (int k = 0; k < n; k++) s += A[k] * B[k]; C[0] = s;", true},
    {"for (int k = 0; k < n; k++) s = s + A[k] * B[k];", true},
    {"for (int k = 0; k < n; k++) C[k] = A[k] * B[k] + C[k];", true},
    {"for (int k = 0; k < n; k++) { float t = A[k] * B[k]; s += t; }", true},
    {"for (int k = 0; k < n; k++) s = fmaf(A[k], B[k], s);", true},
    {"for (int k = 0; k < n; k++) s = __hadd(s, __hmul(A[k], B[k]));", true},
    {"for (int k = 0; k < n; k++) wmma::mma_sync(c, a, b, c);", true},
    {"for (int k = 0; k < n; k++) s += twice(A[k]);", true},  /* of this file: may be a product */
    {"for (int k = 0; k < n; k++) unknown(A, B, C);", true},  /* of another file */
    {"for (int k = 0; k < n; k++) inner(A, B, C, k);", true}, /* of this file: it multiplies */
    {"for (int k = 0; k < n; k++) C[k] = A[k] + B[k];", false},
    {"for (int k = 0; k < n; k++) C[k * n + 1] = A[k] * B[k];", false},
    {"for (int k = 0; k < n; k++) s += A[k * n + 1];", false},
    {"for (int i = threadIdx.x; i < n; i += blockDim.x * gridDim.x) C[i] = A[i];", false},
    {"int i = 0; while (i < n) { C[i] = A[i]; i += blockDim.x * gridDim.x; }", false},
    {"for (int k = 0; k < n; k++) s += expf(A[k]); __syncthreads();", false},
    {"for (int k = 0; k < n; k++) copy(A, C, k);", false},
};

static void sums_of_products_are_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct gr_scan scan;
        char *text = gr_printf("__device__ float twice(float x) { return x * 2; }\n"
                               "__device__ void inner(float *A, float *B, float *C, int k)\n"
                               "{ C[0] += A[k] * B[k]; }\n"
                               "__device__ void copy(float *A, float *C, int k) { C[k] = A[k]; }\n"
                               "__global__ void k(float *A, float *B, float *C, int n) { %s }\n",
                               bodies[i].body);
        assert_int_equal(gr_scan_text("m.cu", text, &scan, NULL), GRADUS_OK);
        if (gr_function_multiplies(&scan, &scan.functions[3]) != bodies[i].multiplies)
            fail_msg("%s", bodies[i].body);
        gr_scan_free(&scan);
        free(text);
    }
}

/* ---- Names. ---- */

static void a_list_of_names_is_read(void **state)
{
    static const struct {
        const char *names, *read, *words;
    } lists[] = {
        {"naive", "naive", "naive"},
        {"naive, tiled<16, 8>,last", "naive|tiled<16, 8>|last", "naive|tiled_16_8|last"},
        {"k<(A>1), 2>", "k<(A>1), 2>", "k_A_1_2"},
        {"a::k,b::k,a::m", "a::k|b::k|a::m", "a_k|b_k|m"},
        {"naive,naive", "naive", "naive"},
        {"naive,", NULL, NULL},
        {" ,naive", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct gr_alternatives list;
        struct gradus_error error = {0};
        struct gr_str read = {0}, words = {0};
        const bool is_read = gr_alternatives_named(lists[i].names, &list, &error) == GRADUS_OK;
        for (int n = 0; n < list.count && is_read; n++) {
            char *word = gr_alternative_word(&list, n);
            gr_str_printf(&read, "%s%s", n ? "|" : "", list.items[n].name);
            gr_str_printf(&words, "%s%s", n ? "|" : "", word);
            free(word);
        }
        assert_int_equal(is_read, lists[i].read != NULL);
        if (is_read) {
            assert_string_equal(gr_str_text(&read), lists[i].read);
            assert_string_equal(gr_str_text(&words), lists[i].words);
        }
        gr_str_free(&read);
        gr_str_free(&words);
        gr_alternatives_free(&list);
        gradus_error_clear(&error);
    }
}

/* ---- Steps. ---- */

static const char kernels[] =
    "__global__ void fill(float *x, int n) { x[0] = n; }\n"
    "__global__ void convert(const float *x, half *y) { y[0] = x[0]; }\n"
    "__global__ void turn(const float *x, float *y) { y[0] = x[0]; }\n"
    "__global__ void gemm(const float *a, const float *b, float *c) { c[0] += a[0] * b[0]; }\n"
    "__global__ void edge(const float *a, const float *b, float *c) { c[1] += a[0] * b[0]; }\n"
    "__global__ void total(float *p, float *c) { c[0] = p[0] + p[1]; }\n";

static const struct {
    const char *host, *kernel, *why;
} steps[] = {
    {"int main() { gemm<<<1, 1>>>(A, B, P); total<<<1, 1>>>(P, C); }", "gemm",
     "total, launched in line 7, reads what it writes"},
    {"int main() { gemm<<<1, 1>>>(A, B, P); total<<<1, 1>>>(P, C); }", "total",
     "gemm, launched in line 7, makes an array that it reads"},
    {"int main() { gemm<<<1, 1>>>(A, B, C); total<<<1, 1>>>(P, C); }", "gemm", NULL},
    {"int main() { gemm<<<1, 1>>>(A, B, P); } void f() { total<<<1, 1>>>(P, C); }", "gemm", NULL},
    {"int main() { turn<<<1, 1>>>(B, T); gemm<<<1, 1>>>(A, T, C); }", "gemm",
     "turn, launched in line 7, makes an array that it reads"},
    {"int main() { convert<<<1, 1>>>(B, T); gemm<<<1, 1>>>(A, T, C); }", "gemm", NULL},
    {"int main() { fill<<<1, 1>>>(B, 1); gemm<<<1, 1>>>(A, B, C); }", "gemm", NULL},
    {"int main() { gemm<<<1, 1>>>(A, B, C); edge<<<1, 1>>>(A, B, C); }", "edge", NULL},
    {"void f(float *A, float *B, float *C) { gemm<<<1, 1>>>(A, B, C); edge<<<1, 1>>>(A, B, C); }",
     "edge", "gemm, launched in line 7, writes the same array in the same call"},
    {"void f(float *A, float *B, float *C, int s) { if (s) gemm<<<1, 1>>>(A, B, C); else edge<<<1, "
     "1>>>(A, B, C); }",
     "edge", NULL},
    {"void f(float *A, float *B, float *C) { gemm<<<1, 1>>>(A, B, C); cudaEventRecord(e); "
     "edge<<<1, "
     "1>>>(A, B, C); }",
     "edge", NULL},
};

static void steps_are_found_in_host_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct gr_str why = {0};
        char *text = gr_printf("%s%s\n", kernels, steps[i].host);
        const bool is = gr_step_of_product("m.cu", text, steps[i].kernel, &why);
        if (is != (steps[i].why != NULL))
            fail_msg("%s: %s", steps[i].host, gr_str_text(&why));
        if (is)
            assert_string_equal(gr_str_text(&why), steps[i].why);
        gr_str_free(&why);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_products_are_recognized),
        cmocka_unit_test(a_list_of_names_is_read),
        cmocka_unit_test(steps_are_found_in_host_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
