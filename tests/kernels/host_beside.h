// host_beside.h: host code of a kernel's file. SPDX-License-Identifier: MIT
#pragma once
#include <cublas_v2.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <initializer_list>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

void multiply(cublasHandle_t handle, const std::vector<float> &a, std::string name);

struct matrix {
    std::vector<float> values;
    matrix(std::initializer_list<float> from);
    float *data()
    {
        return values.data();
    }
};

static inline const char *name_of(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "not initialized";
    default:
        return "unknown";
    }
}
