// epilogue.h: a bias and an activation, applied to the sums of wgmma before they are stored.
// SPDX-License-Identifier: MIT
//
// C = activate(alpha*sum + bias) then needs no pass of its own over C. The library gives the three
// numbers of the epilogue (activation.h); in the workbench, whose products have none, they are 0.
// An epilogue remains a launch of its own (kernels/library/) if C is added to (beta).
//
//     sums      lane 0: (0,0) (0,1)  lane 1: (0,2) (0,3)  ..  lane 4: (1,0) (1,1)  ..   (wgmma.h)
//               +------+------+------+--
//     bias      |  0   |  1   |  2   | ..    one for each column, or `per_row` for each row
//               +------+------+------+--
#ifndef EPILOGUE_H
#define EPILOGUE_H

#include "activation.h"
#include "gelu.h"

// The epilogue of a part of C, which begins at the first element of `bias`. Of the rows and columns
// from there on, `rows` and `columns` are in the matrix.
struct epilogue {
    const float *bias; // null: none
    int per_row, activation, rows, columns;
};

__device__ static inline struct epilogue epilogue_of(long long bias, int per_row, int activation,
                                                     int M, int N)
{
    const struct epilogue e = {(const float *)bias, per_row, activation, M, N};
    return e;
}

__device__ static inline bool finishes(const struct epilogue *e)
{
    return e->bias || e->activation != LINEAR;
}

// The same epilogue, of the part of C that begins at this element.
__device__ static inline struct epilogue epilogue_at(const struct epilogue *e, int row, int column)
{
    const float *const bias = e->bias ? e->bias + (e->per_row ? row : column) : 0;
    const struct epilogue at = {bias, e->per_row, e->activation, e->rows - row,
                                e->columns - column};
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

// ReLU in one instruction. A NaN stays a NaN, and -0 becomes 0.
__device__ static inline float relu(float x)
{
    float y;
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
    return y;
}

// Scales a warp's sums, and adds the biases of columns. `whole`: all columns are in the matrix, and
// the biases of two adjacent ones can be read together.
__device__ static inline __attribute__((always_inline)) void
add_biases_of_columns(const struct epilogue *e, int wide, bool whole, float *sum, float alpha)
{
#pragma unroll
    for (int j = 0; j < wide / 8; j++) {
        const int x = threadIdx.x % 4 * 2 + j * 8;
        const float2 bias = whole ? *(const float2 *)(e->bias + x)
                                  : make_float2(bias_of_column(e, x), bias_of_column(e, x + 1));
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float *const two = sum + j * 4 + h * 2;
            two[0] = alpha * two[0] + bias.x;
            two[1] = alpha * two[1] + bias.y;
        }
    }
}

__device__ static inline bool is_gelu(const struct epilogue *e)
{
    return e->activation == GELU || e->activation == GELU_TANH;
}

// GELU of all of a thread's sums, `part` of them at a time. A loop over registers can name only
// fixed ones: it replaces the first ones, and moves all until the first are first again. The moves
// take a third of the time of the shorter form; without a loop, the code of 128 sums would be 40
// KB.
__device__ static inline __attribute__((always_inline)) void gelu_sums(const struct epilogue *e,
                                                                       int count, int part,
                                                                       float *sum)
{
#pragma unroll 1
    for (int n = 0; n < count; n += part) {
        float done[16];
        if (e->activation == GELU)
#pragma unroll
            for (int i = 0; i < part; i++)
                done[i] = short_gelu(sum[i]);
        else
#pragma unroll
            for (int i = 0; i < part; i++)
                done[i] = short_gelu_tanh(sum[i]);
#pragma unroll
        for (int i = 0; i < count; i++)
            sum[i] = i < count - part ? sum[i + part] : done[i - count + part];
    }
}

// GELU of 16 rows of 32 sums of a warp that are in shared memory, four rows at a time.
__device__ static inline void gelu_rows(const struct epilogue *e, float *rows, int pitch)
{
    float *const column = rows + threadIdx.x % 32;
#pragma unroll 1
    for (int y = 0; y < 16; y += 4) {
        float x[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = column[(y + i) * pitch];
        gelu_sums(e, 4, 4, x);
#pragma unroll
        for (int i = 0; i < 4; i++)
            column[(y + i) * pitch] = x[i];
    }
}

// Applies all but GELU to a warp's sums of 16 rows and `wide` columns, the first of which is the
// epilogue's. Every instruction here is repeated for each of a thread's sums, while the tensor
// cores wait: so what is the same for all of them is decided outside of the loops.
__device__ static inline __attribute__((always_inline)) void
finish_sums(const struct epilogue *e, int wide, float *sum, float alpha)
{
    if (!e->bias || e->per_row) {
        const int row = threadIdx.x % 32 / 4;
        const float bias[2] = {bias_of_row(e, row), bias_of_row(e, row + 8)};
#pragma unroll
        for (int i = 0; i < wide / 2; i++)
            sum[i] = alpha * sum[i] + bias[i / 2 % 2];
    } else if (e->columns >= wide && (size_t)e->bias % sizeof(float2) == 0) {
        add_biases_of_columns(e, wide, true, sum, alpha);
    } else {
        add_biases_of_columns(e, wide, false, sum, alpha);
    }
    if (e->activation == RELU)
#pragma unroll
        for (int i = 0; i < wide / 2; i++)
            sum[i] = relu(sum[i]);
}

// Replaces four adjacent sums of a row.
__device__ static inline float4 finish_four(const struct epilogue *e, int row, int column,
                                            float4 sum, float alpha)
{
    const float of_row = bias_of_row(e, row);
    float x[4] = {alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        x[i] += of_row + bias_of_column(e, column + i);
    if (e->activation == RELU)
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[i] = relu(x[i]);
    else if (is_gelu(e))
        gelu_sums(e, 4, 1, x);
    return make_float4(x[0], x[1], x[2], x[3]);
}

#endif
