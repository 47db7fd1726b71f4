/* hostbranches.c: translates a variable that an `if` and its `else` assign.
 * SPDX-License-Identifier: MIT */
#include "launches/hostexpr.h"

#include "source/branches.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EXTENTS = 3 };

/* The items of "x, y" between commas outside of brackets, malloc'ed; their number. */
static int split(const char *text, char *items[MOST_EXTENTS])
{
    int count = 0, depth = 0;
    for (const char *from = text; *from && count < MOST_EXTENTS;) {
        const char *p = from;
        for (; *p && (depth > 0 || *p != ','); p++)
            depth += (*p == '(') - (*p == ')');
        items[count++] = gr_strndup(from, (size_t)(p - from));
        from = *p ? p + 1 + strspn(p + 1, " ") : p;
    }
    return count;
}

static void add_choices(const char *condition, const char *one, const char *other,
                        struct gr_str *out)
{
    char *ones[MOST_EXTENTS] = {NULL}, *others[MOST_EXTENTS] = {NULL};
    const int count = split(one, ones), other_count = split(other, others);
    const int most = count > other_count ? count : other_count;
    for (int i = 0; i < most; i++) { /* an extent that is not given is 1 */
        gr_str_add(out, i ? ", " : "");
        gr_host_add_choice(condition, ones[i] ? ones[i] : "1", others[i] ? others[i] : "1", out);
    }
    for (int i = 0; i < MOST_EXTENTS; i++) {
        free(ones[i]);
        free(others[i]);
    }
}

bool gr_host_branches(struct gr_host *host, const char *name, int at, struct gr_str *out)
{
    struct gr_branches b;
    struct gr_str condition = {0}, one = {0}, other = {0};
    char missing[sizeof host->missing];
    memcpy(missing, host->missing, sizeof missing);
    const bool ok = gr_branches_find(host->file, name, at, &b) &&
                    gr_host_expression(host, b.condition, b.condition.begin, &condition) &&
                    gr_host_extents(host, b.one, b.one.begin, &one) &&
                    gr_host_extents(host, b.other, b.other.begin, &other);
    if (ok)
        add_choices(gr_str_text(&condition), gr_str_text(&one), gr_str_text(&other), out);
    else
        memcpy(host->missing, missing, sizeof missing);
    gr_str_free(&condition);
    gr_str_free(&one);
    gr_str_free(&other);
    return ok;
}
