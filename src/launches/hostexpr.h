/* hostexpr.h: translates the expressions with which host code launches a kernel to expressions
 * of the front matter that contain only sizes and numbers. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_HOSTEXPR_H
#define LAUNCHES_HOSTEXPR_H

#include "base/str.h"
#include "launches/launchsite.h"

enum { GR_MOST_GIVEN = 8, GR_MOST_HOST_DEPTH = 24 };

/* The prefix of a size's name while an expression is read. It distinguishes a size that was
 * substituted into the body of a macro from a name of the file. gr_host_plain removes it. */
#define GR_HOST_SIZE "gr_size_"
char *gr_host_plain(const char *text);

struct gr_host {
    const struct gr_scan *file; /* where names are looked up */
    const struct gr_launch_site *site;
    const char *const
        *roles; /* of each parameter of the kernel: "M", "lda", "A", "1"; null: unknown */
    int role_count;
    struct { /* values of names that the file does not define */
        const char *name, *value;
    } given[GR_MOST_GIVEN];
    int given_count;
    /* The first name whose value is unknown; "" if it failed for another reason. */
    char missing[64];
    int depth;
    bool generic_types; /* types that the launch passes to the kernel's template are T */
};

/* Translates the expression as code at token `at` sees it. False if that is not possible. */
bool gr_host_expression(struct gr_host *host, struct gr_range range, int at, struct gr_str *out);
/* Up to three extents, "x, y", of a number, a dim3 or a variable of these types. */
bool gr_host_extents(struct gr_host *host, struct gr_range range, int at, struct gr_str *out);
/* The value of a template argument that is a number. */
bool gr_host_number(struct gr_host *host, struct gr_range range, int at, int64_t *value);

/* The value of the last `grid.x = …;` before token `at` that is of the variable which `at` sees:
 * not above its declaration. Of `grid.x *= …;` it is the operator, which is no expression. */
bool gr_host_member(const struct gr_scan *scan, const char *name, const char *member, int at,
                    struct gr_range *value);

/* For the parts of the translator (hostexpr.c, hostnames.c): a position in a text. */
struct gr_host_reader {
    struct gr_host *host;
    const struct gr_scan *scan; /* the file, or the body of a macro */
    int i, end, at;
    bool real; /* a non-integer number occurred */
};
bool gr_host_read(struct gr_host_reader *r, struct gr_str *out);
/* A number or a dim3 that an `if` and its `else` assign, as a choice by the condition. False: it is
 * none such, or a part of it is not understood. */
bool gr_host_branches(struct gr_host *host, const char *name, int at, struct gr_str *out);
/* Appends a choice. By a value that is not known, the front matter has a sum of which one item is
 * multiplied by 0. */
void gr_host_add_choice(const char *condition, const char *one, const char *other,
                        struct gr_str *out);
/* An argument of the launch that is a size, `3 * D` among them. */
bool gr_host_read_size(struct gr_host_reader *r, struct gr_str *out);
/* A name and what follows it: a call or a member. */
bool gr_host_read_name(struct gr_host_reader *r, struct gr_str *out);
/* A call of the function or macro at r->i. */
bool gr_host_read_call(struct gr_host_reader *r, const char *name, struct gr_str *out);
/* A component of a dim3, 'x' to 'z', by its initial value: block.x after `dim3 block(16, 16)`. */
bool gr_host_read_initial(struct gr_host_reader *r, const char *name, char axis,
                          struct gr_str *out);
/* The body of a macro or function whose parameters are `names`, with the translated arguments
 * `values`. */
bool gr_host_read_body(struct gr_host_reader *r, const char *body, size_t length,
                       const char *const *names, char *const *values, int count,
                       struct gr_str *out);
/* The argument for the parameter `name` of the function that contains token *at, from a call of
 * that function; sets *at to the call. */
bool gr_host_passed(const struct gr_host *host, const char *name, int *at, struct gr_range *value);

#endif
