/* peer_rocblas.c: AMD's rocBLAS, the BLAS of ROCm. Its calls are those of cuBLAS under other names.
 * SPDX-License-Identifier: MIT */
#include "peer/device_blas.h"

#include "gpu/rocm_folders.h"

#include <stdio.h>

static const char *const files[] = {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3",
                                    "librocblas.so.0", "librocblas.so",   NULL};

static void tell_version(const struct gr_peer *peer, char *text, size_t size)
{
    typedef int version_fn(char *text, size_t size);
    version_fn *ask = (version_fn *)gr_peer_symbol(peer, "rocblas_get_version_string");
    char whole[128] = "";
    if (ask)
        ask(whole, sizeof whole);
    snprintf(text, size, "%.*s", (int)(size - 1), whole);
}

/* rocblas_operation_none and _transpose are 111 and 112, as in cblas. */
static const struct gr_device_blas blas = {.vendor = &gr_gpu_vendor_hip,
                                           .create = "rocblas_create_handle",
                                           .set_stream = "rocblas_set_stream",
                                           .sgemm = "rocblas_sgemm",
                                           .dgemm = "rocblas_dgemm",
                                           .set_workspace = "rocblas_set_workspace",
                                           .no_transpose = 111,
                                           .transpose = 112,
                                           .tell_version = tell_version};

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    (void)threads;
    return gr_device_blas_attach(peer, &blas, result, error);
}

const struct gr_peer_kind gr_peer_rocblas = {
    .name = "rocblas",
    .title = "AMD rocBLAS",
    .files = files,
    .remedy = "apt-get install rocblas",
    .types = GR_BIT_F32 | GR_BIT_F64,
    .device = "hip",
    .in_program = true,
    .folders = gr_rocm_folders,
    .attach = attach,
    .run = gr_device_blas_run,
    .run_on_host = gr_device_blas_run_on_host,
};
