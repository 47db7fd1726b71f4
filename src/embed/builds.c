/* builds.c: enumerates and names the builds of a rung. SPDX-License-Identifier: MIT */
#include "embed/embed.h"

#include "core/error.h"

static const char *const trans_names[] = {"nn", "nt", "tn", "tt"};

enum gradus_status gr_builds_walk(const struct gr_kernel *k, char *const *levels, int level_count,
                                  enum gradus_status (*visit)(void *context,
                                                              const struct gr_build_key *key),
                                  void *context)
{
    enum gradus_status status = GRADUS_OK;
    for (int t = 0; t < k->type_count; t++)
        for (int trans = 0; trans < 4; trans++)
            for (int l = 0; l < level_count && status == GRADUS_OK; l++)
                if (k->trans[trans])
                    status =
                        visit(context, &(struct gr_build_key){k, k->types[t], trans, levels[l]});
    return status;
}

void gr_build_name(const struct gr_build_key *key, const char *separator, struct gr_str *out)
{
    struct gr_types t = key->types;
    gr_str_add(out, gr_dtype_name(t.a));
    if (!gr_types_equal(t, gr_types_of(t.a)))
        gr_str_printf(out, "_%s_%s_%s", gr_dtype_name(t.b), gr_dtype_name(t.c),
                      gr_dtype_name(t.acc));
    size_t length = 0;
    while (key->level[length] && key->level[length] != '=')
        length++;
    gr_str_printf(out, "%s%s%s%.*s", separator, trans_names[key->trans], separator, (int)length,
                  key->level);
}
