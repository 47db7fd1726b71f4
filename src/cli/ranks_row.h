/* ranks_row.h: prints the rows of gradus bench --mpi. SPDX-License-Identifier: MIT */
#ifndef CLI_RANKS_ROW_H
#define CLI_RANKS_ROW_H

#include "base/str.h"
#include "io/json_out.h"
#include "measure/ranks_bench.h"

struct gr_ranks_output {
    const char *format; /* "table", "csv" or "json" */
    const char *command;
    int64_t ranks;
    bool silent;         /* another rank prints */
    struct gr_str text;  /* to be initialised with zeros, like `json` */
    struct gr_json json; /* printed at the end */
};

void gr_ranks_output_begin(struct gr_ranks_output *output, const struct gr_ranks_task *task);
void gr_ranks_output_row(struct gr_ranks_output *output, const struct gr_ranks_row *row);
void gr_ranks_output_end(struct gr_ranks_output *output);

#endif
