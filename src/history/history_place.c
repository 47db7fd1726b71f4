/* history_place.c: finds the file of the history. SPDX-License-Identifier: MIT */
#include "history/history.h"

#include "core/error.h"

#include <stdlib.h>

enum gradus_status gr_history_place(char **path, struct gradus_error *error)
{
    const char *own = getenv("GRADUS_HISTORY"), *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    *path = NULL;
    if (own && !*own)
        return GRADUS_OK;
    if (own)
        *path = gr_strdup(own);
    else if (data && *data == '/') /* the XDG specification ignores a relative path */
        *path = gr_printf("%s/gradus/history.db", data);
    else if (home && *home == '/')
        *path = gr_printf("%s/.local/share/gradus/history.db", home);
    else
        return gr_fail(error, GRADUS_NOT_FOUND,
                       "history: it has no folder: found neither XDG_DATA_HOME nor HOME with an "
                       "absolute path: set one of them, or GRADUS_HISTORY to a file");
    return *path ? GRADUS_OK : gr_fail_memory(error, "the history's path", 0);
}
