/* duration.h: spans of time as people write them. SPDX-License-Identifier: MIT */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

enum { GR_DURATION = 24 };

/* "90", "90s", "10m", "1h30m", "0.5h": above 0, up to 1000 hours. */
bool gr_duration_parse(const char *text, int64_t *ns);
/* "0:07", "1:20", "2:05:00". */
void gr_duration_format(int64_t ns, char text[GR_DURATION]);

#endif
