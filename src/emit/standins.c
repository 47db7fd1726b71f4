/* standins.c: replacements for headers that CUDA files include and a run-time compiler does not
 * have. SPDX-License-Identifier: MIT */
#include "emit/standins.h"

#include "emit/hipheaders.h"
#include "emit/hostheaders.h"

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

static const char sizes[] = "#pragma once\n"
                            "namespace std { using ::size_t; using ::ptrdiff_t; }\n";

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

/* The types that prototypes and classes in headers use; functions with them are usually compiled
 * but not called. */
static const char cublas[] =
    "#ifndef GRADUS_CUBLAS\n" /* several headers contain this text */
    "#define GRADUS_CUBLAS\n"
    "typedef struct cublasLtContext *cublasLtHandle_t;\n"
    "typedef struct cublasContext *cublasHandle_t;\n"
    "enum cublasStatus_t {\n"
    "  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1,\n"
    "  CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,\n"
    "  CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,\n"
    "  CUBLAS_STATUS_EXECUTION_FAILED = 13,\n"
    "  CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,\n"
    "  CUBLAS_STATUS_LICENSE_ERROR = 16 };\n"
    "enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };\n"
    "#endif\n";

static const char numbers[] = "#pragma once\n"
                              "namespace std {\n"
                              "template <class T> struct numeric_limits;\n"
#define LIMITS(type, least, lowest, most, small, endless)                                          \
    "template <> struct numeric_limits<" type "> {\n"                                              \
    "  __device__ static constexpr " type " min() { return " least "; }\n"                         \
    "  __device__ static constexpr " type " lowest() { return " lowest "; }\n"                     \
    "  __device__ static constexpr " type " max() { return " most "; }\n"                          \
    "  __device__ static constexpr " type " epsilon() { return " small "; }\n"                     \
    "  __device__ static " type " infinity() { return " endless "; }\n"                            \
    "};\n"
    LIMITS("float", "1.175494351e-38f", "-3.402823466e+38f", "3.402823466e+38f", "1.192092896e-07f",
           "__int_as_float(0x7f800000)")
        LIMITS("double", "2.2250738585072014e-308", "-1.7976931348623158e+308",
               "1.7976931348623158e+308", "2.2204460492503131e-16",
               "__longlong_as_double(0x7ff0000000000000LL)")
            LIMITS("int", "-2147483647 - 1", "-2147483647 - 1", "2147483647", "0", "0")
                LIMITS("unsigned", "0", "0", "4294967295u", "0", "0")
#undef LIMITS
                    "}\n";

/* The functions of <cmath> and <algorithm> that device code calls. A host's library converts
 * integer arguments to double. */
static const char math[] =
    "#ifndef GRADUS_MATH\n" /* two headers contain this text */
    "#define GRADUS_MATH\n"
    "#include <stdint.h>\n"
    "namespace std {\n"
    "using ::ceil; using ::floor; using ::round; using ::trunc; using ::sqrt; using ::cbrt; using "
    "::abs; using ::fabs;\n"
    "using ::fma; using ::fmod; using ::fmin; using ::fmax; using ::exp; using ::exp2; using "
    "::log; using ::log2;\n"
    "using ::pow; using ::sin; using ::cos; using ::tanh; using ::erf; using ::min; using ::max;\n"
#define WHOLE(type)                                                                                \
    "__device__ inline double ceil(" type " x) { return x; }\n"                                    \
    "__device__ inline double floor(" type " x) { return x; }\n"                                   \
    "__device__ inline double round(" type " x) { return x; }\n"                                   \
    "__device__ inline double sqrt(" type " x) { return ::sqrt((double)x); }\n"                    \
    "__device__ inline double log2(" type " x) { return ::log2((double)x); }\n"
    WHOLE("int") WHOLE("unsigned") WHOLE("long") WHOLE("unsigned long")
#undef WHOLE
        "}\n"
        "#endif\n";

static const char traits[] =
    "#pragma once\n"
    "namespace std {\n"
    "template <class T, T v> struct integral_constant { static constexpr T value = v; };\n"
    "typedef integral_constant<bool, true> true_type;\n"
    "typedef integral_constant<bool, false> false_type;\n"
    "template <class A, class B> struct is_same : false_type {};\n"
    "template <class A> struct is_same<A, A> : true_type {};\n"
    "template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;\n"
    "template <bool c, class A, class B> struct conditional { typedef A type; };\n"
    "template <class A, class B> struct conditional<false, A, B> { typedef B type; };\n"
    "template <bool c, class A, class B> using conditional_t = typename conditional<c, A, "
    "B>::type;\n"
    "template <bool c, class A = void> struct enable_if {};\n"
    "template <class A> struct enable_if<true, A> { typedef A type; };\n"
    "template <bool c, class A = void> using enable_if_t = typename enable_if<c, A>::type;\n"
    "template <class A> struct is_floating_point : false_type {};\n"
    "template <> struct is_floating_point<float> : true_type {};\n"
    "template <> struct is_floating_point<double> : true_type {};\n"
    "template <class A> inline constexpr bool is_floating_point_v = is_floating_point<A>::value;\n"
    "template <class A> struct remove_reference { typedef A type; };\n"
    "template <class A> struct remove_reference<A &> { typedef A type; };\n"
    "template <class A> struct remove_reference<A &&> { typedef A type; };\n"
    "}\n";

static const char classes[] =
    "#ifndef GRADUS_CLASSES\n"
    "#define GRADUS_CLASSES\n"
    "#include <stdint.h>\n"
    "namespace std {\n"
    "template <class T, class A = void> class vector {\n"
    "  T *first = nullptr;\n"
    "public:\n"
    "  typedef T value_type;\n"
    "  vector() {}\n"
    "  explicit vector(unsigned long) {}\n"
    "  vector(unsigned long, const T &) {}\n"
    "  T &operator[](unsigned long i) { return first[i]; }\n"
    "  const T &operator[](unsigned long i) const { return first[i]; }\n"
    "  T *data() { return first; }\n"
    "  const T *data() const { return first; }\n"
    "  T *begin() { return first; }\n"
    "  const T *begin() const { return first; }\n"
    "  T *end() { return first; }\n"
    "  const T *end() const { return first; }\n"
    "  unsigned long size() const { return 0; }\n"
    "  bool empty() const { return true; }\n"
    "  void push_back(const T &) {}\n"
    "  void resize(unsigned long) {}\n"
    "  void reserve(unsigned long) {}\n"
    "  void clear() {}\n"
    "};\n"
    "class string {\n"
    "public:\n"
    "  string() {}\n"
    "  string(const char *) {}\n"
    "  const char *c_str() const { return nullptr; }\n"
    "  unsigned long size() const { return 0; }\n"
    "  bool empty() const { return true; }\n"
    "  bool operator==(const string &) const { return true; }\n"
    "  string operator+(const string &) const { return {}; }\n"
    "};\n"
    "template <class T> string to_string(T) { return {}; }\n"
    "class exception {\n"
    "public:\n"
    "  const char *what() const { return nullptr; }\n"
    "};\n"
    "struct runtime_error : exception { runtime_error(const string &) {} };\n"
    "struct invalid_argument : exception { invalid_argument(const string &) {} };\n"
    /* hipRTC of HIP 5 declares types of these names itself. */
    "#define ostream gradus_ostream\n"
    "#define istream gradus_istream\n"
    "struct ostream {};\n"
    "struct istream {};\n"
    "template <class T> ostream &operator<<(ostream &out, const T &) { return out; }\n"
    "static ostream cout, cerr;\n"
    "static const char endl = 0;\n"
    "struct ifstream : istream { ifstream(const string &) {} };\n"
    "struct ofstream : ostream { ofstream(const string &) {} };\n"
    "struct stringstream : ostream { string str() const { return {}; } };\n"
    "struct random_device { unsigned operator()() { return 0; } };\n"
    "struct mt19937 { mt19937(unsigned) {} };\n"
    "template <class T> struct gradus_numbers {\n"
    "  gradus_numbers(T, T) {}\n"
    "  template <class G> T operator()(G &) { return T(); }\n"
    "};\n"
    "template <class T = double> using uniform_real_distribution = gradus_numbers<T>;\n"
    "template <class T = double> using normal_distribution = gradus_numbers<T>;\n"
    "template <class T = int> using uniform_int_distribution = gradus_numbers<T>;\n"
    "}\n"
    "#endif\n";

static const struct gr_standin standins[] = {{"cuda_runtime.h", nothing},
                                             {"cuda_runtime_api.h", nothing},
                                             {"cuda.h", nothing},
                                             {"device_launch_parameters.h", nothing},
                                             {"cublas_v2.h", cublas},
                                             {"cublas.h", cublas},
                                             {"cublasLt.h", cublas},
                                             {"limits", numbers},
                                             {"type_traits", traits},
                                             {"utility", traits},
                                             {"cuda_profiler_api.h", nothing},
                                             {"initializer_list", nothing},
                                             {"exception", classes},
                                             {"ostream", classes},
                                             {"istream", classes},
                                             {"curand.h", nothing},
                                             {"cusparse.h", nothing},
                                             {"cusparse_v2.h", nothing},
                                             {"cusolverDn.h", nothing},
                                             {"cufft.h", nothing},
                                             {"nvml.h", nothing},
                                             {"helper_cuda.h", nothing},
                                             {"helper_functions.h", nothing},
                                             {"helper_string.h", nothing},
                                             {"stdio.h", nothing},
                                             {"stdlib.h", nothing},
                                             {"string.h", nothing},
                                             {"math.h", nothing},
                                             {"time.h", nothing},
                                             {"unistd.h", nothing},
                                             {"stddef.h", nothing},
                                             {"stdbool.h", nothing},
                                             {"sys/time.h", nothing},
                                             {"assert.h", assertions},
                                             {"stdint.h", integers},
                                             {"limits.h", limits},
                                             {"float.h", floats},
                                             {"cassert", assertions},
                                             {"cstdint", integers},
                                             {"climits", limits},
                                             {"cfloat", floats},
                                             {"cstdio", nothing},
                                             {"cstdlib", nothing},
                                             {"cstring", nothing},
                                             {"cmath", math},
                                             {"cstddef", sizes},
                                             {"ctime", nothing},
                                             {"algorithm", math},
                                             {"array", integers},
                                             {"chrono", integers},
                                             {"fstream", classes},
                                             {"functional", integers},
                                             {"iomanip", classes},
                                             {"iostream", classes},
                                             {"map", integers},
                                             {"memory", integers},
                                             {"numeric", integers},
                                             {"random", classes},
                                             {"sstream", classes},
                                             {"stdexcept", classes},
                                             {"string", classes},
                                             {"thread", classes},
                                             {"source_location", nothing},
                                             {"filesystem", classes},
                                             {"tuple", integers},
                                             {"vector", classes},
#define ROW(name) {name, nothing},
                                             GR_HOST_HEADERS(ROW)
#undef ROW
#define ROW(name, header) {name, "#include <" header ">\n"},
                                                 GR_HIP_HEADERS(ROW) GR_HIP_ALIASES(ROW)
#undef ROW
};

const struct gr_standin *gr_standin_at(int i)
{
    return i >= 0 && i < (int)(sizeof standins / sizeof *standins) ? &standins[i] : NULL;
}

const char gr_standin_prologue[] = "#include <stdint.h>\n"
                                   "typedef unsigned int uint;\n"
                                   "typedef unsigned short ushort;\n"
                                   "typedef unsigned char uchar;\n"
                                   "namespace std {}\n"
                                   "namespace nvcuda {}\n"
                                   /* Functions that a host compiler has built in but C++17 no
                                    * longer declares. */
                                   "#ifdef __CUDACC_RTC__\n"
                                   "#ifndef __FLT_MAX__\n"
                                   "#define __FLT_MAX__ 3.402823466e+38f\n"
                                   "#define __FLT_MIN__ 1.175494351e-38f\n"
                                   "#define __FLT_EPSILON__ 1.192092896e-07f\n"
                                   "#define __DBL_MAX__ 1.7976931348623158e+308\n"
                                   "#define __DBL_EPSILON__ 2.2204460492503131e-16\n"
                                   "#define __INT_MAX__ 2147483647\n"
                                   "#endif\n"
                                   "#ifndef INFINITY\n"
                                   "#define INFINITY __int_as_float(0x7f800000)\n"
                                   "#endif\n"
                                   "#ifndef NAN\n"
                                   "#define NAN __int_as_float(0x7fffffff)\n"
                                   "#endif\n"
                                   "#define register\n"
                                   /* Headers of the C library declare these. */
                                   "typedef unsigned char __uint8_t;\n"
                                   "typedef unsigned short __uint16_t;\n"
                                   "typedef unsigned int __uint32_t;\n"
                                   "typedef int __int32_t;\n"
                                   "typedef unsigned long __uint64_t;\n"
                                   "typedef long __int64_t;\n"
                                   /* Every header of C++'s library declares it. */
                                   "namespace std { using ::size_t; }\n"
                                   "#endif\n"
                                   "#ifndef CEIL_DIV\n"
                                   "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n"
                                   "#endif\n";
