/* gradus.h: the Gradus GEMM library, C = alpha * op(A) * op(B) + beta * C, on the CPU and on GPUs.
 *
 * No function here prints, exits or aborts. Functions return an enum gradus_status, 0 for success;
 * the details of a failure are stored in a struct gradus_error that the caller owns (a null pointer
 * is allowed). A function uses up to 8 KB of the calling thread's stack, besides what a GPU's
 * driver uses, and allocates all other memory elsewhere.
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

/* The list of all outcomes: X(suffix, name, text). */
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

/* A failure: one line of text and, after a failed compilation, the compiler's whole log. The caller
 * owns it: start with `struct gradus_error e = {0};`, end with gradus_error_clear(&e). */
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

/* Element types. bf16 is bfloat16, the upper half of a float, stored as a uint16_t. f16 is IEEE's
 * binary16, also stored as a uint16_t. e4m3 and e5m2 are the 8-bit floating-point types of the Open
 * Compute Project, with 4 and 5 bits of exponent (CUDA's __nv_fp8_e4m3 and __nv_fp8_e5m2), stored
 * as a uint8_t. Only GPUs support f16, e4m3 and e5m2. */
enum gradus_type {
    GRADUS_F32,
    GRADUS_F64,
    GRADUS_BF16,
    GRADUS_S8,
    GRADUS_U8,
    GRADUS_S32,
    GRADUS_F16,
    GRADUS_E4M3,
    GRADUS_E5M2
};

enum gradus_activation {
    GRADUS_LINEAR,   /* x */
    GRADUS_RELU,     /* max(x, 0); a NaN stays a NaN */
    GRADUS_GELU,     /* x * Phi(x) with the normal distribution Phi (the exact form, with erf) */
    GRADUS_GELU_TANH /* the approximation x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) of GELU,
                        which differs from it by up to 5e-4 */
};

/* The epilogue, which is applied to each element of alpha * op(A) * op(B) + beta * C, also where
 * alpha or k is 0: a bias is added, then the activation is applied, and the result is rounded to
 * c_type. On a GPU, the bias is in the GPU's memory. All products of a batch have the same
 * epilogue. */
struct gradus_epilogue {
    const void *bias; /* elements of sum_type; null: no bias */
    int bias_per_row; /* 0: n elements, one for each column of C; 1: m elements, one for each row */
    enum gradus_activation activation; /* with sums in s32: GRADUS_LINEAR or GRADUS_RELU */
};

/* Where a product is computed. GRADUS_GPU: if C is in a GPU's memory, on that GPU, by kernels that
 * are queued on `stream`; if the matrices are in host memory, on the GPU in use. See
 * docs/gpu-library.md. */
enum gradus_device { GRADUS_CPU, GRADUS_GPU };

/* The arithmetic of a product of floats on a GPU. Each bound is that of an element's error, in
 * units of 2^-23 * sum|a||b|; see docs/accuracy.md. On the CPU, and for other types, all of them
 * give the same. */
enum gradus_math {
    GRADUS_MATH_DEFAULT,  /* IEEE, or ACCURATE where the GPU has it, it is faster, and its bound is
                             not above that of IEEE, which is the case from k = 32 on */
    GRADUS_MATH_IEEE,     /* multiply-adds of floats: k / 2 */
    GRADUS_MATH_ACCURATE, /* six products of bf16 pieces on tensor cores: 14 + k / 64 */
    GRADUS_MATH_SCALED,   /* three products of scaled fp16 pieces on tensor cores: 16 + k / 64 */
    GRADUS_MATH_TF32      /* A and B may be rounded to tf32, which keeps 10 bits of the fraction, on
                             tensor cores: 8200 + k / 3. Where the above are faster they are used */
};

struct gradus_packed;  /* A or B, packed once for many products */
struct gradus_context; /* threads and buffers that belong to the caller */

/* One product, C = alpha * op(A) * op(B) + beta * C, or a batch of them. op(A) is m x k, op(B) is
 * k x n, C is m x n. Start with gradus_gemm_init, or with all members 0 (float, alpha 0);
 * both leave the sizes, the addresses and the leading dimensions to be set.
 *
 * Supported types of A, B, C and of the sums:
 *     f32 f32 f32 f32     f64 f64 f64 f64
 *     bf16 bf16 {f32, bf16} f32     {s8, u8} {s8, u8} s32 s32
 * On a GPU, those of floating point, and also
 *     f16 f16 {f32, f16} f32
 *     e4m3 e4m3 {f32, bf16} f32     e5m2 e5m2 {f32, bf16} f32     (from compute capability 9.0 on)
 *
 * The leading dimension `lda` (ldb, ldc) is the distance, in elements, between two rows (row-major)
 * or columns (column-major) of the matrix as it is stored. It is at least the length of a stored
 * row (column), and at least 1. With beta 0, C is written and never read. With alpha 0 or k 0, A
 * and B are not read and may be null. C must have no element in common with A, B or the bias; such
 * a problem is refused. Its elements may lie between theirs, as those of one submatrix beside
 * another. Zero sizes are allowed. */
struct gradus_gemm {
    enum gradus_type a_type, b_type, c_type, sum_type;
    enum gradus_layout layout;
    int trans_a, trans_b; /* 0: as stored, 1: transposed */
    int64_t m, n, k;
    double alpha, beta; /* rounded to sum_type; s32: whole numbers, with sums modulo 2^32 */
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
    /* The number of threads. 0: that of gradus_set_threads, GRADUS_NUM_THREADS or OMP_NUM_THREADS,
     * the first that is set, or else all cores that the process may use by its affinity and cgroup.
     * With a context, 1 means the caller's thread alone, and any other value the context's threads.
     * There are never more threads than cores that the process may use. */
    int threads;
    /* `batch` products of the same sizes; 0 and 1 mean one. The strides are the distances, in
     * elements, between successive matrices; with 0 for A or B, all products use the same matrix.
     * Alternatively, arrays of `batch` pointers take the place of a, b, c and their strides. No C
     * may overlap another C, nor an A or B of another product; with strides, this is checked. */
    int64_t batch, stride_a, stride_b, stride_c;
    const void *const *a_array, *const *b_array;
    void *const *c_array;
    const struct gradus_epilogue *epilogue; /* null: no epilogue */
    const struct gradus_packed *packed_a;   /* if not null, used in place of a, for all products */
    const struct gradus_packed *packed_b;
    struct gradus_context *context; /* null: the library's own threads and buffers are used */
    void *workspace;                /* null: the library's own buffers are used */
    int64_t workspace_bytes;
    /* With GRADUS_GPU, there are two cases. Either a, b, c, the bias and workspace are addresses in
     * the memory of one GPU (the struct of the epilogue is in host memory, and so are the arrays of
     * pointers of a batch, unless arrays_on_gpu is set); then the call returns as soon as the
     * product is queued. Or all of them are in host memory; then they are copied to the GPU in use
     * and back, they may exceed its memory, and the call returns when C is complete. Packed
     * operands and a context must be null. */
    enum gradus_device device;
    enum gradus_math math;
    void *stream; /* the GPU's stream (a CUstream or cudaStream_t); null: the default stream. A
                     product begins after earlier work in its stream has ended. */
    /* With GRADUS_GPU, 1 means that a_array, b_array and c_array are in the memory of that GPU.
     * They are read when the product runs, in one launch for up to 65535 products. For floats,
     * `math` must not be GRADUS_MATH_SCALED then; with an epilogue and a C of 16 bits, beta must be
     * 0; overlapping matrices are not detected. */
    int64_t arrays_on_gpu;
    /* For e4m3 and e5m2: if not null, the address of one float by which all elements of A (B) are
     * multiplied, so that C = alpha * *scale_a * *scale_b * op(A) * op(B) + beta * C. It is in the
     * same memory as the matrices, and is read when the product runs. */
    const float *scale_a, *scale_b;
    int64_t reserved[3]; /* for future members, whose value 0 will mean the present behaviour.
                            Must be 0: with any other value, gradus_gemm_run, gradus_pack and
                            gradus_gemm_workspace fail with INVALID, on all devices. */
};

/* Sets the types for inputs of `type` (bf16, f16, e4m3, e5m2: C and sums are f32; s8, u8: s32),
 * alpha to 1, and all other members to 0: row-major, not transposed, beta 0, one product. */
GRADUS_API void gradus_gemm_init(struct gradus_gemm *gemm, enum gradus_type type);

/* Computes the product or batch. Errors: INVALID (the text names the first bad member), UNSUPPORTED
 * (no micro-kernel for the types). A lack of memory is not an error: smaller packing buffers are
 * used instead. The function is thread-safe, and may be called in a child of fork. For one problem
 * and one instruction set, the bits of C are the same for any number of threads, with or without
 * context, workspace and batch.
 *
 * The floating-point environment of the calling thread (the rounding mode, and whether denormal
 * numbers count as zero) applies to all threads that work for the call. Flags that any of them
 * raises are set in the calling thread afterwards. Of the exceptions that the caller traps, the
 * first one is raised on the calling thread after C is complete; small products raise it when it
 * occurs. Products of bf16 have an environment of their own, the same on all machines: they round
 * to nearest, denormal numbers count as zero, in C too, and no flag is raised.
 *
 * On a GPU, for matrices in its memory, the call does not wait for the GPU. After the first call
 * with the same types and transposes it also allocates nothing, provided that the workspace is
 * large enough, so it may be captured into a CUDA graph. The bits of C depend only on the problem
 * (including `batch`), on `math`, on the alignment of the addresses and on the model of the GPU.
 * Errors there: UNSUPPORTED (no driver, no kernel for the types, a process forked from one that has
 * used the GPU), INVALID (some operands are in host memory), NO_MEMORY, LAUNCH, CRASHED (an earlier
 * kernel of the process has made the GPU's context unusable, which is permanent). */
GRADUS_API enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm,
                                              struct gradus_error *error);

/* Returns the bytes of a workspace for the problem, or -1 if the problem is not valid; the
 * addresses need not be set yet. With such a workspace, gradus_gemm_run allocates nothing, except
 * that the library starts its threads at the first call that uses them. The result holds for the
 * number of threads that is set now. With GRADUS_GPU, the bytes are of the memory of the GPU that c
 * is in (if c is null, the GPU in use), and suffice for addresses of any alignment; the workspace
 * must be aligned to 256 bytes. */
GRADUS_API int64_t gradus_gemm_workspace(const struct gradus_gemm *gemm,
                                         struct gradus_error *error);

enum gradus_operand { GRADUS_A, GRADUS_B };

/* Packs op(A) or op(B) of a problem for use in later products. Of `gemm` it reads the types, the
 * layout and what describes that operand; afterwards the matrix is not needed any more. *packed
 * fits problems with the same types, layout, k, and m (A) or n (B), and any number of them may use
 * it at a time. C has the same bits as with the matrix itself, with two exceptions: products of
 * float, double or bf16 whose matrices would be multiplied as dot products, which add up in another
 * order, and small products of bf16 on a CPU with AMX. The caller frees it with gradus_packed_free.
 * Errors: INVALID, UNSUPPORTED, NO_MEMORY; *packed is null then. */
GRADUS_API enum gradus_status gradus_pack(const struct gradus_gemm *gemm, enum gradus_operand which,
                                          struct gradus_packed **packed,
                                          struct gradus_error *error);
GRADUS_API void gradus_packed_free(struct gradus_packed *packed); /* null is allowed */

/* Creates a context with `threads` threads, including the caller's (0: the library's default), but
 * no more than the cores that the calling thread may use. Products that name the context use its
 * threads, and buffers that it keeps. If a product finds another one running in the context, it is
 * computed on its caller's thread alone. No call may use the context when it is freed. */
GRADUS_API enum gradus_status gradus_context_create(int threads, struct gradus_context **context,
                                                    struct gradus_error *error);
GRADUS_API void gradus_context_free(struct gradus_context *context); /* null is allowed */

/* Sets the number of threads for later products of the calling thread that name none; 0 restores
 * the default. Returns the previous number. */
GRADUS_API int gradus_set_threads(int threads);

/* Convert `count` elements. The first function rounds to nearest, ties to even; a NaN stays a
 * NaN. */
GRADUS_API void gradus_bf16_from_f32(const float *from, uint16_t *to, int64_t count);
GRADUS_API void gradus_bf16_to_f32(const uint16_t *from, float *to, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
