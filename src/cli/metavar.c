/* metavar.c: makes the lists of formats and devices from the registries.
 * SPDX-License-Identifier: MIT */
#include "cli/metavar.h"

#include "backend/backend.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 256 };

static void add(char list[LONGEST], const char *name, const char *more)
{
    const size_t used = strlen(list);
    snprintf(list + used, LONGEST - used, "%s%s", used ? "|" : "", name);
    if (more)
        snprintf(list + strlen(list), LONGEST - strlen(list), "[:%s]", more);
}

/* The default is first. */
static const char *formats(void)
{
    static char list[LONGEST];
    if (*list)
        return list;
    add(list, "table", NULL);
    for (int i = 0; i < gr_format_count(); i++)
        if (strcmp(gr_format_at(i)->name, "table") != 0)
            add(list, gr_format_at(i)->name, NULL);
    return list;
}

static const char *devices(bool of_gpus)
{
    static char lists[2][LONGEST];
    char *list = lists[of_gpus];
    if (*list)
        return list;
    for (int i = 0; gr_backend_all[i]; i++)
        if (gr_backend_all[i]->memory || !of_gpus)
            add(list, gr_backend_all[i]->name, gr_backend_all[i]->takes);
    return list;
}

const char *gr_metavar(const struct gr_option *option)
{
    if (!option->metavar)
        return NULL;
    if (strcmp(option->metavar, GR_METAVAR_FORMAT) == 0)
        return formats();
    if (strcmp(option->metavar, GR_METAVAR_DEVICE) == 0)
        return devices(false);
    if (strcmp(option->metavar, GR_METAVAR_GPU_DEVICE) == 0)
        return devices(true);
    return option->metavar;
}
