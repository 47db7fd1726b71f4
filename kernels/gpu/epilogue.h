// epilogue.h: a bias and ReLU, applied to the sums of wgmma before they are stored.
// SPDX-License-Identifier: MIT
//
// C = relu(alpha*sum + bias) then needs no pass of its own over C. The library gives the three
// numbers of the epilogue (activation.h); in the workbench, whose products have none, they are 0.
// GELU has too many instructions to be repeated for each of a thread's registers, and remains a
// launch of its own (kernels/library/), as does an epilogue if C is added to (beta).
//
//     sums      lane 0: (0,0) (0,1)  lane 1: (0,2) (0,3)  ..  lane 4: (1,0) (1,1)  ..   (wgmma.h)
//               +------+------+------+--
//     bias      |  0   |  1   |  2   | ..    one for each column, or `per_row` for each row
//               +------+------+------+--
#ifndef EPILOGUE_H
#define EPILOGUE_H

#include "activation.h"

// The epilogue of a part of C, which begins at the first element of `bias`. Of the rows and columns
// from there on, `rows` and `columns` are in the matrix.
struct epilogue {
    const float *bias; // null: none
    int per_row, relu, rows, columns;
};

__device__ static inline struct epilogue epilogue_of(long long bias, int per_row, int activation,
                                                     int M, int N)
{
    const struct epilogue e = {(const float *)bias, per_row, activation == RELU, M, N};
    return e;
}

__device__ static inline bool finishes(const struct epilogue *e)
{
    return e->bias || e->relu;
}

// The same epilogue, of the part of C that begins at this element.
__device__ static inline struct epilogue epilogue_at(const struct epilogue *e, int row, int column)
{
    const float *const bias = e->bias ? e->bias + (e->per_row ? row : column) : 0;
    const struct epilogue at = {bias, e->per_row, e->relu, e->rows - row, e->columns - column};
    return at;
}

// The biases of a row and of a column, one of which is NO_BIAS. Elements outside of the matrix have
// none.
__device__ static inline float bias_of_row(const struct epilogue *e, int row)
{
    return e->bias && e->per_row && row < e->rows ? e->bias[row] : NO_BIAS;
}

__device__ static inline float bias_of_column(const struct epilogue *e, int column)
{
    return e->bias && !e->per_row && column < e->columns ? e->bias[column] : NO_BIAS;
}

// An element of C. A NaN stays a NaN.
__device__ static inline float finished(const struct epilogue *e, float x, float of_row,
                                        float of_column)
{
    x += of_row + of_column;
    return e->relu && x < 0 ? 0 : x;
}

// Replaces a warp's sums of 16 rows and `wide` columns, the first of which is the epilogue's, by
// elements of C.
__device__ static inline __attribute__((always_inline)) void
finish_sums(const struct epilogue *e, int wide, float *sum, float alpha)
{
    const int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    const float of_row[2] = {bias_of_row(e, row), bias_of_row(e, row + 8)};
#pragma unroll
    for (int j = 0; j < wide / 8; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float of_column = bias_of_column(e, column + j * 8 + i);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float *const x = sum + j * 4 + h * 2 + i;
                *x = finished(e, alpha * *x, of_row[h], of_column);
            }
        }
}

// Replaces four adjacent sums of a row.
__device__ static inline float4 finish_four(const struct epilogue *e, int row, int column,
                                            float4 sum, float alpha)
{
    const float of_row = bias_of_row(e, row);
    return make_float4(finished(e, alpha * sum.x, of_row, bias_of_column(e, column)),
                       finished(e, alpha * sum.y, of_row, bias_of_column(e, column + 1)),
                       finished(e, alpha * sum.z, of_row, bias_of_column(e, column + 2)),
                       finished(e, alpha * sum.w, of_row, bias_of_column(e, column + 3)));
}

#endif
