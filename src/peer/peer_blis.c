/* peer_blis.c: BLIS as a distribution installs it; it selects its architecture by the CPU's
 * model. SPDX-License-Identifier: MIT */
#include "peer/blis.h"

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    return gr_blis_attach(peer, threads, NULL, result, error);
}

const struct gr_peer_kind gr_peer_blis = {
    .name = "blis",
    .title = "BLIS as installed",
    .files = gr_blis_files,
    .remedy = GR_FETCH_PEERS,
    .types = GR_BIT_F32 | GR_BIT_F64,
    .attach = attach,
    .set_threads = gr_blis_set_threads,
    .run = gr_cblas_run,
};
