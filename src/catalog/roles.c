/* roles.c: names that determine the role of a parameter. SPDX-License-Identifier: MIT */
#include "catalog/roles.h"

#include <strings.h>

const struct gr_role_name gr_role_names[GR_ROLE_NAMES] = {
    {"M", GR_ROLE_M, GR_TYPE_INTEGER},       {"N", GR_ROLE_N, GR_TYPE_INTEGER},
    {"K", GR_ROLE_K, GR_TYPE_INTEGER},       {"alpha", GR_ROLE_ALPHA, GR_TYPE_REAL},
    {"A", GR_ROLE_A, GR_TYPE_POINTER},       {"lda", GR_ROLE_LDA, GR_TYPE_INTEGER},
    {"B", GR_ROLE_B, GR_TYPE_POINTER},       {"ldb", GR_ROLE_LDB, GR_TYPE_INTEGER},
    {"beta", GR_ROLE_BETA, GR_TYPE_REAL},    {"C", GR_ROLE_C, GR_TYPE_POINTER},
    {"ldc", GR_ROLE_LDC, GR_TYPE_INTEGER},   {"ukr", GR_ROLE_UKR, GR_TYPE_POINTER},
    {"team", GR_ROLE_TEAM, GR_TYPE_POINTER},
};

enum gr_role gr_role_of_name(const char *name)
{
    for (int i = 0; i < GR_ROLE_NAMES; i++)
        if (strcasecmp(gr_role_names[i].name, name) == 0)
            return gr_role_names[i].role;
    return GR_ROLE_NONE;
}
