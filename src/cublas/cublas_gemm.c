/* cublas_gemm.c: the GEMM functions of cuBLAS under their own names. Each describes its call, and
 * passes its arguments on to cuBLAS if gradus does not compute the call.
 * SPDX-License-Identifier: MIT */
#include "cublas/cublas_abi.h"
#include "cublas/cublas_call.h"
#include "cublas/cublas_real.h"

/* Macros for each kind of routine: its parameters, with `integer` for the type of sizes; what
 * describes the product; and the names of the arguments, to pass them on. */
#define HEAD(integer) void *handle, int op_a, int op_b, integer m, integer n, integer k
#define HEAD_TYPES(integer) void *, int, int, integer, integer, integer
#define HEAD_NAMES handle, op_a, op_b, m, n, k

#define DESCRIBE(name)                                                                             \
    struct gr_cublas_call call = {.routine = name,                                                 \
                                  .handle = handle,                                                \
                                  .op_a = op_a,                                                    \
                                  .op_b = op_b,                                                    \
                                  .m = m,                                                          \
                                  .n = n,                                                          \
                                  .k = k,                                                          \
                                  .alpha = alpha,                                                  \
                                  .beta = beta,                                                    \
                                  .lda = lda,                                                      \
                                  .ldb = ldb,                                                      \
                                  .ldc = ldc}
#define SET_TYPES(a, b, c, how)                                                                    \
    call.a_type = (a), call.b_type = (b), call.c_type = (c), call.compute = (how)
#define SET_MATRICES call.a = a, call.b = b, call.c = c
#define SET_STRIDES                                                                                \
    call.stride_a = stride_a, call.stride_b = stride_b, call.stride_c = stride_c;                  \
    SET_BATCH
/* A batch of fewer than one product is left to cuBLAS. */
#define SET_BATCH                                                                                  \
    call.batch = batch;                                                                            \
    call.reason = batch < 1 ? GR_PASSED_LAYOUT : GR_PASSED_NOT
#define SET_ARRAYS                                                                                 \
    call.arrays = true, call.a = a, call.b = b, call.c = (void *)(uintptr_t)c;                     \
    SET_BATCH

/* Computes the call, or passes it on to cuBLAS's function of the same name. */
#define TAKE_OR_PASS(name, types, names)                                                           \
    static struct gr_cublas_function function = {GR_CUBLAS_LIBRARY, #name, NULL};                  \
    int status = GR_CUBLAS_NOT_SUPPORTED;                                                          \
    if (gr_cublas_take(&call, &status))                                                            \
        return status;                                                                             \
    int(*real) types = NULL;                                                                       \
    *(void **)&real = gr_cublas_real(&function);                                                   \
    gr_cublas_pass(&call);                                                                         \
    if (real)                                                                                      \
        status = real names;                                                                       \
    return gr_cublas_passed(&call, status)

#define GEMM(name, integer, type, number, how)                                                     \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const type *alpha, const type *a, integer lda,        \
                              const type *b, integer ldb, const type *beta, type *c, integer ldc); \
    int name(HEAD(integer), const type *alpha, const type *a, integer lda, const type *b,          \
             integer ldb, const type *beta, type *c, integer ldc)                                  \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(number, number, number, how);                                                    \
        SET_MATRICES;                                                                              \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const type *, const type *, integer, const type *,      \
                      integer, const type *, type *, integer),                                     \
                     (HEAD_NAMES, alpha, a, lda, b, ldb, beta, c, ldc));                           \
    }

#define STRIDED(name, integer, type, number, how)                                                  \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const type *alpha, const type *a, integer lda,        \
                              long long stride_a, const type *b, integer ldb, long long stride_b,  \
                              const type *beta, type *c, integer ldc, long long stride_c,          \
                              integer batch);                                                      \
    int name(HEAD(integer), const type *alpha, const type *a, integer lda, long long stride_a,     \
             const type *b, integer ldb, long long stride_b, const type *beta, type *c,            \
             integer ldc, long long stride_c, integer batch)                                       \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(number, number, number, how);                                                    \
        SET_MATRICES;                                                                              \
        SET_STRIDES;                                                                               \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const type *, const type *, integer, long long,         \
                      const type *, integer, long long, const type *, type *, integer, long long,  \
                      integer),                                                                    \
                     (HEAD_NAMES, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,         \
                      stride_c, batch));                                                           \
    }

#define ARRAYS(name, integer, type, number, how)                                                   \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const type *alpha, const type *const a[],             \
                              integer lda, const type *const b[], integer ldb, const type *beta,   \
                              type *const c[], integer ldc, integer batch);                        \
    int name(HEAD(integer), const type *alpha, const type *const a[], integer lda,                 \
             const type *const b[], integer ldb, const type *beta, type *const c[], integer ldc,   \
             integer batch)                                                                        \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(number, number, number, how);                                                    \
        SET_ARRAYS;                                                                                \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const type *, const type *const[], integer,             \
                      const type *const[], integer, const type *, type *const[], integer,          \
                      integer),                                                                    \
                     (HEAD_NAMES, alpha, a, lda, b, ldb, beta, c, ldc, batch));                    \
    }

#define GEMM_EX(name, integer)                                                                     \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const void *alpha, const void *a, int a_type,         \
                              integer lda, const void *b, int b_type, integer ldb,                 \
                              const void *beta, void *c, int c_type, integer ldc, int compute,     \
                              int algorithm);                                                      \
    int name(HEAD(integer), const void *alpha, const void *a, int a_type, integer lda,             \
             const void *b, int b_type, integer ldb, const void *beta, void *c, int c_type,        \
             integer ldc, int compute, int algorithm)                                              \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(a_type, b_type, c_type, compute);                                                \
        SET_MATRICES;                                                                              \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const void *, const void *, int, integer, const void *, \
                      int, integer, const void *, void *, int, integer, int, int),                 \
                     (HEAD_NAMES, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,     \
                      compute, algorithm));                                                        \
    }

#define STRIDED_EX(name, integer)                                                                  \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const void *alpha, const void *a, int a_type,         \
                              integer lda, long long stride_a, const void *b, int b_type,          \
                              integer ldb, long long stride_b, const void *beta, void *c,          \
                              int c_type, integer ldc, long long stride_c, integer batch,          \
                              int compute, int algorithm);                                         \
    int name(HEAD(integer), const void *alpha, const void *a, int a_type, integer lda,             \
             long long stride_a, const void *b, int b_type, integer ldb, long long stride_b,       \
             const void *beta, void *c, int c_type, integer ldc, long long stride_c,               \
             integer batch, int compute, int algorithm)                                            \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(a_type, b_type, c_type, compute);                                                \
        SET_MATRICES;                                                                              \
        SET_STRIDES;                                                                               \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const void *, const void *, int, integer, long long,    \
                      const void *, int, integer, long long, const void *, void *, int, integer,   \
                      long long, integer, int, int),                                               \
                     (HEAD_NAMES, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, \
                      c, c_type, ldc, stride_c, batch, compute, algorithm));                       \
    }

#define ARRAYS_EX(name, integer)                                                                   \
    GR_CUBLAS_EXPORT int name(HEAD(integer), const void *alpha, const void *const a[], int a_type, \
                              integer lda, const void *const b[], int b_type, integer ldb,         \
                              const void *beta, void *const c[], int c_type, integer ldc,          \
                              integer batch, int compute, int algorithm);                          \
    int name(HEAD(integer), const void *alpha, const void *const a[], int a_type, integer lda,     \
             const void *const b[], int b_type, integer ldb, const void *beta, void *const c[],    \
             int c_type, integer ldc, integer batch, int compute, int algorithm)                   \
    {                                                                                              \
        DESCRIBE(#name);                                                                           \
        SET_TYPES(a_type, b_type, c_type, compute);                                                \
        SET_ARRAYS;                                                                                \
        TAKE_OR_PASS(name,                                                                         \
                     (HEAD_TYPES(integer), const void *, const void *const[], int, integer,        \
                      const void *const[], int, integer, const void *, void *const[], int,         \
                      integer, integer, int, int),                                                 \
                     (HEAD_NAMES, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,     \
                      batch, compute, algorithm));                                                 \
    }

GEMM(cublasSgemm_v2, int, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
GEMM(cublasSgemm_v2_64, int64_t, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
GEMM(cublasDgemm_v2, int, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
GEMM(cublasDgemm_v2_64, int64_t, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
STRIDED(cublasSgemmStridedBatched, int, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
STRIDED(cublasSgemmStridedBatched_64, int64_t, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
STRIDED(cublasDgemmStridedBatched, int, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
STRIDED(cublasDgemmStridedBatched_64, int64_t, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
ARRAYS(cublasSgemmBatched, int, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
ARRAYS(cublasSgemmBatched_64, int64_t, float, GR_CUDA_R_32F, GR_CUBLAS_32F)
ARRAYS(cublasDgemmBatched, int, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
ARRAYS(cublasDgemmBatched_64, int64_t, double, GR_CUDA_R_64F, GR_CUBLAS_64F)
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)
STRIDED_EX(cublasGemmStridedBatchedEx, int)
STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)
ARRAYS_EX(cublasGemmBatchedEx, int)
ARRAYS_EX(cublasGemmBatchedEx_64, int64_t)
