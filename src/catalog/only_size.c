/* only_size.c: C kernels that are told one size, and so multiply square matrices.
 * SPDX-License-Identifier: MIT */
#include "catalog/only_size.h"

#include "core/error.h"
#include "base/str.h"
#include "catalog/expr.h"
#include "source/defines.h"

#include <stdlib.h>
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

/* The number that the file defines as that name; 0: none. */
static int64_t defined(const struct gr_scan *scan, const char *name)
{
    size_t length = 0;
    const int at = gr_define_find(scan, name);
    const char *body = at >= 0 ? gr_define_body(scan, at, name, &length) : NULL;
    char *text = body ? gr_strndup(body, length) : NULL, *end = text;
    long long value = text ? strtoll(text, &end, 0) : 0;
    if (end == text || end[strspn(end, "uUlL \t")])
        value = 0;
    free(text);
    return value > 0 ? value : 0;
}

static void read_fixed(struct gr_kernel *k, const struct gr_scan *scan)
{
    static const char *const own[] = {"M", "N", "K"}, *const common[] = {"N", "SIZE", "DIM",
                                                                         "MATRIX_SIZE"};
    int64_t all = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common && !all; i++)
        all = defined(scan, common[i]);
    for (int d = 0; d < 3; d++) {
        k->fixed[d] = defined(scan, own[d]);
        k->fixed[d] = k->fixed[d] ? k->fixed[d] : all;
    }
}

/* The kernel's leading dimensions, of which *last is set to one. */
static int count_leading(const struct gr_kernel *k, struct gr_parameter **last)
{
    int count = 0;
    for (int s = 0; s < k->stanza_count; s++)
        for (int i = 0; i < k->stanzas[s].signature.count; i++) {
            struct gr_parameter *p = &k->stanzas[s].signature.parameters[i];
            if (p->role < GR_ROLE_LDA || p->role > GR_ROLE_LDC)
                continue;
            *last = p;
            count++;
        }
    return count;
}

static bool has_leading(const struct gr_kernel *k)
{
    struct gr_parameter *last;
    return count_leading(k, &last) > 0;
}

/* A single leading dimension in place of any size, as in `square_dgemm(int lda, …)`, is the size of
 * square matrices without gaps. Null: there is no such parameter. */
static const char *take_leading(struct gr_kernel *k)
{
    struct gr_parameter *p = NULL;
    if (count_leading(k, &p) != 1 || k->stanzas[0].args.count > 0)
        return NULL;
    p->role = GR_ROLE_N;
    return p->name;
}

enum gradus_status gr_only_size_note(struct gr_kernel *k, const struct gr_scan *scan,
                                     struct gradus_error *error)
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
    int count = told.size[0] + told.size[1] + told.size[2];
    if (k->language != GR_LANGUAGE_C || required.size[0] || required.size[1] || required.size[2])
        return GRADUS_OK;
    if (count == 0 && (told.name = take_leading(k)) != NULL)
        count = 1;
    k->has_fixed_sizes = count == 0 && !has_leading(k);
    if (k->has_fixed_sizes)
        read_fixed(k, scan);
    if (count != 1 || !told.name)
        return GRADUS_OK;
    k->only_size = gr_strdup(told.name);
    return k->only_size ? GRADUS_OK : gr_fail_memory(error, "a name", strlen(told.name));
}
