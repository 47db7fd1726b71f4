/* guess.c: reads how a file launches its own kernel. SPDX-License-Identifier: MIT */
#include "launches/guess.h"

#include "base/str.h"
#include "launches/launchsite.h"
#include "catalog/templates.h"

#include <stdlib.h>
#include <string.h>

static char *read(struct gr_site_reader *t, struct gr_range range)
{
    struct gr_str text = {0};
    int where;
    if (range.begin < range.end && gr_translate(t, range, &text, &where))
        return text.text;
    gr_str_free(&text);
    return NULL;
}

static const char *arguments_of(const struct gr_stanza *stanza)
{
    const char *open = stanza->kernel.text ? strchr(stanza->kernel.text, '<') : NULL;
    return open ? open : "";
}

static bool same_but_for_blanks(const char *a, const char *b)
{
    while (*a || *b) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        if (*a != *b)
            return false;
        a += *a != 0;
        b += *b != 0;
    }
    return true;
}

static bool read_site(const char *path, const struct gr_scan *scan,
                      const struct gr_launch_site *site, const struct gr_stanza *stanza,
                      struct gr_guess *guess)
{
    struct gr_site_reader t = {.file = scan,
                               .scan = scan,
                               .site = site,
                               .signature = &stanza->signature,
                               .template_arguments = arguments_of(stanza)};
    *guess = (struct gr_guess){.path = path, .line = scan->tokens[site->kernel].line};
    guess->grid = read(&t, site->grid);
    guess->block = read(&t, site->block);
    guess->smem = read(&t, site->smem);
    guess->lets = gr_strdup(gr_str_text(&t.lets));
    guess->doubt = t.uncertain ? "a variable of it is set more than once" : NULL;
    gr_site_reader_free(&t);
    if (guess->grid && guess->block && guess->lets)
        return true;
    gr_guess_free(guess);
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "0", b ? b : "0") == 0;
}

static bool comes_to_the_same(const struct gr_guess *a, const struct gr_guess *b)
{
    return same_text(a->grid, b->grid) && same_text(a->block, b->block) &&
           same_text(a->smem, b->smem) && same_text(a->lets, b->lets);
}

/* Replaces the best guess so far by `one` if that is better. *matches: the best one has the
 * stanza's template arguments. */
static void consider(struct gr_guess *best, bool *matches, struct gr_guess *one, bool one_matches)
{
    if (!best->grid || (one_matches && !*matches)) {
        one->others = 0;
        gr_guess_free(best);
        *best = *one;
        *matches = one_matches;
        return;
    }
    if (one_matches == *matches && !comes_to_the_same(best, one))
        best->others++;
    gr_guess_free(one);
}

static void guess_in(const char *path, const char *text, const struct gr_stanza *stanza,
                     struct gr_guess *best, bool *matches)
{
    struct gr_scan scan;
    struct gr_launch_site site;
    if (gr_scan_text(path, text, &scan, NULL) != GRADUS_OK)
        return;
    for (int from = 0; gr_launch_site_next(&scan, stanza->signature.name, &from, &site);) {
        struct gr_guess one;
        if (!read_site(path, &scan, &site, stanza, &one))
            continue;
        char *arguments = gr_launch_arguments(&scan, &site);
        bool same = same_but_for_blanks(arguments ? arguments : "", arguments_of(stanza));
        if (arguments && !same)
            one.doubt = "it is written with other template arguments";
        free(arguments);
        consider(best, matches, &one, same);
    }
    gr_scan_free(&scan);
}

bool gr_launch_guess(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                     struct gr_guess *guess)
{
    bool matches = false;
    *guess = (struct gr_guess){0};
    guess_in(kernel->path, kernel->source, stanza, guess, &matches);
    if (kernel->includer)
        guess_in(kernel->includer, kernel->includer_source, stanza, guess, &matches);
    if (guess->others)
        guess->doubt = "other launches of it differ";
    return guess->grid != NULL;
}

void gr_guess_free(struct gr_guess *guess)
{
    free(guess->grid);
    free(guess->block);
    free(guess->smem);
    free(guess->lets);
    *guess = (struct gr_guess){0};
}
