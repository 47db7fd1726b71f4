/* cuda_burst.c: the FMA ceiling of a GPU, measured beside the kernels. SPDX-License-Identifier: MIT */
#include "backend/cuda_burst.h"

#include "gpu/jit.h"

#include <stdio.h>
#include <string.h>

enum { CHAINS = 16, FMAS_A_STEP = 8 * CHAINS, THREADS = 256, BLOCKS_PER_SM = 4 };

/* Chains that do not wait for one another, on values that stay finite. What they come to is stored only if it is
 * what it never is, so that the compiler cannot leave anything out. */
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

static CUfunction function_of(const struct gr_cuda_context *context, enum gr_dtype type)
{
    static CUfunction functions[GR_DTYPE_COUNT];
    static bool tried[GR_DTYPE_COUNT];
    if (tried[type])
        return functions[type];
    tried[type] = true;
    char text[sizeof source_text + 64];
    snprintf(text, sizeof text, "#define T %s\n%s", gr_dtype_ctype(type), source_text);
    const char *const names[] = {"burst"};
    struct gr_nvrtc_source source = {.text = text,
                                     .name = "burst.cu",
                                     .arch = context->device.arch,
                                     .names = names,
                                     .name_count = 1};
    struct gr_cubin cubin = {0};
    struct gradus_error unknown = {0};
    CUmodule module = NULL;
    const struct gr_cuda *cuda = context->cuda;
    if (gr_jit_compile(&source, true, &cubin, &unknown) == GRADUS_OK &&
        cuda->module_load(&module, cubin.image, 0, NULL, NULL) == GR_CUDA_SUCCESS)
        cuda->module_function(&functions[type], module, cubin.lowered[0]);
    gr_cubin_free(&cubin);
    gradus_error_clear(&unknown);
    return functions[type];
}

/* Milliseconds of `steps` steps; 0 when it failed. */
static double run(const struct gr_cuda_context *context, CUfunction function, enum gr_dtype type,
                  int steps, CUevent start, CUevent stop)
{
    const struct gr_cuda *cuda = context->cuda;
    union {
        float f32;
        double f64;
    } seed = {.f32 = 0.5f};
    CUdeviceptr nowhere = 0;
    if (type == GR_F64)
        seed.f64 = 0.5;
    void *parameters[] = {&steps, &seed, &nowhere};
    float ms = 0;
    unsigned blocks = (unsigned)(context->device.sms * BLOCKS_PER_SM);
    cuda->event_record(start, context->stream);
    CUresult result =
        cuda->launch(function, blocks, 1, 1, THREADS, 1, 1, 0, context->stream, parameters, NULL);
    cuda->event_record(stop, context->stream);
    if (result != GR_CUDA_SUCCESS || cuda->stream_synchronize(context->stream) != GR_CUDA_SUCCESS ||
        cuda->event_elapsed_ms(&ms, start, stop) != GR_CUDA_SUCCESS)
        return 0;
    return (double)ms;
}

double gr_cuda_burst(const struct gr_cuda_context *context, enum gr_dtype type, int64_t ns)
{
    CUfunction function = type == GR_F32 || type == GR_F64 ? function_of(context, type) : NULL;
    CUevent start = NULL, stop = NULL;
    const struct gr_cuda *cuda = context->cuda;
    double gflops = 0;
    if (function && cuda->event_create(&start, 0) == GR_CUDA_SUCCESS &&
        cuda->event_create(&stop, 0) == GR_CUDA_SUCCESS) {
        const int few = 200;
        double ms = run(context, function, type, few, start, stop);
        int steps = ms > 0 ? (int)(few * (double)ns * 1e-6 / ms) + 1 : 0;
        ms = steps ? run(context, function, type, steps, start, stop) : 0;
        double fmas = (double)steps * FMAS_A_STEP * THREADS * BLOCKS_PER_SM * context->device.sms;
        gflops = ms > 0 ? 2 * fmas / (ms * 1e6) : 0;
    }
    if (start)
        cuda->event_destroy(start);
    if (stop)
        cuda->event_destroy(stop);
    return gflops;
}
