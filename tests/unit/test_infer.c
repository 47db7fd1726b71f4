/* test_infer.c: front matter read off files that have none. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/catalog.h"
#include "launches/infer.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *path, *text, *front_matter;
} cases[] = {
    {"a.cu",
     "#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))\n"
     "#define BLOCKSIZE 32\n"
     "#define BM (2*BLOCKSIZE)\n"
     "__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float "
     "*B, float beta, float *C) {}\n"
     "void run(int m, int n, int k, float *dA, float *dB, float *dC) {\n"
     "  dim3 gridDim(CEIL_DIV(m, BM), CEIL_DIV(n, 32), 1);\n"
     "  dim3 blockDim(BLOCKSIZE * BLOCKSIZE);\n"
     "  sgemm_naive<<<gridDim, blockDim>>>(m, n, k, 1.0f, dA, dB, 0.0f, dC);\n"
     "}\n",
     "//@ title    sgemm_naive\n"
     "//@ type     f32\n"
     "//@ let      BLOCKSIZE = 32, BM = (2*BLOCKSIZE)\n"
     "//@ grid     cdiv(M, BM), cdiv(N, 32), 1\n"
     "//@ block    BLOCKSIZE*BLOCKSIZE\n"},
    {"b.cu",
     "#ifndef TILE\n"
     "#define TILE 16\n"
     "#endif\n"
     "template <int X>\n"
     "__global__ void mm(float *A, float *B, float *C, int NN) { extern __shared__ float s[]; }\n"
     "int main() {\n"
     "  int NN = 4096;\n"
     "  const int threads = TILE;\n"
     "  dim3 block = dim3(threads, threads);\n"
     "  dim3 grid((int)ceil(NN / 32), (unsigned int)ceil((float)NN / threads));\n"
     "  size_t bytes = 2 * TILE * TILE * sizeof(float);\n"
     "  mm<4><<<grid, block, bytes, 0>>>(a, b, c, NN);\n"
     "}\n",
     "//@ title    mm\n"
     "//@ type     f32\n"
     "//@ param    TILE 16 {16}\n"
     "//@ kernel   mm<4>\n"
     "// ceil() of an integer division rounds down: the launch misses the edge; cdiv(x, y) rounds "
     "up\n"
     "//@ grid     (4096)/32, cdiv(4096, TILE)\n"
     "//@ block    TILE, TILE\n"
     "//@ smem     2*TILE*TILE*4\n"
     "// still to do: b.cu:14:54: parameter 4 of mm, 'NN' (int): nothing has this name, wanted M N "
     "K alpha A lda B ldb beta C ldc, or an arg, work or map; rename it, or say what to pass: `//@ "
     "args M, N, K, …`\n"},
    {"c.cu",
     "__global__ void __launch_bounds__(256) k1(const double *A, const double *B, double *C, int "
     "M, int N, int K) {}\n"
     "__global__ void k2(const double *A, const double *B, double *C, int M, int N, int K) {}\n",
     "//@ title    k1\n"
     "//@ type     f64\n"
     "//@ kernel   k1\n"
     "// the file's other kernels: k2\n"
     "//@ block    256\n"
     "// the file has no <<<grid, block>>>: write `//@ grid`\n"},
    {"d.cu",
     "__global__ void k1(const half *A, const half *B, float *C, int M, int N, int K, int rows) "
     "{}\n"
     "void f(int M, int N, int K) { k1<<<dim3((N + 127) / 128, foo(M)), {32, 8}>>>(A, B, C, M, N, "
     "K, 3); }\n",
     "//@ title    k1\n"
     "//@ type     A=f16 B=f16 C=f32 ACC=f32\n"
     "// grid: 'foo' on line 2 cannot be read here; write `//@ grid` by hand\n"
     "//@ block    32, 8\n"
     "// still to do: d.cu:6:85: parameter 7 of k1, 'rows' (int): nothing has this name, wanted M "
     "N K alpha A lda B ldb beta C ldc, or an arg, work or map; rename it, or say what to pass: "
     "`//@ args M, N, K, …`\n"},
    {"h.cu",
     "#define S 32\n"
     "__global__ void k(const float *A, const float *B, float *C, int M, int N, int K) {}\n"
     "int main(int count, char **grid) {\n"
     "  int m = 64, n = 96;\n"
     "  dim3 block(S, S), grid((n + S - 1) / S, (m + S - 1) / S);\n"
     "  k<<<grid, block>>>(a, b, c, m, n, 8);\n"
     "}\n",
     "//@ title    k\n"
     "//@ type     f32\n"
     "//@ let      S = 32\n"
     "//@ grid     (N+S-1)/S, (M+S-1)/S\n"
     "//@ block    S, S\n"},
    {"i.hip",
     "using real = float; using in_t = __hip_bfloat16;\n"
     "__global__ void k(const in_t *A, const in_t *B, real *C, int M, int N, int K) {}\n",
     "//@ title    k\n"
     "//@ type     A=bf16 B=bf16 C=f32 ACC=f32\n"
     "// the file has no <<<grid, block>>>: write `//@ grid` and `//@ block`\n"},
    {"e.c",
     "void f(int n, const double *a, const double *b, double *c) { }\n"
     "void g(int n, const double *a, const double *b, double *c) { }\n",
     "//@ title    f\n"
     "//@ type     f64\n"
     "//@ kernel   f\n"
     "// the file's other kernels: g\n"
     "//@ require  M==N && N==K\n"},
    /* Members of a dim3: those that are assigned, in the function of the launch, and the initial
     * values of the others. */
    {"members.cu",
     "#define TILE 16\n"
     "__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K) {}\n"
     "void other() { dim3 block; block.x = 7; block.y = 7; }\n"
     "void go(const float *A, const float *B, float *C, int M, int N, int K) {\n"
     "  dim3 block(8, 8, 2), grid;\n"
     "  block.x = 4 * TILE;\n"
     "  grid.x = (N + block.x - 1) / block.x;\n"
     "  grid.y = (M + block.y - 1) / block.y;\n"
     "  mm<<<grid, block, block.x * sizeof(float)>>>(A, B, C, M, N, K);\n"
     "}\n",
     "//@ title    mm\n"
     "//@ type     f32\n"
     "//@ let      TILE = 16\n"
     "//@ grid     (N+(4*TILE)-1)/(4*TILE), (M+8-1)/8\n"
     "//@ block    4*TILE, 8, 2\n"
     "//@ smem     (4*TILE)*4\n"},
    /* A member that is multiplied is named as what is not understood. */
    {"times.cu",
     "__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K) {}\n"
     "void go(const float *A, const float *B, float *C, int M, int N, int K) {\n"
     "  dim3 block(8, 8);\n"
     "  block.x *= 4;\n"
     "  mm<<<dim3(N / 32, M / 8), block>>>(A, B, C, M, N, K);\n"
     "}\n",
     "//@ title    mm\n"
     "//@ type     f32\n"
     "//@ grid     N/32, M/8\n"
     "// block: '*' on line 4 cannot be read here; write `//@ block` by hand\n"},
};

static void front_matter_is_inferred(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_str out = {0};
        struct gradus_error error = {0};
        if (gr_kernel_infer(cases[i].path, cases[i].text, &out, &error) != GRADUS_OK)
            fail_msg("%s", error.text);
        assert_string_equal(gr_str_text(&out), cases[i].front_matter);
        gr_str_free(&out);
    }
}

/* What is inferred without a "still to do" makes a file that is read, and says what the launch
 * said. */
static void inferred_lines_are_read(void **state)
{
    (void)state;
    struct gr_str whole = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_kernel_infer(cases[0].path, cases[0].text, &whole, &error), GRADUS_OK);
    gr_str_add(&whole, cases[0].text);
    struct gr_kernel *k;
    if (gr_kernel_parse(cases[0].path, whole.text, NULL, &k, &error) != GRADUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(k->let_count, 2);
    assert_int_equal(k->stanzas[0].grid.count, 3);
    assert_string_equal(k->stanzas[0].grid.items[0].text, "cdiv(M, BM)");
    gr_kernel_free(k);
    assert_int_equal(gr_kernel_infer("a.cu", whole.text, &whole, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "a.cu: the file has front matter (`//@`) already");
    gr_str_free(&whole);
}

static void nothing_to_infer(void **state)
{
    (void)state;
    struct gr_str out = {0};
    struct gradus_error error = {0};
    assert_int_equal(gr_kernel_infer("x.cu", "void f(float *A) {}", &out, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "x.cu: found no kernel, wanted a __global__ function");
    gr_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_matter_is_inferred),
        cmocka_unit_test(inferred_lines_are_read),
        cmocka_unit_test(nothing_to_infer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
