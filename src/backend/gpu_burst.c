/* gpu_burst.c: the FMA ceiling of a GPU, measured in the same run as the kernels.
 * SPDX-License-Identifier: MIT
 */
#include "backend/gpu_burst.h"

#include "backend/tensor_burst.h"
#include "gpu/jit.h"

#include <stdio.h>
#include <string.h>

enum { FMAS_A_STEP = 8 * 16, THREADS = 256, BLOCKS_PER_SM = 4 };

/* Independent chains of FMAs on values that stay finite. The result is stored only if it has a
 * value that it never has, so that the compiler cannot remove the computation. */
static const char source_text[] =
    "extern \"C\" __global__ void __launch_bounds__(256) burst(int steps, T seed, T *out)\n"
    "{\n"
    "    T x[16];\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        x[i] = seed + threadIdx.x + i;\n"
    "    for (int s = 0; s < steps; s++)\n"
    "#pragma unroll\n"
    "        for (int u = 0; u < 8; u++)\n"
    "#pragma unroll\n"
    "            for (int i = 0; i < 16; i++)\n"
    "                x[i] = x[i] * seed + seed;\n"
    "    T sum = 0;\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        sum += x[i];\n"
    "    if (sum == (T)12345)\n"
    "        out[threadIdx.x] = sum;\n"
    "}\n";

/* From compute capability 8.0 on, tensor cores multiply float64 too, with the same result to the
 * last bit, and libraries use them; if they are faster, they are the ceiling. From 9.0 on only
 * the larger tiles reach the full rate. A step has as many operations as one of the kernel
 * above: an mma of 16 x 8 x 8 is 32 FMAs per thread, one of 8 x 8 x 4 is 8. */
static const char tensor_text[] =
    "extern \"C\" __global__ void __launch_bounds__(256) burst(int steps, double seed, double "
    "*out)\n"
    "{\n"
    "    double c[4][4];\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        c[i / 4][i % 4] = seed + threadIdx.x + i;\n"
    "    for (int s = 0; s < steps; s++)\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < 4; i++) {\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "            asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 \"\n"
    "                         \"{%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};\"\n"
    "                         : \"+d\"(c[i][0]), \"+d\"(c[i][1]), \"+d\"(c[i][2]), "
    "\"+d\"(c[i][3])\n"
    "                         : \"d\"(seed));\n"
    "#else\n"
    "            for (int u = 0; u < 4; u++)\n"
    "                asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 \"\n"
    "                             \"{%0,%1},{%2},{%2},{%0,%1};\"\n"
    "                             : \"+d\"(c[i][u % 2 * 2]), \"+d\"(c[i][u % 2 * 2 + 1]) : "
    "\"d\"(seed));\n"
    "#endif\n"
    "        }\n"
    "    double sum = 0;\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        sum += c[i / 4][i % 4];\n"
    "    if (sum == 12345)\n"
    "        out[threadIdx.x] = sum;\n"
    "}\n";

/* The matrix cores of AMD's CDNA multiply float and double in the arithmetic of the type, and
 * rocBLAS uses them. A step has as many operations as one of the first kernel: an MFMA of 32 x 32 x
 * 2 is 32 FMAs of each of 64 lanes, one of 16 x 16 x 4 is 16. */
static const char matrix_text[] =
    "#define IS_F64 (sizeof(T) == 8)\n"
    "typedef float floats __attribute__((ext_vector_type(16)));\n"
    "typedef double doubles __attribute__((ext_vector_type(4)));\n"
    "template <int bytes> struct chain;\n"
    "template <> struct chain<4> {\n"
    "    floats c;\n"
    "    __device__ void step(float x)\n"
    "    { c = __builtin_amdgcn_mfma_f32_32x32x2f32(x, x, c, 0, 0, 0); }\n"
    "};\n"
    "#if !defined(__gfx908__)\n"
    "template <> struct chain<8> {\n"
    "    doubles c;\n"
    "    __device__ void step(double x)\n"
    "    { c = __builtin_amdgcn_mfma_f64_16x16x4f64(x, x, c, 0, 0, 0); }\n"
    "};\n"
    "#endif\n"
    "extern \"C\" __global__ void __launch_bounds__(256) burst(int steps, T seed, T *out)\n"
    "{\n"
    "    const int chains = IS_F64 ? 8 : 4;\n"
    "    chain<sizeof(T)> x[chains];\n"
    "    for (int i = 0; i < chains; i++)\n"
    "        x[i].c = seed + threadIdx.x + i;\n"
    "    for (int s = 0; s < steps; s++)\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < chains; i++)\n"
    "            x[i].step(seed);\n"
    "    T sum = 0;\n"
    "    for (int i = 0; i < chains; i++)\n"
    "        sum += x[i].c[0] + x[i].c[1] + x[i].c[2] + x[i].c[3];\n"
    "    if (sum == (T)12345)\n"
    "        out[threadIdx.x] = sum;\n"
    "}\n";

/* The kernel for the matrix units of a device in the arithmetic of the type itself; null if it has
 * none. */
static const char *matrix_source(const struct gr_gpu_device *device, enum gr_dtype type)
{
    static const char *const with_f64[] = {"gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"};
    const int dmma_since = 80;
    if (device->cc >= dmma_since && type == GR_F64)
        return tensor_text;
    for (size_t i = 0; i < sizeof with_f64 / sizeof *with_f64; i++)
        if (strcmp(device->arch, with_f64[i]) == 0)
            return matrix_text;
    return strcmp(device->arch, "gfx908") == 0 && type == GR_F32 ? matrix_text : NULL;
}

/* Appends the source of the kernel for a type, on the matrix units or without them. False: there is
 * none. */
static bool write_kernel(const struct gr_gpu_device *device, enum gr_dtype type, bool matrix,
                         struct gr_str *text)
{
    const bool plain = type == GR_F32 || type == GR_F64;
    const char *kernel = !plain ? NULL : matrix ? matrix_source(device, type) : source_text;
    if (kernel)
        gr_str_printf(text, "#define T %s\n%s", gr_dtype_ctype(type), kernel);
    return kernel || (matrix && gr_tensor_burst_write(device, type, text));
}

/* That kernel, compiled; null where there is none. */
static gr_gpu_function function_of(const struct gr_gpu_context *context,
                                   struct gr_gpu_bursts *bursts, enum gr_dtype type, bool matrix)
{
    gr_gpu_function *function = &bursts->made[type][matrix];
    struct gr_str text = {0};
    if (bursts->tried[type][matrix])
        return *function;
    bursts->tried[type][matrix] = true;
    if (!write_kernel(&context->device, type, matrix, &text) || text.failed) {
        gr_str_free(&text);
        return NULL;
    }
    const char *const names[] = {"burst"};
    struct gr_rtc_source source = {.text = text.text,
                                   .name = "burst.cu",
                                   .arch = context->device.arch,
                                   .names = names,
                                   .name_count = 1};
    struct gr_rtc_code cubin = {0};
    struct gradus_error unknown = {0};
    gr_gpu_module module = NULL;
    const struct gr_gpu_driver *driver = context->driver;
    if (gr_jit_compile(context->driver->vendor->rtc, &source, true, &cubin, &unknown) ==
            GRADUS_OK &&
        driver->module_load(&module, cubin.image, 0, NULL, NULL) == GR_GPU_SUCCESS)
        driver->module_function(function, module, cubin.lowered[0]);
    gr_rtc_code_free(&cubin);
    gradus_error_clear(&unknown);
    gr_str_free(&text);
    return *function;
}

/* Milliseconds of `steps` steps; 0 when it failed. */
static double run(const struct gr_gpu_context *context, gr_gpu_function function,
                  enum gr_dtype type, int steps, gr_gpu_event start, gr_gpu_event stop)
{
    const struct gr_gpu_driver *driver = context->driver;
    union {
        float f32;
        double f64;
    } seed = {.f32 = 0.5f};
    gr_gpu_address nowhere = 0;
    if (type == GR_F64)
        seed.f64 = 0.5;
    void *parameters[] = {&steps, &seed, &nowhere};
    float ms = 0;
    unsigned blocks = (unsigned)(context->device.sms * BLOCKS_PER_SM);
    driver->event_record(start, context->stream);
    gr_gpu_result result =
        driver->launch(function, blocks, 1, 1, THREADS, 1, 1, 0, context->stream, parameters, NULL);
    driver->event_record(stop, context->stream);
    if (result != GR_GPU_SUCCESS || driver->stream_synchronize(context->stream) != GR_GPU_SUCCESS ||
        driver->event_elapsed_ms(&ms, start, stop) != GR_GPU_SUCCESS)
        return 0;
    return (double)ms;
}

/* GFLOP/s of one of the kernels; 0 where it cannot be had. */
static double rate(const struct gr_gpu_context *context, gr_gpu_function function,
                   enum gr_dtype type, int64_t ns, gr_gpu_event start, gr_gpu_event stop)
{
    const int few = 4 * GR_TENSOR_BURST_ROUND;
    double ms = function ? run(context, function, type, few, start, stop) : 0;
    int steps = ms > 0 ? (int)(few * (double)ns * 1e-6 / ms) + 1 : 0;
    steps += (GR_TENSOR_BURST_ROUND - steps % GR_TENSOR_BURST_ROUND) % GR_TENSOR_BURST_ROUND;
    ms = steps ? run(context, function, type, steps, start, stop) : 0;
    double fmas = (double)steps * FMAS_A_STEP * THREADS * BLOCKS_PER_SM * context->device.sms;
    return ms > 0 ? 2 * fmas / (ms * 1e6) : 0;
}

double gr_gpu_burst(const struct gr_gpu_context *context, struct gr_gpu_bursts *bursts,
                    enum gr_dtype type, int64_t ns)
{
    gr_gpu_event start = NULL, stop = NULL;
    const struct gr_gpu_driver *driver = context->driver;
    double gflops = 0, matrix = 0;
    if (driver->event_create(&start, 0) == GR_GPU_SUCCESS &&
        driver->event_create(&stop, 0) == GR_GPU_SUCCESS) {
        gflops = rate(context, function_of(context, bursts, type, false), type, ns, start, stop);
        matrix = rate(context, function_of(context, bursts, type, true), type, ns, start, stop);
    }
    if (start)
        driver->event_destroy(start);
    if (stop)
        driver->event_destroy(stop);
    return matrix > gflops ? matrix : gflops;
}
