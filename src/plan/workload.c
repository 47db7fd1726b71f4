/* workload.c: the arrays and operations of a GEMM, and of a kernel whose file says what it
 * computes. SPDX-License-Identifier: MIT */
#include "plan/workload.h"

#include "core/error.h"

#include <stdio.h>

/* The parameter's name in the kernel's own signature. */
static const char *name_of(const struct gr_kernel *k, enum gr_role role, const char *otherwise)
{
    for (int i = 0; i < k->stanza_count; i++) {
        const struct gr_signature *s = &k->stanzas[i].signature;
        for (int j = 0; j < s->count; j++)
            if (s->parameters[j].role == role)
                return s->parameters[j].name;
    }
    return otherwise;
}

/* C is row-major here, even where the kernel's own is column-major. */
static void make_gemm(const struct gr_kernel *k, const struct gr_problem *p, struct gr_workload *w)
{
    *w = (struct gr_workload){.is_gemm = true,
                              .array_count = 3,
                              .flops = gr_problem_flops(p),
                              .bytes = gr_problem_least_bytes(p)};
    for (int i = 0; i < 3; i++) {
        const char letter[2] = {"ABC"[i], 0};
        struct gr_workload_array *a = &w->arrays[i];
        a->operand = *letter;
        a->type = gr_problem_type(p, *letter);
        a->bytes = gr_problem_span(p, *letter) * (int64_t)gr_dtype_bytes(a->type);
        a->is_read = i < 2 || p->beta != 0;
        snprintf(a->name, sizeof a->name, "%s", name_of(k, GR_ROLE_A + (enum gr_role)i, letter));
    }
    w->arrays[2].is_written = true;
    w->arrays[2].columns = p->n;
    w->arrays[2].ld = p->ldc;
    if (k->zero_c)
        w->arrays[2].is_read = w->arrays[2].zero = true;
}

static enum gradus_status make_array(const struct gr_variant *v, const struct gr_problem *p,
                                     const struct gr_givens *givens,
                                     const struct gr_kernel_array *from,
                                     struct gr_workload_array *a, struct gradus_error *error)
{
    int64_t elements = 1, extent = 1;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < from->extents.count && status == GRADUS_OK; i++) {
        status = gr_variant_eval(v, p, givens, &from->extents.items[i], &extent, error);
        if (status == GRADUS_OK && (extent < 0 || (extent && elements > INT64_MAX / 16 / extent)))
            status = gr_fail(error, GRADUS_INVALID, "%s: array %s: an extent of %lld",
                             v->kernel->path, from->name.text, (long long)extent);
        elements *= status == GRADUS_OK ? extent : 1;
    }
    *a = (struct gr_workload_array){.type = from->element_is_t ? v->types.a : from->type,
                                    .is_read = from->is_read,
                                    .is_written = from->is_written};
    a->bytes = elements * (int64_t)gr_dtype_bytes(a->type);
    if (from->extents.count > 1)
        a->columns = a->ld = extent;
    snprintf(a->name, sizeof a->name, "%s", from->name.text);
    return status;
}

static enum gradus_status make_other(const struct gr_variant *v, const struct gr_problem *p,
                                     const struct gr_givens *givens, struct gr_workload *w,
                                     struct gradus_error *error)
{
    const struct gr_kernel *k = v->kernel;
    int64_t flops = 0, bytes = 0;
    enum gradus_status status = GRADUS_OK;
    *w = (struct gr_workload){.array_count = k->array_count};
    for (int i = 0; i < k->array_count && status == GRADUS_OK; i++) {
        status = make_array(v, p, givens, &k->arrays[i], &w->arrays[i], error);
        w->bytes += (double)w->arrays[i].bytes *
                    (w->arrays[i].is_read + w->arrays[i].is_written); /* each once */
    }
    if (status == GRADUS_OK && k->flop.text)
        status = gr_variant_eval(v, p, givens, &k->flop, &flops, error);
    if (status == GRADUS_OK && k->bytes.text)
        status = gr_variant_eval(v, p, givens, &k->bytes, &bytes, error);
    w->flops = (double)flops;
    w->bytes = k->bytes.text ? (double)bytes : w->bytes;
    return status;
}

enum gradus_status gr_workload_make(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_givens *givens, struct gr_workload *w,
                                    struct gradus_error *error)
{
    if (gr_kernel_has_workload(variant->kernel))
        return make_other(variant, problem, givens, w, error);
    make_gemm(variant->kernel, problem, w);
    return GRADUS_OK;
}

int gr_workload_array_of(const struct gr_workload *w, enum gr_role role, int index)
{
    if (role == GR_ROLE_ARRAY)
        return index < w->array_count ? index : -1;
    return w->is_gemm && role >= GR_ROLE_A && role <= GR_ROLE_C ? (int)(role - GR_ROLE_A) : -1;
}
