/* ranks.c: opens the ranks of the mpirun that started this process. SPDX-License-Identifier: MIT */
#include "cli/ranks.h"

#include "base/file.h"
#include "base/spawn.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Returns the folder of the MPI plug-ins: next to the program, or that of an installation;
 * malloc'ed. */
static char *plugin_folder(void)
{
    char *const self = gr_spawn_self_file();
    char *const slash = self ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = 0;
    char *folder = gr_printf("%s/" GRADUS_BIN_TO_LIB "/gradus", slash ? self : ".");
    if (folder && !gr_file_exists(folder)) {
        free(folder);
        folder = gr_strdup(slash ? self : ".");
    }
    free(self);
    return folder;
}

enum gradus_status gr_ranks_open(struct gr_ranks *ranks, struct gradus_error *error)
{
    char *const folder = plugin_folder();
    *ranks = (struct gr_ranks){0};
    const enum gradus_status status =
        gr_dist_mpi_open(folder ? folder : ".", &ranks->plugin, &ranks->comm, error);
    free(folder);
    if (status != GRADUS_OK)
        ranks->plugin = NULL;
    return status;
}

enum gr_exit gr_ranks_close(struct gr_ranks *ranks, enum gradus_status status,
                            struct gradus_error *error)
{
    enum gr_exit code = GR_EXIT_RIGHT;
    if (status != GRADUS_OK)
        code = !ranks->plugin || ranks->comm.rank == 0 ? gr_cli_fail(error) : GR_EXIT_USAGE;
    if (ranks->plugin)
        ranks->plugin->close();
    gradus_error_clear(error);
    return code;
}
