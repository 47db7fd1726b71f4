/* strides.c: looks for pairs of factors in the indices of one array. SPDX-License-Identifier: MIT
 */
#include "launches/strides.h"

/* The only array whose indices have the factor q; -1: there is none, or several. */
static int array_of(const struct gr_assigner *a, int q)
{
    int found = -1, count = 0;
    for (int p = 0; p < a->signature->count; p++)
        if (a->hints.times[p][q] > 0)
            found = p, count++;
    return count == 1 ? found : -1;
}

bool gr_is_stride(const struct gr_assigner *a, int q, int *array, bool *second)
{
    int factors = 0, before = 0;
    *array = array_of(a, q);
    for (int other = 0; *array >= 0 && other < a->signature->count; other++) {
        if (!a->hints.times[*array][other])
            continue;
        if (array_of(a, other) != *array)
            return false;
        factors++;
        before += other < q;
    }
    *second = before == 1;
    return *array >= 0 && factors == 2;
}
