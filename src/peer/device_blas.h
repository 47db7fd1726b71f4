/* device_blas.h: GEMMs of a library in a GPU's memory: cuBLAS and rocBLAS have the same calls under
 * other names. It works in the GPU that the process uses (gpu/context.h), on its stream.
 * SPDX-License-Identifier: MIT */
#ifndef PEER_DEVICE_BLAS_H
#define PEER_DEVICE_BLAS_H

#include "gpu/vendor.h"
#include "peer/library.h"

typedef void *gr_device_blas_handle;

/* What differs from one library to another; the symbols' prototypes are those of cuBLAS. */
struct gr_device_blas {
    const struct gr_gpu_vendor *vendor;
    const char *create, *set_stream, *sgemm, *dgemm;
    const char *set_workspace; /* null or missing: it needs no workspace from outside */
    const char *set_mode;      /* sets the math mode; null: it has no such choice */
    int mode;
    int no_transpose, transpose;
    const char *gemm_ex; /* for 16-bit inputs; null: no type of the kind needs it */
    void (*tell_version)(const struct gr_peer *peer, char *text, size_t size);
};

/* Creates a handle for this process's GPU and its stream. If the process has no GPU yet, it takes
 * the vendor's first. */
enum gradus_status gr_device_blas_attach(struct gr_peer *peer, const struct gr_device_blas *blas,
                                         struct gr_peer_result *result, struct gradus_error *error);
void gr_device_blas_run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                        const void *b, void *c);
/* For any kind with a device: copies the operands there, calls the kind's `run`, and copies C
 * back. */
enum gradus_status gr_device_blas_run_on_host(struct gr_peer *peer,
                                              const struct gr_problem *problem, const void *a,
                                              const void *b, void *c, struct gradus_error *error);

#endif
