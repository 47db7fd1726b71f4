/* against.c: tells a rung, a file and a kernel of a file apart. SPDX-License-Identifier: MIT */
#include "cli/against.h"

#include "base/file.h"
#include "base/str.h"
#include "cli/file_kernels.h"

#include <stdlib.h>
#include <string.h>

/* Has the file a kernel of this name among several? */
static bool has_kernel(const char *path, const char *name)
{
    struct gr_several several;
    struct gradus_error ignored = {0};
    bool has = false;
    if (gr_several_find(path, "", &several, &ignored) == GRADUS_OK)
        for (int i = 0; i < several.list.count; i++)
            has |= strcmp(several.list.items[i].name, name) == 0;
    gr_several_free(&several);
    gradus_error_clear(&ignored);
    return has;
}

/* The colon after the path of a file that exists, in `FILE:KERNEL`; null: there is none. */
static const char *colon_after_file(const char *word)
{
    const char *colon = strchr(word, ':');
    char *path = colon ? gr_strndup(word, (size_t)(colon - word)) : NULL;
    const bool is = path && colon[1] && colon[1] != ':' && gr_file_exists(path);
    free(path);
    return is ? colon : NULL;
}

bool gr_against_read(const struct gr_args *args, const char *word, struct gr_against *against)
{
    const char *first = args->operand_count > 0 ? args->operands[0] : "";
    const char *colon = colon_after_file(word);
    const bool in_first = !colon && !strpbrk(word, "/.") && !gr_file_exists(word) &&
                          gr_file_exists(first) && has_kernel(first, word);
    *against = (struct gr_against){0};
    against->operand = colon      ? gr_strndup(word, (size_t)(colon - word))
                       : in_first ? gr_strdup(first)
                                  : gr_strdup(word);
    if (colon || in_first)
        against->function = gr_strdup(colon ? colon + 1 : word);
    return against->operand && (against->function || !(colon || in_first));
}

void gr_against_free(struct gr_against *against)
{
    free(against->operand);
    free(against->function);
    *against = (struct gr_against){0};
}
