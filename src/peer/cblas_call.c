/* cblas_call.c: computes a GEMM with a library's cblas_sgemm or cblas_dgemm.
 * SPDX-License-Identifier: MIT */
#include "peer/library.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void sgemm_fn(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc);
typedef void dgemm_fn(int layout, int trans_a, int trans_b, int m, int n, int k, double alpha,
                      const void *a, int lda, const void *b, int ldb, double beta, void *c,
                      int ldc);

enum gradus_status gr_cblas_bind(struct gr_peer *peer, const char *bf16, struct gradus_error *error)
{
    peer->library->entries[2] = bf16 ? gr_peer_symbol(peer, bf16) : NULL;
    if (!peer->library->entries[2])
        peer->about.types &= ~(unsigned)GR_BIT_BF16;
    enum gradus_status status = gr_peer_bind(peer, 0, "cblas_sgemm", error);
    return status == GRADUS_OK ? gr_peer_bind(peer, 1, "cblas_dgemm", error) : status;
}

void gr_cblas_run(struct gr_peer *peer, const struct gr_problem *p, const void *a, const void *b,
                  void *c)
{
    int trans_a = p->trans_a ? TRANS : NO_TRANS, trans_b = p->trans_b ? TRANS : NO_TRANS;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    if (p->types.c == GR_F32)
        ((sgemm_fn *)peer->library->entries[p->types.a == GR_BF16 ? 2 : 0])(
            ROW_MAJOR, trans_a, trans_b, m, n, k, (float)p->alpha, a, lda, b, ldb, (float)p->beta,
            c, ldc);
    else
        ((dgemm_fn *)peer->library->entries[1])(ROW_MAJOR, trans_a, trans_b, m, n, k, p->alpha, a,
                                                lda, b, ldb, p->beta, c, ldc);
}
