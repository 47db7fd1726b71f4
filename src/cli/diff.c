/* diff.c: a unified diff by the longest common subsequence of lines.
 * SPDX-License-Identifier: MIT
 *
 * It uses Hirschberg's algorithm ("A linear space algorithm for computing maximal common
 * subsequences", 1975): the middle of one text is matched to the best position in the other, and
 * both halves are solved recursively. The time is the product of the lengths, and the memory their
 * sum; kernel files have hundreds of lines. */
#include "cli/diff.h"

#include "core/error.h"
#include "base/rng.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct line {
    const char *text;
    size_t length; /* without the line end */
    uint64_t hash;
};

struct lines {
    struct line *items;
    int count;
    bool *common; /* the line is in the longest common subsequence */
    bool open;    /* the last line has no line end */
};

static enum gradus_status lines_split(const char *text, struct lines *lines,
                                      struct gradus_error *error)
{
    size_t count = 0;
    for (const char *p = text; *p; p++)
        count += *p == '\n' || !p[1];
    *lines = (struct lines){.items = calloc(count + 1, sizeof *lines->items),
                            .common = calloc(count + 1, sizeof *lines->common)};
    if (!lines->items || !lines->common)
        return gr_fail_memory(error, "a diff", count * sizeof *lines->items);
    while (*text) {
        const char *end = gr_text_line_end(text);
        struct line *line = &lines->items[lines->count++];
        *line = (struct line){.text = text, .length = (size_t)(end - text)};
        line->hash = gr_hash(text, line->length, 0);
        lines->open = !*end;
        text = *end ? end + 1 : end;
    }
    return GRADUS_OK;
}

static void lines_free(struct lines *lines)
{
    free(lines->items);
    free(lines->common);
}

static bool equal(const struct line *x, const struct line *y)
{
    return x->hash == y->hash && x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

/* Sets lcs[j] to the length of the longest common subsequence of all of `a` and the first j lines
 * of `b` or, backwards (step -1), the last j lines of `b`. `lcs` has b_count + 1 elements. */
static void lcs_row(const struct line *a, int a_count, const struct line *b, int b_count, int step,
                    int *lcs)
{
    const struct line *a_first = step > 0 ? a : a + a_count - 1;
    const struct line *b_first = step > 0 ? b : b + b_count - 1;
    memset(lcs, 0, ((size_t)b_count + 1) * sizeof *lcs);
    for (int i = 0; i < a_count; i++) {
        int diagonal = 0;
        for (int j = 0; j < b_count; j++) {
            int above = lcs[j + 1];
            if (equal(&a_first[step * i], &b_first[step * j]))
                lcs[j + 1] = diagonal + 1;
            else if (lcs[j] > above)
                lcs[j + 1] = lcs[j];
            diagonal = above;
        }
    }
}

/* The lines that a call compares: [a0,a1) of one text and [b0,b1) of the other. */
struct range {
    int a0, a1, b0, b1;
};

static void mark_pair(struct lines *a, int i, struct lines *b, int j)
{
    a->common[i] = b->common[j] = true;
}

/* Marks the common lines at both ends of the range, and narrows it. After a small change these are
 * most lines. */
static void mark_ends(struct lines *a, struct lines *b, struct range *r)
{
    while (r->a0 < r->a1 && r->b0 < r->b1 && equal(&a->items[r->a0], &b->items[r->b0]))
        mark_pair(a, r->a0++, b, r->b0++);
    while (r->a0 < r->a1 && r->b0 < r->b1 && equal(&a->items[r->a1 - 1], &b->items[r->b1 - 1]))
        mark_pair(a, --r->a1, b, --r->b1);
}

/* `scratch` has 2 (b->count + 1) elements. */
static void mark_common(struct lines *a, struct lines *b, struct range r, int *scratch)
{
    mark_ends(a, b, &r);
    int a_count = r.a1 - r.a0, b_count = r.b1 - r.b0;
    if (a_count == 0 || b_count == 0)
        return;
    if (a_count == 1) {
        for (int j = r.b0; j < r.b1; j++)
            if (equal(&a->items[r.a0], &b->items[j])) {
                mark_pair(a, r.a0, b, j);
                return;
            }
        return;
    }
    int middle = a_count / 2, *upper = scratch, *lower = scratch + b_count + 1;
    lcs_row(&a->items[r.a0], middle, &b->items[r.b0], b_count, 1, upper);
    lcs_row(&a->items[r.a0 + middle], a_count - middle, &b->items[r.b0], b_count, -1, lower);
    int split = 0;
    for (int j = 1; j <= b_count; j++)
        if (upper[j] + lower[b_count - j] > upper[split] + lower[b_count - split])
            split = j;
    mark_common(a, b, (struct range){r.a0, r.a0 + middle, r.b0, r.b0 + split}, scratch);
    mark_common(a, b, (struct range){r.a0 + middle, r.a1, r.b0 + split, r.b1}, scratch);
}

/* A position in both texts. */
struct place {
    int a, b;
};

static bool at_change(const struct lines *a, const struct lines *b, struct place p)
{
    return (p.a < a->count && !a->common[p.a]) || (p.b < b->count && !b->common[p.b]);
}

static struct place skip_change(const struct lines *a, const struct lines *b, struct place p)
{
    while (p.a < a->count && !a->common[p.a])
        p.a++;
    while (p.b < b->count && !b->common[p.b])
        p.b++;
    return p;
}

/* Returns the end of the hunk whose first change is at p. Changes less than 2 * context + 1 lines
 * apart are in the same hunk. */
static struct place hunk_end(const struct lines *a, const struct lines *b, struct place p,
                             int context)
{
    for (;;) {
        p = skip_change(a, b, p);
        int gap = 0;
        while (gap <= 2 * context && p.a + gap < a->count &&
               !at_change(a, b, (struct place){p.a + gap, p.b + gap}))
            gap++;
        bool change = at_change(a, b, (struct place){p.a + gap, p.b + gap});
        if (!change || gap > 2 * context) {
            int tail = gap < context ? gap : context;
            return (struct place){p.a + tail, p.b + tail};
        }
        p.a += gap;
        p.b += gap;
    }
}

static void add_line(struct gr_str *out, char sign, const struct lines *lines, int i, bool colour)
{
    const char *paint = sign == '-' ? "\033[31m" : "\033[32m";
    bool painted = colour && sign != ' ';
    gr_str_add(out, painted ? paint : "");
    gr_str_add_bytes(out, &sign, 1);
    gr_str_add_bytes(out, lines->items[i].text, lines->items[i].length);
    gr_str_add(out, painted ? "\033[m\n" : "\n");
    if (lines->open && i == lines->count - 1)
        gr_str_add(out, "\\ No newline at end of file\n");
}

/* Appends a range such as "12,5", or "12" for one line. An empty range is given by the line before
 * it. */
static void add_range(struct gr_str *out, char sign, int from, int to)
{
    int count = to - from;
    gr_str_printf(out, "%c%d", sign, count ? from + 1 : from);
    if (count != 1)
        gr_str_printf(out, ",%d", count);
}

static void add_hunk(struct gr_str *out, const struct lines *a, const struct lines *b,
                     struct place from, struct place to, bool colour)
{
    gr_str_add(out, colour ? "\033[36m@@ " : "@@ ");
    add_range(out, '-', from.a, to.a);
    gr_str_add(out, " ");
    add_range(out, '+', from.b, to.b);
    gr_str_add(out, colour ? " @@\033[m\n" : " @@\n");
    while (from.a < to.a || from.b < to.b) {
        struct place end = skip_change(a, b, from);
        while (from.a < end.a)
            add_line(out, '-', a, from.a++, colour);
        while (from.b < end.b)
            add_line(out, '+', b, from.b++, colour);
        if (from.a < to.a) {
            add_line(out, ' ', a, from.a++, colour);
            from.b++;
        }
    }
}

static void add_hunks(struct gr_str *out, const struct lines *a, const struct lines *b, int context,
                      bool colour)
{
    struct place p = {0, 0}, done = {0, 0};
    while (p.a < a->count || p.b < b->count) {
        if (!at_change(a, b, p)) {
            p.a++;
            p.b++;
            continue;
        }
        int lead = p.a - done.a < context ? p.a - done.a : context;
        struct place end = hunk_end(a, b, p, context);
        add_hunk(out, a, b, (struct place){p.a - lead, p.b - lead}, end, colour);
        p = done = end;
    }
}

/* A last line without a line end differs from the same line with one. */
static void mark_open_end(struct lines *a, struct lines *b)
{
    if (a->open)
        a->items[a->count - 1].hash ^= 1;
    if (b->open)
        b->items[b->count - 1].hash ^= 1;
}

enum gradus_status gr_diff_unified(const char *before_name, const char *before,
                                   const char *after_name, const char *after, int context,
                                   bool colour, struct gr_str *out, struct gradus_error *error)
{
    struct lines a = {0}, b = {0};
    int *scratch = NULL;
    enum gradus_status status = lines_split(before, &a, error);
    if (status == GRADUS_OK)
        status = lines_split(after, &b, error);
    if (status == GRADUS_OK) {
        scratch = calloc(2 * ((size_t)b.count + 1), sizeof *scratch);
        if (!scratch)
            status = gr_fail_memory(error, "a diff", (uint64_t)b.count * 2 * sizeof *scratch);
    }
    if (status == GRADUS_OK && strcmp(before, after) != 0) {
        mark_open_end(&a, &b);
        mark_common(&a, &b, (struct range){0, a.count, 0, b.count}, scratch);
        const char *bold = colour ? "\033[1m" : "", *end = colour ? "\033[m" : "";
        gr_str_printf(out, "%s--- %s%s\n%s+++ %s%s\n", bold, before_name, end, bold, after_name,
                      end);
        add_hunks(out, &a, &b, context, colour);
        if (out->failed)
            status = gr_fail_memory(error, "a diff", out->length);
    }
    free(scratch);
    lines_free(&a);
    lines_free(&b);
    return status;
}
