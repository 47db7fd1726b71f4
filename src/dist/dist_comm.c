/* dist_comm.c: creates and frees communicators. SPDX-License-Identifier: MIT */
#include "dist/dist_comm.h"

#include "core/error.h"
#include "dist/dist_threads.h"

#include <stdlib.h>

static enum gradus_status create(const void *mpi_comm, int handle, struct gradus_comm **comm,
                                 struct gradus_error *error)
{
    if (!comm)
        return gr_fail(error, GRADUS_INVALID, "comm: found a null pointer for the result");
    *comm = NULL;
    struct gradus_comm *const made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(error, "a communicator", sizeof *made);
    enum gradus_status status = gr_dist_mpi_load(NULL, &made->plugin, error);
    if (status == GRADUS_OK)
        status = made->plugin->create(mpi_comm, handle, &made->end, error);
    if (status == GRADUS_OK)
        *comm = made;
    else
        free(made);
    return status;
}

enum gradus_status gradus_comm_create_mpi(const void *mpi_comm, struct gradus_comm **comm,
                                          struct gradus_error *error)
{
    if (!mpi_comm)
        return gr_fail(error, GRADUS_INVALID,
                       "comm: found a null pointer, wanted the address of an MPI_Comm");
    return create(mpi_comm, 0, comm, error);
}

enum gradus_status gradus_comm_create_fortran(int mpi_comm, struct gradus_comm **comm,
                                              struct gradus_error *error)
{
    return create(NULL, mpi_comm, comm, error);
}

void gradus_comm_free(struct gradus_comm *comm)
{
    if (!comm || (!comm->plugin && !comm->functions.exchange))
        return; /* a thread's communicator is on its stack */
    if (comm->plugin)
        comm->plugin->free(&comm->end);
    else if (comm->functions.release)
        comm->functions.release(comm->functions.context);
    free(comm);
}

int64_t gradus_comm_rank(const struct gradus_comm *comm)
{
    return comm ? comm->end.rank : -1;
}

int64_t gradus_comm_size(const struct gradus_comm *comm)
{
    return comm ? comm->end.size : -1;
}

struct job {
    enum gradus_status (*work)(struct gradus_comm *, void *, struct gradus_error *);
    void *context;
};

static enum gradus_status work_on(struct gr_dist_comm *end, void *context,
                                  struct gradus_error *error)
{
    const struct job *const job = context;
    struct gradus_comm comm = {.end = *end};
    return job->work(&comm, job->context, error);
}

enum gradus_status gradus_comm_run_threads(int64_t ranks,
                                           enum gradus_status (*work)(struct gradus_comm *comm,
                                                                      void *context,
                                                                      struct gradus_error *error),
                                           void *context, struct gradus_error *error)
{
    struct job job = {work, context};
    if (!work)
        return gr_fail(error, GRADUS_INVALID, "comm: found a null pointer, wanted a function");
    return gr_dist_threads_run(ranks, work_on, &job, error);
}
