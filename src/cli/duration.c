/* duration.c: reads and writes durations. SPDX-License-Identifier: MIT */
#include "cli/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gr_duration_parse(const char *text, int64_t *ns)
{
    static const char units[] = "hms";
    static const double seconds_of[] = {3600, 60, 1};
    const double longest = 1000 * 3600;
    double seconds = 0;
    int last = -1; /* the previous unit; units must be in descending order */
    do {
        char *end;
        if (!strchr("0123456789.", *text) || !*text)
            return false;
        double number = strtod(text, &end);
        const char *unit = *end ? strchr(units, *end) : units + 2;
        bool bare = *end == 0; /* a number without a unit is in seconds, if nothing precedes it */
        if (end == text || strpbrk(text, "xXeEpP") || !unit || unit - units <= last ||
            (bare && last >= 0))
            return false;
        last = (int)(unit - units);
        seconds += number * seconds_of[last];
        text = end + (*end != 0);
    } while (*text);
    if (!(seconds > 0 && seconds <= longest))
        return false;
    *ns = (int64_t)(seconds * 1e9);
    return true;
}

void gr_duration_format(int64_t ns, char text[GR_DURATION])
{
    int64_t seconds = (ns + 500000000) / 1000000000;
    if (seconds >= 3600)
        snprintf(text, GR_DURATION, "%" PRId64 ":%02d:%02d", seconds / 3600,
                 (int)(seconds / 60 % 60), (int)(seconds % 60));
    else
        snprintf(text, GR_DURATION, "%d:%02d", (int)(seconds / 60), (int)(seconds % 60));
}
