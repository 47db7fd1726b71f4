/* recorder.c: a library in place of libgradus.so that computes nothing and keeps what a product was
 * called with, so that a test can tell copies from the arrays themselves.
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>

#define EXPORTED __attribute__((visibility("default")))

/* The addresses of A, B, (the first) C and the bias, the threads, and the number of calls. */
EXPORTED int64_t recorded[6];

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    (void)error;
    recorded[0] = (int64_t)(intptr_t)gemm->a;
    recorded[1] = (int64_t)(intptr_t)gemm->b;
    recorded[2] = (int64_t)(intptr_t)(gemm->c_array ? gemm->c_array[0] : gemm->c);
    recorded[3] = gemm->epilogue ? (int64_t)(intptr_t)gemm->epilogue->bias : 0;
    recorded[4] = gemm->threads;
    recorded[5]++;
    return GRADUS_OK;
}

int64_t gradus_gemm_workspace(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    (void)gemm, (void)error;
    return 0;
}

const char *gradus_version(void)
{
    return "0.1.0";
}

int gradus_set_threads(int threads)
{
    return threads;
}

void gradus_error_clear(struct gradus_error *error)
{
    error->text[0] = 0;
}
