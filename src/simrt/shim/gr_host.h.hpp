// gr_host.h: what stays beside kernels of the host's side: types and constants that a declaration may name. Functions
// that call the run time are cut from a kernel's file before it is compiled. SPDX-License-Identifier: MIT
#ifndef GR_HOST_H
#define GR_HOST_H

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNotSupported = 801,
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
};
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct cublasContext *cublasHandle_t;
typedef int cublasStatus_t;
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
// A launch that depends on an earlier one starts when that has ended.
GR_INLINE void cudaGridDependencySynchronize()
{
}
GR_INLINE void cudaTriggerProgrammaticLaunchCompletion()
{
}

#endif
