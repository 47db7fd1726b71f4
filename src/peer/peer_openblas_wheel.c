/* peer_openblas_wheel.c: the OpenBLAS with which the wheels of NumPy and SciPy are built, which
 * is newer than those of distributions. SPDX-License-Identifier: MIT */
#include "peer/openblas.h"

#include "base/str.h"
#include "core/error.h"

/* The second is that of scipy-openblas64: it is found so that the reason can be given. */
static const char *const files[] = {"libscipy_openblas.so", "libscipy_openblas64_.so", 0};

static enum gradus_status prepare(struct gr_peer *peer, int threads, struct gradus_error *error)
{
    (void)error;
    gr_openblas_prepare(peer, NULL, threads);
    return GRADUS_OK;
}

/* The symbols of the wheel with 64-bit integers end with 64_. */
static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    const char *path = gr_peer_path(peer);
    if (gr_ends_with(path, "64_.so"))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "openblas-wheel: %s has 64-bit integers; one with 32-bit is wanted: %s",
                       path, peer->library->kind->remedy);
    return gr_openblas_attach(peer, threads, result, error);
}

const struct gr_peer_kind gr_peer_openblas_wheel = {
    .name = "openblas-wheel",
    .title = "OpenBLAS of PyPI's wheel",
    .files = files,
    .prefix = "scipy_",
    .remedy = GR_PIP_INSTALL("scipy-openblas32"),
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16,
    .prepare = prepare,
    .attach = attach,
    .set_threads = gr_openblas_set_threads,
    .run = gr_cblas_run,
};
