/* tune_library.h: implements gradus tune library, which measures the times of the library's GPU
 * kernels and writes them as a table that the build embeds. SPDX-License-Identifier: MIT */
#ifndef CLI_TUNE_LIBRARY_H
#define CLI_TUNE_LIBRARY_H

#include "cli/verb.h"

/* Is the only operand the word `library`? */
bool gr_tunes_library(const struct gr_args *args);
/* Reads --device, --size, --dtype, --trans, --time-limit and --output, and refuses the verb's other
 * options; returns the verb's exit status. */
enum gr_exit gr_tune_library(const struct gr_args *args);

#endif
