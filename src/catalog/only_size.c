/* only_size.c: C kernels that are told one size, and so multiply square matrices.
 * SPDX-License-Identifier: MIT */
#include "catalog/only_size.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/expr.h"

#include <string.h>

/* The sizes that a kernel is told, and the parameter of one of them. */
struct told {
    bool size[3]; /* M, N, K */
    const char *name;
};

static bool note_size(void *context, const char *name, int column)
{
    (void)column;
    struct told *told = context;
    for (int d = 0; d < 3; d++)
        told->size[d] |= name[0] == "MNK"[d] && name[1] == 0;
    return true;
}

enum gradus_status gr_only_size_note(struct gr_kernel *k, struct gradus_error *error)
{
    struct told told = {0}, required = {0};
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            const struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            const int d = (int)p->role - (int)GR_ROLE_M;
            if (d >= 0 && d < 3 && !told.size[d]) {
                told.size[d] = true;
                told.name = p->name;
            }
        }
    for (int i = 0; i < k->arg_count; i++)
        gr_expr_check(k->path, &k->args[i].value, note_size, &told, NULL);
    for (int i = 0; i < k->require_count; i++)
        gr_expr_check(k->path, &k->requires[i].expression, note_size, &required, NULL);
    if (k->language != GR_LANGUAGE_C || told.size[0] + told.size[1] + told.size[2] != 1 ||
        !told.name || required.size[0] || required.size[1] || required.size[2])
        return GRADUS_OK;
    k->only_size = gr_strdup(told.name);
    return k->only_size ? GRADUS_OK : gr_fail_memory(error, "a name", strlen(told.name));
}
