/* multi_nccl.h: the functions of NCCL that products over several GPUs call. The library is opened
 * with dlopen; the functions are declared here after NVIDIA's documentation.
 * SPDX-License-Identifier: MIT */
#ifndef MULTI_MULTI_NCCL_H
#define MULTI_MULTI_NCCL_H

#include <gradus/gradus.h>
#include <stddef.h>

/* ncclUniqueId, which one rank creates and sends to all others. */
struct gr_multi_nccl_id {
    char bytes[128];
};

enum { GR_MULTI_NCCL_BYTES = 0 /* ncclInt8 */ };

/* X(member, symbol, parameters). All return 0 for success. */
#define GR_MULTI_NCCL_SYMBOLS(X)                                                                   \
    X(version, ncclGetVersion, (int *version))                                                     \
    X(make_id, ncclGetUniqueId, (struct gr_multi_nccl_id * id))                                    \
    X(init, ncclCommInitRank, (void **comm, int ranks, struct gr_multi_nccl_id id, int rank))      \
    X(destroy, ncclCommDestroy, (void *comm))                                                      \
    X(abort, ncclCommAbort, (void *comm))                                                          \
    X(group_start, ncclGroupStart, (void))                                                         \
    X(group_end, ncclGroupEnd, (void))                                                             \
    X(send, ncclSend,                                                                              \
      (const void *from, size_t count, int type, int peer, void *comm, void *stream))              \
    X(receive, ncclRecv, (void *to, size_t count, int type, int peer, void *comm, void *stream))

#define GR_MULTI_NCCL_MEMBER(name, symbol, parameters) int(*name) parameters;
struct gr_multi_nccl {
    GR_MULTI_NCCL_SYMBOLS(GR_MULTI_NCCL_MEMBER)
    const char *(*error_text)(int result);
};
#undef GR_MULTI_NCCL_MEMBER

/* Opens NCCL, once in each process. The environment variable GRADUS_NCCL names a file in place of
 * libnccl.so.2. UNSUPPORTED, with one line of text: there is no NCCL, or it is older than 2.7. */
enum gradus_status gr_multi_nccl_open(const struct gr_multi_nccl **nccl,
                                      struct gradus_error *error);

/* Converts a result of NCCL to a status: OK, or IO with one line of text, `what` and NCCL's own
 * text. */
enum gradus_status gr_multi_nccl_check(const struct gr_multi_nccl *nccl, int result,
                                       const char *what, struct gradus_error *error);

#endif
