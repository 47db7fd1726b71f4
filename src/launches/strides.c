/* strides.c: looks for pairs of factors in the indices of one array. SPDX-License-Identifier: MIT
 */
#include "launches/strides.h"

#include <string.h>

/* The only array whose indices have the factor q; -1: there is none, or several. */
static int array_of(const struct gr_assigner *a, int q)
{
    int found = -1, count = 0;
    for (int p = 0; p < a->signature->count; p++)
        if (a->hints.times[p][q] > 0)
            found = p, count++;
    return count == 1 ? found : -1;
}

/* Does the parameter's name say that it is a size, or the distance between the products of a batch?
 */
static bool is_named_otherwise(const struct gr_assigner *a, int q)
{
    const char *name = a->signature->parameters[q].name;
    bool sure;
    const char *size = gr_hint_size(name, &sure);
    const bool is_size = size && size[1] != 'd' && !strcasestr(name, "stride");
    return is_size || gr_hint_batch_stride(name) || gr_hint_batch(name);
}

bool gr_is_stride(const struct gr_assigner *a, int q, int *array, bool *second)
{
    int factors = 0, before = 0;
    *array = array_of(a, q);
    for (int other = 0; *array >= 0 && other < a->signature->count; other++) {
        if (!a->hints.times[*array][other])
            continue;
        if (array_of(a, other) != *array || is_named_otherwise(a, other))
            return false;
        factors++;
        before += other < q;
    }
    *second = before == 1;
    return *array >= 0 && factors == 2;
}
