/* report.c: the list of formats, which the build finds. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <string.h>

extern const struct gr_format *const gr_format_all[];

int gr_format_count(void)
{
    int count = 0;
    while (gr_format_all[count])
        count++;
    return count;
}

const struct gr_format *gr_format_at(int i)
{
    return gr_format_all[i];
}

const struct gr_format *gr_format_find(const char *name)
{
    for (int i = 0; gr_format_all[i]; i++)
        if (strcmp(gr_format_all[i]->name, name) == 0)
            return gr_format_all[i];
    return NULL;
}
