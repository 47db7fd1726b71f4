/* gradus.h: the Gradus GEMM library, C = alpha * op(A) * op(B) + beta * C.
 *
 * No function here prints, exits or aborts. Functions return an enum gradus_status, 0 for success; the
 * details of a failure go into a struct gradus_error that the caller owns (a null pointer is allowed).
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
 * The caller owns it: start with `struct gradus_error e = {0};`, end with gradus_error_clear(&e). */
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
enum gradus_type { GRADUS_F32, GRADUS_F64 };

/* One product, C = alpha * op(A) * op(B) + beta * C. op(A) is m x k, op(B) is k x n, C is m x n.
 *
 * `lda` (ldb, ldc) is the distance, in elements, between two rows (row-major) or columns (column-major)
 * of the matrix as it is stored; at least the length of a stored row (column).
 * With beta 0, C is written and never read. With alpha 0 or k 0, A and B are not read and may be null.
 * The operands must not overlap C. Zero sizes are allowed. */
struct gradus_gemm {
    enum gradus_type type;
    enum gradus_layout layout;
    int trans_a, trans_b; /* 0: as stored, 1: transposed */
    int64_t m, n, k;
    double alpha, beta; /* rounded to `type` before use */
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
    int threads; /* 0: GRADUS_NUM_THREADS, OMP_NUM_THREADS, then what affinity and cgroup allow */
};

/* Computes it. Errors: INVALID (the first bad member is named), NO_MEMORY never (smaller packing buffers
 * are used instead). Thread-safe; concurrent calls are allowed. */
GRADUS_API enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm,
                                              struct gradus_error *error);

#ifdef __cplusplus
}
#endif
#endif
