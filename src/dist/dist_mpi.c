/* dist_mpi.c: finds and loads the plug-in of the MPI that started this process.
 * SPDX-License-Identifier: MIT */
#include "dist/dist_mpi.h"

#include "core/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* A variable that each implementation's mpirun sets, in MPICH's case also others made of it. */
static const char *implementation(void)
{
    static const struct {
        const char *variable, *name;
    } all[] = {{"OMPI_COMM_WORLD_SIZE", "openmpi"}, {"PMI_SIZE", "mpich"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (getenv(all[i].variable))
            return all[i].name;
    return NULL;
}

enum gradus_status gr_dist_mpi_open(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gr_dist_comm *comm, struct gradus_error *error)
{
    char path[4096];
    const char *const named = getenv("GRADUS_MPI");
    const char *const name = named && *named ? "GRADUS_MPI" : implementation();
    if (!name)
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "mpi: this process was not started by Open MPI's or MPICH's mpirun; start it "
            "as `mpirun -n RANKS gradus ... --mpi`, or name a plug-in in GRADUS_MPI");
    if (named && *named)
        snprintf(path, sizeof path, "%s", named);
    else
        snprintf(path, sizeof path, "%s/gradus-mpi-%s.so", folder, name);
    /* Its own components look for MPI's symbols in the global scope. */
    void *const library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "mpi: found no plug-in for %s (%.300s); build Gradus where mpicc is, or name "
            "the plug-in in GRADUS_MPI",
            name, dlerror());
    const struct gr_dist_mpi_plugin *const found = dlsym(library, "gradus_mpi_plugin");
    if (!found || found->interface != GR_DIST_MPI_INTERFACE)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "mpi: %.300s: found a plug-in of another version, wanted that of this build",
                       path);
    const enum gradus_status status = found->open(comm, error);
    if (status == GRADUS_OK)
        *plugin = found;
    return status;
}
