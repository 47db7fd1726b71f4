/* pack_early.c: which kernels may be launched before the one ahead of them in the stream has ended.
 * SPDX-License-Identifier: MIT */
#include "pack/pack_kernels.h"

#include <ctype.h>
#include <string.h>

static const char first_statement[] = "wait_for_earlier_grids();";

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *after_spaces(const char *at)
{
    return at + strspn(at, " \t\n");
}

/* Behind the parenthesis that closes the one at `at`; null: there is none. */
static const char *after_parameters(const char *at)
{
    int open = 0;
    for (; *at; at++) {
        open += (*at == '(') - (*at == ')');
        if (open == 0)
            return at + 1;
    }
    return NULL;
}

bool gr_pack_begins_early(const char *source, const char *function)
{
    const size_t length = strlen(function);
    for (const char *at = strstr(source, function); at; at = strstr(at + length, function)) {
        const char *end = after_spaces(at + length);
        if ((at > source && is_name(at[-1])) || *end != '(')
            continue;
        end = after_parameters(end);
        if (!end)
            return false;
        end = after_spaces(end);
        if (*end == '{')
            return strncmp(after_spaces(end + 1), first_statement, strlen(first_statement)) == 0;
    }
    return false;
}
