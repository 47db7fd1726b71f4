/* test_workload.c: kernels that are no GEMMs: what their `size`, `array`, `flop` and `bytes` lines
 * say, and each thing that may be wrong with them, in one line that points at it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "plan/workload.h"

#include <stdlib.h>
#include <string.h>

static const char transpose[] =
    "\n__global__ void f(const float *in, float *out, int N, int M)\n{\n}\n";

/* Lines above the transpose, options, and what is wrong with them; a null message: nothing. */
static const struct {
    const char *lines, *options, *message;
} cases[] = {
    {"//@ size N = 4, M = 5\n//@ array in f32[N,M], out f32[M,N]", NULL, NULL},
    {"//@ size N = 4, M = 5\n//@ array in in f32[N,M], out out f32[M,N]", NULL, NULL},
    {"", "size N = 4, M = 5\narray in f32[N,M], out f32[M,N]\nflop N*M\nbytes 8*N*M\n", NULL},
    {"//@ size N = 4, M = 5\n//@ array in T[N,M], out T[M,N]", "size M = 7\n", NULL},
    /* sizes */
    {"//@ size", NULL, "k.cu:1:9: found the end of the line, wanted NAME = VALUE"},
    {"//@ size N", NULL, "k.cu:1:11: found the end of the line, wanted '=' after 'N'"},
    {"//@ size N = x", NULL, "k.cu:1:14: found 'x', wanted a value"},
    {"//@ size N = 1.5", NULL, "k.cu:1:15: '.' after a number, wanted a value"},
    {"//@ size N = 4 4", NULL, "k.cu:1:16: found '4' after the value, wanted the end of the line"},
    {"//@ size N = -4", NULL, "k.cu:1:13: size N is -4, wanted 0 or more"},
    {"//@ size N = 99999999999999999999", NULL,
     "k.cu:1:14: a number that does not fit 64 bits, wanted a value"},
    {"//@ size N = 4, N = 5", NULL, "k.cu:1:17: the name 'N' is taken; choose another"},
    {"//@ size min = 4", NULL, "k.cu:1:10: the name 'min' is taken; choose another"},
    {"//@ param BM 4\n//@ size BM = 4", NULL, "k.cu:2:10: the name 'BM' is taken; choose another"},
    {"//@ size N = 4\n//@ param N 4", NULL, "k.cu:2:11: the name 'N' is taken; choose another"},
    {"//@ size a=1,b=1,c=1,d=1,e=1,g=1,h=1,i=1,j=1", NULL, "k.cu:1:42: more than 8 sizes"},
    {"//@ size N = 4, M = 5\n//@ array in f32[N,M], out f32[M,N]", "size Q = 4\n",
     "--size: the file has no size 'Q', wanted one of its `size` lines"},
    {"//@ size rows = 4, M = 5\n//@ array in f32[rows,M], out f32[M,rows]", "size row = 4\n",
     "--size: the file has no size 'row'; did you mean 'rows'?"},
    {"//@ size N = 4, M = 5\n//@ array in f32[N,M], out f32[M,N]", "size N = 4, N = 5\n",
     "--size: size N a second time"},
    {"", "size N = 4, N = 5\n", "--size: the name 'N' is taken; choose another"},
    /* arrays */
    {"//@ array", NULL, "k.cu:1:10: found the end of the line, wanted NAME TYPE[EXTENTS]"},
    {"//@ array in", NULL,
     "k.cu:1:13: found the end of the line, wanted an element type such as f32, or T"},
    {"//@ array in f33[4]", NULL,
     "k.cu:1:13: unknown element type 'f33', wanted T or one such as f32"},
    {"//@ array in f32", NULL, "k.cu:1:17: found the end of the line, wanted '[' and its extents"},
    {"//@ array in f32[]", NULL, "k.cu:1:18: array in has no extents, wanted them as in f32[N,M]"},
    {"//@ array in f32[1,2,3,4,5]", NULL, "k.cu:1:26: more than 4 expressions"},
    {"//@ array in f32[4] in", NULL,
     "k.cu:1:21: found 'in' after the extents, wanted the end of the line"},
    {"//@ size N = 4\n//@ array in f32[N], N f32[N]", NULL,
     "k.cu:2:22: the name 'N' is taken; choose another"},
    {"//@ array in f32[4], in f32[4]", NULL, "k.cu:1:22: the name 'in' is taken; choose another"},
    {"//@ array in f32[Q], out f32[4]", NULL,
     "k.cu:1:18: unknown name 'Q', wanted a size, param, let or arg"},
    {"//@ size N = 4, M = 5\n//@ array in f32[N,M], out f32[M,N], x f32[N]", NULL,
     "k.cu:2:38: f takes no array 'x', wanted a pointer parameter of that name, or an `args` line "
     "that says which parameter it is"},
    {"//@ size N = 4, M = 5\n//@ array in f32[N,M]", NULL,
     "k.cu:3:43: parameter 2 of f, 'out' (float *): nothing has this name, wanted the name of a "
     "size, array, arg or work line; rename it, or say what to pass with an `args` line"},
    {"//@ array in f32[4], out f32[4]", NULL,
     "k.cu:2:52: 2 parameters of f have names that say nothing: 'N' (int), 'M' (int); wanted the "
     "name of a size, array, arg or work line; rename them, or say what to pass: --args 'in, out, "
     "?, ?'"},
    {"//@ size N = 4, out = 5\n//@ array in f32[N], M f32[N]", NULL,
     "k.cu:3:43: parameter 2 of f, 'out' (float *): out is an integer, and the type is not; rename "
     "it, or say what to pass with an `args` line"},
    {"//@ size N = 4, M = 5\n//@ array in f64[N,M], out f32[M,N]", NULL,
     "k.cu:3:32: parameter 1 of f, 'in' (const float *): the `array` line says f64; make both "
     "agree"},
    {"//@ size N = 4, M = 5\n//@ array out in f32[N,M], out f32[M,N]", NULL,
     "k.cu:3:32: parameter 1 of f, 'in' (const float *): an array that is only `out`, wanted a "
     "pointer that is not const"},
    /* lines that do not go together */
    {"//@ size N = 4", NULL,
     "k.cu:1:10: `size` is for a kernel that is no GEMM, and no `array` line says that this is "
     "one; add them, as `//@ array in x f32[N]`"},
    {"//@ flop 2", NULL,
     "k.cu:1:10: `flop` is for a kernel that is no GEMM, and no `array` line says that this is "
     "one; add them, as `//@ array in x f32[N]`"},
    {"", "bytes 2\n",
     "--bytes: `bytes` is for a kernel that is no GEMM, and no `array` line says that this is one; "
     "add them, as `//@ array in x f32[N]`"},
    {"//@ flop 2\n//@ flop 3", NULL, "k.cu:2:5: a second `flop`, wanted one"},
    {"//@ trans nt\n//@ array in f32[4]", NULL,
     "k.cu:2:11: `array` says that the kernel is no GEMM, and `trans` is for a GEMM; remove one of "
     "them"},
    {"//@ layout A col\n//@ array in f32[4]", NULL,
     "k.cu:2:11: `array` says that the kernel is no GEMM, and `layout` is for a GEMM; remove one "
     "of them"},
    {"//@ map t = A[1,1]\n//@ array in f32[4]", NULL,
     "k.cu:2:11: `array` says that the kernel is no GEMM, and `map` is for a GEMM; remove one of "
     "them"},
};

static enum gradus_status parse(const char *lines, const char *options, struct gr_kernel **kernel,
                                struct gradus_error *error)
{
    char *text = gr_printf("%s%s", lines, transpose);
    enum gradus_status status = gr_kernel_parse("k.cu", text, options, kernel, error);
    free(text);
    return status;
}

static void lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_kernel *k;
        struct gradus_error error = {0};
        enum gradus_status status = parse(cases[i].lines, cases[i].options, &k, &error);
        if (!cases[i].message && status != GRADUS_OK)
            fail_msg("%s\n%s", cases[i].lines, error.text);
        if (cases[i].message &&
            (status != GRADUS_INVALID || strcmp(error.text, cases[i].message) != 0))
            fail_msg("%s\nfound  %s\nwanted %s", cases[i].lines, error.text, cases[i].message);
        gr_kernel_free(k);
        gradus_error_clear(&error);
    }
}

/* In C a kernel is a GEMM. */
static void not_in_c(void **state)
{
    (void)state;
    struct gr_kernel *k;
    struct gradus_error error = {0};
    enum gradus_status status =
        gr_kernel_parse("k.c", "//@ array x f32[4]\nvoid f(float *x) { }\n", NULL, &k, &error);
    assert_int_equal(status, GRADUS_INVALID);
    assert_string_equal(error.text,
                        "k.c:1:5: found `array`, which is for GPU kernels, wanted a line of a C "
                        "kernel; leave it out");
    gradus_error_clear(&error);
}

/* The workload of the transpose with these options, at the sizes that the file has then. */
static enum gradus_status make(const char *options, struct gr_workload *w,
                               struct gradus_error *error)
{
    struct gr_kernel *k;
    struct gr_variant v;
    enum gradus_status status =
        parse("//@ size N = 4, M = 5\n//@ array in f32[N,M], out f32[M,N]", options, &k, error);
    if (status == GRADUS_OK)
        status = gr_variant_make(k, k->types[0], false, false, &v, error);
    struct gr_problem p = {.types = gr_types_of(GR_F32)};
    for (int i = 0; status == GRADUS_OK && i < k->size_count; i++)
        p.sizes[i] = k->sizes[i].value;
    if (status == GRADUS_OK)
        status = gr_workload_make(&v, &p, NULL, w, error);
    gr_kernel_free(k);
    return status;
}

static void values(void **state)
{
    (void)state;
    struct gr_workload w;
    assert_int_equal(make("size M = 7\nflop 3*N*M\n", &w, NULL), GRADUS_OK);
    assert_false(w.is_gemm);
    assert_int_equal(w.array_count, 2);
    assert_string_equal(w.arrays[0].name, "in");
    assert_true(w.arrays[0].is_read && !w.arrays[0].is_written);
    assert_true(!w.arrays[1].is_read && w.arrays[1].is_written);
    assert_int_equal(w.arrays[0].bytes, 4 * 4 * 7);
    assert_int_equal(w.arrays[0].ld, 7);
    assert_int_equal(w.arrays[1].ld, 4);
    assert_true(w.flops == 3 * 4 * 7);
    assert_true(w.bytes == 2 * 4 * 4 * 7);
    assert_int_equal(gr_workload_array_of(&w, GR_ROLE_ARRAY, 1), 1);
    assert_int_equal(gr_workload_array_of(&w, GR_ROLE_A, 0), -1);
    assert_int_equal(make("bytes 99\n", &w, NULL), GRADUS_OK);
    assert_true(w.bytes == 99 && w.flops == 0);
}

/* What only the sizes make wrong. */
static void wrong_values(void **state)
{
    (void)state;
    static const struct {
        const char *options, *message;
    } wrong[] = {
        {"flop N / (M - 5)\n", "--flop: division by zero"},
        {"flop N - M\n", "--flop: the number of operations is -1, wanted 0 or more"},
        {"bytes N - M\n", "--bytes: the number of bytes is -1, wanted 0 or more"},
        {"size N = 4611686018427387904\n",
         "k.cu:2:18: array in has more bytes than fit 64 bits, wanted smaller sizes"},
        {"size N = 2147483648, M = 2147483648\n",
         "k.cu:2:20: array in has more bytes than fit 64 bits, wanted smaller sizes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct gr_workload w;
        struct gradus_error error = {0};
        if (make(wrong[i].options, &w, &error) != GRADUS_INVALID ||
            strcmp(error.text, wrong[i].message) != 0)
            fail_msg("%s\nfound  %s\nwanted %s", wrong[i].options, error.text, wrong[i].message);
        gradus_error_clear(&error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(not_in_c),
        cmocka_unit_test(values),
        cmocka_unit_test(wrong_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
