/* cuda_hint.c: what to add where a launch is not said. SPDX-License-Identifier: MIT */
#include "backend/cuda_hint.h"

#include "base/error.h"
#include "base/str.h"
#include "catalog/stub.h"

#include <stdlib.h>
#include <string.h>

/* The rest of the line `//@ WORD …` in front matter; "" where there is none. */
static char *value_of(const char *lines, const char *word)
{
    char *head = gr_printf("//@ %s", word);
    const char *line = head ? strstr(lines, head) : NULL;
    const char *value = line ? line + strlen(head) : "";
    value += strspn(value, " ");
    char *text = gr_strndup(value, strcspn(value, "\n"));
    free(head);
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
         *block = value_of(gr_str_text(&lines), "block");
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
