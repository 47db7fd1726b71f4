/* standin_edges.c: every micro-kernel of short types for instructions that this machine may lack,
 * at every edge, on stand-ins for the instructions (standin/immintrin.h). SPDX-License-Identifier:
 * MIT */
#include "edges_short.h"

#include <stdio.h>

/* Generated from the file names: the files compiled with the stand-in, under names of their own. */
extern const struct ukr *const standin_ukrs[];

/* AMX's tiles are large and its stand-in slow. */
enum { LARGE = 16, FEW = 13 };

int main(void)
{
    for (const struct ukr *const *at = standin_ukrs; *at; at++) {
        if (!edges_short(*at, (*at)->mr > LARGE ? FEW : 1))
            return 1;
        printf("%s on a stand-in: every edge is right\n", (*at)->name);
    }
    return 0;
}
