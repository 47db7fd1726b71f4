/* metavar.h: the permitted values of an option, as help and shells show them.
 * SPDX-License-Identifier: MIT
 *
 * The lists of formats and devices are made from the registries, so that a new format or backend is
 * accepted, completed and documented automatically. */
#ifndef CLI_METAVAR_H
#define CLI_METAVAR_H

#include "cli/verb.h"

/* Placeholders for these lists in an option's table: "table|csv|…", "cpu|cuda[:N]|…", and the
 * latter for GPUs only. */
#define GR_METAVAR_FORMAT "{format}"
#define GR_METAVAR_DEVICE "{device}"
#define GR_METAVAR_GPU_DEVICE "{gpu device}"

/* Returns the option's metavar, with a list expanded; null for a flag. It is valid until the
 * process ends. */
const char *gr_metavar(const struct gr_option *option);

#endif
