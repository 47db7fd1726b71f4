/* hostexpr.h: the expressions that host code launches a kernel with, as expressions of the front
 * matter in sizes and numbers alone. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_HOSTEXPR_H
#define LAUNCHES_HOSTEXPR_H

#include "base/str.h"
#include "launches/launchsite.h"

enum { GR_MOST_GIVEN = 4, GR_MOST_HOST_DEPTH = 24 };

/* A size is written as this and its name, so that it is not taken for a name of the file's when the
 * body of a macro is read that it was put into. gr_host_plain takes it away. */
#define GR_HOST_SIZE "gr_size_"
char *gr_host_plain(const char *text);

struct gr_host {
    const struct gr_scan *file; /* where names are looked up */
    const struct gr_launch_site *site;
    const char *const
        *roles; /* of each of the kernel's parameters: "M", "lda", "A", "1"; null: none */
    int role_count;
    struct { /* values for names that the file does not tell of */
        const char *name, *value;
    } given[GR_MOST_GIVEN];
    int given_count;
    char missing[64]; /* the first name that nothing is known of; "" where that was not the trouble
                       */
    int depth;
};

/* The expression as seen from token `at`. False where it cannot be told. */
bool gr_host_expression(struct gr_host *host, struct gr_range range, int at, struct gr_str *out);
/* Up to three extents, "x, y": of a number, a dim3, or a variable of one. */
bool gr_host_extents(struct gr_host *host, struct gr_range range, int at, struct gr_str *out);
/* What a template's argument comes to where it is a number. */
bool gr_host_number(struct gr_host *host, struct gr_range range, int at, int64_t *value);

/* For the parts of the reader (hostexpr.c, hostnames.c): a place in a text that is being read. */
struct gr_host_reader {
    struct gr_host *host;
    const struct gr_scan *scan; /* the file, or the body of a macro */
    int i, end, at;
    bool real; /* something that is no integer was met */
};
bool gr_host_read(struct gr_host_reader *r, struct gr_str *out);
/* A name and what belongs to it: a call, a member. */
bool gr_host_read_name(struct gr_host_reader *r, struct gr_str *out);
/* A call of the name at r->i. */
bool gr_host_read_call(struct gr_host_reader *r, const char *name, struct gr_str *out);
/* The body of a macro or function, its parameters `names` as `values`, which were read before. */
bool gr_host_read_body(struct gr_host_reader *r, const char *body, size_t length,
                       const char *const *names, char *const *values, int count,
                       struct gr_str *out);
/* What the parameter `name` of the function round token *at is given where that is called; *at is
 * then there. */
bool gr_host_passed(const struct gr_host *host, const char *name, int *at, struct gr_range *value);

#endif
