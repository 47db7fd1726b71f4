/* gemm_mpi.h: multiplies matrices in .npy files by many processes. SPDX-License-Identifier: MIT */
#ifndef FILES_GEMM_MPI_H
#define FILES_GEMM_MPI_H

#include "dist/dist_gemm.h"
#include "files/gemm_files.h"

struct gr_gemm_mpi_outcome {
    bool timeline;                      /* in: whether it is asked for; the same on all ranks */
    struct gr_dist_plan plan;           /* that was followed */
    struct gr_dist_timeline *timelines; /* on rank 0, where asked for: of each rank; to be freed */
};

/* Collective: what gr_gemm_files_run does, with the ranks of `comm`, each of which reads and writes
 * its part of files that all of them see. Of the request, `verify`, `device` and the like are not
 * read; A, B and C0 are matrices, not vectors. Elements that are not those of the product's type,
 * or of another byte order, are converted whole on each rank. The output appears whole or not at
 * all. Errors are the same on all ranks. */
enum gradus_status gr_gemm_files_mpi(const struct gr_gemm_files *request, struct gr_dist_comm *comm,
                                     struct gr_gemm_mpi_outcome *outcome,
                                     struct gradus_error *error);

#endif
