/* cuda_hint.c: what to add where a launch is not said. SPDX-License-Identifier: MIT */
#include "backend/cuda_hint.h"

#include "base/error.h"
#include "base/str.h"
#include "catalog/stub.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The rest of the line `//@ WORD …` in front matter; "" where there is none. */
static char *value_of(const char *lines, const char *word)
{
    char *head = gr_printf("//@ %s", word);
    const char *line = head ? strstr(lines, head) : NULL;
    while (line && line > lines && line[-1] != '\n') /* in a remark */
        line = strstr(line + 1, head);
    const char *value = line ? line + strlen(head) : "";
    value += strspn(value, " ");
    char *text = gr_strndup(value, strcspn(value, "\n"));
    free(head);
    return text;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A number, or all of it in one pair of brackets. */
static bool stands_alone(const char *value)
{
    int depth = 0;
    const char *p = value;
    if (value[strspn(value, "0123456789")] == 0)
        return true;
    do
        depth += (*p == '(') - (*p == ')');
    while (*p++ && depth > 0);
    return *value == '(' && *p == 0;
}

/* `text`, which is freed, with each word `name` as `value`. */
static char *with_value(char *text, const char *name, const char *value)
{
    struct gr_str out = {0};
    size_t length = strlen(name);
    bool plain = stands_alone(value);
    for (const char *p = text; p && *p;) {
        bool here = strncmp(p, name, length) == 0 && !is_of_name(p[length]) &&
                    (p == text || !is_of_name(p[-1]));
        if (here)
            gr_str_printf(&out, plain ? "%s" : "(%s)", value);
        else
            gr_str_add_bytes(&out, p, 1);
        p += here ? length : 1;
    }
    free(text);
    return out.text;
}

/* `text`, which is freed, without the names that `lets` defines ("TILE = 32, NT = TILE*TILE"): the command line knows none of
 * them. The last may be made of the others. */
static char *without_lets(char *text, const char *lets)
{
    char *left = gr_strdup(lets);
    while (left && *left) {
        char *equals = strstr(left, " = "), *next = equals, *item = left;
        while (next && (next = strstr(next + 1, " = ")))
            equals = next;
        if (!equals)
            break;
        *equals = 0;
        for (char *comma = left; (comma = strchr(comma, ','));)
            item = ++comma;
        item += strspn(item, " ");
        text = with_value(text, item, equals + 3);
        while (item > left && strchr(", ", item[-1]))
            item--;
        *item = 0;
    }
    free(left);
    return text;
}

enum gradus_status gr_cuda_hint(const struct gr_kernel *k, const struct gr_stanza *stanza,
                                struct gradus_error *error)
{
    const char *missing = stanza->grid.count ? "block" : "grid";
    struct gr_str lines = {0};
    struct gradus_error unknown = {0};
    gr_kernel_infer(k->path, k->source, &lines, &unknown);
    gradus_error_clear(&unknown);
    char *grid = value_of(gr_str_text(&lines), "grid"),
         *block = value_of(gr_str_text(&lines), "block"),
         *lets = value_of(gr_str_text(&lines), "let");
    grid = without_lets(grid, lets ? lets : "");
    block = without_lets(block, lets ? lets : "");
    free(lets);
    enum gradus_status status =
        grid && *grid && block && *block
            ? gr_fail(error, GRADUS_INVALID,
                      "%s: no %s for %s; its own launch comes to --grid '%s' --block '%s'", k->path,
                      missing, stanza->signature.name, grid, block)
            : gr_fail(error, GRADUS_INVALID,
                      "%s: no %s for %s; add --grid and --block, as --grid 'cdiv(N,32),cdiv(M,32)' "
                      "--block 32,32, "
                      "or `//@` lines to the file",
                      k->path, missing, stanza->signature.name);
    free(grid);
    free(block);
    gr_str_free(&lines);
    return status;
}
