/* ranks.h: the ranks of the mpirun that started this process, for the verbs with --mpi.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "cli/verb.h"
#include "dist/dist_mpi.h"

struct gr_ranks {
    const struct gr_dist_mpi_plugin *plugin; /* null: not opened */
    struct gr_dist_comm comm;
};

/* Collective. Searches the plug-in next to the program, or in the folder of an installation. */
enum gradus_status gr_ranks_open(struct gr_ranks *ranks, struct gradus_error *error);

/* Collective, if the ranks were opened. Closes them; if there is a failure, which all ranks have in
 * common, one of them prints it, and all clear it. Returns the exit status for it. */
enum gr_exit gr_ranks_close(struct gr_ranks *ranks, enum gradus_status status,
                            struct gradus_error *error);

#endif
