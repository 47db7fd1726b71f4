/* gpus_xt.c: cuBLASXt, with declarations from NVIDIA's documentation.
 * SPDX-License-Identifier: MIT */
#include "measure/gpus_xt.h"

#include "core/error.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

struct gr_gpus_xt {
    void *library, *handle;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*select)(void *handle, int count, int *devices);
    int (*pin)(void *handle, int mode);
    int (*sgemm)(void *handle, int trans_a, int trans_b, size_t m, size_t n, size_t k,
                 const float *alpha, const float *a, size_t lda, const float *b, size_t ldb,
                 const float *beta, float *c, size_t ldc);
};

static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    const char *const path = getenv("GRADUS_CUBLAS_XT");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library && !(path && *path); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

enum gradus_status gr_gpus_xt_open(const int *numbers, int count, struct gr_gpus_xt **xt,
                                   struct gradus_error *error)
{
    enum { PINNING = 1 };
    struct gr_gpus_xt *const x = calloc(1, sizeof *x);
    int devices[64];
    *xt = NULL;
    if (!x)
        return gr_fail_memory(error, "cuBLASXt", sizeof *x);
    x->library = open_library();
    const struct {
        const char *symbol;
        void **member;
    } symbols[] = {{"cublasXtCreate", (void **)(void *)&x->create},
                   {"cublasXtDestroy", (void **)(void *)&x->destroy},
                   {"cublasXtDeviceSelect", (void **)(void *)&x->select},
                   {"cublasXtSetPinningMemMode", (void **)(void *)&x->pin},
                   {"cublasXtSgemm", (void **)(void *)&x->sgemm}};
    bool complete = x->library != NULL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols && complete; i++) {
        *symbols[i].member = dlsym(x->library, symbols[i].symbol);
        complete = *symbols[i].member != NULL;
    }
    for (int i = 0; i < count && i < 64; i++)
        devices[i] = numbers[i];
    int result = complete ? x->create(&x->handle) : -1;
    if (result == 0)
        result = x->select(x->handle, count, devices);
    if (result == 0)
        result = x->pin(x->handle, PINNING);
    if (result == 0) {
        *xt = x;
        return GRADUS_OK;
    }
    gr_gpus_xt_close(x);
    if (!complete)
        return gr_fail(error, GRADUS_UNSUPPORTED, "found no cuBLAS here");
    return gr_fail(error, GRADUS_UNSUPPORTED, "cuBLASXt does not start: status %d", result);
}

/* Row-major C = A B is column-major C' = B' A'. */
enum gradus_status gr_gpus_xt_multiply(struct gr_gpus_xt *x, int64_t m, int64_t n, int64_t k,
                                       const float *a, const float *b, float *c,
                                       struct gradus_error *error)
{
    const float one = 1, zero = 0;
    const int result = x->sgemm(x->handle, 0, 0, (size_t)n, (size_t)m, (size_t)k, &one, b,
                                (size_t)n, a, (size_t)k, &zero, c, (size_t)n);
    return result == 0 ? GRADUS_OK
                       : gr_fail(error, GRADUS_LAUNCH, "cublasXtSgemm: status %d", result);
}

/* The library is not unloaded, because it may have threads. */
void gr_gpus_xt_close(struct gr_gpus_xt *x)
{
    if (x && x->handle)
        x->destroy(x->handle);
    free(x);
}
