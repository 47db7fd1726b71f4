/* style.h: what the terminal can show. SPDX-License-Identifier: MIT */
#ifndef CLI_STYLE_H
#define CLI_STYLE_H

#include "report/report.h"

/* For results on the file descriptor `fd`. Columns: $COLUMNS, else the terminal's width, else 0 (no
 * limit) where there is no terminal. Colour: on a terminal, unless NO_COLOR is set or TERM is
 * "dumb". */
struct gr_style gr_cli_style(int fd);

#endif
