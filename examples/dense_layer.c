/* dense_layer.c: a layer of a neural network, Y = relu(X * W^T + bias), in one call: the bias and
 * the activation are applied to each part of Y while it is in the cache. It prints:
 *
 *  > 0 6 0
 *  > 1 0 4
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>

enum { BATCH = 2, INPUTS = 4, OUTPUTS = 3 };

int main(void)
{
    const float x[BATCH][INPUTS] = {{1, 2, 3, 4}, {0, -1, 1, 0}};
    const float w[OUTPUTS][INPUTS] = {{-1, 0, 0, -1}, {1, 1, 0, 1}, {0, -1, 1, -1}};
    const float bias[OUTPUTS] = {1, -1, 2};
    float y[BATCH][OUTPUTS];

    struct gradus_epilogue epilogue = {0};
    epilogue.bias = bias; /* one for each column of Y */
    epilogue.activation = GRADUS_RELU;

    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_F32);
    gemm.m = BATCH, gemm.n = OUTPUTS, gemm.k = INPUTS;
    gemm.a = x, gemm.lda = INPUTS;
    gemm.b = w, gemm.ldb = INPUTS, gemm.trans_b = 1;
    gemm.c = y, gemm.ldc = OUTPUTS;
    gemm.epilogue = &epilogue;
    if (gradus_gemm_run(&gemm, NULL))
        return 1;
    for (int i = 0; i < BATCH; i++)
        printf("%g %g %g\n", y[i][0], y[i][1], y[i][2]);
    return 0;
}
