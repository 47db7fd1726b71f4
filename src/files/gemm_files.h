/* gemm_files.h: multiplies matrices in .npy files. SPDX-License-Identifier: MIT */
#ifndef FILES_GEMM_FILES_H
#define FILES_GEMM_FILES_H

#include "backend/backend.h"
#include "backend/device_ref.h"
#include "check/check.h"
#include "dist/dist_plan.h"
#include "dist/dist_timeline.h"
#include "records/follow.h"

#include <gradus/gradus.h>

/* out = alpha op(A) op(B) + beta C0, with the shapes of NumPy's matmul: a vector on the left is
 * a row, on the right a column, and the result does not have that dimension. */
struct gr_gemm_files {
    const char *a, *b, *c0; /* c0 may be null if beta is 0 */
    const char *out;        /* "-": standard output */
    double alpha, beta;
    bool trans_a, trans_b;    /* without effect on a vector, as in NumPy */
    const enum gr_dtype *raw; /* what words of its size in a file are elements of; null: refused */
    bool verify;              /* check the result with a float64 reference before it is written */
    int threads;              /* 0: as many as the process may use */
    struct gr_device_ref device;
    enum gr_engine engine; /* of a simulated device */
    bool several; /* on the GPUs `gpus`, in place of `device`; none: on all that there are */
    int gpu_count;
    int gpus[64];
    bool timeline; /* report what each of these GPUs did */
    /* Receives "reading", "multiplying", "verifying", "writing"; may be null. */
    const struct gr_follower *follower;
    int64_t memory_bytes; /* the limit on a device's memory; 0: all that is free */
};

struct gr_gemm_files_outcome {
    enum gr_dtype type; /* f64 if an input is f8, else f32 */
    bool widened;       /* an input has a narrower one, which is the next */
    enum gr_dtype narrow;
    int64_t m, n, k;
    struct gr_check check;       /* if verified; a wrong result is not written */
    struct gr_findings findings; /* owned by the caller: gr_findings_free */
    struct gr_dist_plan plan;    /* of several GPUs */
    struct gr_dist_timeline timelines[64];
};

/* Errors: INVALID and NOT_FOUND ("file: field: found, wanted"), IO, NO_MEMORY. If it fails or
 * the result is wrong, a file that was at `out` is unchanged. */
enum gradus_status gr_gemm_files_run(const struct gr_gemm_files *request,
                                     struct gr_gemm_files_outcome *outcome,
                                     struct gradus_error *error);

#endif
