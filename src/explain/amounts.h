/* amounts.h: formats numbers with units, for sentences and tables. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_AMOUNTS_H
#define EXPLAIN_AMOUNTS_H

#include <stdint.h>

struct gr_amount {
    char text[32];
};

struct gr_amount gr_amount_time(double ns);      /* "2.05 ms" */
struct gr_amount gr_amount_bytes(double bytes);  /* "201.3 MB": 10^6 bytes */
struct gr_amount gr_amount_count(int64_t count); /* at most 6 columns: "99999", "134.2M" */

#endif
