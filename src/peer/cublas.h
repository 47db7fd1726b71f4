/* cublas.h: shared by the peers for NVIDIA's cuBLAS: FP32 and TF32 are two math modes of the
 * same library. SPDX-License-Identifier: MIT */
#ifndef PEER_CUBLAS_H
#define PEER_CUBLAS_H

#include "peer/library.h"

/* cublasMath_t */
enum gr_cublas_math { GR_CUBLAS_PEDANTIC = 2, GR_CUBLAS_TF32 = 3 };

extern const char *const gr_cublas_files[];

/* The library folders of CUDA toolkits and of Python's nvidia packages. */
char **gr_cublas_folders(void);

/* Creates a handle for this process's GPU and its stream, with that math mode. If the process
 * has no GPU yet, it takes the first. */
enum gradus_status gr_cublas_attach(struct gr_peer *peer, enum gr_cublas_math math,
                                    struct gr_peer_result *result, struct gradus_error *error);
void gr_cublas_run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                   const void *b, void *c);
enum gradus_status gr_cublas_run_on_host(struct gr_peer *peer, const struct gr_problem *problem,
                                         const void *a, const void *b, void *c,
                                         struct gradus_error *error);

#endif
