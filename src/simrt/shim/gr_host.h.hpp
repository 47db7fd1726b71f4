// gr_host.h: types and constants of CUDA's host API that declarations beside kernels may use.
// Functions that call CUDA's run time are removed from a kernel's file before it is compiled.
// SPDX-License-Identifier: MIT
#ifndef GR_HOST_H
#define GR_HOST_H

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorSystemDriverMismatch = 803,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerBlock, warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor;
    size_t totalConstMem, memPitch, textureAlignment, reservedSharedMemPerBlock;
    int maxThreadsDim[3], maxGridSize[3], clockRate, memoryClockRate, memoryBusWidth, l2CacheSize;
    int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int regsPerMultiprocessor, asyncEngineCount, concurrentKernels, ECCEnabled, integrated;
    int canMapHostMemory, computeMode, unifiedAddressing, managedMemory, cooperativeLaunch;
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
typedef cudaDataType_t cudaDataType;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

GR_INLINE const char *cudaGetErrorString(cudaError_t)
{
    return "no error";
}
GR_INLINE cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
GR_INLINE cudaError_t cudaPeekAtLastError()
{
    return cudaSuccess;
}
// Functions that host code in a header may call. It is compiled and never run.
#define GR_HOST_CALL(type, name)                                                                   \
    template <class... gr_any> GR_INLINE type name(gr_any &&...)                                   \
    {                                                                                              \
        return (type)0;                                                                            \
    }
GR_HOST_CALL(cudaError_t, cudaMalloc)
GR_HOST_CALL(cudaError_t, cudaMallocHost)
GR_HOST_CALL(cudaError_t, cudaMallocManaged)
GR_HOST_CALL(cudaError_t, cudaFree)
GR_HOST_CALL(cudaError_t, cudaFreeHost)
GR_HOST_CALL(cudaError_t, cudaMemcpy)
GR_HOST_CALL(cudaError_t, cudaMemcpyAsync)
GR_HOST_CALL(cudaError_t, cudaMemset)
GR_HOST_CALL(cudaError_t, cudaMemsetAsync)
GR_HOST_CALL(cudaError_t, cudaDeviceSynchronize)
GR_HOST_CALL(cudaError_t, cudaDeviceReset)
GR_HOST_CALL(cudaError_t, cudaDeviceGetAttribute)
GR_HOST_CALL(cudaError_t, cudaGetDevice)
GR_HOST_CALL(cudaError_t, cudaSetDevice)
GR_HOST_CALL(cudaError_t, cudaGetDeviceCount)
GR_HOST_CALL(cudaError_t, cudaGetDeviceProperties)
GR_HOST_CALL(cudaError_t, cudaMemGetInfo)
GR_HOST_CALL(cudaError_t, cudaStreamCreate)
GR_HOST_CALL(cudaError_t, cudaStreamCreateWithFlags)
GR_HOST_CALL(cudaError_t, cudaStreamDestroy)
GR_HOST_CALL(cudaError_t, cudaStreamSynchronize)
GR_HOST_CALL(cudaError_t, cudaEventCreate)
GR_HOST_CALL(cudaError_t, cudaEventDestroy)
GR_HOST_CALL(cudaError_t, cudaEventRecord)
GR_HOST_CALL(cudaError_t, cudaEventSynchronize)
GR_HOST_CALL(cudaError_t, cudaEventElapsedTime)
GR_HOST_CALL(cudaError_t, cudaFuncSetAttribute)
GR_HOST_CALL(cudaError_t, cudaProfilerStart)
GR_HOST_CALL(cudaError_t, cudaProfilerStop)
GR_HOST_CALL(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor)
GR_HOST_CALL(const char *, cudaGetErrorName)
GR_HOST_CALL(cublasStatus_t, cublasCreate)
GR_HOST_CALL(cublasStatus_t, cublasDestroy)
GR_HOST_CALL(cublasStatus_t, cublasSetStream)
GR_HOST_CALL(cublasStatus_t, cublasSetMathMode)
GR_HOST_CALL(cublasStatus_t, cublasSgemm)
GR_HOST_CALL(cublasStatus_t, cublasDgemm)
GR_HOST_CALL(cublasStatus_t, cublasHgemm)
GR_HOST_CALL(cublasStatus_t, cublasGemmEx)
GR_HOST_CALL(const char *, cublasGetStatusString)
#undef GR_HOST_CALL
// A dependent launch begins after the earlier one has ended, so these functions do nothing.
GR_INLINE void cudaGridDependencySynchronize()
{
}
GR_INLINE void cudaTriggerProgrammaticLaunchCompletion()
{
}

#endif
