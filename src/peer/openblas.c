/* openblas.c: loads OpenBLAS and reads its version and configuration.
 * SPDX-License-Identifier: MIT */
#include "peer/openblas.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

enum { SET_THREADS = GR_CBLAS_ENTRIES };

const char *const gr_openblas_files[] = {"openblas-pthread/libopenblas.so.0", "libopenblas.so.0",
                                         "libopenblas.so", 0};

/* The core type that does not need an ISA level above this one. */
static const char *core_of(const char *level)
{
    return strcmp(level, "avx2") == 0       ? "Haswell"
           : strcmp(level, "portable") == 0 ? "Prescott"
                                            : NULL;
}

void gr_openblas_prepare(struct gr_peer *peer, const char *core, int threads)
{
    const char *isa_limit = gr_peer_isa_limit();
    gr_peer_setenv(peer, "OPENBLAS_CORETYPE", isa_limit ? core_of(isa_limit) : core);
    gr_peer_setenv_int(peer, "OPENBLAS_NUM_THREADS", threads);
    gr_peer_setenv_int(peer, "OMP_NUM_THREADS", threads);
}

enum gradus_status gr_openblas_attach(struct gr_peer *peer, int threads,
                                      struct gr_peer_result *result, struct gradus_error *error)
{
    enum gradus_status status = gr_cblas_bind(peer, "cblas_sbgemm", error);
    if (status == GRADUS_OK)
        status = gr_peer_bind(peer, SET_THREADS, "openblas_set_num_threads", error);
    if (status != GRADUS_OK)
        return status;
    typedef char *text_fn(void);
    typedef int number_fn(void);
    text_fn *config = (text_fn *)gr_peer_symbol(peer, "openblas_get_config");
    text_fn *core = (text_fn *)gr_peer_symbol(peer, "openblas_get_corename");
    number_fn *number = (number_fn *)gr_peer_symbol(peer, "openblas_get_num_threads");
    const char *built = config ? config() : "";
    if (strstr(built, "USE64BITINT"))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s: %s has 64-bit integers; one with 32-bit is wanted", peer->about.name,
                       gr_peer_path(peer));
    sscanf(built, "OpenBLAS %63s", result->version);
    snprintf(result->core, sizeof result->core, "%s", core ? core() : "");
    peer->library->kind->set_threads(peer, threads);
    result->threads = number ? number() : threads;
    return GRADUS_OK;
}

void gr_openblas_set_threads(struct gr_peer *peer, int threads)
{
    typedef void set_fn(int threads);
    ((set_fn *)peer->library->entries[SET_THREADS])(threads);
}
