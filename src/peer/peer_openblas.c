/* peer_openblas.c: OpenBLAS as a distribution installs it; it selects its core type by the CPU's
 * model. SPDX-License-Identifier: MIT */
#include "peer/openblas.h"

static enum gradus_status prepare(struct gr_peer *peer, int threads, struct gradus_error *error)
{
    (void)error;
    gr_openblas_prepare(peer, NULL, threads);
    return GRADUS_OK;
}

const struct gr_peer_kind gr_peer_openblas = {
    .name = "openblas",
    .title = "OpenBLAS as installed",
    .files = gr_openblas_files,
    .remedy = GR_FETCH_PEERS,
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16,
    .prepare = prepare,
    .attach = gr_openblas_attach,
    .set_threads = gr_openblas_set_threads,
    .run = gr_cblas_run,
};
