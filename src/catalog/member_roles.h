/* member_roles.h: which role a member of a structure has, by its name. SPDX-License-Identifier: MIT
 */
#ifndef CATALOG_MEMBER_ROLES_H
#define CATALOG_MEMBER_ROLES_H

#include "catalog/structures.h"

/* The name of the role that a number of this name has, or null. `letter` is the operand whose
 * structure it is in; 0: none. */
const char *gr_member_number_role(const char *name, char letter);
/* "A" of 'A'; null: it is no operand's letter. */
const char *gr_member_operand_role(char letter);
/* The operand that the structure `owner` describes: it holds one pointer, and has such a name. */
char gr_member_operand(const struct gr_structure *structure, const char *owner);
/* Does the structure contain no pointers, and does each of its numbers have a role? Then it
 * contains the sizes. */
bool gr_member_roles_all(const struct gr_scan *scan, const struct gr_structure *structure);

#endif
