/* peer_openblas_wheel.c: the OpenBLAS with which the wheels of NumPy and SciPy are built, which
 * is newer than those of distributions. SPDX-License-Identifier: MIT */
#include "peer/openblas.h"

static const char *const files[] = {"libscipy_openblas.so", 0};

static enum gradus_status prepare(struct gr_peer *peer, int threads, struct gradus_error *error)
{
    (void)error;
    gr_openblas_prepare(peer, NULL, threads);
    return GRADUS_OK;
}

const struct gr_peer_kind gr_peer_openblas_wheel = {
    .name = "openblas-wheel",
    .title = "OpenBLAS of PyPI's wheel",
    .files = files,
    .prefix = "scipy_",
    .remedy = "pip install --target build/wheel scipy-openblas32; "
              "GRADUS_PEERS=build/wheel/scipy_openblas32",
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16,
    .prepare = prepare,
    .attach = gr_openblas_attach,
    .set_threads = gr_openblas_set_threads,
    .run = gr_cblas_run,
};
