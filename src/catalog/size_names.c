/* size_names.c: what the name of a constant says about the sizes of a product.
 * SPDX-License-Identifier: MIT */
#include "catalog/size_names.h"

#include "catalog/roles.h"
#include "source/hints.h"

#include <string.h>
#include <strings.h>

bool gr_is_tile_name(const char *name)
{
    static const char *const words[] = {"tile",  "block", "thread", "warp", "chunk", "sub", "pad",
                                        "stage", "vec",   "bm",     "bn",   "bk",    NULL};
    bool is = false;
    for (int i = 0; words[i]; i++)
        is |= strcasestr(name, words[i]) != NULL;
    return is;
}

int gr_size_of_name(const char *name)
{
    static const char *const sides[] = {"SIZE",       "DIM",     "MATRIX_SIZE", "MAT_SIZE",
                                        "MATRIXSIZE", "MATSIZE", "WIDTH",       "MATRIX_WIDTH",
                                        "MATRIX_DIM", NULL};
    bool sure;
    const enum gr_role role = gr_role_of_name(name);
    if (gr_is_tile_name(name))
        return -1;
    for (int i = 0; sides[i]; i++)
        if (strcasecmp(name, sides[i]) == 0)
            return 3;
    if (role == GR_ROLE_M || role == GR_ROLE_N || role == GR_ROLE_K)
        return (int)role - (int)GR_ROLE_M;
    const char *size = gr_hint_size(name, &sure);
    return size && strchr("MNK", *size) ? (int)(strchr("MNK", *size) - "MNK") : -1;
}
