/* against.h: the kernel that --against names. SPDX-License-Identifier: MIT */
#ifndef CLI_AGAINST_H
#define CLI_AGAINST_H

#include "cli/args.h"

struct gr_against {
    char *operand;  /* a rung or a file */
    char *function; /* the kernel of the file; null: as --kernel says */
};

/* Reads a rung, `FILE`, `FILE:KERNEL`, or the name of another kernel of the first operand's file.
 * Free with gr_against_free. False: no memory. */
bool gr_against_read(const struct gr_args *args, const char *word, struct gr_against *against);
void gr_against_free(struct gr_against *against);

#endif
