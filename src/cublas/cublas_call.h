/* cublas_call.h: a call of cuBLAS or cuBLASLt, described as a product that gradus computes or
 * passes on. SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_CALL_H
#define CUBLAS_CUBLAS_CALL_H

#include "core/passed_on.h"

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GR_CUBLAS_EXPORT __attribute__((visibility("default")))

/* The caller's arguments: a column-major product D = activation(alpha op(A) op(B) + beta D + bias).
 * Types are cudaDataType, `compute` is cublasComputeType_t. */
struct gr_cublas_call {
    const char *routine;
    void *handle; /* null for cuBLASLt, whose calls name a stream and a workspace */
    int op_a, op_b;
    int64_t m, n, k;
    int a_type, b_type, c_type, compute;
    const void *alpha, *beta; /* float, or double if the matrices are double */
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    int64_t batch, stride_a, stride_b, stride_c;
    bool arrays; /* a, b and c are arrays of `batch` pointers in the GPU's memory */
    struct gradus_epilogue epilogue; /* the bias: m elements of the sums' type, one for each row */
    void *stream, *workspace;
    size_t workspace_bytes;

    enum gr_passed_on reason; /* why the call must be passed on, as far as its routine knows */
    int64_t start_ns;         /* set by gr_cublas_take, like the next member */
    int timing;               /* the number that gr_cublas_timing_begin returned */
};

/* Returns true if gradus has handled the call: *status is then its cublasStatus_t, and the call has
 * been counted. Returns false if cuBLAS must compute it, between gr_cublas_pass and
 * gr_cublas_passed. */
bool gr_cublas_take(struct gr_cublas_call *call, int *status);

/* Between gr_cublas_pass and gr_cublas_passed, calls that cuBLAS itself makes to functions of this
 * library on the same thread are passed on without being counted, since they are part of the call.
 * `status` is what cuBLAS returned; gr_cublas_passed returns it. */
void gr_cublas_pass(struct gr_cublas_call *call);
bool gr_cublas_inside(void);
int gr_cublas_passed(const struct gr_cublas_call *call, int status);

#endif
