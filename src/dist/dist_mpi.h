/* dist_mpi.h: ranks that are processes of an MPI. SPDX-License-Identifier: MIT
 *
 * The types of MPI's implementations differ in their binary form, so that this program is linked
 * with none: for each one that the build found there is a plug-in, gradus-mpi-<name>.so (src/mpi/),
 * which is loaded where the environment says that its mpirun started this process. */
#ifndef DIST_DIST_MPI_H
#define DIST_DIST_MPI_H

#include "dist/dist_transport.h"

/* The version of what plug-in and program have in common, which both compare. */
enum { GR_DIST_MPI_INTERFACE = 4 };

/* What a plug-in exports as `gradus_mpi_plugin`. */
struct gr_dist_mpi_plugin {
    int interface;
    /* Starts MPI, unless it has been started, and fills in this rank's end. */
    enum gradus_status (*open)(struct gr_dist_comm *comm, struct gradus_error *error);
    /* Collective: ends MPI, if `open` started it. */
    void (*close)(void);
    /* Collective: a rank's end of a duplicate of the MPI_Comm at `mpi_comm`, or, where that is
     * null, of the communicator that Fortran has as `handle`. MPI runs already, at any thread
     * level. */
    enum gradus_status (*create)(const void *mpi_comm, int handle, struct gr_dist_comm *comm,
                                 struct gradus_error *error);
    /* Collective: frees what `create` made. */
    void (*free)(struct gr_dist_comm *comm);
    /* As `create` of a handle, but the duplicate is kept with the communicator until that is freed,
     * and a later call finds it. */
    enum gradus_status (*find)(int handle, struct gr_dist_comm *comm, struct gradus_error *error);
};

/* Loads the plug-in named by GRADUS_MPI, or gradus-mpi-<name>.so of the MPI that this process has
 * loaded, else of the one whose mpirun started it, from `folder` or gradus/ in it; null: the folder
 * of this library. The plug-in stays loaded. Errors: UNSUPPORTED. */
enum gradus_status gr_dist_mpi_load(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gradus_error *error);

/* The plug-in is sought in `folder`; the variable GRADUS_MPI names another file. Errors:
 * UNSUPPORTED (not started by an mpirun, no plug-in for it, or one that cannot be loaded), IO (MPI
 * fails). */
enum gradus_status gr_dist_mpi_open(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gr_dist_comm *comm, struct gradus_error *error);

#endif
