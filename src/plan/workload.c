/* workload.c: the arrays and operations of a GEMM, and of a kernel whose file says what it
 * computes. SPDX-License-Identifier: MIT */
#include "plan/workload.h"

#include "core/error.h"
#include "source/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a workload is made for. */
struct requested {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_device_values *device_values;
    struct gradus_error *error;
};

/* Returns the name of the parameter in the kernel's own signature. */
static const char *name_of(const struct gr_kernel *k, enum gr_role role, int index,
                           const char *otherwise)
{
    for (int i = 0; i < k->stanza_count; i++) {
        const struct gr_signature *s = &k->stanzas[i].signature;
        for (int j = 0; j < s->count; j++)
            if (s->parameters[j].role == role && s->parameters[j].index == index)
                return s->parameters[j].name;
    }
    return otherwise;
}

/* C is row-major here, even if it is column-major for the kernel. */
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
        snprintf(a->name, sizeof a->name, "%s", name_of(k, GR_ROLE_A + (enum gr_role)i, 0, letter));
    }
    w->arrays[2].is_written = true;
    w->arrays[2].columns = p->n;
    w->arrays[2].ld = p->ldc;
    if (k->zero_c)
        w->arrays[2].is_read = w->arrays[2].zero = true;
}

/* The value of an expression, which must be 0 or more. */
static enum gradus_status count_of(const struct requested *q, const struct gr_text *expression,
                                   const char *what, int64_t *count)
{
    enum gradus_status status =
        gr_variant_eval(q->variant, q->problem, q->device_values, expression, count, q->error);
    if (status == GRADUS_OK && *count < 0)
        status = gr_fail_at(q->error, q->variant->kernel->path, expression->place,
                            "%s is %" PRId64 ", wanted 0 or more", what, *count);
    return status;
}

static enum gradus_status make_array(const struct requested *q, int index,
                                     struct gr_workload_array *a)
{
    const struct gr_kernel_array *from = &q->variant->kernel->arrays[index];
    int64_t extent = 1;
    enum gradus_status status = GRADUS_OK;
    *a = (struct gr_workload_array){.type = from->element_is_t ? q->variant->types.a : from->type,
                                    .is_read = from->is_read,
                                    .is_written = from->is_written};
    a->bytes = (int64_t)gr_dtype_bytes(a->type);
    for (int i = 0; i < from->extents.count && status == GRADUS_OK; i++) {
        const struct gr_text *text = &from->extents.items[i];
        status = count_of(q, text, "an extent", &extent);
        if (status == GRADUS_OK && __builtin_mul_overflow(a->bytes, extent, &a->bytes))
            status = gr_fail_at(q->error, q->variant->kernel->path, text->place,
                                "array %s has more bytes than fit 64 bits, wanted smaller sizes",
                                from->name.text);
    }
    if (from->extents.count > 1)
        a->columns = a->ld = extent;
    snprintf(a->name, sizeof a->name, "%s",
             name_of(q->variant->kernel, GR_ROLE_ARRAY, index, from->name.text));
    return status;
}

static enum gradus_status make_other(const struct requested *q, struct gr_workload *w)
{
    const struct gr_kernel *k = q->variant->kernel;
    int64_t flops = 0, bytes = 0;
    enum gradus_status status = GRADUS_OK;
    *w = (struct gr_workload){.array_count = k->array_count};
    for (int i = 0; i < k->array_count && status == GRADUS_OK; i++) {
        status = make_array(q, i, &w->arrays[i]);
        w->bytes += (double)w->arrays[i].bytes *
                    (w->arrays[i].is_read + w->arrays[i].is_written); /* each once */
    }
    if (status == GRADUS_OK && k->flop.text)
        status = count_of(q, &k->flop, "the number of operations", &flops);
    if (status == GRADUS_OK && k->bytes.text)
        status = count_of(q, &k->bytes, "the number of bytes", &bytes);
    w->flops = (double)flops;
    w->bytes = k->bytes.text ? (double)bytes : w->bytes;
    return status;
}

enum gradus_status gr_workload_make(const struct gr_variant *variant,
                                    const struct gr_problem *problem,
                                    const struct gr_device_values *device_values,
                                    struct gr_workload *w, struct gradus_error *error)
{
    if (gr_kernel_has_workload(variant->kernel))
        return make_other(&(struct requested){variant, problem, device_values, error}, w);
    make_gemm(variant->kernel, problem, w);
    return GRADUS_OK;
}

int gr_workload_array_of(const struct gr_workload *w, enum gr_role role, int index)
{
    if (role == GR_ROLE_ARRAY)
        return index < w->array_count ? index : -1;
    return w->is_gemm && role >= GR_ROLE_A && role <= GR_ROLE_C ? (int)(role - GR_ROLE_A) : -1;
}

const struct gr_workload_array *gr_workload_array_named(const struct gr_workload *w,
                                                        const char *name)
{
    for (int i = 0; w && !w->is_gemm && i < w->array_count; i++)
        if (strcmp(w->arrays[i].name, name) == 0)
            return &w->arrays[i];
    return NULL;
}
