/* ranks_gpu.c: a GPU a rank. SPDX-License-Identifier: MIT */
#include "files/ranks_gpu.h"

#include "cpu/gemm.h"

#include <stdlib.h>

enum gradus_status gr_ranks_gpu_plan(struct gr_ranks_gpu *job, const struct gr_dist_comm *comm,
                                     struct gr_dist_plan *plan, struct gr_dist_rect *own,
                                     struct gradus_error *error)
{
    const struct gr_multi_rates rates = gr_multi_rates_assumed(&job->gemm);
    const enum gradus_status status =
        gr_multi_plan(&job->gemm, comm->size, &rates, &job->plan, error);
    struct gr_multi_plan whole = job->plan;
    whole.steps = whole.passes = 1;
    const struct gr_multi_rect t = status == GRADUS_OK
                                       ? gr_multi_tile(&job->gemm, &whole, comm->rank, 0)
                                       : (struct gr_multi_rect){0};
    *own = (struct gr_dist_rect){t.row, t.row + t.rows, t.col, t.col + t.cols};
    *plan = job->plan.model;
    return status;
}

/* The rank's number on its machine, from the launcher's environment, or its number. */
static int64_t local_rank(const struct gr_dist_comm *comm)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "PMI_LOCAL_RANK", "SLURM_LOCALID", "LOCAL_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const text = getenv(names[i]);
        if (text && *text >= '0' && *text <= '9')
            return strtol(text, NULL, 10);
    }
    return comm->rank;
}

/* Where a launcher shows each rank another GPU alone, that is number 0 on all. */
static int ordinal_of(const struct gr_dist_comm *comm)
{
    const struct gr_device_driver *driver;
    if (gr_device_driver_open(&driver, NULL) != GRADUS_OK)
        return 0; /* gr_multi_gpu_open reports the error */
    return (int)(local_rank(comm) % driver->devices);
}

enum gradus_status gr_ranks_gpu_run(struct gr_ranks_gpu *job, struct gr_dist_comm *comm,
                                    const struct gr_dist_rect *own, void *c, int64_t memory_bytes,
                                    struct gr_dist_timeline *timeline, struct gr_dist_plan *plan,
                                    struct gradus_error *error)
{
    struct gradus_gemm *const g = &job->gemm.gemm;
    struct gr_multi_gpu gpu;
    struct gr_multi_plan used;
    g->ldc = own->col_end > own->col ? own->col_end - own->col : 1;
    /* The first element of all of C, as if the block were within it. */
    g->c = (void *)((uintptr_t)c -
                    (uintptr_t)((own->row * g->ldc + own->col) * gr_gemm_type_bytes(g->c_type)));
    enum gradus_status status =
        gr_multi_gpu_open(&gpu, ordinal_of(comm), false, GR_MULTI_NCCL, comm, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_multi_gemm_run(&job->gemm, &job->plan, &gpu, NULL, comm, memory_bytes, &used,
                               timeline, error);
    if (status == GRADUS_OK)
        *plan = used.model;
    gr_multi_gpu_close(&gpu);
    return status;
}
