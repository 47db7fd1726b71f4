/* dist_mpi.h: ranks that are processes of an MPI program. SPDX-License-Identifier: MIT
 *
 * The implementations of MPI differ in the binary form of their types, so this program is linked
 * with none of them. For each one that the build found there is a plug-in, gradus-mpi-<name>.so
 * (src/mpi/). It is loaded if this process has loaded that MPI, or was started by its mpirun. */
#ifndef DIST_DIST_MPI_H
#define DIST_DIST_MPI_H

#include "dist/dist_transport.h"

/* The version of the interface between plug-in and program. */
enum { GR_DIST_MPI_INTERFACE = 4 };

/* The structure that a plug-in exports as `gradus_mpi_plugin`. */
struct gr_dist_mpi_plugin {
    int interface;
    /* Starts MPI, unless it has been started, and fills in this rank's end. */
    enum gradus_status (*open)(struct gr_dist_comm *comm, struct gradus_error *error);
    /* Collective. Ends MPI, if `open` has started it. */
    void (*close)(void);
    /* Collective. Creates a rank's end of a duplicate of the MPI_Comm at `mpi_comm` or, if that is
     * null, of the communicator with the Fortran handle `handle`. MPI must have been started, at
     * any thread level. */
    enum gradus_status (*create)(const void *mpi_comm, int handle, struct gr_dist_comm *comm,
                                 struct gradus_error *error);
    /* Collective. Frees what `create` has made. */
    void (*free)(struct gr_dist_comm *comm);
    /* Like `create` with a handle, but the duplicate is kept with the communicator until that is
     * freed, and later calls return it. */
    enum gradus_status (*find)(int handle, struct gr_dist_comm *comm, struct gradus_error *error);
};

/* Loads the plug-in that GRADUS_MPI names, or gradus-mpi-<name>.so for the MPI that this process
 * has loaded, else for the one whose mpirun started it. It is searched in `folder` and in gradus/
 * in it; null: the folder of this library. The plug-in stays loaded. Errors: UNSUPPORTED. */
enum gradus_status gr_dist_mpi_load(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gradus_error *error);

/* Loads the plug-in from `folder` (the environment variable GRADUS_MPI names another file), and
 * opens MPI. Errors: UNSUPPORTED (not started by an mpirun, no plug-in for it, or one that cannot
 * be loaded), IO (MPI fails). */
enum gradus_status gr_dist_mpi_open(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gr_dist_comm *comm, struct gradus_error *error);

#endif
