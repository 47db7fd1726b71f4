/* duration.h: reads and writes durations. SPDX-License-Identifier: MIT */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_DURATION = 24 };

/* Parses a duration such as "90", "90s", "10m", "1h30m" or "0.5h", above 0 and up to 1000 hours. */
bool gr_duration_parse(const char *text, int64_t *ns);
/* Writes a duration such as "0:07", "1:20" or "2:05:00". */
void gr_duration_format(int64_t ns, char text[GR_DURATION]);

#endif
