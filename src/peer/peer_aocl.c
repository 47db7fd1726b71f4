/* peer_aocl.c: AMD's BLIS (AOCL-BLAS), if it is installed. SPDX-License-Identifier: MIT */
#include "peer/blis.h"

static const char *const files[] = {"libblis-mt.so.5", "libblis-mt.so.4", "libblis-mt.so",
                                    "/opt/AMD/aocl/aocl-linux-gcc/lib_LP64/libblis-mt.so", 0};

static enum gradus_status attach(struct gr_peer *peer, int threads, struct gr_peer_result *result,
                                 struct gradus_error *error)
{
    return gr_blis_attach(peer, threads, NULL, result, error);
}

const struct gr_peer_kind gr_peer_aocl = {
    .name = "aocl",
    .title = "AMD's BLIS (AOCL-BLAS)",
    .files = files,
    .remedy = "AOCL-BLAS from amd.com/aocl, its folder in GRADUS_PEERS",
    .types = GR_BIT_F32 | GR_BIT_F64,
    .attach = attach,
    .set_threads = gr_blis_set_threads,
    .run = gr_cblas_run,
};
