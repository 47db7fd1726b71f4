/* bench_ranks.h: gradus bench --mpi. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_RANKS_H
#define CLI_BENCH_RANKS_H

#include "cli/verb.h"

/* Verifies and times products over the ranks of the mpirun that started this process. Rank 0
 * prints.
 */
enum gr_exit gr_bench_ranks(const struct gr_args *args);

#endif
