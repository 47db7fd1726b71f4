/* dist_mpi.c: finds and loads the plug-in of the MPI that this process uses.
 * SPDX-License-Identifier: MIT */
#include "dist/dist_mpi.h"

#include "core/error.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_TEXT = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING is 256 or 8192 */

/* The name of the MPI that this process has loaded, by its version text, which all implementations
 * return with the same binary interface. Null: none is loaded, or not in the global scope. */
static const char *loaded(void)
{
    static const char *const names[][2] = {{"Open MPI", "openmpi"}, {"MPICH", "mpich"}};
    int (*version)(char *, int *) = NULL;
    const char *name = NULL;
    int length = 0;
    *(void **)&version = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
    char *const text = version ? calloc(1, VERSION_TEXT + 1) : NULL;
    if (text)
        version(text, &length);
    for (size_t i = 0; text && !name && i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i][0]))
            name = names[i][1];
    free(text);
    return name;
}

/* The MPI whose mpirun has started this process, by an environment variable: one that each
 * implementation's mpirun sets (MPICH's is also set by implementations derived from it), and one of
 * PMIx, with which other launchers (srun --mpi=pmix, prterun) start Open MPI's programs. */
static const char *started(void)
{
    static const struct {
        const char *variable, *name;
    } all[] = {
        {"OMPI_COMM_WORLD_SIZE", "openmpi"}, {"PMI_SIZE", "mpich"}, {"PMIX_RANK", "openmpi"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (getenv(all[i].variable))
            return all[i].name;
    return NULL;
}

/* The folder of the library or program that contains this function. */
static const char *own_folder(char *path, size_t size)
{
    static const char anchor = 0;
    Dl_info info = {0};
    snprintf(path, size, ".");
    if (dladdr(&anchor, &info) && info.dli_fname && strrchr(info.dli_fname, '/')) {
        snprintf(path, size, "%s", info.dli_fname);
        *strrchr(path, '/') = 0;
    }
    return path;
}

/* An MPI's own components look for its symbols in the global scope. */
static void *load(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

enum gradus_status gr_dist_mpi_load(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gradus_error *error)
{
    char path[1400], own[1024];
    const char *const named = getenv("GRADUS_MPI");
    const char *name = named && *named ? "GRADUS_MPI" : loaded();
    name = name ? name : started();
    if (!name)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "mpi: found neither Open MPI nor MPICH in this process; start it by its "
                       "mpirun, or name a plug-in in GRADUS_MPI");
    folder = folder ? folder : own_folder(own, sizeof own);
    snprintf(path, sizeof path, "%s/gradus-mpi-%s.so", folder, name);
    void *library = load(named && *named ? named : path);
    if (!library && !(named && *named)) {
        snprintf(path, sizeof path, "%s/gradus/gradus-mpi-%s.so", folder, name);
        library = load(path);
    }
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
                       named && *named ? named : path);
    *plugin = found;
    return GRADUS_OK;
}

enum gradus_status gr_dist_mpi_open(const char *folder, const struct gr_dist_mpi_plugin **plugin,
                                    struct gr_dist_comm *comm, struct gradus_error *error)
{
    const struct gr_dist_mpi_plugin *found = NULL;
    const char *const named = getenv("GRADUS_MPI");
    if (!started() && !(named && *named))
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "mpi: this process was not started by Open MPI's or MPICH's mpirun; start it "
            "as `mpirun -n RANKS gradus ... --mpi`, or name a plug-in in GRADUS_MPI");
    enum gradus_status status = gr_dist_mpi_load(folder, &found, error);
    if (status == GRADUS_OK)
        status = found->open(comm, error);
    if (status == GRADUS_OK)
        *plugin = found;
    return status;
}
