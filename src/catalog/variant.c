/* variant.c: variants of a kernel: their types, transposes and parameter values.
 * SPDX-License-Identifier: MIT */
#include "catalog/variant.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/arch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_types(const struct gr_kernel *k, struct gr_str *out)
{
    for (int i = 0; i < k->type_count; i++) {
        char text[80];
        gr_types_name(k->types[i], text, sizeof text);
        gr_str_printf(out, "%s%s", i ? ", " : "", text);
    }
}

enum gradus_status gr_variant_make(const struct gr_kernel *k, struct gr_types types, bool trans_a,
                                   bool trans_b, struct gr_variant *v, struct gradus_error *error)
{
    static const char *const trans[] = {"nn", "nt", "tn", "tt"};
    *v = (struct gr_variant){.kernel = k,
                             .types = types,
                             .trans_a = trans_a,
                             .trans_b = trans_b,
                             .warp = k->language == GR_LANGUAGE_CUDA ? 32 : 1};
    for (int i = 0; i < k->param_count; i++)
        v->params[i] = k->params[i].value;
    bool has_types = false;
    for (int i = 0; i < k->type_count; i++)
        has_types |= gr_types_equal(k->types[i], types);
    if (!has_types) {
        char text[80];
        struct gr_str list = {0};
        gr_types_name(types, text, sizeof text);
        list_types(k, &list);
        enum gradus_status status =
            gr_fail(error, GRADUS_UNSUPPORTED, "%s has no %s build; its types are %s", k->name,
                    text, gr_str_text(&list));
        gr_str_free(&list);
        return status;
    }
    int which = 2 * trans_a + trans_b;
    if (!k->trans[which])
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "%s does not do the transposes %s; its `trans` line has%s%s%s%s", k->name,
                       trans[which], k->trans[0] ? " nn" : "", k->trans[1] ? " nt" : "",
                       k->trans[2] ? " tn" : "", k->trans[3] ? " tt" : "");
    return GRADUS_OK;
}

void gr_variant_suit(struct gr_variant *v, const char *arch, int warp)
{
    const struct gr_kernel *k = v->kernel;
    v->warp = warp;
    for (int i = 0; i < k->tuned_count; i++)
        if (gr_arch_is_of(k->tuned[i].arch, arch))
            v->params[k->tuned[i].param] = k->tuned[i].value;
}

static int find_param(const struct gr_kernel *k, const char *name)
{
    for (int i = 0; i < k->param_count; i++)
        if (strcmp(k->params[i].name.text, name) == 0)
            return i;
    return -1;
}

static enum gradus_status unknown_param(const struct gr_kernel *k, const char *name,
                                        struct gradus_error *error)
{
    const char *names[GR_MAX_PARAMS];
    for (int i = 0; i < k->param_count; i++)
        names[i] = k->params[i].name.text;
    const char *near = gr_nearest(name, names, (size_t)k->param_count);
    if (near)
        return gr_fail(error, GRADUS_INVALID, "%s has no parameter '%s'; did you mean '%s'?",
                       k->name, name, near);
    return gr_fail(error, GRADUS_INVALID, "%s has no parameter '%s'%s", k->name, name,
                   k->param_count ? "" : "; its file has no `param` line");
}

static enum gradus_status not_allowed(const struct gr_kernel *k, const struct gr_param *p,
                                      const char *value, struct gradus_error *error)
{
    struct gr_str list = {0};
    for (int i = 0; i < p->allowed_count; i++)
        gr_str_printf(&list, "%s%" PRId64, i ? ", " : "", p->allowed[i]);
    enum gradus_status status =
        gr_fail(error, GRADUS_INVALID, "%s: %s may not be '%s', wanted one of {%.300s}", k->name,
                p->name.text, value, gr_str_text(&list));
    gr_str_free(&list);
    return status;
}

enum gradus_status gr_variant_set(struct gr_variant *v, const char *assignment,
                                  struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return gr_fail(error, GRADUS_INVALID, "'%s' is no parameter value, wanted NAME=VALUE",
                       assignment);
    char *name = gr_strndup(assignment, (size_t)(equals - assignment));
    if (!name)
        return gr_fail_memory(error, "a parameter", strlen(assignment));
    int i = find_param(k, name);
    enum gradus_status status = i < 0 ? unknown_param(k, name, error) : GRADUS_OK;
    free(name);
    if (status != GRADUS_OK)
        return status;
    const struct gr_param *p = &k->params[i];
    for (int j = 0; j < p->allowed_count; j++) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, p->allowed[j]);
        if (strcmp(text, equals + 1) == 0) {
            v->params[i] = p->allowed[j];
            return GRADUS_OK;
        }
    }
    return not_allowed(k, p, equals + 1, error);
}

bool gr_variant_next(struct gr_variant *v)
{
    const struct gr_kernel *k = v->kernel;
    for (int i = k->param_count; i-- > 0;) {
        const struct gr_param *p = &k->params[i];
        int at = 0;
        while (at < p->allowed_count && p->allowed[at] != v->params[i])
            at++;
        if (at + 1 < p->allowed_count) {
            v->params[i] = p->allowed[at + 1];
            return true;
        }
        v->params[i] = p->allowed[0];
    }
    return false;
}

void gr_variant_first(struct gr_variant *v)
{
    for (int i = 0; i < v->kernel->param_count; i++)
        v->params[i] = v->kernel->params[i].allowed[0];
}

bool gr_variant_is_default(const struct gr_variant *v)
{
    for (int i = 0; i < v->kernel->param_count; i++)
        if (v->params[i] != v->kernel->params[i].value)
            return false;
    return true;
}

void gr_variant_name(const struct gr_variant *v, char *text, size_t size)
{
    struct gr_str out = {0};
    for (int i = 0; i < v->kernel->param_count; i++)
        gr_str_printf(&out, "%s%s=%" PRId64, i ? " " : "", v->kernel->params[i].name.text,
                      v->params[i]);
    snprintf(text, size, "%s", gr_str_text(&out));
    gr_str_free(&out);
}
