/* test_catalog_errors.c: what is wrong with a kernel file is told in one line that points at it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/keywords.h"

#include <stdlib.h>
#include <string.h>

/* Front matter above a kernel that has nothing wrong. */
static const struct {
    const char *front_matter, *message;
} malformed[] = {
    {"//@ parm BM 64", "k.c:1:5: unknown keyword 'parm'; did you mean 'param'?"},
    {"//@ define N", "k.c:1:13: wanted '=' and a number after the name"},
    {"//@ define N=x", "k.c:1:14: found 'x', wanted a number"},
    {"//@ 3", "k.c:1:5: found '3', wanted a keyword such as type, param or grid"},
    {"//@ title", "k.c:1:10: found the end of the line, wanted a title"},
    {"//@ title One\n//@ title Two", "k.c:2:5: a second `title`, wanted one"},
    {"//@ after", "k.c:1:10: found the end of the line, wanted a kernel's name such as 06_tile1d"},
    {"//@ after 01_naive 02_other",
     "k.c:1:20: found '02_other' after the kernel's name, wanted the end of the line"},
    {"//@ idea", "k.c:1:9: found the end of the line, wanted a sentence"},
    {"//@ type", "k.c:1:9: found the end of the line, wanted types such as f32, f64"},
    {"//@ type f33", "k.c:1:10: unknown element type 'f33'; did you mean 'f32'?"},
    {"//@ type f32,", "k.c:1:14: found the end of the line, wanted an element type such as f32"},
    {"//@ type f32,,f64", "k.c:1:14: found ',', wanted an element type such as f32"},
    {"//@ type f32 f64", "k.c:1:14: found 'f64' after the type, wanted the end of the line"},
    {"//@ type f32, f32", "k.c:1:15: the same type a second time"},
    {"//@ type float", "k.c:1:10: unknown element type 'float', wanted one such as f32 or f64"},
    {"//@ type A=bf16 B=bf16", "k.c:1:10: wanted all of A=, B= and C="},
    {"//@ type A=bf16 A=bf16 C=f32",
     "k.c:1:17: second 'A', wanted each of A=, B=, C= and ACC= once"},
    {"//@ type A=bf16 B=bf16 D=f32",
     "k.c:1:24: found 'D', wanted each of A=, B=, C= and ACC= once"},
    {"//@ type A bf16 = 3", "k.c:1:12: wanted '=' and a type after 'A'"},
    {"//@ type A=", "k.c:1:12: found the end of the line, wanted an element type such as f32"},
    {"//@ math tf31", "k.c:1:10: unknown element type 'tf31'; did you mean 'tf32'?"},
    {"//@ math tf32 f32", "k.c:1:15: found 'f32' after the type, wanted the end of the line"},
    {"//@ layout D row", "k.c:1:12: wanted A, B or C, then row or col"},
    {"//@ layout A", "k.c:1:13: found the end of the line, wanted row or col"},
    {"//@ layout A sideways", "k.c:1:13: found 'sideways', wanted row or col"},
    {"//@ layout A row col", "k.c:1:18: found 'col' after row or col, wanted the end of the line"},
    {"//@ trans nn, nx", "k.c:1:15: found 'nx', wanted nn, nt, tn or tt"},
    {"//@ trans nn, nn", "k.c:1:15: 'nn' a second time"},
    {"//@ trans nn nt", "k.c:1:14: found 'nt' after the transposes, wanted the end of the line"},
    {"//@ arch > sm_80", "k.c:1:12: wanted '>=' or nothing before the architecture"},
    {"//@ arch 80", "k.c:1:10: found '80', wanted an architecture such as sm_90a"},
    {"//@ arch turing",
     "k.c:1:10: found 'turing', wanted an architecture such as sm_90a or gfx1100"},
    {"//@ arch sm_80 sm_90",
     "k.c:1:16: found 'sm_90' after the architecture, wanted the end of the line"},
    {"//@ arch gfx90a,",
     "k.c:1:17: found the end of the line, wanted an architecture such as sm_90a"},
    {"//@ arch >= gfx90a",
     "k.c:1:13: '>=' before 'gfx90a', wanted one of NVIDIA's architectures alone (>= sm_80), or a "
     "list of names"},
    {"//@ tuned BK 8 @gfx11", "k.c:1:11: found 'BK', wanted a param of a line above"},
    {"//@ param BK 8 {8,16}\n//@ tuned BK 9 @gfx11",
     "k.c:2:14: BK may not be 9; its `param` line lists what it may be"},
    {"//@ param BK 8 {8,16}\n//@ tuned BK 16",
     "k.c:2:16: wanted '@' and an architecture after the value"},
    {"//@ arch >= sm_80, sm_90a", "k.c:1:20: an item after '>= sm_80', wanted nothing"},
    {"//@ isa avx513f", "k.c:1:9: unknown ISA feature 'avx513f'; did you mean 'avx512f'?"},
    {"//@ isa avx2 fma", "k.c:1:14: found 'fma' after the feature, wanted the end of the line"},
    {"//@ flags -O3 fast", "k.c:1:15: found 'fast', wanted a compiler flag that begins with '-'"},
    {"//@ param", "k.c:1:10: found the end of the line, wanted NAME DEFAULT {VALUES}"},
    {"//@ param 64", "k.c:1:11: found '64', wanted a parameter's name"},
    {"//@ param BM", "k.c:1:13: found the end of the line, wanted the default value"},
    {"//@ param BM x", "k.c:1:14: found 'x', wanted the default value"},
    {"//@ param BM 64 128", "k.c:1:17: found '128', wanted {VALUES} or the end of the line"},
    {"//@ param BM 64 {", "k.c:1:18: found the end of the line, wanted an allowed value"},
    {"//@ param BM 64 {}", "k.c:1:18: found '}', wanted an allowed value"},
    {"//@ param BM 64 {64", "k.c:1:20: found the end of the line, wanted ',' or '}'"},
    {"//@ param BM 64 {64,64}", "k.c:1:21: 64 a second time"},
    {"//@ param BM 64 {32,128}", "k.c:1:16: the default 64 is not among the allowed values"},
    {"//@ param BM 64 {64} {32}", "k.c:1:22: found '{' after '}', wanted the end of the line"},
    {"//@ param BM 64 {64;32}", "k.c:1:20: found ';', wanted ',' or '}'"},
    {"//@ param BM 64, BM 32", "k.c:1:18: the name 'BM' is taken; choose another"},
    {"//@ param M 64", "k.c:1:11: the name 'M' is taken; choose another"},
    {"//@ param T 64", "k.c:1:11: the name 'T' is taken; choose another"},
    {"//@ param BM 99999999999999999999",
     "k.c:1:14: a number that does not fit 64 bits, wanted the default value"},
    {"//@ param BM 6.4", "k.c:1:15: '.' after a number, wanted the default value"},
    {"//@ param BM 64, BN", "k.c:1:20: found the end of the line, wanted the default value"},
    {"//@ let NT", "k.c:1:11: found the end of the line, wanted '=' after 'NT'"},
    {"//@ let NT 5", "k.c:1:12: found '5', wanted '=' after 'NT'"},
    {"//@ let NT =", "k.c:1:13: found the end of the line, wanted an expression"},
    {"//@ let NT = 5, NT = 6", "k.c:1:17: the name 'NT' is taken; choose another"},
    {"//@ let NT = (1+",
     "k.c:1:17: found the end of the expression, wanted a number, a name or '('"},
    {"//@ let NT = M", "k.c:1:14: 'M' is known at run time only and `let` is evaluated at compile "
                       "time; write `arg` instead"},
    {"//@ let NT = BX",
     "k.c:1:14: unknown name 'BX', wanted a param, let or arg, or a given name such as M"},
    {"//@ let X = Y, Y = 1",
     "k.c:1:13: 'Y' is used before its own line; move that line above this one"},
    {"//@ let X = X", "k.c:1:13: 'X' is used before its own line; move that line above this one"},
    {"//@ require", "k.c:1:12: found the end of the line, wanted an expression"},
    {"//@ require M%64==0 because", "k.c:1:21: found 'b', wanted an operator or the end"},
    {"//@ require M%64==0 \"why", "k.c:1:21: a reason that is not closed, wanted \"…\""},
    {"//@ require M%64==0 \"why\" not",
     "k.c:1:27: found 'not' after the reason, wanted the end of the line"},
    {"//@ require \"why\"", "k.c:1:13: found '\"', wanted an expression"},
    {"//@ require Mx == 0", "k.c:1:13: unknown name 'Mx'; did you mean 'M'?"},
    {"//@ require M = 4", "k.c:1:15: found '=', wanted an operator or the end"},
    {"//@ require aligned(A)", "k.c:1:22: found ')', wanted ','"},
    {"//@ arg splits = clamp(SM, 1, 2)", "k.c:1:24: unknown name 'SM'; did you mean 'M'?"},
    {"//@ arg a b", "k.c:1:11: found 'b', wanted '=' after 'a'"},
    {"//@ arg a = b, b = 1",
     "k.c:1:13: 'b' is used before its own line; move that line above this one"},
    {"//@ work P", "k.c:1:11: found the end of the line, wanted '=' after 'P'"},
    {"//@ work P = f32", "k.c:1:17: found the end of the line, wanted '[' and a count of elements"},
    {"//@ work P = f32[", "k.c:1:18: found the end of the line, wanted ']'"},
    {"//@ work P = f32[]", "k.c:1:18: found ']', wanted a count of elements"},
    {"//@ work P = g32[5]", "k.c:1:13: unknown element type 'g32', wanted T or one such as f32"},
    {"//@ work P = f32[5] one", "k.c:1:21: found 'one', wanted `zero` or the end of the line"},
    {"//@ work P = f32[5] zero zero",
     "k.c:1:26: found 'zero' after zero, wanted the end of the line"},
    {"//@ work P = f32[M*Q]",
     "k.c:1:20: unknown name 'Q', wanted a param, let or arg, or a given name such as M"},
    {"//@ map tmA = D[1,2]", "k.c:1:15: found 'D', wanted the operand A, B or C"},
    {"//@ map tmA = A",
     "k.c:1:16: found the end of the line, wanted '[' and the box, rows and columns"},
    {"//@ map tmA = A[]", "k.c:1:17: an empty box, wanted rows and columns"},
    {"//@ map tmA = A[1,2] swizzle127", "k.c:1:22: found 'swizzle127', wanted swizzle32, "
                                        "swizzle64, swizzle128, optional or by_address, each once"},
    {"//@ map tmA = A[1,2] swizzle128 x", "k.c:1:33: found 'x', wanted swizzle32, swizzle64, "
                                          "swizzle128, optional or by_address, each once"},
    {"//@ kernel", "k.c:1:11: found the end of the line, wanted a kernel's name"},
    {"//@ kernel f twice", "k.c:1:14: found 'twice', wanted `once` or the end of the line"},
    {"//@ kernel f<BM", "k.c:1:13: found the end of the line, wanted '>'"},
    {"//@ kernel nothere", "k.c:1:12: the file has no function 'nothere'"},
    {"//@ kernel ff", "k.c:1:12: the file has no function 'ff'; did you mean 'f'?"},
    {"//@ grid 1,2,3,4", "k.c:1:16: more than 3 expressions"},
    {"//@ grid", "k.c:1:9: found the end of the line, wanted one to three expressions"},
    {"//@ grid 1,", "k.c:1:12: found the end of the line, wanted an expression"},
    {"//@ grid 1\n//@ grid 2", "k.c:2:5: a second `grid`, wanted one for each kernel"},
    {"//@ grid 1\n//@ kernel f",
     "k.c:2:12: lines about the launch are above the first `kernel` line, wanted below it"},
    {"//@ block cdiv(N,",
     "k.c:1:18: found the end of the expression, wanted a number, a name or '('"},
    {"//@ cluster 2,,1", "k.c:1:15: found ',', wanted an expression"},
    {"//@ smem 48*", "k.c:1:13: found the end of the expression, wanted a number, a name or '('"},
    {"//@ args M, N", "k.c:1:10: `args` has 2 values and f takes 11 parameters"},
    {"//@ args M, N, K, alpha, A, lda, B, ldb, beta, C, x y",
     "k.c:1:51: unknown name 'x', wanted a param, let or arg, or a given name such as M"},
    {"//@ args M, N, K, alpha, A, lda, B, ldb, beta, A+1, ldc",
     "k.c:2:111: parameter 10 of f, 'C' (float *): the value on the `args` line does not fit its "
     "type"},
    {"//@ args A, N, K, alpha, A, lda, B, ldb, beta, C, ldc",
     "k.c:2:12: parameter 1 of f, 'M' (int): A is a pointer, and the type is not; rename it, or "
     "say what to pass: `//@ args M, N, K, …`"},
    {"//@ expect", "k.c:1:11: found the end of the line, wanted an expression"},
    {"//@ expect regs <=",
     "k.c:1:19: found the end of the expression, wanted a number, a name or '('"},
    {"//@ expect regs <= 8 @",
     "k.c:1:23: found the end of the line, wanted an architecture such as sm_90"},
    {"//@ expect x[A <= 8", "k.c:1:15: found ' ', wanted an operand and ']'"},
};

static const char kernel_text[] =
    "\nvoid f(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, "
    "float beta, float *C, int ldc)\n{\n}\n";

/* Whole files. */
static const struct {
    const char *path, *text, *message;
} wrong_files[] = {
    {"k.c", "",
     "k.c: found no kernel, wanted a function `void NAME(…)` that is not static and takes A, B and "
     "C"},
    {"k.c", "int main(void) { return 0; }",
     "k.c: found no kernel, wanted a function `void NAME(…)` that is not static and takes A, B and "
     "C"},
    {"k.c", "static int f(int x) { return x; }",
     "k.c: found no kernel, wanted a function `void NAME(…)` that is not static and takes A, B and "
     "C"},
    {"k.c", "void f(float *A, float *B, float *C) { }\nvoid g(float *A, float *B, float *C) { }",
     "k.c: 2 functions may be the kernel (f, g); choose one with `//@ kernel NAME` or --kernel "
     "NAME"},
    {"k.c", "void f(float *A, float *B) { }",
     "k.c:1: f takes no C, wanted a pointer parameter of that name, or an `args` line that says "
     "which parameter is C"},
    {"k.c", "void f(int M, float *A, float *B, float *C, int rows) { }",
     "k.c:1:49: parameter 5 of f, 'rows' (int): nothing has this name, wanted M N K alpha A lda B "
     "ldb beta C ldc, or an arg, work or map; rename it, or say what to pass: `//@ args M, N, K, "
     "…`"},
    {"k.c", "void f(double M, float *A, float *B, float *C) { }",
     "k.c:1:15: parameter 1 of f, 'M' (double): M is an integer, and the type is not; rename it, "
     "or say what to pass: `//@ args M, N, K, …`"},
    {"k.c", "void f(float *M, float *A, float *B, float *C) { }",
     "k.c:1:15: parameter 1 of f, 'M' (float *): M is an integer, and the type is not; rename it, "
     "or "
     "say what to pass: `//@ args M, N, K, …`"},
    {"k.c", "void f(float A, float *B, float *C) { }",
     "k.c:1:14: parameter 1 of f, 'A' (float): A is a pointer, and the type is not; rename it, or "
     "say what to pass: `//@ args M, N, K, …`"},
    {"k.c", "void f(int, float *A, float *B, float *C) { }",
     "k.c:1:8: parameter 1 of f, 'unnamed' (int): nothing has this name, wanted M N K alpha A lda "
     "B ldb beta C ldc, or an arg, work or map; rename it, or say what to pass: `//@ args M, N, K, "
     "…`"},
    {"k.c", "void f(float *A, float *B, const float *C) { }",
     "k.c:1:41: parameter 3 of f, 'C' (const float *): C is written, wanted a pointer that is not "
     "const"},
    {"k.c", "void f(float *A, float *B, float *C, int m, int M) { }",
     "k.c:1:49: parameter 5 of f, 'M' (int): the same name a second time; rename it, or say what "
     "to pass: `//@ args M, N, K, …`"},
    {"k.c", "void f(matrix A, float *B, float *C) { }",
     "k.c:1:15: parameter 1 of f, 'A' (matrix): A is a pointer, and the type is not; rename it, or "
     "say what to pass: `//@ args M, N, K, …`"},
    {"k.c", "void f(float **A, float **B, float **C, int n) { }",
     "k.c:1:16: parameter 1 of f, 'A' (float **): an array of pointers to rows cannot be passed, "
     "wanted "
     "a pointer to the first element"},
    {"k.c",
     "static void row(float *a, float *b, float *c) { }\nvoid f(float *x, float *y, float *z, int "
     "n) { row(x, y, z); }",
     "k.c:2:15: 3 parameters of f have names that say nothing: 'x' (float *), 'y' (float *), 'z' "
     "(float *); wanted M N K alpha A lda B ldb beta C ldc, or an arg, work or map; rename them, "
     "or say "
     "what to pass: --args 'A, B, C, N'"},
    {"k.c", "void f(void *A, void *B, void *C) { }",
     "k.c: the element type is not known, since A (void *) is no pointer to float, double or the "
     "like; "
     "write `//@ type f32`"},
    {"k.c", "void f(T *A, T *B, T *C) { }",
     "k.c: the element type is not known, since A (T *) is no pointer to float, double or the "
     "like; "
     "write `//@ type f32`"},
    {"k.c", "//@ type f64\nvoid f(const float *A, float *B, float *C) { }",
     "k.c:2:21: parameter 1 of f, 'A' (const float *): the `type` line says f64; write T, or make "
     "both agree"},
    {"k.c", "//@ type A=f16 B=f16 C=f32\nvoid f(const T *A, const float *B, float *C) { }",
     "k.c:2:33: parameter 2 of f, 'B' (const float *): the `type` line says f16; write T, or make "
     "both agree"},
    {"k.c", "//@ kernel f once\nvoid f(T *A, T *B, T *C) { }",
     "k.c:2:11: parameter 1 of f, 'A' (T *): a `once` kernel runs untimed and may take none of A, "
     "B, C"},
    {"k.c", "//@ type f32\nint x;\n//@ param BM 64\nvoid f(float *A, float *B, float *C) { }",
     "k.c:3:5: `param` is below the first line of code; move it to the top"},
    {"k.c", "void f(float *A, float *B, float *C) { /* open }",
     "k.c:1:40: a comment that is not closed before the file ends"},
    {"k.c", "void f(float *A, float *B, float *C) { \"open }\n}",
     "k.c:1:40: a literal that is not closed on its line, wanted \""},
    {"k.c", "void f(float *A, float *B, float *C) { if (1) { }",
     "k.c:1:38: a '{' that is not closed before the file ends"},
    {"k.c", "void f(float *A, float *B, float *C) { } }",
     "k.c:1:42: a '}' that closes nothing; is a '{' missing above?"},
    {"k.cu", "void f(float *A, float *B, float *C) { }",
     "k.cu: found no kernel, wanted a __global__ function"},
    {"k.cu", "__global__ void f(float *A, float *B, float *C) { }\n__global__ void g(int x) { }",
     "k.cu: none of its 2 kernels (f, g) can be a GEMM, which takes three arrays and adds products "
     "in a loop; --kernel NAME takes one all the same"},
    {"k.cu",
     "__global__ void f(float *A, float *B, float *C) { for (;;) C[0] += A[0] * B[0]; }\n"
     "__global__ void g(float *A, float *B, float *C) { for (;;) C[0] += A[0] * B[0]; }",
     "k.cu: 2 functions may be the kernel (f, g); choose one with `//@ kernel NAME` or --kernel "
     "NAME"},
    {"k.cu", "__global__ void f(float *A, float *B, float *C, struct gr_team *team) { }",
     "k.cu:1:65: parameter 4 of f, 'team' (struct gr_team *): ukr and team are for CPU kernels; "
     "rename it, or say what to pass: `//@ args M, N, K, …`"},
    {"k.cu", "__global__ void f(float *A, float *B, float *C, const char *s = R\"x(open)\") { }",
     "k.cu:1:65: a raw string that is not closed before the file ends"},
    {"k.c", "//@ param BM 64 {32, 64}\n#define BM 64\nvoid f(float *A, float *B, float *C) { }",
     "k.c:2:1: this hides the file's `param BM`; drop it, or put it inside #ifndef BM"},
};

static const struct {
    const char *path, *text;
} right_files[] = {
    {"k.c", "static void f(float *A, float *B, float *C) { }\nint main(void) { }"},
    {"k.c", "int f(float *A, float *B, float *C) { return 0; }\nvoid g(int x) { }"},
    {"k.c",
     "static void f(float *A, float *B, float *C) { }\nvoid g(float *A, float *B, float *C) { }"},
    {"k.c", "//@ param BM 64 {32, 64}\n#ifndef BM\n#define BM 64\n#endif\nvoid f(float *A, float "
            "*B, float *C) { }"},
    {"k.c", "#if 0\nvoid g(float *A, float *B, float *C) { don't }\n#endif\n#if X\nvoid f(float "
            "*A, float *B, float *C) {\n#else\nvoid f(float *A, float *B, float *C) {\n#endif\n}"},
    {"k.c", "extern \"C\" {\nvoid f(float *A, float *B, float *C) { }\n}"},
    {"k.c", "#define real float\ntypedef unsigned int size;\nvoid f(const real *A, const real *B, "
            "real *C, size M) { }"},
    {"k.c", "void f(int n, float A[n][n], float B[n][n], float (*C)[n]) { }"},
    {"k.c",
     "typedef const int *size;\nvoid f_(const int *m, int *n, long const *k, const double *alpha, "
     "double *a, double *b, double *c) { }"},
    {"k.c",
     "static void row(float *a, float *b, float *c) { }\nvoid g(float *A, float *B, float *C) { }"},
    {"k.c",
     "//@ args \"N\", 'T', M, N, K, A, B, C\nvoid f(const char *t, char u, int *m, int *n, int *k, "
     "float *a, float *b, float *c) { }"},
};

static void check(const char *path, const char *text, const char *message)
{
    struct gr_kernel *kernel;
    struct gradus_error error = {0};
    enum gradus_status status = gr_kernel_parse(path, text, NULL, &kernel, &error);
    if (!message && status != GRADUS_OK)
        fail_msg("%s\n%s", text, error.text);
    if (message && (status != GRADUS_INVALID || strcmp(error.text, message) != 0))
        fail_msg("%s\nfound  %s\nwanted %s", text, error.text, message);
    gr_kernel_free(kernel);
    gradus_error_clear(&error);
}

static void front_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char *text = gr_printf("%s%s", malformed[i].front_matter, kernel_text);
        check("k.c", text, malformed[i].message);
        free(text);
    }
}

static void files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_files / sizeof *wrong_files; i++)
        check(wrong_files[i].path, wrong_files[i].text, wrong_files[i].message);
    for (size_t i = 0; i < sizeof right_files / sizeof *right_files; i++)
        check(right_files[i].path, right_files[i].text, NULL);
}

/* A line that says nothing of a kernel in the file's language, for each keyword that the table
 * marks so; the others are read in both. */
static void other_languages(void **state)
{
    (void)state;
    static const struct {
        const char *keyword, *rest;
    } lines[] = {{"arch", ">= sm_80"},      {"size", "W = 3"}, {"array", "in x f32[4]"},
                 {"flop", "2*M"},           {"bytes", "M"},    {"map", "tmA = A[1,2]"},
                 {"expect", "regs <= 10"},  {"grid", "3"},     {"block", "cdiv(M,32), 8"},
                 {"cluster", "2"},          {"smem", "M"},     {"when", "M > 3"},
                 {"tuned", "BM 64 @sm_90"}, {"define", "N=8"}, {"isa", "avx2"}};
#define FLAGS(name, flags, wanted) {#name, flags},
    static const struct {
        const char *keyword;
        int flags;
    } table[] = {GR_KEYWORD_LIST(FLAGS)};
#undef FLAGS
    int marked = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        marked += (table[i].flags & (GR_KEYWORD_GPU | GR_KEYWORD_CPU)) != 0;
    assert_int_equal(marked, sizeof lines / sizeof *lines);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const bool of_c = strcmp(lines[i].keyword, "isa") == 0;
        const char *path = of_c ? "k.cu" : "k.c";
        char *text = gr_printf("//@ param BM 64 {64}\n//@ %s %s\n%s%s", lines[i].keyword,
                               lines[i].rest, of_c ? "__global__ " : "", kernel_text + 1);
        char *message = gr_printf("%s:2:5: found `%s`, which is for %s kernels, wanted a line of a "
                                  "%s kernel; leave it out",
                                  path, lines[i].keyword, of_c ? "C" : "GPU", of_c ? "GPU" : "C");
        check(path, text, message);
        free(message);
        free(text);
    }
}

/* Each limit, one past it. */
static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int most;
        const char *message;
    } cases[] = {
        {"//@ param P%d 1\n", GR_MAX_PARAMS, "k.c:33:14: more than 32 params"},
        {"//@ let L%d = 1\n", GR_MAX_LETS, "k.c:65:9: more than 64 `let` names"},
        {"//@ arg a%d = 1\n", GR_MAX_ARGS, "k.c:65:9: more than 64 `arg` names"},
        {"//@ work W%d = f32[1]\n", GR_MAX_WORKS, "k.c:9:10: more than 8 `work` buffers"},
        {"//@ map t%d = A[1,1]\n", GR_MAX_MAPS, "k.c:9:9: more than 8 `map` lines"},
        {"//@ kernel k%d\n", GR_MAX_STANZAS, "k.c:17:12: more than 16 `kernel` lines"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct gr_str text = {0};
        for (int i = 0; i <= cases[c].most; i++) {
            const char *percent = strchr(cases[c].line, '%');
            gr_str_printf(&text, "%.*s%d%s", (int)(percent - cases[c].line), cases[c].line, i,
                          percent + 2);
        }
        check("k.c", gr_str_text(&text), cases[c].message);
        gr_str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_matter),
        cmocka_unit_test(files),
        cmocka_unit_test(other_languages),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
