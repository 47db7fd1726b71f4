/* test_api_misuse.c: every bad member is refused in one line that names it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gradus/gradus.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static float x[64];

static struct gradus_gemm good(void)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, GRADUS_F32);
    g.m = 2, g.n = 3, g.k = 4;
    g.a = x, g.lda = 4;
    g.b = x, g.ldb = 3;
    g.c = x + 32, g.ldc = 3;
    return g;
}

static void refuses(struct gradus_gemm g, const char *text)
{
    struct gradus_error error = {0};
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_INVALID);
    assert_int_equal(error.status, GRADUS_INVALID);
    assert_string_equal(error.text, text);
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_INVALID);
}

static void numbers(void **state)
{
    (void)state;
    struct gradus_gemm g = good();
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_OK);
    g.a_type = (enum gradus_type)9;
    refuses(g, "gradus_gemm_run: a_type: found 9, wanted one of enum gradus_type");
    g = good(), g.sum_type = GRADUS_F64;
    refuses(g,
            "gradus_gemm_run: a_type, b_type, c_type, sum_type: found f32 f32 f32 f64, wanted f32 "
            "f32 f32 f32, f64 f64 f64 f64, bf16 bf16 f32|bf16 f32 or s8|u8 s8|u8 s32 s32");
    g = good(), g.layout = (enum gradus_layout)2;
    refuses(g, "gradus_gemm_run: layout: found 2, wanted GRADUS_ROW_MAJOR or GRADUS_COL_MAJOR");
    g = good(), g.trans_a = 'T';
    refuses(g, "gradus_gemm_run: trans_a: found 84, wanted 0 or 1");
    g = good(), g.trans_b = -1;
    refuses(g, "gradus_gemm_run: trans_b: found -1, wanted 0 or 1");
    g = good(), g.n = -3;
    refuses(g, "gradus_gemm_run: n: found -3, wanted 0 or more");
    g = good(), g.k = INT64_MIN;
    refuses(g, "gradus_gemm_run: k: found -9223372036854775808, wanted 0 or more");
    g = good(), g.batch = -1;
    refuses(g, "gradus_gemm_run: batch: found -1, wanted 0 or more");
    g = good(), g.arrays_on_gpu = 7;
    refuses(g, "gradus_gemm_run: arrays_on_gpu: found 7, wanted 0, or 1 with GRADUS_GPU and "
               "a_array, b_array and c_array");
    g = good(), g.workspace = x, g.workspace_bytes = -1;
    refuses(g, "gradus_gemm_run: workspace_bytes: found -1, wanted 0 or more");
    g = good(), g.scale_a = x;
    refuses(g, "gradus_gemm_run: scale_a: found one for f32, wanted null: only e4m3 and e5m2 have "
               "scales");
    g = good(), g.scale_b = x;
    refuses(g, "gradus_gemm_run: scale_b: found one for f32, wanted null: only e4m3 and e5m2 have "
               "scales");
}

/* Members that this version does not know are 0, in every function that takes the struct. Such a
 * product takes the shortest path, too. */
static void reserved(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    for (size_t i = 0; i < sizeof good().reserved / sizeof *good().reserved; i++) {
        struct gradus_gemm g = good();
        struct gradus_packed *packed = (struct gradus_packed *)x;
        char text[200];
        g.reserved[i] = i % 2 ? -1 : (int64_t)1 << 40;
        snprintf(text, sizeof text,
                 "gradus_gemm_run: reserved[%zu]: found %lld, wanted 0, which gradus_gemm_init "
                 "sets; this version knows no such member",
                 i, (long long)g.reserved[i]);
        refuses(g, text);
        assert_true(gradus_gemm_workspace(&g, &error) == -1);
        assert_non_null(strstr(error.text, "gradus_gemm_workspace: reserved["));
        assert_int_equal(gradus_pack(&g, GRADUS_B, &packed, &error), GRADUS_INVALID);
        assert_non_null(strstr(error.text, "gradus_pack: reserved["));
        assert_null(packed);
        g.device = GRADUS_GPU; /* before it is asked whether there is one */
        refuses(g, text);
    }
}

/* With sums of 32 bits the factors are whole numbers. */
static void factors(void **state)
{
    (void)state;
    struct gradus_gemm g = good();
    g.a_type = GRADUS_S8, g.b_type = GRADUS_U8, g.c_type = g.sum_type = GRADUS_S32;
    g.alpha = 0.5;
    refuses(g,
            "gradus_gemm_run: alpha: found 0.5 with sums in s32, wanted a whole number of 32 bits");
    g.alpha = 1, g.beta = 2147483648.0;
    refuses(
        g, "gradus_gemm_run: beta: found 2.14748e+09 with sums in s32, wanted a whole number of 32 "
           "bits");
    g.beta = NAN;
    assert_int_equal(gradus_gemm_run(&g, NULL), GRADUS_INVALID);
}

static void batches(void **state)
{
    (void)state;
    const void *in[3] = {x, x, NULL};
    void *out[3] = {x, NULL, x};
    struct gradus_gemm g = good();
    g.batch = 3;
    refuses(g,
            "gradus_gemm_run: stride_c: found 0, with which matrices of the batch overlap, wanted "
            "for instance 6");
    g.stride_c = 6, g.stride_a = -8;
    refuses(g, "gradus_gemm_run: stride_a: found -8, wanted 0 or more");
    g.stride_a = INT64_MAX / 4;
    refuses(g,
            "gradus_gemm_run: stride_a: 3 matrices 2305843009213693951 elements apart do not fit "
            "into memory");
    g.batch = 5, g.stride_a = ((int64_t)1 << 62) + 1; /* four times that is 2^64 + 4 */
    refuses(g,
            "gradus_gemm_run: stride_a: 5 matrices 4611686018427387905 elements apart do not fit "
            "into memory");
    g.batch = 3;
    g.stride_a = INT64_MAX / 8; /* the last one ends beyond 2^63 bytes */
    refuses(g,
            "gradus_gemm_run: stride_a: 3 matrices 1152921504606846975 elements apart do not fit "
            "into memory");
    g.stride_a = 0, g.b_array = in;
    refuses(g, "gradus_gemm_run: b_array[2]: found a null pointer, wanted a matrix");
    g.b_array = NULL, g.c_array = out;
    refuses(g, "gradus_gemm_run: c_array[1]: found a null pointer, wanted a matrix");
    g.c_array = NULL, g.a = NULL;
    refuses(g, "gradus_gemm_run: a: found a null pointer, wanted a matrix");
}

static void epilogues(void **state)
{
    (void)state;
    struct gradus_epilogue e = {.bias_per_row = 2};
    struct gradus_gemm g = good();
    g.epilogue = &e;
    refuses(g, "gradus_gemm_run: epilogue->bias_per_row: found 2, wanted 0 or 1");
    e.bias_per_row = 1, e.activation = (enum gradus_activation)4;
    refuses(g, "gradus_gemm_run: epilogue->activation: found 4, wanted one of enum "
               "gradus_activation");
    e.activation = GRADUS_GELU;
    g.a_type = g.b_type = GRADUS_U8, g.c_type = g.sum_type = GRADUS_S32;
    refuses(g, "gradus_gemm_run: epilogue->activation: found GRADUS_GELU with sums in s32, wanted "
               "GRADUS_LINEAR or GRADUS_RELU");
    e.activation = GRADUS_GELU_TANH;
    refuses(g, "gradus_gemm_run: epilogue->activation: found GRADUS_GELU_TANH with sums in s32, "
               "wanted GRADUS_LINEAR or GRADUS_RELU");
}

static struct gradus_packed *pack(const struct gradus_gemm *g, enum gradus_operand which)
{
    struct gradus_packed *packed;
    assert_int_equal(gradus_pack(g, which, &packed, NULL), GRADUS_OK);
    return packed;
}

static void packed_operands(void **state)
{
    (void)state;
    const void *in[1] = {x};
    struct gradus_gemm g = good();
    struct gradus_packed *a = pack(&g, GRADUS_A), *b = pack(&g, GRADUS_B);
    g.packed_a = b;
    refuses(g, "gradus_gemm_run: packed_a: found an operand packed as b, wanted a");
    g.packed_a = a, g.m = 1;
    refuses(g, "gradus_gemm_run: packed_a: packed with m 2, k 4, wanted m 1, k 4");
    g = good(), g.packed_b = b, g.k = 3;
    refuses(g, "gradus_gemm_run: packed_b: packed with n 3, k 4, wanted n 3, k 3");
    g = good(), g.packed_b = b, g.layout = GRADUS_COL_MAJOR, g.ldc = 4;
    refuses(g, "gradus_gemm_run: packed_b: packed for the other layout than the problem's");
    g = good(), g.packed_b = b;
    g.a_type = g.b_type = g.c_type = g.sum_type = GRADUS_F64;
    refuses(g, "gradus_gemm_run: packed_b: packed for types f32 f32, wanted f64 f64");
    g = good(), g.packed_a = a, g.a_array = in;
    refuses(g, "gradus_gemm_run: packed_a: found together with a_array, wanted one of them");
    gradus_packed_free(a);
    gradus_packed_free(b);
    gradus_packed_free(NULL);
}

static void packing(void **state)
{
    (void)state;
    struct gradus_gemm g = good();
    struct gradus_error error = {0};
    struct gradus_packed *packed = (struct gradus_packed *)x;
    g.lda = 3;
    assert_int_equal(gradus_pack(&g, GRADUS_A, &packed, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "gradus_pack: lda: found 3, wanted at least 4, the length of a "
                                    "stored row (column) of a");
    assert_null(packed);
    g.b = NULL;
    assert_int_equal(gradus_pack(&g, GRADUS_B, &packed, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "gradus_pack: b: found a null pointer, wanted a matrix");
    assert_int_equal(gradus_pack(&g, (enum gradus_operand)2, &packed, &error), GRADUS_INVALID);
    assert_string_equal(error.text, "gradus_pack: which: found 2, wanted GRADUS_A or GRADUS_B");
    assert_int_equal(gradus_pack(NULL, GRADUS_A, &packed, NULL), GRADUS_INVALID);
    assert_int_equal(gradus_pack(&g, GRADUS_A, NULL, NULL), GRADUS_INVALID);
}

static void workspaces(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    struct gradus_gemm g = good();
    g.m = g.n = g.k = 200, g.lda = g.ldb = g.ldc = 200, g.threads = 1;
    g.trans_b = 1; /* such a B is packed */
    g.a = g.b = NULL, g.c = NULL;
    const int64_t bytes = gradus_gemm_workspace(&g, &error);
    assert_true(bytes > 0);
    static float matrix[40000], other[40000];
    g.a = g.b = matrix, g.c = other; /* refused before anything is read */
    g.workspace = x, g.workspace_bytes = bytes - 1;
    assert_int_equal(gradus_gemm_run(&g, &error), GRADUS_INVALID);
    assert_non_null(strstr(error.text, "gradus_gemm_run: workspace_bytes: found "));
    g.m = -2;
    assert_true(gradus_gemm_workspace(&g, &error) == -1);
    assert_string_equal(error.text, "gradus_gemm_workspace: m: found -2, wanted 0 or more");
    g = good();
    assert_true(gradus_gemm_workspace(&g, NULL) == 0); /* small: none is needed */
}

static void contexts(void **state)
{
    (void)state;
    struct gradus_error error = {0};
    struct gradus_context *context;
    assert_int_equal(gradus_context_create(-1, &context, &error), GRADUS_INVALID);
    assert_string_equal(error.text,
                        "gradus_context_create: threads: found -1, wanted 0 (as many as "
                        "allowed) or more");
    assert_null(context);
    assert_int_equal(gradus_context_create(1, NULL, NULL), GRADUS_INVALID);
    gradus_context_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),    cmocka_unit_test(factors),         cmocka_unit_test(batches),
        cmocka_unit_test(epilogues),  cmocka_unit_test(packed_operands), cmocka_unit_test(packing),
        cmocka_unit_test(workspaces), cmocka_unit_test(contexts),        cmocka_unit_test(reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
