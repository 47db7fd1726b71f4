/* plain_launches.c: rewrites launches of a kernel with structures to pass the members instead.
 * SPDX-License-Identifier: MIT */
#include "catalog/plain_launches.h"

#include "base/str.h"
#include "catalog/rewriting.h"
#include "source/launchfind.h"

#include <stdlib.h>
#include <string.h>

/* Appends `passed` with the launch's own arguments in place of $0, $1 …; "&h" becomes "h". */
static void write_passed(const struct gr_scan *scan, const struct gr_launch_site *site,
                         const char *passed, struct gr_str *out)
{
    for (const char *at = passed; *at;) {
        const size_t plain = strcspn(at, "$");
        gr_str_add_bytes(out, at, plain);
        at += plain;
        if (!*at)
            return;
        char *end;
        long which = strtol(at + 1, &end, 10);
        int i = site->arguments.begin;
        for (; which > 0 && i < site->arguments.end; which--)
            i = gr_item_end(scan, i, site->arguments.end) + 1;
        const int past = i < site->arguments.end ? gr_item_end(scan, i, site->arguments.end) : i;
        char *text =
            past > i ? gr_tokens_text(scan, (struct gr_range){i + gr_token_is(scan, i, "&"), past})
                     : NULL;
        gr_str_add(out, text ? text : "unknown");
        free(text);
        at = end;
    }
}

/* Rewrites launches to pass the arguments of the added kernel. */
void gr_plain_launches_pass(struct gr_rewriting *r, const char *name, const char *passed,
                            int own_count)
{
    const struct gr_scan *scan = &r->scan;
    struct gr_launch_site site;
    for (int from = 0; gr_launch_site_next(scan, name, &from, &site);) {
        struct gr_str text = {0};
        const int begin = site.arguments.begin, end = site.arguments.end;
        int count = 0;
        for (int i = begin; i < end; i = gr_item_end(scan, i, end) + 1)
            count++;
        if (count != own_count)
            continue;
        write_passed(scan, &site, passed, &text);
        const size_t at = scan->tokens[begin].begin;
        gr_rewriting_replace(r, at, end > begin ? scan->tokens[end - 1].end : at, text.text);
    }
}

char *gr_plain_launches(const char *path, const char *text, const struct gr_kernel *k,
                        const char *name)
{
    char *changed = NULL;
    const struct gr_gathered_call *call = NULL;
    for (int i = 0; i < k->call_count; i++)
        if (k->calls[i].kernel && k->calls[i].passed && strcmp(k->calls[i].kernel, name) == 0)
            call = &k->calls[i];
    struct gr_rewriting *r = call ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->path = path;
    if (gr_scan_text(path, text, &r->scan, NULL) == GRADUS_OK) {
        gr_plain_launches_pass(r, name, call->passed, call->count);
        changed = gr_rewriting_text(r);
    }
    gr_rewriting_close(r);
    free(r);
    return changed;
}
