/* builtin.c: looks up entries of the generated tables. SPDX-License-Identifier: MIT */
#include "catalog/builtin.h"

#include <string.h>

const struct gr_builtin *gr_builtin_at(int i)
{
    return i >= 0 && i < gr_builtin_count ? &gr_builtin_table[i] : NULL;
}

const struct gr_builtin *gr_builtin_find(const char *kernel, struct gr_types types, bool trans_a,
                                         bool trans_b, const char *isa)
{
    for (int i = 0; i < gr_builtin_count; i++) {
        const struct gr_builtin *b = &gr_builtin_table[i];
        if (strcmp(b->kernel, kernel) == 0 && gr_types_equal(b->types, types) &&
            b->trans_a == trans_a && b->trans_b == trans_b && strcmp(b->isa, isa) == 0)
            return b;
    }
    return NULL;
}

const struct gr_builtin *gr_builtin_find_symbol(const char *symbol)
{
    for (int i = 0; i < gr_builtin_count; i++)
        if (strcmp(gr_builtin_table[i].symbol, symbol) == 0)
            return &gr_builtin_table[i];
    return NULL;
}

const struct gr_embedded *gr_embedded_at(int i)
{
    return i >= 0 && i < gr_embedded_count ? &gr_embedded_table[i] : NULL;
}

const struct gr_embedded *gr_embedded_find(const char *path)
{
    for (int i = 0; i < gr_embedded_count; i++)
        if (strcmp(gr_embedded_table[i].path, path) == 0)
            return &gr_embedded_table[i];
    return NULL;
}
