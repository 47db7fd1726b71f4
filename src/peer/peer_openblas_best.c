/* peer_openblas_best.c: OpenBLAS with the best core type for this CPU's feature bits. By the
 * model alone, a library may mistake a newer CPU for an older one and run at half its speed.
 * SPDX-License-Identifier: MIT */
#include "peer/openblas.h"

#include "cpu/cpu.h"

/* Cooperlake and Sapphirerapids differ from SkylakeX only in their bfloat16 GEMMs, and older
 * libraries do not have them. Null: no core type is better than the library's own choice. */
static const char *best_core(void)
{
    if (gr_cpu_isa_runs("avx512"))
        return "SkylakeX";
    return gr_cpu_isa_runs("avx2") ? "Haswell" : NULL;
}

static enum gradus_status prepare(struct gr_peer *peer, int threads, struct gradus_error *error)
{
    (void)error;
    gr_openblas_prepare(peer, best_core(), threads);
    return GRADUS_OK;
}

const struct gr_peer_kind gr_peer_openblas_best = {
    .name = "openblas-best",
    .title = "OpenBLAS at its best core type",
    .files = gr_openblas_files,
    .remedy = GR_FETCH_PEERS,
    .types = GR_BIT_F32 | GR_BIT_F64 | GR_BIT_BF16,
    .prepare = prepare,
    .attach = gr_openblas_attach,
    .set_threads = gr_openblas_set_threads,
    .run = gr_cblas_run,
};
