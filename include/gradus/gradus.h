/* gradus.h: the Gradus GEMM library, C = alpha * op(A) * op(B) + beta * C, on the CPU and on GPUs.
 *
 * No function here prints, exits or aborts. Functions return an enum gradus_status, 0 for success;
 * the details of a failure go into a struct gradus_error that the caller owns (a null pointer is
 * allowed). Functions take up to 8 KB of the calling thread's stack, besides what a GPU's driver
 * takes, and the rest of what they need elsewhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRADUS_GRADUS_H
#define GRADUS_GRADUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRADUS_VERSION_MAJOR 0
#define GRADUS_VERSION_MINOR 1
#define GRADUS_VERSION_PATCH 0

#if defined(__GNUC__)
#define GRADUS_API __attribute__((visibility("default")))
#else
#define GRADUS_API
#endif

/* The one list of outcomes: X(suffix, name, text). */
#define GRADUS_STATUS_LIST(X)                                                                      \
    X(OK, "ok", "success")                                                                         \
    X(INVALID, "invalid", "bad argument or input")                                                 \
    X(NOT_FOUND, "not-found", "no such thing")                                                     \
    X(UNSUPPORTED, "unsupported", "cannot run here")                                               \
    X(NO_MEMORY, "no-memory", "out of memory")                                                     \
    X(IO, "io", "input or output failed")                                                          \
    X(COMPILE, "compile", "the kernel does not compile")                                           \
    X(LAUNCH, "launch", "the kernel could not be run")                                             \
    X(CRASHED, "crashed", "the kernel's process died")                                             \
    X(TIMED_OUT, "timed-out", "the time limit was reached")                                        \
    X(INTERRUPTED, "interrupted", "stopped by a signal")                                           \
    X(INTERNAL, "internal", "a defect in Gradus")

enum gradus_status {
#define GRADUS_STATUS_ENUM(suffix, name, text) GRADUS_##suffix,
    GRADUS_STATUS_LIST(GRADUS_STATUS_ENUM)
#undef GRADUS_STATUS_ENUM
};

/* A failure in one line, and the whole log of a compiler where there is one.
 * The caller owns it: start with `struct gradus_error e = {0};`, end with gradus_error_clear(&e).
 */
struct gradus_error {
    enum gradus_status status;
    char text[512]; /* one line: what, where, found, wanted, what to do */
    char *log;      /* malloc'ed, or null */
};

GRADUS_API const char *gradus_status_name(enum gradus_status status);
GRADUS_API const char *gradus_status_text(enum gradus_status status);
GRADUS_API void gradus_error_clear(struct gradus_error *error);
GRADUS_API const char *gradus_version(void);

enum gradus_layout { GRADUS_ROW_MAJOR, GRADUS_COL_MAJOR };

/* Element types. bf16 is bfloat16, the upper half of a float, stored as a uint16_t; f16 is IEEE's
 * binary16, likewise, which only GPUs have. */
enum gradus_type {
    GRADUS_F32,
    GRADUS_F64,
    GRADUS_BF16,
    GRADUS_S8,
    GRADUS_U8,
    GRADUS_S32,
    GRADUS_F16
};

enum gradus_activation {
    GRADUS_LINEAR,   /* x */
    GRADUS_RELU,     /* max(x, 0); a NaN stays one */
    GRADUS_GELU,     /* x * Phi(x), Phi the normal distribution (the form with erf) */
    GRADUS_GELU_TANH /* its approximation by x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))),
                      * which differs from it by up to 5e-4 */
};

/* What is done to each element of C after alpha * op(A) * op(B) + beta * C: a bias is added, then
 * the activation is applied, before it is rounded to c_type. Also where alpha or k is 0. On a GPU,
 * the bias is in its memory. All products of a batch have the same. */
struct gradus_epilogue {
    const void *bias; /* of sum_type; null: none */
    int bias_per_row; /* 0: n elements, one for each column of C; 1: m elements, one for each row */
    enum gradus_activation activation; /* sums in s32: GRADUS_LINEAR or GRADUS_RELU */
};

/* Where a product is computed. GRADUS_GPU: on the GPU whose memory C is in, by a kernel that is
 * queued on `stream`, or, of matrices in host memory, on the GPU in use; docs/gpu-library.md. */
enum gradus_device { GRADUS_CPU, GRADUS_GPU };

/* How a product of floats is computed on a GPU. The bounds are of an element's error, in units of
 * 2^-23 * sum|a||b|; docs/accuracy.md. On the CPU, and for other types, all of them are the same.
 */
enum gradus_math {
    GRADUS_MATH_DEFAULT,  /* `ieee`, or `accurate` where the GPU has it, it is faster, and its
                           * bound is not above that of `ieee`, which is from k = 32 on */
    GRADUS_MATH_IEEE,     /* multiply-adds of floats: k / 2 */
    GRADUS_MATH_ACCURATE, /* six products of bf16 pieces on tensor cores: 14 + k / 64 */
    GRADUS_MATH_SCALED,   /* three products of scaled fp16 pieces on tensor cores: 16 + k / 64 */
    GRADUS_MATH_TF32 /* A and B rounded to tf32, which keeps 10 bits, on tensor cores: 8200 + k / 3
                      */
};

struct gradus_packed;  /* A or B in the form that the micro-kernel reads, for many products */
struct gradus_context; /* threads and buffers of one's own */

/* One product, C = alpha * op(A) * op(B) + beta * C, or a batch of them. op(A) is m x k, op(B) is
 * k x n, C is m x n. Start with gradus_gemm_init, or with all zero (float, alpha 0).
 *
 * Types of A, B, C and of the sums:
 *     f32 f32 f32 f32     f64 f64 f64 f64
 *     bf16 bf16 {f32, bf16} f32     {s8, u8} {s8, u8} s32 s32
 * and on a GPU: those of floating point, and f16 f16 {f32, f16} f32
 *
 * `lda` (ldb, ldc) is the distance, in elements, between two rows (row-major) or columns
 * (column-major) of the matrix as it is stored; at least the length of a stored row (column). With
 * beta 0, C is written and never read. With alpha 0 or k 0, A and B are not read and may be null.
 * C must have no element in common with A, B or the bias, and is refused otherwise; it may lie amid
 * them, as one part of a matrix beside others. Zero sizes are allowed. */
struct gradus_gemm {
    enum gradus_type a_type, b_type, c_type, sum_type;
    enum gradus_layout layout;
    int trans_a, trans_b; /* 0: as stored, 1: transposed */
    int64_t m, n, k;
    double alpha, beta; /* rounded to sum_type; whole numbers with s32, which is modulo 2^32 */
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
    /* 0: gradus_set_threads, GRADUS_NUM_THREADS, OMP_NUM_THREADS, then what affinity and cgroup
     * allow. With a context: 1 is the caller's thread alone, anything else the context's threads.
     * There are never more than the cores that the process may use. */
    int threads;
    /* Batches: `batch` products of the same sizes; 0 and 1: one. The strides are the distances, in
     * elements, between successive matrices; 0 for A or B: one matrix for all products. Or arrays
     * of `batch` pointers take the place of a, b, c and their strides. No two matrices C may
     * overlap, and no C an A or B of another product either: by strides, that is checked. */
    int64_t batch, stride_a, stride_b, stride_c;
    const void *const *a_array, *const *b_array;
    void *const *c_array;
    const struct gradus_epilogue *epilogue; /* null: none */
    const struct gradus_packed *packed_a;   /* in place of a: one matrix for all products */
    const struct gradus_packed *packed_b;
    struct gradus_context *context; /* null: the library's own threads and buffers */
    void *workspace;                /* null: the library's own buffers */
    int64_t workspace_bytes;
    /* GRADUS_GPU: a, b, c, the bias and workspace are addresses of the memory of one GPU (the
     * epilogue's struct is the host's, and so are the arrays of a batch: arrays_on_gpu). The call
     * returns as soon as the product is queued. Or all of them are host memory, which is copied to
     * the GPU in use and back, and the call returns when C is complete; they may exceed the GPU's
     * memory. Packed operands and a context must be null. */
    enum gradus_device device;
    enum gradus_math math;
    void *stream; /* the GPU's queue, as its own library has it (CUstream, cudaStream_t); null: the
                   * default one. Every product in it begins after those before it have ended. */
    /* GRADUS_GPU: 1: a_array, b_array and c_array are in the memory of that GPU, and are read when
     * the product runs, in one launch for all; of floats by GRADUS_MATH_IEEE,
     * GRADUS_MATH_ACCURATE or the default. Without an epilogue; that no C meets another matrix is
     * not checked. */
    int64_t arrays_on_gpu;
    int64_t reserved[5]; /* 0: members to come, of which 0 means what is done without them */
};

/* Fills in the types for inputs of `type` (bf16, f16: C and sums f32; s8, u8: C and sums s32),
 * alpha 1, and 0 for all the rest: row-major, as stored, beta 0, one product. */
GRADUS_API void gradus_gemm_init(struct gradus_gemm *gemm, enum gradus_type type);

/* Computes it. Errors: INVALID (the first bad member is named), UNSUPPORTED (no micro-kernel for
 * the types), NO_MEMORY never (smaller packing buffers are used instead). Thread-safe; concurrent
 * calls are allowed, and calls in a child of fork. For one problem at one instruction set the bits
 * of C are the same for any number of threads, with or without context, workspace and batch.
 *
 * The calling thread's floating-point environment holds for all threads that work for it: how it
 * rounds, and whether denormal numbers count as zero. Flags that any of them raises are the
 * caller's afterwards. Of exceptions that the caller traps, the first one is raised by its own
 * thread, once C is complete; small products raise it as it occurs. Products of bf16 have an
 * environment of their own, the same on all machines: they round to nearest, denormal numbers count
 * as zero, in C too, and no flag is raised.
 *
 * On a GPU, of matrices in its memory, the call neither waits for it nor, after the first of its
 * types and transposes and with a workspace that is large enough, allocates anything: it may be
 * captured into a graph. The bits of C depend on the problem, `batch` included, on `math`, the
 * addresses' alignment and the model of the GPU alone. Errors there: UNSUPPORTED (no driver, no
 * kernel for the types, a process forked from one that has used the GPU), INVALID (some operands
 * are in host memory), NO_MEMORY, LAUNCH, CRASHED (an earlier kernel of the process has broken the
 * GPU's context, which stays so). */
GRADUS_API enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm,
                                              struct gradus_error *error);

/* Bytes of a workspace for the problem, whose addresses need not be there yet: with it, the call
 * allocates nothing; only the library's threads are started at the first call that uses them. It
 * holds for the threads that are set now. -1: a bad problem. With GRADUS_GPU: bytes of the memory
 * of the GPU that c is in (c null: the one in use), for any addresses; a workspace there begins on
 * a boundary of 256 bytes. */
GRADUS_API int64_t gradus_gemm_workspace(const struct gradus_gemm *gemm,
                                         struct gradus_error *error);

enum gradus_operand { GRADUS_A, GRADUS_B };

/* Packs op(A) or op(B) of the problem; of `gemm` it reads the types, the layout, and what describes
 * that operand. The matrix is not needed any more then. *packed goes with problems of the same
 * types, layout, k, and m (A) or n (B), and with any number of them at a time. Its bits in C are
 * those that the matrix gives, but for products of float, double or bf16 whose matrices would be
 * multiplied as dot products, which add up in another order, and for small ones of bf16 on a CPU
 * with AMX. Free it with
 * gradus_packed_free. Errors: INVALID, UNSUPPORTED, NO_MEMORY; *packed is null then. */
GRADUS_API enum gradus_status gradus_pack(const struct gradus_gemm *gemm, enum gradus_operand which,
                                          struct gradus_packed **packed,
                                          struct gradus_error *error);
GRADUS_API void gradus_packed_free(struct gradus_packed *packed); /* null is allowed */

/* Starts `threads` threads, the caller's counted (0: the library's default), but no more than there
 * are cores that the calling thread may use. Products that name the context use them, and buffers
 * that stay with it. A call that finds another one in the context does its product on its own
 * thread alone. A context must be free of calls when it is freed. */
GRADUS_API enum gradus_status gradus_context_create(int threads, struct gradus_context **context,
                                                    struct gradus_error *error);
GRADUS_API void gradus_context_free(struct gradus_context *context); /* null is allowed */

/* Threads for later products of the calling thread that name none; 0: the default again. Returns
 * the number before. */
GRADUS_API int gradus_set_threads(int threads);

/* `count` elements of bfloat16, rounded to nearest even; a NaN stays one. */
GRADUS_API void gradus_bf16_from_f32(const float *from, uint16_t *to, int64_t count);
GRADUS_API void gradus_bf16_to_f32(const uint16_t *from, float *to, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
