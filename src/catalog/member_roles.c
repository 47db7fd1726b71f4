/* member_roles.c: which role a member of a structure has. SPDX-License-Identifier: MIT */
#include "catalog/member_roles.h"

#include "base/str.h"
#include "catalog/roles.h"
#include "source/hints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The leading dimension of operand `letter`, if the name is that of one. */
static const char *leading_of(const char *name, char letter)
{
    static const char *const words[] = {"stride", "ld", "pitch", "leading", NULL};
    char *lower = gr_strdup(name);
    bool found = false;
    for (char *p = lower; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    for (int i = 0; lower && words[i]; i++)
        found |= gr_starts_with(lower, words[i]);
    free(lower);
    return !found ? NULL : letter == 'A' ? "lda" : letter == 'B' ? "ldb" : "ldc";
}

/* The name of the role that a number of this name has, or null. `letter` is the operand whose
 * structure it is in; 0: none. */
const char *gr_member_number_role(const char *name, char letter)
{
    bool sure;
    for (int i = 0; i < GR_ROLE_NAMES; i++)
        if (gr_role_names[i].class != GR_TYPE_POINTER &&
            gr_role_of_name(name) == gr_role_names[i].role)
            return gr_role_names[i].name;
    const char *leading = letter ? leading_of(name, letter) : NULL;
    if (leading)
        return leading;
    char *of = letter ? gr_printf("%c_%s", tolower((unsigned char)letter), name) : NULL;
    const char *size = gr_hint_size(of ? of : name, &sure);
    free(of);
    return size ? size : gr_hint_scale(name);
}

const char *gr_member_operand_role(char letter)
{
    return letter == 'A' ? "A" : letter == 'B' ? "B" : letter == 'C' ? "C" : NULL;
}

/* The operand that the structure `owner` describes: it holds one pointer, and has such a name. */
char gr_member_operand(const struct gr_structure *s, const char *owner)
{
    return gr_structure_pointers(s) == 1 ? gr_hint_operand(owner) : 0;
}

/* Does the structure contain no pointers, and does each of its numbers have a role? Then it
 * contains the sizes. */
bool gr_member_roles_all(const struct gr_scan *scan, const struct gr_structure *s)
{
    bool all = true;
    if (gr_structure_pointers(s) > 0)
        return true;
    for (int i = 0; i < s->member_count && all; i++) {
        char *name = gr_token_text(scan, s->members[i].name);
        all = name && !s->members[i].structure && gr_member_number_role(name, 0);
        free(name);
    }
    return all;
}
