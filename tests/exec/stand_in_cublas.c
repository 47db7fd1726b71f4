/* stand_in_cublas.c: a cuBLAS, or with STAND_IN_LT a cuBLASLt, that computes nothing and writes
 * each product that reaches it to the file of STAND_IN_LOG: "NAME op op m n k lda ldb ldc batch".
 * Handles and descriptors remember what they were told. SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 7 };

static int told(const char *name, int count, ...)
{
    va_list numbers;
    const char *path = getenv("STAND_IN_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return 0;
    fprintf(file, "%s", name);
    va_start(numbers, count);
    for (int i = 0; i < count; i++)
        fprintf(file, " %lld", va_arg(numbers, long long));
    va_end(numbers);
    fprintf(file, "\n");
    fclose(file);
    return 0;
}
#define TELL(name, ...)                                                                            \
    told(name, sizeof((long long[]){__VA_ARGS__}) / sizeof(long long), __VA_ARGS__)
#define LL(x) (long long)(x)

#ifndef STAND_IN_LT

struct handle {
    void *stream;
    int pointer_mode, math_mode, sm_count;
};

int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *,
                   const void *, const void *, void *, void *, void *, const void *, void *, size_t,
                   void *);
int cublasCreate_v2(struct handle **handle);
int cublasDestroy_v2(struct handle *handle);
int cublasSetStream_v2(struct handle *handle, void *stream);
int cublasGetStream_v2(struct handle *handle, void **stream);
int cublasSetPointerMode_v2(struct handle *handle, int mode);
int cublasGetPointerMode_v2(struct handle *handle, int *mode);
int cublasSetMathMode(struct handle *handle, int mode);
int cublasGetMathMode(struct handle *handle, int *mode);
int cublasSetSmCountTarget(struct handle *handle, int count);
int cublasGetSmCountTarget(struct handle *handle, int *count);
int cublasSetWorkspace_v2(struct handle *handle, void *workspace, size_t bytes);

int cublasCreate_v2(struct handle **handle)
{
    *handle = calloc(1, sizeof **handle);
    return 0;
}
int cublasDestroy_v2(struct handle *handle)
{
    free(handle);
    return 0;
}
int cublasSetWorkspace_v2(struct handle *handle, void *workspace, size_t bytes)
{
    (void)handle, (void)workspace, (void)bytes;
    return 0;
}
#define MEMBER(set, get, type, member)                                                             \
    int set(struct handle *handle, type value)                                                     \
    {                                                                                              \
        handle->member = value;                                                                    \
        return 0;                                                                                  \
    }                                                                                              \
    int get(struct handle *handle, type *value)                                                    \
    {                                                                                              \
        *value = handle->member;                                                                   \
        return 0;                                                                                  \
    }
MEMBER(cublasSetStream_v2, cublasGetStream_v2, void *, stream)
MEMBER(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, pointer_mode)
MEMBER(cublasSetMathMode, cublasGetMathMode, int, math_mode)
MEMBER(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_count)

/* An illegal transpose is what cuBLAS refuses itself. */
#define GEMM(name, integer, type)                                                                  \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *a, integer lda, const type *b, integer ldb, const type *beta, type *c,    \
             integer ldc);                                                                         \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *a, integer lda, const type *b, integer ldb, const type *beta, type *c,    \
             integer ldc)                                                                          \
    {                                                                                              \
        (void)h, (void)alpha, (void)a, (void)b, (void)beta, (void)c;                               \
        TELL(#name, LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(lda), LL(ldb), LL(ldc));               \
        return ta > 2 || m < 0 ? INVALID_VALUE : 0;                                                \
    }
GEMM(cublasSgemm_v2, int, float)
GEMM(cublasSgemm_v2_64, int64_t, float)
GEMM(cublasDgemm_v2, int, double)
GEMM(cublasDgemm_v2_64, int64_t, double)

#define STRIDED(name, integer, type)                                                               \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *a, integer lda, long long sa, const type *b, integer ldb, long long sb,   \
             const type *beta, type *c, integer ldc, long long sc, integer batch);                 \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *a, integer lda, long long sa, const type *b, integer ldb, long long sb,   \
             const type *beta, type *c, integer ldc, long long sc, integer batch)                  \
    {                                                                                              \
        (void)h, (void)alpha, (void)a, (void)b, (void)beta, (void)c;                               \
        return TELL(#name, LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(lda), sa, LL(ldb), sb, LL(ldc), \
                    sc, LL(batch));                                                                \
    }
STRIDED(cublasSgemmStridedBatched, int, float)
STRIDED(cublasDgemmStridedBatched, int, double)
STRIDED(cublasSgemmStridedBatched_64, int64_t, float)
STRIDED(cublasDgemmStridedBatched_64, int64_t, double)

#define ARRAYS(name, integer, type)                                                                \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *const a[], integer lda, const type *const b[], integer ldb,               \
             const type *beta, type *const c[], integer ldc, integer batch);                       \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const type *alpha,          \
             const type *const a[], integer lda, const type *const b[], integer ldb,               \
             const type *beta, type *const c[], integer ldc, integer batch)                        \
    {                                                                                              \
        (void)h, (void)alpha, (void)a, (void)b, (void)beta, (void)c;                               \
        return TELL(#name, LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(lda), LL(ldb), LL(ldc),         \
                    LL(batch));                                                                    \
    }
ARRAYS(cublasSgemmBatched, int, float)
ARRAYS(cublasSgemmBatched_64, int64_t, float)
ARRAYS(cublasDgemmBatched, int, double)
ARRAYS(cublasDgemmBatched_64, int64_t, double)

/* The inner call is as cuBLAS calls its own lower library: it is part of this one. */
#define GEMM_EX(name, integer)                                                                     \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const void *alpha,          \
             const void *a, int a_type, integer lda, const void *b, int b_type, integer ldb,       \
             const void *beta, void *c, int c_type, integer ldc, int compute, int algorithm);      \
    int name(void *h, int ta, int tb, integer m, integer n, integer k, const void *alpha,          \
             const void *a, int a_type, integer lda, const void *b, int b_type, integer ldb,       \
             const void *beta, void *c, int c_type, integer ldc, int compute, int algorithm)       \
    {                                                                                              \
        TELL(#name, LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(a_type), LL(lda), LL(b_type), LL(ldb), \
             LL(c_type), LL(ldc), LL(compute), LL(algorithm));                                     \
        return cublasLtMatmul(h, NULL, alpha, a, NULL, b, NULL, beta, c, NULL, c, NULL, NULL,      \
                              NULL, 0, NULL);                                                      \
    }
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)

int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                               const void *a, int a_type, int lda, long long sa, const void *b,
                               int b_type, int ldb, long long sb, const void *beta, void *c,
                               int c_type, int ldc, long long sc, int batch, int compute,
                               int algorithm);
int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                               const void *a, int a_type, int lda, long long sa, const void *b,
                               int b_type, int ldb, long long sb, const void *beta, void *c,
                               int c_type, int ldc, long long sc, int batch, int compute,
                               int algorithm)
{
    (void)h, (void)alpha, (void)a, (void)b, (void)beta, (void)c;
    return TELL("cublasGemmStridedBatchedEx", LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(a_type),
                LL(lda), sa, LL(b_type), LL(ldb), sb, LL(c_type), LL(ldc), sc, LL(batch),
                LL(compute), LL(algorithm));
}

int cublasGemmBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                        const void *const a[], int a_type, int lda, const void *const b[],
                        int b_type, int ldb, const void *beta, void *const c[], int c_type, int ldc,
                        int batch, int compute, int algorithm);
int cublasGemmBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                        const void *const a[], int a_type, int lda, const void *const b[],
                        int b_type, int ldb, const void *beta, void *const c[], int c_type, int ldc,
                        int batch, int compute, int algorithm)
{
    (void)h, (void)alpha, (void)a, (void)b, (void)beta, (void)c;
    return TELL("cublasGemmBatchedEx", LL(ta), LL(tb), LL(m), LL(n), LL(k), LL(a_type), LL(lda),
                LL(b_type), LL(ldb), LL(c_type), LL(ldc), LL(batch), LL(compute), LL(algorithm));
}

#else

/* An operation or a layout: the values of its attributes, by number. */
struct object {
    int64_t values[40];
};

int cublasLtMatmulDescCreate(struct object **object, int compute, int scale);
int cublasLtMatrixLayoutCreate(struct object **object, int type, uint64_t rows, uint64_t columns,
                               int64_t ld);
int cublasLtMatmulDescSetAttribute(struct object *object, int attribute, const void *value,
                                   size_t bytes);
int cublasLtMatmulDescGetAttribute(struct object *object, int attribute, void *value, size_t bytes,
                                   size_t *written);
int cublasLtMatrixLayoutSetAttribute(struct object *object, int attribute, const void *value,
                                     size_t bytes);
int cublasLtMatrixLayoutGetAttribute(struct object *object, int attribute, void *value,
                                     size_t bytes, size_t *written);
int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *layout_a,
                   const void *b, void *layout_b, const void *beta, const void *c, void *layout_c,
                   void *d, void *layout_d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);

static int make(struct object **object)
{
    *object = calloc(1, sizeof **object);
    return 0;
}

int cublasLtMatmulDescCreate(struct object **object, int compute, int scale)
{
    make(object);
    (*object)->values[0] = compute, (*object)->values[1] = scale, (*object)->values[7] = 1;
    (*object)->values[26] = -1;
    return 0;
}

int cublasLtMatrixLayoutCreate(struct object **object, int type, uint64_t rows, uint64_t columns,
                               int64_t ld)
{
    make(object);
    (*object)->values[0] = type, (*object)->values[2] = (int64_t)rows;
    (*object)->values[3] = (int64_t)columns, (*object)->values[4] = ld, (*object)->values[5] = 1;
    return 0;
}

static int set(struct object *object, int attribute, const void *value, size_t bytes)
{
    object->values[attribute] = 0;
    memcpy(&object->values[attribute], value, bytes);
    return 0;
}

/* Attributes of cuBLAS 13 are not known. */
static int get(struct object *object, int attribute, int newest, void *value, size_t bytes,
               size_t *written)
{
    if (attribute > newest)
        return INVALID_VALUE;
    memcpy(value, &object->values[attribute], bytes);
    *written = bytes;
    return 0;
}

int cublasLtMatmulDescSetAttribute(struct object *object, int attribute, const void *value,
                                   size_t bytes)
{
    return set(object, attribute, value, bytes);
}

int cublasLtMatrixLayoutSetAttribute(struct object *object, int attribute, const void *value,
                                     size_t bytes)
{
    return set(object, attribute, value, bytes);
}

int cublasLtMatmulDescGetAttribute(struct object *object, int attribute, void *value, size_t bytes,
                                   size_t *written)
{
    return get(object, attribute, 26, value, bytes, written);
}

int cublasLtMatrixLayoutGetAttribute(struct object *object, int attribute, void *value,
                                     size_t bytes, size_t *written)
{
    return get(object, attribute, 7, value, bytes, written);
}

int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *layout_a,
                   const void *b, void *layout_b, const void *beta, const void *c, void *layout_c,
                   void *d, void *layout_d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream)
{
    (void)handle, (void)alpha, (void)a, (void)layout_a, (void)b, (void)layout_b, (void)beta;
    (void)c, (void)layout_c, (void)d, (void)algorithm, (void)workspace, (void)stream;
    const struct object *o = operation, *l = layout_d;
    return o && l ? TELL("cublasLtMatmul", LL(o->values[7]), LL(l->values[2]), LL(l->values[3]),
                         LL(workspace_bytes))
                  : TELL("cublasLtMatmul", LL(0));
}

#endif
