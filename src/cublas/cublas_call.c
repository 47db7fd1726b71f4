/* cublas_call.c: decides whether gradus computes a call, and computes it.
 *
 * A call is passed on if gradus has no kernel for it, if gradus is not expected to be faster than
 * cuBLAS (for example where TF32 is allowed, for few rows or columns, and for small products in a
 * batch or with an epilogue), or if something would differ from what the program asked for.
 * SPDX-License-Identifier: MIT */
#include "cublas/cublas_call.h"

#include "core/clock.h"
#include "blas/ledger_calls.h"
#include "cpu/gemm.h"
#include "cublas/cublas_abi.h"
#include "cublas/cublas_memory.h"
#include "cublas/cublas_real.h"
#include "cublas/cublas_timing.h"
#include "device/device_product.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Thresholds in multiplications (m*n*k). On an H200, batches of floats from 64x64x64 on take 0.5 to
 * 0.83 times as long as cuBLAS's (docs/gpu-library.md), smaller ones up to 1.25 times as long, and
 * those of the other types 0.8 to 1.6 times. With an epilogue that the product's kernel applies,
 * 512x512x512 takes 0.72 times as long as cuBLASLt's. Other epilogues are an additional launch and
 * pass over C: 256x3072x768 with a bias takes 1.2 times as long as with cuBLAS, 1024x2048x1024
 * the same time. Larger products with 16 to 128 rows or columns take 1.1 to 1.4 times as long. */
static const double batched_least = 2e9, narrow_least = 1e8;
static const double fused_least = 1.3e8, epilogue_least = 3e9;
enum { NARROW = 128, BATCHED = 64 };
/* Address alignments in bytes: of matrices, at most what a kernel needs; of a workspace. */
enum { ALIGNMENT = 16, BOUNDARY = 256 };

static _Thread_local int inside; /* how many calls are being passed on, one within another */

/* ---- The user's choice ---- */

static enum gradus_math chosen_math;
static pthread_once_t math_once = PTHREAD_ONCE_INIT;

static void read_math(void)
{
    static const char *const names[] = {"default", "ieee", "accurate", "scaled"};
    const char *text = getenv("GRADUS_MATH");
    for (int i = 0; i < 4; i++)
        if (text && strcmp(text, names[i]) == 0)
            chosen_math = (enum gradus_math)i;
}

/* ---- What cuBLAS knows about its handle ---- */

/* Calls a getter of the handle. `value` stays unchanged if cuBLAS has no such function. */
static int ask(struct gr_cublas_function *function, void *handle, void *value)
{
    int (*real)(void *, void *) = NULL;
    *(void **)&real = gr_cublas_real(function);
    return real ? real(handle, value) : GR_CUBLAS_SUCCESS;
}

struct handle_facts {
    int pointer_mode, math_mode, sm_count;
    void *stream;
};

/* Returns false if the handle is not valid, which cuBLAS then reports. */
static bool ask_handle(void *handle, struct handle_facts *facts)
{
    static struct gr_cublas_function functions[] = {
        {GR_CUBLAS_LIBRARY, "cublasGetStream_v2", NULL},
        {GR_CUBLAS_LIBRARY, "cublasGetPointerMode_v2", NULL},
        {GR_CUBLAS_LIBRARY, "cublasGetMathMode", NULL},
        {GR_CUBLAS_LIBRARY, "cublasGetSmCountTarget", NULL}};
    return ask(&functions[0], handle, &facts->stream) == GR_CUBLAS_SUCCESS &&
           ask(&functions[1], handle, &facts->pointer_mode) == GR_CUBLAS_SUCCESS &&
           ask(&functions[2], handle, &facts->math_mode) == GR_CUBLAS_SUCCESS &&
           ask(&functions[3], handle, &facts->sm_count) == GR_CUBLAS_SUCCESS;
}

/* ---- Should gradus compute the call? ---- */

/* For float64 and bfloat16, cuBLAS is as fast as gradus, except where rows do not begin at
 * multiples of 16 bytes, which are `vector` elements. */
static enum gr_passed_on judge_rows(const struct gr_cublas_call *call, int vector,
                                    enum gr_passed_on reason)
{
    return call->lda % vector == 0 && call->ldb % vector == 0 ? reason : GR_PASSED_NOT;
}

static enum gr_passed_on judge_types(const struct gr_cublas_call *call)
{
    const int a = call->a_type, c = call->c_type;
    const bool known = (a == GR_CUDA_R_32F && c == a) || (a == GR_CUDA_R_64F && c == a) ||
                       (a == GR_CUDA_R_16BF && (c == GR_CUDA_R_32F || c == a));
    if (call->b_type != a || !known)
        return GR_PASSED_TYPES;
    if (a == GR_CUDA_R_64F)
        return call->compute == GR_CUBLAS_64F || call->compute == GR_CUBLAS_64F_PEDANTIC
                   ? judge_rows(call, 2, GR_PASSED_F64)
                   : GR_PASSED_TYPES;
    if (a == GR_CUDA_R_16BF && judge_rows(call, 8, GR_PASSED_BF16) != GR_PASSED_NOT)
        return GR_PASSED_BF16;
    switch (call->compute) {
    case GR_CUBLAS_32F:
    case GR_CUBLAS_32F_PEDANTIC:
    case GR_CUBLAS_32F_BF16X9:
    case GR_CUBLAS_32F_FAST_16F:
    case GR_CUBLAS_32F_FAST_16BF:
    case GR_CUBLAS_32F_FAST_TF32:
        return GR_PASSED_NOT;
    default:
        return GR_PASSED_TYPES;
    }
}

/* Has the program allowed the tensor cores to round the inputs of a product of floats? */
static bool allows_less(const struct gr_cublas_call *call, int math_mode)
{
    if (call->a_type != GR_CUDA_R_32F || call->compute == GR_CUBLAS_32F_PEDANTIC ||
        math_mode == GR_CUBLAS_MATH_PEDANTIC)
        return false;
    return call->compute == GR_CUBLAS_32F_FAST_16F || call->compute == GR_CUBLAS_32F_FAST_16BF ||
           call->compute == GR_CUBLAS_32F_FAST_TF32 || math_mode == GR_CUBLAS_MATH_TF32 ||
           math_mode == GR_CUBLAS_MATH_TENSOR_OP;
}

static int64_t bytes_of(int type)
{
    return type == GR_CUDA_R_64F ? 8 : type == GR_CUDA_R_32F ? 4 : 2;
}

/* alpha or beta */
static double scalar(const struct gr_cublas_call *call, const void *value)
{
    return call->a_type == GR_CUDA_R_64F ? *(const double *)value : (double)*(const float *)value;
}

static enum gradus_type type_of(int type)
{
    return type == GR_CUDA_R_64F ? GRADUS_F64 : type == GR_CUDA_R_16BF ? GRADUS_BF16 : GRADUS_F32;
}

static bool is_op(int op)
{
    return op == GR_CUBLAS_N || op == GR_CUBLAS_T || op == GR_CUBLAS_C;
}

static bool finishes(const struct gr_cublas_call *call)
{
    return call->epilogue.bias || call->epilogue.activation != GRADUS_LINEAR;
}

/* Is the epilogue of a product applied by a kernel that multiplies? */
static bool is_fused(const struct gr_cublas_call *call, enum gradus_math math)
{
    return math != GRADUS_MATH_IEEE && math != GRADUS_MATH_SCALED &&
           call->a_type != GR_CUDA_R_64F && scalar(call, call->beta) == 0;
}

/* Is it a batch of small products of floats, which gradus computes on the tensor cores in one
 * launch? */
static bool is_fast_batch(const struct gr_cublas_call *call)
{
    return (call->batch > 1 || call->arrays) && call->a_type == GR_CUDA_R_32F &&
           (chosen_math == GRADUS_MATH_DEFAULT || chosen_math == GRADUS_MATH_ACCURATE) &&
           call->m >= BATCHED && call->n >= BATCHED && call->k >= BATCHED;
}

/* Arrays of pointers in the GPU's memory are read by kernels of all types. Small floats are
 * multiplied on the tensor cores (is_fast_batch). The float kernel with IEEE multiply-adds takes
 * 0.45 to 1.38 times as long as cuBLAS's, so the user must ask for it. */
static enum gr_passed_on judge_arrays(bool is_fast)
{
    return is_fast || chosen_math == GRADUS_MATH_IEEE ? GR_PASSED_NOT : GR_PASSED_ARRAYS;
}

static enum gr_passed_on judge_shape(const struct gr_cublas_call *call, enum gradus_math math)
{
    if (!is_op(call->op_a) || !is_op(call->op_b))
        return GR_PASSED_LAYOUT;
    const bool is_fast = math != GRADUS_MATH_IEEE && is_fast_batch(call);
    if (math == GRADUS_MATH_TF32 && call->batch > 1)
        return GR_PASSED_TF32;
    if (call->arrays)
        return judge_arrays(is_fast);
    const double work = (double)call->m * (double)call->n * (double)call->k;
    if (call->m == 1 || call->n == 1 ||
        (!is_fast && (call->m <= NARROW || call->n <= NARROW) && work >= narrow_least))
        return GR_PASSED_NARROW;
    if (call->batch <= 1)
        return finishes(call) && work < (is_fused(call, math) ? fused_least : epilogue_least)
                   ? GR_PASSED_BIAS
                   : GR_PASSED_NOT;
    if (!is_fast && work < batched_least)
        return GR_PASSED_BATCH;
    /* If beta is not 0, all products of a batch must be aligned alike. Otherwise a later one could
     * be refused after the C of an earlier one has been changed, and cuBLAS could not compute the
     * call. */
    const int64_t bytes = bytes_of(call->a_type), bytes_c = bytes_of(call->c_type);
    const int64_t strides =
        call->stride_a * bytes | call->stride_b * bytes | call->stride_c * bytes_c;
    return scalar(call, call->beta) != 0 && strides % ALIGNMENT ? GR_PASSED_LAYOUT : GR_PASSED_NOT;
}

/* ---- Computing ---- */

/* Describes the call for gradus. */
static void describe(const struct gr_cublas_call *call, enum gradus_math math,
                     struct gradus_gemm *g)
{
    memset(g, 0, sizeof *g);
    g->a_type = g->b_type = type_of(call->a_type);
    g->c_type = type_of(call->c_type);
    g->sum_type = call->a_type == GR_CUDA_R_64F ? GRADUS_F64 : GRADUS_F32;
    g->layout = GRADUS_COL_MAJOR;
    g->trans_a = call->op_a != GR_CUBLAS_N;
    g->trans_b = call->op_b != GR_CUBLAS_N;
    g->m = call->m, g->n = call->n, g->k = call->k;
    g->alpha = scalar(call, call->alpha);
    g->beta = scalar(call, call->beta);
    g->a = call->a, g->lda = call->lda;
    g->b = call->b, g->ldb = call->ldb;
    g->c = call->c, g->ldc = call->ldc;
    g->batch = call->batch;
    if (call->arrays) {
        g->a_array = call->a, g->b_array = call->b, g->c_array = call->c;
        g->a = g->b = g->c = NULL;
        g->arrays_on_gpu = 1;
    }
    g->stride_a = call->stride_a, g->stride_b = call->stride_b, g->stride_c = call->stride_c;
    g->device = GRADUS_GPU;
    g->math = math;
    g->stream = call->stream;
    g->epilogue = finishes(call) ? &call->epilogue : NULL;
}

static enum gradus_status queue(const struct gradus_gemm *g, struct gradus_error *error)
{
    enum gradus_status status = gr_gemm_validate(g, "gradus_gemm_run", error);
    if (status == GRADUS_OK)
        status = gr_gemm_validate_apart(g, "gradus_gemm_run", error);
    return status == GRADUS_OK ? gr_device_gemm(g, error) : status;
}

/* Captures the product into a graph. The workspace that a kernel needs is the handle's, if that is
 * large enough, or memory of the graph. */
static enum gradus_status capture(const struct gr_device_driver *driver,
                                  const struct gr_cublas_call *call, struct gradus_gemm *g,
                                  enum gr_passed_on *reason, struct gradus_error *error)
{
    size_t lent_bytes = call->workspace_bytes;
    uint64_t own = 0;
    void *lent = call->handle ? gr_cublas_workspace_of(call->handle, &lent_bytes) : call->workspace;
    const int64_t wanted = gr_device_workspace(g, error);
    if (wanted < 0)
        return error->status;
    if (wanted > 0) {
        g->workspace_bytes = wanted;
        if (lent && lent_bytes >= (size_t)wanted && (uintptr_t)lent % BOUNDARY == 0) {
            g->workspace = lent;
        } else if (gr_cublas_graph_memory(driver, g->stream, wanted, &own)) {
            g->workspace = (void *)(uintptr_t)own;
        } else {
            *reason = GR_PASSED_CAPTURE;
            return GRADUS_NO_MEMORY;
        }
    }
    const enum gradus_status status = queue(g, error);
    if (own)
        gr_cublas_graph_memory_free(driver, g->stream, own);
    return status;
}

static enum gradus_status compute(const struct gr_cublas_call *call, struct gradus_gemm *g,
                                  enum gr_passed_on *reason, struct gradus_error *error)
{
    const struct gr_device_driver *driver;
    enum gradus_status status = gr_device_driver_open(&driver, error);
    if (status != GRADUS_OK)
        return status;
    if (gr_cublas_is_capturing(driver, g->stream))
        return capture(driver, call, g, reason, error);
    return queue(g, error);
}

/* ---- Counting ---- */

static void count(const struct gr_cublas_call *call, enum gr_passed_on reason)
{
    struct gr_ledger *ledger = gr_ledger_on();
    if (!ledger || inside)
        return;
    struct gr_ledger_key key = {.trans_a = call->op_a != GR_CUBLAS_N,
                                .trans_b = call->op_b != GR_CUBLAS_N,
                                .passed = (uint8_t)reason,
                                .m = call->m,
                                .n = call->n,
                                .k = call->k};
    const bool is_none = call->m < 0 || call->n < 0 || call->k < 0; /* cuBLAS will refuse it */
    const int64_t products = is_none ? 0 : call->batch > 1 ? call->batch : 1;
    strncpy(key.routine, call->routine, sizeof key.routine - 1);
    gr_ledger_count(ledger, call->routine, key, products, call->start_ns);
    gr_cublas_timing_end(call->timing, call->stream, reason == GR_PASSED_FAILED ? NULL : &key,
                         products);
}

static void note_refusal(const struct gradus_error *error)
{
    struct gr_ledger *ledger = gr_ledger_on();
    if (ledger && error->text[0])
        gr_ledger_note_refusal(ledger, error->text);
}

/* ---- A call ---- */

/* Decides what becomes of a failure. Where C is not read, and after failures other than
 * GRADUS_LAUNCH, cuBLAS can still compute the call. But a launch can fail after others were queued
 * that may have changed C, so if C is read, the call has failed. */
static enum gr_passed_on outcome(const struct gr_cublas_call *call, enum gradus_status status,
                                 int *result)
{
    const bool reads_c = scalar(call, call->beta) != 0;
    *result = GR_CUBLAS_EXECUTION_FAILED;
    switch (status) {
    case GRADUS_OK:
        *result = GR_CUBLAS_SUCCESS;
        return GR_PASSED_NOT;
    case GRADUS_NO_MEMORY:
        return GR_PASSED_MEMORY;
    case GRADUS_CRASHED:
        return GR_PASSED_FAILED;
    case GRADUS_LAUNCH:
        return reads_c ? GR_PASSED_FAILED : GR_PASSED_REFUSED;
    default:
        return GR_PASSED_REFUSED;
    }
}

/* Judges the call, and finds out how its floats are to be multiplied: as the user has chosen,
 * unless the program says it otherwise. */
static enum gr_passed_on judge(struct gr_cublas_call *call, enum gradus_math *math)
{
    struct handle_facts facts = {0};
    if (call->reason != GR_PASSED_NOT)
        return call->reason;
    enum gr_passed_on reason = call->arrays ? judge_arrays(is_fast_batch(call)) : GR_PASSED_NOT;
    if (reason == GR_PASSED_NOT)
        reason = judge_types(call);
    if (reason != GR_PASSED_NOT)
        return reason;
    if (call->handle) {
        if (!ask_handle(call->handle, &facts))
            return GR_PASSED_REFUSED;
        call->stream = facts.stream;
    }
    const int math_mode = facts.math_mode & GR_CUBLAS_MATH_BITS;
    if (facts.pointer_mode != GR_CUBLAS_POINTERS_HOST)
        return GR_PASSED_POINTERS;
    if (facts.sm_count > 0 || !call->alpha || !call->beta)
        return GR_PASSED_LAYOUT;
    *math = chosen_math;
    if (call->compute == GR_CUBLAS_32F_PEDANTIC || math_mode == GR_CUBLAS_MATH_PEDANTIC)
        *math = GRADUS_MATH_IEEE;
    if (chosen_math == GRADUS_MATH_DEFAULT && allows_less(call, math_mode)) {
        *math = GRADUS_MATH_TF32;
        if (call->arrays || !gr_device_has_tf32(call->c))
            return GR_PASSED_TF32;
    }
    return judge_shape(call, *math);
}

bool gr_cublas_take(struct gr_cublas_call *call, int *status)
{
    struct gradus_gemm gemm;
    struct gradus_error error;
    enum gradus_math math = GRADUS_MATH_DEFAULT;
    if (inside)
        return false;
    pthread_once(&math_once, read_math);
    call->start_ns = gr_ledger_on() ? gr_now_ns() : 0;
    call->timing = -1;
    call->reason = judge(call, &math);
    if (call->reason != GR_PASSED_NOT)
        return false;
    call->timing = gr_cublas_timing_begin(call->stream);
    error.status = GRADUS_OK;
    error.text[0] = 0;
    error.log = NULL;
    enum gr_passed_on reason = GR_PASSED_NOT;
    describe(call, math, &gemm);
    const enum gradus_status outcome_of = compute(call, &gemm, &reason, &error);
    call->reason = outcome(call, outcome_of, status);
    if (reason != GR_PASSED_NOT)
        call->reason = reason;
    if (call->reason != GR_PASSED_NOT)
        note_refusal(&error);
    gradus_error_clear(&error);
    if (call->reason != GR_PASSED_NOT && call->reason != GR_PASSED_FAILED)
        return false;
    count(call, call->reason);
    return true;
}

bool gr_cublas_inside(void)
{
    return inside > 0;
}

/* If the call was passed on because of its types alone, its stream has not been asked for yet. */
void gr_cublas_pass(struct gr_cublas_call *call)
{
    static struct gr_cublas_function get_stream = {GR_CUBLAS_LIBRARY, "cublasGetStream_v2", NULL};
    if (!inside && call->timing < 0 && gr_cublas_is_timed() &&
        (!call->handle || ask(&get_stream, call->handle, &call->stream) == GR_CUBLAS_SUCCESS))
        call->timing = gr_cublas_timing_begin(call->stream);
    inside++;
}

int gr_cublas_passed(const struct gr_cublas_call *call, int status)
{
    inside--;
    count(call, call->reason);
    return status;
}
