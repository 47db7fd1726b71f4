/* dist_comm.h: what struct gradus_comm of gradus/dist.h is. SPDX-License-Identifier: MIT */
#ifndef DIST_DIST_COMM_H
#define DIST_DIST_COMM_H

#include "dist/dist_mpi.h"

#include <gradus/dist.h>

struct gradus_comm {
    struct gr_dist_comm end;
    const struct gr_dist_mpi_plugin *plugin; /* null: threads, or functions of the caller */
    struct gradus_comm_functions functions;  /* with a null `exchange`: none of the caller */
};

#endif
