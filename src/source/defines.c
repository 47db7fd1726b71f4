/* defines.c: finds what a kernel file itself defines. SPDX-License-Identifier: MIT */
#include "source/defines.h"

#include "source/declared.h"
#include "source/place.h"

#include <ctype.h>
#include <string.h>

/* The text after `# WORD NAME`; null if it is another directive or another name. */
static const char *after_directive(const struct gr_scan *scan, int i, const char *word,
                                   const char *name)
{
    if (i < 0 || i >= scan->token_count || scan->tokens[i].kind != GR_TOKEN_DIRECTIVE)
        return NULL;
    const char *p = scan->text + scan->tokens[i].begin + 1;
    p += strspn(p, " \t");
    if (!gr_starts_with(p, word))
        return NULL;
    p += strlen(word);
    size_t blanks = strspn(p, " \t");
    p += blanks;
    if (blanks == 0 || !gr_starts_with(p, name))
        return NULL;
    p += strlen(name);
    return isalnum((unsigned char)*p) || *p == '_' ? NULL : p;
}

const char *gr_define_body(const struct gr_scan *scan, int i, const char *name, size_t *length)
{
    const char *p = after_directive(scan, i, "define", name);
    if (!p || *p == '(')
        return NULL;
    p += strspn(p, " \t");
    size_t n = 0;
    while (p[n] && p[n] != '\n' && !gr_starts_with(p + n, "//") && !gr_starts_with(p + n, "/*"))
        n++;
    while (n && isspace((unsigned char)p[n - 1]))
        n--;
    *length = n;
    return p;
}

int gr_define_find(const struct gr_scan *scan, const char *name)
{
    for (int i = 0; i < scan->token_count; i++) {
        const char first = scan->text[scan->tokens[i].begin];
        if (scan->tokens[i].kind != GR_TOKEN_DIRECTIVE && first != 'u' && first != 't')
            continue; /* nearly all tokens of a file */
        if (after_directive(scan, i, "define", name))
            return i;
        if (gr_token_is(scan, i, "using") && gr_token_is(scan, i + 1, name) &&
            gr_token_is(scan, i + 2, "="))
            return i;
        if (!gr_token_is(scan, i, "typedef"))
            continue;
        int end = i;
        while (end < scan->token_count && !gr_token_is(scan, end, ";"))
            end++;
        if (gr_token_is(scan, end - 1, name))
            return i;
    }
    return -1;
}

bool gr_define_guarded(const struct gr_scan *scan, int i, const char *name)
{
    int before = i - 1;
    while (before >= 0 && scan->tokens[before].kind != GR_TOKEN_DIRECTIVE)
        before--;
    return after_directive(scan, before, "ifndef", name) != NULL;
}

static enum gradus_status fail_hidden(const struct gr_kernel *k, const struct gr_scan *scan, int at,
                                      const char *name, struct gradus_error *error)
{
    const struct gr_token *t = &scan->tokens[at];
    return gr_fail_at(error, k->path, gr_place_in_file(t->line, t->column),
                      "this hides the file's `param %s`; drop it, or put it inside #ifndef %s",
                      name, name);
}

/* The values are constants where a macro would break a declaration (emit/macros.c), but not in a
 * condition of the preprocessor, which knows macros only. */
static enum gradus_status check_declared(const struct gr_kernel *k, const struct gr_scan *scan,
                                         const char *name, struct gradus_error *error)
{
    int at = 0;
    const enum gr_declared declared = gr_declared_find(scan, name, &at);
    if (declared == GR_DECLARED_OUTSIDE && !gr_define_guarded(scan, at, name))
        return fail_hidden(k, scan, at, name, error);
    const struct gr_token *t = &scan->tokens[at];
    if (declared == GR_DECLARED_INSIDE && gr_condition_names(scan, name))
        return gr_fail_at(error, k->path, gr_place_in_file(t->line, t->column),
                          "this and the file's `param %s`, which an #if asks for, have one name; "
                          "rename one of them",
                          name);
    return GRADUS_OK;
}

enum gradus_status gr_defines_check(const struct gr_kernel *k, const struct gr_scan *scan,
                                    struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int p = 0; p < k->param_count && status == GRADUS_OK; p++) {
        const char *name = k->params[p].name.text;
        int i = gr_define_find(scan, name);
        if (i < 0)
            status = check_declared(k, scan, name, error);
        else if (!gr_define_guarded(scan, i, name))
            status = fail_hidden(k, scan, i, name, error);
    }
    return status;
}
