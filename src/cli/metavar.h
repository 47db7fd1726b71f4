/* metavar.h: the permitted values of an option, as help and shells show them.
 *
 * Lists of formats and devices are made of the registries, so that a new format or backend is
 * accepted, completed and documented without an edit here. SPDX-License-Identifier: MIT */
#ifndef CLI_METAVAR_H
#define CLI_METAVAR_H

#include "cli/verb.h"

/* Stand for such lists in an option's table: "table|csv|…", "cpu|cuda[:N]|…", and the same of GPUs
 * alone. */
#define GR_METAVAR_FORMAT "{format}"
#define GR_METAVAR_DEVICE "{device}"
#define GR_METAVAR_GPU_DEVICE "{gpu device}"

/* The option's metavar, with a list written out; null for a flag. Valid for the life of the
 * process. */
const char *gr_metavar(const struct gr_option *option);

#endif
