/* style.h: the capabilities of the terminal. SPDX-License-Identifier: MIT */
#ifndef CLI_STYLE_H
#define CLI_STYLE_H

#include "report/report.h"

/* Determines the style for the file descriptor `fd`. Columns: $COLUMNS, else the terminal's width,
 * else 0 (no limit) if it is not a terminal. Colour: on a terminal, unless NO_COLOR is set or TERM
 * is "dumb". */
struct gr_style gr_cli_style(int fd);

#endif
