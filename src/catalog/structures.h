/* structures.h: the structures that a file defines, and what their members are.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_STRUCTURES_H
#define CATALOG_STRUCTURES_H

#include "source/scan.h"

enum { GR_MOST_MEMBERS = 24, GR_MOST_STRUCTURE_ARGUMENTS = 8 };

struct gr_member {
    struct gr_range type; /* its tokens, without `*` */
    int name;             /* a token */
    int stars;
    const struct gr_structure *structure; /* of its type, if it is one of the file's own */
};

/* A structure or class that consists only of its members, of which there may be none: it has no
 * base class, virtual function, array or reference. */
struct gr_structure {
    int name, alias; /* tokens; -1: it has none. `typedef struct tag {…} alias;` has both */
    /* It cannot be written as a list of its members in braces, since it has a constructor, a
     * destructor or a private part. */
    bool is_made;
    struct gr_range parameters; /* of its template, between `<` and `>`; empty: it is none */
    struct gr_member members[GR_MOST_MEMBERS];
    int member_count;
};

struct gr_structures {
    struct gr_structure *items;
    int count;
};

/* Finds the structures, each after those that are its members. False: out of memory. */
bool gr_structures_find(const struct gr_scan *scan, struct gr_structures *structures);
void gr_structures_free(struct gr_structures *structures);

/* The structure that the type's tokens name, directly or by an alias; null: none. *arguments, which
 * may be null: the tokens between `<` and `>`. */
const struct gr_structure *gr_structure_of(const struct gr_scan *scan,
                                           const struct gr_structures *structures,
                                           struct gr_range type, struct gr_range *arguments);
/* The number of pointers in it, including those in members that are structures. */
int gr_structure_pointers(const struct gr_structure *structure);

/* A structure, with a text for each parameter of its template. */
struct gr_bound_structure {
    const struct gr_structure *structure;
    char *arguments[GR_MOST_STRUCTURE_ARGUMENTS]; /* malloc'ed */
    int count;
};

/* Binds the template's parameters to the arguments, which are tokens of the scan, and in which the
 * parameters of `outer` (null: there are none) have their values; else to their defaults. False:
 * they do not match, or out of memory. */
bool gr_structure_bind(const struct gr_scan *scan, const struct gr_structure *structure,
                       struct gr_range arguments, const struct gr_bound_structure *outer,
                       struct gr_bound_structure *bound);
void gr_bound_structure_free(struct gr_bound_structure *bound);
/* The tokens with the values of the template's parameters, malloc'ed. */
char *gr_structure_text(const struct gr_scan *scan, const struct gr_bound_structure *bound,
                        struct gr_range tokens);

/* Reads the next variable of a declaration such as `const float *A, *B[4]`. *at is its first token,
 * at first that of the declaration, of which *type is then set too; afterwards it is the token
 * behind the name: `,`, `=`, `[` or the end. False: it is something else. */
bool gr_declarator_read(const struct gr_scan *scan, struct gr_range declaration,
                        struct gr_range *type, int *at, struct gr_member *member);

#endif
