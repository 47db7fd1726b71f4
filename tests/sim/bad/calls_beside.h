// calls_beside.h: a host's class that asks the run time. SPDX-License-Identifier: MIT
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdexcept>

class library
{
public:
    library()
    {
        cudaDeviceProp facts;
        if (cudaGetDeviceProperties(&facts, 0) != cudaSuccess)
            throw std::runtime_error("no device");
        bits = facts.memoryBusWidth;
        rate = facts.memoryClockRate;
        if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
            throw std::runtime_error("no cuBLAS");
    }

private:
    cublasHandle_t handle;
    int bits, rate;
};
