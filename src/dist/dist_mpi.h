/* dist_mpi.h: ranks that are processes of an MPI. SPDX-License-Identifier: MIT
 *
 * The types of MPI's implementations differ in their binary form, so that this program is linked
 * with none: for each one that the build found there is a plug-in, gradus-mpi-<name>.so (src/mpi/),
 * which is loaded where the environment says that its mpirun started this process. */
#ifndef DIST_DIST_MPI_H
#define DIST_DIST_MPI_H

#include "dist/dist_transport.h"

/* The version of what plug-in and program have in common, which both compare. */
enum { GR_DIST_MPI_INTERFACE = 2 };

/* What a plug-in exports as `gradus_mpi_plugin`. */
struct gr_dist_mpi_plugin {
    int interface;
    /* Starts MPI, unless it has been started, and fills in this rank's end. */
    enum gradus_status (*open)(struct gr_dist_comm *comm, struct gradus_error *error);
    /* Collective: ends MPI, if `open` started it. */
    void (*close)(void);
};

/* The plug-in is sought in `folder`; the variable GRADUS_MPI names another file. Errors:
 * UNSUPPORTED (not started by an mpirun, no plug-in for it, or one that cannot be loaded), IO (MPI
 * fails). */
enum gradus_status gr_dist_mpi_open(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gr_dist_comm *comm, struct gradus_error *error);

#endif
