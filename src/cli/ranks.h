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

/* Collective; the plug-in is sought beside the program, or where it is installed. */
enum gradus_status gr_ranks_open(struct gr_ranks *ranks, struct gradus_error *error);

/* Collective where it was opened: ends what was opened, prints the line of a failure, which all
 * ranks have in common, on one of them, and clears it. Returns the exit status that it makes. */
enum gr_exit gr_ranks_close(struct gr_ranks *ranks, enum gradus_status status,
                            struct gradus_error *error);

#endif
