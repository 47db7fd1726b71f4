/* cublas.h: what the peers made of NVIDIA's cuBLAS share: plain and TF32 products differ in one
 * mode of the same library. SPDX-License-Identifier: MIT */
#ifndef PEER_CUBLAS_H
#define PEER_CUBLAS_H

#include "peer/library.h"

/* cublasMath_t */
enum gr_cublas_math { GR_CUBLAS_PEDANTIC = 2, GR_CUBLAS_TF32 = 3 };

extern const char *const gr_cublas_files[];

/* The folders where CUDA toolkits and Python's nvidia packages have their libraries. */
char **gr_cublas_folders(void);

/* Makes a handle on the process's GPU and its stream, in that mode; a process that has none takes
 * the first. */
enum gradus_status gr_cublas_attach(struct gr_peer *peer, enum gr_cublas_math math,
                                    struct gr_peer_result *result, struct gradus_error *error);
void gr_cublas_run(struct gr_peer *peer, const struct gr_problem *problem, const void *a,
                   const void *b, void *c);
enum gradus_status gr_cublas_run_on_host(struct gr_peer *peer, const struct gr_problem *problem,
                                         const void *a, const void *b, void *c,
                                         struct gradus_error *error);

#endif
