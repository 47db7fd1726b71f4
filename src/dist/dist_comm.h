/* dist_comm.h: the definition of struct gradus_comm of gradus/dist.h.
 * SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COMM_H
#define DIST_DIST_COMM_H

#include "dist/dist_mpi.h"

#include <gradus/dist.h>

struct gradus_comm {
    struct gr_dist_comm end;
    const struct gr_dist_mpi_plugin *plugin; /* null: threads, or the caller's functions */
    struct gradus_comm_functions functions;  /* the caller's; null `exchange`: none */
};

#endif
