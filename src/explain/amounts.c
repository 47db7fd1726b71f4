/* amounts.c: formats a number with the unit that makes it easy to read.
 * SPDX-License-Identifier: MIT */
#include "explain/amounts.h"

#include <inttypes.h>
#include <stdio.h>

static struct gr_amount in_units(double value, const char *const *units, int most)
{
    struct gr_amount amount;
    int unit = 0;
    for (; unit < most && value >= 1000; unit++)
        value /= 1000;
    snprintf(amount.text, sizeof amount.text, "%.4g %s", value, units[unit]);
    return amount;
}

struct gr_amount gr_amount_time(double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return in_units(ns, units, 3);
}

struct gr_amount gr_amount_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    return in_units(bytes, units, 4);
}

struct gr_amount gr_amount_count(int64_t count)
{
    static const char units[] = "kMGTPE";
    struct gr_amount amount;
    double value = (double)count / 1000;
    int unit = 0;
    if (count < 100000) {
        snprintf(amount.text, sizeof amount.text, "%" PRId64, count);
        return amount;
    }
    for (; units[unit + 1] && value >= 999.95; unit++)
        value /= 1000;
    snprintf(amount.text, sizeof amount.text, "%.1f%c", value, units[unit]);
    return amount;
}
