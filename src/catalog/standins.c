/* standins.c: headers that files of CUDA include and a run-time compiler lacks. SPDX-License-Identifier: MIT */
#include "catalog/standins.h"

#include "catalog/hostheaders.h"

#include <stddef.h>

static const char nothing[] = "#pragma once\n";

static const char integers[] =
    "#pragma once\n"
    "typedef signed char int8_t;\n"
    "typedef unsigned char uint8_t;\n"
    "typedef short int16_t;\n"
    "typedef unsigned short uint16_t;\n"
    "typedef int int32_t;\n"
    "typedef unsigned int uint32_t;\n"
    "typedef long long int64_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "typedef long long intptr_t;\n"
    "typedef unsigned long long uintptr_t;\n"
    "namespace std {\n"
    "using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;\n"
    "using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;\n"
    "using ::intptr_t; using ::uintptr_t;\n"
    "}\n";

static const char assertions[] = "#pragma once\n"
                                 "#undef assert\n"
                                 "#ifdef NDEBUG\n"
                                 "#define assert(condition) ((void)0)\n"
                                 "#else\n"
                                 "#define assert(condition) ((condition) ? (void)0 : __trap())\n"
                                 "#endif\n";

static const char limits[] = "#pragma once\n"
                             "#define CHAR_BIT 8\n"
                             "#define INT_MAX 2147483647\n"
                             "#define INT_MIN (-INT_MAX - 1)\n"
                             "#define UINT_MAX 4294967295u\n"
                             "#define LLONG_MAX 9223372036854775807LL\n";

static const char floats[] = "#pragma once\n"
                             "#define FLT_MAX 3.402823466e+38f\n"
                             "#define FLT_MIN 1.175494351e-38f\n"
                             "#define FLT_EPSILON 1.192092896e-07f\n"
                             "#define DBL_MAX 1.7976931348623158e+308\n"
                             "#define DBL_EPSILON 2.2204460492503131e-16\n";

/* HIP's words in CUDA's, for a HIP file that is compiled for an NVIDIA GPU. */
#define INDEX(hip, cuda)                                                                           \
    "#define " hip "_x " cuda ".x\n#define " hip "_y " cuda ".y\n#define " hip "_z " cuda ".z\n"
#define SHUFFLE(name)                                                                              \
    "#define " name "(value, ...) " name "_sync(0xffffffffu, value, __VA_ARGS__)\n"
static const char hip[] = "#pragma once\n" INDEX("hipThreadIdx", "threadIdx")
    INDEX("hipBlockIdx", "blockIdx") INDEX("hipBlockDim", "blockDim") INDEX("hipGridDim", "gridDim")
        SHUFFLE("__shfl") SHUFFLE("__shfl_up") SHUFFLE("__shfl_down") SHUFFLE(
            "__shfl_xor") "#define __ballot(predicate) ((unsigned long "
                          "long)__ballot_sync(0xffffffffu, predicate))\n"
                          "#define __any(predicate) __any_sync(0xffffffffu, predicate)\n"
                          "#define __all(predicate) __all_sync(0xffffffffu, predicate)\n"
                          "#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];\n"
                          "#define __builtin_amdgcn_s_barrier() __syncthreads()\n";

static const struct gr_standin standins[] = {
    {"hip/hip_runtime.h", hip},   {"hip/hip_runtime_api.h", nothing},
    {"cuda_runtime.h", nothing},  {"cuda_runtime_api.h", nothing},
    {"cuda.h", nothing},          {"device_launch_parameters.h", nothing},
    {"cublas_v2.h", nothing},     {"curand.h", nothing},
    {"helper_cuda.h", nothing},   {"helper_functions.h", nothing},
    {"helper_string.h", nothing}, {"stdio.h", nothing},
    {"stdlib.h", nothing},        {"string.h", nothing},
    {"math.h", nothing},          {"time.h", nothing},
    {"unistd.h", nothing},        {"stddef.h", nothing},
    {"stdbool.h", nothing},       {"sys/time.h", nothing},
    {"assert.h", assertions},     {"stdint.h", integers},
    {"limits.h", limits},         {"float.h", floats},
    {"cassert", assertions},      {"cstdint", integers},
    {"climits", limits},          {"cfloat", floats},
    {"cstdio", nothing},          {"cstdlib", nothing},
    {"cstring", nothing},         {"cmath", nothing},
    {"cstddef", nothing},         {"ctime", nothing},
    {"algorithm", nothing},       {"array", nothing},
    {"chrono", nothing},          {"fstream", nothing},
    {"functional", nothing},      {"iomanip", nothing},
    {"iostream", nothing},        {"map", nothing},
    {"memory", nothing},          {"numeric", nothing},
    {"random", nothing},          {"sstream", nothing},
    {"stdexcept", nothing},       {"string", nothing},
    {"thread", nothing},          {"tuple", nothing},
    {"vector", nothing},
#define ROW(name) {name, nothing},
    GR_HOST_HEADERS(ROW)
#undef ROW
};

const struct gr_standin *gr_standin_at(int i)
{
    return i >= 0 && i < (int)(sizeof standins / sizeof *standins) ? &standins[i] : NULL;
}

const char gr_standin_prologue[] = "typedef unsigned int uint;\n"
                                   "typedef unsigned short ushort;\n"
                                   "typedef unsigned char uchar;\n"
                                   "namespace std {}\n"
                                   "#ifndef CEIL_DIV\n"
                                   "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n"
                                   "#endif\n";
