/* style.c: determines the terminal's width and whether it shows colour.
 * SPDX-License-Identifier: MIT */
#include "cli/style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 20, USUAL = 80, WIDEST = 10000 };

static int terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST ? size.ws_col : USUAL;
}

struct gr_style gr_cli_style(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
    bool terminal = isatty(fd);
    struct gr_style style = {.colour = terminal && !(no_color && *no_color) &&
                                       !(term && strcmp(term, "dumb") == 0)};
    long requested = columns ? strtol(columns, NULL, 10) : 0;
    if (requested >= NARROWEST && requested <= WIDEST)
        style.columns = (int)requested;
    else if (terminal)
        style.columns = terminal_columns(fd);
    return style;
}
