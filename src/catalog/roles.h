/* roles.h: names that determine the role of a parameter. SPDX-License-Identifier: MIT */
#ifndef CATALOG_ROLES_H
#define CATALOG_ROLES_H

#include "records/kernel.h"

enum { GR_ROLE_NAMES = 13 };
struct gr_role_name {
    const char *name; /* "lda" */
    enum gr_role role;
    enum gr_type_class class; /* of the type that such a parameter must have */
};
extern const struct gr_role_name gr_role_names[GR_ROLE_NAMES];

/* The role that a name alone implies (M N K alpha A …, ukr, team), any case; NONE for others. */
enum gr_role gr_role_of_name(const char *name);

#endif
