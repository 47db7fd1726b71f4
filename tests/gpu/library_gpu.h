/* library_gpu.h: what the parts of library_gpu share: the driver and cuBLAS, problems in the memory
 * of the GPU, and how they are checked. SPDX-License-Identifier: MIT */
#ifndef GPU_LIBRARY_GPU_H
#define GPU_LIBRARY_GPU_H

#include <gradus/gradus.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned long long address;

/* X(name, symbol, parameters): of the driver. */
#define DRIVER(X)                                                                                  \
    X(init, cuInit, (unsigned flags))                                                              \
    X(device_get, cuDeviceGet, (int *device, int ordinal))                                         \
    X(device_name, cuDeviceGetName, (char *name, int length, int device))                          \
    X(retain, cuDevicePrimaryCtxRetain, (void **context, int device))                              \
    X(set, cuCtxSetCurrent, (void *context))                                                       \
    X(synchronize, cuCtxSynchronize, (void))                                                       \
    X(alloc, cuMemAlloc_v2, (address * pointer, size_t bytes))                                     \
    X(release, cuMemFree_v2, (address pointer))                                                    \
    X(info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * all))                                  \
    X(to_device, cuMemcpyHtoD_v2, (address to, const void *from, size_t bytes))                    \
    X(to_host, cuMemcpyDtoH_v2, (void *to, address from, size_t bytes))                            \
    X(whose, cuPointerGetAttribute, (void *value, int attribute, address pointer))                 \
    X(current, cuCtxGetCurrent, (void **context))                                                  \
    X(stream_create, cuStreamCreate, (void **stream, unsigned flags))                              \
    X(stream_wait, cuStreamSynchronize, (void *stream))                                            \
    X(event_create, cuEventCreate, (void **event, unsigned flags))                                 \
    X(event_record, cuEventRecord, (void *event, void *stream))                                    \
    X(event_wait, cuEventSynchronize, (void *event))                                               \
    X(event_elapsed, cuEventElapsedTime, (float *ms, void *start, void *stop))                     \
    X(capture_begin, cuStreamBeginCapture_v2, (void *stream, int mode))                            \
    X(capture_end, cuStreamEndCapture, (void *stream, void **graph))                               \
    X(instantiate, cuGraphInstantiateWithFlags, (void **run, void *graph, unsigned long long f))   \
    X(graph_launch, cuGraphLaunch, (void *run, void *stream))

#define MEMBER(name, symbol, parameters) int(*name) parameters;
extern struct driver {
    DRIVER(MEMBER)
} cu;

extern struct blas {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, void *stream);
    int (*sgemm)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
    int (*gemm_ex)(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                   const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                   const void *beta, void *c, int c_type, int ldc, int compute, int algorithm);
    int (*strided)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                   const void *a, int lda, long long stride_a, const void *b, int ldb,
                   long long stride_b, const float *beta, void *c, int ldc, long long stride_c,
                   int count);
    int (*arrays)(void *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                  const void *const *a, int lda, const void *const *b, int ldb, const float *beta,
                  void *const *c, int ldc, int count);
    int (*strided_f64)(void *handle, int ta, int tb, int m, int n, int k, const double *alpha,
                       const void *a, int lda, long long stride_a, const void *b, int ldb,
                       long long stride_b, const double *beta, void *c, int ldc, long long stride_c,
                       int count);
    int (*arrays_f64)(void *handle, int ta, int tb, int m, int n, int k, const double *alpha,
                      const void *const *a, int lda, const void *const *b, int ldb,
                      const double *beta, void *const *c, int ldc, int count);
    int (*strided_ex)(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                      const void *a, int a_type, int lda, long long stride_a, const void *b,
                      int b_type, int ldb, long long stride_b, const void *beta, void *c,
                      int c_type, int ldc, long long stride_c, int count, int compute,
                      int algorithm);
    int (*arrays_ex)(void *handle, int ta, int tb, int m, int n, int k, const void *alpha,
                     const void *const *a, int a_type, int lda, const void *const *b, int b_type,
                     int ldb, const void *beta, void *const *c, int c_type, int ldc, int count,
                     int compute, int algorithm);
    void *handle;
} blas;

extern int failures;
enum { MATHS = GRADUS_MATH_TF32 + 1 };
extern const char *const math_names[MATHS];
extern bool has_math[MATHS];

/* The types of A and B, of C, whether the GPU has a kernel for them, and how floats are multiplied
 * where the test does not say it otherwise. */
enum { KINDS = 10, OF_CUBLAS = 7 }; /* the first of which cublasGemmEx multiplies, too */
extern struct kind {
    const char *name;
    enum gradus_type ab, c;
    bool is_there;
    enum gradus_math math;
} kinds[KINDS];

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("FAIL %s:%d: ", __FILE__, __LINE__);                                            \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

struct matrix {
    int64_t rows, cols, ld, elements; /* stored, row-major; of all, with what is beyond */
    enum gradus_type type;
    float *host; /* the same numbers, none of which float rounds */
    address device;
};

struct problem {
    struct gradus_gemm g;
    struct matrix a, b, c, bias;
    bool finishes; /* with the epilogue */
    struct gradus_epilogue epilogue;
    double *got;
};

extern uint64_t state; /* of the random numbers */

/* Ends the program where the driver refuses. */
void must(int result, const char *what);
double now_us(void);
/* Queues a product; an error counts as a failure. */
typedef void product(const struct gradus_gemm *g);
product run;
/* By cuBLAS, on the same stream. */
product blas_run;
uint64_t draw(void);
double uniform(void);
/* Log-uniform in 1..most. */
int64_t size(double most);
/* `copies` matrices of uniform numbers in -1..1, on the host and the GPU, and a margin that nobody
 * may write. */
struct matrix make(enum gradus_type type, int64_t rows, int64_t cols, int64_t pad, int64_t copies);
void unmake(struct matrix *x);
/* To the GPU, as the host has it; and what the GPU has. */
void put_matrix(const struct matrix *x);
void get_matrix(const struct matrix *x, double *out);
void *pointer(address a);
void free_problem(struct problem *p);
/* The bound of an error in units of eps * sum|a||b|, eps that of the sums. */
double bound_of(const struct gradus_gemm *g);
/* The largest error in these units; *wrong is set where one is above the limit, or what lies
 * between and after the rows of C has changed. */
double error_of(const struct problem *p, const double *got, double limit, bool *wrong);
/* A dense row-major product. */
struct problem typed(const struct kind *kind, int64_t m, int64_t n, int64_t k,
                     enum gradus_math math);
struct problem square(int64_t m, int64_t n, int64_t k, enum gradus_math math);
/* The GPU's seconds for one of `calls` products, queued one after another. */
double seconds(product *multiply, const struct gradus_gemm *g, int calls);
/* Orders doubles for qsort. */
int by_value(const void *a, const void *b);

/* What main calls. */
void check_problems(int count);
void first_calls(void);
void host_times(void);
void driver_times(void);
void check_threads(void);
void check_shared_stream(void);
void check_chain(const struct kind *kind);
bool check_graph(enum gradus_math math);
void check_memory(void);
void check_refusals(void);
void check_host_operands(void);
void check_batches(void);
void batch_rates(void);
void rates(void);
void random_rates(int count);
/* Of one of `kinds`, or of all but the first; by cuBLAS, too. */
void typed_rates(int only);
void random_typed_rates(const struct kind *kind, int count);
/* With and without epilogues, beside cuBLASLt's. */
void epilogue_rates(void);

#endif
