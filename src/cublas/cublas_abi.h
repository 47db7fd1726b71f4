/* cublas_abi.h: the constants of cuBLAS's and cuBLASLt's interfaces that the library in their place
 * reads. No header of CUDA is included. SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_ABI_H
#define CUBLAS_CUBLAS_ABI_H

#include <stdint.h>

/* cublasStatus_t */
enum {
    GR_CUBLAS_SUCCESS = 0,
    GR_CUBLAS_NOT_INITIALIZED = 1,
    GR_CUBLAS_ALLOC_FAILED = 3,
    GR_CUBLAS_INVALID_VALUE = 7,
    GR_CUBLAS_EXECUTION_FAILED = 13,
    GR_CUBLAS_NOT_SUPPORTED = 15
};

/* cublasOperation_t: as stored, transposed, and conjugate transposed, which is the same as
 * transposed for real numbers. */
enum { GR_CUBLAS_N = 0, GR_CUBLAS_T = 1, GR_CUBLAS_C = 2 };

/* cublasPointerMode_t */
enum { GR_CUBLAS_POINTERS_HOST = 0 };

/* cublasMath_t. The bits from 16 on are flags. */
enum {
    GR_CUBLAS_MATH_DEFAULT = 0,
    GR_CUBLAS_MATH_TENSOR_OP = 1,
    GR_CUBLAS_MATH_PEDANTIC = 2,
    GR_CUBLAS_MATH_TF32 = 3,
    GR_CUBLAS_MATH_BITS = 15
};

/* cudaDataType */
enum { GR_CUDA_R_32F = 0, GR_CUDA_R_64F = 1, GR_CUDA_R_16BF = 14 };

/* cublasComputeType_t */
enum {
    GR_CUBLAS_32F = 68,
    GR_CUBLAS_32F_PEDANTIC = 69,
    GR_CUBLAS_64F = 70,
    GR_CUBLAS_64F_PEDANTIC = 71,
    GR_CUBLAS_32F_FAST_16F = 74,
    GR_CUBLAS_32F_FAST_16BF = 75,
    GR_CUBLAS_32F_FAST_TF32 = 77,
    GR_CUBLAS_32F_BF16X9 = 78
};

/* cublasLtMatrixLayoutAttribute_t */
enum {
    GR_LT_TYPE = 0,
    GR_LT_ORDER = 1,
    GR_LT_ROWS = 2,
    GR_LT_COLS = 3,
    GR_LT_LD = 4,
    GR_LT_BATCH = 5,
    GR_LT_STRIDE = 6,
    GR_LT_BATCH_MODE = 8
};

/* cublasLtOrder_t */
enum { GR_LT_ORDER_COL = 0 };

/* cublasLtMatmulDescAttributes_t */
enum {
    GR_LT_COMPUTE = 0,
    GR_LT_SCALE_TYPE = 1,
    GR_LT_POINTER_MODE = 2,
    GR_LT_TRANS_A = 3,
    GR_LT_TRANS_B = 4,
    GR_LT_TRANS_C = 5,
    GR_LT_EPILOGUE = 7,
    GR_LT_BIAS = 8,
    GR_LT_SM_COUNT = 15,
    GR_LT_A_SCALE = 17,
    GR_LT_B_SCALE = 18,
    GR_LT_C_SCALE = 19,
    GR_LT_D_SCALE = 20,
    GR_LT_D_AMAX = 21,
    GR_LT_BIAS_TYPE = 26
};

/* cublasLtEpilogue_t */
enum {
    GR_LT_EPILOGUE_DEFAULT = 1,
    GR_LT_EPILOGUE_RELU = 2,
    GR_LT_EPILOGUE_BIAS = 4,
    GR_LT_EPILOGUE_RELU_BIAS = GR_LT_EPILOGUE_RELU | GR_LT_EPILOGUE_BIAS,
    GR_LT_EPILOGUE_GELU = 32, /* the approximation with tanh */
    GR_LT_EPILOGUE_GELU_BIAS = GR_LT_EPILOGUE_GELU | GR_LT_EPILOGUE_BIAS
};

#endif
