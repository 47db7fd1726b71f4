/* decoy.c: BLAS symbols that count who enters them, in the global scope of a test program.
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

static atomic_int entries;

int decoy_entries(void);
int decoy_entries(void)
{
    return atomic_exchange(&entries, 0);
}

/* The arguments do not matter: the callee pops none in the calling conventions of x86-64 and
 * aarch64. */
#define DECOY(name)                                                                                \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
        atomic_fetch_add(&entries, 1);                                                             \
    }

DECOY(sgemm_)
DECOY(dgemm_)
DECOY(cblas_sgemm)
DECOY(cblas_dgemm)
DECOY(xerbla_)
DECOY(cblas_xerbla)
DECOY(sgemv_)
DECOY(dgemv_)
DECOY(lsame_)
DECOY(needed_number)
